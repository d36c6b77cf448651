//! The project's own commands, behind `cargo xtask`. No dependencies: it builds in a second.

mod demo;
mod files;
mod foreign;
mod fuzz;
mod steps;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask demo      a scripted model works on a sample project under four plugins
cargo xtask test      every test
cargo xtask plugins   build the example plugins into target/plugins
cargo xtask guests    build the test plugins into target/test-guests, in every language
cargo xtask bench gate  what a gate costs, as ratios
cargo xtask bench seams what plugins cost a whole run: seams nobody asks, a long conversation, observers
cargo xtask bench turn  what a turn costs, beside the reference's; a word names the part to measure
cargo xtask bench session  what a session costs, beside the reference's; a word names the part to measure
cargo xtask bench hostile  what becomes of plugins built to do harm, one by one and all at once
cargo xtask crash       kill runs at any moment and look at what is left; a number says how many rounds (1000)
cargo xtask fuzz        the fuzz targets under libFuzzer; a number says for how many seconds each (60)
cargo xtask lint      formatting, clippy and docs, warnings as errors";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["demo"] => demo::run(),
        ["test"] => steps::test(),
        ["plugins"] => steps::plugins().map(|folder| println!("The example plugins are in {}.", folder.display())),
        ["guests"] => steps::test_guests(),
        ["bench", "gate"] => steps::bench("gate"),
        ["bench", "seams"] => steps::bench("seams"),
        ["bench", "turn", words @ ..] => steps::bench_turn(words),
        ["bench", "session", words @ ..] => steps::bench_session(words),
        ["bench", "hostile"] => steps::bench_hostile(),
        ["crash"] => steps::crash("1000"),
        ["crash", rounds] => steps::crash(rounds),
        ["fuzz"] => fuzz::fuzz("60"),
        ["fuzz", seconds] => fuzz::fuzz(seconds),
        ["lint"] => steps::lint(),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
