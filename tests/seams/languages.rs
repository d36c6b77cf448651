//! One plugin in four languages: a gate, a result patch and a context edit. The contract works in each of them, and the
//! host tells them apart by nothing but their words.

use std::path::PathBuf;

use seam_plugins::audit::Leak;
use seam_plugins::{Audit, Grants};
use seam_tests::bed::{Bed, text, trail};
use seam_tests::{files, notes};
use serde_json::json;

/// Each test once for each language.
macro_rules! in_every_language {
    ($($test:ident)*) => {
        in_every_language! { rust: $($test)* }
        in_every_language! { c: $($test)* }
        in_every_language! { go: $($test)* }
        in_every_language! { javascript: $($test)* }
    };
    ($language:ident: $($test:ident)*) => {
        mod $language {
            $(#[tokio::test]
            async fn $test() {
                super::$test(stringify!($language)).await;
            })*
        }
    };
}

in_every_language! {
    a_gate_lets_pass_blocks_and_asks
    a_failed_gate_refuses_and_is_no_decision
    a_patch_keeps_hides_and_withholds
    a_failed_patch_withholds_and_is_no_decision
    a_context_edit_drops_results_and_adds_a_message
    a_failed_context_edit_stops_the_request_and_is_no_decision
    notes_reach_the_user
    it_has_the_power_and_the_reach_it_was_built_with
}

fn file(language: &str) -> PathBuf {
    files::guest(if language == "rust" { "polyglot" } else { language })
}

fn bed(language: &str) -> Bed {
    Bed::new().plugin("p", &file(language), json!({}))
}

async fn a_gate_lets_pass_blocks_and_asks(language: &str) {
    let session = bed(language).start().await;
    let settled = session.echo("hello").await;
    assert_eq!((text(&settled), session.runs()), ("hello".to_owned(), 1));
    assert_eq!(trail(&settled.decisions), ["p tool-call proceed", "p tool-result proceed"]);

    let settled = session.echo("a forbidden word").await;
    assert_eq!(text(&settled), format!("Blocked by plugin `p`: {language} says no"));
    assert_eq!(trail(&settled.decisions), ["p tool-call block"]);

    let settled = session.echo("ask-me").await;
    let question = format!("Not run: it needs the user's word and there is no user to ask. `p`: {language} asks");
    assert_eq!((text(&settled), session.runs()), (question, 1));
}

/// A crash, an answer of another shape and no answer at all, each after a `proceed` that must not be taken for it.
async fn a_failed_gate_refuses_and_is_no_decision(language: &str) {
    let session = bed(language).start().await;
    for (before, failing) in ["crash-gate", "wrong-shape", "no-answer"].into_iter().enumerate() {
        session.echo("hello").await;
        let settled = session.echo(failing).await;
        let told = text(&settled);
        assert!(told.starts_with("Not run: plugin `p` failed at `tool-call`: "), "{failing}: {told}");
        assert!(told.ends_with("this is a failure, not a decision about the call."), "{failing}: {told}");
        assert_eq!(trail(&settled.decisions), ["p tool-call failure"], "{failing}");
        assert_eq!((settled.output.is_error, session.runs()), (true, before + 1), "{failing}");
    }
    assert_eq!(text(&session.echo("hello").await), "hello");
}

async fn a_patch_keeps_hides_and_withholds(language: &str) {
    let session = bed(language).start().await;
    assert_eq!(text(&session.echo("nothing").await), "nothing");

    let settled = session.echo("SECRET, a SECRET, ½ SECRET😀").await;
    let hidden = "[hidden by LANGUAGE], a [hidden by LANGUAGE], ½ [hidden by LANGUAGE]😀";
    assert_eq!(text(&settled), hidden.replace("LANGUAGE", language));
    assert_eq!(trail(&settled.decisions), ["p tool-call proceed", "p tool-result change"]);

    let settled = session.echo("SECRET withhold-me").await;
    assert_eq!(text(&settled), format!("The tool ran, but its result is withheld by plugin `p`: {language} withholds"));
    assert_eq!(trail(&settled.decisions), ["p tool-call proceed", "p tool-result withhold"]);

    let many = bed(language).output("SECRET ".repeat(9_000)).start().await;
    let hidden = format!("[hidden by {language}] ").repeat(9_000);
    assert!(text(&many.echo("").await) == hidden, "63 KB of secrets");
}

async fn a_failed_patch_withholds_and_is_no_decision(language: &str) {
    let session = bed(language).start().await;
    let settled = session.echo("crash-patch").await;
    let told = text(&settled);
    assert!(
        told.starts_with("The tool ran, but its result is withheld: plugin `p` failed at `tool-result`: "),
        "{told}"
    );
    assert_eq!(trail(&settled.decisions), ["p tool-call proceed", "p tool-result failure"]);
    assert_eq!((settled.output.is_error, session.runs()), (true, 1));
    assert_eq!(text(&session.echo("a SECRET").await), format!("a [hidden by {language}]"));
}

async fn a_context_edit_drops_results_and_adds_a_message(language: &str) {
    let calls = |text| json!({ "content": [{ "toolCall": { "id": text, "name": "echo", "args": { "text": text } } }] });
    let says = |text| json!({ "content": [{ "text": text }] });
    let turns = json!([calls("stale news"), calls("mark-me"), says("done"), says("stale too")]);
    let mut talk = bed(language).talk(turns).await;
    talk.say("stale is only what a tool says").await;
    let shown = [
        "user: stale is only what a tool says".to_owned(),
        r#"assistant: [echo {"text":"stale news"}]"#.to_owned(),
        "tool: The result of this call is no longer shown.".to_owned(),
        r#"assistant: [echo {"text":"mark-me"}]"#.to_owned(),
        "tool: mark-me".to_owned(),
        format!("user: seen by {language}"),
    ];
    assert_eq!(talk.last_request().messages, shown);
    assert_eq!(talk.transcript()[2], "tool: stale news");
    assert_eq!(trail(&talk.decided()).last().unwrap(), "p transform-context change");
}

async fn a_failed_context_edit_stops_the_request_and_is_no_decision(language: &str) {
    let mut talk = bed(language).talk(json!([{ "content": [{ "text": "hello" }] }])).await;
    talk.say("hello").await;
    let heard = format!("{:?}", talk.say("crash-context").await);
    assert!(heard.contains("No request was sent: plugin `p` failed at `transform-context`: "), "{heard}");
    assert_eq!(talk.asked(), 1, "only for what was said before");
    assert_eq!(trail(&talk.decided()), ["p transform-context failure"]);
}

/// Once an instance; the instance after a failure is another one.
async fn notes_reach_the_user(language: &str) {
    let name = format!("notes-{language}");
    let session = Bed::new().plugin(&name, &file(language), json!({})).start().await;
    session.echo("hello").await;
    session.echo("hello").await;
    assert_eq!(notes::take(&name), [format!("{language} gate")]);
    session.echo("no-answer").await;
    session.echo("hello").await;
    assert_eq!(notes::take(&name).last().unwrap(), &format!("{language} gate"));
}

async fn it_has_the_power_and_the_reach_it_was_built_with(language: &str) {
    let audit = Audit::of_file(&file(language), &Grants::default()).unwrap();
    assert_eq!(audit.problem, None);
    let mut seams: Vec<&str> = audit.decides.iter().map(|power| &*power.seam).collect();
    seams.sort_unstable();
    assert_eq!(seams, ["tool-call", "tool-result", "transform-context"]);
    let imports: Vec<&str> = audit.reaches.iter().map(|reach| &*reach.import).collect();
    assert_eq!(imports, ["seam:harness/conversation@0.1.0", "seam:harness/log@0.1.0"]);
    assert_eq!(audit.can_leak, Leak::No, "{}", audit.leak);
    // What a toolchain adds is not ours, and is never called.
    let added: &[&str] = if language == "javascript" { &["init"] } else { &[] };
    assert_eq!(audit.ignored_exports, added);
}
