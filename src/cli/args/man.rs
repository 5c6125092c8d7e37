//! The arguments of `man`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write one page for each command into this folder
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}
