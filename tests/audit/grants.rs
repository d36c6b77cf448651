//! How an import counts with its grant, and without.

use seam_plugins::audit::{Access, Audit};
use seam_plugins::contract::{GRANTED_WASI, INERT_WASI, LIVE_WASI, REACHES};
use seam_plugins::{Digest, Grant};
use serde_json::{Value, json};

use super::{audit, plugin};

/// Everything granted.
fn all() -> Value {
    json!({
        "messages": true, "session": true, "models": true, "ui": true, "tools": ["read"], "exec": ["git"],
        "complete": 100, "http": ["a.example"], "fs": [{ "path": "data" }], "env": ["HOME"], "clock": true,
        "random": true,
    })
}

fn access(audit: &Audit, import: &str) -> (Access, Option<Grant>) {
    let reach = audit.reaches.iter().find(|reach| reach.import == import).unwrap();
    (reach.access, reach.grant)
}

#[test]
fn each_import_of_the_contract_is_there_always_or_by_its_grant() {
    for facts in REACHES {
        let bytes = plugin(&["settled"], &[facts.name]);
        let name = format!("seam:harness/{}@0.1.0", facts.name);
        let without = if facts.grant.is_some() { Access::Missing } else { Access::Always };
        let with = if facts.grant.is_some() { Access::Granted } else { Access::Always };
        let [none, all] = [json!({}), all()].map(|grants| audit(&bytes, grants));
        assert_eq!(access(&none, &name), (without, facts.grant), "{name}");
        assert_eq!(access(&all, &name), (with, facts.grant), "{name}");
        assert_eq!((none.problem.is_some(), all.problem), (facts.grant.is_some(), None), "{name}");
    }
}

/// No import is left out of the answers: what it gives is seen or can be sent.
#[test]
fn each_import_that_is_there_is_among_what_it_sees_or_sends() {
    let wasi = GRANTED_WASI.iter().chain(LIVE_WASI).map(|(name, ..)| *name).filter(|name| *name != "wasi:http/types");
    let names = REACHES.iter().map(|facts| facts.name.to_owned()).chain(wasi.map(|name| format!("{name}@0.2.6")));
    for name in names {
        let audit = audit(&plugin(&["settled"], &[&name]), all());
        let by = |by: &str| name.starts_with(by);
        let seen = audit.sees.iter().any(|seen| by(&seen.by));
        assert!(seen || audit.sends.iter().any(|way| way.by.iter().any(|name| by(name))), "{name}: {audit:?}");
    }
}

#[test]
fn imports_of_wasi_are_granted_inert_or_missing() {
    let of = |import: &str, grants: Value| {
        let name = format!("{import}@0.2.6");
        access(&audit(&plugin(&["settled"], &[&name]), grants), &name)
    };
    for (import, grant, _) in GRANTED_WASI {
        assert_eq!(of(import, json!({})), (Access::Missing, Some(*grant)), "{import}");
        assert_eq!(of(import, all()), (Access::Granted, Some(*grant)), "{import}");
    }
    for (import, grant, _) in LIVE_WASI {
        assert_eq!(of(import, json!({})), (Access::Inert, Some(*grant)), "{import}");
        assert_eq!(of(import, all()), (Access::Granted, Some(*grant)), "{import}");
    }
    let live = |name: &str| LIVE_WASI.iter().any(|(live, ..)| *live == name);
    for (import, _) in INERT_WASI.iter().filter(|(name, _)| !live(name)) {
        assert_eq!(of(import, all()), (Access::Inert, None), "{import}");
    }
}

#[test]
fn the_lines_that_are_missing_are_told() {
    let audit = audit(&plugin(&["settled"], &["exec", "ui"]), json!({ "ui": true }));
    insta::assert_snapshot!(audit.problem.unwrap(), @r#"
    it imports `seam:harness/exec@0.1.0`, which is not granted to it; to grant that, add to `seam.toml`:
        [plugins.p.grants]
        exec = ["git"]  # the programs it may run
    "#);
}

#[test]
fn grants_for_another_file_do_not_hold() {
    let bytes = plugin(&["settled"], &["exec"]);
    let name = "seam:harness/exec@0.1.0";
    let bound = |digest: &str| audit(&bytes, json!({ "exec": ["git"], "digest": digest }));
    let (mine, other) = (Digest::of(&bytes).to_string(), "ab".repeat(32));
    let held = bound(&mine.to_uppercase());
    assert_eq!((access(&held, name).0, held.grants_for, held.problem), (Access::Granted, None, None));
    let lost = bound(&other);
    assert_eq!((access(&lost, name).0, lost.grants_for), (Access::Missing, Some(other.clone())));
    let problem = lost.problem.unwrap().replace(&mine, "MINE").replace(&other, "OTHER");
    insta::assert_snapshot!(problem, @"it imports `seam:harness/exec@0.1.0`, which is not granted to it: its grants are for the file with the SHA-256 OTHER; look at this one with `seam audit`, and to grant it the same, set its `digest` to MINE");
}

#[test]
fn more_to_leak_is_told_from_less() {
    let of = |exports: &[&str], grants: Value| audit(&plugin(exports, &["exec", "complete", "call-tool"]), grants);
    let steps = [
        of(&["settled"], json!({ "tools": ["read"], "exec": ["git"], "complete": 1 })),
        of(&["settled"], json!({ "tools": ["read"], "exec": ["git", "curl"], "complete": 1 })),
        of(&["settled"], json!({ "tools": ["read", "write"], "exec": ["git", "curl"], "complete": 1 })),
        of(&["settled", "tool-call"], json!({ "tools": ["read", "write"], "exec": ["git", "curl"], "complete": 1 })),
    ];
    for (less, more) in steps.iter().zip(&steps[1..]) {
        assert!(more.leaks_more_than(Some(less)), "{}\n{}", less.leak, more.leak);
    }
    let [least, .., most] = &steps;
    assert!(!least.leaks_more_than(Some(most)) && !most.leaks_more_than(Some(most)));
    // A grant that was there and is missing is no gain, though it could be any.
    let lacks = of(&["settled", "tool-call"], json!({ "exec": ["git", "curl"], "complete": 1 }));
    assert!(!lacks.leaks_more_than(Some(most)) && most.leaks_more_than(Some(&lacks)));
    assert!(least.leaks_more_than(None) && !audit(&plugin(&["settled"], &[]), json!({})).leaks_more_than(None));
}

#[test]
fn a_grant_that_no_import_needs_is_told() {
    let audit = audit(&plugin(&["settled"], &["log"]), json!({ "http": ["a.example"], "clock": true }));
    assert_eq!(audit.unused_grants, [Grant::Http, Grant::Clock]);
    assert_eq!(audit.can_leak, seam_plugins::audit::Leak::No);
}
