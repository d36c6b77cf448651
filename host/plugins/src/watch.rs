//! Whether the files that plugins are loaded from have changed, told without reading them; and loading them when nobody
//! writes to them.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use tokio::time::sleep;

use crate::load::wasm_files;

/// Nobody has written for so long: what is there is whole.
const REST: Duration = Duration::from_millis(300);
/// So long it is waited for.
const PATIENCE: Duration = Duration::from_secs(2);
/// So often it is looked at meanwhile.
const AGAIN: Duration = Duration::from_millis(25);

/// Where plugins come from: a folder of them, and the files that say how they are loaded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    /// The folder.
    pub folder: Option<PathBuf>,
    /// Settings and the like.
    pub files: Vec<PathBuf>,
}

/// How the files looked at a moment: where each name leads, and the size, the times and the inode of what is there. While
/// it is the same, so are the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint(BTreeMap<PathBuf, Option<Look>>);

/// How one file looked. Links are followed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Look {
    path: PathBuf,
    size: u64,
    modified: Option<SystemTime>,
    /// What tells a file from another one of its size and time: device, inode, and when the system last changed it.
    inode: [i64; 4],
}

/// A file is being written. Nothing was loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} is still being written; it is loaded when that is over", .0.display())]
pub struct BeingWritten(pub PathBuf);

impl Sources {
    /// How the files look now.
    pub fn fingerprint(&self) -> Fingerprint {
        let seen = self.all().map(|path| {
            let look = look(&path);
            (path, look)
        });
        Fingerprint(seen.collect())
    }

    /// A folder that cannot be read has no files: loading it says why.
    fn all(&self) -> impl Iterator<Item = PathBuf> {
        let plugins = self.folder.iter().flat_map(|folder| wasm_files(folder).unwrap_or_default());
        plugins.chain(self.files.iter().cloned())
    }

    /// Whether somebody has written to them just now, also by putting a file into the folder or taking one out.
    pub fn are_young(&self) -> bool {
        self.youngest().is_some()
    }

    /// Loads them when nobody writes to them, and again if somebody did meanwhile. What is only partly there is waited
    /// for, two seconds in all, and so is a plugin that was there when they looked like `known` and has just gone: who
    /// saves a file may take the old one away first. Gives what came of it, and how the files looked then.
    ///
    /// # Errors
    /// When a file was being written all the time.
    pub async fn load<T>(
        &self,
        known: &Fingerprint,
        mut load: impl AsyncFnMut() -> T,
        is_partial: impl Fn(&T) -> bool,
    ) -> Result<(Fingerprint, T), BeingWritten> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let before = self.at_rest(known, deadline).await?;
            let loaded = load().await;
            let after = match is_partial(&loaded) {
                true => self.changed(&before, deadline).await,
                false => self.fingerprint(),
            };
            if after == before {
                return Ok((after, loaded));
            }
            if Instant::now() >= deadline {
                return Err(BeingWritten(after.differs(&before)));
            }
        }
    }

    /// Waits until nobody has written for a while. Clocks of other machines may be wrong, so what has been seen to stay the
    /// same for as long counts too.
    async fn at_rest(&self, known: &Fingerprint, deadline: Instant) -> Result<Fingerprint, BeingWritten> {
        let (mut seen, mut since) = (self.fingerprint(), Instant::now());
        loop {
            let (youngest, is_late) = (self.youngest().filter(|_| since.elapsed() < REST), Instant::now() >= deadline);
            match youngest {
                // What was written between the two looks is younger than the rest.
                None if is_late || !self.may_come_back(known, &seen) => return Ok(seen),
                Some(youngest) if is_late => return Err(BeingWritten(youngest)),
                _ => sleep(AGAIN).await,
            }
            let now = self.fingerprint();
            if now != seen {
                (seen, since) = (now, Instant::now());
            }
        }
    }

    /// Whether a plugin is gone, and has been for less time than it is waited for.
    fn may_come_back(&self, known: &Fingerprint, seen: &Fingerprint) -> bool {
        let Some(folder) = &self.folder else { return false };
        let mut plugins = known.0.keys().filter(|path| path.parent() == Some(folder));
        let is_recent = || fs::metadata(folder).map_or(true, |metadata| is_younger(&metadata, PATIENCE));
        plugins.any(|path| !seen.0.contains_key(path)) && is_recent()
    }

    /// Waits until they look otherwise, but not beyond the deadline.
    async fn changed(&self, before: &Fingerprint, deadline: Instant) -> Fingerprint {
        loop {
            let now = self.fingerprint();
            if now != *before || Instant::now() >= deadline {
                return now;
            }
            sleep(AGAIN).await;
        }
    }

    /// A file that somebody has written to just now, or the folder.
    fn youngest(&self) -> Option<PathBuf> {
        self.all()
            .chain(self.folder.clone())
            .find(|path| fs::metadata(path).is_ok_and(|metadata| is_younger(&metadata, REST)))
    }
}

impl Fingerprint {
    /// A file that looks otherwise in another.
    fn differs(&self, other: &Self) -> PathBuf {
        let differs = |one: &Self, other: &Self| {
            let mut files = one.0.iter();
            files.find(|(path, look)| other.0.get(*path) != Some(*look)).map(|(path, _)| path.clone())
        };
        differs(self, other).or_else(|| differs(other, self)).unwrap_or_default()
    }
}

fn look(path: &Path) -> Option<Look> {
    let (metadata, path) = (fs::metadata(path).ok()?, path.canonicalize().ok()?);
    Some(Look { path, size: metadata.len(), modified: metadata.modified().ok(), inode: inode(&metadata) })
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> [i64; 4] {
    use std::os::unix::fs::MetadataExt as _;
    [metadata.dev().cast_signed(), metadata.ino().cast_signed(), metadata.ctime(), metadata.ctime_nsec()]
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> [i64; 4] {
    [0; 4]
}

/// Whether it was written to, or got its name or its times, so little ago. One from the future was not.
fn is_younger(metadata: &Metadata, most: Duration) -> bool {
    let [.., seconds, nanoseconds] = inode(metadata);
    let since =
        Duration::new(u64::try_from(seconds).unwrap_or_default(), u32::try_from(nanoseconds).unwrap_or_default());
    let times = [metadata.modified().ok(), SystemTime::UNIX_EPOCH.checked_add(since)];
    let age = |time: SystemTime| SystemTime::now().duration_since(time).ok();
    times.into_iter().flatten().filter_map(age).any(|age| age < most)
}

#[cfg(test)]
mod tests;
