//! Output longer than what the model reads.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::*;

const NUMBERS: &str = "seq 100000";

fn numbers(range: std::ops::RangeInclusive<u32>) -> String {
    range.map(|number| format!("{number}\n")).collect()
}

/// The file that a result names.
fn named(said: &str) -> PathBuf {
    let name = said.split_once("All of it is in ").unwrap().1.split_once(": read").unwrap().0;
    PathBuf::from(name)
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn the_body_gives_all_of_it_and_only_then_it_is_cut() {
    let fixture = Fixture::new();
    let output = start(&fixture, NUMBERS, 9.0).await.run(context()).await.unwrap();
    assert_eq!(said(Ok(output.clone())), Ok(numbers(1..=100_000)));
    let cut = said(Ok(fixture.tool("bash").fit(output).await)).unwrap();
    let all = numbers(1..=100_000).len() - 2_000 * 6 - 1;
    let note = format!(
        "\n[Showing the last 2000 of 100000 lines; {all} bytes before them were cut. To keep all of it, send the output \
         to a file.]\n"
    );
    assert_eq!(cut, numbers(98_001..=100_000) + &note);
}

#[tokio::test]
async fn the_whole_is_kept_where_only_this_user_reads_it_and_the_model_may() {
    let (fixture, folder) = Fixture::keeping();
    let result = fixture.said("bash", json!({ "command": format!("{NUMBERS}; exit 3") })).await.unwrap_err();
    assert!(result.contains("100000\n\nThe command exited with code 3.\n\n[Showing the last 2000 of "), "{result}");
    let file = named(&result);
    assert_eq!(file.parent(), Some(&*folder));
    assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
    let kept = std::fs::read_to_string(&file).unwrap();
    assert_eq!(kept, numbers(1..=100_000) + "\nThe command exited with code 3.");

    let read = fixture.said("read", json!({ "path": file, "offset": 50_000, "limit": 1 })).await.unwrap();
    assert!(read.contains("50000"), "{read}");
    let found = fixture.said("grep", json!({ "path": file, "pattern": "^77777$" })).await.unwrap();
    assert!(found.contains("77777"), "{found}");

    drop(fixture);
    assert!(!folder.exists());
}

#[tokio::test]
async fn no_file_tool_writes_there() {
    let (fixture, folder) = Fixture::keeping();
    let kept = named(&fixture.said("bash", json!({ "command": NUMBERS })).await.unwrap());
    for path in [kept.clone(), folder.join("new")] {
        fixture.said("write", json!({ "path": path, "content": "x" })).await.unwrap_err();
        let edits = json!([{ "oldText": "77777", "newText": "x" }]);
        fixture.said("edit", json!({ "path": path, "edits": edits })).await.unwrap_err();
    }
    assert_eq!(std::fs::read_to_string(kept).unwrap(), numbers(1..=100_000));
    assert!(!folder.join("new").exists());
}

#[tokio::test]
async fn the_last_of_many_are_kept() {
    let (fixture, folder) = Fixture::keeping();
    let tool = fixture.tool("bash");
    for _ in 0..40 {
        tool.fit(ToolOutput::text(numbers(1..=3_000))).await;
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 32);
    assert!(!folder.join("output-8.txt").exists() && folder.join("output-9.txt").exists());
}

#[tokio::test]
async fn what_fits_is_not_kept() {
    let (fixture, folder) = Fixture::keeping();
    assert_eq!(fixture.said("bash", json!({ "command": "seq 1000" })).await, Ok(numbers(1..=1_000)));
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

#[tokio::test]
async fn all_texts_of_a_result_share_the_room() {
    let (fixture, _) = Fixture::keeping();
    let texts = [numbers(1..=1_500), numbers(1..=1_500), "changed by a plugin".to_owned()];
    let content = texts.iter().map(|text| seam_loop::Content::text(text.clone())).collect();
    let output = fixture.tool("bash").fit(ToolOutput { content, ..ToolOutput::default() }).await;
    assert_eq!(output.content.len(), 1);
    let text = output.content[0].as_text().unwrap();
    assert!(text.contains("1500\n\nchanged by a plugin\n\n[Showing the last 2000 of 3003 lines"), "{text}");
    assert_eq!(std::fs::read_to_string(named(text)).unwrap(), texts.join("\n"));
}

#[tokio::test]
async fn one_endless_line_is_cut_and_what_was_dropped_is_said() {
    let said = bash(r"head -c 20000000 /dev/zero | tr '\0' x").await.unwrap();
    let dropped =
        "[The command printed 20000000 bytes; only the last 4 MiB were kept. To keep all, send them to a file.]";
    let (line, rest) = said.split_once("\n\n").unwrap();
    assert_eq!(line, "x".repeat(50 * 1024 - dropped.len() - 2));
    assert!(rest.starts_with(&format!("{dropped}\n\n[Showing the last 3 of 3 lines; ")), "{rest}");
}
