//! Exit codes. They are part of the interface: scripts rely on them.

use std::process::ExitCode;

/// How `seam` ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It did what it was asked. Refused tool calls are part of that.
    Done = 0,
    /// The run ended with an error of the model or its provider, the output could not be written, a replay found
    /// something that is different now, no model is as was asked, or the doctor found a fault.
    RunFailed = 1,
    /// Arguments, settings or files cannot be used.
    Usage = 2,
    /// A plugin cannot be loaded, so nothing was run.
    PluginFault = 3,
    /// An audit found something that was gained, or that a rule denies.
    Found = 4,
    /// It was aborted: Ctrl-C, SIGTERM or SIGHUP.
    Aborted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
