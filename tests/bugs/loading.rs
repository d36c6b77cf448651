//! Files that cannot be plugins, or not of this version: each is an error in its own words, and the others load.

mod files_cut;
mod links;
mod skew;

use std::fs;
use std::path::Path;

use seam_plugins::Settings;
use seam_tests::bed::engine;
use seam_tests::files;
use tempfile::TempDir;

/// A component with these items.
fn component(items: &str) -> Vec<u8> {
    wat::parse_str(format!("(component {items})")).unwrap()
}

/// A component that exports one function of one record as an interface of the contract, as toolchains make them.
fn observer(imports: &str, seam: &str, fields: &[(&str, &str)]) -> Vec<u8> {
    let record: String = fields.iter().map(|(name, ty)| format!(r#"(field "{name}" {ty})"#)).collect();
    let width: usize = fields.iter().map(|(_, ty)| if *ty == "string" { 2 } else { 1 }).sum();
    let params = " i32".repeat(width);
    component(&format!(
        r#"{imports}
        (core module $m
            (memory (export "memory") 1)
            (func (export "realloc") (param i32 i32 i32 i32) (result i32) i32.const 1024)
            (func (export "f") (param{params})))
        (core instance $c (instantiate $m))
        (type $event (record {record}))
        (func $f (param "event" $event) (canon lift (core func $c "f")
            (memory (core memory $c "memory")) (realloc (core func $c "realloc"))))
        (component $shim
            (type $event (record {record}))
            (import "event" (type $imported (eq $event)))
            (import "f" (func $f (param "event" $imported)))
            (export $exported "event" (type $event))
            (export "observe" (func $f) (func (param "event" $exported))))
        (instance $seam (instantiate $shim (with "event" (type $event)) (with "f" (func $f))))
        (export "{seam}" (instance $seam))"#
    ))
}

/// One that is good, but for these imports.
fn importing(imports: &str) -> Vec<u8> {
    observer(imports, "seam:harness/settled@0.1.0", &[("session", "string"), ("next-turn", "u32")])
}

/// The error of each file of a folder, as `NAME: PROBLEM`; and the names of what was loaded.
async fn load(folder: &Path) -> (Vec<String>, Vec<String>) {
    let (plugins, errors) = engine().load_folder(folder, |_| Settings::default()).await.unwrap();
    let name = |file: &Path| file.file_stem().unwrap().to_string_lossy().into_owned();
    let problems = errors.iter().map(|error| format!("{}: {}", name(&error.file), error.problem)).collect();
    (problems, plugins.iter().map(|plugin| plugin.name().to_owned()).collect())
}

/// A folder with these files and a good plugin. All but the good one are refused, for the reasons that are given.
async fn refused(files: &[(&str, Vec<u8>)]) -> String {
    let folder = TempDir::new().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(format!("{name}.wasm")), bytes).unwrap();
    }
    fs::copy(files::stress(), folder.path().join("good.wasm")).unwrap();
    let (problems, loaded) = load(folder.path()).await;
    assert_eq!((problems.len(), loaded.as_slice()), (files.len(), ["good".to_owned()].as_slice()), "{problems:?}");
    problems.join("\n")
}

#[tokio::test]
async fn a_core_module_is_named_and_the_others_load() {
    let module = wat::parse_str(r#"(module (func (export "seam:harness/tool-call@0.1.0#decide")))"#).unwrap();
    insta::assert_snapshot!(refused(&[("module", module)]).await, @"module: the file is a core module, not a component; build it for the target `wasm32-wasip2`, or turn it into a component with `wasm-tools component new`");
}

#[tokio::test]
async fn a_component_without_a_hook_or_with_one_of_another_signature_is_an_error() {
    let other = component(r#"(instance $i) (export "acme:tools/run@1.0.0" (instance $i))"#);
    let empty = component(r#"(instance $i) (export "seam:harness/tool-call@0.1.0" (instance $i))"#);
    let signature = observer("", "seam:harness/tool-call@0.1.0", &[("session", "string")]);
    let bare = component(
        r#"(core module $m (func (export "f"))) (core instance $c (instantiate $m))
        (func $f (canon lift (core func $c "f"))) (export "seam:harness/tool-call@0.1.0" (func $f))"#,
    );
    let files = [
        ("a-function-alone", bare),
        ("another-package", other),
        ("another-signature", signature),
        ("no-function", empty),
        ("nothing", component("")),
    ];
    insta::assert_snapshot!(refused(&files).await, @r#"
    a-function-alone: its `tool-call` is not that of the contract: it is not exported as an interface; build it again with the SDK of this version
    another-package: it exports no seam, so it could decide nothing (it exports: acme:tools/run@1.0.0); a Rust plugin needs a `seam::plugin!` line
    another-signature: its `tool-call` is not that of the contract: instance export `seam:harness/tool-call@0.1.0` does not have export `decide`; build it again with the SDK of this version
    no-function: its `tool-call` is not that of the contract: instance export `seam:harness/tool-call@0.1.0` does not have export `decide`; build it again with the SDK of this version
    nothing: it exports no seam, so it could decide nothing (it exports: nothing); a Rust plugin needs a `seam::plugin!` line
    "#);
}
