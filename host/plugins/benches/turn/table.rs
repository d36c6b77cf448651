//! The table, and what its numbers are.

use crate::case::Group;

/// Medians of a case: ours, and the reference's when it was measured. Microseconds of a turn.
pub(crate) type Times = (f64, Option<f64>);

const NOTES: &str = "
us         microseconds of a turn, from its request to the next: a response that is ready, its calls validated against
           a schema, gated and run (10 parameters and 200 bytes of arguments where nothing else is said; a body that
           returns at once), results stored, events told to one listener. For the deltas: from the request to the end of
           the run. The median of the turns of a round, so what only some turns pay (collecting garbage, other
           programs) hardly counts.
ratio      ours / reference. Below 1 ours takes less time. A sandboxed row stands against the same number of functions
           in the reference's process, because it has no sandbox.
ours/1st   the row's time / the time of the first row of its group, for ours;
ref./1st   the same for the reference.

The aims: 8 sandboxed gates take at most the reference's time with 8 functions in its process. A turn takes the same
time whatever the length of the transcript and the number of tools.";

pub(crate) fn print(groups: &[Group], times: &[Vec<Times>]) {
    let [ours, reference, ratio, ours_flat, reference_flat] = ["ours us", "ref. us", "ratio", "ours/1st", "ref./1st"];
    println!("{:<42}{ours:>10}{reference:>10}{ratio:>8}{ours_flat:>10}{reference_flat:>10}", "");
    for (group, times) in groups.iter().zip(times) {
        println!("{}", group.title);
        let first = times[0];
        for ((name, _), &(ours, reference)) in group.rows.iter().zip(times) {
            let reference_flat = reference.zip(first.1).map(|(this, first)| this / first);
            println!(
                "  {name:<40}{ours:>10.1}{}{}{}{}",
                number(reference, 10, 1),
                number(reference.map(|reference| ours / reference), 8, 2),
                number(group.flat.then_some(ours / first.0), 10, 2),
                number(reference_flat.filter(|_| group.flat), 10, 2),
            );
        }
    }
    println!("{NOTES}");
}

fn number(number: Option<f64>, width: usize, decimals: usize) -> String {
    number.map_or_else(|| " ".repeat(width), |number| format!("{number:>width$.decimals$}"))
}
