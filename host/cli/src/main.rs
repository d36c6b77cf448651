//! The binary `seam`. What it does is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    seam_cli::main()
}
