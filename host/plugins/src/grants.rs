//! What the user grants a plugin: what it may reach beyond what every plugin has.

mod fault;
mod places;
pub(crate) mod site;

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::inspect::Digest;

/// What one plugin may reach. By itself: nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Grants {
    /// They hold for the file with this SHA-256 alone, in hex. Without it, for any file of the plugin's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// `messages`: put messages into the conversation.
    #[serde(skip_serializing_if = "is_not")]
    pub messages: bool,
    /// `session`: write entries, labels and the name of the session.
    #[serde(skip_serializing_if = "is_not")]
    pub session: bool,
    /// `models`: choose model, thinking level and active tools.
    #[serde(skip_serializing_if = "is_not")]
    pub models: bool,
    /// `ui`: talk to the user.
    #[serde(skip_serializing_if = "is_not")]
    pub ui: bool,
    /// `call-tool`: call the tools of these names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// `exec`: run the programs of these names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exec: Vec<String>,
    /// `complete`: ask the session's model, with at most so many tokens in a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete: Option<u32>,
    /// `wasi:http`: send requests to these hosts. `HOST` or `HOST:PORT` is `https`; without TLS it is
    /// `http://HOST:PORT`. A host is meant exactly. An address that is not on the open internet has to be named itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub http: Vec<String>,
    /// `wasi:filesystem`: use these folders.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fs: Vec<Folder>,
    /// `wasi:cli/environment`: read the variables of these names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// `wasi:clocks`: see the time.
    #[serde(skip_serializing_if = "is_not")]
    pub clock: bool,
    /// `wasi:random`: numbers that nobody can foretell.
    #[serde(skip_serializing_if = "is_not")]
    pub random: bool,
}

/// A folder that a plugin may use. It finds it under the path as it stands here.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Folder {
    /// Where it is. Relative to the settings file.
    pub path: PathBuf,
    /// What may be done there.
    #[serde(default)]
    pub mode: FolderMode,
    /// Where that is on this machine. Empty: where `path` says, seen from the current folder.
    #[serde(skip)]
    pub place: PathBuf,
}

/// What may be done in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FolderMode {
    /// Reading.
    #[default]
    Ro,
    /// Reading and writing.
    Rw,
}

/// One thing that has to be granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grant {
    /// `messages`.
    Messages,
    /// `session`.
    Session,
    /// `models`.
    Models,
    /// `ui`.
    Ui,
    /// `tools`.
    Tools,
    /// `exec`.
    Exec,
    /// `complete`.
    Complete,
    /// `http`.
    Http,
    /// `fs`.
    Fs,
    /// `env`.
    Env,
    /// `clock`.
    Clock,
    /// `random`.
    Random,
}

impl Grant {
    /// Every one there is.
    pub const ALL: [Self; 12] = [
        Self::Messages,
        Self::Session,
        Self::Models,
        Self::Ui,
        Self::Tools,
        Self::Exec,
        Self::Complete,
        Self::Http,
        Self::Fs,
        Self::Env,
        Self::Clock,
        Self::Random,
    ];

    /// The key in the settings.
    pub fn key(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Session => "session",
            Self::Models => "models",
            Self::Ui => "ui",
            Self::Tools => "tools",
            Self::Exec => "exec",
            Self::Complete => "complete",
            Self::Http => "http",
            Self::Fs => "fs",
            Self::Env => "env",
            Self::Clock => "clock",
            Self::Random => "random",
        }
    }

    /// The package or the interface of WASI whose functions reach what it grants.
    pub(crate) fn wasi(self) -> Option<&'static str> {
        match self {
            Self::Http => Some("wasi:http"),
            Self::Fs => Some("wasi:filesystem"),
            Self::Env => Some("wasi:cli/environment"),
            Self::Clock => Some("wasi:clocks"),
            Self::Random => Some("wasi:random"),
            _ => None,
        }
    }

    /// What a line of the settings that gives it looks like.
    pub fn line(self) -> &'static str {
        match self {
            Self::Messages => "messages = true",
            Self::Session => "session = true",
            Self::Models => "models = true",
            Self::Ui => "ui = true",
            Self::Tools => "tools = [\"read\"]  # the tools it may call",
            Self::Exec => "exec = [\"git\"]  # the programs it may run",
            Self::Complete => "complete = 10000  # tokens in a session",
            Self::Http => "http = [\"api.example.com\"]  # the hosts it may send to",
            Self::Fs => "fs = [{ path = \"data\", mode = \"ro\" }]  # the folders it may use",
            Self::Env => "env = [\"NAME\"]  # the variables it may read",
            Self::Clock => "clock = true",
            Self::Random => "random = true",
        }
    }
}

impl Grants {
    /// What of them a file of this digest has: all, or nothing when they are for another one.
    pub(crate) fn of(&self, digest: &Digest) -> Self {
        let is_other = |wanted: &String| !wanted.eq_ignore_ascii_case(&digest.to_string());
        if self.digest.as_ref().is_some_and(is_other) { Self::default() } else { self.clone() }
    }

    /// Whether this much of it is granted.
    pub fn has(&self, grant: Grant) -> bool {
        match grant {
            Grant::Messages => self.messages,
            Grant::Session => self.session,
            Grant::Models => self.models,
            Grant::Ui => self.ui,
            Grant::Tools => !self.tools.is_empty(),
            Grant::Exec => !self.exec.is_empty(),
            Grant::Complete => self.complete.is_some_and(|tokens| tokens > 0),
            Grant::Http => !self.http.is_empty(),
            Grant::Fs => !self.fs.is_empty(),
            Grant::Env => !self.env.is_empty(),
            Grant::Clock => self.clock,
            Grant::Random => self.random,
        }
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_not(granted: &bool) -> bool {
    !*granted
}
