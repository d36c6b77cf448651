//! What stands in a journal: one record a line.

use std::borrow::Cow;

use serde::Deserialize;

use crate::journal::Json;

/// What a line says.
#[derive(Clone, Debug, PartialEq)]
pub enum Record<'a> {
    /// A process opened the journal, or a segment begins.
    Open(Open<'a>),
    /// A plugin that is asked from here on. It follows every [`Open`].
    Plugin(Plugin<'a>),
    /// A plugin was asked.
    Crossing(Crossing<'a>),
    /// A plugin gave an answer that the host has no use for.
    Rejected(Rejected<'a>),
    /// The host's rules or the user decided about a tool call.
    Ruling(Ruling<'a>),
    /// Everyone agreed to a call. Its body runs after this.
    Run(Run<'a>),
    /// A call is over.
    Done(Done<'a>),
    /// What was found amiss when the journal was opened.
    Mended(Mended),
}

/// A process opened the journal, or a segment begins.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Open<'a> {
    /// The session's id.
    pub session: Cow<'a, str>,
    /// The number of the segment, from 1.
    pub segment: u64,
    /// The oldest segment that is kept.
    pub oldest: u64,
    /// How many entries the session had already when the journal began.
    #[serde(default)]
    pub entries: u64,
    /// How many times the journal was opened. A number may be left out when a process died while it opened it.
    pub run: u64,
    /// When an entry of the session is on the disk for certain: `entry`, `save-point` or `never`. With `entry` it is also
    /// certain that a call began which may not be made twice. Nothing: that was not said.
    pub durability: Option<Cow<'a, str>>,
}

/// A plugin that is asked from here on.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Plugin<'a> {
    /// Its name.
    pub name: Cow<'a, str>,
    /// The SHA-256 of its file, in hexadecimal.
    pub digest: Cow<'a, str>,
    /// The SHA-256 of its settings' JSON text, in hexadecimal.
    pub settings: Cow<'a, str>,
    /// How long an instance lives: `session` or `call`.
    pub instance: Cow<'a, str>,
    /// Whether it decides nothing and only runs beside the others.
    pub shadow: bool,
    /// How long it may take for an answer.
    pub time_ms: u64,
    /// How much memory it may have.
    pub memory_mib: u64,
}

/// A function of a plugin was called.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "crate::journal::parse::CrossingFields")]
pub struct Crossing<'a> {
    /// The plugin's name.
    pub plugin: Cow<'a, str>,
    /// The SHA-256 of its file, in hexadecimal.
    pub digest: Cow<'a, str>,
    /// The seam, by its name in the contract.
    pub seam: Cow<'a, str>,
    /// The function of the seam.
    pub function: Cow<'a, str>,
    /// Which of its instances, from 1 in each run.
    pub instance: u64,
    /// Whether its answer changed nothing.
    pub shadow: bool,
    /// The tool call that it was asked about.
    pub call: Option<Cow<'a, str>>,
    /// How long it took, in microseconds.
    pub took_us: u64,
    /// The parameters, an array.
    pub input: Json<'a>,
    /// What it asked the host while it ran, in order.
    pub host: Vec<HostCall<'a>>,
    /// What came of it.
    pub outcome: Outcome<'a>,
}

/// A plugin called a function of the host.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct HostCall<'a> {
    /// `INTERFACE.FUNCTION`, by their names in the contract.
    pub import: Cow<'a, str>,
    /// The parameters, an array.
    pub arguments: Json<'a>,
    /// What it got, or `null`.
    pub answer: Json<'a>,
}

/// What came of a call of a plugin.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome<'a> {
    /// Its answer, or `null`.
    Answer(Json<'a>),
    /// The answer is kept nowhere: it is a secret. Whether there was one.
    Withheld(bool),
    /// It gave no answer.
    Failure {
        /// Which of the failures it is.
        kind: Cow<'a, str>,
        /// What is said of it.
        text: Cow<'a, str>,
    },
}

/// An answer of a plugin, which stands in its crossing before this, does not count.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Rejected<'a> {
    /// The plugin's name.
    pub plugin: Cow<'a, str>,
    /// The seam, by its name in the contract.
    pub seam: Cow<'a, str>,
    /// The tool call that it was asked about.
    pub call: Option<Cow<'a, str>>,
    /// What is wrong with the answer.
    pub failure: Failure<'a>,
    /// Whether what it was asked about is refused for it. If not, it went on without this plugin.
    pub refused: bool,
}

/// What was wrong.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Failure<'a> {
    /// Which of the failures it is.
    pub kind: Cow<'a, str>,
    /// What is said of it.
    pub text: Cow<'a, str>,
}

/// Who decided, besides plugins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// The host's own rules.
    Host,
    /// The user.
    User,
}

/// What was decided.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict<'a> {
    /// It is not done.
    Block(Cow<'a, str>),
    /// It may be done.
    Proceed,
}

/// The host's rules or the user decided about a tool call.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Ruling<'a> {
    /// Who.
    pub by: By,
    /// At which seam.
    pub seam: Cow<'a, str>,
    /// The call's id.
    pub call: Cow<'a, str>,
    /// The tool.
    pub tool: Cow<'a, str>,
    /// Its arguments as they were decided about.
    pub arguments: Json<'a>,
    /// What was decided.
    pub ruling: Verdict<'a>,
    /// What the user was asked, and by which plugins: name and question.
    pub questions: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

/// Everyone agreed to a call.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Run<'a> {
    /// The call's id.
    pub call: Cow<'a, str>,
    /// The tool.
    pub tool: Cow<'a, str>,
    /// Exactly what the tool gets.
    pub arguments: Json<'a>,
    /// Who asked for the call.
    pub origin: Json<'a>,
    /// Whether the tool says that the call may be made twice: `never` or `safe`.
    pub replay: Cow<'a, str>,
}

/// A call is over.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Done<'a> {
    /// The call's id.
    pub call: Cow<'a, str>,
    /// Whether its result is an error.
    pub is_error: bool,
    /// How long it took from the start of its body to the end of the patches, in microseconds.
    pub took_us: u64,
}

/// What was found amiss when the journal was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Mended {
    /// How long the half line was that was cut off at the end.
    pub bytes: u64,
    /// How many whole lines were written once and are missing at the end. Not known when the head could not be read.
    pub lost: Option<u64>,
}

impl Plugin<'_> {
    /// The same, borrowed from nobody.
    pub(crate) fn into_owned(self) -> Plugin<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let Self { name, digest, settings, instance, shadow, time_ms, memory_mib } = self;
        let (name, digest, settings, instance) = (owned(name), owned(digest), owned(settings), owned(instance));
        Plugin { name, digest, settings, instance, shadow, time_ms, memory_mib }
    }
}

impl<'a> Record<'a> {
    /// The values that may be long.
    pub(crate) fn values(&mut self) -> Vec<&mut Json<'a>> {
        match self {
            Self::Crossing(Crossing { input, host, outcome, .. }) => {
                let answer = if let Outcome::Answer(answer) = outcome { Some(answer) } else { None };
                let asked = host.iter_mut().flat_map(|HostCall { arguments, answer, .. }| [arguments, answer]);
                std::iter::once(input).chain(asked).chain(answer).collect()
            }
            Self::Ruling(Ruling { arguments, .. }) => vec![arguments],
            Self::Run(Run { arguments, origin, .. }) => vec![arguments, origin],
            _ => Vec::new(),
        }
    }
}
