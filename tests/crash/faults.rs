//! A disk that fails in the middle of a run: every write and every sync of the session and of its journal in turn.

use std::slice::from_ref;
use std::thread;

use super::after::{ended, goes_on};
use super::bed::Bed;
use super::ran::{End, Ran};
use super::script::Script;

/// More calls on its files than a run can make.
const MOST: u64 = 400;
const SESSION: &str = ".jsonl";
const JOURNAL: &str = ".journal";

/// What goes wrong, and where.
#[derive(Clone, Copy, Debug)]
struct Case {
    call: &'static str,
    deed: &'static str,
    part: &'static str,
}

const fn case(call: &'static str, deed: &'static str, part: &'static str) -> Case {
    Case { call, deed, part }
}

/// Does a case for each call of its kind, until a run makes fewer calls.
fn every(cases: &[Case], durability: &str, holds: impl Fn(&Bed, &Script, &Ran) + Sync) {
    thread::scope(|scope| {
        for half in [0, 1] {
            let cases = cases.iter().skip(half).step_by(2);
            let holds = &holds;
            scope.spawn(move || cases.for_each(|case| swept(*case, durability, holds)));
        }
    });
}

fn swept(Case { call, deed, part }: Case, durability: &str, holds: &impl Fn(&Bed, &Script, &Ran)) {
    for number in 1..MOST {
        let (bed, script) = (Bed::new(durability), Script::new("first", 2));
        let ran = Ran::new(&bed, &script, None, &End::Fault { call, number, deed, part });
        if !ran.failed {
            assert_eq!((ran.code, &ran.acknowledged), (Some(0), &script.said()), "{}", ran.told);
            assert!(number > 1, "there is no `{call}` of `{part}`");
            return;
        }
        println!("{durability}: {call} {number} of {part}: {deed}: {:?} {}", ran.code, ran.told);
        holds(&bed, &script, &ran);
    }
    panic!("a run makes {MOST} calls of `{call}`");
}

#[test]
fn a_session_whose_writes_or_syncs_fail_ends_the_run_and_loses_nothing() {
    let cases = [
        case("write", "error", SESSION),
        case("write", "full", SESSION),
        case("write", "half", SESSION),
        case("write", "stuck", SESSION),
        case("sync", "error", SESSION),
    ];
    every(&cases, "entry", |bed, script, ran| {
        ended(bed, script, ran);
        goes_on(bed, from_ref(script), &ran.acknowledged, false);
    });
    every(&cases[4..], "save-point", |bed, script, ran| {
        ended(bed, script, ran);
        goes_on(bed, from_ref(script), &ran.acknowledged, false);
    });
}

/// What cannot be recorded is not decided: no tool runs of which the journal does not say that it was to run.
#[test]
fn a_journal_whose_writes_or_syncs_fail_ends_the_run_and_nothing_runs_without_it() {
    let cases = [
        case("write", "error", JOURNAL),
        case("write", "stuck", JOURNAL),
        case("sync", "error", JOURNAL),
        case("cut", "error", JOURNAL),
    ];
    every(&cases, "entry", |bed, script, ran| {
        ended(bed, script, ran);
        goes_on(bed, from_ref(script), &ran.acknowledged, false);
    });
}

#[test]
fn a_write_that_takes_half_is_made_whole() {
    every(&[case("write", "short", SESSION), case("write", "short", JOURNAL)], "entry", |bed, script, ran| {
        assert_eq!((ran.code, &ran.acknowledged), (Some(0), &script.said()), "{}", ran.told);
        goes_on(bed, from_ref(script), &ran.acknowledged, false);
    });
}

/// Half a line is moved aside, calls get their results, the journal begins again: each of that can fail, and be done later.
#[test]
fn a_session_whose_disk_fails_when_it_goes_on_can_go_on_later() {
    for number in 1..MOST {
        let (bed, first, second) = (Bed::new("entry"), Script::new("first", 2), Script::new("second", 1));
        let torn = End::Fault { call: "write", number: 7, deed: "kill-half", part: SESSION };
        let killed = Ran::new(&bed, &first, None, &torn);
        assert!(killed.failed && killed.code.is_none());
        let fault = End::Fault { call: "any", number, deed: "error", part: "" };
        let ran = Ran::new(&bed, &second, bed.session().as_deref(), &fault);
        assert!(!ran.failed || ran.code != Some(0), "{number}: {}", ran.told);
        let told = [killed.acknowledged, ran.acknowledged].concat();
        goes_on(&bed, &[first, second], &told, false);
        if !ran.failed {
            return;
        }
    }
    panic!("a run makes {MOST} calls");
}

/// Nothing that was told is lost with the power, and of no call that ran it is said that it did not.
#[test]
fn a_loss_of_power_at_any_call_loses_nothing_that_was_told() {
    every(&[case("any", "power", ""), case("any", "power-half", "")], "entry", |bed, script, ran| {
        assert_eq!(ran.code, None);
        goes_on(bed, from_ref(script), &ran.acknowledged, true);
    });
}
