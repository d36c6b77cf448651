//! From a folder to plugins: what is refused, in which words, and what the compile cache does.

use std::fs;
use std::path::Path;

use seam_plugins::inspect::{InspectError, inspect};
use seam_plugins::{Digest, PluginEngine, Settings};
use seam_tests::bed::engine;
use seam_tests::files;
use tempfile::TempDir;

/// A component with these items.
fn component(items: &str) -> Vec<u8> {
    wat::parse_str(format!("(component {items})")).unwrap()
}

/// An instance that exports `decide` of a wrong type.
const WRONG_GATE: &str = r#"
    (core module $m (func (export "f") (result i32) i32.const 0))
    (core instance $c (instantiate $m))
    (func $f (result u32) (canon lift (core func $c "f")))
    (instance $gate (export "decide" (func $f)))"#;

/// The error of each file of a folder, as `NAME: PROBLEM`; and the names of what was loaded.
async fn load(folder: &Path) -> (Vec<String>, Vec<String>) {
    let (plugins, errors) = engine().load_folder(folder, |_| Settings::default()).await.unwrap();
    let name = |file: &Path| file.file_name().unwrap().to_string_lossy().into_owned();
    let problems = errors.iter().map(|error| format!("{}: {}", name(&error.file), error.problem)).collect();
    (problems, plugins.iter().map(|plugin| plugin.name().to_owned()).collect())
}

#[tokio::test]
async fn every_kind_of_bad_file_has_its_own_message_and_hides_no_other() {
    let folder = TempDir::new().unwrap();
    let put = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    let good = fs::read(files::stress()).unwrap();
    put("01-empty.wasm", b"");
    put("02-text.wasm", b"#!/bin/sh\necho plugin\n");
    put("03-binary.wasm", b"\x7fELF\x02\x01\x01\0\xff\xfe");
    put("04-four-bytes.wasm", b"\0asm");
    put("05-half.wasm", &good[..good.len() / 2]);
    put("06-module.wasm", &wat::parse_str("(module)").unwrap());
    put("07-no-exports.wasm", &component(""));
    put("08-other-exports.wasm", &component(r#"(instance $i) (export "acme:tools/run@1.0.0" (instance $i))"#));
    put("09-newer-contract.wasm", &component(r#"(instance $i) (export "seam:harness/tool-call@0.2.0" (instance $i))"#));
    put("10-draft.wasm", &component(r#"(instance $i) (export "seam:harness/tool-call@0.1.0-draft" (instance $i))"#));
    put("11-unknown-seam.wasm", &component(r#"(instance $i) (export "seam:harness/tool-cal@0.1.0" (instance $i))"#));
    put(
        "12-wrong-type.wasm",
        &component(&format!(r#"{WRONG_GATE} (export "seam:harness/tool-call@0.1.0" (instance $gate))"#)),
    );
    put(
        "13-not-granted.wasm",
        &component(&format!(
            r#"(import "acme:net/send@1.0.0" (instance (export "go" (func))))
               (import "wasi:http/outgoing-handler@0.2.4" (instance (export "handle" (func))))
               {WRONG_GATE} (export "seam:harness/tool-call@0.1.0" (instance $gate))"#
        )),
    );
    put("14-newer-import.wasm", &component(r#"(import "seam:harness/log@0.3.0" (instance (export "write" (func))))"#));
    put("15-broken.wasm", b"\0asm\x0d\0\x01\0\xff\x01\x00");
    fs::create_dir(folder.path().join("16-folder.wasm")).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.path().join("17-dangling.wasm")).unwrap();
    put("18-good.wasm", &good);
    put("18-GOOD.wasm", &good);
    put("notes.txt", b"not a plugin, and not asked");

    let (problems, loaded) = load(folder.path()).await;
    assert_eq!(loaded, ["18-GOOD"]);
    let folder = folder.path().to_string_lossy();
    let problems = problems.join("\n").replace(&*folder, "FOLDER").replace(&(good.len() / 2).to_string(), "HALF");
    insta::assert_snapshot!(problems, @r#"
    01-empty.wasm: the file is empty; copy it again
    02-text.wasm: the file is not WebAssembly (it looks like text); only components belong into the plugin folder
    03-binary.wasm: the file is not WebAssembly (it starts with other bytes); only components belong into the plugin folder
    04-four-bytes.wasm: the file ends too early, at byte 4: it is only partly there; copy it again
    05-half.wasm: the file ends too early, at byte HALF: it is only partly there; copy it again
    06-module.wasm: the file is a core module, not a component; build it for the target `wasm32-wasip2`, or turn it into a component with `wasm-tools component new`
    07-no-exports.wasm: it exports no seam, so it could decide nothing (it exports: nothing); a Rust plugin needs a `seam::plugin!` line
    08-other-exports.wasm: it exports no seam, so it could decide nothing (it exports: acme:tools/run@1.0.0); a Rust plugin needs a `seam::plugin!` line
    09-newer-contract.wasm: it was built for `seam:harness/tool-call@0.2.0`, this host has version 0.1.0; use a host of that version, or build the plugin with the SDK of this one
    10-draft.wasm: it was built for `seam:harness/tool-call@0.1.0-draft`, this host has version 0.1.0; use a host of that version, or build the plugin with the SDK of this one
    11-unknown-seam.wasm: it exports `seam:harness/tool-cal@0.1.0`, a seam this host does not know; update Seam, or build the plugin without it
    12-wrong-type.wasm: its `tool-call` is not that of the contract: failed to convert function to given type: type mismatch with parameters: expected 1-tuple, found 0-tuple; build it again with the SDK of this version
    13-not-granted.wasm: it imports `acme:net/send@1.0.0`, which is not granted and this host cannot grant; build the plugin without it
    14-newer-import.wasm: it was built for `seam:harness/log@0.3.0`, this host has version 0.1.0; use a host of that version, or build the plugin with the SDK of this one
    15-broken.wasm: the file is not a valid component: malformed section id (at offset 0x8); build it again
    16-folder.wasm: it is not a file; remove it or rename it so that it does not end in `.wasm`
    17-dangling.wasm: it is a link to nowhere, which cannot be read (No such file or directory (os error 2)); mend the link or remove it
    18-good.wasm: its name `18-good` is also that of FOLDER/18-GOOD.wasm; rename one of them
    "#);
}

/// A good file cut anywhere is an error, never a panic and never another plugin.
#[tokio::test]
async fn a_file_cut_anywhere_is_refused() {
    let good = fs::read(files::stress()).unwrap();
    let whole = inspect(&good).unwrap();
    let cuts = [0, 1, 4, 7, 8, 9, 100].into_iter().chain((1024..good.len()).step_by(1024)).chain([good.len() - 1]);
    for cut in cuts {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("cut.wasm"), &good[..cut]).unwrap();
        let (problems, loaded) = load(folder.path()).await;
        // What ends behind the last export is whole: it lacks no more than what tools say about it.
        let is_whole =
            inspect(&good[..cut]).is_ok_and(|cut| cut.exports == whole.exports && cut.imports == whole.imports);
        let expected = if is_whole { (0, 1) } else { (1, 0) };
        assert_eq!((problems.len(), loaded.len()), expected, "cut at {cut}");
    }
}

/// The reader of components takes a part of which only the head is there for an empty one. The first head is the file's.
#[test]
fn a_file_cut_behind_the_head_of_any_part_is_cut_off() {
    let good = fs::read(files::stress()).unwrap();
    let heads: Vec<usize> = good
        .windows(8)
        .enumerate()
        .filter(|(_, bytes)| bytes.starts_with(b"\0asm"))
        .map(|(at, _)| at)
        .skip(1)
        .collect();
    assert!(heads.len() > 3, "{heads:?}");
    for head in heads {
        let cut = inspect(&good[..head + 8]);
        assert!(matches!(cut, Err(InspectError::CutOff(_)) | Err(InspectError::Invalid(_))), "{head}: {cut:?}");
    }
}

/// A type nested very deeply must not overflow the reader's stack.
#[tokio::test]
async fn a_deeply_nested_type_is_refused() {
    let mut items = "(type $t0 u8)".to_owned();
    for depth in 1..20_000 {
        items.push_str(&format!("(type $t{depth} (list $t{}))", depth - 1));
    }
    items.push_str(r#"(import "f" (func (param "x" $t19999)))"#);
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("deep.wasm"), component(&items)).unwrap();
    let (problems, loaded) = load(folder.path()).await;
    assert_eq!((problems.len(), loaded.len()), (1, 0));
}

#[tokio::test]
async fn a_link_to_a_plugin_is_a_plugin() {
    let folder = TempDir::new().unwrap();
    std::os::unix::fs::symlink(files::stress(), folder.path().join("linked.wasm")).unwrap();
    assert_eq!(load(folder.path()).await, (vec![], vec!["linked".to_owned()]));
}

#[tokio::test]
async fn plugins_come_in_byte_order_of_their_file_names() {
    let folder = TempDir::new().unwrap();
    for name in ["b", "a", "B", "10", "9", "é"] {
        if name == "B" {
            continue;
        }
        fs::copy(files::stress(), folder.path().join(format!("{name}.wasm"))).unwrap();
    }
    assert_eq!(load(folder.path()).await.1, ["10", "9", "a", "b", "é"]);
}

/// A start function that never ends stops only its own plugin.
#[tokio::test]
async fn a_start_that_never_ends_is_a_load_error() {
    let looping = r#"
        (core module $m (func $start (loop $l (br $l))) (start $start) (func (export "f") (result i32) i32.const 0))
        (core instance $c (instantiate $m))
        (func $f (result u32) (canon lift (core func $c "f")))
        (instance $gate (export "decide" (func $f)))
        (export "seam:harness/tool-call@0.1.0" (instance $gate))"#;
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a-loops.wasm"), component(looping)).unwrap();
    fs::copy(files::stress(), folder.path().join("b.wasm")).unwrap();
    let (problems, loaded) = load(folder.path()).await;
    assert_eq!(
        problems,
        [
            "a-loops.wasm: it does not start: it reached its time limit of 250 ms; correct its settings, or what it does when it starts"
        ]
    );
    assert_eq!(loaded, ["b"]);
}

#[tokio::test]
async fn memory_and_tables_are_bounded_at_the_start_too() {
    let folder = TempDir::new().unwrap();
    for (name, item) in [("memory", "(memory 2000)"), ("table", "(table 5000000 funcref)")] {
        let huge = format!(
            r#"(core module $m {item} (func (export "f") (result i32) i32.const 0))
            (core instance $c (instantiate $m))
            (func $f (result u32) (canon lift (core func $c "f")))
            (instance $gate (export "decide" (func $f)))
            (export "seam:harness/tool-call@0.1.0" (instance $gate))"#
        );
        fs::write(folder.path().join(format!("{name}.wasm")), component(&huge)).unwrap();
    }
    let (problems, loaded) = load(folder.path()).await;
    assert_eq!((problems.len(), loaded.len()), (2, 0), "{problems:?}");
}

/// A start that crashes if its table may grow by so many elements.
fn growing(elements: u32) -> Vec<u8> {
    component(&format!(
        r#"(core module $m
            (table $t 1 funcref)
            (func $start (if (i32.ne (table.grow $t (ref.null func) (i32.const {elements})) (i32.const -1)) (then unreachable)))
            (start $start)
            (func (export "f") (result i32) i32.const 0))
        (core instance $c (instantiate $m))
        (func $f (result u32) (canon lift (core func $c "f")))
        (instance $gate (export "decide" (func $f)))
        (export "seam:harness/tool-call@0.1.0" (instance $gate))"#
    ))
}

#[tokio::test]
async fn a_table_grows_to_its_limit_and_not_beyond() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a-within.wasm"), growing(50_000)).unwrap();
    fs::write(folder.path().join("b-beyond.wasm"), growing(200_000)).unwrap();
    let (problems, _) = load(folder.path()).await;
    assert!(problems[0].starts_with("a-within.wasm: it does not start: it crashed"), "{problems:?}");
    // The start passed: what is left to refuse is its type.
    assert!(problems[1].starts_with("b-beyond.wasm: its `tool-call` is not that of the contract"), "{problems:?}");
}

/// The one entry of a cache folder.
fn entry(cache: &Path) -> std::path::PathBuf {
    let entries: Vec<_> = fs::read_dir(cache).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(entries.len(), 1, "{entries:?}");
    entries.into_iter().next().unwrap()
}

#[tokio::test]
async fn a_damaged_cache_entry_is_compiled_again() {
    let folder = TempDir::new().unwrap();
    let cache = folder.path().join("cache");
    let load = || async {
        let engine = PluginEngine::new(Some(cache.clone())).unwrap();
        engine.load(&files::stress(), &Settings::default()).await.map(drop).unwrap();
    };
    load().await;
    let good = fs::read(entry(&cache)).unwrap();
    for damaged in [Vec::new(), good[..good.len() / 2].to_vec(), [&good[..100], b"x", &good[101..]].concat()] {
        fs::write(entry(&cache), &damaged).unwrap();
        load().await;
        assert!(fs::read(entry(&cache)).unwrap() == good, "the entry was not made anew");
    }
    let before = fs::metadata(entry(&cache)).unwrap().modified().unwrap();
    load().await;
    assert_eq!(fs::metadata(entry(&cache)).unwrap().modified().unwrap(), before, "a good entry is used as it is");
}

#[tokio::test]
async fn a_cache_that_others_can_write_is_not_used() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TempDir::new().unwrap();
    let cache = folder.path().join("cache");
    fs::create_dir(&cache).unwrap();
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o777)).unwrap();
    let engine = PluginEngine::new(Some(cache.clone())).unwrap();
    assert!(engine.load(&files::stress(), &Settings::default()).await.is_ok());
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 0);
}

#[test]
fn the_sdks_components_import_no_wasi() {
    for file in [
        files::stress(),
        files::example("protected-paths"),
        files::example("redact-secrets"),
        files::example("safe-delete"),
    ] {
        let bytes = fs::read(&file).unwrap();
        let inspection = inspect(&bytes).unwrap();
        let foreign = inspection.imports.iter().find(|import| !import.name.starts_with("seam:harness/"));
        assert_eq!(foreign, None, "{}", file.display());
        assert_eq!(inspection.digest.to_string(), Digest::of(&bytes).to_string());
    }
}
