//! Components that hide an import or an export in something else. The audit sees them, and the loader agrees with it:
//! what the audit calls unknown or missing is not loaded, and what is not loaded has its problem in the audit.

use std::fs;

use seam_plugins::audit::{Access, Audit, Leak};
use seam_plugins::{PluginEngine, Settings};
use seam_tests::bed::engine;
use serde_json::json;
use tempfile::TempDir;

use super::{audit, component};

/// Audits and loads a gate of these items: what it reaches, and why it is not loaded.
async fn both(items: &str) -> (Audit, Option<String>) {
    let bytes = component(&["tool-call"], items);
    let audit = audit(&bytes, json!({}));
    (audit, load(engine(), &bytes).await)
}

async fn load(engine: &PluginEngine, bytes: &[u8]) -> Option<String> {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("p.wasm");
    fs::write(&file, bytes).unwrap();
    engine.load(&file, &Settings::default()).await.err().map(|problem| problem.to_string())
}

/// What the audit says of each import: how the plugin comes to it, and its members.
fn reaches(audit: &Audit) -> Vec<(&str, Access, Vec<&str>)> {
    audit
        .reaches
        .iter()
        .map(|reach| (reach.import.as_str(), reach.access, reach.functions.iter().map(String::as_str).collect()))
        .collect()
}

/// It is seen, unknown, and not loaded, with the same words in both places.
async fn unknown(items: &str, import: &str, functions: &[&str]) {
    let (audit, problem) = both(items).await;
    assert_eq!(reaches(&audit), [(import, Access::Unknown, functions.to_vec())]);
    assert_eq!(audit.can_leak, Leak::Unknown, "{}", audit.leak);
    assert!(problem.as_ref().is_some_and(|problem| problem.contains(import)), "{problem:?}");
    assert_eq!(audit.problem, problem);
}

#[tokio::test]
async fn an_instance_within_an_instance() {
    let nested = r#"(instance (export "inner" (instance (export "send" (func)))))"#;
    unknown(&format!(r#"(import "acme:net/send@1.0.0" {nested})"#), "acme:net/send@1.0.0", &["inner/send", "inner"])
        .await;
    unknown(&format!(r#"(import "plain" {nested})"#), "plain", &["inner/send", "inner"]).await;
}

#[tokio::test]
async fn an_instance_within_a_known_interface() {
    for known in ["wasi:cli/exit@0.2.6", "seam:harness/log@0.1.0"] {
        let import = format!(
            r#"(import "{known}" (instance (export "write" (func)) (export "x" (instance (export "f" (func))))))"#
        );
        unknown(&import, known, &["write", "x/f", "x"]).await;
    }
}

#[tokio::test]
async fn what_is_no_instance() {
    unknown(r#"(import "run" (func))"#, "run", &["run"]).await;
    unknown(r#"(import "m" (core module (export "f" (func))))"#, "m", &["m"]).await;
    unknown(r#"(import "c" (component (export "f" (func))))"#, "c", &["c"]).await;
    unknown(r#"(import "r" (type (sub resource)))"#, "r", &["r"]).await;
    unknown(r#"(import "seam:harness/log@0.1.0" (func))"#, "seam:harness/log@0.1.0", &["seam:harness/log@0.1.0"]).await;
    unknown(r#"(import "wasi:cli/exit@0.2.6" (func))"#, "wasi:cli/exit@0.2.6", &["wasi:cli/exit@0.2.6"]).await;
}

#[tokio::test]
async fn modules_components_and_resources_in_an_instance_count() {
    let items = r#"(import "acme:a/b@1.0.0" (instance
        (type u8) (export "m" (core module)) (export "c" (component)) (export "r" (type (sub resource)))
        (export "t" (type (eq 0)))))"#;
    unknown(items, "acme:a/b@1.0.0", &["m", "c", "r"]).await;
}

#[tokio::test]
async fn names_that_only_look_like_those_of_wasi() {
    let function = r#"(instance (export "f" (func)))"#;
    for name in [
        "wasi:cli/exit",
        "wasi:cli/exit@0.3.0",
        "wasi:cli/exit@0.2.0-rc.1",
        "wasi:http/outgoing-handler@0.3.0",
        "wasi:http/handler@0.2.6",
        "wasi-cli:cli/exit@0.2.6",
        "wasi:cli-extra/exit@0.2.6",
        "exit",
    ] {
        unknown(&format!(r#"(import "{name}" {function})"#), name, &["f"]).await;
    }
}

/// Names that say where to get something: components of their own, which nobody gets here.
#[tokio::test]
async fn names_that_say_where_to_get_something() {
    let hash = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
    for name in [
        "unlocked-dep=<wasi:http>".to_owned(),
        "locked-dep=<wasi:http@0.2.6>".to_owned(),
        "url=<https://example.com/wasi:http/types@0.2.6>".to_owned(),
        format!("integrity=<{hash}>"),
    ] {
        unknown(&format!(r#"(import "{name}" (component))"#), &name, &[&name]).await;
    }
}

#[tokio::test]
async fn an_interface_that_another_name_stands_for() {
    let items = r#"(import "x" (implements "wasi:http/outgoing-handler@0.2.6") (instance (export "handle" (func))))"#;
    let problem = load(engine(), &wat::parse_str(format!("(component {items})")).unwrap()).await.unwrap();
    insta::assert_snapshot!(problem, @"the file is not a valid component: the `cm-implements` feature is not active (at offset 0x20); build it again");
}

#[tokio::test]
async fn an_export_of_the_contract_within_another_is_an_error() {
    let items = r#"
        (instance $gate)
        (instance $outer (export "seam:harness/tool-call@0.1.0" (instance $gate)))
        (export "x" (instance $outer))"#;
    let (audit, problem) = both(items).await;
    assert_eq!(audit.ignored_exports, ["x/seam:harness/tool-call@0.1.0"]);
    assert_eq!(audit.problem, problem);
    insta::assert_snapshot!(problem.unwrap(), @"it exports `seam:harness/tool-call@0.1.0` inside `x`, where it is never called; export it by itself");
}

/// What a plugin imports and gives out again is an import all the same.
#[tokio::test]
async fn an_import_that_is_an_export_too() {
    let gate = "seam:harness/tool-call@0.1.0";
    let items = format!(r#"(import "{gate}" (instance $i (export "decide" (func)))) (export "x" (instance $i))"#);
    let (audit, problem) = both(&items).await;
    assert_eq!(reaches(&audit), [(gate, Access::Unknown, vec!["decide"])]);
    assert!(audit.problem.is_some() && audit.problem == problem, "{problem:?}");

    let items = r#"(import "acme:net/send@1.0.0" (instance $i (export "go" (func)))) (export "acme:net/send@1.0.0" (instance $i))"#;
    unknown(items, "acme:net/send@1.0.0", &["go"]).await;
}

/// A plugin put together from two: what the inner one imports is given to it by another one, which imports by itself.
#[tokio::test]
async fn a_composed_component_reaches_what_its_parts_are_given() {
    let parts = |outer: &str, given: &str| {
        format!(
            r#"{outer}
            (component $relay
                (import "net" (instance $net (export "handle" (func))))
                (alias export $net "handle" (func $handle))
                (instance $send (export "go" (func $handle)))
                (export "acme:net/send@1.0.0" (instance $send)))
            (component $plugin
                (import "acme:net/send@1.0.0" (instance (export "go" (func)))))
            (instance $r (instantiate $relay (with "net" (instance {given}))))
            (alias export $r "acme:net/send@1.0.0" (instance $s))
            (instance (instantiate $plugin (with "acme:net/send@1.0.0" (instance $s))))"#
        )
    };
    let http = "wasi:http/outgoing-handler@0.2.6";
    let outer = format!(r#"(import "{http}" (instance $http (export "handle" (func))))"#);
    let (audit, problem) = both(&parts(&outer, "$http")).await;
    assert_eq!(reaches(&audit), [(http, Access::Missing, vec!["handle"])], "the inner import is satisfied");
    assert_eq!(audit.can_leak, Leak::IfGranted);
    assert!(problem.as_ref().is_some_and(|problem| problem.contains("http = [")), "{problem:?}");
    assert_eq!(audit.problem, problem);

    // All of it is within the component: there is no import left.
    let inner = r#"
        (core module $m (func (export "f")))
        (core instance $c (instantiate $m))
        (func $f (canon lift (core func $c "f")))
        (instance $own (export "handle" (func $f)))"#;
    let (audit, _) = both(&parts(inner, "$own")).await;
    assert_eq!((reaches(&audit), &audit.problem), (vec![], &None));
}

/// A small file can say that an import has very much in it. No more than a bound is ever read.
#[tokio::test]
async fn an_import_with_more_in_it_than_any_interface_is_refused() {
    let deep = |depth: usize| {
        let mut ty = r#"(instance (export "f" (func)))"#.to_owned();
        (0..depth).for_each(|_| ty = format!(r#"(instance (export "a" {ty}))"#));
        component(&["tool-call"], &format!(r#"(import "deep" {ty})"#))
    };
    insta::assert_snapshot!(load(engine(), &deep(20)).await.unwrap(), @"its import or export `deep` has too much in it, or too deep; no interface is like that: build it again");
    assert!(load(engine(), &deep(5)).await.unwrap().contains("cannot grant"));
    // Each type holds the one before it twice.
    let mut items = r#"(type $t0 (instance (export "f" (func))))"#.to_owned();
    for level in 1..=17 {
        let before = level - 1;
        items.push_str(&format!(
            r#"(type $t{level} (instance (alias outer 1 $t{before} (type $b)) (export "a" (instance (type $b))) (export "b" (instance (type $b)))))"#
        ));
    }
    items.push_str(r#"(import "wide" (instance (type $t17)))"#);
    assert!(load(engine(), &component(&["tool-call"], &items)).await.unwrap().contains("`wide` has too much in it"));
}
