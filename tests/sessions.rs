//! Session files of the reference package, and ours in its hands.

mod compaction;
mod exchange;
mod harness;
mod retry;
mod tree;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("sessions/data")
}

/// What `session-context` prints about a file.
fn reduced(file: &Path) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_session-context")).arg(file).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{}: {said}", file.display());
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The files are of `JsonlSessionRepo` in `pi-agent-core` 0.80.10, and so is what each is reduced to.
#[test]
fn every_session_of_the_reference_is_reduced_to_what_the_reference_reduces_it_to() {
    let files = fs::read_dir(data()).unwrap().map(|file| file.unwrap().path());
    let sessions: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|end| end == "jsonl")).collect();
    assert_eq!(sessions.len(), 14);
    for session in sessions {
        let expected = fs::read_to_string(session.with_extension("expected.json")).unwrap();
        let expected: Value = serde_json::from_str(&expected).unwrap();
        assert_eq!(reduced(&session), expected, "{}", session.display());
    }
}

#[test]
fn a_file_that_is_no_session_is_refused_with_one_sentence() {
    let file = data().join("s00.expected.json");
    let output = Command::new(env!("CARGO_BIN_EXE_session-context")).arg(&file).output().unwrap();
    assert_eq!((output.status.code(), output.stdout), (Some(1), vec![]));
    let expected = format!(
        "`{}` is not a session file: its first line is not a JSON object; it was left as it is, choose another file\n",
        file.display()
    );
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
}
