//! The log: to stderr, warnings and worse unless `SEAM_LOG` says otherwise.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;

pub(crate) fn start() {
    let filter = EnvFilter::try_from_env("SEAM_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    let coloured = std::env::var_os("NO_COLOR").is_none() && std::io::stderr().is_terminal();
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(coloured)
        .without_time()
        .init();
}
