//! The contract as data: which seams a plugin may export, which interfaces it may import. Loader and audit read it.

mod facts;
mod seams;

use crate::grants::Grant;

pub use facts::{Can, Out, SeamFacts, Sight, Timing};
pub use seams::{SEAMS, seam};

/// The package.
pub const PACKAGE: &str = "seam:harness";

/// The version this host offers.
pub const VERSION: semver::Version = semver::Version::new(0, 1, 0);

/// An interface that a plugin may import.
#[derive(Debug, Clone, Copy)]
pub struct ReachFacts {
    /// The interface.
    pub name: &'static str,
    /// What it reaches.
    pub reaches: &'static str,
    /// What has to be granted for it; nothing when every plugin has it.
    pub grant: Option<Grant>,
}

/// Every import interface.
pub const REACHES: &[ReachFacts] = &[
    ReachFacts { name: "log", reaches: "notes for you, bounded", grant: None },
    ReachFacts { name: "config", reaches: "its own settings", grant: None },
    ReachFacts { name: "conversation", reaches: "every message of the conversation", grant: None },
    ReachFacts { name: "full-result", reaches: "the whole text of the result it reviews", grant: None },
    ReachFacts { name: "tool-updates", reaches: "live output of its own tools", grant: None },
    ReachFacts { name: "state", reaches: "what it remembers in the session, bounded", grant: None },
    ReachFacts { name: "messages", reaches: "messages of its own in the conversation", grant: Some(Grant::Messages) },
    ReachFacts { name: "session", reaches: "entries, labels and the name of the session", grant: Some(Grant::Session) },
    ReachFacts { name: "models", reaches: "the choice of model, thinking and tools", grant: Some(Grant::Models) },
    ReachFacts { name: "call-tool", reaches: "tools, as calls that every gate sees", grant: Some(Grant::Tools) },
    ReachFacts { name: "ui", reaches: "you: notices and questions", grant: Some(Grant::Ui) },
    ReachFacts { name: "complete", reaches: "the session's model, within a budget", grant: Some(Grant::Complete) },
    ReachFacts { name: "exec", reaches: "programs, as calls that every gate sees", grant: Some(Grant::Exec) },
];

/// WASI interfaces that are not there without a grant.
pub const GRANTED_WASI: &[(&str, Grant, &str)] = &[
    ("wasi:http/outgoing-handler", Grant::Http, "requests to granted hosts"),
    ("wasi:http/types", Grant::Http, "requests and responses"),
];

/// WASI interfaces that reach something when it is granted. Without, they are linked as [`INERT_WASI`] says.
pub const LIVE_WASI: &[(&str, Grant, &str)] = &[
    ("wasi:cli/environment", Grant::Env, "granted variables"),
    ("wasi:clocks/monotonic-clock", Grant::Clock, "the time that passes"),
    ("wasi:clocks/wall-clock", Grant::Clock, "the time"),
    ("wasi:filesystem/preopens", Grant::Fs, "granted folders"),
    ("wasi:filesystem/types", Grant::Fs, "granted folders"),
    ("wasi:random/insecure", Grant::Random, "random numbers"),
    ("wasi:random/insecure-seed", Grant::Random, "random numbers"),
    ("wasi:random/random", Grant::Random, "random numbers"),
];

/// WASI interfaces that toolchains pull in by themselves. They are linked to implementations that reach nothing.
pub const INERT_WASI: &[(&str, &str)] = &[
    ("wasi:cli/environment", "no variables, no arguments"),
    ("wasi:cli/exit", "ends the call as a failure"),
    ("wasi:cli/stdin", "closed"),
    ("wasi:cli/stdout", "thrown away"),
    ("wasi:cli/stderr", "thrown away"),
    ("wasi:cli/terminal-input", "no terminal"),
    ("wasi:cli/terminal-output", "no terminal"),
    ("wasi:cli/terminal-stdin", "no terminal"),
    ("wasi:cli/terminal-stdout", "no terminal"),
    ("wasi:cli/terminal-stderr", "no terminal"),
    ("wasi:clocks/monotonic-clock", "a clock that only counts how often it is asked"),
    ("wasi:clocks/wall-clock", "always 1970-01-01"),
    ("wasi:filesystem/preopens", "no folders"),
    ("wasi:filesystem/types", "no folders"),
    ("wasi:io/error", "nothing"),
    ("wasi:io/poll", "nothing"),
    ("wasi:io/streams", "nothing"),
    ("wasi:random/insecure", "the same numbers each time"),
    ("wasi:random/insecure-seed", "the same numbers each time"),
    ("wasi:random/random", "the same numbers each time"),
    ("wasi:sockets/instance-network", "no network"),
    ("wasi:sockets/ip-name-lookup", "no network"),
    ("wasi:sockets/network", "no network"),
    ("wasi:sockets/tcp", "no network"),
    ("wasi:sockets/tcp-create-socket", "no network"),
    ("wasi:sockets/udp", "no network"),
    ("wasi:sockets/udp-create-socket", "no network"),
];

/// Whether a guest's version of an interface works with the one this host offers: equal up to the first number that is
/// not 0, and no pre-release.
pub fn compatible(wanted: &semver::Version, offered: &semver::Version) -> bool {
    let released = wanted.pre.is_empty() && offered.pre.is_empty();
    released && wanted.major == offered.major && (wanted.major > 0 || wanted.minor == offered.minor)
}

#[cfg(test)]
mod tests {
    use semver::Version;

    use super::compatible;

    #[test]
    fn versions_match_up_to_the_first_number_that_is_not_zero() {
        let fits =
            |wanted: &str, offered: &str| compatible(&wanted.parse().unwrap(), &offered.parse::<Version>().unwrap());
        assert!(fits("0.1.0", "0.1.3") && fits("0.1.3", "0.1.0") && fits("1.2.0", "1.9.0"));
        assert!(!fits("0.2.0", "0.1.0") && !fits("0.1.0-draft", "0.1.0") && !fits("2.0.0", "1.0.0"));
    }
}
