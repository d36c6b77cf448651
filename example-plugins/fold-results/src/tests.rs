use seam::testing::set_conversation;
use seam::testing::{answer, assistant};

use super::*;

/// A question, then answers of the model with a long result behind each.
fn conversation(answers: usize) {
    let mut messages = vec![Message::user("go")];
    for number in 0..answers {
        messages.push(assistant(&format!("step {number}")));
        messages.push(answer(&number.to_string(), "read", &format!("{number}{}", "ä".repeat(5000))));
    }
    set_conversation(messages);
}

fn edits(plugin: &mut FoldResults) -> Vec<Edit> {
    plugin.transform(&Context { session: "s".to_owned(), length: conversation::length() })
}

#[test]
fn only_old_and_long_results_are_folded() {
    conversation(6);
    let edits = edits(&mut FoldResults::default());
    let places: Vec<u32> =
        edits.iter().map(|edit| if let Edit::Replace(placed) = edit { placed.index } else { 999 }).collect();
    assert_eq!(places, [2, 4]);
    let Some(Edit::Replace(placed)) = edits.first() else { unreachable!() };
    let text = placed.message.text().into_owned();
    assert!(text.starts_with("0ää") && text.len() < 700, "{text}");
    assert!(
        text.ends_with("[9490 more bytes of this old result are folded away. Call the tool again to read them.]"),
        "{text}"
    );
}

#[test]
fn a_short_conversation_stays() {
    conversation(4);
    assert_eq!(edits(&mut FoldResults::default()), []);
    conversation(6);
    assert_eq!(edits(&mut FoldResults { longest: 20_000, ..FoldResults::default() }), []);
}

#[test]
fn without_answers_to_keep_everything_long_is_folded() {
    conversation(2);
    assert_eq!(edits(&mut FoldResults { keep_answers: 0, ..FoldResults::default() }).len(), 2);
}
