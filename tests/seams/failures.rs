//! What a failure of a plugin means: one table over every seam that decides.

mod aborts;
pub(super) mod asking;
mod orders;
mod runs;

use seam_harness::OnFailure::{self, Refuse};
use seam_loop::Ruling;
use seam_plugins::contract::{SEAMS, SeamFacts};
use seam_plugins::{InstancePolicy, OnFailureRules};
use seam_tests::bed::{Bed, Session, text, trail};
use serde_json::{Value, json};

use asking::{Asked, ask};

/// Every seam that decides. At the others a failure has nothing to refuse.
pub(super) fn deciding() -> impl Iterator<Item = &'static SeamFacts> {
    SEAMS.iter().filter(|seam| seam.refusal.is_some())
}

/// A session with the plugin `p`, which does this at a seam.
async fn session(seam: &str, deed: Value, rules: Value) -> Session {
    let mut settings = json!({ "observe": "quiet" });
    settings[seam] = deed;
    let rules: OnFailureRules = serde_json::from_value(rules).unwrap();
    Bed::new().everything("p", settings).time_limit("p", 100).set("p", |set| set.on_failure = rules).start().await
}

/// It failed so and that meant this.
fn assert_failed(asked: &Asked, seam: &str, failure: &str, rule: OnFailure) {
    let refused = rule == Refuse;
    let ruling = Ruling::Failure { failure: failure.to_owned(), refused };
    assert_eq!(asked.rulings, [ruling], "{seam}");
    assert_eq!(asked.refused.is_some(), refused, "{seam}: {:?}", asked.refused);
    if let Some(words) = &asked.refused {
        assert!(words.contains(&format!("plugin `p` failed at `{seam}`: {failure}")), "{words}");
    }
}

const CRASH: &str = "it crashed (a panic or an abort)";
const TIME: &str = "it reached its time limit of 100 ms";

/// Whatever failed, the next call finds another instance. Here it is that of another seam.
async fn assert_usable(session: &Session, seam: &str) {
    let other = if seam == "session-before-fork" { "session-before-switch" } else { "session-before-fork" };
    assert_eq!(ask(session, other).await.rulings, [Ruling::Proceed], "{seam}");
}

#[tokio::test]
async fn unless_the_user_says_otherwise_each_seam_has_its_own_rule() {
    for seam in deciding() {
        let session = session(seam.name, json!({ "do": "trap" }), json!({})).await;
        for _ in 0..3 {
            assert_failed(&ask(&session, seam.name).await, seam.name, CRASH, seam.on_failure);
        }
        assert_usable(&session, seam.name).await;
    }
}

#[tokio::test]
async fn an_endless_call_is_ended_at_each_seam() {
    for seam in deciding() {
        let session = session(seam.name, json!({ "do": "loop" }), json!({})).await;
        assert_failed(&ask(&session, seam.name).await, seam.name, TIME, seam.on_failure);
        assert_usable(&session, seam.name).await;
    }
}

#[tokio::test]
async fn the_users_word_counts_for_the_plugin_or_for_a_seam() {
    for seam in deciding() {
        for word in ["refuse", "skip"] {
            let rule = if word == "refuse" { Refuse } else { OnFailure::Skip };
            for rules in [json!(word), json!({ seam.name: word })] {
                let session = session(seam.name, json!({ "do": "trap" }), rules).await;
                assert_failed(&ask(&session, seam.name).await, seam.name, CRASH, rule);
                assert_usable(&session, seam.name).await;
            }
        }
    }
}

/// A word about one seam says nothing about another.
#[tokio::test]
async fn the_other_seams_keep_their_rule() {
    for seam in deciding() {
        let word = if seam.on_failure == Refuse { "skip" } else { "refuse" };
        let other = if seam.name == "finish-turn" { "input" } else { "finish-turn" };
        for (named, at) in [(seam.name, other), (other, seam.name)] {
            let facts = deciding().find(|facts| facts.name == at).unwrap();
            let session = session(at, json!({ "do": "trap" }), json!({ named: word })).await;
            assert_failed(&ask(&session, at).await, at, CRASH, facts.on_failure);
        }
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_used_is_a_failure_at_each_seam_that_has_one() {
    for (seam, deed, fault) in [
        ("before-agent-start", json!({ "message": "x", "kind": "a/b" }), "the kind of a message is not a name"),
        ("prepare-request", json!({ "drop": [[0, 9]] }), "an edit lies outside the 0 messages there are"),
        ("transform-context", json!({ "insert": [[1, "x"]] }), "an edit lies outside the 0 messages there are"),
        (
            "before-provider-request",
            json!({ "set-header": [["cookie", "x"]] }),
            "it sets `cookie`, which carries a key",
        ),
        (
            "before-provider-payload",
            json!({ "do": "replace", "text": "x" }),
            "the payload is not JSON (expected value at line 1 column 1)",
        ),
        (
            "rewrite-tool-call",
            json!({ "do": "arguments", "text": "x" }),
            "the new arguments are not JSON (expected value at line 1 column 1)",
        ),
        (
            "tool-result",
            json!({ "do": "change", "structured-content": [] }),
            "the structured content is not a JSON object",
        ),
        ("prepare-next-turn", json!({ "message": "x", "kind": "" }), "the kind of a message is not a name"),
        ("resources-discover", json!({ "skills": [["A", "", ""]] }), "the name of a resource is not one"),
    ] {
        let facts = deciding().find(|facts| facts.name == seam).unwrap();
        let session = session(seam, deed, json!({})).await;
        let failure = format!("its answer is not usable: {fault}");
        assert_failed(&ask(&session, seam).await, seam, &failure, facts.on_failure);
        assert_usable(&session, seam).await;
    }
}

/// Where the words are those of the seam itself. Those of a run are in `runs`.
#[tokio::test]
async fn a_refusal_says_that_it_is_a_failure_and_no_decision() {
    for (seams, words) in [
        (
            &["rewrite-tool-call", "tool-call"][..],
            "Not run: FAILED. What a plugin could not check is refused; this is a failure, not a decision about the \
             call.",
        ),
        (
            &["tool-result"],
            "The tool ran, but its result is withheld: FAILED. This is a failure, not a decision about the result.",
        ),
        (
            &["session-before-switch", "session-before-fork", "session-before-compact", "session-before-tree"],
            "FAILED. What a plugin could not check is refused; this is a failure, not a decision",
        ),
    ] {
        for seam in seams {
            let session = session(seam, json!({ "do": "trap" }), json!({})).await;
            let failed = format!("plugin `p` failed at `{seam}`: {CRASH}");
            assert_eq!(ask(&session, seam).await.refused, Some(words.replace("FAILED", &failed)));
        }
    }
}

/// No count of failures switches a gate off.
#[tokio::test]
async fn a_gate_that_failed_200_times_still_refuses() {
    let session = session("tool-call", json!({ "do": "trap", "tool": "echo" }), json!({})).await;
    for _ in 0..200 {
        let settled = session.echo("x").await;
        assert!(text(&settled).starts_with("Not run: plugin `p` failed at `tool-call`"), "{}", text(&settled));
    }
    assert_eq!(session.runs(), 0);
    assert!(trail(&session.call("ls", json!({})).await.decisions).contains(&"p tool-call proceed".to_owned()));
}

/// The same with a fresh instance for each call.
#[tokio::test]
async fn a_fresh_instance_for_each_call_changes_none_of_it() {
    for seam in deciding() {
        let settings = json!({ seam.name: { "do": "trap" }, "observe": "quiet" });
        let bed = Bed::new().everything("p", settings).set("p", |set| set.instance = InstancePolicy::Call);
        let session = bed.start().await;
        assert_failed(&ask(&session, seam.name).await, seam.name, CRASH, seam.on_failure);
        assert_usable(&session, seam.name).await;
    }
}
