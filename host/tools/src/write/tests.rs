use std::fs::{Permissions, hard_link, metadata, set_permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use seam_loop::tool::ToolError;
use serde_json::json;

use crate::testing::{Fixture, context, is_root};

fn mode(fixture: &Fixture, path: &str) -> u32 {
    metadata(fixture.root.join(path)).unwrap().mode() & 0o7777
}

#[tokio::test]
async fn creates_with_parents_and_replaces() {
    let fixture = Fixture::new();
    let said = fixture.said("write", json!({ "path": "a/b/f", "content": "h€llo" })).await;
    assert_eq!(said, Ok("Wrote 7 bytes to `a/b/f`.".to_owned()));
    fixture.said("write", json!({ "path": "a/b/f", "content": "x" })).await.unwrap();
    assert_eq!(fixture.content("a/b/f"), "x");
    let names: Vec<_> =
        std::fs::read_dir(fixture.root.join("a/b")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["f"], "no temporary file is left");
    for given in ["a", "a/", ".", "new/"] {
        let said = fixture.said("write", json!({ "path": given, "content": "x" })).await;
        assert_eq!(said, Err(format!("`{given}` is a folder, not a file.")));
    }
}

#[tokio::test]
async fn modes_links_and_hard_links_are_kept() {
    let fixture = Fixture::new();
    for (name, bits) in [("f.sh", 0o755), ("secret", 0o600)] {
        fixture.put(name, "old");
        set_permissions(fixture.root.join(name), Permissions::from_mode(bits)).unwrap();
        symlink(name, fixture.root.join("link")).unwrap();
        for path in [name, "link"] {
            fixture.said("write", json!({ "path": path, "content": path })).await.unwrap();
            assert_eq!((fixture.content(name), mode(&fixture, name)), (path.to_owned(), bits));
        }
        assert!(fixture.root.join("link").is_symlink());
        std::fs::remove_file(fixture.root.join("link")).unwrap();
    }
    fixture.put("one", "a longer text");
    hard_link(fixture.root.join("one"), fixture.root.join("two")).unwrap();
    fixture.said("write", json!({ "path": "one", "content": "both" })).await.unwrap();
    assert_eq!(fixture.content("two"), "both");
}

#[tokio::test]
async fn extended_attributes_are_kept() {
    let fixture = Fixture::new();
    fixture.put("f", "old");
    let file = std::fs::File::open(fixture.root.join("f")).unwrap();
    // Not every file system has them.
    if rustix::fs::fsetxattr(&file, "user.seam", b"1", rustix::fs::XattrFlags::empty()).is_ok() {
        fixture.said("write", json!({ "path": "f", "content": "new" })).await.unwrap();
        let mut value = [0; 1];
        rustix::fs::getxattr(fixture.root.join("f"), "user.seam", &mut value).unwrap();
        assert_eq!((fixture.content("f"), value), ("new".to_owned(), *b"1"));
    }
}

#[tokio::test]
async fn a_read_only_file_is_not_replaced() {
    let fixture = Fixture::new();
    fixture.put("f", "old");
    set_permissions(fixture.root.join("f"), Permissions::from_mode(0o444)).unwrap();
    let said = fixture.said("write", json!({ "path": "f", "content": "new" })).await;
    if !is_root() {
        assert_eq!(said, Err("`f` cannot be written: permission denied.".to_owned()));
        assert_eq!(fixture.content("f"), "old");
    }
    assert_eq!(mode(&fixture, "f"), 0o444);
}

#[tokio::test]
async fn a_write_that_is_aborted_changes_nothing() {
    let fixture = Fixture::new();
    fixture.put("f", "old");
    fixture.put("one", "old");
    hard_link(fixture.root.join("one"), fixture.root.join("two")).unwrap();
    for path in ["f", "one", "new/f"] {
        let (call, context) = (fixture.resolve("write", json!({ "path": path, "content": "x" })).await, context());
        context.abort.cancel();
        assert!(matches!(call.run(context).await, Err(ToolError::Aborted)));
    }
    assert_eq!((fixture.content("f"), fixture.content("two")), ("old".to_owned(), "old".to_owned()));
    assert_eq!(std::fs::read_dir(&fixture.root).unwrap().count(), 3, "neither a folder nor a temporary file");
}
