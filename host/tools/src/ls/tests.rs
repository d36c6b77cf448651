use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::testing::Fixture;

#[tokio::test]
async fn lists_by_name_with_marks() {
    let fixture = Fixture::new();
    assert_eq!(fixture.said("ls", json!({})).await, Ok("(empty folder)".to_owned()));
    for name in ["b", "a/f", ".hidden", "-x"] {
        fixture.put(name, "");
    }
    symlink("a", fixture.root.join("link")).unwrap();
    assert_eq!(fixture.said("ls", json!({})).await, Ok("-x\n.hidden\na/\nb\nlink@".to_owned()));
    assert_eq!(fixture.said("ls", json!({ "path": "link" })).await, Ok("f".to_owned()));
    let note = "\n\n[Showing 2 of 5 entries. Use limit=5 for all of them.]";
    assert_eq!(fixture.said("ls", json!({ "limit": 2 })).await, Ok("-x\n.hidden".to_owned() + note));
    assert_eq!(fixture.said("ls", json!({ "path": "b" })).await, Err("`b` is a file, not a folder.".to_owned()));
    assert_eq!(fixture.said("ls", json!({ "path": "none" })).await, Err("`none` does not exist.".to_owned()));
}

#[test]
fn no_arguments_are_empty_arguments() {
    let fixture = Fixture::new();
    let tools = crate::tools(&fixture.workspace);
    let prepared = |name: &str, raw: Value| {
        let tool = tools.iter().find(|tool| &*tool.definition().name == name).unwrap();
        tool.prepare_arguments(raw).unwrap()
    };
    for raw in [json!(null), json!(""), json!({})] {
        assert_eq!(prepared("ls", raw), json!({}));
    }
    assert_eq!(prepared("ls", json!("src")), json!("src"));
    assert_eq!(prepared("find", json!(null)), json!(null), "a pattern is required");
}
