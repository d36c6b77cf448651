use super::mend;
use crate::notice::Problem;

fn mended(line: &[u8]) -> (String, Vec<Problem>) {
    let mut line = line.to_vec();
    let found = mend(&mut line);
    (String::from_utf8(line).unwrap(), found)
}

#[test]
fn half_a_surrogate_pair_becomes_the_replacement_character() {
    for (line, text) in [
        (r#""a\ud83d""#, r#""a\ufffd""#),
        (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
        (r#""\uDE00\uD83D x""#, r#""\ufffd\ufffd x""#),
        (r#""\\\ud83d""#, r#""\\\ufffd""#),
    ] {
        assert_eq!(mended(line.as_bytes()), (text.to_owned(), vec![Problem::HalfPair]), "{line}");
        assert!(serde_json::from_str::<String>(&mended(line.as_bytes()).0).is_ok());
    }
}

#[test]
fn whole_pairs_and_escaped_backslashes_stay() {
    for line in [r#""\ud83d\ude00""#, r#""\\ud83d""#, r#""\u00e9 \n""#, r#""\uD83D\uDE00 \\uDE00""#, r#""\ud8"#, "\\"] {
        assert_eq!(mended(line.as_bytes()), (line.to_owned(), vec![]), "{line}");
    }
}

#[test]
fn bytes_that_are_no_utf8_become_the_replacement_character() {
    assert_eq!(mended(b"\"a\xff\xf0\x9fb\""), ("\"a\u{fffd}\u{fffd}b\"".to_owned(), vec![Problem::NotUtf8]));
}
