//! The fuzz targets under libFuzzer, one after another. What they are stands in `tests/fuzz/README.md`.

use std::process::{Command, Stdio};

use crate::files;
use crate::steps::{guests, root, run};

const MISSING: &str = "The fuzz targets need cargo-fuzz and a nightly compiler: `cargo install cargo-fuzz` and \
                       `rustup toolchain install nightly`. Without them `cargo test -p seam-tests fuzz` makes a short run.";

/// Runs every target for so many seconds. New inputs are in `target/fuzz/found/TARGET`, one that fails in
/// `tests/fuzz/artifacts/TARGET`.
pub(crate) fn fuzz(seconds: &str) -> Result<(), String> {
    let seconds: u32 = seconds.parse().map_err(|_| format!("`{seconds}` is no number of seconds"))?;
    let there = cargo_fuzz().arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !there.is_ok_and(|status| status.success()) {
        return Err(MISSING.to_owned());
    }
    guests("tests/guests", "test-guests")?;
    for program in files::list(&root().join("tests/fuzz/fuzz_targets"))? {
        let name = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let found = root().join("target/fuzz/found").join(&name);
        files::create(&found)?;
        let mut fuzz = cargo_fuzz();
        fuzz.args(["run", "--sanitizer=none", "--no-cfg-fuzzing", "--target-dir"]).arg(root().join("target/fuzz"));
        fuzz.arg(&name).arg(found).arg(root().join("tests/fuzz/corpus").join(&name));
        fuzz.args(["--", "-max_len=16384", "-timeout=60", "-rss_limit_mb=2048"]);
        run(fuzz.arg(format!("-max_total_time={seconds}")))?;
    }
    Ok(())
}

/// cargo-fuzz under the nightly compiler.
fn cargo_fuzz() -> Command {
    let mut rustup = Command::new("rustup");
    rustup.args(["run", "nightly", "cargo", "fuzz"]).current_dir(root().join("tests"));
    rustup
}
