//! `session-context FILE.jsonl`: prints what a session is reduced to, as JSON, and on standard error what is wrong with the
//! file.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::process::ExitCode;

use seam_session::{Context, Entry, Session, SessionError};
use serde::Serialize;

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("Usage: session-context FILE.jsonl");
        return ExitCode::from(2);
    };
    let session = match Session::read(path) {
        Ok(session) => session,
        Err(error) => return failed(&error),
    };
    for notice in session.notices() {
        eprintln!("{notice}");
    }
    match reduced(&session) {
        Ok(reduced) => print(&reduced),
        Err(error) => failed(&error),
    }
}

fn print(reduced: &Reduced<'_>) -> ExitCode {
    let mut output = BufWriter::new(std::io::stdout().lock());
    let printed = serde_json::to_writer(&mut output, reduced).map_err(Into::into);
    match printed.and_then(|()| writeln!(output)).and_then(|()| output.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error),
    }
}

fn failed(error: &dyn std::error::Error) -> ExitCode {
    eprintln!("{error}");
    ExitCode::FAILURE
}

/// In the order and under the names of the recordings of the reference.
#[derive(Serialize)]
struct Reduced<'a> {
    leaf: Option<&'a str>,
    branch: Vec<&'a str>,
    name: Option<&'a str>,
    labels: BTreeMap<&'a str, &'a str>,
    context: Context,
}

fn reduced(session: &Session) -> Result<Reduced<'_>, SessionError> {
    Ok(Reduced {
        leaf: session.leaf().map(Entry::id),
        branch: session.branch().map(Entry::id).collect(),
        name: session.name(),
        labels: session.labels().collect(),
        context: session.context()?,
    })
}
