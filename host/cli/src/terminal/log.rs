//! The log: to stderr, warnings and worse unless `SEAM_LOG` says otherwise. Without colours.

use tracing_subscriber::EnvFilter;

pub(crate) fn start() {
    let filter = EnvFilter::try_from_env("SEAM_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .without_time()
        .init();
}
