//! Memory of a session that goes on: the binary's, in the middle of its next turn, and that of the reference's package with
//! the session and its context.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::peer::Peer;
use crate::{files, head, row};

const MIB: f64 = 1024.0 * 1024.0;

pub(crate) fn measure(folder: &Path, peer: Option<&Peer>) {
    let Some(binary) = std::env::var_os("SEAM_BENCH_BINARY").map(PathBuf::from) else {
        println!("Memory is not measured: `cargo xtask bench session` builds the binary.\n");
        return;
    };
    head("memory, MiB", &["file", "ours", "ref.", "ratio", "ours, peak", "ref., peak"]);
    for (name, entries, length) in
        [("nothing was said", 0, 0), ("100,000 entries", 100_000, 500), ("10,000 entries of 10 KB", 10_000, 10_000)]
    {
        let file = files::session(folder, entries, length);
        let size = fs::metadata(&file).unwrap().len() as f64 / MIB;
        let [resident, peak] = ours(&binary, folder, &file);
        let theirs = peer.map(|peer| {
            let answer = peer.another().ask(&json!({ "do": "memory", "file": file })).unwrap();
            ["resident", "peak"].map(|name| answer[name].as_f64().unwrap() / 1024.0)
        });
        let ratio = theirs.map(|[theirs, _]| resident / theirs);
        let theirs = [0, 1].map(|at| theirs.map(|theirs| theirs[at]));
        row(name, &[Some(size), Some(resident), theirs[0], ratio, Some(peak), theirs[1]]);
    }
    println!();
}

/// What a run takes that goes on with a session: resident in a call of its first turn, and at most until then.
fn ours(binary: &Path, folder: &Path, session: &Path) -> [f64; 2] {
    let (work, script) = (folder.join("work"), folder.join("script.json"));
    fs::create_dir_all(&work).unwrap();
    let call = json!({ "id": "c", "name": "bash", "args": { "command": "cat /proc/$PPID/status >status" } });
    let turns = json!({ "turns": [{ "content": [{ "toolCall": call }] }, { "content": [{ "text": "done" }] }] });
    fs::write(&script, turns.to_string()).unwrap();
    // A copy, so that the next run finds it as it was.
    let copy = session.with_extension("copy.jsonl");
    fs::copy(session, &copy).unwrap();
    let mut run = Command::new(binary);
    run.args(["run", "go", "--cwd"]).arg(&work).arg("--session-dir").arg(folder).arg("--session").arg(&copy);
    let output = run.arg("--script").arg(script).stdout(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let status = fs::read_to_string(work.join("status")).unwrap();
    ["VmRSS:", "VmHWM:"].map(|name| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("memory is measured on Linux");
        line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
    })
}
