//! What becomes of plugins built to do harm, as a table: `cargo xtask bench hostile`.
//!
//! With names of deeds: those alone. With `--together`: all at once, and an error when the host was harmed.

#![allow(clippy::print_stdout, clippy::expect_used, reason = "it prints a table")]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use tokio::runtime::Builder;

use seam_tests::hostile::{Calls, Crowd, Deed, Quiet, deeds, memory};

/// How much is shown of how it ended.
const WIDTH: usize = 43;
/// How many calls the quiet session makes, and how many when only faults are looked for.
const CALLS: usize = 300;
const FEW_CALLS: usize = 100;
/// Within what time 99 of 100 of its calls have to be done while all the others do harm. Others may need this machine.
const P99: Duration = Duration::from_secs(2);
/// How long a step of the others may compute, on a thread that the quiet session needs too. A guest that did not give
/// way would for the whole 250 ms it has. Those who count its time may wait for a processor themselves.
const STEP: Duration = Duration::from_millis(200);

fn main() -> ExitCode {
    // As a run has them.
    let threads = Builder::new_multi_thread().enable_all().event_interval(8).build();
    threads.expect("there are threads").block_on(print())
}

async fn print() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let together = words == ["--together"];
    let count = if together { FEW_CALLS } else { CALLS };
    let alone = Quiet::start().await.calls(count).await;
    if !together {
        let profile = if cfg!(debug_assertions) { "a debug build" } else { "a release build" };
        println!("{:36}  {:WIDTH$}{:>8}{:>8}", format!("a plugin does ({profile})"), "and that ends with", "ms", "MiB");
        for deed in deeds().iter().filter(|deed| words.is_empty() || words.iter().any(|word| word == deed.name)) {
            happen(deed).await;
        }
    }
    if !together && !words.is_empty() {
        return ExitCode::SUCCESS;
    }
    match all_at_once(&alone).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(harm) => {
            println!("The host was harmed: {harm}");
            ExitCode::FAILURE
        }
    }
}

/// Lets it happen and prints what that took.
async fn happen(deed: &Deed) {
    let ready = deed.prepare().await;
    memory::forget_peak();
    let (before, began) = (memory::now(), Instant::now());
    let told = deed.happen_in(ready).await;
    let (took, grown) = (began.elapsed(), memory::peak().saturating_sub(before));
    let mib = f64::from(u32::try_from(grown).unwrap_or(u32::MAX)) / 1024.0;
    println!("{:36}  {:WIDTH$}{:>8.1}{mib:>8.1}", deed.name, short(&told), took.as_secs_f64() * 1000.0);
}

/// What is told, without what is the same for all, and no more of it than fits.
fn short(told: &str) -> String {
    const BEFORE: [&str; 8] = [
        "it does not start: ",
        "Not run: ",
        "The tool ran, but its result is withheld: ",
        "plugin `hostile` failed at `tool-call`: ",
        "plugin `hostile` failed at `tool-result`: ",
        "Blocked by plugin `hostile`: ",
        "its answer is not usable: ",
        "`echo` was not called: ",
    ];
    const AFTER: [&str; 5] = [". ", "; ", ", or ", ", which ", ": failed "];
    if told == "x" {
        return "nothing: the call runs".to_owned();
    }
    let told = BEFORE.iter().fold(told.to_owned(), |told, words| told.replace(words, ""));
    let end = AFTER.iter().filter_map(|words| told.find(words)).min().unwrap_or(told.len());
    let line: String =
        told.get(..end).unwrap_or_default().chars().filter(|c| c.is_ascii_graphic() || *c == ' ').collect();
    if line.chars().count() <= WIDTH { line } else { line.chars().take(WIDTH - 1).chain(['…']).collect() }
}

/// Lets all of them happen again and again beside a session that means no harm, and says how that was.
async fn all_at_once(alone: &Calls) -> Result<(), String> {
    let count = alone.made;
    let quiet = Quiet::start().await;
    memory::forget_peak();
    let before = memory::now();
    let crowd = Crowd::begin().await;
    // On one of the threads that the others have too.
    let calls = tokio::spawn(async move { quiet.calls(count).await }).await.map_err(|error| error.to_string())?;
    let grown = memory::peak().saturating_sub(before) >> 10;
    println!();
    println!("all {} at once, and a quiet session with two gates that makes {count} calls", crowd.size());
    let ms = |calls: &Calls, of: usize| calls.percentile(of).as_secs_f64() * 1000.0;
    println!("  a call: median {:.1} ms, p99 {:.1} ms", ms(&calls, 50), ms(&calls, 99));
    println!("  alone:  median {:.1} ms, p99 {:.1} ms", ms(alone, 50), ms(alone, 99));
    let (longest, name) = crowd.longest();
    println!("  longest step without giving way: {:.1} ms, by {name}", longest.as_secs_f64() * 1000.0);
    println!("  judged by its gate: {} of {}; refused and not run: {}", calls.gated, calls.made, calls.refused);
    println!("  memory of the process: {grown} MiB more, of {} MiB that all their limits allow", crowd.takes_mib);
    let harms = [
        (!crowd.is_whole(), "one of them is over"),
        (calls.gated != calls.made, "a gate was not asked"),
        (calls.refused != count / 2 || calls.any_refused_ran, "a refused call ran"),
        (calls.ran != count / 2, "a call that was not refused did not run"),
        (calls.percentile(99) > P99, "the quiet session was held up"),
        (longest > STEP, "one of them did not give way"),
        (grown > crowd.takes_mib, "they took more memory than they may"),
    ];
    match harms.iter().find(|(is_so, _)| *is_so) {
        Some((_, harm)) => Err((*harm).to_owned()),
        None => Ok(()),
    }
}
