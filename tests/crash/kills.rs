//! Runs that are killed at any moment, and go on.

use std::env;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use super::chance::Chance;
use super::round::{Length, Round, TURNS};
use super::tally::Tally;

/// How many rounds there are when nobody says otherwise.
const ROUNDS: u64 = 25;
/// How many run at once.
const WORKERS: usize = 2;
/// Bug log 84, 85 and 86. `SEAM_CRASH_ROUNDS` says how many, `SEAM_CRASH_SEED` which.
#[test]
fn after_a_kill_at_any_moment_nothing_is_lost_and_nothing_is_done_twice() {
    let number = |name: &str| env::var(name).ok().map(|text| text.parse::<u64>().expect(name));
    let rounds = number("SEAM_CRASH_ROUNDS").unwrap_or(ROUNDS);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let seed = number("SEAM_CRASH_SEED").unwrap_or(now);
    println!("seed {seed}");
    let lengths = TURNS.map(Length::of);
    let (next, tally) = (AtomicU64::new(0), Mutex::new(Tally::default()));
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(number) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < rounds) {
                    round(seed, number, lengths, &tally);
                }
            });
        }
    });
    let tally = tally.into_inner().unwrap();
    println!("{tally}");
    assert!(tally.told.is_empty(), "seed {seed}\n{}", tally.told.join("\n"));
}

/// One session: a run that dies, sometimes a second and a third, and one that ends well.
fn round(seed: u64, number: u64, lengths: [Length; 2], tally: &Mutex<Tally>) {
    let mut chance = Chance::new(seed, number);
    let durability = ["entry", "entry", "save-point", "never"][chance.below(4) as usize];
    let mut round = Round::new(durability);
    let ended = round.play(&mut chance, lengths);
    let Round { bed, tally: of_round, .. } = round;
    let mut tally = tally.lock().unwrap();
    tally.add(&of_round);
    if let Err(fault) = ended {
        *tally.faults.entry(fault.kind).or_default() += 1;
        tally.told.push(format!("round {number} ({durability}): {fault}\n  {}", bed.keep().display()));
    }
}
