//! `ui`: words for the user, and questions. What comes to the user is clean and short, under the plugin's name. Of a
//! plugin in the shadow nothing does.

use std::time::Duration;

use serde::Serialize;
use wasmtime::Result;

use crate::bindings::seam::harness::ui::Host;
use crate::convert::count;
use crate::state::State;
use crate::texts::{clean, one_line};

/// The longest text, in bytes.
const LONGEST: usize = 4096;
/// The longest status, and the longest option of a choice, in bytes.
const LINE: usize = 256;
/// The most options of a choice.
const OPTIONS: usize = 64;
/// The longest answer, in bytes.
const ANSWER: usize = 64 << 10;

const OUTSIDE: &str = "it spoke to the user outside a session";

impl Host for State {
    /// What is only told is not recorded: there is no answer to it.
    fn notify(&mut self, text: String) -> Result<()> {
        self.timed(|state| {
            let reach = state.reach(OUTSIDE)?;
            if !state.shared.shadow {
                reach.notify(&state.shared.name, clean(&text, LONGEST));
            }
            Ok(())
        })
    }

    fn status(&mut self, text: String) -> Result<()> {
        self.timed(|state| {
            let reach = state.reach(OUTSIDE)?;
            if !state.shared.shadow {
                reach.status(&state.shared.name, one_line(&text, LINE));
            }
            Ok(())
        })
    }

    async fn confirm(&mut self, question: String) -> Result<bool> {
        let (reach, plugin) = (self.reach(OUTSIDE)?, self.shared.name.clone());
        let shown = clean(&question, LONGEST);
        let answer = async move { reach.confirm(&plugin, &shown).await };
        self.answered_by_user("ui.confirm", &[question], answer).await
    }

    async fn select(&mut self, question: String, options: Vec<String>) -> Result<Option<u32>> {
        let (reach, plugin) = (self.reach(OUTSIDE)?, self.shared.name.clone());
        let shown = clean(&question, LONGEST);
        let choices: Vec<String> = options.iter().map(|option| one_line(option, LINE)).collect();
        let answer = async move {
            match choices.len() {
                1..=OPTIONS => reach.select(&plugin, &shown, &choices).await.map(count),
                _ => None,
            }
        };
        self.answered_by_user("ui.select", &(question, options), answer).await
    }

    async fn input(&mut self, question: String) -> Result<Option<String>> {
        let (reach, plugin) = (self.reach(OUTSIDE)?, self.shared.name.clone());
        let shown = clean(&question, LONGEST);
        let answer = async move { reach.input(&plugin, &shown).await.map(|answer| clean(&answer, ANSWER)) };
        self.answered_by_user("ui.input", &[question], answer).await
    }
}

impl State {
    /// Waits for the user, but not for ever. Nobody's answer is the one that does nothing.
    async fn answered_by_user<R: Serialize + Default>(
        &mut self,
        import: &'static str,
        arguments: &impl Serialize,
        answer: impl Future<Output = R>,
    ) -> Result<R> {
        let (most, shadow): (Duration, bool) = (self.shared.limits.user(), self.shared.shadow);
        let answer = async { if shadow { R::default() } else { answer.await } };
        self.waited(import, arguments, most, answer, |_| R::default()).await
    }
}
