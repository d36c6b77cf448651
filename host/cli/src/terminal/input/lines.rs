//! Lines of a bounded length.

use std::io::BufRead;

/// The longest line, in bytes.
pub(crate) const LONGEST: usize = 1 << 20;

/// A line, without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Line {
    /// What it says.
    Text(String),
    /// It is longer than [`LONGEST`]. Nothing of it is kept.
    TooLong,
    /// It is no UTF-8.
    NotText,
}

impl Line {
    /// Its text, if it has one.
    pub(crate) fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            Self::TooLong | Self::NotText => None,
        }
    }
}

/// The next line. None at the end, and when nothing can be read.
pub(super) fn next(input: &mut impl BufRead) -> Option<Line> {
    let (mut line, mut is_too_long, mut is_there) = (Vec::new(), false, false);
    loop {
        let piece = match input.fill_buf() {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Ok(piece) if !piece.is_empty() => piece,
            Ok(_) | Err(_) if is_there => return Some(of(line, is_too_long)),
            Ok(_) | Err(_) => return None,
        };
        is_there = true;
        let end = piece.iter().position(|byte| *byte == b'\n');
        let text = piece.get(..end.unwrap_or(piece.len())).unwrap_or_default();
        is_too_long |= line.len() + text.len() > LONGEST;
        match is_too_long {
            true => line.clear(),
            false => line.extend_from_slice(text),
        }
        let used = text.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            return Some(of(line, is_too_long));
        }
    }
}

fn of(mut line: Vec<u8>, is_too_long: bool) -> Line {
    if is_too_long {
        return Line::TooLong;
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    String::from_utf8(line).map_or(Line::NotText, Line::Text)
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn lines(bytes: &[u8], buffer: usize) -> Vec<Line> {
        let mut input = BufReader::with_capacity(buffer, bytes);
        std::iter::from_fn(|| next(&mut input)).collect()
    }

    #[test]
    fn a_line_is_a_line_however_it_arrives_and_ends() {
        let text = |text: &str| Line::Text(text.to_owned());
        for buffer in [1, 3, 64] {
            let found = lines("a b\r\n\n\u{e9}\u{2028}x\r\nend".as_bytes(), buffer);
            assert_eq!(found, [text("a b"), text(""), text("\u{e9}\u{2028}x"), text("end")]);
        }
        assert_eq!(lines(b"", 8), []);
        assert_eq!(lines(b"\n", 8), [text("")]);
    }

    #[test]
    fn what_is_no_text_or_too_long_spoils_no_other_line() {
        let whole = "x".repeat(LONGEST);
        let bytes = [b"a\n\xff\xfe\n", whole.as_bytes(), b"\n", whole.as_bytes(), b"y\nb"].concat();
        let found = lines(&bytes, 8192);
        let text = |text: &str| Line::Text(text.to_owned());
        assert_eq!(found, [text("a"), Line::NotText, text(&whole), Line::TooLong, text("b")]);
    }
}
