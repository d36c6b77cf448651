//! Changes on their way to the file.

use std::sync::Arc;

use crate::event::{Event, SessionEvent};
use crate::record::Record;
use crate::settings::{Change, State, told};
use crate::tell::Tell;

impl Tell {
    /// Takes in a change. What cannot be stored while nothing runs changes nothing, and the next run says why.
    pub(crate) fn change(&self, change: Change) {
        let mut news = Vec::new();
        {
            let mut state = self.settings.lock();
            if state.says(&change) {
                return;
            }
            if state.is_busy() {
                state.pending.push_back(change.clone());
            } else if !self.store(&change, &mut state, &mut news) {
                return;
            }
            news.extend(state.choose(change).map(Event::Session));
        }
        news.into_iter().for_each(|event| self.tell(event));
    }

    /// Stores what has waited, the oldest first. Gives whether anything had.
    pub(crate) fn flush(&self) -> bool {
        let (mut had_waited, mut news) = (false, Vec::new());
        {
            let mut state = self.settings.lock();
            while let Some(change) = state.pending.front().cloned() {
                had_waited = true;
                if !self.store(&change, &mut state, &mut news) {
                    break;
                }
                state.pending.pop_front();
            }
        }
        news.into_iter().for_each(|event| self.tell(event));
        had_waited
    }

    /// A point at which everything has to be stored.
    pub(crate) fn save_point(&self) {
        let pending = self.flush();
        if self.record.as_ref().is_none_or(Record::save_point) {
            self.tell(SessionEvent::SavePoint { pending });
        }
    }

    /// Stores a change. Gives whether it is stored; what is to be told of it then is in `news`.
    fn store(&self, change: &Change, state: &mut State, news: &mut Vec<Event>) -> bool {
        if !self.record.as_ref().is_none_or(|record| record.append(change.entry())) {
            return false;
        }
        if let Change::Message(message) = change {
            self.conversation.push(Arc::clone(message));
            state.news.stored.push(Arc::clone(message));
            news.extend(told(Arc::clone(message)));
        }
        true
    }
}
