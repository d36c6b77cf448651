//! Call ids that are unique in a conversation, whatever the model sends: gates, results and screens pair by them.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use futures_util::StreamExt;
use seam_loop::message::AssistantBlock;
use seam_loop::provider::{BlockKind, ResponseStream};
use seam_loop::{CancellationToken, Provider, ProviderError, Request, StreamEvent};

/// A provider whose responses hold no id twice and none that is empty.
pub(crate) struct UniqueIds {
    provider: Arc<dyn Provider>,
    used: Arc<Mutex<HashSet<String>>>,
}

impl UniqueIds {
    pub(crate) fn new(provider: Arc<dyn Provider>) -> Self {
        Self { provider, used: Arc::default() }
    }
}

#[async_trait]
impl Provider for UniqueIds {
    fn name(&self) -> &str {
        self.provider.name()
    }

    async fn stream(&self, request: Request<'_>, abort: &CancellationToken) -> Result<ResponseStream, ProviderError> {
        let stream = self.provider.stream(request, abort).await?;
        let mut response = Response { used: Arc::clone(&self.used), given: HashMap::new() };
        Ok(stream.map(move |event| response.rename(event)).boxed())
    }
}

/// One response: which id each of its blocks got.
struct Response {
    used: Arc<Mutex<HashSet<String>>>,
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
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = if id.is_empty() { "call" } else { id.as_str() };
        let mut candidates = (2_usize..).map(|n| format!("{wanted}-{n}"));
        let first = if id.is_empty() { None } else { Some(id.clone()) };
        if let Some(free) = first.into_iter().chain(&mut candidates).find(|candidate| !used.contains(candidate)) {
            used.insert(free.clone());
            self.given.insert(index, free.clone());
            *id = free;
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
        let mut other = Response { used: response.used, given: HashMap::new() };
        other.give(0, &mut again);
        assert_eq!(again, "a-2-2");
    }
}
