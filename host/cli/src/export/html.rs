//! HTML as it is written: what is ours goes in as it is, all else is escaped. There is no third way.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::terminal::style::is_unseen;

/// A page that is being written. After the first failure nothing more is written; [`end`](Self::end) tells of it.
pub(crate) struct Html<'a> {
    out: &'a mut dyn Write,
    failure: Option<io::Error>,
}

impl<'a> Html<'a> {
    /// A page that goes there.
    pub(crate) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, failure: None }
    }

    /// Markup of ours. Only what stands in the source of this program can be given.
    pub(crate) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.write(markup)
    }

    /// A number, as digits.
    pub(crate) fn number(&mut self, number: impl Into<u64>) -> &mut Self {
        self.write(&number.into().to_string())
    }

    /// Text of anybody, in an element or in an attribute with quotes. What cannot be seen is named.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        let mut rest = text;
        while let Some(at) = rest.find(is_special) {
            let (plain, special) = rest.split_at(at);
            let mut after = special.chars();
            let character = after.next().unwrap_or_default();
            self.write(plain).write(&replaced(character));
            rest = after.as_str();
        }
        self.write(rest)
    }

    /// JSON inside of a script element: nothing in it can end the element.
    pub(crate) fn json(&mut self, json: &str) -> &mut Self {
        let mut rest = json;
        while let Some((plain, after)) = rest.split_once(['<', '>', '&', '\u{2028}', '\u{2029}']) {
            let special = rest.get(plain.len()..).and_then(|rest| rest.chars().next()).unwrap_or_default();
            self.write(plain).write(&format!("\\u{:04x}", u32::from(special)));
            rest = after;
        }
        self.write(rest)
    }

    /// The first failure, if there was one.
    pub(crate) fn end(self) -> io::Result<()> {
        self.failure.map_or(Ok(()), Err)
    }

    fn write(&mut self, text: &str) -> &mut Self {
        if self.failure.is_none() {
            self.failure = self.out.write_all(text.as_bytes()).err();
        }
        self
    }
}

fn is_special(c: char) -> bool {
    matches!(c, '&' | '<' | '>' | '"' | '\'') || is_named(c)
}

fn is_named(c: char) -> bool {
    is_unseen(c) || c.is_control() && !matches!(c, '\n' | '\t')
}

fn replaced(c: char) -> Cow<'static, str> {
    match c {
        '&' => "&amp;".into(),
        '<' => "&lt;".into(),
        '>' => "&gt;".into(),
        '"' => "&quot;".into(),
        '\'' => "&#39;".into(),
        // It is a part of many line ends; all other names are longer.
        '\r' => "\\r".into(),
        other => other.escape_unicode().to_string().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Html<'_>)) -> String {
        let mut bytes = Vec::new();
        let mut html = Html::new(&mut bytes);
        write(&mut html);
        html.end().unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn text_is_neither_markup_nor_unseen() {
        let hostile = "</p><b a=\"x\" c='y'>&amp;\u{0}\u{1b}\r\n\u{202e}\u{85}é\t🙂";
        let expected =
            "&lt;/p&gt;&lt;b a=&quot;x&quot; c=&#39;y&#39;&gt;&amp;amp;\\u{0}\\u{1b}\\r\n\\u{202e}\\u{85}é\t🙂";
        assert_eq!(
            written(|html| {
                html.text(hostile);
            }),
            expected
        );
    }

    #[test]
    fn json_ends_no_script() {
        let json = "[\"</script><!--\u{2028}&\"]";
        assert_eq!(
            written(|html| {
                html.json(json);
            }),
            "[\"\\u003c/script\\u003e\\u003c!--\\u2028\\u0026\"]"
        );
    }

    #[test]
    fn the_first_failure_is_told() {
        let mut full: &mut [u8] = &mut [0; 4];
        let mut html = Html::new(&mut full);
        html.raw("<p>").text("long").raw("</p>");
        assert_eq!(html.end().unwrap_err().kind(), io::ErrorKind::WriteZero);
    }
}
