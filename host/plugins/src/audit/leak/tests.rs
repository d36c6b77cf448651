use super::*;
use crate::audit::Given;
use crate::audit::ways::{sees, sends};
use crate::contract::{SeamFacts, seam};
use crate::grants::Grants;

/// The line for these exports, and imports that are always there.
fn line(exports: &[&str], imports: &[&str]) -> String {
    let mut seams: Vec<&SeamFacts> = exports.iter().map(|name| seam(name).unwrap()).collect();
    seams.sort_by_key(|seam| seam.timing);
    let reaches: Vec<Reach> = imports.iter().map(|name| always(name)).collect();
    let grants = Grants::default();
    let given = Given::from(&grants);
    let (sees, sends) = (sees(&seams, &reaches, given), sends(&seams, &reaches, given));
    let (can, why) = leak(&Parts { asked: !seams.is_empty(), sees: &sees, sends: &sends, reaches: &reaches });
    format!("{}: {why}", if can == Leak::Yes { "yes" } else { "no" })
}

fn always(name: &str) -> Reach {
    Reach {
        import: format!("seam:harness/{name}@0.1.0"),
        access: Access::Always,
        grant: None,
        reaches: String::new(),
        functions: vec!["f".to_owned()],
    }
}

#[test]
fn who_is_never_asked_cannot_leak_whatever_it_imports() {
    assert_eq!(line(&[], &[]), "no: it is never asked anything");
    assert_eq!(line(&[], &["conversation", "log"]), "no: it is never asked anything");
}

#[test]
fn an_observer_has_no_way_out() {
    assert_eq!(line(&["turn-end"], &[]), "no: it sees that a turn is over, but has no way out and says nothing");
    assert_eq!(
        line(&["turn-end", "message-update", "settled"], &["log"]),
        "no: it sees what the model writes, but has no way out; its words reach only you"
    );
}

#[test]
fn the_conversation_counts_as_seen() {
    assert_eq!(
        line(&["settled"], &["conversation", "log"]),
        "no: it sees every message of the conversation, but has no way out; its words reach only you"
    );
    assert_eq!(
        line(&["tool-call", "transform-context"], &["conversation"]),
        "no: it sees every message of the conversation, tool calls, but has no way out of its own; the model reads \
         its words and may act on them"
    );
}

#[test]
fn words_for_the_model_are_no_way_of_their_own() {
    let speaking = [
        "input",
        "before-agent-start",
        "prepare-request",
        "transform-context",
        "convert-to-llm",
        "tool-call",
        "tool-result",
        "prepare-next-turn",
        "session-before-compact",
        "session-before-tree",
        "resources-discover",
        "tools",
        "commands",
    ];
    for name in speaking {
        let sees = seam(name).unwrap().sees;
        assert_eq!(
            line(&[name], &["log"]),
            format!("no: it sees {sees}, but has no way out of its own; the model reads its words and may act on them")
        );
    }
    assert_eq!(
        line(&["tool-result", "tool-call"], &[]),
        "no: it sees tool calls and their results, but has no way out of its own; the model reads its words and may act \
         on them"
    );
}

#[test]
fn who_says_yes_or_no_to_you_alone_has_words_for_you_alone() {
    for name in ["session-before-switch", "session-before-fork"] {
        let sees = seam(name).unwrap().sees;
        assert_eq!(line(&[name], &[]), format!("no: it sees {sees}, but has no way out; its words reach only you"));
    }
    assert_eq!(line(&["finish-turn"], &[]), "no: it sees that a turn ended, but has no way out and says nothing");
}

#[test]
fn new_arguments_are_a_way_out() {
    assert_eq!(
        line(&["rewrite-tool-call"], &["log"]),
        "yes: tool calls, into arguments of calls and so into commands (every gate sees them, and each rewrite is shown)"
    );
}

#[test]
fn what_is_seen_at_one_seam_goes_out_at_another() {
    assert_eq!(
        line(&["rewrite-tool-call", "tool-result"], &[]),
        "yes: tool calls and their results, into arguments of calls and so into commands (every gate sees them, and each \
         rewrite is shown)"
    );
    assert_eq!(
        line(&["before-provider-request", "settled"], &["conversation"]),
        "yes: every message of the conversation, headers and options of requests, into requests to a provider you set up"
    );
}

#[test]
fn a_request_is_a_way_to_the_provider() {
    assert_eq!(line(&["before-provider-payload"], &[]), "yes: whole requests, into requests to a provider you set up");
}

#[test]
fn a_key_says_whose_account_reads_along() {
    assert_eq!(
        line(&["get-api-key"], &["config"]),
        "yes: whole requests, to the owner of a key it chooses, who may read them at the provider"
    );
}

#[test]
fn every_way_is_told() {
    let all: Vec<&str> = crate::contract::SEAMS.iter().map(|seam| seam.name).collect();
    assert_eq!(
        line(&all, &["conversation", "log"]),
        "yes: every message of the conversation, whole requests, tool calls and their results, and more, into arguments \
         of calls and so into commands (every gate sees them, and each rewrite is shown); into requests to a provider you set \
         up; whole requests, to the owner of a key it chooses, who may read them at the provider"
    );
}
