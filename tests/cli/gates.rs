//! A gate that should be there is there, or nothing runs; and the agent cannot take it away.

use std::fs;
use std::os::unix::fs::symlink;

use seam_tests::files;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Project, call, ends};

fn does_nothing() -> Value {
    json!([{ "content": [{ "text": "ok" }] }])
}

/// What it says when it does not run.
fn refused(project: &Project, args: &[&str]) -> String {
    let stderr = project.run().args(args).arg("go").assert().code(2).get_output().stderr.clone();
    let told = String::from_utf8(stderr).unwrap();
    told.replace(&*project.path().canonicalize().unwrap().to_string_lossy(), "PROJECT")
}

#[test]
fn the_usual_folder_of_plugins_is_a_folder_or_absent() {
    type Make = fn(&std::path::Path);
    let makes: [Make; 4] = [
        |project| fs::write(project.join(".seam"), "").unwrap(),
        |project| symlink("nowhere", project.join(".seam")).unwrap(),
        |project| {
            fs::create_dir(project.join(".seam")).unwrap();
            fs::write(project.join(".seam/plugins"), "").unwrap();
        },
        |project| {
            fs::create_dir(project.join(".seam")).unwrap();
            symlink("nowhere", project.join(".seam/plugins")).unwrap();
        },
    ];
    for make in makes {
        let project = Project::new(&does_nothing());
        make(project.path());
        let told = refused(&project, &[]);
        assert!(told.starts_with("seam: PROJECT/.seam/plugins "), "{told}");
    }
}

#[test]
fn a_named_folder_holds_plugins() {
    let project = Project::new(&does_nothing());
    let none = project.path().canonicalize().unwrap().join("none");
    fs::create_dir(&none).unwrap();
    let told = refused(&project, &["--plugins", &none.to_string_lossy()]);
    assert_eq!(told, "seam: no `*.wasm` in PROJECT/none; nothing was run\n");
    let told = refused(&project, &["--plugins", "nope"]);
    assert_eq!(
        told,
        "seam: --plugins nope cannot be used; give a folder of `*.wasm` files: No such file or directory (os error 2)\n"
    );
}

#[test]
fn settings_that_are_a_link_to_nowhere_are_not_the_defaults() {
    let project = Project::new(&does_nothing());
    symlink("nowhere", project.path().join("seam.toml")).unwrap();
    let told = refused(&project, &[]);
    assert_eq!(told, "seam: PROJECT/seam.toml cannot be read: No such file or directory (os error 2)\n");
}

#[test]
fn a_cause_is_told_once() {
    let project = Project::new(&does_nothing());
    let told = refused(&project, &["--config", "nope.toml"]);
    assert_eq!(told, "seam: nope.toml cannot be read: No such file or directory (os error 2)\n");
    let seam = super::seam().args(["run", "--script", "nope.json", "go"]).assert().code(2).get_output().stderr.clone();
    assert_eq!(String::from_utf8(seam).unwrap().matches("No such file").count(), 1);
}

#[test]
fn limits_that_cannot_be_are_an_error() {
    for (limits, told) in [
        ("time-ms = 0", "`time-ms` under `[plugins.stress.limits]` is 0; give at least 1"),
        ("memory-mib = 0", "`memory-mib` under `[plugins.stress.limits]` is 0; give 1 to 1024"),
        ("memory-mib = 1025", "`memory-mib` under `[plugins.stress.limits]` is 1025; give 1 to 1024"),
    ] {
        let project =
            Project::new(&does_nothing()).stress("{}").file("seam.toml", &format!("[plugins.stress.limits]\n{limits}"));
        assert_eq!(refused(&project, &[]), format!("seam: PROJECT/seam.toml line 2: {told}\n"));
    }
}

#[test]
fn no_plugin_is_named_like_the_host_or_the_user() {
    let project = Project::new(&does_nothing());
    fs::copy(files::example("protected-paths"), project.plugins().join("you.wasm")).unwrap();
    let stderr = project.run().arg("go").assert().code(3).get_output().stderr.clone();
    let told = String::from_utf8(stderr).unwrap();
    assert!(
        told.contains("you.wasm: on the screen its name would be that of somebody else; rename the file"),
        "{told}"
    );
}

#[test]
fn a_run_without_plugins_says_so() {
    let project = Project::new(&does_nothing());
    let stdout = project.run().args(["--no-session", "go"]).assert().success().get_output().stdout.clone();
    assert_eq!(String::from_utf8(stdout).unwrap(), "no plugins: nothing is checked\nok\n\n");
}

/// By no name and through no link.
#[test]
fn the_agent_writes_neither_settings_nor_plugins_nor_what_was_compiled() {
    let write = |id: &str, path: &str| call(id, "write", json!({ "path": path, "content": "mine" }));
    let targets = [
        "seam.toml",
        "real.toml",
        ".seam/new",
        "home/new",
        "home/plugins/p.wasm",
        "real.wasm",
        "cache/seam/compiled/x",
    ];
    let calls: Vec<Value> = targets.iter().enumerate().map(|(id, path)| write(&format!("c{id}"), path)).collect();
    let project = Project::new(&json!([{ "content": calls }, { "content": [] }]));
    let at = |name: &str| project.path().join(name);
    fs::create_dir_all(at("home/plugins")).unwrap();
    symlink("home", at(".seam")).unwrap();
    fs::copy(files::example("protected-paths"), at("real.wasm")).unwrap();
    symlink("../../real.wasm", at("home/plugins/p.wasm")).unwrap();
    fs::write(at("real.toml"), "").unwrap();
    symlink("real.toml", at("seam.toml")).unwrap();
    let cache = at("cache");
    let output = project.run().env("XDG_CACHE_HOME", cache).args(["--json", "go"]).assert().success();
    let lines = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let events: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let by: Vec<&Value> = ends(&events).iter().map(|end| &end["decisions"][0]["by"]).collect();
    assert_eq!(by, vec!["host"; targets.len()]);
}

/// A settings file elsewhere, whose usual place leads nowhere yet.
#[test]
fn the_agent_does_not_make_the_settings_of_the_next_run() {
    let write = call("c1", "write", json!({ "path": "later.toml", "content": "mine" }));
    let project = Project::new(&json!([{ "content": [write] }, { "content": [] }]));
    let elsewhere = TempDir::new().unwrap();
    let settings = elsewhere.path().join("seam.toml");
    fs::write(&settings, "").unwrap();
    symlink("later.toml", project.path().join("seam.toml")).unwrap();
    project.run().arg("--config").arg(&settings).arg("go").assert().success();
    assert!(!project.path().join("later.toml").exists());
}
