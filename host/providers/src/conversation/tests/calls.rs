//! Calls and their results: ids that the service takes, and one result behind each call.

use std::collections::BTreeSet;

use super::*;

/// The ids of the calls and those of the results, as a service with these ids is told them.
fn ids(given: &[&str], ids: Ids) -> (Vec<String>, Vec<String>) {
    let results = given.iter().rev().map(|id| gives(id, "r"));
    let messages: Vec<_> = [said(given.iter().map(|id| call(id)).collect())].into_iter().chain(results).collect();
    let turns = turns(&messages, &us(), true, ids);
    let [Turn::Model(said), Turn::Results(results)] = &turns[..] else { panic!("{turns:?}") };
    let id_of = |said: &Said<'_>| match said {
        Said::Call { id, .. } => id.to_string(),
        other => panic!("{other:?}"),
    };
    (said.iter().map(id_of).collect(), results.iter().map(|result| result.id.to_string()).collect())
}

/// Bug log 109.
#[test]
fn a_call_and_its_result_have_the_same_id_which_the_service_takes() {
    let long = "x".repeat(400);
    let odd = ["ns.bash:0", &long, "call_1|fc_2", "", "ü", "a b", "\n", "call:1", "call|1", "x".repeat(41).leak()];
    for (kind, is_one) in [
        (Ids::USUAL, (|id: &str| id.len() <= 40) as fn(&str) -> bool),
        (Ids::SHORT, |id| id.len() == 9 && !id.contains(['-', '_'])),
    ] {
        let (calls, results) = ids(&odd, kind);
        assert_eq!(calls, results);
        assert_eq!(calls.iter().collect::<BTreeSet<_>>().len(), odd.len(), "{calls:?}");
        for id in &calls {
            assert!(is_one(id) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)), "{id}");
        }
        assert_eq!(ids(&odd, kind).0, calls, "the same each time");
    }
}

#[test]
fn an_id_that_the_service_takes_stays_as_it_is() {
    let usual = ["call_1", "toolu_01A-b", &"x".repeat(40)];
    assert_eq!(ids(&usual, Ids::USUAL).0, usual);
    assert_eq!(ids(&["abcDEF123"], Ids::SHORT).0, ["abcDEF123"]);
    for id in ["abcDEF12", "abcDEF1234", "abc_EF123"] {
        assert_ne!(ids(&[id], Ids::SHORT).0, [id]);
    }
}

#[test]
fn results_come_in_the_order_of_the_calls() {
    let messages = [said(vec![call("a"), call("b"), call("c")]), gives("c", "3"), gives("a", "1"), gives("b", "2")];
    assert_eq!(told(&messages)[1], r#"results a "1", b "2", c "3""#);
}

#[test]
fn a_call_without_a_result_gets_one_that_says_so() {
    let none = format!("{NO_RESULT:?}");
    let asked = |more: Vec<Arc<Message>>| {
        let messages: Vec<_> = [said(vec![call("a"), call("b")]), gives("b", "2")].into_iter().chain(more).collect();
        told(&messages)[1].clone()
    };
    let expected = format!("results a! {none}, b \"2\"");
    assert_eq!(asked(vec![]), expected);
    assert_eq!(asked(vec![says("go on")]), expected);
    assert_eq!(asked(vec![said(vec![text("hi")])]), expected);
    // A result that comes too late is none.
    assert_eq!(asked(vec![says("go on"), gives("a", "1")]), expected);
}

#[test]
fn a_result_without_a_call_and_a_second_one_are_left_out() {
    let messages = [
        gives("a", "before"),
        said(vec![call("a")]),
        gives("b", "of nobody"),
        gives("a", "1"),
        gives("a", "again"),
        says("hi"),
        gives("a", "behind"),
    ];
    assert_eq!(told(&messages), ["model [a#proof]", r#"results a "1""#, r#"user "hi""#]);
}

/// Between two answers of a model are the results of the first.
#[test]
fn calls_of_two_answers_in_a_row_get_their_own_results() {
    let messages = [said(vec![call("a")]), gives("a", "1"), said(vec![call("b")]), gives("b", "2")];
    let expected = ["model [a#proof]", r#"results a "1""#, "model [b#proof]", r#"results b "2""#];
    assert_eq!(told(&messages), expected);
}
