//! `seam audit --deny`: what CI lets no plugin have.

use std::fs;

use seam_tests::files;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{audit, gate};

const HTTP: &str = r#"(import "wasi:http/outgoing-handler@0.2.4" (instance (export "handle" (func))))"#;

/// A folder of two gates; one of them would send.
fn gates() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("modest.wasm"), gate("")).unwrap();
    fs::write(folder.path().join("sender.wasm"), gate(HTTP)).unwrap();
    folder
}

/// The lines that tell of plugins and of what they are denied.
fn denied(output: &str) -> String {
    let is_name = |line: &str| !line.is_empty() && !line.starts_with(' ');
    let told = |line: &&str| line.starts_with("  DENIED") || line.starts_with("              by `") || is_name(line);
    let steady = |line: &str| line.split("  ").next().unwrap_or_default().to_owned();
    let lines = output.lines().filter(told);
    lines.map(|line| if is_name(line) { steady(line) } else { line.to_owned() }).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_denied_import_is_told_with_its_rule_also_when_the_plugin_would_not_load() {
    let folder = gates();
    let (output, complaints, code) = audit(&[folder.path().as_os_str(), "--deny".as_ref(), "wasi:http/*".as_ref()]);
    assert_eq!((complaints.as_str(), code), ("", 4));
    insta::assert_snapshot!(denied(&output), @r#"
    modest
    sender
      DENIED      by `wasi:http/*`: it has `wasi:http/outgoing-handler@0.2.4`
    "#);
}

#[test]
fn seams_imports_of_ours_and_leaks_are_denied() {
    let plugins = files::root().join("target/plugins");
    let rules = ["rewrite-tool-call", "seam:harness/tool-call", "full-*", "leak"].map(|rule| format!("--deny={rule}"));
    let mut arguments = vec![plugins.as_os_str()];
    arguments.extend(rules.iter().map(std::ffi::OsStr::new));
    let (output, complaints, code) = audit(&arguments);
    assert_eq!((complaints.as_str(), code), ("", 4));
    insta::assert_snapshot!(denied(&output), @r#"
    fold-results
    protected-paths
      DENIED      by `seam:harness/tool-call`: it has `seam:harness/tool-call@0.1.0`
    redact-secrets
      DENIED      by `full-*`: it has `seam:harness/full-result@0.1.0`
    safe-delete
      DENIED      by `rewrite-tool-call`: it has `seam:harness/rewrite-tool-call@0.1.0`
                  by `leak`: it can leak
    "#);
}

/// A folder of gates that each import one thing.
fn reaching() -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, import) in [
        ("asks", "seam:harness/complete@0.1.0"),
        ("files", "wasi:filesystem/types@0.2.6"),
        ("runs", "seam:harness/exec@0.1.0"),
        ("sends", "wasi:http/outgoing-handler@0.2.6"),
        ("tools", "seam:harness/call-tool@0.1.0"),
        ("unknown", "acme:net/send@1.0.0"),
    ] {
        let gate = gate(&format!(r#"(import "{import}" (instance (export "f" (func))))"#));
        fs::write(folder.path().join(format!("{name}.wasm")), gate).unwrap();
    }
    folder
}

/// Which of them a rule denies, with these settings.
fn denied_by(rule: &str, settings: &str) -> Vec<String> {
    let folder = reaching();
    fs::write(folder.path().join("seam.toml"), settings).unwrap();
    let place = folder.path().as_os_str();
    let arguments = [place, "--json".as_ref(), "--cwd".as_ref(), place, "--deny".as_ref(), rule.as_ref()];
    let (output, complaints, _) = audit(&arguments);
    assert_eq!(complaints, "", "{rule}");
    let audits: Vec<Value> = serde_json::from_str(&output).unwrap();
    let denied = audits.iter().filter(|audit| audit["denied"] != json!([]));
    denied.map(|audit| audit["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn reach_is_denied_by_its_import_its_package_or_its_grant() {
    for (rule, names) in [
        ("exec", vec!["runs"]),
        ("call-tool", vec!["tools"]),
        ("tools", vec!["tools"]),
        ("complete", vec!["asks"]),
        ("http", vec!["sends"]),
        ("wasi:http", vec!["sends"]),
        ("wasi:filesystem", vec!["files"]),
        ("acme:net", vec!["unknown"]),
        ("wasi:*", vec!["files", "sends"]),
        ("leak", vec!["asks", "runs", "sends", "tools", "unknown"]),
        ("random", vec![]),
    ] {
        assert_eq!(denied_by(rule, ""), names, "{rule}");
    }
}

/// Files are denied by their grant only where some are granted; what only reads them is no leak.
#[test]
fn an_import_that_reaches_nothing_is_denied_by_its_grant_once_it_is_granted() {
    assert_eq!(denied_by("fs", ""), Vec::<String>::new());
    let settings = |mode: &str| format!("[plugins.files.grants]\nfs = [{{ path = \".\", mode = \"{mode}\" }}]\n");
    assert_eq!(denied_by("fs", &settings("ro")), ["files"]);
    assert!(!denied_by("leak", &settings("ro")).contains(&"files".to_owned()));
    assert!(denied_by("leak", &settings("rw")).contains(&"files".to_owned()));
}

#[test]
fn what_nobody_has_may_be_denied() {
    let plugins = files::root().join("target/plugins");
    let (output, complaints, code) =
        audit(&[plugins.as_os_str(), "--deny=wasi:http/*".as_ref(), "--deny=get-api-key".as_ref()]);
    assert_eq!((complaints.as_str(), code, output.contains("DENIED")), ("", 0, false));
}

#[test]
fn a_rule_about_nothing_is_an_error() {
    let gate_file = files::guest("gate");
    let rules = ["--deny=tool-cal", "--deny=leak", "--deny=wasi:htpp/*"].map(std::ffi::OsStr::new);
    let (output, complaints, code) = audit(&[gate_file.as_os_str(), rules[0], rules[1], rules[2]]);
    assert_eq!((output.as_str(), code), ("", 2));
    insta::assert_snapshot!(complaints, @"seam: --deny `tool-cal` and --deny `wasi:htpp/*` would deny nothing: no grant and nothing in the contract, in WASI 0.2 or in these files is called so; check the spelling (a `*` stands only at its end), or leave it out");
    let (output, _, code) = audit(&[gate_file.as_os_str(), gate_file.as_os_str(), rules[0]]);
    assert_eq!((output.as_str(), code), ("", 2));
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("p.wasm");
    fs::write(&file, gate(r#"(import "acme:net/send@1.0.0" (instance (export "go" (func))))"#)).unwrap();
    let (_, complaints, code) = audit(&[file.as_os_str(), "--deny=acme:net/send".as_ref()]);
    assert_eq!((complaints.as_str(), code), ("", 4));
}

#[test]
fn of_two_folders_the_new_one_is_judged() {
    let (with, without) = (files::example("safe-delete"), files::guest("gate"));
    let judge = |old: &std::path::Path, new: &std::path::Path| {
        let (output, _, code) = audit(&[old.as_os_str(), new.as_os_str(), "--deny=rewrite-tool-call".as_ref()]);
        (output.contains("DENIED      by `rewrite-tool-call`"), code)
    };
    assert_eq!(judge(&with, &with), (true, 4));
    assert_eq!(judge(&without, &without), (false, 0));
    assert_eq!(judge(&with, &without), (false, 4), "it gained a gate");
}

#[test]
fn a_denial_as_a_program_reads_it() {
    let folder = gates();
    let rules = ["--json", "--deny=wasi:http/*", "--deny=leak"].map(std::ffi::OsStr::new);
    let (output, _, code) = audit(&[folder.path().as_os_str(), rules[0], rules[1], rules[2]]);
    let audits: Value = serde_json::from_str(&output).unwrap();
    let http = json!({ "rule": "wasi:http/*", "name": "wasi:http/outgoing-handler@0.2.4" });
    let leak = json!({ "rule": "leak", "name": null });
    assert_eq!((&audits[0]["denied"], &audits[1]["denied"], code), (&json!([]), &json!([http, leak]), 4));
    let plugin = files::example("safe-delete");
    let (output, _, code) = audit(&[plugin.as_os_str(), rules[0], rules[2]]);
    let audits: Value = serde_json::from_str(&output).unwrap();
    assert_eq!((&audits[0]["denied"], code), (&json!([leak]), 4));
}
