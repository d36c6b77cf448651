//! A run as a person reads it: the model's words as they come, and each tool call with who decided what and why.

mod plugins;
mod spent;
mod thinking;
pub(super) mod words;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use seam_harness::{Event, Reason, SessionEvent, Sink};
use seam_loop::event::UpdateKind;
use seam_loop::message::CustomMessage;
use seam_loop::{AgentEvent, Content, Decision, Message, Ruling, StopReason, ToolOutput};
use seam_plugins::Plugin;
use serde_json::Value;

use crate::terminal::output::Output;
use crate::terminal::style::{Style, clean, one_line};

use spent::Spent;
use thinking::Thinking;
use words::{NAME, is_given_up, is_refusal, name, short_arguments, silent};

/// How many lines of a result are shown.
const SHOWN_LINES: usize = 8;
/// How wide calls and lines of results get, in characters.
const WIDTH: usize = 110;
/// How long what somebody decided gets, in characters.
const REASON: usize = 400;

/// A plugin as it is named at the start.
fn told(plugin: &Plugin) -> String {
    let shadow = if plugin.is_shadow() { " (shadow: changes nothing)" } else { "" };
    format!("{}{shadow}", one_line(plugin.name(), NAME))
}

/// How wide the column of names is.
fn width<'a>(plugins: impl Iterator<Item = &'a str>) -> usize {
    let widths = plugins.map(|plugin| one_line(plugin, NAME).chars().count());
    widths.max().unwrap_or(0).max("host".len())
}

/// Prints a run.
pub(crate) struct Terminal {
    output: Output,
    style: Style,
    /// The width of the column of names.
    names: AtomicUsize,
    /// Where the run is kept, told when its session has begun.
    session: Option<String>,
    /// The calls under way, by id and tool: an id alone may not be unique.
    calls: Mutex<Vec<(String, String, Value)>>,
    /// The observers whose failure was told.
    failed: Mutex<Vec<(String, &'static str)>>,
    thinking: Mutex<Thinking>,
    spent: Mutex<Spent>,
}

impl Terminal {
    pub(crate) fn new(output: Output, plugins: &[&str]) -> Self {
        let (calls, failed) = (Mutex::default(), Mutex::default());
        let names = width(plugins.iter().copied()).into();
        let style = Style::for_stdout();
        let (thinking, spent) = (Mutex::new(Thinking::for_stdout(style)), Mutex::default());
        Self { output, style, names, session: None, calls, failed, thinking, spent }
    }

    /// The same, which tells in which session it is kept as soon as that has begun.
    pub(crate) fn keeping(self, session: Option<String>) -> Self {
        Self { session, ..self }
    }

    /// Says who watches: the plugins of the runs around this one and its own.
    pub(crate) fn begin(&self, outer: &[Plugin], own: &[Plugin]) {
        self.is_checked(outer.iter().chain(own));
        for (whose, plugins) in [("plugins of the outer run", outer), ("plugins", own)] {
            let plugins: Vec<String> = plugins.iter().map(told).collect();
            if !plugins.is_empty() {
                self.output.print(&format!("{}\n", self.style.dim(&format!("{whose}: {}", plugins.join(", ")))));
            }
        }
    }

    /// Says what a person should know before it begins.
    pub(crate) fn notes(&self, notes: &[String]) {
        notes.iter().for_each(|note| self.output.print(&format!("{}\n", self.style.dim(note))));
    }

    /// Says what is otherwise since these plugins were loaded again.
    pub(crate) fn reloaded(&self, lines: &[String], plugins: &[Plugin]) {
        self.names.store(width(plugins.iter().map(Plugin::name)), Ordering::Relaxed);
        lock(&self.failed).clear();
        lines.iter().for_each(|line| self.output.print(&format!("{}\n", self.style.yellow(line))));
        self.is_checked(plugins.iter());
    }

    /// Says when nobody decides anything.
    fn is_checked<'a>(&self, mut plugins: impl Iterator<Item = &'a Plugin> + Clone) {
        let who = if plugins.clone().next().is_none() { "no plugins" } else { "only shadows" };
        if plugins.all(Plugin::is_shadow) {
            self.output.print(&format!("{}\n", self.style.yellow(&format!("{who}: nothing is checked"))));
        }
    }

    fn started(&self, id: String, tool: String, args: Value) {
        lock(&self.calls).push((id, tool, args));
    }

    /// The arguments of the first such call that is under way.
    fn ended(&self, id: &str, tool: &str) -> Option<Value> {
        let mut calls = lock(&self.calls);
        let found = calls.iter().position(|call| call.0 == id && call.1 == tool)?;
        Some(calls.remove(found).2)
    }

    fn call(
        &self,
        tool: &str,
        args: Option<&Value>,
        result: &ToolOutput,
        is_error: bool,
        decisions: &[Decision],
    ) -> String {
        let args = args.map(|args| short_arguments(args, WIDTH)).unwrap_or_default();
        let mut text = format!("\n{} {args}\n", self.style.bold(&format!("→ {}", one_line(tool, NAME))));
        let given_up = is_error && is_given_up(result);
        text.push_str(&self.decided(decisions, given_up));
        if decisions.iter().any(is_refusal) {
            return format!("{text}  {}\n", self.style.red("✗ not run"));
        }
        let mark = if is_error { self.style.red("✗ failed") } else { self.style.green("✓ done") };
        format!("{text}  {mark}\n{}", self.result(result))
    }

    /// Who decided what about a call, and who had nothing to say.
    fn decided(&self, decisions: &[Decision], given_up: bool) -> String {
        let spoke = decisions.iter().filter(|decision| decision.ruling != Ruling::Proceed);
        let mut text: String = spoke.map(|decision| self.decision(decision)).collect();
        let silent = silent(decisions, given_up);
        if !silent.is_empty() {
            text.push_str(&format!("  {}\n", self.style.dim(&format!("no objection: {}", silent.join(", ")))));
        }
        text
    }

    fn decision(&self, decision: &Decision) -> String {
        let by = name(&decision.by);
        let what = match &decision.ruling {
            Ruling::Proceed => "no objection".to_owned(),
            Ruling::Rewrite { arguments } => {
                format!("{} {}", self.style.yellow("rewrote the call:"), short_arguments(arguments, REASON))
            }
            Ruling::Block { reason } => format!("{} {}", self.style.red("refused:"), one_line(reason, REASON)),
            Ruling::Handled { .. } => self.style.yellow("answered it"),
            Ruling::Ask { question } => format!("{} {}", self.style.yellow("asked:"), one_line(question, REASON)),
            Ruling::Change { fields } => {
                let what = if decision.seam == "tool-result" { "the result" } else { decision.seam };
                self.style.yellow(&format!("changed {what}: {}", fields.join(", ")))
            }
            Ruling::Withhold { reason } => {
                format!("{} {}", self.style.red("withheld the result:"), one_line(reason, REASON))
            }
            Ruling::Failure { failure, refused } => {
                let then = match seam_plugins::contract::seam(decision.seam) {
                    Some(seam) if *refused => seam.refusal.unwrap_or_default(),
                    Some(seam) => seam.skipped,
                    None => "",
                };
                let failure = one_line(failure, REASON);
                self.style.red(&format!("failed at `{}`: {failure}; {then}", decision.seam))
            }
        };
        format!("  {by:<width$}  {what}\n", width = self.names.load(Ordering::Relaxed))
    }

    /// Told once for each plugin and seam: an observer may see hundreds of events.
    fn observer_failed(&self, plugin: &str, seam: &'static str, failure: &str) {
        let mut failed = lock(&self.failed);
        if failed.iter().any(|known| (known.0.as_str(), known.1) == (plugin, seam)) {
            return;
        }
        failed.push((plugin.to_owned(), seam));
        let failure = one_line(failure, REASON);
        let told = self.style.red(&format!("failed at `{seam}` ({failure}); nothing depends on it"));
        self.output.print(&format!("  {}  {told}\n", one_line(plugin, NAME)));
    }

    fn result(&self, result: &ToolOutput) -> String {
        self.content(&result.content)
    }

    /// The first lines of it.
    fn content(&self, content: &[Content]) -> String {
        let mut lines: Vec<String> = Vec::new();
        for content in content {
            match content.as_text() {
                Some(text) => lines.extend(clean(text).lines().map(str::to_owned)),
                None => lines.push("[image]".to_owned()),
            }
        }
        let more = lines.len().saturating_sub(SHOWN_LINES);
        let mut text: String = lines
            .iter()
            .take(SHOWN_LINES)
            .map(|line| format!("    {}\n", self.style.dim(&one_line(line, WIDTH))))
            .collect();
        if more > 0 {
            text.push_str(&format!("    {}\n", self.style.dim(&format!("… {more} more lines"))));
        }
        text
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Seconds, to the tenth if there is one.
fn seconds(ms: u64) -> String {
    match (ms / 1_000, ms % 1_000 / 100) {
        (whole, 0) => whole.to_string(),
        (whole, tenth) => format!("{whole}.{tenth}"),
    }
}

impl Sink for Terminal {
    fn emit(&self, event: Event) {
        match event {
            Event::Agent(event) => self.agent(event),
            // With other plugins it is the same session.
            Event::Session(SessionEvent::SessionStart { reason: Reason::Reload, .. }) => {}
            Event::Session(SessionEvent::SessionStart { .. }) => {
                let told = self.session.iter().map(|session| format!("session: {}", one_line(session, REASON)));
                told.for_each(|told| self.output.print(&format!("{}\n", self.style.dim(&told))));
            }
            Event::Session(SessionEvent::Notice { text }) => {
                let text = one_line(&text, REASON);
                self.output.print(&format!("  {}\n", self.style.yellow(&format!("session: {text}"))));
            }
            Event::Session(SessionEvent::SessionCompact { from_plugin, .. }) => {
                let by = from_plugin.map(|plugin| format!(", by {}", one_line(&plugin, NAME))).unwrap_or_default();
                let text = format!("session: compacted, a summary stands for what was said first{by}");
                self.output.print(&format!("  {}\n", self.style.yellow(&text)));
            }
            Event::Session(SessionEvent::RetryScheduled { attempt, of, wait_ms, error }) => {
                let error = one_line(&error, REASON);
                let text = format!("the provider failed: {error}; attempt {attempt} of {of} in {} s", seconds(wait_ms));
                self.output.print(&format!("  {}\n", self.style.yellow(&text)));
            }
            Event::Session(event @ SessionEvent::PluginCalled { .. }) => self.output.print(&self.plugin_called(&event)),
            Event::Session(SessionEvent::PluginNotice { plugin, text }) => {
                self.output.print(&self.notice(&plugin, &text))
            }
            Event::Session(SessionEvent::PluginStatus { plugin, text }) => {
                self.output.print(&self.status(&plugin, &text))
            }
            Event::Session(SessionEvent::Decided { decision }) => self.output.print(&self.decision(&decision)),
            Event::Session(SessionEvent::ObserverFailed { plugin, seam, failure }) => {
                self.observer_failed(&plugin, seam, &failure);
            }
            Event::Session(SessionEvent::ObserverBehind { plugin, waiting, given_up }) => {
                let then = if given_up { "it did not see them" } else { "it sees them late" };
                let plugin = one_line(&plugin, NAME);
                self.output.print(&format!(
                    "  {plugin}  {}\n",
                    self.style.yellow(&format!("{waiting} events behind; {then}"))
                ));
            }
            Event::Session(SessionEvent::Settled { .. }) => {
                let spent = std::mem::take(&mut *lock(&self.spent));
                spent.line().iter().for_each(|line| self.output.print(&format!("{}\n", self.style.dim(line))));
            }
            Event::Session(_) => {}
        }
    }
}

impl Terminal {
    fn agent(&self, event: AgentEvent) {
        match event {
            AgentEvent::MessageUpdate { kind: UpdateKind::ThinkingDelta, delta: Some(delta), .. } => {
                self.output.print(&lock(&self.thinking).piece(&delta));
            }
            AgentEvent::MessageUpdate { kind: UpdateKind::ThinkingEnd, .. } => self.thought(),
            AgentEvent::MessageUpdate { kind: UpdateKind::TextDelta, delta: Some(delta), .. } => {
                self.output.print(&clean(&delta))
            }
            AgentEvent::MessageUpdate { kind: UpdateKind::TextEnd, .. } => self.output.print("\n"),
            AgentEvent::ToolExecutionStart { tool_call_id, tool_name, args } => {
                self.started(tool_call_id, tool_name, args)
            }
            AgentEvent::ToolExecutionEnd { tool_call_id, tool_name, result, is_error, decisions } => {
                let args = self.ended(&tool_call_id, &tool_name);
                self.output.print(&self.call(&tool_name, args.as_ref(), &result, is_error, &decisions));
            }
            AgentEvent::MessageEnd { message } => match &*message {
                Message::Custom(custom) if custom.display => self.output.print(&self.custom(custom)),
                Message::Assistant(message) => {
                    self.thought();
                    lock(&self.spent).add(message);
                    if message.content.is_empty() && message.stop_reason == StopReason::Stop {
                        self.output.print(&format!("{}\n", self.style.yellow("the model's answer is empty")));
                    }
                }
                _ => {}
            },
            AgentEvent::TurnEnd { .. } => self.output.print("\n"),
            _ => {}
        }
    }

    /// What the model thinks is over.
    fn thought(&self) {
        self.output.print(lock(&self.thinking).end());
    }

    /// A message that a plugin put into the conversation, under its owner's name.
    fn custom(&self, custom: &CustomMessage) -> String {
        let kind = one_line(&custom.custom_type, NAME);
        let says = self.style.yellow("adds to the conversation:");
        format!("  {kind}  {says}\n{}", self.content(&custom.content))
    }
}
