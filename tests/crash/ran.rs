//! A run, how it ends, and what it said before.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::bed::{Bed, layer};
use super::said::Said;
use super::script::Script;

/// How often a run that is to be killed is looked at.
const LOOK: Duration = Duration::from_micros(50);
/// A run that takes so long does not end.
const LONGEST: Duration = Duration::from_secs(60);

/// How a run ends.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// By itself.
    Itself,
    /// It is killed after this time.
    After(Duration),
    /// It is killed when the newest session file has as many bytes.
    Bytes(u64),
    /// A call on the files below the sessions' folder whose path has `part` fails, or is the last.
    Fault { call: &'static str, number: u64, deed: &'static str, part: &'static str },
}

/// What a run left behind, beside its files.
pub(super) struct Ran {
    /// Its exit code. None: it was killed.
    pub(super) code: Option<i32>,
    /// The messages that it told of.
    pub(super) acknowledged: Vec<Said>,
    /// What it said on stderr.
    pub(super) told: String,
    /// How long it took.
    pub(super) took: Duration,
    /// Whether the fault came to pass.
    pub(super) failed: bool,
}

impl Ran {
    /// Runs a script.
    pub(super) fn new(bed: &Bed, script: &Script, session: Option<&Path>, end: &End) -> Self {
        let mut run = bed.command(script, session);
        let (out, err, log) = (bed.other("out"), bed.other("err"), bed.other("log"));
        run.stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap());
        let _none = fs::remove_file(&log);
        if let End::Fault { call, number, deed, part } = end {
            let part = format!("{}{part}", if part.is_empty() { "/sessions/" } else { "" });
            faulty(&mut run, &format!("{call} {number} {deed} {part}"), &log);
        }
        let start = Instant::now();
        let mut child = run.spawn().unwrap();
        until(bed, &mut child, end);
        let code = child.wait().unwrap().code();
        let took = start.elapsed();
        let acknowledged = events(&fs::read_to_string(out).unwrap());
        Self { code, acknowledged, told: fs::read_to_string(err).unwrap(), took, failed: log.exists() }
    }
}

/// Puts the layer between a run and its files.
pub(super) fn faulty(run: &mut Command, plan: &str, log: &Path) {
    run.env("LD_PRELOAD", layer()).env("SEAM_FAULTS", plan).env("SEAM_FAULTS_LOG", log);
}

/// Waits for the moment, and kills it then.
fn until(bed: &Bed, child: &mut Child, end: &End) {
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        let length = || bed.files().last().and_then(|file| fs::metadata(file).ok()).map_or(0, |file| file.len());
        let is_over = match end {
            End::After(time) => start.elapsed() >= *time,
            End::Bytes(bytes) => length() >= *bytes,
            End::Itself | End::Fault { .. } => start.elapsed() >= LONGEST,
        };
        if is_over {
            child.kill().unwrap();
            return;
        }
        thread::sleep(LOOK);
    }
}

/// The messages that events told of. Only whole lines count.
fn events(out: &str) -> Vec<Said> {
    let whole = out.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let events = whole.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    events.filter(|event| event["type"] == "message_end").map(|event| Said::of(&event["message"])).collect()
}
