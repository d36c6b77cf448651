//! A small disk in memory, which only a namespace of its own sees: nothing is left of it when its holder ends.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The size of a page: less is not given to a file.
const PAGE: u64 = 4096;

pub(super) struct Disk {
    /// The process that keeps the namespace.
    holder: Child,
    /// The namespaces it has of its own, as options of `nsenter`.
    namespaces: &'static [&'static str],
    at: PathBuf,
}

impl Disk {
    /// How this process may make a namespace with mounts of its own, or why it may not.
    pub(super) fn way() -> Result<&'static str, String> {
        let mut last = String::new();
        for way in ["-m", "-rm"] {
            let mut unshare = Command::new("unshare");
            match unshare.args([way, "mount", "-t", "tmpfs", "seam", "/mnt"]).output() {
                Ok(output) if output.status.success() => return Ok(way),
                Ok(output) => last = String::from_utf8_lossy(&output.stderr).trim().to_owned(),
                Err(error) => last = format!("`unshare` cannot be started: {error}"),
            }
        }
        Err(last)
    }

    /// A disk of so many pages in the place of a folder.
    pub(super) fn new(at: &Path, pages: u64) -> Self {
        let way = Self::way().unwrap();
        let mut holder = Command::new("unshare");
        let script = "mount -t tmpfs -o size=\"$1\" seam \"$0\" && echo ready && exec cat";
        holder.arg(way).args(["sh", "-c", script]).arg(at).arg((pages * PAGE).to_string());
        let mut holder = holder.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(holder.stdout.take().unwrap()).read_line(&mut said).unwrap();
        assert_eq!(said, "ready\n");
        let namespaces: &[&str] = if way == "-m" { &["-m"] } else { &["--preserve-credentials", "-U", "-m"] };
        Self { holder, namespaces, at: at.to_owned() }
    }

    /// A command that sees it.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut enter = Command::new("nsenter");
        enter.args(self.namespaces).args(["-t", &self.holder.id().to_string(), "--"]).arg(program);
        enter
    }

    /// A folder on it, as this process sees it.
    pub(super) fn seen_from_outside(&self, folder: &Path) -> PathBuf {
        let root = format!("/proc/{}/root", self.holder.id());
        Path::new(&root).join(folder.strip_prefix("/").unwrap())
    }

    /// Makes room.
    pub(super) fn grow(&self) {
        let mut mount = self.command(Path::new("mount"));
        let status = mount.args(["-o", "remount,size=64m"]).arg(&self.at).status().unwrap();
        assert!(status.success());
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _gone = self.holder.kill();
        let _gone = self.holder.wait();
    }
}
