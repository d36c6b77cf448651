//! `seam audit OLD NEW`: what was gained and lost.

use std::fs;
use std::path::{Path, PathBuf};

use seam_tests::files;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{audit, gate};

/// Two folders, the old one and the new one.
struct Folders(TempDir);

impl Folders {
    fn new() -> Self {
        let folders = Self(TempDir::new().unwrap());
        fs::create_dir(folders.old()).unwrap();
        fs::create_dir(folders.new_one()).unwrap();
        folders
    }

    fn old(&self) -> PathBuf {
        self.0.path().join("old")
    }

    fn new_one(&self) -> PathBuf {
        self.0.path().join("new")
    }

    /// One plugin: what is in its old file, and in its new one.
    fn plugin(self, name: &str, old: &[u8], new: &[u8]) -> Self {
        for (folder, bytes) in [(self.old(), old), (self.new_one(), new)] {
            if bytes != NONE {
                fs::write(folder.join(format!("{name}.wasm")), bytes).unwrap();
            }
        }
        self
    }

    fn compared(&self) -> (String, String, i32) {
        compare(&self.old(), &self.new_one())
    }
}

/// The plugin is not there.
const NONE: &[u8] = b"none";

fn compare(old: &Path, new: &Path) -> (String, String, i32) {
    audit(&[old.as_os_str(), new.as_os_str()])
}

fn bytes(file: PathBuf) -> Vec<u8> {
    fs::read(file).unwrap()
}

fn send(functions: &[&str]) -> Vec<u8> {
    let functions: String = functions.iter().map(|name| format!(r#"(export "{name}" (func))"#)).collect();
    gate(&format!(r#"(import "acme:net/send@1.0.0" (instance {functions}))"#))
}

fn exit_of(version: &str) -> Vec<u8> {
    gate(&format!(r#"(import "wasi:cli/exit@{version}" (instance (export "exit" (func))))"#))
}

#[test]
fn two_folders_are_compared_plugin_by_plugin() {
    let [gate, context] = ["gate", "context"].map(|name| bytes(files::guest(name)));
    let [paths, delete] = ["protected-paths", "safe-delete"].map(|name| bytes(files::example(name)));
    let folders = Folders::new()
        .plugin("added", NONE, &gate)
        .plugin("as-it-was", &paths, &paths)
        .plugin("guard", &gate, &delete)
        .plugin("removed", &context, NONE)
        .plugin("tighter", &paths, &gate);
    let (output, complaints, code) = folders.compared();
    assert_eq!((complaints.as_str(), code), ("", 4));
    insta::assert_snapshot!(output, @r#"
    added  gained whole: only in NEW
      can leak    no: it sees tool calls, but has no way out of its own; the model reads its words and
                  may act on them
      + decides   tool-call  before the effect: refuse the call, or ask you; if it fails, the call is
                             refused
      + reaches   log  always there: notes for you, bounded (write)

    as-it-was  the same file

    guard  gained and lost
      + can leak  yes: tool calls, into arguments of calls and so into commands (every gate sees them,
                  and each rewrite is shown)
      could leak  no: it sees tool calls, but has no way out of its own; the model reads its words and
                  may act on them
      + decides   rewrite-tool-call  before the effect: change the arguments; gates see it; if it fails,
                                     the call is refused
      + reaches   config  always there: its own settings (get)
      - decides   tool-call  before the effect: refuse the call, or ask you; if it fails, the call is
                             refused

    removed  lost whole: only in OLD
      could leak  no: it sees every message of the conversation, but has no way out of its own; the
                  model reads its words and may act on them
      - decides   transform-context  before the request: change what the model is shown; if it fails, no
                                     request is sent; the run ends
      - reaches   conversation  always there: every message of the conversation (length)
                  log           always there: notes for you, bounded (write)

    tighter  lost
      - reaches   config  always there: its own settings (get)
    "#);
}

#[test]
fn two_files_are_compared_whatever_their_names() {
    let (output, _, code) = compare(&files::guest("gate"), &files::example("protected-paths"));
    assert_eq!(code, 4);
    insta::assert_snapshot!(output, @r#"
    protected-paths  gained
      + reaches   config  always there: its own settings (get)
    "#);
}

#[test]
fn nothing_gained_is_a_success() {
    let (output, complaints, code) = compare(&files::guest("everything"), &files::guest("gate"));
    assert_eq!((complaints.as_str(), code), ("", 0), "{output}");
    assert!(output.starts_with("gate  lost\n") && !output.contains("  + "), "{output}");
    let (output, complaints, code) = compare(&files::guest("gate"), &files::guest("gate"));
    assert_eq!((output.as_str(), complaints.as_str(), code), ("gate  the same file\n", "", 0));
}

#[test]
fn another_version_of_an_import_is_no_gain_and_an_inert_import_is() {
    let folders = Folders::new().plugin("p", &exit_of("0.2.0"), &exit_of("0.2.6"));
    assert_eq!(folders.compared(), ("p  another file; nothing gained, nothing lost\n".into(), String::new(), 0));
    let (output, _, code) = Folders::new().plugin("p", &gate(""), &exit_of("0.2.6")).compared();
    assert_eq!(code, 4);
    insta::assert_snapshot!(output, @r#"
    p  gained
      + reaches   wasi:cli/exit@0.2.6  reaches nothing: ends the call as a failure (exit)
    "#);
}

#[test]
fn imports_that_reach_nothing_share_a_row() {
    let import = |name: &str| format!(r#"(import "{name}@0.2.6" (instance (export "f" (func))))"#);
    let names = ["wasi:io/streams", "wasi:cli/exit", "wasi:io/error", "wasi:clocks/wall-clock"];
    let (output, _, code) = Folders::new().plugin("p", &gate(""), &gate(&names.map(import).concat())).compared();
    assert_eq!(code, 4);
    insta::assert_snapshot!(output, @r#"
    p  gained
      + reaches   reaches nothing  wasi:cli (exit), wasi:clocks (wall-clock), wasi:io (error, streams)
    "#);
}

#[test]
fn reach_that_takes_a_grant_is_gained_whether_it_is_granted_or_not() {
    let exec = gate(r#"(import "seam:harness/exec@0.1.0" (instance (export "run" (func))))"#);
    let folders = Folders::new().plugin("p", &gate(""), &exec);
    let (output, _, code) = folders.compared();
    assert_eq!(code, 4);
    insta::assert_snapshot!(output, @r#"
    p  gained
      NEW will not load: it imports `seam:harness/exec@0.1.0`, which is not granted to it; to grant
          that, add to `seam.toml`:
            [plugins.p.grants]
            exec = ["git"]  # the programs it may run
      + can leak  yes, if granted: what programs you name can read, tool calls, to programs you name
                  with any arguments (every gate sees the call)
      could leak  no: it sees tool calls, but has no way out of its own; the model reads its words and
                  may act on them
      + reaches   exec  NOT GRANTED: programs, as calls that every gate sees (run)
    "#);
    let settings = folders.old().join("seam.toml");
    fs::write(&settings, "[plugins.p.grants]\nexec = [\"git\"]\n").unwrap();
    let (old, new) = (folders.old(), folders.new_one());
    let arguments = [old.as_os_str(), new.as_os_str(), "--config".as_ref(), settings.as_os_str()];
    let (output, _, code) = audit(&arguments);
    assert_eq!(code, 4);
    insta::assert_snapshot!(output, @r#"
    p  gained
      + can leak  yes: what `git` can read, tool calls, to `git` with any arguments (every gate sees the
                  call)
      could leak  no: it sees tool calls, but has no way out of its own; the model reads its words and
                  may act on them
      + reaches   exec  granted: programs, as calls that every gate sees (run)
    "#);
    // What is granted is no part of a file.
    let arguments = [new.as_os_str(), new.as_os_str(), "--config".as_ref(), settings.as_os_str()];
    assert_eq!(audit(&arguments).2, 0);
}

#[test]
fn grants_that_hold_for_one_of_the_files_are_gained_or_lost() {
    let imports = r#"(import "wasi:filesystem/types@0.2.6" (instance (export "a" (func))))"#;
    let [one, other] = ["", r#"(core module)"#].map(|more| gate(&format!("{imports}{more}")));
    let folders = Folders::new().plugin("p", &one, &other);
    let (old, new) = (folders.old(), folders.new_one());
    let settings = folders.0.path().join("seam.toml");
    fs::create_dir(folders.0.path().join("data")).unwrap();
    let bound_to = |bytes: &[u8]| {
        let digest = seam_plugins::Digest::of(bytes);
        let grants = "fs = [{ path = \"data\", mode = \"rw\" }]";
        fs::write(&settings, format!("[plugins.p.grants]\n{grants}\ndigest = \"{digest}\"\n")).unwrap();
    };
    let compare = |more: &[&str]| {
        let arguments = [old.as_os_str(), new.as_os_str(), "--config".as_ref(), settings.as_os_str()];
        let more = more.iter().map(std::ffi::OsStr::new);
        let (output, _, code) = audit(&arguments.into_iter().chain(more).collect::<Vec<_>>());
        let place = folders.0.path().canonicalize().unwrap();
        (output.replace(&format!("{}/", place.display()), ""), code)
    };
    bound_to(&other);
    let (output, code) = compare(&[]);
    assert_eq!(code, 4, "{output}");
    insta::assert_snapshot!(output, @r#"
    p  gained
      + can leak  yes: files in `data`, tool calls, into files in `data`
      could leak  no: it sees tool calls, but has no way out of its own; the model reads its words and
                  may act on them
      + reaches   wasi:filesystem/types@0.2.6  granted: granted folders (a)
    "#);
    let pairs: Value = serde_json::from_str(&compare(&["--json"]).0).unwrap();
    assert_eq!(pairs[0]["leaksMore"], true);
    bound_to(&one);
    let (output, code) = compare(&[]);
    assert!(code != 4 && output.starts_with("p  lost\n") && !output.contains("  + "), "{code} {output}");
    let pairs: Value = serde_json::from_str(&compare(&["--json"]).0).unwrap();
    assert_eq!(pairs[0]["leaksMore"], false);
}

#[test]
fn one_more_function_by_which_nothing_is_reached_is_no_gain() {
    let of = |functions: &[&str]| {
        let functions: String = functions.iter().map(|name| format!(r#"(export "{name}" (func))"#)).collect();
        gate(&format!(r#"(import "wasi:filesystem/types@0.2.6" (instance {functions}))"#))
    };
    let folders = Folders::new().plugin("p", &of(&["a"]), &of(&["a", "b"]));
    assert_eq!(folders.compared(), ("p  another file; nothing gained, nothing lost\n".into(), String::new(), 0));
    let settings = folders.old().join("seam.toml");
    fs::write(&settings, "[plugins.p.grants]\nfs = [{ path = \".\" }]\n").unwrap();
    let (old, new) = (folders.old(), folders.new_one());
    let arguments = [old.as_os_str(), new.as_os_str(), "--config".as_ref(), settings.as_os_str()];
    let (output, _, code) = audit(&arguments);
    assert_eq!(code, 4);
    insta::assert_snapshot!(output, @r#"
    p  gained
      + reaches   wasi:filesystem/types@0.2.6  granted: granted folders (b)
    "#);
}

#[test]
fn of_an_import_that_grows_the_new_functions_are_told() {
    let (output, _, code) = Folders::new().plugin("p", &send(&["go", "back"]), &send(&["go", "post"])).compared();
    assert_eq!(code, 4);
    insta::assert_snapshot!(output, @r#"
    p  gained and lost
      OLD will not load: it imports `acme:net/send@1.0.0`, which is not granted and this host cannot
          grant; build the plugin without it
      NEW will not load: it imports `acme:net/send@1.0.0`, which is not granted and this host cannot
          grant; build the plugin without it
      + reaches   acme:net/send@1.0.0  NOT KNOWN (post)
      - reaches   acme:net/send@1.0.0  NOT KNOWN (back)
    "#);
    let (_, _, code) = Folders::new().plugin("p", &send(&["go", "post"]), &send(&["go"])).compared();
    assert_eq!(code, 3, "nothing is gained, and it would not load");
}

#[test]
fn a_file_that_cannot_be_audited_passes_for_nothing() {
    let good = bytes(files::guest("gate"));
    let (output, _, code) = Folders::new().plugin("p", &good, b"text").compared();
    assert_eq!(code, 3);
    insta::assert_snapshot!(output, @r#"
    p  what it gained is not known
      NEW will not load: the file is not WebAssembly (it looks like text); only components belong
          into the plugin folder
      could leak  no: it sees tool calls, but has no way out of its own; the model reads its words and
                  may act on them
    "#);
    let (output, _, code) = Folders::new().plugin("p", b"text", &good).compared();
    assert_eq!(code, 4);
    insta::assert_snapshot!(output, @r#"
    p  gained
      OLD will not load: the file is not WebAssembly (it looks like text); only components belong
          into the plugin folder
      can leak    no: it sees tool calls, but has no way out of its own; the model reads its words and
                  may act on them
      + decides   tool-call  before the effect: refuse the call, or ask you; if it fails, the call is
                             refused
      + reaches   log  always there: notes for you, bounded (write)
    "#);
}

#[test]
fn a_folder_and_a_file_are_not_compared() {
    let folders = Folders::new().plugin("p", &gate(""), NONE);
    let (output, complaint, code) = compare(&files::guest("gate"), &folders.old());
    assert_eq!((output.as_str(), code), ("", 2));
    let told = format!(
        "seam: {} is a folder and {} is not; give two plugins, or two folders\n",
        folders.old().display(),
        files::guest("gate").display()
    );
    assert_eq!(complaint, told);
    let (_, complaint, code) = folders.compared();
    assert_eq!((complaint.contains("new; nothing was audited"), code), (true, 2), "{complaint}");
}

#[test]
fn a_comparison_as_a_program_reads_it() {
    let folders = Folders::new().plugin("p", &gate(""), &exit_of("0.2.6")).plugin("q", b"text", NONE);
    let (old, new) = (folders.old(), folders.new_one());
    let (output, _, code) = audit(&["--json".as_ref(), old.as_os_str(), new.as_os_str()]);
    let mut pairs: Value = serde_json::from_str(&output).unwrap();
    let digests = ["old", "new"].map(|side| pairs[0][side]["digest"].take().as_str().unwrap().len());
    assert_eq!((digests, code), ([64, 64], 4));
    let leak = "it sees tool calls, but has no way out of its own; the model reads its words and may act on them";
    let side = json!({ "digest": null, "problem": null, "canLeak": "no", "leak": leak });
    let exit = json!({
        "import": "wasi:cli/exit@0.2.6",
        "access": "inert",
        "grant": null,
        "reaches": "ends the call as a failure",
        "functions": ["exit"],
    });
    let nothing = json!({ "decides": [], "reaches": [] });
    let text = "the file is not WebAssembly (it looks like text); only components belong into the plugin folder";
    assert_eq!(
        pairs,
        json!([
            {
                "name": "p", "old": side, "new": side, "leaksMore": false, "denied": [],
                "gained": { "decides": [], "reaches": [exit] }, "lost": nothing,
            },
            { "name": "q", "old": { "problem": text }, "new": null, "leaksMore": false, "denied": [], "gained": nothing, "lost": nothing },
        ])
    );
}
