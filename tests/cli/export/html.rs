//! What a page is made of.

/// The elements of a page, each with the names of its attributes, in order; and no text of it.
pub(super) fn elements(page: &str) -> Vec<String> {
    let mut elements = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        let end = end_of_tag(&rest[start..]);
        let tag = &rest[start..start + end];
        rest = &rest[start + end..];
        elements.push(shape(tag));
        for raw in ["style", "script"] {
            if tag.starts_with(&format!("<{raw}")) {
                rest = &rest[rest.find(&format!("</{raw}")).expect("it ends")..];
            }
        }
    }
    elements
}

/// Where a tag ends: a `>` between quotes does not end it.
fn end_of_tag(tag: &str) -> usize {
    let mut quoted = false;
    for (place, c) in tag.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '>' if !quoted => return place + 1,
            _ => {}
        }
    }
    panic!("a tag does not end: {}", &tag[..tag.len().min(80)]);
}

/// A tag without the values of its attributes.
fn shape(tag: &str) -> String {
    tag.split('"').step_by(2).collect::<Vec<_>>().join("\"")
}

/// The words of a page as they are read, but for what a style or a script says.
pub(super) fn words(page: &str) -> String {
    let mut words = String::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        words.push_str(&rest[..start]);
        let tag = &rest[start..];
        rest = &tag[end_of_tag(tag)..];
        for raw in ["style", "script"] {
            if tag.starts_with(&format!("<{raw}")) {
                rest = &rest[rest.find(&format!("</{raw}")).expect("it ends")..];
            }
        }
        let inline = ["<b>", "</b>", "<bdi>", "</bdi>", "<code>", "</code>", "<a ", "</a>", "<span", "</span"];
        words.push_str(if inline.iter().any(|inline| tag.starts_with(inline)) { " " } else { "\n" });
    }
    words.push_str(rest);
    let lines = words.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let text = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    text.replace("&quot;", "\"").replace("&#39;", "'").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}
