//! A shell in a process group of its own, and the end of it all.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessSession};
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::net::unix::pipe::Receiver;
use tokio::process::Command;
use tokio::time::{sleep, timeout};

use crate::path::Workspace;

/// How long the group may take to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(2);

/// A running shell. Dropping it before its end kills its group.
pub(super) struct Shell {
    pub(super) process: Process,
    /// What the group prints, on both streams.
    pub(super) output: Receiver,
}

pub(super) struct Process {
    child: Box<dyn ChildWrapper>,
    group: Option<Pid>,
    is_done: bool,
}

impl Shell {
    pub(super) fn spawn(script: &str, workspace: &Workspace) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        let output = Receiver::from_owned_fd(reader.into())?;
        let mut command = Command::new("bash");
        command.args(["-c", "--", script]).current_dir(workspace.root().as_path());
        for (name, value) in workspace.variables() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
        let child = CommandWrap::from(command).wrap(ProcessSession).spawn()?;
        let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        // The wrapper's own wait also waits for others of the group; we wait for the shell alone.
        Ok(Self { process: Process { child: child.into_inner(), group, is_done: false }, output })
    }
}

impl Process {
    /// Waits for the shell. What it started in the background is left alone.
    pub(super) async fn exit(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await?;
        self.is_done = true;
        Ok(status)
    }

    /// Ends the whole group: asks, waits, then forces.
    pub(super) async fn stop(&mut self) {
        self.is_done = false;
        self.signal(Signal::TERM);
        let _too_slow = timeout(GRACE, self.gone()).await;
        self.signal(Signal::KILL);
        let _stuck = timeout(GRACE, self.child.wait()).await;
        self.is_done = true;
    }

    async fn gone(&mut self) {
        let _status = self.child.wait().await;
        while self.group.is_some_and(|group| test_kill_process_group(group).is_ok()) {
            sleep(Duration::from_millis(20)).await;
        }
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            let _gone_already = kill_process_group(group, signal);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.is_done {
            self.signal(Signal::KILL);
        }
    }
}
