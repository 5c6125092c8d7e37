//! The `deepsearch` command; all its code is in the library's `cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    deepsearch::cli::main()
}
