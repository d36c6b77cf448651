use std::fs::{self, File};
use std::io;

use super::{STRETCH, Window};
use crate::lines::Place;

#[test]
fn lines_are_read_in_any_order_whatever_their_length() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let lines = ["one".to_owned(), "x".repeat(2 * STRETCH), "y".repeat(STRETCH - 7), String::new(), "last".to_owned()];
    fs::write(&path, lines.join("\n")).unwrap();
    let mut offset = 0;
    let places = lines.each_ref().map(|line| {
        let place = Place { line: 0, offset, bytes: line.len() as u64 };
        offset += place.bytes + 1;
        place
    });
    let file = File::open(&path).unwrap();
    let mut window = Window::new(&file);
    for at in [0, 1, 2, 3, 4, 0, 4, 1, 3, 2, 2] {
        assert!(window.line(places[at]).unwrap() == lines[at].as_bytes(), "{at}");
    }
    let beyond = Place { line: 0, offset: offset - 2, bytes: 2 };
    assert_eq!(window.line(beyond).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
}
