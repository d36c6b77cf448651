//! A plugin made of many parts has one limit for all of them.

use std::fs;

use seam_plugins::Settings;
use seam_tests::bed::engine;
use seam_tests::files;
use tempfile::TempDir;

/// A gate of a wrong type with these core instances beside it. What is wrong with its parts is told before its type is.
fn gate(parts: &str) -> Vec<u8> {
    let component = format!(
        r#"(component {parts}
            (core module $m (func (export "f") (result i32) i32.const 0))
            (core instance $c (instantiate $m))
            (func $f (result u32) (canon lift (core func $c "f")))
            (instance $gate (export "decide" (func $f)))
            (export "seam:harness/tool-call@0.1.0" (instance $gate)))"#
    );
    wat::parse_str(component).unwrap()
}

/// So many instances of a module with this item and this start.
fn many(count: usize, item: &str, start: &str) -> String {
    let module = format!("(core module $part {item} (func $start {start}) (start $start))");
    module + &"(core instance (instantiate $part))".repeat(count)
}

#[tokio::test]
async fn memories_tables_and_instances_are_bounded_for_all_parts_of_a_plugin() {
    let crash_if_grown = |grow: &str| format!("(if (i32.ne ({grow}) (i32.const -1)) (then unreachable))");
    // 40 MiB and 60,000 elements fit once and not twice; a part that gets what it asks for crashes.
    let memory = crash_if_grown("memory.grow (i32.const 640)");
    let table = crash_if_grown("table.grow (ref.null func) (i32.const 60000)");
    let fitting = |item: &str| format!("(core module $one {item} ) (core instance (instantiate $one))");
    let cases = [
        ("1-memory", many(1, "(memory 1)", &memory), "it does not start: it crashed"),
        ("2-memories", fitting("(memory 640)") + &many(1, "(memory 1)", &memory), "is not that of the contract"),
        ("3-memories-at-once", many(2, "(memory 640)", ""), "it reached its memory limit of 64 MiB"),
        ("4-table", many(1, "(table 1 funcref)", &table), "it does not start: it crashed"),
        (
            "5-tables",
            fitting("(table 60000 funcref)") + &many(1, "(table 1 funcref)", &table),
            "is not that of the contract",
        ),
        ("6-instances", many(1000, "", ""), "instances"),
        ("7-many-memories", many(17, "(memory 1)", ""), "memories"),
    ];
    let folder = TempDir::new().unwrap();
    for (name, parts, _) in &cases {
        fs::write(folder.path().join(format!("{name}.wasm")), gate(parts)).unwrap();
    }
    fs::copy(files::stress(), folder.path().join("8-good.wasm")).unwrap();
    let (plugins, errors) = engine().load_folder(folder.path(), |_| Settings::default()).await.unwrap();
    assert_eq!(plugins.iter().map(seam_plugins::Plugin::name).collect::<Vec<_>>(), ["8-good"]);
    for ((name, _, expected), error) in cases.iter().zip(&errors) {
        let told = error.problem.to_string();
        assert!(error.file.ends_with(format!("{name}.wasm")) && told.contains(expected), "{name}: {told}");
    }
}
