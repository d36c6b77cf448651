//! `seam.lock`, `seam lock` and `--locked`.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use seam_plugins::inspect::Digest;
use seam_tests::files;

use super::config::{Place, gate, granted, needy};

/// What is written in the lock, with digests that stay.
fn lock_of(place: &Place) -> String {
    let text = fs::read_to_string(place.path().join("seam.lock")).unwrap();
    steady(&text)
}

fn steady(text: &str) -> String {
    let files = [("GATE", gate()), ("HELPER", needy()), ("STRESS", files::stress())];
    files.iter().fold(text.to_owned(), |text, (name, file)| {
        let digest = Digest::of(&fs::read(file).unwrap()).to_string();
        text.replace(&digest, name).replace(&digest[..12], name)
    })
}

fn locked() -> Place {
    let place = Place::new().plugin("gate", &gate());
    assert_eq!(place.seam(&["lock"]).code, 0);
    place
}

#[test]
fn the_lock_says_what_each_plugin_is_and_may_do() {
    let place = Place::new().plugin("gate", &gate()).plugin("helper", &needy()).project(&granted("helper"));
    assert_eq!((place.seam(&["trust", "--yes"]).code, place.seam(&["lock"]).code), (0, 0));
    insta::assert_snapshot!(lock_of(&place), @r#"
    # What the plugins of this project were when somebody approved them: `seam lock` wrote this, and writes it anew.
    # With `--locked`, or with `locked = true` in `seam.toml`, anything else is refused.

    [plugins.gate]
    file = ".seam/plugins/gate.wasm"
    sha256 = "GATE"
    exports = ["seam:harness/tool-call@0.1.0"]

    [plugins.gate.imports]
    "seam:harness/log@0.1.0" = ["write"]

    [plugins.helper]
    file = ".seam/plugins/helper.wasm"
    sha256 = "HELPER"
    exports = [
        "seam:harness/commands@0.1.0",
        "seam:harness/get-api-key@0.1.0",
        "seam:harness/tool-call@0.1.0",
        "seam:harness/tool-result@0.1.0",
        "seam:harness/tools@0.1.0",
        "seam:harness/turn-end@0.1.0",
    ]

    [plugins.helper.imports]
    "seam:harness/call-tool@0.1.0" = ["call"]
    "seam:harness/complete@0.1.0" = [
        "left",
        "ask",
    ]
    "seam:harness/config@0.1.0" = ["get"]
    "seam:harness/exec@0.1.0" = ["run"]
    "seam:harness/log@0.1.0" = ["write"]
    "seam:harness/ui@0.1.0" = [
        "notify",
        "status",
        "confirm",
        "select",
        "input",
    ]

    [plugins.helper.grants]
    ui = true
    tools = ["read"]
    exec = ["git"]
    complete = 1000
    "#);
    let again = place.seam(&["lock"]);
    assert_eq!((again.code, &*again.out, &*again.err), (0, "PROJECT/seam.lock: 2 plugins, as before\n", ""));
    assert_eq!(place.run(&["--no-session", "--locked"]).code, 0);
}

#[test]
fn what_each_plugin_gained_and_lost_is_told_when_it_is_approved() {
    let place = locked().plugin("gate", &files::stress()).plugin("new", &files::guest("bystander"));
    insta::assert_snapshot!(place.seam(&["lock"]).out, @r#"
    gate  another file
      + can leak  yes: tool calls and their results, into arguments of calls and so into commands (every
                  gate sees them, and each rewrite is shown)
      could leak  no: it sees tool calls, but has no way out of its own; the model reads its words and
                  may act on them
      + decides   rewrite-tool-call  before the effect: change the arguments; gates see it; if it fails,
                                     the call is refused
                  tool-result        after the effect: change or withhold what is told of it; if it
                                     fails, the result is withheld
      + reaches   config       always there: its own settings (get)
                  full-result  always there: the whole text of the result it reviews (length, read)

    new  new
      can leak    no: it sees summaries of compactions, but has no way out of its own; the model reads
                  its words and may act on them
      + decides   session-before-fork  before it happens: cancel it; if it fails, it is cancelled
                  resources-discover   before it happens: offer skills and prompt templates; if it
                                       fails, its resources are missing
                  session-compact      afterwards: nothing: it watches; if it fails, it is reported
      + reaches   log  always there: notes for you, bounded (write)

    PROJECT/seam.lock: 2 plugins
    "#);
    let place = place.plugin("helper", &needy()).project(&granted("helper"));
    fs::remove_file(place.plugin_file("new")).unwrap();
    assert_eq!((place.seam(&["trust", "--yes"]).code, place.seam(&["lock"]).code), (0, 0));
    let place = place.project(&granted("helper").replace("\"git\"", "\"git\", \"make\""));
    assert_eq!(place.seam(&["trust", "--yes"]).code, 0);
    insta::assert_snapshot!(place.seam(&["lock"]).out, @r#"
    helper  the same file, other grants
      + can leak  yes: tool calls and their results, files of the workspace (by `read`), what `git` and
                  `make` can read, and more, to `git` and `make` with any arguments (every gate sees the
                  call); to the provider of the session's model; whole requests, to the owner of a key
                  it chooses, who may read them at the provider
      could leak  yes: tool calls and their results, files of the workspace (by `read`), what `git` can
                  read, and more, to `git` with any arguments (every gate sees the call); to the
                  provider of the session's model; whole requests, to the owner of a key it chooses, who
                  may read them at the provider
      + granted   exec = ["git", "make"]
      - granted   exec = ["git"]

    PROJECT/seam.lock: 2 plugins
    "#);
}

#[test]
fn what_is_not_as_it_was_locked_is_refused_with_locked_and_told_without() {
    type Change = fn(Place) -> Place;
    let changes: [(Change, &str); 4] = [
        (|place| place.plugin("extra", &gate()), "`extra` is new"),
        (
            |place| {
                fs::remove_file(place.plugin_file("gate")).unwrap();
                place
            },
            "`gate` is gone",
        ),
        (|place| place.plugin("gate", &files::stress()), "`gate` is another file (STRESS now, GATE then)"),
        (
            |place| {
                let place = place.project("[plugins.gate.grants]\nclock = true\n");
                assert_eq!(place.seam(&["trust", "--yes"]).code, 0);
                place
            },
            "`gate` is granted something else",
        ),
    ];
    for (change, difference) in changes {
        let place = locked();
        assert_eq!(place.run(&["--no-session", "--locked"]).err, "");
        let place = change(place);
        let said = place.run(&["--locked"]);
        assert_eq!((said.code, &*said.out), (3, ""), "{difference}");
        let told = format!(
            "seam: the plugins are not as in PROJECT/seam.lock: {difference}\nseam: nothing was run. `seam lock` shows what \
             changed, and approves it.\n"
        );
        assert_eq!(steady(&said.err), told);
        let said = place.run(&["--no-session"]);
        let told =
            format!("seam: not as in `seam.lock`: {difference}. `seam lock` shows what changed, and approves it.\n");
        assert_eq!((said.code, steady(&said.err)), (0, told));
        assert_eq!(place.seam(&["lock"]).code, 0);
        assert_eq!(place.run(&["--no-session", "--locked"]).code, 0, "what was approved runs");
    }
}

#[test]
fn a_plugin_that_is_set_otherwise_is_not_as_it_was_locked() {
    let settings = [
        "mode = \"shadow\"",
        "on-failure = \"skip\"",
        "instance = \"call\"",
        "limits = { time-ms = 1 }",
        "config = { gate = \"panic\" }",
    ];
    for line in settings {
        let place = locked().project(&format!("[plugins.gate]\n{line}\n"));
        let said = place.run(&["--locked"]);
        let told = "seam: the plugins are not as in PROJECT/seam.lock: `gate` has other settings\n";
        assert!(said.code == 3 && said.err.starts_with(told), "{line}: {}", said.err);
        let said = place.seam(&["lock"]);
        assert!(said.out.starts_with("gate  the same file, other settings"), "{}", said.out);
        assert_eq!(place.run(&["--locked"]).code, 0, "{line}");
    }
}

/// Somebody reads it to see what was approved.
#[test]
fn a_lock_that_says_something_false_of_the_same_file_is_refused_and_told() {
    let file = |place: &Place| place.path().join("seam.lock");
    let changes = [
        ("exports = [\"seam:harness/tool-call@0.1.0\"]", "exports = [\"seam:harness/turn-end@0.1.0\"]"),
        ("\"seam:harness/log@0.1.0\" = [\"write\"]", "\"seam:harness/log@0.1.0\" = [\"read\"]"),
        ("\"seam:harness/log@0.1.0\" = [\"write\"]", ""),
    ];
    for (then, now) in changes {
        let place = locked();
        let text = fs::read_to_string(file(&place)).unwrap();
        assert!(text.contains(then), "{text}");
        fs::write(file(&place), text.replace(then, now)).unwrap();
        let said = place.run(&["--locked"]);
        let told = "seam: the plugins are not as in PROJECT/seam.lock: `gate` has other exports or imports than it says there\n";
        assert!(said.code == 3 && said.err.starts_with(told), "{now}: {}", said.err);
        let said = place.seam(&["lock"]);
        let told = "gate  the same file, what was locked of its exports and imports was false";
        assert!(said.out.starts_with(told), "{}", said.out);
        assert_eq!(fs::read_to_string(file(&place)).unwrap(), text);
    }
    let place = locked();
    let text = fs::read_to_string(file(&place)).unwrap();
    fs::write(file(&place), text.replace(".seam/plugins/gate.wasm", "old/gate.wasm")).unwrap();
    let said = place.run(&["--locked"]);
    assert!(
        said.err.contains("`gate` lies elsewhere (.seam/plugins/gate.wasm now, old/gate.wasm then)"),
        "{}",
        said.err
    );
}

#[test]
fn what_a_lock_holds_does_not_steer_the_terminal() {
    let place = locked();
    let file = place.path().join("seam.lock");
    let text = steady(&fs::read_to_string(&file).unwrap());
    fs::write(&file, text.replace("GATE", "\\u001b[2J\\u202e\\nseam: x")).unwrap();
    for said in [place.run(&["--locked"]), place.run(&["--no-session"]), place.seam(&["lock"])] {
        assert!(!(said.err.clone() + &said.out).contains(['\u{1b}', '\u{202e}']), "{said:?}");
        assert!(!said.err.contains("\nseam: x"), "{said:?}");
    }
}

#[test]
fn who_may_read_the_lock_is_as_usual_and_stays() {
    let mode = |place: &Place| fs::metadata(place.path().join("seam.lock")).unwrap().permissions().mode() & 0o777;
    let place = locked();
    fs::write(place.path().join("usual"), "").unwrap();
    assert_eq!(mode(&place), fs::metadata(place.path().join("usual")).unwrap().permissions().mode() & 0o777);
    fs::set_permissions(place.path().join("seam.lock"), Permissions::from_mode(0o664)).unwrap();
    assert_eq!((place.seam(&["lock"]).code, mode(&place)), (0, 0o664));
}

#[test]
fn a_pipe_is_no_lock_and_nobody_waits_for_it() {
    let place = Place::new().plugin("gate", &gate());
    assert!(Command::new("mkfifo").arg(place.path().join("seam.lock")).status().unwrap().success());
    let said = place.run(&[]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("PROJECT/seam.lock cannot be read: it is a pipe"), "{}", said.err);
}

/// A file's name is told on one line, whatever is in it.
#[test]
fn a_name_does_not_pose_as_a_line_of_the_host() {
    let place = locked().plugin("x\nseam: all is well\u{1b}[2K", &gate());
    let said = place.run(&["--locked"]);
    assert_eq!(said.code, 3);
    assert!(
        said.err.starts_with("seam: the plugins are not as in PROJECT/seam.lock: `x⏎ seam: all is well[2K` is new\n"),
        "{}",
        said.err
    );
}

/// What is not locked could do something when it starts.
#[test]
fn what_was_not_approved_is_not_even_started() {
    let place = locked().plugin("gate", &files::stress()).project("[plugins.gate.config]\nnonsense = 1\n");
    let said = place.run(&["--locked"]);
    assert!(said.code == 3 && said.err.contains("`gate` is another file"), "{}", said.err);
    let place = locked().plugin("helper", &needy()).project(&granted("helper"));
    let said = place.run(&["--locked", "--config", "seam.toml"]);
    assert!(said.code == 3 && said.err.contains("seam.lock: `helper` is new\n"), "{}", said.err);
}

#[test]
fn without_a_lock_nothing_is_locked() {
    let place = Place::new().plugin("gate", &gate());
    let said = place.run(&["--locked"]);
    let told = "seam: there is no PROJECT/seam.lock, and only what is locked may run\nseam: nothing was run. `seam lock` \
                writes it, with the plugins as they are now.\n";
    assert_eq!((said.code, &*said.err), (3, told));
}

#[test]
fn the_settings_can_ask_for_it_and_the_lock_lies_beside_them() {
    for place in [locked().project("locked = true\n"), locked().user("locked = true\n")] {
        assert_eq!(place.run(&["--no-session"]).code, 0);
        let place = place.plugin("extra", &gate());
        assert_eq!(place.run(&[]).code, 3);
        assert_eq!(place.seam(&["lock"]).code, 0, "what is approved need not be locked before");
    }
    let place = Place::new().plugin("gate", &gate());
    fs::create_dir(place.path().join("ci")).unwrap();
    fs::write(place.path().join("ci/strict.toml"), "locked = true\n").unwrap();
    let said = place.seam(&["lock", "--config", "ci/strict.toml"]);
    assert_eq!((said.code, place.path().join("ci/seam.lock").is_file()), (0, true), "{}", said.err);
    assert!(!place.path().join("seam.lock").exists());
    assert_eq!(place.run(&["--no-session", "--config", "ci/strict.toml"]).code, 0);
}

#[test]
fn sessions_are_changed_only_with_what_is_locked() {
    let place = locked();
    assert_eq!(place.run(&[]).code, 0);
    let id = place.seam(&["session", "ls"]).out.split_whitespace().next().unwrap().to_owned();
    let place = place.plugin("extra", &gate());
    let fork = |more: &[&str]| place.seam(&[&["session", "fork", &id], more].concat()).code;
    assert_eq!((fork(&["--locked"]), fork(&[])), (3, 0));
}

#[test]
fn a_lock_that_cannot_be_read_is_an_error_and_can_be_made_anew() {
    let place = locked();
    let file = place.path().join("seam.lock");
    for text in ["[plugins.gate]\nsha256 = 1\n", "[plugin.gate]\n", "<<<<<<< HEAD\n"] {
        fs::write(&file, text).unwrap();
        let said = place.run(&[]);
        let told =
            "seam: PROJECT/seam.lock cannot be read; see what is wrong with it, or make it anew with `seam lock`: ";
        assert_eq!((said.code, said.err.starts_with(told)), (2, true), "{}", said.err);
        let said = place.seam(&["lock"]);
        assert_eq!(said.code, 0);
        assert!(said.err.starts_with("seam: what was locked is not known: PROJECT/seam.lock cannot be read"));
        assert!(said.out.starts_with("gate  new\n"), "{}", said.out);
        assert_eq!(place.run(&["--no-session", "--locked"]).code, 0);
    }
}

#[test]
fn what_cannot_be_loaded_is_not_approved() {
    let place = locked();
    let before = lock_of(&place);
    fs::write(place.plugin_file("broken"), "").unwrap();
    let said = place.seam(&["lock"]);
    assert_eq!((said.code, &*said.out), (3, ""));
    assert!(said.err.contains("seam: nothing was written, since what is not loaded cannot refuse."), "{}", said.err);
    assert_eq!(lock_of(&place), before);
}
