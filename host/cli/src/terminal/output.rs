//! What `seam` says, on stdout and on stderr. That it cannot be heard stops no run: an effect is never left half-way.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Stdout. Cloning shares it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Output {
    failed: Arc<AtomicBool>,
}

impl Output {
    /// Prints. After the first failure, which is told once on stderr, nothing is printed any more.
    pub(crate) fn print(&self, text: &str) {
        if self.has_failed() {
            return;
        }
        let mut stdout = io::stdout().lock();
        if let Err(error) = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            self.failed.store(true, Ordering::Relaxed);
            complain(&format!("the output cannot be written ({error}); what follows is not shown"));
        }
    }

    /// Whether something could not be printed.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }
}

/// Tells of something wrong, on stderr.
pub(crate) fn complain(text: &str) {
    let _nobody_hears = writeln!(io::stderr().lock(), "seam: {text}");
}
