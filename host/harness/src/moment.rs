//! The messages of a session as hooks may read them, and a point in it. Nothing is copied to make one.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use seam_loop::Message;
use seam_loop::message::now;
use seam_session::{Session, SessionError};

use crate::reach::Reach;
use crate::reach::budget::Budgets;
use crate::reach::state::States;
use crate::sent::goes_as_it_is;

/// What a session has stored so far, as far as the model is to know of it: a list that grows, until another takes its
/// place because the session was compacted or another branch was chosen. Sharing it costs nothing, whatever its length.
#[derive(Debug)]
pub struct Conversation {
    session: Box<str>,
    /// Moments from before another took its place keep the one of their time.
    current: Mutex<Arc<Held>>,
    /// What plugins may be granted of it. Nothing before somebody owns it.
    reach: Mutex<Option<Weak<Reach>>>,
    /// What plugins remember.
    pub(crate) states: States,
    /// What plugins have used of what a run gives them.
    pub(crate) budgets: Budgets,
}

/// Who has the conversation.
pub(crate) enum Owner {
    /// Nobody yet, or ever: a dispatcher is used by itself.
    Nobody,
    /// Somebody, who is reached by this.
    Reach(Arc<Reach>),
    /// It was left.
    Left,
}

/// One list.
#[derive(Debug, Default)]
struct Held {
    messages: Mutex<Vec<Arc<Message>>>,
    custom: AtomicBool,
    unsent: AtomicBool,
}

/// A point in a session: the messages there are. It does not change when the session goes on. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Moment {
    conversation: Arc<Conversation>,
    held: Arc<Held>,
    length: usize,
    /// What the model would be shown, where that is not what is stored.
    shown: Option<Arc<[Arc<Message>]>>,
}

impl Conversation {
    /// An empty one of the session with this id.
    pub fn new(session: impl Into<Box<str>>) -> Self {
        let (current, reach, states, budgets) = Default::default();
        Self { session: session.into(), current, reach, states, budgets }
    }

    /// An empty one of this session, in which plugins remember what they do there. So they do before somebody owns it.
    ///
    /// # Errors
    /// When what they remember cannot be read.
    pub fn of(session: &Session) -> Result<Self, SessionError> {
        Ok(Self { states: States::of(session)?, ..Self::new(session.header().id.clone()) })
    }

    /// The session's id.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// From now on this is what plugins may be granted of it.
    pub(crate) fn bind(&self, reach: &Arc<Reach>) {
        *self.reach.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::downgrade(reach));
    }

    /// Who has it.
    pub(crate) fn owner(&self) -> Owner {
        match self.reach.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(Weak::upgrade) {
            None => Owner::Nobody,
            Some(Some(reach)) => Owner::Reach(reach),
            Some(None) => Owner::Left,
        }
    }

    /// Takes in a message that was stored.
    pub fn push(&self, message: Arc<Message>) {
        self.current().push(message);
    }

    /// Puts other messages in the place of all. Moments stay as they were.
    pub(crate) fn replace(&self, messages: impl IntoIterator<Item = Arc<Message>>) {
        let held = Held::default();
        messages.into_iter().for_each(|message| held.push(message));
        *self.current() = Arc::new(held);
    }

    /// All messages there are.
    pub(crate) fn messages(&self) -> Vec<Arc<Message>> {
        self.current().lock().clone()
    }

    /// Whether any of them is from a plugin.
    pub fn holds_custom(&self) -> bool {
        self.current().custom.load(Ordering::Relaxed)
    }

    /// Whether any of them is not sent as it is.
    pub(crate) fn holds_unsent(&self) -> bool {
        self.current().unsent.load(Ordering::Relaxed)
    }

    /// How many messages are stored.
    pub fn length(&self) -> usize {
        self.current().lock().len()
    }

    /// Now.
    pub fn moment(self: &Arc<Self>) -> Moment {
        let held = Arc::clone(&self.current());
        let length = held.lock().len();
        Moment { conversation: Arc::clone(self), held, length, shown: None }
    }

    fn current(&self) -> MutexGuard<'_, Arc<Held>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn push(&self, message: Arc<Message>) {
        self.custom.fetch_or(matches!(*message, Message::Custom(_)), Ordering::Relaxed);
        self.unsent.fetch_or(!goes_as_it_is(&message), Ordering::Relaxed);
        self.lock().push(message);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Message>>> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Conversation {
    /// An empty one, of a session whose id no other has.
    fn default() -> Self {
        let number = SESSIONS.fetch_add(1, Ordering::Relaxed);
        Self::new(format!("{:x}-{:x}-{number:x}", now(), std::process::id()))
    }
}

/// How many sessions there were in this process.
static SESSIONS: AtomicU32 = AtomicU32::new(0);

impl Moment {
    /// The same point, with other messages to read.
    #[must_use]
    pub fn showing(&self, messages: Arc<[Arc<Message>]>) -> Self {
        Self { length: messages.len(), shown: Some(messages), ..self.clone() }
    }

    /// The point the session has reached by now.
    #[must_use]
    pub fn now(&self) -> Self {
        self.conversation.moment()
    }

    /// The session's id.
    pub fn session(&self) -> &str {
        self.conversation.session()
    }

    /// What plugins may be granted of the conversation; nothing before somebody owns it, and after it was left.
    pub fn reach(&self) -> Option<Arc<Reach>> {
        if let Owner::Reach(reach) = self.conversation.owner() { Some(reach) } else { None }
    }

    pub(crate) fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// How many messages there are.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The message at a place, from 0.
    pub fn get(&self, index: usize) -> Option<Arc<Message>> {
        self.slice(index..index.saturating_add(1)).pop()
    }

    /// The messages at these places, as far as there are any.
    pub fn slice(&self, places: Range<usize>) -> Vec<Arc<Message>> {
        let places = places.start..places.end.min(self.length);
        match &self.shown {
            Some(shown) => shown.get(places).unwrap_or_default().to_vec(),
            None => self.held.lock().get(places).unwrap_or_default().to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seams::NewMessage;

    #[test]
    fn a_moment_stays_as_it_was() {
        let conversation = Arc::new(Conversation::new("s"));
        conversation.push(Arc::new(Message::user("a")));
        let before = conversation.moment();
        conversation.push(Arc::new(Message::user("b")));
        assert_eq!((before.length(), conversation.moment().length()), (1, 2));
        assert!(before.get(1).is_none() && before.slice(0..9).len() == 1 && before.slice(5..9).is_empty());
        let shown = before.showing([].into());
        assert!(shown.length() == 0 && shown.get(0).is_none() && shown.session() == "s");
    }

    #[test]
    fn a_moment_stays_as_it_was_when_other_messages_take_the_place_of_all() {
        let conversation = Arc::new(Conversation::new("s"));
        let note = NewMessage { kind: "a".to_owned(), content: Vec::new(), display: false, details: None };
        let old = [note.from("p"), Message::user("b")].map(Arc::new);
        old.iter().for_each(|message| conversation.push(Arc::clone(message)));
        let before = conversation.moment();
        let new = ["in short", "c"].map(|text| Arc::new(Message::user(text)));
        conversation.replace(new[..1].to_vec());
        conversation.push(Arc::clone(&new[1]));
        assert_eq!((before.slice(0..9), before.now().slice(0..9)), (old.to_vec(), new.to_vec()));
        assert!(!conversation.holds_custom());
    }
}
