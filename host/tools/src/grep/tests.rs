use serde_json::{Value, json};

use crate::testing::Fixture;

async fn said(fixture: &Fixture, arguments: Value) -> Vec<String> {
    let said = fixture.said("grep", arguments).await.unwrap();
    said.lines().map(ToOwned::to_owned).collect()
}

#[tokio::test]
async fn matches_with_path_and_line() {
    let fixture = Fixture::new();
    fixture.put("a.rs", "one\nTwo\r\nthree two\n");
    fixture.put("d/b.txt", "two");
    assert_eq!(said(&fixture, json!({ "pattern": "two$" })).await, ["a.rs:3: three two", "d/b.txt:1: two"]);
    let all = json!({ "pattern": "^two$", "ignoreCase": true });
    assert_eq!(said(&fixture, all).await, ["a.rs:2: Two", "d/b.txt:1: two"]);
    assert_eq!(said(&fixture, json!({ "pattern": "two", "glob": "*.rs" })).await, ["a.rs:3: three two"]);
    assert_eq!(said(&fixture, json!({ "pattern": "two", "glob": "!*.rs" })).await, ["d/b.txt:1: two"]);
    assert_eq!(said(&fixture, json!({ "pattern": "two", "path": "d/b.txt" })).await, ["d/b.txt:1: two"]);
    assert_eq!(said(&fixture, json!({ "pattern": "none" })).await, ["No matches found."]);
    let context = json!({ "pattern": "Two", "context": 1 });
    assert_eq!(said(&fixture, context).await, ["a.rs-1- one", "a.rs:2: Two", "a.rs-3- three two"]);
}

#[tokio::test]
async fn a_pattern_with_a_dash_is_a_pattern() {
    let fixture = Fixture::new();
    fixture.put("p.sh", "#!/bin/sh\ntouch MARK\n");
    fixture.put("f", "a -needle\n--pre=./p.sh\n");
    assert_eq!(said(&fixture, json!({ "pattern": "-needle" })).await, ["f:1: a -needle"]);
    assert_eq!(said(&fixture, json!({ "pattern": "--pre=./p.sh" })).await, ["f:2: --pre=./p.sh"]);
    assert!(!fixture.root.join("MARK").exists());
    fixture.put("-x/f", "needle\n");
    assert_eq!(said(&fixture, json!({ "pattern": "needle", "path": "-x" })).await, ["-x/f:1: needle"]);
}

#[tokio::test]
async fn plain_text_is_no_expression() {
    let fixture = Fixture::new();
    fixture.put("f", "a.b\naxb\nf(x\n");
    assert_eq!(said(&fixture, json!({ "pattern": "a.b", "literal": true })).await, ["f:1: a.b"]);
    assert_eq!(said(&fixture, json!({ "pattern": "f(x", "literal": true })).await, ["f:3: f(x"]);
    let schema = crate::tools(&fixture.workspace)[4].definition().parameters.clone();
    let bad = crate::testing::valid(&schema, json!({ "pattern": "f(x" }));
    let error = crate::tools(&fixture.workspace)[4].resolve(&bad).await.err().unwrap().to_string();
    assert!(error.starts_with("The pattern cannot be searched for: "), "{error}");
}

#[tokio::test]
async fn binary_and_ignored_files_and_pipes_are_skipped() {
    let fixture = Fixture::new();
    fixture.put("binary", b"needle\n\0\n");
    fixture.put(".gitignore", "ignored\n");
    fixture.put("ignored", "needle");
    fixture.put(".git/x", "needle");
    fixture.put(".hidden", "needle");
    rustix::fs::mkfifoat(rustix::fs::CWD, fixture.root.join("pipe"), rustix::fs::Mode::RWXU).unwrap();
    assert_eq!(said(&fixture, json!({ "pattern": "needle" })).await, [".hidden:1: needle"]);
}

#[tokio::test]
async fn limits_are_told() {
    let fixture = Fixture::new();
    fixture.put("a", "x\nx\n".repeat(2));
    fixture.put("b", "x\n");
    let two = said(&fixture, json!({ "pattern": "x", "limit": 2, "context": 1 })).await;
    let note = "[Stopped at 2 matches. Use limit=4 for more, or a narrower pattern.]";
    assert_eq!(two, ["a:1: x", "a:2: x", "", note]);
    let four = said(&fixture, json!({ "pattern": "x", "limit": 4 })).await;
    assert_eq!(four.last().unwrap(), "[Stopped at 4 matches. Use limit=8 for more, or a narrower pattern.]");
    assert_eq!(said(&fixture, json!({ "pattern": "x", "limit": 5 })).await.len(), 5);
    fixture.put("a", "y".repeat(10_000));
    let long = said(&fixture, json!({ "pattern": "y" })).await;
    assert_eq!(long, [format!("a:1: {}... [cut]", "y".repeat(500))]);
}

#[tokio::test]
async fn closed_files_are_left_out_and_that_is_told() {
    let mut fixture = Fixture::new();
    fixture.put("s/a.closed", "needle");
    fixture.put("s/b", "needle");
    let workspace = crate::Workspace::open(&fixture.root, &[]).unwrap();
    let workspace = workspace.without(|path| path.extension().is_some_and(|extension| extension == "closed"));
    fixture.workspace = std::sync::Arc::new(workspace);
    let note = "[1 files were not searched: they are Seam's own journals, which no tool may read.]";
    assert_eq!(said(&fixture, json!({ "pattern": "needle" })).await, ["s/b:1: needle", "", note]);
}
