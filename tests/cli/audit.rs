//! An audit of many exports, and what a hostile file can make of an audit: nothing.

mod compared;
mod denied;

use std::fs;

use seam_plugins::contract::SEAMS;
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
    assert_eq!(audits[0]["canLeak"], true);
}

/// One line for each export, under a line for each time they are asked, in the order of a run.
#[test]
fn many_exports_are_told_by_when_they_are_asked() {
    let stdout = seam().arg("audit").arg(files::guest("everything")).assert().success().get_output().stdout.clone();
    let output = String::from_utf8(stdout).unwrap();
    let table = output.lines().skip_while(|line| !line.starts_with("  can decide"));
    let table: Vec<&str> = table.take_while(|line| !line.starts_with("  can reach")).collect();
    let firsts = table.iter().filter_map(|line| line.get(14..)?.split("  ").next()).filter(|text| !text.is_empty());
    assert_eq!(
        firsts.collect::<Vec<_>>(),
        [
            "before the request",
            "before the effect",
            "after the effect",
            "before it happens",
            "afterwards",
            "when it is used"
        ]
    );
    let seams = table.iter().filter_map(|line| line.get(14..)?.strip_prefix("  ")?.split(' ').next());
    assert_eq!(seams.collect::<Vec<_>>(), SEAMS.iter().map(|seam| seam.name).collect::<Vec<_>>());
    assert!(table.iter().all(|line| line.chars().count() <= 150), "{output}");
}
