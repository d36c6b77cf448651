//! Links, swaps and spellings: a gate judges what will be opened.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use seam_tests::bed::{Bed, text, trail};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A call of each file tool on a path.
fn on(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("read", json!({ "path": path })),
        ("write", json!({ "path": path, "content": "x" })),
        ("edit", json!({ "path": path, "edits": [{ "oldText": "mine", "newText": "x" }] })),
        ("grep", json!({ "path": path, "pattern": "." })),
        ("find", json!({ "path": path, "pattern": "*" })),
        ("ls", json!({ "path": path })),
    ]
}

/// The host would allow the folder; the plugin protects it by its real path.
#[tokio::test]
async fn a_link_out_of_the_workspace_is_judged_by_where_it_leads_for_every_file_tool() {
    let outside = TempDir::new().unwrap();
    fs::write(outside.path().join("e.txt"), "mine").unwrap();
    let real = outside.path().canonicalize().unwrap();
    let bed = Bed::new().outside(outside.path()).example("protected-paths", json!({ "secret": [real] }));
    symlink(outside.path(), bed.workspace().join("mail")).unwrap();
    symlink(outside.path().join("e.txt"), bed.workspace().join("n.txt")).unwrap();
    let session = bed.start().await;
    for given in ["mail/e.txt", "n.txt", "mail", "./mail//e.txt"] {
        for (tool, arguments) in on(given) {
            let settled = session.call(tool, arguments).await;
            let told = text(&settled);
            assert_eq!(trail(&settled.decisions), ["protected-paths tool-call block"], "{tool} {given}: {told}");
            assert!(told.contains(&*real.to_string_lossy()), "{tool} {given}: {told}");
        }
    }
    assert_eq!(fs::read_to_string(outside.path().join("e.txt")).unwrap(), "mine");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn a_gate_is_shown_the_link_and_its_target() {
    let outside = TempDir::new().unwrap();
    fs::write(outside.path().join("n.txt"), "x").unwrap();
    let bed = Bed::new().outside(outside.path()).stress("tells", json!({ "gate": "tell" }));
    symlink(outside.path().join("n.txt"), bed.workspace().join("n.txt")).unwrap();
    let told = text(&bed.start().await.call("read", json!({ "path": "n.txt" })).await);
    let real = outside.path().canonicalize().unwrap().join("n.txt");
    assert!(told.contains(r#"given: "n.txt""#) && told.contains(&format!("path: {real:?}")), "{told}");
}

/// The gates have nothing against it. It fails all the same, and the text of the path is not opened instead.
#[tokio::test]
async fn a_link_that_cannot_be_resolved_is_shown_as_that_and_the_call_fails() {
    let bed = Bed::new().file("closed/f", "mine").everything("bug-unresolved", json!({ "tell": ["tool-call"] }));
    let workspace = bed.workspace();
    symlink("loop", workspace.join("loop")).unwrap();
    fs::set_permissions(workspace.join("closed"), fs::Permissions::from_mode(0o0)).unwrap();
    let closed = fs::read_dir(workspace.join("closed")).is_err();
    let session = bed.start().await;
    // Root may enter any folder.
    let paths = if closed { vec!["loop/x", "closed/f"] } else { vec!["loop/x"] };
    for path in &paths {
        let settled = session.call("write", json!({ "path": path, "content": "x" })).await;
        assert!(text(&settled).contains("cannot be resolved"), "{}", text(&settled));
    }
    fs::set_permissions(workspace.join("closed"), fs::Permissions::from_mode(0o755)).unwrap();
    let notes = seam_tests::notes::take("bug-unresolved");
    assert_eq!(notes.iter().filter(|note| note.contains("Unresolved(")).count(), paths.len(), "{notes:#?}");
    assert_eq!(fs::read_to_string(workspace.join("closed/f")).unwrap(), "mine");
    let protected = Bed::new().example("protected-paths", json!({}));
    symlink("loop", protected.workspace().join("loop")).unwrap();
    let settled = protected.start().await.call("write", json!({ "path": "loop/x", "content": "x" })).await;
    assert_eq!(trail(&settled.decisions), ["protected-paths tool-call block"]);
}

/// While a gate thinks, the folder that the write would make is put there as a link.
#[tokio::test]
async fn a_folder_to_be_made_that_becomes_a_link_is_not_followed() {
    let outside = TempDir::new().unwrap();
    let bed = Bed::new().stress("slow", json!({ "gate": { "spin": 200 } })).time_limit("slow", 60_000);
    let session = bed.start().await;
    let link = format!("sleep 0.05; ln -s {} new", outside.path().display());
    let mut racer =
        tokio::process::Command::new("sh").args(["-c", &link]).current_dir(&session.workspace).spawn().unwrap();
    let settled = session.call("write", json!({ "path": "new/deep/f", "content": "x" })).await;
    assert!(racer.wait().await.unwrap().success(), "the link was there before the folder");
    assert!(settled.output.is_error, "{}", text(&settled));
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

/// What a spelling means is what this file system says. Where two spellings are one file, a rule for the one holds for
/// the other; where they are two, the gate sees the exact bytes.
#[tokio::test]
async fn another_spelling_of_a_protected_name_is_judged_as_the_file_it_opens() {
    for (name, other) in [("guarded", "GUARDED"), ("caf\u{e9}", "cafe\u{301}"), ("stra\u{df}e", "strasse")] {
        let bed = Bed::new().file(&format!("{name}/k"), "mine");
        let is_one_file = bed.workspace().join(other).exists();
        let bed = bed.example("protected-paths", json!({ "secret": [name] }));
        let session = bed.stress("tells", json!({ "gate": "tell" })).start().await;
        let path = format!("{other}/k");
        let settled = session.call("read", json!({ "path": path })).await;
        if is_one_file {
            assert_eq!(trail(&settled.decisions).last().unwrap(), "protected-paths tool-call block", "{name} {other}");
        } else {
            let whole = format!("path: {:?}", session.workspace.join(&path));
            assert!(text(&settled).contains(&whole), "{whole} is not in {}", text(&settled));
        }
        let settled = session.call("read", json!({ "path": format!("{name}/k") })).await;
        assert_eq!(trail(&settled.decisions).last().unwrap(), "protected-paths tool-call block", "{name}");
    }
}
