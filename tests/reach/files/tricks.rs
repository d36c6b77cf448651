//! Ways out of a granted folder.

use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use seam_plugins::FolderMode;

use super::Place;

/// None of these reads or writes what lies beside the folder.
#[tokio::test]
async fn no_path_leads_out() {
    let place = Place::new(FolderMode::Rw).await;
    let root = place.root.path().display().to_string();
    for path in [
        "secret".to_owned(),
        "../secret".to_owned(),
        "data/../secret".to_owned(),
        "data/../../secret".to_owned(),
        "data/./../secret".to_owned(),
        "data//../secret".to_owned(),
        "/secret".to_owned(),
        "data/\\..\\secret".to_owned(),
        "data/..\\secret".to_owned(),
        "data/%2e%2e/secret".to_owned(),
        format!("{root}/secret"),
        format!("data/{root}/secret"),
        "/proc/self/root/etc/hosts".to_owned(),
        "/dev/fd/0".to_owned(),
    ] {
        let said = place.told(&format!("read {path}; write {path} changed; rm {path}")).await;
        assert!(!said.contains("outside") && !said.contains("localhost"), "{path}: {said}");
        assert_eq!(place.read("secret"), "outside", "{path}: {said}");
    }
}

/// Links that lie in the folder and lead out: to a file, to a folder, through another link, in the middle of a path.
#[tokio::test]
async fn no_link_leads_out() {
    let place = Place::with(FolderMode::Rw, |root| {
        let link = |to: &str, at: &str| symlink(to, root.join(at)).unwrap();
        link("../secret", "data/up");
        link("..", "data/parent");
        link("parent/secret", "data/twice");
        link("/etc", "data/etc");
        symlink(root.join("secret"), root.join("data/absolute")).unwrap();
        link("loop", "data/loop");
        link("../made", "data/hanging");
        link("a", "data/inside");
    })
    .await;
    for path in ["up", "parent/secret", "twice", "absolute", "etc/hosts", "loop", "loop/x", "hanging"] {
        let orders = format!("read data/{path}; write data/{path} changed; append data/{path} x; cut data/{path}");
        let said = place.told(&orders).await;
        assert!(!said.contains("outside") && !said.contains("ok"), "{path}: {said}");
    }
    for order in [
        "list data/parent",
        "list data/etc",
        "mkdir data/parent/made",
        "rename data/a data/parent/a",
        "rename data/parent/secret data/got",
        "hard data/parent/secret data/got",
        "hard data/a data/parent/a",
        "rm data/parent/secret",
    ] {
        let said = place.told(order).await;
        assert!(!said.contains("ok") && !said.contains("secret"), "{order}: {said}");
    }
    let mut there: Vec<_> =
        std::fs::read_dir(place.root.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    there.sort();
    assert_eq!((there, place.read("secret")), (vec!["data".into(), "secret".into()], "outside".to_owned()));
    assert_eq!(place.told("read data/inside").await, "inside");
}

/// A link that the guest makes itself leads nowhere else.
#[tokio::test]
async fn a_link_that_the_guest_makes_leads_nowhere_either() {
    let place = Place::new(FolderMode::Rw).await;
    let root = place.root.path().display().to_string();
    for to in ["../secret".to_owned(), format!("{root}/secret"), "..".to_owned()] {
        let orders = format!("soft {to} data/l; read data/l; write data/l x; read data/l/secret; rm data/l");
        let said = place.told(&orders).await;
        assert!(!said.contains("outside"), "{to}: {said}");
        assert_eq!(place.read("secret"), "outside");
    }
}

/// Opening a pipe waits for its other end. A guest that could do that would hold a thread of the host for ever.
#[tokio::test]
async fn a_pipe_or_a_socket_is_not_opened() {
    let place = Place::with(FolderMode::Rw, |root| {
        let pipe = std::process::Command::new("mkfifo").arg(root.join("data/pipe")).status().unwrap();
        assert!(pipe.success());
        symlink("pipe", root.join("data/to-pipe")).unwrap();
        std::os::unix::net::UnixListener::bind(root.join("data/socket")).unwrap();
    })
    .await;
    let began = Instant::now();
    for path in ["pipe", "to-pipe", "socket"] {
        let said = place.told(&format!("first data/{path}; write data/{path} x; append data/{path} x")).await;
        assert_eq!(said, "PermissionDenied; PermissionDenied; PermissionDenied", "{path}");
    }
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    assert_eq!(place.told("list data; rm data/pipe").await, "a,pipe,socket,to-pipe; ok");
}

/// The folder is swapped for a link after the plugin was loaded. An instance has the folder itself, and a new one does
/// not follow the link.
#[tokio::test]
async fn a_folder_that_is_swapped_for_a_link_leads_nowhere_else() {
    let place = Place::new(FolderMode::Ro).await;
    assert_eq!(place.told("read data/a").await, "inside");
    let root = place.root.path();
    std::fs::rename(root.join("data"), root.join("moved")).unwrap();
    std::fs::create_dir(root.join("other")).unwrap();
    std::fs::write(root.join("other/a"), "outside").unwrap();
    symlink("other", root.join("data")).unwrap();
    assert_eq!(place.told("read data/a").await, "inside");
    assert!(place.told("open data/a 2000").await.contains("too many handles"));
    let said = place.told("read data/a").await;
    assert!(said.contains("it could not start"), "{said}");
}
