//! Real files that come, change and go while they are loaded.

use std::fs::{self, File, FileTimes};
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tempfile::TempDir;

use super::*;

/// A folder with one file, that is at rest.
struct World {
    folder: TempDir,
    /// How it looked at first.
    known: Fingerprint,
    loads: AtomicUsize,
}

#[derive(Debug, PartialEq, Eq)]
struct Partial;

impl World {
    fn new() -> Self {
        let known = Sources::default().fingerprint();
        let mut world = Self { folder: TempDir::new().unwrap(), known, loads: AtomicUsize::new(0) };
        fs::write(world.file(), "whole").unwrap();
        world.rest();
        world.known = world.sources().fingerprint();
        world
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("p.wasm")
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn sources(&self) -> Sources {
        Sources { folder: Some(self.folder.path().to_owned()), files: vec![self.beside("settings")] }
    }

    fn rest(&self) {
        let start = Instant::now();
        while self.sources().are_young() {
            assert!(start.elapsed() < Duration::from_secs(20), "it never came to rest");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// What the file held at each load. It is whole when it ends in `whole`.
    async fn load(&self) -> Result<Result<String, Partial>, BeingWritten> {
        let load = async || {
            self.loads.fetch_add(1, Ordering::Relaxed);
            let text = fs::read_to_string(self.file()).unwrap_or_default();
            if text.ends_with("whole") { Ok(text) } else { Err(Partial) }
        };
        let (fingerprint, loaded) = self.sources().load(&self.known, load, Result::is_err).await?;
        assert_eq!(fingerprint, self.sources().fingerprint());
        Ok(loaded)
    }

    fn loads(&self) -> usize {
        self.loads.load(Ordering::Relaxed)
    }
}

#[test]
fn every_change_is_seen_and_nothing_else_is_one() {
    let world = World::new();
    let (file, beside) = (world.file(), world.beside("q"));
    let same_size = |text: &str| {
        let times = FileTimes::new().set_modified(fs::metadata(&file).unwrap().modified().unwrap());
        fs::write(&file, text).unwrap();
        File::options().write(true).open(&file).unwrap().set_times(times).unwrap();
    };
    let changes: [(&str, &dyn Fn(), bool); 10] = [
        ("nothing", &|| (), false),
        ("a file of another kind", &|| fs::write(&beside, "other").unwrap(), false),
        ("the same size and the same time", &|| same_size("WHOLE"), true),
        ("another file under its name", &|| fs::rename(&beside, &file).unwrap(), true),
        ("a new file", &|| fs::write(world.beside("q.wasm"), "x").unwrap(), true),
        ("another name", &|| fs::rename(world.beside("q.wasm"), world.beside("r.wasm")).unwrap(), true),
        ("settings", &|| fs::write(world.beside("settings"), "").unwrap(), true),
        (
            "a link in its place",
            &|| {
                fs::rename(&file, world.beside("v1")).unwrap();
                symlink("v1", &file).unwrap();
            },
            true,
        ),
        (
            "the link leads to another",
            &|| {
                fs::copy(world.beside("v1"), world.beside("v2")).unwrap();
                fs::remove_file(&file).unwrap();
                symlink("v2", &file).unwrap();
            },
            true,
        ),
        ("it is gone", &|| fs::remove_file(&file).unwrap(), true),
    ];
    for (what, change, differs) in changes {
        let before = world.sources().fingerprint();
        change();
        assert_eq!(world.sources().fingerprint() != before, differs, "{what}");
    }
}

#[tokio::test]
async fn what_is_at_rest_is_loaded_at_once_and_once() {
    let world = World::new();
    let start = Instant::now();
    assert_eq!(world.load().await.unwrap().unwrap(), "whole");
    assert!(start.elapsed() < REST, "{:?}", start.elapsed());
    assert_eq!(world.loads(), 1);
}

/// Row 161 of the list of faults.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_written_in_pieces_is_loaded_once_and_whole() {
    let world = World::new();
    let mut file = File::create(world.file()).unwrap();
    let writing = thread::spawn(move || {
        for piece in ["a", "b", "c", "d", "e", "f", "whole"] {
            file.write_all(piece.as_bytes()).unwrap();
            thread::sleep(Duration::from_millis(100));
        }
    });
    assert_eq!(world.load().await.unwrap().unwrap(), "abcdefwhole");
    assert_eq!(world.loads(), 1);
    writing.join().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_written_with_a_long_pause_is_waited_for() {
    let world = World::new();
    let mut file = File::create(world.file()).unwrap();
    file.write_all(b"half").unwrap();
    let writing = thread::spawn(move || {
        thread::sleep(Duration::from_millis(1000));
        file.write_all(b" and whole").unwrap();
    });
    assert_eq!(world.load().await.unwrap().unwrap(), "half and whole");
    assert_eq!(world.loads(), 2);
    writing.join().unwrap();
}

#[tokio::test]
async fn what_stays_cut_off_is_reported_in_the_end() {
    let world = World::new();
    fs::write(world.file(), "half").unwrap();
    world.rest();
    let start = Instant::now();
    assert_eq!(world.load().await.unwrap(), Err(Partial));
    assert!(start.elapsed() >= PATIENCE, "{:?}", start.elapsed());
    assert_eq!(world.loads(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_written_all_the_time_is_not_loaded() {
    let world = World::new();
    fs::write(world.file(), "more").unwrap();
    let path = world.file();
    let over = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let is_over = std::sync::Arc::clone(&over);
    let writing = thread::spawn(move || {
        while !is_over.load(Ordering::Relaxed) {
            File::options().append(true).open(&path).unwrap().write_all(b" whole").unwrap();
            thread::sleep(Duration::from_millis(50));
        }
    });
    let told = world.load().await.unwrap_err();
    over.store(true, Ordering::Relaxed);
    writing.join().unwrap();
    assert_eq!((&told.0, world.loads()), (&world.file(), 0));
    assert!(told.to_string().ends_with("p.wasm is still being written; it is loaded when that is over"), "{told}");
}

/// Between the two it is not there, for longer than a file is left alone.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_deleted_and_made_again_is_not_missed_in_between() {
    let world = World::new();
    fs::remove_file(world.file()).unwrap();
    let path = world.file();
    let making = thread::spawn(move || {
        thread::sleep(Duration::from_millis(800));
        fs::write(path, "new whole").unwrap();
    });
    assert_eq!(world.load().await.unwrap().unwrap(), "new whole");
    assert_eq!(world.loads(), 1);
    making.join().unwrap();
}

#[tokio::test]
async fn a_file_that_stays_away_is_gone_and_nobody_waits_for_it_later() {
    let world = World::new();
    fs::remove_file(world.file()).unwrap();
    let load = async || world.file().exists();
    let start = Instant::now();
    assert!(!world.sources().load(&world.known, load, |_| false).await.unwrap().1);
    assert!(start.elapsed() >= PATIENCE - REST, "{:?}", start.elapsed());
    let start = Instant::now();
    assert!(!world.sources().load(&world.known, load, |_| false).await.unwrap().1);
    assert!(start.elapsed() < REST, "{:?}", start.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_changes_while_it_is_loaded_is_loaded_again() {
    let world = World::new();
    let loads = AtomicUsize::new(0);
    let load = async || {
        let first = loads.fetch_add(1, Ordering::Relaxed) == 0;
        let text = fs::read_to_string(world.file()).unwrap();
        if first {
            fs::write(world.beside("new"), "newer whole").unwrap();
            fs::rename(world.beside("new"), world.file()).unwrap();
        }
        Ok::<_, Partial>(text)
    };
    let (_, loaded) = world.sources().load(&world.known, load, Result::is_err).await.unwrap();
    assert_eq!((loaded.unwrap(), loads.into_inner()), ("newer whole".to_owned(), 2));
}

#[tokio::test]
async fn a_file_of_tomorrow_is_loaded() {
    let world = World::new();
    let tomorrow = SystemTime::now() + Duration::from_secs(86_400);
    let file = File::options().write(true).open(world.file()).unwrap();
    file.set_times(FileTimes::new().set_modified(tomorrow)).unwrap();
    assert_eq!(world.load().await.unwrap().unwrap(), "whole");
}
