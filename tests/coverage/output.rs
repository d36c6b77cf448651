//! What a command prints passes the patches before anyone sees it: the model, observers, the screen, the log, and the
//! file that keeps a long output.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use seam_loop::{CancellationToken, Dispatch, NoCalls, Preflight, RunScope, ToolOutput};
use seam_tests::bed::{Bed, Session, request, text};
use seam_tests::files;
use serde_json::json;
use tempfile::TempDir;

const SECRET: &str = "sk-demo-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c";

/// Prints 3 MB with the secret in the middle, and the same as it would be told. It lasts, so that it is told live too.
fn command() -> (String, String) {
    let half = "head -c 1500000 /dev/zero | tr '\\0' '\\n' | sed 's/^/yes/' | head -n 375000";
    let command = format!("{half}; sleep 0.25; echo sk-demo-''4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c; sleep 0.25; {half}");
    let yes = "yes\n".repeat(375_000);
    (command, format!("{yes}{SECRET}\n{yes}"))
}

/// The file that a result names.
fn named(said: &str) -> PathBuf {
    let (_, rest) = said.split_once("All of it is in ").unwrap_or_else(|| panic!("no file in {said}"));
    PathBuf::from(rest.split_once(": read").unwrap().0)
}

/// Makes the call. Gives its result and everything that was told live.
async fn run(session: &Session, command: &str) -> (String, Vec<String>) {
    let abort = CancellationToken::new();
    let call = request("bash", json!({ "command": command }));
    let Preflight::Ready(ready) = session.dispatcher.preflight(call, &abort).await else { panic!("it is not refused") };
    let seen = std::sync::Mutex::new(Vec::new());
    let updates = |partial: ToolOutput| seen.lock().unwrap().push(format!("{partial:?}"));
    let settled = ready.run(RunScope { abort: &abort, updates: &updates, caller: &NoCalls }).await;
    (text(&settled), seen.into_inner().unwrap())
}

#[tokio::test]
async fn without_plugins_the_file_holds_everything() {
    let session = Bed::new().start().await;
    let (command, printed) = command();
    let (said, live) = run(&session, &command).await;
    assert!(said.len() < 52 << 10 && said.contains("[Showing the last 2000 of 750001 lines; "), "{}", said.len());
    assert_eq!(fs::read_to_string(named(&said)).unwrap(), printed);
    assert!(!live.is_empty() && live.iter().all(|update| update.len() < 64 << 10));
}

#[tokio::test]
async fn what_a_patch_took_out_is_in_no_file_and_no_update() {
    let session = Bed::new().example("redact-secrets", json!({})).start().await;
    let (command, printed) = command();
    let (said, live) = run(&session, &command).await;
    assert_eq!(fs::read_to_string(named(&said)).unwrap(), printed.replace(SECRET, "[redacted: api-key]"));
    assert!(live.iter().any(|update| update.contains("[redacted: api-key]")), "{}", live.len());
    assert!(!live.iter().any(|update| update.contains(SECRET)));
}

#[tokio::test]
async fn what_was_withheld_is_not_kept() {
    for patch in [json!({ "do": "withhold", "text": "no" }), json!({ "do": "trap" })] {
        let session =
            Bed::new().everything("withholds", json!({ "observe": "quiet", "tool-result": patch })).start().await;
        let (said, live) = run(&session, &command().0).await;
        assert!(said.starts_with("The ") && said.contains("withheld"), "{said}");
        assert!(!said.contains("yes") && live.is_empty());
    }
}

/// Whoever looks through more needs longer.
#[tokio::test]
async fn a_patch_has_its_time_for_each_mib() {
    let patch = json!({ "observe": "quiet", "tool-result": { "do": "loop" } });
    let bed = Bed::new().everything("loops", patch).time_limit("loops", 20);
    let session = bed.output("x".repeat((2 << 20) + 1)).start().await;
    let said = text(&session.echo("").await);
    assert!(said.contains("it reached its time limit of 60 ms"), "{said}");
}

/// What a patch makes long is cut, too.
#[tokio::test]
async fn the_result_is_cut_as_the_last_patch_left_it() {
    let longer = json!({ "observe": "quiet", "tool-result": { "do": "change", "text": "{}{}" } });
    let session = Bed::new().everything("doubles", longer).start().await;
    let (said, _) = run(&session, "seq 1500").await;
    assert!(said.contains("1500\n\n[Showing the last 2000 of 3000 lines; "), "{said}");
}

#[tokio::test]
async fn the_model_reads_the_file_and_writes_nothing_there() {
    let session = Bed::new().start().await;
    let file = named(&run(&session, "seq 100000").await.0);
    let read = session.call("read", json!({ "path": file, "offset": 50_000, "limit": 1 })).await;
    assert!(text(&read).contains("50000"), "{}", text(&read));
    let other = file.with_file_name("other");
    for (tool, arguments) in [
        ("write", json!({ "path": file, "content": "x" })),
        ("write", json!({ "path": other, "content": "x" })),
        ("edit", json!({ "path": file, "edits": [{ "oldText": "50000", "newText": "x" }] })),
    ] {
        let said = text(&session.call(tool, arguments).await);
        assert!(said.starts_with("Refused by the host: ") && said.ends_with(" only to be read."), "{said}");
    }
    // The folder beside it stays out of reach.
    let beside = session.call("ls", json!({ "path": file.ancestors().nth(2).unwrap() })).await;
    assert!(text(&beside).contains("is outside the workspace"), "{}", text(&beside));
    assert!(!other.exists());
}

/// All files below a folder that hold a text.
fn holding(folder: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holding(&path, text));
        } else if String::from_utf8_lossy(&fs::read(&path).unwrap()).contains(text) {
            found.push(path);
        }
    }
    found
}

/// The real binary: while it runs, its file holds no secret; when it is over, the file is gone.
#[test]
fn a_secret_is_in_no_file_no_event_and_on_no_screen() {
    let (project, temporary, home) = (TempDir::new().unwrap(), TempDir::new().unwrap(), TempDir::new().unwrap());
    let plugins = project.path().join(".seam/plugins");
    fs::create_dir_all(&plugins).unwrap();
    fs::copy(files::example("redact-secrets"), plugins.join("redact-secrets.wasm")).unwrap();
    // The second call lists what is kept, and copies it to where it outlasts the run.
    let second = format!("stat -c '%a %n' {t}/seam-* {t}/seam-*/*; cp {t}/seam-*/* .", t = temporary.path().display());
    let call =
        |id, command: String| json!({ "toolCall": { "id": id, "name": "bash", "args": { "command": command } } });
    let script = json!({ "turns": [
        { "content": [call("c1", command().0)] }, { "content": [call("c2", second)] }, { "content": [{ "text": "done" }] }
    ] });
    fs::write(home.path().join("script.json"), script.to_string()).unwrap();
    for json in [true, false] {
        let mut seam = Command::new(files::root().join("target/debug/seam"));
        seam.args(["run", "--no-session", "--script"])
            .arg(home.path().join("script.json"))
            .arg("--cwd")
            .arg(project.path());
        seam.args(json.then_some("--json")).arg("go").env("TMPDIR", temporary.path());
        seam.env("XDG_CACHE_HOME", files::root().join("target/test-cache")).env("SEAM_LOG", "trace");
        seam.env("XDG_CONFIG_HOME", files::root().join("target/test-config"));
        let output = seam.output().unwrap();
        let told = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && told.contains("[redacted") == json, "{told}");
        assert!(!told.contains(SECRET));
        assert!(told.contains("700 ") && told.contains("600 "), "{told}");
        assert!(holding(project.path(), SECRET).is_empty());
        assert_eq!(holding(project.path(), "[redacted: api-key]"), [project.path().join("output-1.txt")]);
        assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0);
    }
}
