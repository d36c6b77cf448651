//! What the tools did, beside what is stored about it.

use std::fs;
use std::path::Path;

use super::history::History;
use super::script::{Call, Mark, Script};
use super::tally::{Fault, Kind};

/// Holds the marks of all calls against what is stored of them.
pub(super) fn check(project: &Path, scripts: &[Script], history: &History) -> Result<(), Fault> {
    let lines = fs::read_to_string(project.join("marks")).unwrap_or_default();
    for call in scripts.iter().flat_map(Script::all_calls).filter(|call| call.mark != Mark::Nothing) {
        let marks = count(project, &lines, &call);
        let (asked, done) = (history.asked.contains(&call.id), history.done.contains(&call.id));
        let fault = match marks {
            0 if done => Some(Kind::Lost),
            2.. => Some(Kind::Twice),
            1 if !asked => Some(Kind::Unrecorded),
            1 if history.says_not_run(&call.id) => Some(Kind::Untrue),
            _ => None,
        };
        if let Some(kind) = fault {
            let text = format!("call {} ran {marks} times; asked: {asked}, done: {done}", call.id);
            return Err(Fault::new(kind, text));
        }
    }
    Ok(())
}

fn count(project: &Path, lines: &str, call: &Call) -> usize {
    let word = || fs::read_to_string(project.join("words").join(&call.id)).unwrap_or_default();
    match call.mark {
        Mark::Line => lines.lines().filter(|line| *line == call.id).count(),
        Mark::Word => word().matches("run ").count(),
        Mark::File => usize::from(project.join("made").join(&call.id).exists()),
        Mark::Nothing => 0,
    }
}

/// The ids of the calls that left a mark.
pub(super) fn left(project: &Path, scripts: &[Script]) -> Vec<String> {
    let lines = fs::read_to_string(project.join("marks")).unwrap_or_default();
    let calls = scripts.iter().flat_map(Script::all_calls);
    calls.filter(|call| count(project, &lines, call) > 0).map(|call| call.id).collect()
}
