//! What the commands are made of. Everything is built for the whole workspace at once: choosing packages would choose
//! other features, and build the large dependencies twice.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::foreign;

const GUEST_TARGET: &str = "wasm32-wasip2";
/// The test that `crash` runs.
const KILLS: &str = "crash::kills::after_a_kill_at_any_moment_nothing_is_lost_and_nothing_is_done_twice";

/// The project's folder.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// Builds the host.
pub(crate) fn build() -> Result<PathBuf, String> {
    run(cargo(&root()).args(["build", "--workspace"]))?;
    Ok(root().join("target/debug").join(format!("seam{}", env::consts::EXE_SUFFIX)))
}

/// Builds the example plugins into `target/plugins`.
pub(crate) fn plugins() -> Result<PathBuf, String> {
    guests("example-plugins", "plugins")
}

/// Builds the test plugins into `target/test-guests`, also those in other languages.
pub(crate) fn test_guests() -> Result<(), String> {
    let folder = guests("tests/guests", "test-guests")?;
    foreign::guests(&folder)
}

/// Every test: the plugins' own, then the host's with real plugins.
pub(crate) fn test() -> Result<(), String> {
    plugins()?;
    test_guests()?;
    if let Err(reason) = foreign::reference() {
        println!("No session files are exchanged with the reference: {reason}");
    }
    if let Err(reason) = foreign::browser() {
        println!("No page is looked at in a browser: {reason}");
    }
    run(cargo(&root().join("example-plugins")).args(["test", "--quiet"]))?;
    // The tests start the binary, and `cargo test` does not build it for another package.
    build()?;
    run(cargo(&root()).args(["test", "--workspace"]))?;
    run(cargo(&root()).args(["run", "--quiet", "--package", "seam-guest-generate", "--", "--check"]))
}

/// A benchmark, in release.
pub(crate) fn bench(name: &str) -> Result<(), String> {
    guests("tests/guests", "test-guests")?;
    run(cargo(&root()).args(["bench", "--workspace", "--bench", name]))
}

/// The benchmark that has a reference beside it, if that can be installed here.
pub(crate) fn bench_turn(words: &[&str]) -> Result<(), String> {
    guests("tests/guests", "test-guests")?;
    let mut bench = cargo(&root());
    match peer() {
        Ok(program) => drop(bench.env("SEAM_BENCH_PEER", program)),
        Err(reason) => println!("The reference cannot be installed: {reason}"),
    }
    run(bench.args(["bench", "--workspace", "--bench", "turn", "--"]).args(words))
}

/// The same for sessions. Their crate brings nothing that is large, so it is built alone.
pub(crate) fn bench_session(words: &[&str]) -> Result<(), String> {
    let mut bench = cargo(&root());
    match foreign::reference() {
        Ok(package) => {
            bench.env("SEAM_BENCH_PEER", root().join("tests/bench/session.mjs")).env("SEAM_BENCH_PACKAGE", package);
        }
        Err(reason) => println!("The reference cannot be installed: {reason}"),
    }
    bench.env("SEAM_BENCH_BINARY", build()?);
    run(bench.args(["bench", "--package", "seam-session", "--bench", "session", "--"]).args(words))
}

/// Plugins built to do harm, and what becomes of them.
pub(crate) fn bench_hostile() -> Result<(), String> {
    plugins()?;
    guests("tests/guests", "test-guests")?;
    run(cargo(&root()).args(["run", "--quiet", "--package", "seam-tests", "--bin", "hostile"]))
}

/// Kills runs at any moment, so many times, and looks at what is left of their sessions.
pub(crate) fn crash(rounds: &str) -> Result<(), String> {
    plugins()?;
    build()?;
    let mut crash = cargo(&root());
    crash.args(["test", "--quiet", "--workspace", "--test", "seam", "--", "--nocapture", "--exact", KILLS]);
    run(crash.env("SEAM_CRASH_ROUNDS", rounds))
}

/// Installs the reference and the program that measures it into `target/bench-turn`.
fn peer() -> Result<PathBuf, String> {
    let (from, to) = (root().join("tests/bench"), root().join("target/bench-turn"));
    fs::create_dir_all(&to).map_err(|error| format!("{}: {error}", to.display()))?;
    for name in ["package.json", "turn.mjs"] {
        fs::copy(from.join(name), to.join(name)).map_err(|error| format!("{name}: {error}"))?;
    }
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]);
    run(npm.current_dir(&to))?;
    Ok(to.join("turn.mjs"))
}

/// Formatting, clippy and docs of all three workspaces.
pub(crate) fn lint() -> Result<(), String> {
    add_target()?;
    for (folder, target) in [("", None), ("example-plugins", Some(GUEST_TARGET)), ("tests/guests", Some(GUEST_TARGET))]
    {
        let folder = root().join(folder);
        run(cargo(&folder).args(["fmt", "--all", "--check"]))?;
        let mut clippy = cargo(&folder);
        clippy.args(["clippy", "--workspace"]);
        match target {
            Some(target) => clippy.args(["--target", target]),
            None => clippy.arg("--all-targets"),
        };
        run(clippy.args(["--", "--deny", "warnings"]))?;
    }
    run(cargo(&root()).args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "--deny warnings"))
}

/// Builds a workspace of guests, and copies the components into a folder of `target` under the names of their packages.
pub(crate) fn guests(workspace: &str, folder: &str) -> Result<PathBuf, String> {
    add_target()?;
    let packages = packages(&root().join(workspace))?;
    for package in &packages {
        // Each by itself: built together, all would get the features that one of them wants of the SDK.
        let build = ["build", "--release", "--quiet", "--target", GUEST_TARGET, "-p", package];
        run(cargo(&root().join(workspace)).args(build))?;
    }
    let built = root().join("target/guests").join(GUEST_TARGET).join("release");
    let folder = root().join("target").join(folder);
    let _absent = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for package in packages {
        let from = built.join(format!("{}.wasm", package.replace('-', "_")));
        let to = folder.join(format!("{package}.wasm"));
        fs::copy(&from, &to).map_err(|error| format!("{}: {error}", from.display()))?;
    }
    Ok(folder)
}

/// The packages of a workspace of guests: its folders with a manifest.
fn packages(workspace: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(workspace).map_err(|error| format!("{}: {error}", workspace.display()))?;
    let folders = entries.flatten().filter(|entry| entry.path().join("Cargo.toml").is_file());
    Ok(folders.map(|folder| folder.file_name().to_string_lossy().into_owned()).collect())
}

/// Makes sure that guests can be built. Some machines do not install targets by themselves.
fn add_target() -> Result<(), String> {
    let installed = Command::new("rustup").args(["target", "list", "--installed"]).current_dir(root()).output();
    let there = installed.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(GUEST_TARGET));
    if there { Ok(()) } else { run(Command::new("rustup").args(["target", "add", GUEST_TARGET]).current_dir(root())) }
}

/// Cargo in a folder.
pub(crate) fn cargo(folder: &Path) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(folder);
    cargo
}

/// Runs a command and says which one failed.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{command:?} cannot be started: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed: {status}")) }
}
