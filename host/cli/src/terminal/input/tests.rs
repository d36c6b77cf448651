use std::time::Duration;

use super::*;

fn text(text: &str) -> Option<Line> {
    Some(Line::Text(text.to_owned()))
}

#[tokio::test]
async fn a_line_goes_to_the_question_that_was_there_and_else_to_a_prompt() {
    let mut state = State::default();
    let before = Instant::now();
    let (answer, answered) = oneshot::channel();
    state.question = Some((answer, before + Duration::from_millis(1)));
    state.take(text("typed before"), before);
    assert!(state.wanted && state.question.is_some());
    state.take(text("yes"), before + Duration::from_millis(2));
    state.take(text("next"), before + Duration::from_millis(3));
    assert_eq!(answered.await.unwrap(), Line::Text("yes".to_owned()));
    assert_eq!(state.lines.into_iter().map(Line::text).collect::<Option<Vec<_>>>().unwrap(), ["typed before", "next"]);
}

#[test]
fn an_answer_that_nobody_waits_for_is_a_prompt() {
    let mut state = State::default();
    let (answer, answered) = oneshot::channel();
    state.question = Some((answer, Instant::now()));
    drop(answered);
    state.take(text("late"), Instant::now());
    assert_eq!(state.lines, [Line::Text("late".to_owned())]);
}

#[tokio::test]
async fn an_end_is_no_answer_and_without_a_question_the_end_of_all() {
    let mut state = State::default();
    let (answer, answered) = oneshot::channel();
    state.question = Some((answer, Instant::now()));
    state.take(None, Instant::now());
    assert!(answered.await.is_err() && !state.over);
    state.take(None, Instant::now());
    assert!(state.over);
}
