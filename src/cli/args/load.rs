//! The arguments of `load`.

use clap::Args;

use super::values::flag;
use super::web::WebArgs;
use crate::config::Flag;

/// What `load` takes, and `query --load` uses with its defaults.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Folders are read recursively, honouring .gitignore and .deepsearchignore, and archives (zip, tar, gz, zst, mbox) in \
place; web pages as their robots.txt allows. \
Formats: Markdown, text, HTML, PDF, DOCX, ODT, RTF, EPUB, PPTX, ODP, XLSX, ODS, LaTeX, Org, reStructuredText, AsciiDoc, \
e-mail, notebooks, subtitles, JSON, JSONL, YAML, TOML, XML, CSV, TSV and source code. Without PATH, everything that was \
ever loaded is loaded again, and documents whose files are gone are removed.

Examples:
  deepsearch load ./docs
  deepsearch load
  deepsearch load ./docs --watch
  deepsearch load ./library --collection-per-dir --prune
  deepsearch load 'notes/**/*.md' --collection notes --description \"My notes since 2019\"
  deepsearch load https://docs.example.org/guide/ --depth 3 --include '/guide/*'
  curl -s https://example.org | deepsearch load - --collection pages")]
pub struct LoadArgs {
    /// Files, folders, globs, URLs, or `-` for standard input [default: everything that was loaded before]
    #[arg(value_name = "PATH")]
    pub paths: Vec<String>,
    /// Collection to load into [default: the folder's or the host's name]
    #[arg(short, long, value_name = "NAME", conflicts_with = "collection_per_dir", requires = "paths")]
    pub collection: Option<String>,
    /// Make one collection of each folder directly below PATH
    #[arg(long, requires = "paths")]
    pub collection_per_dir: bool,
    /// What the collection holds, for the planner [default: derived from the contents]
    #[arg(long, value_name = "TEXT", requires = "paths")]
    pub description: Option<String>,
    /// Remove documents whose files are gone
    #[arg(long)]
    pub prune: bool,
    /// The embedder of a new collection: minilm, none, fastembed:MODEL, openai:MODEL or causal:FOLDER
    #[arg(long, value_name = "NAME", requires = "paths")]
    pub embedder: Option<String>,
    /// Keep running: load what changes, and remove what is gone, until Ctrl-C
    #[arg(long)]
    pub watch: bool,
    /// Write the summary as JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub web: WebArgs,
}

impl LoadArgs {
    /// The settings that these flags give.
    pub fn flags(&self) -> Vec<Flag> {
        let embedder = self.embedder.iter().map(|name| flag("--embedder", "embed.embedder", name));
        embedder.chain(self.web.flags()).collect()
    }
}
