//! The arguments of `serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use url::Url;

use super::values::between;

#[derive(Debug, Args)]
#[command(after_help = "\
Every request needs the token that the first start shows; it is kept in the file served/token of the data folder. \
Clients of OpenAI take http://127.0.0.1:7433/v1 as the base URL, and clients of the Model Context Protocol take \
http://127.0.0.1:7433/mcp. `docs/serve.md` has the configuration for common ones.

Examples:
  deepsearch serve
  deepsearch serve --listen 0.0.0.0:7433 --allow-host search.example.org --runs 4")]
pub struct ServeArgs {
    /// The address and port to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7433")]
    pub listen: SocketAddr,
    /// How many questions are researched at once; the others wait
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = |text: &str| between(text, 1_u16, 100))]
    pub runs: u16,
    /// What Ctrl-C does with unfinished runs: keep them for the next start, or let them write their reports
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    pub on_stop: OnStop,
    /// Where browsers reach the server, as in https://search.example.org; links in reports lead there
    #[arg(long, value_name = "URL")]
    pub public_url: Option<Url>,
    /// Also answer to this name in the Host header (repeatable)
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
    /// Let pages of this origin use the server, as in http://localhost:3000 (repeatable)
    #[arg(long, value_name = "ORIGIN")]
    pub allow_origin: Vec<String>,
    /// Serve over TLS with this certificate and its chain, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// The private key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// Offer a tool that loads files from this folder and from no other
    #[arg(long, value_name = "DIR")]
    pub allow_load: Option<PathBuf>,
}

/// What becomes of researches when the server stops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OnStop {
    /// The next start resumes them, and pays for nothing twice
    #[default]
    Keep,
    /// They write their reports from what they have found so far
    Finish,
}
