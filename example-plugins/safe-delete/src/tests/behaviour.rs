//! What a rewritten command does, in a real shell.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

use super::{SafeDelete, bash, rewritten};

/// A folder with some files, folders, and links: `l` to the folder `d`, `dangling` to nothing.
struct Workspace(PathBuf);

impl Workspace {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("safe-delete {}-{count}", std::process::id()));
        fs::create_dir_all(root.join("d/e")).unwrap();
        for file in ["a", "b c", "-x", "ü", "d/a", "d/e/a", "m.o", "n.o"] {
            fs::write(root.join(file), file).unwrap();
        }
        std::os::unix::fs::symlink("d", root.join("l")).unwrap();
        std::os::unix::fs::symlink("nothing", root.join("dangling")).unwrap();
        Self(root)
    }

    /// Rewrites the command and runs it.
    fn run(&self, command: &str) -> Output {
        let rewritten = rewritten(&mut SafeDelete::default(), &bash(command, self.0.to_str().unwrap())).unwrap();
        Command::new("bash").arg("-c").arg(rewritten).current_dir(&self.0).output().unwrap()
    }

    fn trash(&self) -> Vec<String> {
        names(&self.0.join(".trash/call-1"))
    }

    /// All paths but the trash.
    fn left(&self) -> Vec<String> {
        let folders = ["", "d/", "d/e/"].into_iter();
        let all =
            folders.flat_map(|folder| names(&self.0.join(folder)).into_iter().map(move |n| format!("{folder}{n}")));
        all.filter(|name| name != ".trash").collect()
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// The names in a folder, sorted; none without the folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The end, the standard output and what is left are those of `rm` itself, and what is gone is in the trash.
#[test]
fn it_ends_as_rm_does() {
    let table: &[(&str, &[&str])] = &[
        ("rm a", &["a"]),
        ("rm a 'b c' \"ü\"", &["a", "b c", "ü"]),
        ("rm -- -x", &["-x"]),
        ("rm a d/a d/e/a", &["a", "a.~1~", "a.~2~"]),
        ("rm a; rm d/a", &["a", "a.~1~"]),
        ("rm -r d/e a", &["a", "e"]),
        ("rm -rf d/ a", &["a", "d"]),
        ("rm -rd d", &["d"]),
        ("rm l dangling", &["dangling", "l"]),
        ("rm -rf l dangling", &["dangling", "l"]),
        ("rm *.o b\\ ?", &["b c", "m.o", "n.o"]),
        ("rm -f *.o", &["m.o", "n.o"]),
        ("cd d && rm -r e", &["e"]),
        ("rm a\n\nrm d/a\n", &["a", "a.~1~"]),
        ("rm a && echo ok", &["a"]),
        ("rm missing", &[]),
        ("rm missing a", &["a"]),
        ("rm -r a missing && echo ok", &["a"]),
        ("rm missing || echo no", &[]),
        ("rm *.none || echo no", &[]),
        ("rm -f missing", &[]),
        ("rm -f missing a && echo ok || echo no", &["a"]),
        ("rm -rf *.none missing dangling && echo ok", &["dangling"]),
        ("rm d && echo ok || echo no", &[]),
        ("rm l/", &[]),
        ("true || rm a && echo ok", &[]),
        ("false && rm a; echo ok", &[]),
        ("set -e; rm -f missing a; echo ok", &["a"]),
        ("set -e; rm d; echo ok", &[]),
        ("set -euo pipefail\nrm missing\necho ok", &[]),
    ];
    for (command, trash) in table {
        let (moved, deleted) = (Workspace::new(), Workspace::new());
        let output = moved.run(command);
        let expected = Command::new("bash").arg("-c").arg(command).current_dir(&deleted.0).output().unwrap();
        assert_eq!((output.status, &output.stdout), (expected.status, &expected.stdout), "{command}: {output:?}");
        assert!(output.stderr.is_empty() || !expected.stderr.is_empty(), "{command}: {output:?}");
        assert_eq!((moved.left(), moved.trash().as_slice()), (deleted.left(), names_of(trash).as_slice()), "{command}");
    }
}

fn names_of(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Where it differs from `rm`: nothing is lost, and it fails.
#[test]
fn a_refusal_moves_nothing() {
    for (command, told) in [
        ("rm a d", ""),
        ("rm -f d a", "d\n"),
        ("rm *", "d/\nl/\n"),
        ("rm -f d*", "d/\nd\ndangling\n"),
        ("mkdir .trash; touch .trash/call-1; rm -rf a", "a\n"),
    ] {
        let workspace = Workspace::new();
        let before = workspace.left();
        let output = workspace.run(command);
        assert_eq!(
            (output.status.code(), String::from_utf8_lossy(&output.stdout).as_ref()),
            (Some(1), told),
            "{command}"
        );
        assert_eq!(workspace.left(), before, "{command}");
    }
}

#[test]
fn the_trash_does_not_go_into_itself() {
    let workspace = Workspace::new();
    assert!(workspace.run("rm a").status.success());
    assert_eq!(workspace.run("rm -rf .t*").status.code(), Some(1));
    assert_eq!(workspace.trash(), ["a"]);
}
