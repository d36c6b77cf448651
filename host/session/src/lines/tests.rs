use super::{Line, Lines, Place};

/// All lines of a text, with what was kept of each.
fn all(text: &str, limit: u64) -> Vec<(Line, String)> {
    let (mut lines, mut kept, mut found) = (Lines::new(text.as_bytes()), Vec::new(), Vec::new());
    while let Some(line) = lines.read(&mut kept, limit).unwrap() {
        found.push((line, String::from_utf8(kept.clone()).unwrap()));
    }
    assert_eq!(lines.offset(), text.len() as u64);
    assert_eq!(lines.count(), found.len() as u64);
    found
}

fn line(line: u64, offset: u64, bytes: u64, ended: bool, too_long: bool) -> Line {
    Line { place: Place { line, offset, bytes }, ended, too_long }
}

#[test]
fn only_a_line_feed_ends_a_line() {
    let found = all("a\u{2028}\u{85}\rb\r\n\nlast", 100);
    let texts: Vec<&str> = found.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts, ["a\u{2028}\u{85}\rb\r", "", "last"]);
    assert_eq!(found[2].0, line(3, 11, 4, false, false));
}

#[test]
fn a_line_over_the_limit_is_counted_but_not_kept() {
    let text = format!("{}\n{}\nab\n{}", "x".repeat(10), "y".repeat(500_000), "z".repeat(11));
    assert_eq!(
        all(&text, 10),
        [
            (line(1, 0, 10, true, false), "x".repeat(10)),
            (line(2, 11, 500_000, true, true), String::new()),
            (line(3, 500_012, 2, true, false), "ab".to_owned()),
            (line(4, 500_015, 11, false, true), String::new()),
        ]
    );
}

#[test]
fn an_empty_file_has_no_line() {
    assert_eq!(all("", 10), []);
}
