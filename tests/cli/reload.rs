//! Plugins and settings that change between two prompts.

mod files_change;
mod reach;
mod stays;

use std::fs;

use seam_tests::files;
use serde_json::{Value, json};

use super::dialog::{Dialog, of_type};
use super::{Project, call, ends, seam};

/// A model that writes `.env` as often as it is asked to.
fn writes(times: usize) -> Value {
    let turns = (0..times).flat_map(|n| {
        let write = call(&format!("w{n}"), "write", json!({ "path": ".env", "content": "x" }));
        [json!({ "content": [write] }), json!({ "content": [{ "text": "done" }] })]
    });
    turns.collect()
}

/// Whether the one call of a prompt was refused.
fn is_refused(events: &[Value]) -> bool {
    let ends = ends(events);
    assert_eq!(ends.len(), 1, "{events:?}");
    ends[0]["isError"] == true
}

/// What was told of plugins that were loaded again, without its details and the names of the fields that are empty.
fn told(events: &[Value]) -> Vec<Value> {
    let filled = |event: &&Value| {
        let fields = event.as_object().unwrap().iter();
        let filled =
            fields.filter(|(name, value)| !["type", "details"].contains(&name.as_str()) && *value != &json!([]));
        Value::Object(filled.map(|(name, value)| (name.clone(), value.clone())).collect())
    };
    of_type(events, "plugins_reload").iter().map(filled).collect()
}

fn put(project: &Project, name: &str) {
    fs::copy(files::example(name), project.plugins().join(format!("{name}.wasm"))).unwrap();
}

#[test]
fn a_gate_that_comes_and_goes_is_in_force_from_the_next_prompt_on() {
    let project = Project::new(&writes(3)).plugin("redact-secrets");
    let mut dialog = Dialog::of(&project);
    let events = dialog.say("one");
    assert!(!is_refused(&events) && told(&events).is_empty());
    put(&project, "protected-paths");
    let events = dialog.say("two");
    assert!(is_refused(&events));
    assert_eq!(told(&events), [json!({ "added": ["protected-paths"] })]);
    fs::remove_file(project.plugins().join("protected-paths.wasm")).unwrap();
    let events = dialog.say("three");
    assert!(!is_refused(&events));
    let gone = json!({ "removed": ["protected-paths"], "refuseNoMore": ["protected-paths"] });
    assert_eq!(told(&events), [gone]);
    // The session is the same all along.
    let reasons: Vec<&Value> = of_type(&events, "session_start").iter().map(|start| &start["reason"]).collect();
    assert_eq!(reasons, ["reload"]);
    let (code, _, errors) = dialog.end();
    assert_eq!((code, &*errors), (Some(0), ""));
}

#[test]
fn a_person_reads_what_was_gained_and_lost() {
    let project = Project::new(&writes(0)).stress("{}");
    let plugins = project.plugins();
    let at = |name: &str| plugins.join(name).display().to_string();
    let prompts = [
        // It decides nothing any more.
        "!printf '[plugins.stress]\\nmode = \"shadow\"\\n' >seam.toml".to_owned(),
        // Another file under its name.
        format!("!printf '' >seam.toml; cp {} {}", files::example("fold-results").display(), at("stress.wasm")),
        // Another beside it.
        format!("!cp {} {}", files::example("protected-paths").display(), at("paths.wasm")),
        // None.
        format!("!rm {} {}", at("stress.wasm"), at("paths.wasm")),
        "!true".to_owned(),
    ];
    let output = project.run().write_stdin(prompts.join("\n")).assert().success().get_output().clone();
    let output = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.matches("session: ").count(), 1, "it is one session: {output}");
    let told: Vec<String> = output
        .lines()
        .filter(|line| line.starts_with("plugin `") || line.contains("nothing is checked"))
        .map(|line| match line.split_once(" is another file (") {
            Some((name, rest)) => format!("{name} is another file (…){}", rest.split_once(')').unwrap().1),
            None => line.to_owned(),
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    plugin `stress` has other settings; lost: rewrite-tool-call, tool-call, tool-result; mode: shadow (active before); it refuses nothing any more
    only shadows: nothing is checked
    plugin `stress` is another file (…); gained: transform-context, conversation; lost: full-result; mode: active (shadow before)
    plugin `paths` is new; gained: tool-call, config, log
    plugin `paths` is gone; lost: tool-call, config, log; it refuses nothing any more
    plugin `stress` is gone; lost: transform-context, config, conversation, log
    no plugins: nothing is checked
    ");
}

#[test]
fn one_that_does_not_load_takes_nobodys_place_and_that_is_told_once() {
    let project = Project::new(&writes(4)).plugin("protected-paths");
    let file = project.plugins().join("protected-paths.wasm");
    let mut dialog = Dialog::of(&project);
    assert!(is_refused(&dialog.say("one")));
    fs::write(&file, "no plugin").unwrap();
    let events = dialog.say("two");
    assert!(is_refused(&events), "the old one is in force");
    let [told_once] = &told(&events)[..] else { panic!("{events:?}") };
    let failed = told_once["failed"][0].as_str().unwrap();
    assert!(failed.contains("protected-paths.wasm: the file is not WebAssembly (it looks like text)"), "{failed}");
    let events = dialog.say("three");
    assert!(is_refused(&events) && told(&events).is_empty());
    put(&project, "protected-paths");
    let events = dialog.say("four");
    assert!(is_refused(&events) && told(&events).is_empty(), "it is as it was");
    let (_, _, errors) = dialog.end();
    let errors = errors.replace(&*project.plugins().to_string_lossy(), "PLUGINS");
    insta::assert_snapshot!(errors, @r#"
    seam: plugin not loaded: PLUGINS/protected-paths.wasm: the file is not WebAssembly (it looks like text); only components belong into the plugin folder
    seam: the plugins in force are those from before, since what is not loaded cannot refuse. To run without a plugin, take its file out of PLUGINS.
    "#);
}

#[test]
fn settings_are_loaded_again_too_and_broken_ones_are_not() {
    let project = Project::new(&writes(4)).plugin("protected-paths");
    let settings = |text: &str| fs::write(project.path().join("seam.toml"), text).unwrap();
    let open = "[plugins.protected-paths.config]\nsecret = [\"other\"]\nread-only = []\n";
    settings("");
    let mut dialog = Dialog::of(&project);
    assert!(is_refused(&dialog.say("one")));
    settings(open);
    let events = dialog.say("two");
    assert!(!is_refused(&events), "{events:?}");
    assert_eq!(told(&events), [json!({ "changed": ["protected-paths"] })]);
    settings("[plugins.protected-path]\n");
    let events = dialog.say("three");
    assert!(!is_refused(&events));
    let failed = told(&events)[0]["failed"][0].to_string();
    assert!(failed.contains("has settings for plugin `protected-path`, which is not loaded"), "{failed}");
    settings("");
    let events = dialog.say("four");
    assert!(is_refused(&events));
    assert_eq!(told(&events), [json!({ "changed": ["protected-paths"] })]);
}

#[test]
fn with_a_lock_nothing_changes_before_it_is_approved() {
    let project = Project::new(&writes(3)).plugin("protected-paths");
    let lock = || {
        let mut lock = seam();
        lock.arg("lock").arg("--cwd").arg(project.path()).arg("--plugins").arg(project.plugins()).assert().success();
    };
    lock();
    let mut dialog = Dialog::with(&project.run(), &["--locked"]);
    assert!(is_refused(&dialog.say("one")));
    fs::rename(project.plugins().join("protected-paths.wasm"), project.plugins().join("other.wasm")).unwrap();
    put(&project, "redact-secrets");
    let events = dialog.say("two");
    assert!(is_refused(&events));
    let failed = told(&events)[0]["failed"][0].to_string();
    assert!(failed.contains("`protected-paths` is gone"), "{failed}");
    fs::remove_file(project.plugins().join("other.wasm")).unwrap();
    lock();
    let events = dialog.say("three");
    assert!(!is_refused(&events));
    let expected = json!({
        "added": ["redact-secrets"], "removed": ["protected-paths"], "refuseNoMore": ["protected-paths"]
    });
    assert_eq!(told(&events), [expected]);
}

/// What commands of the run find in their environment is what is in force.
#[test]
fn a_run_within_the_run_has_the_plugins_that_are_in_force() {
    let project = Project::new(&writes(0)).plugin("redact-secrets");
    let within = |dialog: &mut Dialog| {
        let events = dialog.say("!printf %s \"$SEAM_OUTER_RUNS\"");
        let text = ends(&events)[0]["result"]["content"][0]["text"].as_str().unwrap().to_owned();
        ["redact-secrets.wasm", "protected-paths.wasm"].map(|file| text.contains(file))
    };
    let mut dialog = Dialog::of(&project);
    assert_eq!(within(&mut dialog), [true, false]);
    put(&project, "protected-paths");
    fs::remove_file(project.plugins().join("redact-secrets.wasm")).unwrap();
    assert_eq!(within(&mut dialog), [false, true]);
}

#[test]
fn what_no_tool_may_write_are_the_files_that_are_in_force() {
    let write = |id: &str| json!([{ "content": [call(id, "write", json!({ "path": "built/p.wasm", "content": "x" }))] }, { "content": [] }]);
    let turns = [write("a"), write("b")].map(|turns| turns.as_array().unwrap().clone()).concat();
    let project = Project::new(&json!(turns)).plugin("redact-secrets");
    fs::create_dir(project.path().join("built")).unwrap();
    let mut dialog = Dialog::of(&project);
    assert!(!is_refused(&dialog.say("one")));
    let built = project.path().join("built/p.wasm");
    fs::copy(files::example("fold-results"), &built).unwrap();
    std::os::unix::fs::symlink(&built, project.plugins().join("p.wasm")).unwrap();
    let events = dialog.say("two");
    assert_eq!(told(&events), [json!({ "added": ["p"] })]);
    assert!(is_refused(&events));
    assert!(fs::read(&built).unwrap().len() > 1);
}

/// The model was told where it can read the rest of a long output.
#[test]
fn what_was_kept_of_an_output_is_there_after_it() {
    let long = call("c1", "bash", json!({ "command": "seq 1 100000" }));
    let project = Project::new(&json!([{ "content": [long] }, { "content": [] }])).plugin("redact-secrets");
    let mut dialog = Dialog::of(&project);
    let events = dialog.say("one");
    let text = ends(&events)[0]["result"]["content"][0]["text"].to_string();
    let path =
        text.split(|c: char| c.is_whitespace() || "()[]\"\\,:".contains(c)).find(|word| word.contains("/output-1.txt"));
    let path = path.unwrap_or_else(|| panic!("{text}")).to_owned();
    put(&project, "protected-paths");
    let events = dialog.say(&format!("!head -c 2 {path}"));
    assert_eq!(told(&events).len(), 1);
    assert!(ends(&events)[0]["result"]["content"][0]["text"].as_str().unwrap().starts_with('1'), "{events:?}");
}

/// A request is under way with the providers that there were, or may be.
#[test]
fn settings_of_providers_hold_from_the_next_start() {
    let project = Project::new(&writes(3)).plugin("protected-paths").file("seam.toml", "");
    let mut dialog = Dialog::of(&project);
    dialog.say("one");
    let _project = project.file("seam.toml", "[providers.anthropic]\nsilence-ms = 1000\n");
    assert!(is_refused(&dialog.say("two")));
    assert!(is_refused(&dialog.say("three")));
    assert_eq!(dialog.end().2, "seam: provider settings hold from the next start\n");
}
