//! `seam journal`.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use seam_session::journal::{self, Crossing, Line, Record, Rejected, Ruling};

use crate::args::{JournalArgs, JournalCommand};
use crate::exit::Exit;
use crate::sessions::Sessions;
use crate::terminal::journal as words;
use crate::terminal::output::Output;
use crate::terminal::style::Style;

pub(crate) fn journal(args: &JournalArgs) -> Result<Exit> {
    let cwd = args.cwd.canonicalize().with_context(|| format!("--cwd {} cannot be used", args.cwd.display()))?;
    let sessions = Sessions::of(args.session_dir.as_deref(), &cwd)?;
    if let Some(JournalCommand::Verify { session }) = &args.command {
        let is_alone =
            !args.json && [&args.session, &args.plugin, &args.seam, &args.call].iter().all(|it| it.is_none());
        ensure!(is_alone, "`verify` looks at every line: it takes a session behind it, and nothing before it");
        return verify(&sessions.find(session)?);
    }
    show(&sessions.find(args.session.as_deref().unwrap_or_default())?, args)
}

/// Exit code 1 says that it is not as it was written.
fn verify(session: &Path) -> Result<Exit> {
    let found = journal::verify(session)?;
    let output = Output::default();
    output.print(&words::verified(&found, Style::for_stdout()));
    let is_whole = found.faults.is_empty();
    Ok(if !is_whole || output.has_failed() { Exit::RunFailed } else { Exit::Done })
}

/// Read twice: columns are as wide as what stands in them.
fn show(session: &Path, args: &JournalArgs) -> Result<Exit> {
    let mut table = words::Table::new(Style::for_stdout());
    if !args.json {
        for (line, record) in journal::read(session)?.flatten() {
            if fits(&record, args) {
                table.measure(&line, &record);
            }
        }
    }
    let output = Output::default();
    let mut is_empty = true;
    for found in journal::read(session)? {
        let (line, record) = found?;
        let text = text(&line, &record, args, &mut table);
        is_empty &= text.is_empty();
        output.print(&text);
    }
    if is_empty && !args.json {
        output.print("nothing of that stands in the journal\n");
    }
    Ok(if output.has_failed() { Exit::RunFailed } else { Exit::Done })
}

fn text(line: &Line, record: &Record<'_>, args: &JournalArgs, table: &mut words::Table) -> String {
    match (args.json, fits(record, args)) {
        (true, true) => format!("{}\n", line.json(record)),
        (true, false) => String::new(),
        (false, true) => table.row(line, record),
        (false, false) => {
            table.pass(line, record);
            String::new()
        }
    }
}

/// Whether it was asked for.
fn fits(record: &Record<'_>, args: &JournalArgs) -> bool {
    let (mut plugin, mut seam, mut call) = (None, None, None);
    match record {
        Record::Crossing(Crossing { plugin: asked, seam: at, call: about, .. }) => {
            (plugin, seam, call) = (Some(&**asked), Some(&**at), about.as_deref());
        }
        Record::Rejected(Rejected { plugin: asked, seam: at, call: about, .. }) => {
            (plugin, seam, call) = (Some(&**asked), Some(&**at), about.as_deref());
        }
        Record::Ruling(Ruling { seam: at, call: about, .. }) => (seam, call) = (Some(&**at), Some(&**about)),
        Record::Plugin(known) => plugin = Some(&*known.name),
        Record::Run(run) => call = Some(&*run.call),
        Record::Done(done) => call = Some(&*done.call),
        Record::Open(_) | Record::Mended(_) => {}
    }
    let is_it = |asked: &Option<String>, found: Option<&str>| asked.is_none() || asked.as_deref() == found;
    // Ids are long, and shown in short.
    let begins = |id: &String| call.is_some_and(|call| call.starts_with(&**id));
    is_it(&args.plugin, plugin) && is_it(&args.seam, seam) && args.call.as_ref().is_none_or(begins)
}
