//! How many files `seam`, its plugins and its tools may have open.

use std::process::Command;

use seam_tests::files;
use tempfile::TempDir;

/// A shell often allows few, so that plugins alone could use them up.
#[test]
fn as_many_as_the_system_allows_up_to_what_is_enough() {
    let folder = TempDir::new().unwrap();
    let seam = files::root().join("target/debug/seam");
    let run = format!("ulimit -Sn 100; ulimit -Hn 2000; exec {} run --no-session '!ulimit -Sn'", seam.display());
    let mut shell = Command::new("sh");
    for name in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
        shell.env(name, folder.path());
    }
    let output = shell.args(["-c", &run]).current_dir(&folder).output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.lines().any(|line| line.trim() == "2000"), "{told}{}", String::from_utf8_lossy(&output.stderr));
}
