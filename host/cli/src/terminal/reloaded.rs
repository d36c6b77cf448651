//! Plugins that were loaded again: what is otherwise now, for a person and for a program.

mod set;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use seam_harness::Sink;
use seam_plugins::audit::{Difference, Pair, Share};
use seam_plugins::contract::Can;
use seam_plugins::{Audit, Plugin};
use serde_json::{Value, json};

use self::set::Set;
use crate::commands::run::plugins::Loaded;
use crate::terminal::events::Terminal;
use crate::terminal::json::JsonLines;
use crate::terminal::output::{Output, complain};
use crate::terminal::style::{clean, one_line};

/// How long a name gets, in characters.
const NAME: usize = 60;
/// How long what a plugin gained or lost gets.
const SHARE: usize = 200;
/// So much of a digest is shown.
const SHORT: usize = 12;

/// What is told when providers are set otherwise.
const PROVIDERS: &str = "provider settings hold from the next start";

/// Where it is told.
pub(crate) struct Screen {
    pub(crate) output: Output,
    /// The terminal. Without one, JSON is printed.
    pub(crate) terminal: Option<Arc<Terminal>>,
}

/// How the plugins differ from those before.
#[derive(Debug, Default)]
pub(crate) struct Change {
    added: Vec<One>,
    removed: Vec<One>,
    changed: Vec<One>,
    /// Folders outside the workspace that tools may use now.
    opened: Vec<PathBuf>,
    /// Those that they may use no more.
    closed: Vec<PathBuf>,
    /// They are asked in another order.
    is_order: bool,
    /// Providers are set otherwise.
    is_providers: bool,
}

/// How one differs.
#[derive(Debug)]
struct One {
    name: String,
    /// What has happened to it, in words.
    what: String,
    difference: Difference,
    set: Set,
    /// It could refuse, and cannot any more.
    refuses_no_more: bool,
}

impl Change {
    /// `is_other`: whether two of one file are asked otherwise all the same.
    pub(crate) fn of(old: &[Plugin], new: &[Plugin], is_other: impl Fn(&Plugin, &Plugin) -> bool) -> Self {
        let find = |plugins: &[Plugin], name: &str| plugins.iter().find(|plugin| plugin.name() == name).cloned();
        let mut change = Self::default();
        for now in new {
            match find(old, now.name()) {
                None => change.added.push(One::of(None, Some(now), "is new".to_owned())),
                Some(before) if before.digest() != now.digest() => {
                    let short = |plugin: &Plugin| plugin.digest().to_string().chars().take(SHORT).collect::<String>();
                    let what = format!("is another file ({} now, {} before)", short(now), short(&before));
                    change.changed.push(One::of(Some(&before), Some(now), what));
                }
                Some(before) if is_other(&before, now) => {
                    change.changed.push(One::of(Some(&before), Some(now), "has other settings".to_owned()));
                }
                Some(_) => {}
            }
        }
        let gone = old.iter().filter(|before| find(new, before.name()).is_none());
        change.removed = gone.map(|before| One::of(Some(before), None, "is gone".to_owned())).collect();
        let stay = |plugins: &[Plugin], others: &[Plugin]| -> Vec<String> {
            let names = plugins.iter().map(Plugin::name).filter(|name| find(others, name).is_some());
            names.map(str::to_owned).collect()
        };
        change.is_order = stay(old, new) != stay(new, old);
        change
    }

    /// The same, with the folders outside the workspace that tools may use.
    pub(crate) fn with_outside(self, old: &[PathBuf], new: &[PathBuf]) -> Self {
        let beyond = |one: &[PathBuf], other: &[PathBuf]| -> Vec<PathBuf> {
            one.iter().filter(|folder| !other.contains(folder)).cloned().collect()
        };
        Self { opened: beyond(new, old), closed: beyond(old, new), ..self }
    }

    /// The same, with whether providers are set otherwise.
    pub(crate) fn with_providers(self, is_providers: bool) -> Self {
        Self { is_providers, ..self }
    }

    /// Whether everything is as it was.
    pub(crate) fn is_nothing(&self) -> bool {
        self.all().next().is_none()
            && !self.is_order
            && !self.is_providers
            && self.opened.is_empty()
            && self.closed.is_empty()
    }

    fn all(&self) -> impl Iterator<Item = &One> {
        self.removed.iter().chain(&self.changed).chain(&self.added)
    }

    fn lines(&self) -> Vec<String> {
        let order = self.is_order.then(|| "plugins are asked in another order".to_owned());
        let folders = |word: &str, folders: &[PathBuf]| -> Vec<String> {
            folders.iter().map(|folder| format!("{word}: {}", told(folder))).collect()
        };
        let opened = folders("tools may use this folder outside the workspace now", &self.opened);
        let closed = folders("tools may use this folder outside the workspace no more", &self.closed);
        let providers = self.is_providers.then(|| PROVIDERS.to_owned());
        let more = opened.into_iter().chain(closed).chain(order).chain(providers);
        let mut lines: Vec<String> = self.all().map(One::line).chain(more).collect();
        if lines.is_empty() {
            lines.push("settings were read again".to_owned());
        }
        lines
    }
}

impl One {
    fn of(old: Option<&Plugin>, new: Option<&Plugin>, what: String) -> Self {
        let name = new.or(old).map(|plugin| plugin.name().to_owned()).unwrap_or_default();
        let audit = |plugin: Option<&Plugin>| plugin.map(in_force).map(Ok);
        let (before, now) = (audit(old), audit(new));
        let refuses = |audit: &Option<Result<Audit, _>>| {
            let powers = audit.iter().flatten().flat_map(|audit| &audit.decides);
            powers.filter(|power| power.can == Can::Refuse).count() > 0
        };
        let refuses_no_more = refuses(&before) && !refuses(&now);
        let difference = Pair { name: name.clone(), old: before, new: now }.difference();
        let set = new.map(|now| Set::of(old, now)).unwrap_or_default();
        Self { name, what, difference, set, refuses_no_more }
    }

    fn line(&self) -> String {
        let Self { name, what, difference: Difference { gained, lost }, set, refuses_no_more } = self;
        let mut line = format!("plugin `{}` {what}", one_line(name, NAME));
        let values = set.values.iter().map(|set::Value { key, before, now }| format!("{key}: {now} ({before} before)"));
        let (gained, lost) = (names(gained), names(lost));
        let lists = [
            ("gained: ", &gained),
            ("lost: ", &lost),
            ("granted: ", &set.granted),
            ("granted no more: ", &set.taken),
            ("", &values.collect()),
        ];
        for (word, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            line.push_str(&format!("; {word}{}", one_line(&list.join(", "), SHARE)));
        }
        if *refuses_no_more {
            line.push_str("; it refuses nothing any more");
        }
        line
    }

    fn json(&self) -> Value {
        let Self { name, what, difference: Difference { gained, lost }, set, refuses_no_more } = self;
        json!({
            "plugin": name,
            "what": what,
            "gained": names(gained),
            "lost": names(lost),
            "granted": set.granted,
            "grantedNoMore": set.taken,
            "set": set.values,
            "refusesNoMore": refuses_no_more,
        })
    }
}

fn told(folder: &Path) -> String {
    one_line(&folder.display().to_string(), SHARE)
}

/// What a plugin can do as it is set: a shadow decides nothing.
fn in_force(plugin: &Plugin) -> Audit {
    let audit = Audit::of(plugin.name().to_owned(), plugin.inspection(), plugin.grants());
    if plugin.is_shadow() { Audit { decides: Vec::new(), ..audit } } else { audit }
}

/// The seams, and the imports without their versions.
fn names(share: &Share) -> Vec<String> {
    let decides = share.decides.iter().map(|power| power.seam.clone());
    let reaches = share.reaches.iter().map(|reach| {
        let path = reach.import.split('@').next().unwrap_or_default();
        path.strip_prefix("seam:harness/").unwrap_or(path).to_owned()
    });
    decides.chain(reaches).collect()
}

impl Screen {
    /// Takes everything else that is told.
    pub(crate) fn sink(&self) -> Arc<dyn Sink> {
        match &self.terminal {
            Some(terminal) => Arc::clone(terminal) as _,
            None => Arc::new(JsonLines(self.output.clone())),
        }
    }

    /// What a person should know before it begins.
    pub(crate) fn notes(&self, notes: &[String]) {
        self.terminal.iter().for_each(|terminal| terminal.notes(notes));
    }

    /// Other plugins are in force.
    pub(crate) fn reloaded(&self, change: &Change, plugins: &[Plugin]) {
        match &self.terminal {
            Some(terminal) => terminal.reloaded(&change.lines(), plugins),
            None => {
                self.json(change, &[]);
                change.is_providers.then(|| complain(PROVIDERS));
            }
        }
    }

    /// For a program: what was left out, and what is not as it was locked. A person was told.
    pub(crate) fn missing(&self, loaded: &Loaded) {
        if self.terminal.is_some() {
            return;
        }
        for left_out in &loaded.left_out {
            let (plugin, file, why) = (&left_out.name, &left_out.file, &left_out.why);
            self.print(&json!({ "type": "plugin_left_out", "plugin": plugin, "file": file, "why": why }));
        }
        if !loaded.unlocked.is_empty() {
            self.print(&json!({ "type": "plugins_not_as_locked", "differences": loaded.unlocked }));
        }
    }

    /// Those that are there stay in force.
    pub(crate) fn stays(&self, faults: &[String], remedy: &str) {
        if self.terminal.is_none() {
            self.json(&Change::default(), faults);
        }
        faults.iter().for_each(|fault| complain(&clean(fault)));
        complain(&clean(&format!("the plugins in force are those from before{remedy}")));
    }

    fn json(&self, change: &Change, failed: &[String]) {
        let names = |all: &[One]| all.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
        let refuses_no_more = change.all().filter(|one| one.refuses_no_more).map(|one| one.name.clone());
        self.print(&json!({
            "type": "plugins_reload",
            "added": names(&change.added),
            "removed": names(&change.removed),
            "changed": names(&change.changed),
            "refuseNoMore": refuses_no_more.collect::<Vec<_>>(),
            "outsideGained": change.opened,
            "outsideLost": change.closed,
            "details": change.all().map(One::json).collect::<Vec<_>>(),
            "failed": failed,
        }));
    }

    fn print(&self, line: &Value) {
        self.output.print(&format!("{line}\n"));
    }
}
