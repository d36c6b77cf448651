//! The folders that Seam keeps things in.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::Check;
use crate::commands::run::plugins;
use crate::export::words::size;
use crate::faults;
use crate::sessions::Sessions;

/// Where compiled plugins are kept. Without it each run compiles them, which takes longer and is no fault.
pub(super) fn cache() -> Check {
    let name = "cache";
    let Some(folder) = plugins::cache() else {
        return Check::note(name, "there is no home folder to keep compiled plugins in", "Set HOME or XDG_CACHE_HOME");
    };
    let place = folder.display();
    let anew = "so each run compiles its plugins";
    match unwritable(&folder) {
        Some(why) => {
            let todo = format!("Let yourself write to {place}, or set XDG_CACHE_HOME to another folder");
            Check::note(name, format!("{why}, {anew}"), todo)
        }
        None if !folder.exists() => Check::ok(name, format!("{place} is made when a plugin is compiled")),
        None if !is_ours(&folder) => {
            let found = format!("others can write to {place}, so it is not used, {anew}");
            Check::note(name, found, format!("Make it yours alone: `chmod 700 {place}`"))
        }
        None => Check::ok(name, format!("{place}, {}", size(taken(&folder)))),
    }
}

/// Where sessions are kept.
pub(super) fn sessions(cwd: &Path) -> Check {
    let name = "sessions";
    let root = match Sessions::of(None, cwd) {
        Ok(sessions) => sessions.root,
        Err(error) => return Check::fault(name, faults::told(&error), "Set HOME or XDG_STATE_HOME"),
    };
    let place = root.display();
    let todo = || {
        format!(
            "Let yourself write to {place}, name another folder with `--session-dir`, or keep no session with \
             `--no-session`"
        )
    };
    match unwritable(&root) {
        Some(why) => Check::fault(name, why, todo()),
        None if root.exists() => Check::ok(name, place.to_string()),
        None => Check::ok(name, format!("{place} is made for the first one")),
    }
}

/// Why nothing can be kept there, if it cannot. What is not there yet must be possible to make.
fn unwritable(folder: &Path) -> Option<String> {
    let there = folder.ancestors().find(|folder| fs::symlink_metadata(folder).is_ok())?;
    if !there.is_dir() {
        return Some(format!("{} is no folder", there.display()));
    }
    let error = tempfile::tempfile_in(there).err()?;
    Some(format!("{} cannot be written ({})", there.display(), kind(&error)))
}

/// What is wrong, without the name of the file that was tried.
fn kind(error: &std::io::Error) -> String {
    error
        .raw_os_error()
        .map_or_else(|| error.kind().to_string(), |code| std::io::Error::from_raw_os_error(code).to_string())
}

/// Whether nobody else can write there, as the cache wants it.
fn is_ours(folder: &Path) -> bool {
    let own = rustix::process::geteuid().as_raw();
    fs::metadata(folder).is_ok_and(|folder| folder.mode() & 0o022 == 0 && folder.uid() == own)
}

fn taken(folder: &Path) -> usize {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = files.filter_map(|file| usize::try_from(file.metadata().ok()?.len()).ok());
    sizes.sum()
}
