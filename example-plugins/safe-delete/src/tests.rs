#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use seam::testing::{call, json};
use seam::{Rewrite, RewriteToolCall, Target, ToolCall, ToolCallGate, Verdict};

use crate::SafeDelete;

/// A folder with files `a`, `b c`, `-x`, a folder `d` with `d/a`, and a link `l` to `d`.
struct Workspace(PathBuf);

impl Workspace {
    fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("safe-delete-{}-{name}", std::process::id()));
        fs::create_dir_all(root.join("d")).unwrap();
        for file in ["a", "b c", "-x", "d/a", "keep"] {
            fs::write(root.join(file), file).unwrap();
        }
        std::os::unix::fs::symlink("d", root.join("l")).unwrap();
        Self(root)
    }

    /// Rewrites the command as the host would have it rewritten, and runs it.
    fn run(&self, command: &str) -> Output {
        let rewritten = command_of(&SafeDelete::default().rewrite(&self.call(command)));
        Command::new("bash").arg("-c").arg(rewritten).current_dir(&self.0).output().unwrap()
    }

    fn call(&self, command: &str) -> ToolCall {
        let mut call = call("bash", json!({ "command": command, "timeout": 5 }));
        for target in &mut call.targets {
            if let Target::Command(command) = target {
                command.cwd = self.0.to_str().unwrap().to_owned();
            }
        }
        call
    }

    fn left(&self) -> Vec<String> {
        names(&self.0)
    }

    /// The names that are in the trash, sorted.
    fn trash(&self) -> Vec<String> {
        let places = fs::read_dir(self.0.join(".trash/call-1")).unwrap();
        let mut all: Vec<_> = places.flat_map(|place| names(&place.unwrap().path())).collect();
        all.sort();
        all
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = entries.filter(|name| name != ".trash").collect();
    names.sort();
    names
}

fn command_of(rewrite: &Rewrite) -> String {
    let Rewrite::Arguments(arguments) = rewrite else { unreachable!("the command has an `rm`") };
    let arguments: serde_json::Value = serde_json::from_str(arguments).unwrap();
    assert_eq!(arguments["timeout"], 5, "other arguments stay");
    arguments["command"].as_str().unwrap().to_owned()
}

#[test]
fn what_rm_names_goes_into_the_trash() {
    let table: &[(&str, &[&str])] = &[
        ("rm a", &["a"]),
        ("rm -f a 'b c'", &["a", "b c"]),
        ("rm -rf d", &["d"]),
        ("rm d -rf", &["d"]),
        ("rm -r -- d -x", &["-x", "d"]),
        ("rm a d/a", &["a", "a"]),
        ("rm l", &["l"]),
        ("rm -f *a", &["a"]),
        ("X=a; rm \"$X\"", &["a"]),
        ("\\rm a", &["a"]),
        ("'rm' a", &["a"]),
        ("cd d && rm a", &["a"]),
        ("echo ok\nrm -rf d", &["d"]),
        ("time rm -rf d", &["d"]),
        ("for f in a 'b c'; do rm \"$f\"; done", &["a", "b c"]),
        ("(rm a) | cat", &["a"]),
        ("if true; then rm a; fi", &["a"]),
        ("! rm -f a || rm 'b c'", &["a", "b c"]),
    ];
    for (number, (command, trash)) in table.iter().enumerate() {
        let workspace = Workspace::new(&format!("table-{number}"));
        let output = workspace.run(command);
        assert!(output.status.success(), "{command}: {output:?}");
        assert_eq!(workspace.trash(), *trash, "{command}");
        assert!(workspace.left().contains(&"keep".to_owned()), "{command}");
    }
}

#[test]
fn the_status_and_the_messages_are_those_of_rm() {
    let table = [
        ("rm missing", Some(1), "rm: cannot remove 'missing': No such file or directory\n"),
        ("rm -f missing", Some(0), ""),
        ("rm d", Some(1), "rm: cannot remove 'd': Is a directory\n"),
        ("rm missing a", Some(1), "rm: cannot remove 'missing': No such file or directory\n"),
        ("rm missing || true", Some(0), "rm: cannot remove 'missing': No such file or directory\n"),
        ("set -eu; rm a; exit 3", Some(3), ""),
    ];
    for (number, (command, status, message)) in table.into_iter().enumerate() {
        let output = Workspace::new(&format!("status-{number}")).run(command);
        assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (status, message));
    }
}

#[test]
fn the_trash_keeps_itself_out_of_git() {
    let workspace = Workspace::new("git");
    workspace.run("rm a");
    assert_eq!(fs::read_to_string(workspace.0.join(".trash/.gitignore")).unwrap(), "*\n");
}

#[test]
fn the_trash_is_not_deleted_into_itself() {
    let workspace = Workspace::new("itself");
    workspace.run("rm a");
    assert_eq!(workspace.run("rm -rf .trash").status.code(), Some(1));
    assert_eq!(workspace.trash(), ["a"]);
}

#[test]
fn commands_without_rm_are_kept() {
    for command in ["ls", "git remote -v", "cargo build --release", "echo rmdir", "X=$(touch P) true", "./rm.sh"] {
        let call = call("bash", json!({ "command": command }));
        assert_eq!(SafeDelete::default().rewrite(&call), Rewrite::Keep, "{command}");
    }
    assert_eq!(SafeDelete::default().rewrite(&call("read", json!({ "path": "rm" }))), Rewrite::Keep);
}

#[test]
fn a_trash_folder_of_any_name_is_one_word_of_the_shell() {
    let mut plugin = SafeDelete { trash: "/tmp/it's $HOME".to_owned() };
    let call = ToolCall { id: "a/../b c".to_owned(), ..call("bash", json!({ "command": "rm x", "timeout": 5 })) };
    let command = command_of(&plugin.rewrite(&call));
    assert!(command.contains(r"trash='/tmp/it'\''s $HOME' call='a____b_c'"), "{command}");
}

/// The gate's view: the command as the rewrite left it.
fn asks(command: &str) -> bool {
    let mut plugin = SafeDelete::default();
    let before = call("bash", json!({ "command": command, "timeout": 5 }));
    let after = match plugin.rewrite(&before) {
        Rewrite::Keep => command.to_owned(),
        rewrite => command_of(&rewrite),
    };
    match plugin.decide(&call("bash", json!({ "command": after }))) {
        Verdict::Ask(_) => true,
        verdict => {
            assert_eq!(verdict, Verdict::Proceed);
            false
        }
    }
}

#[test]
fn the_gate_asks_about_deletes_past_the_function() {
    for command in [
        "env -i bash -c 'rm -rf d'",
        "bash -c 'cd d; rm x'",
        "sudo rm -rf d",
        "command rm a",
        "/bin/rm a",
        "nice -n 5 rm a",
        "ls | xargs -0 rm -f",
        "find t -type f -exec rm {} +",
        "find t -name '*.o' -delete",
        "true && shred -u a",
        "echo ok\nunlink a",
    ] {
        assert!(asks(command), "{command}");
    }
}

#[test]
fn the_gate_lets_the_rest_pass() {
    for command in [
        "rm -rf d",
        "echo ok\nrm -rf d",
        "time rm -rf d",
        "git rm a",
        "bash build.sh && ls",
        "docker run --rm image",
        "sudo ls",
        "find t -type f -exec chmod 0777 {} +",
    ] {
        assert!(!asks(command), "{command}");
    }
}
