//! What happens when paths lead elsewhere, or change between the look-up and the body.

use std::fs::{create_dir, rename};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use seam_loop::tool::{Access, Location, Resolution, Target};
use serde_json::json;

use crate::testing::{Fixture, context, is_root, said};

fn target(given: &str, path: &Path, location: Location, exists: bool, access: Access) -> Vec<Target> {
    let resolution = Resolution::Resolved { path: path.to_owned(), location, exists };
    vec![Target::Path { given: given.to_owned(), resolution, access }]
}

#[tokio::test]
async fn targets_are_canonical_and_given_is_what_was_sent() {
    let fixture = Fixture::new();
    fixture.put("d/f", "x");
    symlink("d", fixture.root.join("link")).unwrap();
    for given in ["d/f", "link/f", "./d/../d//f", fixture.root.join("link/f").to_str().unwrap()] {
        let call = fixture.resolve("read", json!({ "path": given })).await;
        assert_eq!(call.targets(), fixture.inside(given, "d/f", Access::Read));
        let call = fixture.resolve("write", json!({ "path": given, "content": "" })).await;
        assert_eq!(call.targets(), fixture.inside(given, "d/f", Access::Write));
    }
    let call = fixture.resolve("write", json!({ "path": "new/deep/f", "content": "" })).await;
    let path = fixture.root.join("new/deep/f");
    assert_eq!(call.targets(), target("new/deep/f", &path, Location::Inside, false, Access::Write));
    assert!(!fixture.root.join("new").exists(), "looking up has no effect");
}

#[tokio::test]
async fn a_link_to_the_outside_is_outside_for_every_tool() {
    let fixture = Fixture::new();
    std::fs::write(fixture.outside.join("e.txt"), "secret").unwrap();
    symlink(&fixture.outside, fixture.root.join("mail")).unwrap();
    symlink(fixture.outside.join("e.txt"), fixture.root.join("n.txt")).unwrap();
    let file = fixture.outside.join("e.txt");
    let calls = [
        ("read", json!({ "path": "mail/e.txt" }), &file, Access::Read),
        ("read", json!({ "path": "n.txt" }), &file, Access::Read),
        ("write", json!({ "path": "mail/e.txt", "content": "x" }), &file, Access::Write),
        ("edit", json!({ "path": "n.txt", "edits": [{ "oldText": "secret", "newText": "x" }] }), &file, Access::Write),
        ("grep", json!({ "path": "mail", "pattern": "secret" }), &fixture.outside, Access::Read),
        ("find", json!({ "path": "mail", "pattern": "*" }), &fixture.outside, Access::Read),
        ("ls", json!({ "path": "mail" }), &fixture.outside, Access::Read),
    ];
    for (tool, arguments, real, access) in calls {
        let given = arguments["path"].as_str().unwrap().to_owned();
        let call = fixture.resolve(tool, arguments).await;
        assert_eq!(call.targets(), target(&given, real, Location::Outside, true, access), "{tool}");
        let why = format!(
            "`{given}` is outside the workspace {} (it leads to {}). To allow a folder, add it to `outside` under \
             `[workspace]` in `seam.toml`.",
            fixture.root.display(),
            real.display()
        );
        assert_eq!(said(call.run(context()).await), Err(why), "{tool}");
    }
    assert_eq!(std::fs::read_to_string(file).unwrap(), "secret");
}

#[tokio::test]
async fn an_allowed_folder_outside_is_used_and_still_shown_as_outside() {
    let fixture = Fixture::allowing(&["outside"]);
    let path = fixture.outside.join("new/f");
    let given = path.to_str().unwrap().to_owned();
    let call = fixture.resolve("write", json!({ "path": given, "content": "x" })).await;
    assert_eq!(call.targets(), target(&given, &path, Location::Outside, false, Access::Write));
    call.run(context()).await.unwrap();
    assert_eq!(fixture.said("read", json!({ "path": given })).await, Ok("x".to_owned()));
    // A name that merely begins like an allowed folder is not in it.
    let beside = format!("{}2", fixture.outside.display());
    assert!(fixture.said("write", json!({ "path": beside, "content": "x" })).await.is_err());
}

#[tokio::test]
async fn what_cannot_be_resolved_is_never_opened_by_its_text() {
    let fixture = Fixture::new();
    symlink("loop", fixture.root.join("loop")).unwrap();
    symlink(fixture.outside.join("none"), fixture.root.join("dangling")).unwrap();
    let mut cases = vec![("loop/x", "too many levels of symbolic links".to_owned())];
    let dangling = format!("{} is a link to something that does not exist", fixture.root.join("dangling").display());
    cases.push(("dangling", dangling));
    fixture.put("closed/f", "x");
    std::fs::set_permissions(fixture.root.join("closed"), std::fs::Permissions::from_mode(0o0)).unwrap();
    if !is_root() {
        cases.push(("closed/f", "permission denied".to_owned()));
    }
    for (given, why) in cases {
        let call = fixture.resolve("write", json!({ "path": given, "content": "x" })).await;
        let resolution = Resolution::Unresolved(why.clone());
        assert_eq!(call.targets(), [Target::Path { given: given.to_owned(), resolution, access: Access::Write }]);
        assert_eq!(said(call.run(context()).await), Err(format!("`{given}` cannot be resolved: {why}.")));
    }
    std::fs::set_permissions(fixture.root.join("closed"), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(!fixture.outside.join("none").exists());
}

#[tokio::test]
async fn a_folder_swapped_for_a_link_does_not_redirect_a_write() {
    let fixture = Fixture::new();
    fixture.put("sub/f", "old");
    std::fs::write(fixture.outside.join("f"), "untouched").unwrap();
    let write = fixture.resolve("write", json!({ "path": "sub/f", "content": "new" })).await;
    let create = fixture.resolve("write", json!({ "path": "sub/g", "content": "new" })).await;
    rename(fixture.root.join("sub"), fixture.root.join("away")).unwrap();
    symlink(&fixture.outside, fixture.root.join("sub")).unwrap();
    write.run(context()).await.unwrap();
    create.run(context()).await.unwrap();
    assert_eq!((fixture.content("away/f"), fixture.content("away/g")), ("new".to_owned(), "new".to_owned()));
    assert_eq!(std::fs::read_to_string(fixture.outside.join("f")).unwrap(), "untouched");
    assert!(!fixture.outside.join("g").exists());
}

#[tokio::test]
async fn a_swap_does_not_redirect_a_read_either() {
    let fixture = Fixture::new();
    fixture.put("sub/f", "inside\n");
    std::fs::write(fixture.outside.join("f"), "secret\n").unwrap();
    let read = fixture.resolve("read", json!({ "path": "sub/f" })).await;
    let grep = fixture.resolve("grep", json!({ "path": "sub", "pattern": "." })).await;
    rename(fixture.root.join("sub"), fixture.root.join("away")).unwrap();
    symlink(&fixture.outside, fixture.root.join("sub")).unwrap();
    assert_eq!(said(read.run(context()).await), Ok("inside\n".to_owned()));
    assert_eq!(said(grep.run(context()).await), Ok("sub/f:1: inside".to_owned()));
}

#[tokio::test]
async fn a_file_swapped_for_a_link_is_not_followed() {
    let fixture = Fixture::new();
    fixture.put("f", "old");
    std::fs::write(fixture.outside.join("f"), "untouched").unwrap();
    let write = fixture.resolve("write", json!({ "path": "f", "content": "new" })).await;
    let edit = json!({ "path": "f", "edits": [{ "oldText": "untouched", "newText": "x" }] });
    let edit = fixture.resolve("edit", edit).await;
    std::fs::remove_file(fixture.root.join("f")).unwrap();
    symlink(fixture.outside.join("f"), fixture.root.join("f")).unwrap();
    let followed = "too many levels of symbolic links";
    assert_eq!(said(write.run(context()).await), Err(format!("`f` cannot be written: {followed}.")));
    assert_eq!(said(edit.run(context()).await), Err(format!("`f` cannot be edited: {followed}.")));
    assert_eq!(std::fs::read_to_string(fixture.outside.join("f")).unwrap(), "untouched");
}

#[tokio::test]
async fn a_link_put_where_a_folder_was_to_be_made_stops_the_write() {
    for levels in ["new/f", "new/deep/f"] {
        let fixture = Fixture::new();
        let write = fixture.resolve("write", json!({ "path": levels, "content": "x" })).await;
        symlink(&fixture.outside, fixture.root.join("new")).unwrap();
        assert!(write.run(context()).await.is_err());
        assert_eq!(std::fs::read_dir(&fixture.outside).unwrap().count(), 0);
    }
    let fixture = Fixture::new();
    let write = fixture.resolve("write", json!({ "path": "new/deep/f", "content": "x" })).await;
    create_dir(fixture.root.join("new")).unwrap();
    write.run(context()).await.unwrap();
    assert_eq!(fixture.content("new/deep/f"), "x");
}

#[tokio::test]
async fn names_keep_their_exact_letters() {
    let fixture = Fixture::new();
    let (composed, decomposed) = ("caf\u{e9}.txt", "cafe\u{301}.txt");
    fixture.put(composed, "composed");
    let call = fixture.resolve("write", json!({ "path": decomposed, "content": "x" })).await;
    if cfg!(target_os = "linux") {
        let path = fixture.root.join(decomposed);
        assert_eq!(call.targets(), target(decomposed, &path, Location::Inside, false, Access::Write));
        fixture.put(".ssh/k", "x");
        let call = fixture.resolve("read", json!({ "path": ".SSH/k" })).await;
        let path = fixture.root.join(".SSH/k");
        assert_eq!(call.targets(), target(".SSH/k", &path, Location::Inside, false, Access::Read));
    }
    fixture.put("-x", "dash");
    fixture.put("@x", "at");
    assert_eq!(fixture.said("read", json!({ "path": "-x" })).await, Ok("dash".to_owned()));
    assert_eq!(fixture.said("read", json!({ "path": "@x" })).await, Ok("at".to_owned()));
}

#[tokio::test]
async fn a_folder_that_keeps_changing_never_leads_out() {
    let fixture = Fixture::new();
    fixture.put("sub/f", "inside");
    std::fs::write(fixture.outside.join("f"), "secret").unwrap();
    let (root, outside) = (fixture.root.clone(), fixture.outside.clone());
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let swapping = std::thread::spawn(move || {
        symlink(outside, root.join("link")).unwrap();
        while stopped.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
            for (from, to) in [("sub", "away"), ("link", "sub"), ("sub", "link"), ("away", "sub")] {
                rename(root.join(from), root.join(to)).unwrap();
            }
        }
    });
    for _ in 0..300 {
        let said = fixture.said("read", json!({ "path": "sub/f" })).await;
        assert_ne!(said, Ok("secret".to_owned()));
    }
    stop.send(()).unwrap();
    swapping.join().unwrap();
}

/// Other tools work there from then on, beside those that are still at it.
#[tokio::test]
async fn a_renewed_workspace_has_other_folders_and_the_same_locks_and_kept_outputs() {
    let (fixture, kept) = Fixture::keeping();
    let renewed = fixture.workspace.renewed(std::slice::from_ref(&fixture.outside)).unwrap();
    std::fs::write(fixture.outside.join("f"), "").unwrap();
    let file = super::CanonicalPath::of(&fixture.outside.join("f")).unwrap();
    let may_write = |workspace: &super::Workspace| workspace.root_of(&file, Access::Write).is_some();
    assert_eq!((may_write(&fixture.workspace), may_write(&renewed)), (false, true));
    let abort = tokio_util::sync::CancellationToken::new();
    let held = fixture.workspace.locks().hold(file.as_path(), &abort).await.unwrap();
    let waits = renewed.locks().hold(file.as_path(), &abort);
    let soon = std::time::Duration::from_millis(50);
    assert!(tokio::time::timeout(soon, waits).await.is_err(), "it does not wait for who writes");
    drop(held);
    renewed.locks().hold(file.as_path(), &abort).await.unwrap();
    let Fixture { workspace, .. } = fixture;
    drop(workspace);
    assert!(kept.is_dir());
    drop(renewed);
    assert!(!kept.exists());
}
