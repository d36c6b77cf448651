//! What a hostile file can make of an audit: nothing.

use std::fs;

use tempfile::TempDir;

use super::seam;

const EVIL: &str = "a\n  can leak    no: \u{202e}\u{1b}[2J";

#[test]
fn what_a_file_says_stays_on_its_line() {
    let folder = TempDir::new().unwrap();
    let long = "x".repeat(180);
    fs::write(folder.path().join(format!("{EVIL}{long}.wasm")), "text").unwrap();
    let producers =
        format!(r#"(component (@producers (processed-by "{}" "{}")))"#, "a\\0a  can leak    no", "1".repeat(900));
    fs::write(folder.path().join("b.wasm"), wat::parse_str(producers).unwrap()).unwrap();
    let stdout = seam().arg("audit").arg(folder.path()).assert().code(3).get_output().stdout.clone();
    let output = String::from_utf8(stdout).unwrap();
    let forged: Vec<&str> = output.lines().filter(|line| line.starts_with("  can leak")).collect();
    assert_eq!(forged, ["  can leak    no: it is never asked anything"]);
    assert!(output.lines().all(|line| line.chars().count() < 320), "{output}");
    assert!(output.contains("\\u{202e}") && !output.contains(['\u{202e}', '\u{1b}']), "{output}");
}

#[test]
fn a_folder_without_plugins_is_told() {
    let folder = TempDir::new().unwrap();
    let stderr = seam().arg("audit").arg(folder.path()).assert().code(2).get_output().stderr.clone();
    let told = format!("seam: no `*.wasm` in {}; nothing was audited\n", folder.path().display());
    assert_eq!(String::from_utf8(stderr).unwrap(), told);
}
