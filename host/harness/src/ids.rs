//! Call ids that are unique in a session, whatever the model sends: gates, results, screens and the journal pair by them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use futures_util::StreamExt;
use seam_loop::message::AssistantBlock;
use seam_loop::provider::{BlockKind, ResponseStream};
use seam_loop::{CancellationToken, Model, Provider, ProviderError, Request, StreamEvent};

/// The ids that were given, each with the next number to try behind it.
type Used = Arc<Mutex<HashMap<String, usize>>>;

/// A provider whose responses hold no id twice and none that is empty.
pub(crate) struct UniqueIds {
    provider: Arc<dyn Provider>,
    used: Used,
}

impl UniqueIds {
    /// `given`: the ids of a session that goes on, those of all its branches.
    pub(crate) fn new(provider: Arc<dyn Provider>, given: impl Iterator<Item = String>) -> Self {
        Self { provider, used: Arc::new(Mutex::new(given.map(|id| (id, FIRST)).collect())) }
    }

    /// An id for a call that the model does not make, with a number behind it if it is taken. The model gets it no more.
    pub(crate) fn take(&self, id: String) -> String {
        free(&self.used, id)
    }
}

#[async_trait]
impl Provider for UniqueIds {
    fn names(&self) -> Vec<&str> {
        self.provider.names()
    }

    fn window(&self, model: &Model) -> Option<u32> {
        self.provider.window(model)
    }

    async fn stream(&self, request: Request<'_>, abort: &CancellationToken) -> Result<ResponseStream, ProviderError> {
        let stream = self.provider.stream(request, abort).await?;
        let mut response = Response { used: Arc::clone(&self.used), given: HashMap::new() };
        Ok(stream.map(move |event| response.rename(event)).boxed())
    }
}

/// One response: which id each of its blocks got.
struct Response {
    used: Used,
    given: HashMap<usize, String>,
}

impl Response {
    fn rename(&mut self, mut event: StreamEvent) -> StreamEvent {
        match &mut event {
            StreamEvent::BlockStart { index, kind: BlockKind::ToolCall { id, .. } } => self.give(*index, id),
            StreamEvent::BlockEnd { index, block: AssistantBlock::ToolCall(call) } => self.give(*index, &mut call.id),
            StreamEvent::End(message) => {
                for (index, block) in message.content.iter_mut().enumerate() {
                    if let AssistantBlock::ToolCall(call) = block {
                        self.give(index, &mut call.id);
                    }
                }
            }
            _ => {}
        }
        event
    }

    /// Puts the block's id in place: its own, or when that is empty or taken, the first free one made from it.
    fn give(&mut self, index: usize, id: &mut String) {
        if let Some(given) = self.given.get(&index) {
            id.clone_from(given);
            return;
        }
        *id = free(&self.used, std::mem::take(id));
        self.given.insert(index, id.clone());
    }
}

/// The id if it is free, or else the first free one that is made from it. It is taken then.
fn free(used: &Used, id: String) -> String {
    let mut used = used.lock().unwrap_or_else(PoisonError::into_inner);
    let is_free = !id.is_empty() && !used.contains_key(&id);
    let wanted = if id.is_empty() { "call".to_owned() } else { id };
    let free = if is_free { wanted } else { numbered(wanted, &mut used) };
    used.entry(free.clone()).or_insert(FIRST);
    free
}

/// The first number behind an id that is taken.
const FIRST: usize = 2;

/// An id with the next number that is free. Each id remembers it: a model that says the same one for ever costs no more
/// each time.
fn numbered(wanted: String, used: &mut HashMap<String, usize>) -> String {
    let mut next = used.get(&wanted).copied().unwrap_or(FIRST);
    loop {
        let candidate = format!("{wanted}-{next}");
        next += 1;
        if !used.contains_key(&candidate) {
            used.insert(wanted, next);
            return candidate;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_given_once() {
        let mut response = Response { used: Arc::default(), given: HashMap::new() };
        let mut ids = ["a", "a", "", "b", ""].map(str::to_owned);
        ids.iter_mut().enumerate().for_each(|(index, id)| response.give(index, id));
        assert_eq!(ids, ["a", "a-2", "call-2", "b", "call-3"]);
        // The same block keeps what it got, and another response knows what is taken.
        let mut again = "a".to_owned();
        response.give(1, &mut again);
        assert_eq!(again, "a-2");
        let mut called = "call".to_owned();
        response.give(9, &mut called);
        assert_eq!(called, "call-4");
        let mut other = Response { used: response.used, given: HashMap::new() };
        other.give(0, &mut again);
        assert_eq!(again, "a-2-2");
        assert_eq!(["a", "c"].map(|id| free(&other.used, id.to_owned())), ["a-3", "c"]);
    }
}
