//! A plugin that fails among others: skipped, it undoes nothing that they say; refusing, none of them can make up for it.

use seam_plugins::{OnFailureRules, Word};
use seam_tests::bed::Bed;
use seam_tests::talk::{Asked, calls, says};
use seam_tests::three::{in_every_order, name};
use serde_json::{Value, json};

/// The seams at which `a` and `c` say something.
const SEAMS: [&str; 7] = [
    "input",
    "before-agent-start",
    "prepare-request",
    "transform-context",
    "rewrite-tool-call",
    "tool-result",
    "prepare-next-turn",
];

/// A plugin that adds its name wherever it can.
fn adds(name: &str) -> Value {
    let more = format!("{{}}{name}");
    json!({
        "input": { "do": "replace", "text": more },
        "before-agent-start": { "system-prompt": more, "message": name },
        "prepare-request": { "insert": [[0, name]], "model": format!("p/{name}") },
        "transform-context": { "insert": [[0, name]] },
        "rewrite-tool-call": { "do": "set", "text": more },
        "tool-result": { "do": "change", "text": more },
        "prepare-next-turn": { "message": name, "thinking-level": "high" },
    })
}

fn traps(seams: &[&str]) -> Value {
    seams.iter().map(|seam| ((*seam).to_owned(), json!({ "do": "trap" }))).collect()
}

/// What the model was asked and what is stored.
async fn run(bed: Bed) -> (Vec<Asked>, Vec<String>) {
    let mut talk = bed.talk(json!([calls("echo", "x"), says("done")])).await;
    talk.say("hi").await;
    let requests = talk.requests.lock().unwrap().clone();
    (requests, talk.transcript())
}

#[tokio::test]
async fn one_that_is_skipped_undoes_nothing() {
    let silent = in_every_order([adds("a"), json!({}), adds("c")]);
    let failing = in_every_order([adds("a"), traps(&SEAMS), adds("c")]);
    for ((order, silent), (_, failing)) in silent.zip(failing) {
        let failing =
            failing.set(&name(order, 'b'), |settings| settings.on_failure = OnFailureRules::Everywhere(Word::Skip));
        let (requests, transcript) = run(failing).await;
        assert_eq!((requests.len(), transcript.len()), (2, 8), "{order}");
        assert_eq!((requests, transcript), run(silent).await, "{order}");
    }
}

#[tokio::test]
async fn one_that_refuses_does_so_wherever_it_stands() {
    for seam in ["prepare-request", "transform-context", "rewrite-tool-call", "tool-call", "tool-result"] {
        for (order, bed) in in_every_order([adds("a"), traps(&[seam]), adds("c")]) {
            let (requests, transcript) = run(bed).await;
            if seam.contains("tool") {
                let failed = format!("plugin `{}` failed at `{seam}`", name(order, 'b'));
                let result = transcript.iter().find(|message| message.starts_with("tool: ")).unwrap();
                assert!(result.contains(&failed), "{order}: {result}");
                assert!(!result.contains("tool: x"), "{order}: {result}");
            } else {
                assert_eq!(requests, [], "{order}");
            }
        }
    }
}
