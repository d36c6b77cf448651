//! `wasi:filesystem`: the granted folders, as far as they are granted, and nothing around them.

mod settings;
#[cfg(unix)]
mod tricks;

use std::path::Path;

use seam_plugins::{Folder, FolderMode, Mode, Settings};
use seam_tests::bed::{Bed, Session, engine, text};
use seam_tests::files;
use seam_tests::recording::{Recording, answer};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder with a granted folder `data` in it and something beside that.
struct Place {
    root: TempDir,
    session: Session,
}

impl Place {
    async fn new(mode: FolderMode) -> Self {
        Self::with(mode, |_| {}).await
    }

    /// The same, with more in it.
    async fn with(mode: FolderMode, more: impl FnOnce(&Path)) -> Self {
        let root = TempDir::new().unwrap();
        std::fs::create_dir(root.path().join("data")).unwrap();
        std::fs::write(root.path().join("data/a"), "inside").unwrap();
        std::fs::write(root.path().join("secret"), "outside").unwrap();
        more(root.path());
        let granted = Folder { place: root.path().join("data").canonicalize().unwrap(), ..Folder::new("./data", mode) };
        let bed = Bed::new().plugin("w", &files::guest("reach-w"), json!({}));
        let session = bed.set("w", |settings| settings.grants.fs = vec![granted]).start().await;
        Self { root, session }
    }

    async fn told(&self, order: &str) -> String {
        text(&self.session.echo(order).await).trim_start_matches("Blocked by plugin `w`: ").to_owned()
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root.path().join(path)).unwrap_or_default()
    }
}

/// What changes something, and what is there after it was done.
const CHANGES: [&str; 9] = [
    "write data/b new",
    "append data/a more",
    "mkdir data/sub",
    "rename data/b data/c",
    "hard data/a data/d",
    "cut data/a",
    "rm data/c",
    "rmdir data/sub",
    "soft a data/e",
];

#[tokio::test]
async fn a_folder_is_read_under_the_name_it_has_in_the_grant() {
    let place = Place::new(FolderMode::Ro).await;
    assert_eq!(place.told("read data/a; read /data/a; list data; size data/a").await, "inside; inside; a; 6");
}

#[tokio::test]
async fn an_absolute_path_is_a_name_too() {
    let root = TempDir::new().unwrap();
    std::fs::write(root.path().join("a"), "inside").unwrap();
    let granted = vec![Folder::new(root.path(), FolderMode::Ro)];
    let bed = Bed::new().plugin("w", &files::guest("reach-w"), json!({}));
    let session = bed.set("w", |settings| settings.grants.fs = granted).start().await;
    let said = text(&session.echo(&format!("read {}/a", root.path().display())).await);
    assert_eq!(said, "Blocked by plugin `w`: inside");
}

#[tokio::test]
async fn with_rw_all_of_it_can_be_changed() {
    let place = Place::new(FolderMode::Rw).await;
    for change in CHANGES {
        assert_eq!(place.told(change).await, "ok", "{change}");
    }
    assert_eq!(place.told("list data").await, "a,d,e");
}

#[tokio::test]
async fn with_ro_nothing_of_it_can() {
    let place = Place::with(FolderMode::Ro, |root| {
        std::fs::write(root.join("data/b"), "b").unwrap();
        std::fs::write(root.join("data/c"), "c").unwrap();
        std::fs::create_dir(root.join("data/sub")).unwrap();
    })
    .await;
    for change in CHANGES {
        assert_eq!(place.told(change).await, "PermissionDenied", "{change}");
    }
    assert_eq!(place.told("list data; read data/a; read data/b").await, "a,b,c,sub; inside; b");
}

/// In the shadow it changes nothing. What it would have said stands in the journal.
#[tokio::test]
async fn in_the_shadow_nothing_is_written() {
    let (root, recording) = (TempDir::new().unwrap(), Recording::new());
    std::fs::write(root.path().join("a"), "inside").unwrap();
    let granted = vec![Folder::new(root.path(), FolderMode::Rw)];
    let bed = Bed::new().plugin("w", &files::guest("reach-w"), json!({})).journal(recording.journal.clone());
    let session = bed
        .set("w", |settings| {
            settings.grants.fs = granted;
            settings.mode = Mode::Shadow;
        })
        .start()
        .await;
    let path = root.path().display();
    assert!(!session.echo(&format!("read {path}/a; write {path}/a x")).await.output.is_error);
    let said: Vec<Value> = recording.crossings().iter().map(answer).collect();
    assert_eq!(said, [json!({ "block": { "reason": "inside; PermissionDenied", "terminate": false } })]);
    assert_eq!(std::fs::read_to_string(root.path().join("a")).unwrap(), "inside");
}

#[tokio::test]
async fn without_the_grant_there_are_no_folders() {
    let session = Bed::new().plugin("w", &files::guest("reach-w"), json!({})).start().await;
    let said = text(&session.echo("read /etc/hosts; list /; list .; write x y").await);
    assert!(!said.contains("ok") && !said.contains("localhost"), "{said}");
}

#[tokio::test]
async fn a_folder_that_is_not_there_stops_the_load() {
    let mut settings = Settings::default();
    settings.grants.fs = vec![Folder::new("/nowhere/at/all", FolderMode::Ro)];
    let problem = engine().load(&files::guest("reach-w"), &settings).await.err().unwrap().to_string();
    assert!(problem.contains("the folder /nowhere/at/all that is granted to it cannot be opened"), "{problem}");
}

#[tokio::test]
async fn files_that_are_never_closed_end_at_the_limit_of_handles() {
    let place = Place::new(FolderMode::Ro).await;
    let said = place.told("open data/a 2000").await;
    assert!(said.contains("it held too many handles"), "{said}");
    assert_eq!(place.told("read data/a").await, "inside");
}
