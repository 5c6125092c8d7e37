//! The arguments of `doctor`.

use clap::Args;

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Write the checks as JSON
    #[arg(long)]
    pub json: bool,
}
