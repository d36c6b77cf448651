//! One thing said to the agent, from the words to the end of the run.

use std::sync::Arc;

use seam_loop::message::{UserMessage, now};
use seam_loop::{CancellationToken, Content, Message, RunOutcome, StopReason};

use crate::bus::Trail;
use crate::event::SessionEvent;
use crate::harness::Harness;
use crate::phase::{InPhase, Phase};
use crate::seams::{CommandOutcome, Prompt, ResourceKind, Said, Source};
use crate::texts;

/// What stands in a template for the words behind its name.
const PLACE: &str = "$ARGUMENTS";
/// The longest text that a template may become, in bytes.
const LONGEST: usize = 1 << 20;

/// A template would become too long.
struct TooLong;

/// What came of something said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// A plugin answered it; the model was not asked.
    Replied(String),
    /// A plugin's command failed, in words for the user.
    Failed(String),
    /// There was a run.
    Ran(RunOutcome),
}

impl Harness {
    /// Takes what is said the way of all input: commands, the `input` chain, prompt templates and skills,
    /// `before-agent-start`, the run. What fails on the way is an outcome: the conversation can go on after each.
    pub async fn say(&mut self, said: Said, abort: &CancellationToken) -> Heard {
        let tell = Arc::clone(&self.tell);
        tell.heeding(abort, self.hear(said, abort)).await
    }

    async fn hear(&mut self, said: Said, abort: &CancellationToken) -> Heard {
        if let Some(failed) = self.unstored() {
            return Heard::Ran(failed);
        }
        self.tell.conversation.begin_run();
        let mut said = said;
        match self.command(&said.text, abort).await {
            None => {}
            Some(CommandOutcome::Reply(reply)) => return Heard::Replied(texts::clean(&reply)),
            Some(CommandOutcome::Failed(reason)) => return Heard::Failed(texts::clean(&reason)),
            Some(CommandOutcome::Prompt(text)) => {
                said = Said { text, images: Vec::new(), source: Source::Plugin };
            }
        }
        let at = self.tell.conversation.moment();
        let mut trail = Trail::new();
        let reply = unless_aborted(abort, self.dispatcher.bus().receive(&mut said, &at, &mut trail)).await;
        self.tell.decided(trail);
        match reply {
            Some(Ok(None)) => {}
            Some(Ok(Some(reply))) => return Heard::Replied(reply),
            Some(Err(refused)) => return Heard::Failed(texts::not_heard(&refused)),
            None => return aborted(),
        }
        match self.expanded(&said.text) {
            None => self.start_run(said.text, said.images, abort).await,
            Some(Ok(text)) => self.start_run(text, said.images, abort).await,
            Some(Err(TooLong)) => Heard::Failed(format!(
                "Nothing was sent: with these arguments the text would be longer than {} KiB; say less.",
                LONGEST >> 10
            )),
        }
    }

    /// Runs a command, if it is one.
    async fn command(&self, text: &str, abort: &CancellationToken) -> Option<CommandOutcome> {
        let (name, arguments) = slash(text)?;
        let command = self.commands.iter().find(|command| command.name == name)?;
        let at = self.tell.conversation.moment();
        let Some(outcome) = unless_aborted(abort, command.seam.run(name, arguments, &at)).await else {
            return Some(CommandOutcome::Failed("It was aborted.".to_owned()));
        };
        Some(outcome.unwrap_or_else(|failure| {
            CommandOutcome::Failed(format!("Plugin `{}` failed at `/{name}`: {failure}.", command.plugin))
        }))
    }

    /// The text of a prompt template or a skill that is called up, with its arguments.
    fn expanded(&self, text: &str) -> Option<Result<String, TooLong>> {
        let (name, arguments) = slash(text)?;
        let (kind, name) = match name.strip_prefix("skill:") {
            Some(name) => (ResourceKind::Skill, name),
            None => (ResourceKind::PromptTemplate, name),
        };
        let resource = self.resources.iter().find(|resource| (resource.kind, &*resource.name) == (kind, name))?;
        let content = &resource.content;
        let places = content.matches(PLACE).count();
        if content.len() + places.max(1) * arguments.len() > LONGEST {
            return Some(Err(TooLong));
        }
        Some(Ok(match (places > 0, arguments.is_empty()) {
            (true, _) => content.replace(PLACE, arguments),
            (false, true) => content.clone(),
            (false, false) => format!("{content}\n\n{arguments}"),
        }))
    }

    async fn start_run(&mut self, text: String, images: Vec<Content>, abort: &CancellationToken) -> Heard {
        let phase = InPhase::enter(&self.tell.settings, Phase::Turn);
        let heard = self.prompt(text, images, abort).await;
        self.tell.flush();
        drop(phase);
        // What came up in between waits for no save point.
        self.tell.flush();
        self.sync();
        if let Heard::Ran(_) = heard {
            self.tell.tell(SessionEvent::Settled { next_turn: self.next_turn.len() });
        }
        heard
    }

    async fn prompt(&mut self, text: String, images: Vec<Content>, abort: &CancellationToken) -> Heard {
        if abort.is_cancelled() {
            return aborted();
        }
        self.heal(abort).await;
        let at = self.tell.conversation.moment();
        let mut prompt = Prompt { text, images, system_prompt: self.system_prompt.clone() };
        let mut trail = Trail::new();
        let added = unless_aborted(abort, self.dispatcher.bus().before_agent_start(&mut prompt, &at, &mut trail)).await;
        self.tell.decided(trail);
        let added = match added {
            Some(Ok(added)) => added,
            Some(Err(refused)) => return Heard::Failed(texts::not_heard(&refused)),
            None => return aborted(),
        };
        let Prompt { text, images, system_prompt } = prompt;
        let content = std::iter::once(Content::text(text)).chain(images).collect();
        let user = Message::User(UserMessage { content, timestamp: now() });
        let mut messages = vec![user];
        let waiting = self.next_turn.poll();
        if !waiting.is_empty() {
            self.handle().update();
        }
        messages.extend(waiting);
        messages.extend(added);
        let outcome = self.play(messages, &system_prompt, abort).await;
        if outcome.stop_reason == StopReason::Aborted {
            self.handle().aborted();
        }
        Heard::Ran(outcome)
    }
}

/// What comes of it, or nothing after an abort.
async fn unless_aborted<T>(abort: &CancellationToken, work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        () = abort.cancelled() => None,
        done = work => Some(done),
    }
}

fn aborted() -> Heard {
    Heard::Ran(RunOutcome::aborted())
}

/// The name behind a slash, and what follows it.
fn slash(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('/')?;
    let (name, arguments) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    Some((name, arguments.trim_start()))
}
