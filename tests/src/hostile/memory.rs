//! How much memory this process has, as the system sees it.

use std::fs;

/// How many KiB it has now.
pub fn now() -> u64 {
    status("VmRSS:")
}

/// How many KiB it had at most since [`forget_peak`].
pub fn peak() -> u64 {
    status("VmHWM:")
}

/// The most it has had is from now on what it has now.
pub fn forget_peak() {
    let _kept_where_it_cannot_be_reset = fs::write("/proc/self/clear_refs", "5");
}

fn status(field: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}
