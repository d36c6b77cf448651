//! From the loop's hooks to the plugins'.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use seam_loop::hooks::{Next, RequestChange, RequestView, TurnChange, TurnView, View};
use seam_loop::{
    CancellationToken, Decider, Header, HookError, Hooks, Message, Model, ProviderHooks, RequestHead, Ruling,
};
use serde_json::Value;

use crate::bus::{HookBus, Trail};
use crate::compaction::tokens;
use crate::dispatcher::Dispatcher;
use crate::edits;
use crate::event::SessionEvent;
use crate::failure::{Failure, Refused};
use crate::harness::{Compactor, Handle};
use crate::moment::Moment;
use crate::seams::{RequestPlan, TurnPlaces, TurnPlan};
use crate::sent::sent;
use crate::settings::{MOST_IDLE, News};
use crate::tell::Tell;
use crate::texts;
use crate::wire::Wire;

/// The plugins of a session, as the loop asks them in one run. A seam that nobody exports is not even looked at.
pub(crate) struct RunHooks<'a> {
    pub(crate) dispatcher: &'a Dispatcher,
    pub(crate) bus: &'a HookBus,
    pub(crate) tell: &'a Tell,
    pub(crate) abort: &'a CancellationToken,
    pub(crate) compactor: Compactor<'a>,
    /// A plugin has edited what is shown.
    pub(crate) edited: AtomicBool,
    /// What it has edited is to be shown so until the run ends.
    pub(crate) held: AtomicBool,
    pub(crate) handle: Handle,
}

impl RunHooks<'_> {
    fn wire(&self) -> Wire<'_> {
        Wire { bus: self.bus, tell: self.tell, abort: self.abort }
    }

    /// The point the loop asks at.
    fn at(&self, view: View<'_>) -> Moment {
        let now = self.tell.conversation.moment();
        if view.is_whole() { now } else { now.showing(view.context.into()) }
    }

    /// Tells what was decided and turns a refusal into the loop's error.
    fn settle<T>(
        &self,
        trail: Trail,
        answer: Result<T, Refused>,
        words: fn(&Refused) -> String,
    ) -> Result<T, HookError> {
        self.tell.decided(trail);
        answer.map_err(|refused| HookError(words(&refused)))
    }

    /// The answer of plugins. After an abort they are not waited for: nothing is sent then, whatever they say.
    async fn unless_aborted<T: Default>(&self, answer: impl Future<Output = Result<T, Refused>>) -> Result<T, Refused> {
        tokio::select! {
            biased;
            () = self.abort.cancelled() => Ok(T::default()),
            answer = answer => answer,
        }
    }

    /// What plugins make of the next turn.
    async fn planned(&self, plan: TurnPlan) -> Result<TurnChange, HookError> {
        if self.bus.prepare_next_turn.is_empty() {
            return Ok(TurnChange::default());
        }
        let at = self.tell.conversation.moment();
        let mut trail = Trail::new();
        let change = self.unless_aborted(self.bus.prepare_next_turn(plan, &at, &mut trail)).await;
        self.settle(trail, change, texts::run_ended)
    }

    /// Makes the conversation shorter, if it is too full for the turn that follows. Not while a plugin has said what is to
    /// be shown until the run ends: that would be shown again then.
    async fn shortened(&self, change: TurnChange) -> TurnChange {
        if self.held.load(Ordering::Relaxed) {
            return change;
        }
        let more = change.messages.iter().map(tokens).sum();
        match self.compactor.if_too_full(more, self.abort).await {
            // What was stored beside it is among these.
            Some(shorter) => TurnChange { transcript: Some(shorter), stored: Vec::new(), ..change },
            None => change,
        }
    }

    /// Counts a turn. Gives whether plugins have kept the run going too often in which no tool is called. What else they
    /// have waiting to keep it going waits for the next prompt then.
    fn is_endless(&self, turn: TurnView<'_>) -> bool {
        let is_endless = self.tell.settings.turn_is_over(!turn.tool_results.is_empty());
        let waiting = if is_endless { self.handle.postpone() } else { Vec::new() };
        if !waiting.is_empty() {
            self.tell.tell(SessionEvent::Notice { text: texts::postponed(&waiting, MOST_IDLE) });
        }
        is_endless
    }

    /// Whether a run goes on after a turn, for plugins that would keep it going for ever.
    fn bounded(&self, next: Result<Next, Refused>, is_endless: bool, trail: &mut Trail) -> Result<Next, Refused> {
        if !is_endless || next != Ok(Next::Continue) {
            return next;
        }
        let failure = Failure::Endless(MOST_IDLE);
        let mut ended = Ok(Next::None);
        for decision in trail.iter_mut().filter(|decision| matches!(decision.ruling, Ruling::Change { .. })) {
            let hook =
                self.bus.finish_turn.iter().find(|hook| decision.by == Decider::Plugin(Arc::clone(&hook.plugin)));
            let failure =
                hook.map_or_else(|| failure.clone(), |hook| hook.recorded(self.bus.at(decision.seam), failure.clone()));
            let refusing = hook.filter(|hook| hook.refuses(&failure));
            decision.ruling = Ruling::Failure { failure: failure.to_string(), refused: refusing.is_some() };
            if let (Some(hook), Ok(_)) = (refusing, &ended) {
                let plugin = Arc::clone(&hook.plugin);
                ended = Err(Refused { plugin, seam: decision.seam, failure });
            }
        }
        ended
    }

    /// Where the messages of the turn that ended are: the last ones, but for those that were `stored` since.
    fn places(&self, turn: TurnView<'_>, stored: usize) -> TurnPlaces {
        let length = self.tell.conversation.length().saturating_sub(stored);
        let first = length.saturating_sub(turn.tool_results.len());
        TurnPlaces { turn: turn.turn, message: first.saturating_sub(1), results: first..length }
    }
}

#[async_trait]
impl ProviderHooks for RunHooks<'_> {
    fn hide(&self, key: &str) {
        self.wire().hide(key);
    }

    async fn before_request(&self, head: &mut RequestHead<'_>) -> Result<(), HookError> {
        self.wire().before_request(head).await
    }

    async fn before_payload(&self, model: &Model, payload: &mut Value) -> Result<(), HookError> {
        self.wire().before_payload(model, payload).await
    }

    fn after_response(&self, model: &Model, status: u16, headers: Vec<Header>) {
        self.wire().after_response(model, status, headers);
    }
}

#[async_trait]
impl Hooks for RunHooks<'_> {
    async fn prepare_request(
        &self,
        request: RequestView<'_>,
        _: &CancellationToken,
    ) -> Result<RequestChange, HookError> {
        if self.bus.prepare_request.is_empty() {
            return Ok(RequestChange::default());
        }
        let RequestView { turn, model, thinking_level, view } = request;
        let plan = RequestPlan { turn, model: model.clone(), thinking_level };
        let mut trail = Trail::new();
        let change = self.unless_aborted(self.bus.prepare_request(plan, &self.at(view), &mut trail)).await;
        let change = self.settle(trail, change, texts::not_sent)?;
        let edited = change.run.messages.is_some() || change.request.messages.is_some();
        self.edited.fetch_or(edited, Ordering::Relaxed);
        self.held.fetch_or(change.run.messages.is_some(), Ordering::Relaxed);
        Ok(change)
    }

    async fn transform_context(
        &self,
        view: View<'_>,
        _: &CancellationToken,
    ) -> Result<Option<Vec<Arc<Message>>>, HookError> {
        let mut shown = None;
        if !self.bus.transform_context.is_empty() {
            let mut trail = Trail::new();
            let edited = self.unless_aborted(self.bus.transform_context(&self.at(view), &mut trail)).await;
            shown = self.settle(trail, edited, texts::not_sent)?;
        }
        // What `prepare-request` edited may have parted a call and its result too.
        if !self.edited.fetch_or(shown.is_some(), Ordering::Relaxed) && shown.is_none() {
            return Ok(None);
        }
        Ok(Some(edits::paired(shown.unwrap_or_else(|| view.context.to_vec()))))
    }

    async fn convert_to_llm(&self, messages: &[Arc<Message>]) -> Result<Option<Vec<Arc<Message>>>, HookError> {
        let conversation = &self.tell.conversation;
        let is_plain = !conversation.holds_custom() && !conversation.holds_unsent();
        if is_plain && !self.edited.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let at = conversation.moment();
        let mut trail = Trail::new();
        let seen = self.unless_aborted(self.bus.convert_to_llm(messages, &at, &mut trail)).await;
        let seen = self.settle(trail, seen, texts::not_sent)?;
        Ok(Some(seen.into_iter().filter_map(sent).collect()))
    }

    async fn get_api_key(&self, provider: &str) -> Result<Option<String>, HookError> {
        if self.bus.get_api_key.is_empty() {
            return Ok(None);
        }
        let at = self.tell.conversation.moment();
        let mut trail = Trail::new();
        let key = self.unless_aborted(self.bus.get_api_key(provider, &at, &mut trail)).await;
        self.settle(trail, key, texts::not_sent)
    }

    async fn finish_turn(&self, turn: TurnView<'_>, _: &CancellationToken) -> Result<Next, HookError> {
        let is_endless = self.is_endless(turn);
        if self.bus.finish_turn.is_empty() {
            return Ok(Next::None);
        }
        let (places, stop) = (self.places(turn, 0), turn.message.stop_reason);
        let at = self.tell.conversation.moment();
        let mut trail = Trail::new();
        let next = self.unless_aborted(self.bus.finish_turn(&places, stop, &at, &mut trail)).await;
        let next = self.bounded(next, is_endless, &mut trail);
        self.settle(trail, next, texts::run_ended)
    }

    async fn prepare_next_turn_with_context(
        &self,
        turn: TurnView<'_>,
        _: &CancellationToken,
    ) -> Result<TurnChange, HookError> {
        self.tell.flush();
        let News { model, thinking_level, active_tools, stored } = self.tell.settings.news();
        if let Some(names) = &active_tools {
            self.dispatcher.tools().activate(Some(names));
        }
        let plan = TurnPlan {
            ended: self.places(turn, stored.len()),
            model: model.as_ref().unwrap_or(turn.model).clone(),
            thinking_level: thinking_level.unwrap_or(turn.thinking_level),
        };
        let change = match self.planned(plan).await {
            Ok(change) => change,
            Err(error) => {
                self.tell.settings.put_back(stored);
                return Err(error);
            }
        };
        let (model, thinking_level) = (change.model.or(model), change.thinking_level.or(thinking_level));
        Ok(self.shortened(TurnChange { model, thinking_level, stored, ..change }).await)
    }
}
