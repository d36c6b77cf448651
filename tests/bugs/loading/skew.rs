//! Plugins of another version of the contract or of WASI than this host has.

use std::fs;

use tempfile::TempDir;

use super::{importing, load, observer, refused};

const EVENT: [(&str, &str); 2] = [("session", "string"), ("next-turn", "u32")];

/// The import `log` with these levels, and more functions.
fn log(version: &str, levels: &str, more: &str) -> Vec<u8> {
    importing(&format!(
        r#"(import "seam:harness/log@{version}" (instance
            (type $level (enum {levels})) (export "level" (type $exported (eq $level)))
            (export "write" (func (param "level" $exported) (param "message" string))) {more}))"#
    ))
}

const LEVELS: &str = r#""error" "warn" "info" "debug""#;

#[tokio::test]
async fn of_the_same_version_it_loads() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("p.wasm"), log("0.1.0", LEVELS, "")).unwrap();
    assert_eq!(load(folder.path()).await, (vec![], vec!["p".to_owned()]));
}

/// What is added within 0.1 are interfaces, never anything within one: so a patch version makes no difference.
#[tokio::test]
async fn of_another_patch_version_it_loads() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("export.wasm"), observer("", "seam:harness/settled@0.1.7", &EVENT)).unwrap();
    fs::write(folder.path().join("import.wasm"), log("0.1.7", LEVELS, "")).unwrap();
    let wasi = r#"(import "wasi:cli/exit@0.2.99" (instance (export "exit" (func (param "status" (result))))))"#;
    fs::write(folder.path().join("wasi.wasm"), importing(wasi)).unwrap();
    assert_eq!(load(folder.path()).await, (vec![], ["export", "import", "wasi"].map(str::to_owned).to_vec()));
}

#[tokio::test]
async fn an_older_or_newer_version_is_named_beside_that_of_the_host() {
    let files = [
        ("newer-export", observer("", "seam:harness/settled@0.2.0", &EVENT)),
        ("newer-import", log("0.2.0", LEVELS, "")),
        ("newer-major", observer("", "seam:harness/settled@1.0.0", &EVENT)),
        ("no-version", observer("", "seam:harness/settled", &EVENT)),
        ("older-export", observer("", "seam:harness/settled@0.0.9", &EVENT)),
        ("older-import", log("0.0.9", LEVELS, "")),
        ("wasi", importing(r#"(import "wasi:cli/exit@0.3.0" (instance (export "exit" (func))))"#)),
    ];
    insta::assert_snapshot!(refused(&files).await, @r#"
    newer-export: it was built for `seam:harness/settled@0.2.0`, this host has version 0.1.0; use a host of that version, or build the plugin with the SDK of this one
    newer-import: it was built for `seam:harness/log@0.2.0`, this host has version 0.1.0; use a host of that version, or build the plugin with the SDK of this one
    newer-major: it was built for `seam:harness/settled@1.0.0`, this host has version 0.1.0; use a host of that version, or build the plugin with the SDK of this one
    no-version: it was built for `seam:harness/settled`, this host has version 0.1.0; use a host of that version, or build the plugin with the SDK of this one
    older-export: it was built for `seam:harness/settled@0.0.9`, this host has version 0.1.0; use a host of that version, or build the plugin with the SDK of this one
    older-import: it was built for `seam:harness/log@0.0.9`, this host has version 0.1.0; use a host of that version, or build the plugin with the SDK of this one
    wasi: it imports `wasi:cli/exit@0.3.0`, this host has WASI 0.2; build the plugin for the target `wasm32-wasip2`
    "#);
}

#[tokio::test]
async fn an_interface_of_a_newer_patch_version_that_is_not_here_is_named() {
    let files = [
        ("export", observer("", "seam:harness/compacted@0.1.4", &EVENT)),
        ("import", importing(r#"(import "seam:harness/weather@0.1.4" (instance (export "get" (func))))"#)),
    ];
    insta::assert_snapshot!(refused(&files).await, @r#"
    export: it exports `seam:harness/compacted@0.1.4`, a seam this host does not know; update Seam, or build the plugin without it
    import: it imports `seam:harness/weather@0.1.4`, which is not granted and this host cannot grant; build the plugin without it
    "#);
}

#[tokio::test]
async fn what_was_changed_under_the_same_version_is_named() {
    let more = [&EVENT[..], &[("more", "u32")]].concat();
    let files = [
        ("export-with-a-field-more", observer("", "seam:harness/settled@0.1.0", &more)),
        ("import-with-a-case-more", log("0.1.0", r#""error" "warn" "info" "debug" "trace""#, "")),
        ("import-with-a-function-more", log("0.1.0", LEVELS, r#"(export "flush" (func))"#)),
    ];
    insta::assert_snapshot!(refused(&files).await, @r#"
    export-with-a-field-more: its `settled` is not that of the contract: failed to convert function to given type: type mismatch with parameters: expected record of 2 fields, found 3 fields; build it again with the SDK of this version
    import-with-a-case-more: its imports are not those of this host, which has version 0.1.0 of the contract: component imports instance `seam:harness/log@0.1.0`, but a matching implementation was not found in the linker: instance export `write` has the wrong type: type mismatch with parameters: expected enum of 4 names, found 5 names; build it again with the SDK of this version
    import-with-a-function-more: its imports are not those of this host, which has version 0.1.0 of the contract: component imports instance `seam:harness/log@0.1.0`, but a matching implementation was not found in the linker: instance export `flush` has the wrong type: function implementation is missing; build it again with the SDK of this version
    "#);
}

#[tokio::test]
async fn a_pre_release_is_no_release() {
    let files = [
        ("export", observer("", "seam:harness/settled@0.1.0-draft", &EVENT)),
        ("import", log("0.1.0-rc.1", LEVELS, "")),
        ("next", log("0.2.0-draft", LEVELS, "")),
        ("wasi", importing(r#"(import "wasi:cli/exit@0.2.0-rc-2023-11-10" (instance (export "exit" (func))))"#)),
    ];
    insta::assert_snapshot!(refused(&files).await, @r#"
    export: it was built for `seam:harness/settled@0.1.0-draft`, this host has version 0.1.0; use a host of that version, or build the plugin with the SDK of this one
    import: it was built for `seam:harness/log@0.1.0-rc.1`, this host has version 0.1.0; use a host of that version, or build the plugin with the SDK of this one
    next: it was built for `seam:harness/log@0.2.0-draft`, this host has version 0.1.0; use a host of that version, or build the plugin with the SDK of this one
    wasi: it imports `wasi:cli/exit@0.2.0-rc-2023-11-10`, this host has WASI 0.2; build the plugin for the target `wasm32-wasip2`
    "#);
}
