use std::os::unix::fs::symlink;

use serde_json::json;

use crate::testing::Fixture;

async fn found(fixture: &Fixture, path: &str) -> Vec<String> {
    let said = fixture.said("find", json!({ "pattern": "*", "path": path })).await.unwrap();
    said.lines().map(ToOwned::to_owned).collect()
}

#[tokio::test]
async fn ignore_files_hold_below_their_folder() {
    let fixture = Fixture::new();
    fixture.put(".gitignore", "*.log\n/target\nbuild/\n!keep.log\n");
    fixture.put("sub/.gitignore", "!deep.log\nlocal\n");
    fixture.put("sub/.ignore", "secret\n");
    for name in [
        "a.log",
        "keep.log",
        "target/x",
        "sub/target/x",
        "build/x",
        "sub/deep.log",
        "sub/b.log",
        "sub/local",
        "local",
        "sub/secret",
    ] {
        fixture.put(name, "");
    }
    let all = [
        ".gitignore",
        "keep.log",
        "local",
        "sub/",
        "sub/.gitignore",
        "sub/.ignore",
        "sub/deep.log",
        "sub/target/",
        "sub/target/x",
    ];
    assert_eq!(found(&fixture, ".").await, all);
    assert_eq!(found(&fixture, "sub").await, &all[4..], "the files of the folders above hold too");
}

#[tokio::test]
async fn hidden_files_are_met_and_git_and_links_are_not_entered() {
    let fixture = Fixture::new();
    for name in [".git/config", "sub/.git", ".hidden/f", "d/f"] {
        fixture.put(name, "");
    }
    symlink(&fixture.outside, fixture.root.join("out")).unwrap();
    symlink(".", fixture.root.join("d/loop")).unwrap();
    std::fs::write(fixture.outside.join("secret"), "").unwrap();
    assert_eq!(found(&fixture, ".").await, [".hidden/", ".hidden/f", "d/", "d/f", "d/loop", "out", "sub/"]);
}

#[tokio::test]
async fn a_very_deep_tree_ends() {
    let fixture = Fixture::new();
    fixture.put(&("d/".repeat(200) + "f"), "");
    let said = fixture.said("find", json!({ "pattern": "f" })).await;
    assert_eq!(said, Ok("No files found.\n\n[1 files or folders could not be read.]".to_owned()));
}

#[tokio::test]
async fn a_large_ignore_file_is_not_heeded_and_the_result_says_so() {
    let fixture = Fixture::new();
    fixture.put("a", "needle");
    fixture.put(".gitignore", format!("a\n{}", "#".repeat(256 * 1024 - 2)));
    assert_eq!(found(&fixture, ".").await, [".gitignore"]);
    fixture.put(".gitignore", format!("a\n{}", "#".repeat(256 * 1024 - 1)));
    let note = "[1 ignore files over 256 KiB were not heeded.]";
    assert_eq!(found(&fixture, ".").await, [".gitignore", "a", "", note]);
    let said = fixture.said("grep", json!({ "pattern": "needle" })).await;
    assert_eq!(said, Ok(format!("a:1: needle\n\n{note}")));
}
