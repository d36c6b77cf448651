use serde_json::json;

use crate::testing::Fixture;

#[tokio::test]
async fn globs() {
    let fixture = Fixture::new();
    for name in ["a.rs", "src/b.rs", "src/deep/c.rs", "src/d.txt", "-x"] {
        fixture.put(name, "");
    }
    let cases = [
        ("*.rs", ".", "a.rs\nsrc/b.rs\nsrc/deep/c.rs"),
        ("src/*.rs", ".", "src/b.rs"),
        ("src/**/*.rs", ".", "src/b.rs\nsrc/deep/c.rs"),
        ("**/*.txt", ".", "src/d.txt"),
        ("*.rs", "src", "src/b.rs\nsrc/deep/c.rs"),
        ("{a,b}.rs", ".", "a.rs\nsrc/b.rs"),
        ("deep", ".", "src/deep/"),
        ("-x", ".", "-x"),
        ("--exec=*", ".", "No files found."),
    ];
    for (pattern, path, expected) in cases {
        let said = fixture.said("find", json!({ "pattern": pattern, "path": path })).await;
        assert_eq!(said, Ok(expected.to_owned()), "{pattern}");
    }
    let said = fixture.said("find", json!({ "pattern": "*.rs", "limit": 2 })).await;
    let note = "\n\n[Stopped at 2 results. Use a narrower pattern or a larger limit for more.]";
    assert_eq!(said, Ok("a.rs\nsrc/b.rs".to_owned() + note));
    assert_eq!(fixture.said("find", json!({ "pattern": "*.rs", "limit": 3 })).await.unwrap().lines().count(), 3);
    let said = fixture.said("find", json!({ "pattern": "*", "path": "a.rs" })).await;
    assert_eq!(said, Err("`a.rs` is a file, not a folder.".to_owned()));
}
