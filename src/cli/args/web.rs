//! The flags for loading web pages.

use clap::Args;

use super::values::{flag, number, several};
use crate::app::{Breadth, Links};
use crate::cli::CliError;
use crate::config::Flag;

/// How far a crawl goes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Web pages")]
pub struct WebArgs {
    /// Follow links this many steps from each URL [default: crawl.depth]
    #[arg(long, value_name = "N", value_parser = number::<u32>)]
    pub depth: Option<u32>,
    /// Store at most this many pages [default: crawl.max_pages]
    #[arg(long, value_name = "N", value_parser = several)]
    pub max_pages: Option<u64>,
    /// Stop after this many minutes; the same load again continues [default: crawl.max_minutes]
    #[arg(long, value_name = "N", value_parser = number::<u64>)]
    pub max_minutes: Option<u64>,
    /// Follow links to the same host only; this is the default
    #[arg(long, conflicts_with_all = ["same_domain", "any"])]
    pub same_host: bool,
    /// Follow links to all hosts of the same domain
    #[arg(long, conflicts_with = "any")]
    pub same_domain: bool,
    /// Follow links anywhere
    #[arg(long)]
    pub any: bool,
    /// Follow only links that match, as in '/guide/*' (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// Follow no links that match, as in '*.pdf' (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Also load the pages of the hosts' sitemaps
    #[arg(long)]
    pub sitemap: bool,
}

impl WebArgs {
    /// The settings that these flags give.
    pub fn flags(&self) -> Vec<Flag> {
        let depth = self.depth.map(|depth| flag("--depth", "crawl.depth", depth.to_string()));
        let pages = self.max_pages.map(|pages| flag("--max-pages", "crawl.max_pages", pages.to_string()));
        let minutes = self.max_minutes.map(|most| flag("--max-minutes", "crawl.max_minutes", most.to_string()));
        depth.into_iter().chain(pages).chain(minutes).collect()
    }

    /// Which links are followed.
    pub fn links(&self) -> Links {
        let breadth = match (self.same_domain, self.any) {
            (_, true) => Breadth::Any,
            (true, false) => Breadth::Domain,
            (false, false) => Breadth::Host,
        };
        let (include, exclude) = (self.include.clone(), self.exclude.clone());
        Links { breadth, include, exclude, sitemaps: self.sitemap }
    }

    /// Refuses flags for web pages where there is none to load.
    pub fn check(&self, loads_pages: bool) -> Result<(), CliError> {
        let is_used = self.depth.is_some()
            || self.max_pages.is_some()
            || self.max_minutes.is_some()
            || self.same_host
            || self.links() != Links::default();
        if is_used && !loads_pages {
            return Err(CliError::usage(
                "--depth, --max-pages, --max-minutes, --same-host, --same-domain, --any, --include, --exclude and --sitemap are for \
                 web pages, and no URL is named",
            ));
        }
        Ok(())
    }

    /// Whether these flags say which links to follow.
    pub fn choose_links(&self) -> bool {
        self.same_host || self.same_domain || self.any || !self.include.is_empty() || !self.exclude.is_empty()
    }
}
