//! Files that are no component, or not all of one: an error each time, no panic, and the others load.

use std::fs;

use seam_plugins::audit::Audit;
use seam_plugins::{Grants, Settings};
use seam_tests::bed::engine;
use seam_tests::files;
use tempfile::TempDir;

use super::{component, load};

/// Bytes that are the same each time.
fn random_bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    std::iter::repeat_with(&mut next).flatten().take(length).collect()
}

/// That neither the audit nor the loader takes it.
async fn refused(bytes: &[u8], what: &str) {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("p.wasm");
    fs::write(&file, bytes).unwrap();
    assert!(Audit::of_file(&file, &Grants::default()).is_err(), "{what}");
    assert!(engine().load(&file, &Settings::default()).await.is_err(), "{what}");
}

#[tokio::test]
async fn random_bytes_are_refused() {
    for seed in 0..200 {
        refused(&random_bytes(seed, 1 + 37 * seed as usize), &format!("seed {seed}")).await;
        let headed = [b"\0asm\x0d\0\x01\0".as_slice(), &random_bytes(seed, 1 + 11 * seed as usize)].concat();
        refused(&headed, &format!("a component's head and seed {seed}")).await;
    }
}

/// A good file with one byte changed is a plugin or an error: nothing else.
#[tokio::test]
async fn a_file_with_a_changed_byte_never_panics() {
    let good = super::importing("");
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("p.wasm");
    for place in 0..good.len() {
        let mut bytes = good.clone();
        bytes[place] ^= 0x41;
        fs::write(&file, &bytes).unwrap();
        let audit = Audit::of_file(&file, &Grants::default());
        let loaded = engine().load(&file, &Settings::default()).await;
        assert!(audit.is_ok_and(|audit| audit.problem.is_none()) || loaded.is_err(), "byte {place}");
    }
}

#[tokio::test]
async fn texts_folders_and_pipes_are_refused_and_the_others_load() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("a-folder.wasm")).unwrap();
    // Nobody ever writes into it: who reads it, waits for ever.
    assert!(std::process::Command::new("mkfifo").arg(path("a-pipe.wasm")).status().unwrap().success());
    fs::write(path("a-text.wasm"), "(component)\n").unwrap();
    fs::write(path("nothing.wasm"), "").unwrap();
    fs::write(path("only-a-head.wasm"), &component("")[..8]).unwrap();
    fs::copy(files::stress(), path("stress.wasm")).unwrap();
    let (problems, loaded) = load(folder.path()).await;
    assert_eq!(loaded, ["stress"]);
    insta::assert_snapshot!(problems.join("\n"), @r#"
    a-folder: it is not a file; remove it or rename it so that it does not end in `.wasm`
    a-pipe: it is not a file; remove it or rename it so that it does not end in `.wasm`
    a-text: the file is not WebAssembly (it looks like text); only components belong into the plugin folder
    nothing: the file is empty; copy it again
    only-a-head: it exports no seam, so it could decide nothing (it exports: nothing); a Rust plugin needs a `seam::plugin!` line
    "#);
}
