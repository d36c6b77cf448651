use std::os::unix::net::UnixListener;
use std::time::Duration;

use seam_loop::message::Content;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::page::{self, PATIENCE, Page, Patience, Range};
use super::show::show;
use crate::testing::{Fixture, context};

fn paged(text: &str, first: u64, count: u64, max: usize) -> Page {
    page::read(text.as_bytes(), &Range { first, count }, max, &PATIENCE, &CancellationToken::new()).unwrap()
}

fn page(text: &str, last: u64, total: u64, is_cut: bool) -> Page {
    Page { bytes: text.as_bytes().to_vec(), last, total, is_whole: true, is_cut }
}

#[test]
fn pages() {
    assert_eq!(paged("", 1, 9, 9), page("", 0, 0, false));
    assert_eq!(paged("a\nb", 1, 9, 9), page("a\nb", 2, 2, false));
    assert_eq!(paged("a\r\nb\n", 1, 9, 9), page("a\r\nb\n", 2, 2, false));
    assert_eq!(paged("a\nb\nc\n", 2, 1, 9), page("b\n", 2, 3, false));
    assert_eq!(paged("aaa\nbbb\nc\n", 1, 9, 7), page("aaa\n", 1, 3, false));
    assert_eq!(paged("a\n€€€\nc", 2, 9, 5), page("€", 2, 3, true));
    assert_eq!(paged("a\n", 5, 9, 5), page("", 0, 1, false));
}

#[tokio::test]
async fn long_files_say_how_to_go_on() {
    let fixture = Fixture::new();
    let line = |number| format!("line {number}\n");
    fixture.put("f", (1..=5_230).map(line).collect::<String>());
    let first: String = (1..=2_000).map(line).collect();
    let note = "\n[Showing lines 1-2000 of 5230. Use offset=2001 to continue.]";
    assert_eq!(fixture.said("read", json!({ "path": "f" })).await, Ok(first + note));
    let some = json!({ "path": "f", "offset": 5_229, "limit": 1 });
    let text = "line 5229\n\n[Showing lines 5229-5229 of 5230. Use offset=5230 to continue.]";
    assert_eq!(fixture.said("read", some).await, Ok(text.to_owned()));
    let last = json!({ "path": "f", "offset": 5_230 });
    assert_eq!(fixture.said("read", last).await, Ok("line 5230\n".to_owned()));
    let beyond = json!({ "path": "f", "offset": 5_231 });
    let text = "Offset 5231 is beyond the end of `f`, which has 5230 lines.";
    assert_eq!(fixture.said("read", beyond).await, Err(text.to_owned()));
}

#[tokio::test]
async fn a_line_of_many_bytes_is_cut() {
    let fixture = Fixture::new();
    fixture.put("f", "x".repeat(1_000_000) + "\nend");
    let note = "\n\n[Line 1 is longer than 50 KiB; only its start is shown. Use offset=2 to continue.]";
    assert_eq!(fixture.said("read", json!({ "path": "f" })).await, Ok("x".repeat(50 * 1024) + note));
}

#[tokio::test]
async fn what_is_no_text_file_gets_a_clear_answer_at_once() {
    let fixture = Fixture::allowing(&["/dev", "/proc"]);
    rustix::fs::mkfifoat(rustix::fs::CWD, fixture.root.join("p"), rustix::fs::Mode::RWXU).unwrap();
    let _socket = UnixListener::bind(fixture.root.join("s")).unwrap();
    fixture.put("d/f", "");
    fixture.put("latin1", b"M\xfcll\nqty=5\n");
    let not_text =
        "`latin1` is not UTF-8 text, so `read` cannot show it. Look at it with `bash`, such as `file` or `xxd`.";
    let cases = [
        ("p", "`p` is a pipe, not an ordinary file."),
        ("s", "`s` is a socket, not an ordinary file."),
        ("d", "`d` is a folder. Use `ls` to list it."),
        ("none", "`none` does not exist."),
        ("latin1", not_text),
        ("/dev/zero", "`/dev/zero` is a device, not an ordinary file."),
    ];
    for (path, why) in cases {
        assert_eq!(fixture.said("read", json!({ "path": path })).await, Err(why.to_owned()));
    }
    for (tool, extra) in [("write", json!("x")), ("edit", json!([{ "oldText": "a", "newText": "b" }]))] {
        let field = if tool == "write" { "content" } else { "edits" };
        let said = fixture.said(tool, json!({ "path": "p", field: extra })).await;
        assert_eq!(said, Err("`p` is a pipe, not an ordinary file.".to_owned()));
    }
    assert_eq!(fixture.said("read", json!({ "path": "d/f" })).await, Ok("`d/f` is empty.".to_owned()));
    if cfg!(target_os = "linux") {
        assert!(fixture.said("read", json!({ "path": "/proc/self/mem" })).await.is_err());
    }
}

#[tokio::test]
async fn pictures_are_told_by_their_bytes() {
    let fixture = Fixture::new();
    let webp = b"RIFF\0\0\0\0WEBPVP8 ";
    let cases: [(&[u8], &str); 4] = [
        (b"\x89PNG\r\n\x1a\n...", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a..", "image/gif"),
        (webp, "image/webp"),
    ];
    for (data, mime_type) in cases {
        fixture.put("picture.txt", data);
        let output = fixture.run("read", json!({ "path": "picture.txt" })).await.unwrap();
        let text = Content::text(format!("Image `picture.txt` ({mime_type}, {} bytes):", data.len()));
        let picture = Content::Image { data: data.to_vec(), mime_type: mime_type.to_owned() };
        assert_eq!(output.content, [text, picture]);
    }
    let mut large = b"\xff\xd8\xff".to_vec();
    large.resize(3_750_001, 0);
    fixture.put("large.jpg", large);
    let why = "`large.jpg` is an image of more than 3750000 bytes, which models refuse. Make it smaller first.";
    assert_eq!(fixture.said("read", json!({ "path": "large.jpg" })).await, Err(why.to_owned()));
}

#[tokio::test]
async fn an_abort_ends_a_read() {
    let fixture = Fixture::new();
    fixture.put("f", "x");
    let context = context();
    context.abort.cancel();
    let result = fixture.resolve("read", json!({ "path": "f" })).await.run(context).await;
    assert!(matches!(result, Err(seam_loop::tool::ToolError::Aborted)));
}

#[tokio::test]
async fn a_file_without_end_gives_its_start() {
    let fixture = Fixture::new();
    let sparse = |name: &str, start: &str| {
        fixture.put(name, start);
        let file = std::fs::File::options().write(true).open(fixture.root.join(name)).unwrap();
        file.set_len(200 << 30).unwrap();
    };
    sparse("f", "1\n2\n3\n");
    let note = "\n[Showing lines 1-2 of more than 3. Use offset=3 to continue.]";
    let said = fixture.said("read", json!({ "path": "f", "limit": 2 })).await;
    assert_eq!(said, Ok(format!("1\n2\n{note}")));
    let said = fixture.said("read", json!({ "path": "f" })).await;
    let note = "\n[Showing lines 1-3 of more than 3. Use offset=4 to continue.]";
    assert_eq!(said, Ok(format!("1\n2\n3\n{note}")));
    sparse("g", "1");
    let note = "\n\n[Line 1 is longer than 50 KiB; only its start is shown. Its end was not reached.]";
    let said = fixture.said("read", json!({ "path": "g" })).await;
    assert_eq!(said, Ok(format!("1{}{note}", "\0".repeat(50 * 1024 - 1))));
}

#[tokio::test]
async fn a_line_that_is_too_far_away_is_not_looked_for_for_ever() {
    let patience = Patience { before: Duration::ZERO, ..PATIENCE };
    let text = "a\n".repeat(100_000);
    let range = Range { first: 90_000, count: 1 };
    let page = page::read(text.as_bytes(), &range, 9, &patience, &CancellationToken::new()).unwrap();
    let why = "Line 90000 of `f` was not reached in time; the search got to line 32768. Look at it with `bash`.";
    assert_eq!(show("f", page, 90_000).unwrap_err().to_string(), why);
}
