//! From the names that generated Rust code has to those of the contract.

/// A field: `cache_read` is `cache-read`, and `type_` is `type`, which Rust keeps for itself.
pub(crate) fn field(out: &mut Vec<u8>, name: &str) {
    let name = name.trim_end_matches('_');
    out.extend(name.bytes().map(|byte| if byte == b'_' { b'-' } else { byte }));
}

/// A case: `DropRange` is `drop-range`.
pub(crate) fn case(out: &mut Vec<u8>, name: &str) {
    for (place, byte) in name.trim_end_matches('_').bytes().enumerate() {
        if byte.is_ascii_uppercase() && place > 0 {
            out.push(b'-');
        }
        out.push(byte.to_ascii_lowercase());
    }
}

/// An interface or a function.
pub(crate) fn item(name: &str) -> String {
    let mut out = Vec::with_capacity(name.len());
    field(&mut out, name);
    String::from_utf8(out).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    /// The words of Rust that a name of the contract might be.
    const KEYWORDS: [&str; 12] =
        ["as", "box", "enum", "final", "in", "match", "move", "ref", "self", "type", "use", "where"];

    /// Every name of the contract and some words of its grammar: all that starts with a letter.
    fn words() -> BTreeSet<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit");
        let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
        let files = files.filter(|file| file.extension().is_some_and(|extension| extension == "wit"));
        let text: String = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
        let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let words = lines.flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '-'));
        let words = words.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()));
        words.map(str::to_owned).chain(KEYWORDS.map(str::to_owned)).collect()
    }

    /// As the generator names a field.
    fn as_field(word: &str) -> String {
        let escape = if KEYWORDS.contains(&word) { "_" } else { "" };
        word.replace('-', "_") + escape
    }

    /// As it names a case.
    fn as_case(word: &str) -> String {
        let parts = word.split('-').map(|part| part[..1].to_uppercase() + &part[1..]);
        let case: String = parts.collect();
        if case == "Self" { "Self_".to_owned() } else { case }
    }

    #[test]
    fn every_name_of_the_contract_comes_back() {
        let words = words();
        assert!(words.len() > 300 && words.contains("cache-read") && words.contains("type"), "{}", words.len());
        for word in &words {
            let (mut named, mut cased) = (Vec::new(), Vec::new());
            field(&mut named, &as_field(word));
            case(&mut cased, &as_case(word));
            let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
            assert_eq!((&text(named), &text(cased)), (word, word));
        }
    }
}
