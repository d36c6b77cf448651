//! What the seams are asked and what they may answer, as this host knows it. A guest that sets nothing gets the first
//! case of a type in some languages, so each first case below was chosen: it is the safe one.

use std::collections::BTreeSet;

use seam_plugins::contract::{Can, SEAMS, Timing};
use wit_parser::{Resolve, Type, TypeDefKind};

use super::contract::contract;

/// The functions of each seam that has a say, and what they give.
const FUNCTIONS: &[(&str, &str)] = &[
    ("input", "receive -> outcome"),
    ("before-agent-start", "prepare -> list<change>"),
    ("prepare-request", "prepare -> list<change>"),
    ("transform-context", "transform -> list<edit>"),
    ("convert-to-llm", "convert -> list<conversion>"),
    ("get-api-key", "get -> answer"),
    ("before-provider-request", "patch -> list<change>"),
    ("before-provider-payload", "review -> outcome"),
    ("rewrite-tool-call", "rewrite -> outcome"),
    ("tool-call", "decide -> verdict"),
    ("tool-result", "review -> outcome"),
    ("finish-turn", "finish -> next"),
    ("prepare-next-turn", "prepare -> list<change>"),
    ("session-before-switch", "decide -> outcome"),
    ("session-before-fork", "decide -> outcome"),
    ("session-before-compact", "decide -> outcome"),
    ("session-before-tree", "decide -> outcome"),
    ("resources-discover", "discover -> list<offer>"),
    ("tools", "list-tools -> list<definition>, execute -> result<output, failure>"),
    ("commands", "list-commands -> list<definition>, run -> outcome"),
];

/// The first case of every answer: refuse before permit, nothing before something, less before more.
const ANSWERS: &[(&str, &str)] = &[
    ("input.outcome", "handled"),
    ("before-agent-start.change", "message"),
    ("prepare-request.change", "context"),
    ("prepare-request.scope", "request"),
    ("types.edit", "drop-range"),
    ("convert-to-llm.conversion", "omit"),
    ("get-api-key.answer", "pass"),
    ("before-provider-request.change", "delete-header"),
    ("before-provider-payload.outcome", "replace"),
    ("rewrite-tool-call.outcome", "arguments"),
    ("tool-call.verdict", "block"),
    ("tool-result.outcome", "withhold"),
    ("tool-result.change", "content"),
    ("finish-turn.next", "end"),
    ("prepare-next-turn.change", "message"),
    ("session-before-switch.outcome", "cancel"),
    ("session-before-fork.outcome", "cancel"),
    ("session-before-compact.outcome", "cancel"),
    ("session-before-tree.outcome", "cancel"),
    ("session-before-tree.change", "summary"),
    ("resources-discover.offer", "skill"),
    ("tools.mode", "sequential"),
    ("tools.failure", "failed"),
    ("commands.outcome", "failed"),
    ("messages.delivery", "next-turn"),
    ("types.content", "text"),
    ("types.thinking-level", "off"),
    ("types.message", "user"),
    ("types.block", "text"),
    ("types.stop-reason", "error"),
];

/// The first case of what only the host says. The one that makes a plugin more careful comes first.
const TOLD: &[(&str, &str)] = &[
    ("input.source", "plugin"),
    ("session-before-fork.position", "before"),
    ("session-before-compact.reason", "overflow"),
    ("resources-discover.reason", "reload"),
    ("message-start.role", "custom"),
    ("message-update.kind", "text-start"),
    ("tool-execution-end.decider", "plugin"),
    ("tool-execution-end.ruling", "failure-refused"),
    ("session-start.reason", "reload"),
    ("session-shutdown.reason", "reload"),
    ("log.level", "error"),
    ("conversation.kind", "custom"),
    ("state.refusal", "too-large"),
    ("messages.refusal", "no-run"),
    ("session.refusal", "not-kept"),
    ("call-tool.failure", "not-run"),
    ("complete.failure", "no-budget"),
    ("exec.failure", "not-run"),
    ("types.access", "write"),
    ("types.location", "outside"),
    ("types.resolution", "unresolved"),
    ("types.target", "other"),
    ("types.origin", "plugin"),
];

/// A type as the contract writes it.
fn written(resolve: &Resolve, ty: &Type) -> String {
    let Type::Id(id) = ty else { return format!("{ty:?}").to_lowercase() };
    let definition = &resolve.types[*id];
    match (&definition.name, &definition.kind) {
        (Some(name), _) => name.clone(),
        (None, TypeDefKind::List(ty)) => format!("list<{}>", written(resolve, ty)),
        (None, TypeDefKind::Option(ty)) => format!("option<{}>", written(resolve, ty)),
        (None, TypeDefKind::Result(result)) => {
            let side = |ty: &Option<Type>| ty.as_ref().map_or("_".to_owned(), |ty| written(resolve, ty));
            format!("result<{}, {}>", side(&result.ok), side(&result.err))
        }
        (None, other) => other.as_str().to_owned(),
    }
}

#[test]
fn every_seam_has_exactly_the_functions_the_host_asks() {
    let (resolve, package) = contract();
    for seam in SEAMS {
        let interface = &resolve.interfaces[resolve.packages[package].interfaces[seam.name]];
        let functions = interface.functions.iter().map(|(name, function)| match &function.result {
            Some(result) => format!("{name} -> {}", written(&resolve, result)),
            None => name.clone(),
        });
        let functions = functions.collect::<Vec<_>>().join(", ");
        let known = FUNCTIONS.iter().find(|(name, _)| *name == seam.name).map(|(_, functions)| *functions);
        let expected = if seam.timing == Timing::Observe { "observe" } else { known.unwrap_or_default() };
        assert_eq!(
            functions, expected,
            "`{}`: if the contract is meant, `FUNCTIONS` in tests/house/first_cases.rs must say the same; an observer \
             has one function, which gives nothing",
            seam.name
        );
    }
}

/// A record of options loses a misspelt field without an error in some languages, and what is no list becomes an empty
/// one.
#[test]
fn a_gate_answers_with_a_variant_and_who_changes_something_with_variants() {
    let (resolve, package) = contract();
    for seam in SEAMS {
        for (name, function) in &resolve.interfaces[resolve.packages[package].interfaces[seam.name]].functions {
            let Some(result) = &function.result else { continue };
            let fits = match seam.can {
                Can::Refuse => is_variant(&resolve, result),
                _ => is_choice(&resolve, result) || seam.timing == Timing::Provide,
            };
            assert!(fits, "`{}.{name}` gives {}", seam.name, written(&resolve, result));
        }
    }
}

fn is_variant(resolve: &Resolve, ty: &Type) -> bool {
    matches!(ty, Type::Id(id) if matches!(resolve.types[*id].kind, TypeDefKind::Variant(_)))
}

fn is_choice(resolve: &Resolve, ty: &Type) -> bool {
    let Type::Id(id) = ty else { return false };
    match &resolve.types[*id].kind {
        TypeDefKind::Variant(_) | TypeDefKind::Enum(_) => true,
        TypeDefKind::List(ty) | TypeDefKind::Type(ty) => is_choice(resolve, ty),
        _ => false,
    }
}

#[test]
fn the_first_case_of_every_type_is_the_one_that_was_chosen() {
    let (resolve, package) = contract();
    let mut found = BTreeSet::new();
    for (interface, id) in &resolve.packages[package].interfaces {
        for (name, id) in &resolve.interfaces[*id].types {
            let first = match &resolve.types[*id].kind {
                TypeDefKind::Variant(variant) => &variant.cases[0].name,
                TypeDefKind::Enum(cases) => &cases.cases[0].name,
                _ => continue,
            };
            found.insert((format!("{interface}.{name}"), first.clone()));
        }
    }
    let known: BTreeSet<(String, String)> =
        ANSWERS.iter().chain(TOLD).map(|(name, first)| ((*name).to_owned(), (*first).to_owned())).collect();
    let unknown: Vec<_> = found.symmetric_difference(&known).collect();
    assert!(
        unknown.is_empty(),
        "the contract and `ANSWERS` and `TOLD` in tests/house/first_cases.rs differ in {unknown:?}; the first case must \
         be the safe one"
    );
}
