//! The plugin that does with its imports what it is told; see `tests/guests/reach-a`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use seam_harness::Heard;
use seam_loop::Message;
use seam_plugins::{Grants, Settings};
use seam_session::Session;
use seam_tests::bed::{Bed, engine};
use seam_tests::files;
use seam_tests::talk::{Talk, calls};
use serde_json::{Value, json};
use tempfile::TempDir;

/// All that it needs.
pub(super) fn grants() -> Grants {
    Grants { messages: true, session: true, models: true, ..Grants::default() }
}

/// A bed with it under a name, doing these steps at these seams.
pub(super) fn does(bed: Bed, name: &str, settings: Value) -> Bed {
    bed.plugin(name, &files::guest("reach-a"), settings).set(name, |settings| settings.grants = grants())
}

/// The same, with nothing to do by itself.
pub(super) fn told() -> Bed {
    does(Bed::new(), "p", json!({}))
}

/// The user lets it do these steps. What came of each.
pub(super) async fn ask(talk: &mut Talk, steps: Value) -> String {
    match talk.say(&format!("/do {steps}")).await {
        Heard::Replied(answers) => answers,
        other => panic!("{other:?}"),
    }
}

/// The model lets it do these steps.
pub(super) fn step(steps: Value) -> Value {
    calls("do", &steps.to_string())
}

/// The texts of all results, in order.
pub(super) fn results(talk: &Talk) -> Vec<String> {
    let texts = talk.harness.transcript().messages().iter().filter_map(|message| match &**message {
        Message::ToolResult(result) => Some(result.content.iter().filter_map(|piece| piece.as_text()).collect()),
        _ => None,
    });
    texts.collect()
}

/// A folder and a file in it that is not there yet.
pub(super) fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s.jsonl");
    (folder, file)
}

/// The entries of plugins in a file: the type of each, and its data.
pub(super) fn custom(file: &Path) -> Vec<(String, Value)> {
    let session = Session::read(file).unwrap();
    let entries = session.entries().iter().map(|entry| session.json(entry.id()).unwrap());
    let custom = entries.filter(|entry| entry["type"] == "custom");
    custom.map(|entry| (entry["customType"].as_str().unwrap().to_owned(), entry["data"].clone())).collect()
}

/// What is wrong with it when it is granted this.
pub(super) async fn problem(grants: Grants) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(files::guest("reach-a"), folder.path().join("my plugin.wasm")).unwrap();
    let settings = |_: &str| Settings { grants: grants.clone(), ..Settings::default() };
    let (loaded, errors) = engine().load_folder(folder.path(), settings).await.unwrap();
    assert!(loaded.is_empty());
    errors[0].problem.to_string()
}

/// Steps at one seam.
pub(super) fn at(seam: &str, steps: Value) -> Value {
    json!({ "steps": BTreeMap::from([(seam, steps)]) })
}
