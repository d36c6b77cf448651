//! `ui`: what plugins say to the user and ask. Texts come clean and short.

use std::sync::Arc;

use crate::event::SessionEvent;
use crate::reach::Reach;
use crate::reach::accounts::Heard;
use crate::seams::User;

impl Reach {
    /// Shows a text, unless there were too many.
    pub fn notify(&self, plugin: &Arc<str>, text: String) {
        match self.accounts.notice(plugin) {
            Heard::Yes => self.tell(SessionEvent::PluginNotice { plugin: Arc::clone(plugin), text }),
            Heard::NoMore => {
                let text =
                    format!("plugin `{plugin}` says too much; what it says in the rest of this minute is dropped");
                self.tell(SessionEvent::Notice { text });
            }
            Heard::No => {}
        }
    }

    /// Shows what a plugin is doing, unless that changes too often; an empty text takes it away.
    pub fn status(&self, plugin: &Arc<str>, text: String) {
        if self.accounts.status(plugin, text.is_empty()) {
            self.tell(SessionEvent::PluginStatus { plugin: Arc::clone(plugin), text });
        }
    }

    /// Asks the user yes or no. Without an answer: no.
    pub async fn confirm(&self, plugin: &Arc<str>, question: &str) -> bool {
        match self.asked(plugin) {
            Some(user) => user.confirms(plugin, question).await,
            None => false,
        }
    }

    /// Asks the user for one of these, by its place. Without an answer: none.
    pub async fn select(&self, plugin: &Arc<str>, question: &str, options: &[String]) -> Option<usize> {
        let chosen = self.asked(plugin)?.selects(plugin, question, options).await;
        chosen.filter(|place| *place < options.len())
    }

    /// Asks the user for a line of text. Without an answer: none.
    pub async fn input(&self, plugin: &Arc<str>, question: &str) -> Option<String> {
        self.asked(plugin)?.inputs(plugin, question).await
    }

    /// Who is asked by a plugin: nobody when it has asked too much.
    fn asked(&self, plugin: &Arc<str>) -> Option<&dyn User> {
        let user = self.dispatcher.user()?;
        match self.accounts.question(plugin) {
            Heard::Yes => return Some(user),
            Heard::NoMore => {
                let text = format!(
                    "plugin `{plugin}` asks too much; what it asks in the rest of this minute is not put to you"
                );
                self.tell(SessionEvent::Notice { text });
            }
            Heard::No => {}
        }
        None
    }
}
