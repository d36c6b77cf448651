//! An audit of many exports, and what a hostile file can make of an audit: nothing.

mod compared;
mod denied;
mod granted;
mod schema;

use std::fs;

use seam_plugins::contract::{Can, SEAMS, SeamFacts};
use seam_tests::files;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::seam;

/// A gate that imports this. It would load if its imports were granted and its types were right.
fn gate(imports: &str) -> Vec<u8> {
    let text =
        format!(r#"(component {imports} (instance $gate) (export "seam:harness/tool-call@0.1.0" (instance $gate)))"#);
    wat::parse_str(text).unwrap()
}

/// What `seam audit` prints and complains of, and its exit code.
fn audit(arguments: &[&std::ffi::OsStr]) -> (String, String, i32) {
    let output = seam().arg("audit").args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

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

#[test]
fn an_export_as_a_program_reads_it() {
    let stdout =
        seam().args(["audit", "--json"]).arg(files::guest("everything")).assert().success().get_output().stdout.clone();
    let audits: Value = serde_json::from_slice(&stdout).unwrap();
    let decides = audits[0]["decides"].as_array().unwrap();
    let of = |seam: &str| decides.iter().find(|export| export["seam"] == seam).unwrap();
    let gate = json!({
        "seam": "tool-call",
        "timing": "before-effect",
        "sees": "tool calls",
        "can": "refuse",
        "power": "refuse the call, or ask you",
        "onFailure": "refuse",
        "ifItFails": "the call is refused",
    });
    let observer = json!({
        "seam": "settled",
        "timing": "observe",
        "sees": "that the agent is idle",
        "can": "watch",
        "power": "nothing: it watches",
        "onFailure": "skip",
        "ifItFails": "it is reported",
    });
    assert_eq!((of("tool-call"), of("settled"), decides.len()), (&gate, &observer, SEAMS.len()));
    assert_eq!(audits[0]["canLeak"], "yes");
}

/// One row for each seam, in the order of a run; but those that only watch share a row.
#[test]
fn many_exports_are_told_in_the_order_of_a_run() {
    let stdout = seam().arg("audit").arg(files::guest("everything")).assert().success().get_output().stdout.clone();
    let output = String::from_utf8(stdout).unwrap();
    let table = output.lines().skip_while(|line| !line.starts_with("  can decide"));
    let table: Vec<&str> = table.take_while(|line| !line.starts_with("  can see")).collect();
    let firsts = table.iter().filter_map(|line| line.get(14..)?.split("  ").next()).filter(|text| !text.is_empty());
    let (watching, deciding): (Vec<&SeamFacts>, Vec<&SeamFacts>) =
        SEAMS.iter().partition(|seam| seam.can == Can::Watch);
    let mut expected: Vec<&str> = deciding.iter().map(|seam| seam.name).collect();
    let observers = format!("{} observers", watching.len());
    expected.insert(expected.iter().position(|name| *name == "tools").unwrap(), &observers);
    assert_eq!(firsts.collect::<Vec<_>>(), expected);
    let words: Vec<&str> = table.iter().flat_map(|line| line.split([' ', ',', ';'])).collect();
    assert!(watching.iter().all(|seam| words.contains(&seam.name)), "{output}");
}
