//! The page in a browser. `cargo xtask test` installs what drives Chromium, and `.ci/run` Chromium itself.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use seam_tests::files::root;
use serde_json::json;
use tempfile::TempDir;

use super::made::{Made, answer};
use super::{HOSTILE, page};

/// Debian's Chromium. `SEAM_CHROMIUM` names another.
const CHROMIUM: &str = "/usr/bin/chromium";

/// The package that drives a browser, and the browser, if both are there.
fn browser() -> Option<(PathBuf, PathBuf)> {
    let package = root().join("target/foreign/browser/node_modules/playwright-core");
    let chromium = PathBuf::from(std::env::var_os("SEAM_CHROMIUM").unwrap_or_else(|| CHROMIUM.into()));
    let missing = [&package, &chromium].into_iter().find(|path| !path.exists());
    if let Some(missing) = missing {
        // Past the test's own capture: nobody reads what a test says that passes.
        let mut stderr = io::stderr();
        writeln!(stderr, "NOT RUN: no page was looked at in a browser: {} is not there", missing.display()).unwrap();
        return None;
    }
    Some((package, chromium))
}

/// Runs `page.mjs`.
fn look(what: &str, words: &[&Path]) {
    let Some((package, chromium)) = browser() else { return };
    let script = root().join("tests/browser/page.mjs");
    let output = Command::new("node").arg(script).args([package, chromium]).arg(what).args(words).output().unwrap();
    let told = [output.stdout, output.stderr].map(|told| String::from_utf8_lossy(&told).into_owned()).concat();
    assert!(output.status.success(), "{what}: {told}");
}

fn exported(folder: &Path, made: &Made) -> PathBuf {
    let file = folder.join("page.html");
    fs::write(&file, page(&made.file)).unwrap();
    file
}

/// On a desk and on a phone, light and dark: nothing is asked of the network, nothing is amiss, nothing is too wide.
#[test]
fn a_page_is_whole_on_every_screen() {
    let folder = TempDir::new().unwrap();
    let made = Made::full(folder.path(), "");
    look("screens", &[&exported(folder.path(), &made)]);
}

#[test]
fn every_crossing_is_on_the_time_line_and_reached_with_the_keys() {
    let folder = TempDir::new().unwrap();
    let made = Made::full(folder.path(), "");
    look("keys", &[&exported(folder.path(), &made), &made.file.with_extension("journal")]);
}

#[test]
fn five_thousand_crossings_are_on_the_time_line_and_few_elements_draw_them() {
    let folder = TempDir::new().unwrap();
    let mut made = Made::new(folder.path(), "");
    made.message(json!({ "role": "user", "content": "go" }));
    for place in 0..5000 {
        let plugin = ["a", "b", "c"][place % 3];
        let decided =
            if place % 97 == 0 { json!({ "block": { "reason": "no", "terminate": false } }) } else { json!("proceed") };
        made.crossing(plugin, "tool-call", "decide", None, answer(&decided));
    }
    look("many", &[&exported(folder.path(), &made), &made.file.with_extension("journal")]);
}

#[test]
fn hostile_words_open_no_dialog_and_add_no_element() {
    let (plain, hostile) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let filler = "x".repeat(HOSTILE.len());
    let plain = exported(plain.path(), &Made::full(plain.path(), &filler));
    let hostile = exported(hostile.path(), &Made::full(hostile.path(), HOSTILE));
    look("hostile", &[&plain, &hostile]);
}

#[test]
fn without_scripts_the_conversation_is_read() {
    let folder = TempDir::new().unwrap();
    let made = Made::full(folder.path(), "");
    look("plain", &[&exported(folder.path(), &made)]);
}
