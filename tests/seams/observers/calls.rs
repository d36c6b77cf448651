//! What is seen of tool calls, and what is not.

use seam_tests::bed::Bed;
use seam_tests::{files, notes};
use serde_json::json;

use super::{calls, says, seen, watching};

#[tokio::test]
async fn tool_execution_start() {
    let turns = json!([calls("c1", "echo", json!({ "text": "x" })), calls("c2", "nowhere", json!({})), says("a")]);
    let mut talk = watching("tool-execution-start", json!({})).talk(turns).await;
    talk.say("1").await;
    assert_eq!(seen("tool-execution-start", talk).await, [r#"c1 echo {"text":"x"}"#, "c2 nowhere {}"]);
}

#[tokio::test]
async fn tool_execution_update() {
    let tools = json!({ "tools": [{ "name": "slow", "do": "updates", "updates": 1 }] });
    let turns = json!([calls("c1", "slow", json!({ "text": "x" })), says("a")]);
    let mut talk = watching("tool-execution-update", tools).talk(turns).await;
    talk.say("1").await;
    assert_eq!(seen("tool-execution-update", talk).await, [r#"c1 slow "x 1" -"#]);
}

/// Who decided is told too: a rewrite, a change, a failure, a block, and those with nothing to say.
#[tokio::test]
async fn tool_execution_end() {
    let rewrite = json!({ "do": "set", "text": "{}!", "tool": "echo" });
    let bed = Bed::new()
        .everything("a-rewrites", json!({ "observe": "quiet", "rewrite-tool-call": rewrite }))
        .stress("b-fails", json!({ "patch": { "panic-on": "secret" } }))
        .skip_failures("b-fails")
        .stress("c-changes", json!({ "patch": { "say": "changed" } }))
        .plugin("d-blocks", &files::example("protected-paths"), json!({}))
        .stress("e-fails", json!({ "gate": { "panic-on": "forbidden" } }))
        .plugin("sees-the-end", &files::guest("observer"), json!({}));
    let turns = json!([
        calls("c1", "echo", json!({ "text": "secret" })),
        calls("c2", "write", json!({ "path": ".env", "content": "" })),
        calls("c3", "echo", json!({ "text": "forbidden" })),
        calls("c4", "nowhere", json!({})),
        says("a")
    ]);
    let mut talk = bed.talk(turns).await;
    talk.say("1").await;
    let workspace = talk.bed.workspace.display().to_string();
    talk.close().await;
    let notes = notes::take("sees-the-end");
    let session = notes[0].split(' ').nth(1).unwrap();
    let ends = notes.iter().filter(|note| note.starts_with("tool-execution-end"));
    insta::assert_snapshot!(in_lines(ends.cloned().collect()).replace(session, "S").replace(&workspace, "W"), @r#"
    tool-execution-end: S c1 echo "changed" - false a-rewrites@rewrite-tool-call:rewrite"{\"text\":\"secret!\"}"
      b-fails@rewrite-tool-call:proceed""
      c-changes@rewrite-tool-call:proceed""
      e-fails@rewrite-tool-call:proceed""
      a-rewrites@tool-call:proceed""
      b-fails@tool-call:proceed""
      c-changes@tool-call:proceed""
      d-blocks@tool-call:proceed""
      e-fails@tool-call:proceed""
      a-rewrites@tool-result:proceed""
      b-fails@tool-result:failure-skipped"it crashed (a panic or an abort)"
      c-changes@tool-result:change"content"
      e-fails@tool-result:proceed""
    tool-execution-end: S c2 write "Blocked by plugin `d-blocks`: `W/.env` is protected by `.env`: no reading, no writing" {} true a-rewrites@rewrite-tool-call:proceed""
      b-fails@rewrite-tool-call:proceed""
      c-changes@rewrite-tool-call:proceed""
      e-fails@rewrite-tool-call:proceed""
      a-rewrites@tool-call:proceed""
      b-fails@tool-call:proceed""
      c-changes@tool-call:proceed""
      d-blocks@tool-call:block"`W/.env` is protected by `.env`: no reading, no writing"
    tool-execution-end: S c3 echo "Not run: plugin `e-fails` failed at `tool-call`: it crashed (a panic or an abort). What a plugin could not check is refused; this is a failure, not a decision about the call." {} true a-rewrites@rewrite-tool-call:rewrite"{\"text\":\"forbidden!\"}"
      b-fails@rewrite-tool-call:proceed""
      c-changes@rewrite-tool-call:proceed""
      e-fails@rewrite-tool-call:proceed""
      a-rewrites@tool-call:proceed""
      b-fails@tool-call:proceed""
      c-changes@tool-call:proceed""
      d-blocks@tool-call:proceed""
      e-fails@tool-call:failure-refused"it crashed (a panic or an abort)"
    tool-execution-end: S c4 nowhere "Tool nowhere not found" {} true -
    "#);
}

/// A line for each decision.
fn in_lines(notes: Vec<String>) -> String {
    notes.join("\n").replace("\",", "\"\n  ")
}

/// Nobody who watches gets to see what `tool-result` took away, not even the plugin that is asked first. What the model
/// itself wrote is no result: it is seen as it is.
#[tokio::test]
async fn a_secret_in_a_result_reaches_no_observer() {
    let secret = "sk-demo-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c";
    let written = "sk-demo-00000000000000000000000000000000";
    let bed = Bed::new()
        .file("conf", &format!("key {secret}\n"))
        .example("redact-secrets", json!({}))
        .everything("a-first", json!({ "sees": ["turn-end"] }))
        .everything("z-last", json!({ "sees": ["turn-end"] }));
    let turns = json!([
        calls("c1", "read", json!({ "path": "conf" })),
        calls("c2", "bash", json!({ "command": "cat conf; sleep 0.5; echo end" })),
        calls("c3", "echo", json!({ "text": written })),
        says("done")
    ]);
    let mut talk = bed.talk(turns).await;
    talk.say("what is in conf?").await;
    let asked = format!("{:?}", talk.requests.lock().unwrap());
    let told = serde_json::to_string(&talk.close().await).unwrap();
    assert!(told.contains("tool_execution_update"), "{told}");
    for (who, what) in [("the model", asked), ("the host", told)] {
        assert!(what.contains("[redacted") && what.contains(written) && !what.contains(secret), "{who}: {what}");
    }
    for plugin in ["a-first", "z-last"] {
        let notes = notes::take(plugin);
        assert!(!notes.iter().any(|note| note.contains(secret)), "{plugin}: {notes:#?}");
        let of =
            |seam: &str| notes.iter().filter(|note| note.starts_with(seam)).cloned().collect::<Vec<_>>().join("\n");
        for seam in ["tool-execution-update", "tool-execution-end", "turn-end sees"] {
            assert!(of(seam).contains("[redacted"), "{plugin}: {notes:#?}");
        }
        assert!(of("tool-execution-start").ends_with(&format!(r#"c3 echo {{"text":"{written}"}}"#)), "{notes:#?}");
        assert!(!of("tool-execution-end").contains(written), "{plugin}: {notes:#?}");
    }
}
