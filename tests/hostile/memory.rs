//! Memory, tables, the stack.

use std::process::Command;

use seam_tests::bed::Bed;
use seam_tests::hostile::deed;
use serde_json::json;

use super::{assert_all_end, assert_ends, refused};

#[tokio::test]
async fn each_ends_at_its_limit() {
    assert_all_end(&["memory without end", "a table without end", "recursion without end"]).await;
}

#[tokio::test]
async fn the_memory_limit_is_the_plugins_own() {
    let bed = Bed::new().stress("s", json!({ "gate": "memory" })).time_limit("s", 10_000);
    let session = bed.set("s", |settings| settings.limits.memory_mib = 8).start().await;
    refused(&session, "it reached its memory limit of 8 MiB").await;
}

/// Measured in a process of its own, since others would be measured too. `cargo xtask bench hostile` prints the same.
#[test]
#[cfg(target_os = "linux")]
fn none_takes_more_than_its_limits_allow() {
    let names = [
        "memory without end",
        "a table without end",
        "an answer of 8 MiB",
        "one text given a thousand times",
        "notes of 30 MiB at its start",
        "60 MB of random bytes",
        "host calls without end",
    ];
    let output = Command::new(env!("CARGO_BIN_EXE_hostile")).args(names).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    for name in names {
        let line = told.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {told}"));
        let mib: f64 = line.split_whitespace().last().unwrap().parse().unwrap();
        assert!(mib < deed(name).takes_mib as f64, "{line}");
    }
}

/// The engine has no such memory: what would use it is not loaded.
#[tokio::test]
async fn memory_that_no_limit_counts_cannot_be_had() {
    for name in ["objects without end", "a wait on shared memory"] {
        let deed = deed(name);
        let told = deed.happen().await;
        assert_ne!(told, "it was loaded", "{name}");
        assert_ends(&deed).await;
    }
}
