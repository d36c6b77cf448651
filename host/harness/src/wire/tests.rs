//! A provider's hooks over plugins that are played.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use seam_loop::{Ruling, ThinkingLevel};
use serde_json::{Map, json};

use super::*;
use crate::bus::{Hook, OnFailure};
use crate::event::Event;
use crate::failure::Failure;
use crate::moment::Moment;
use crate::observers::Observers;
use crate::seams::{BeforeProviderPayload, BeforeProviderRequest, PayloadReview, ProviderRequestChange};
use crate::settings::{Chosen, Settings};

/// A plugin that does this with every request.
#[derive(Clone)]
enum Part {
    Changes,
    Fails,
    /// It never answers.
    Waits,
}

#[async_trait]
impl BeforeProviderRequest for Part {
    async fn patch(&self, _: &ProviderRequest, _: &Moment) -> Result<Vec<ProviderRequestChange>, Failure> {
        match self {
            Self::Changes => Ok(vec![ProviderRequestChange::SetOption("n".to_owned(), json!(1))]),
            Self::Fails => Err(Failure::InvalidAnswer("no".to_owned())),
            Self::Waits => std::future::pending().await,
        }
    }
}

#[async_trait]
impl BeforeProviderPayload for Part {
    async fn review(&self, _: &Model, _: &Value, _: &Moment) -> Result<PayloadReview, Failure> {
        match self {
            Self::Changes => Ok(PayloadReview::Replace(json!({ "new": true }))),
            Self::Fails => Err(Failure::InvalidAnswer("no".to_owned())),
            Self::Waits => std::future::pending().await,
        }
    }
}

fn hook<S: ?Sized>(seam: Arc<S>) -> Vec<Hook<S>> {
    vec![Hook { plugin: "p".into(), on_failure: OnFailure::Refuse, shadow: false, seam }]
}

/// What came of a request, and what was told of it.
struct Came {
    request: Result<(), HookError>,
    payload: Result<(), HookError>,
    headers: Vec<Header>,
    options: Map<String, Value>,
    body: Value,
    told: Vec<String>,
}

fn header(name: &str) -> Header {
    Header { name: name.to_owned(), value: "v".to_owned() }
}

/// A request passes these plugins. Options other than `n` are refused.
async fn passes(part: Option<&Part>, abort: &CancellationToken) -> Came {
    let mut bus = HookBus::default();
    if let Some(part) = part {
        bus.before_provider_request = hook(Arc::new(part.clone()) as _);
        bus.before_provider_payload = hook(Arc::new(part.clone()) as _);
    }
    let events = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&events);
    let sink: Arc<dyn crate::event::Sink> = Arc::new(move |event: Event| told.lock().unwrap().push(event));
    let model = Model { provider: "p".to_owned(), id: "m".to_owned() };
    let chosen = Chosen { model: model.clone(), thinking_level: ThinkingLevel::Off, active_tools: None };
    let observers = Observers::start(&[], &sink);
    let tell = Tell::new(None, Arc::clone(&bus.conversation), observers, sink, Settings::new(chosen, Vec::new()));
    let wire = Wire { bus: &bus, tell: &tell, abort };
    let check = |options: &Map<String, Value>| match options.keys().all(|name| name == "n") {
        true => Ok(()),
        false => Err("it sets another option".to_owned()),
    };
    let mut head = RequestHead {
        model: &model,
        headers: vec![header("x-kept"), header("x-api-key")],
        options: Map::new(),
        check: &check,
    };
    let request = wire.before_request(&mut head).await;
    let mut body = json!({});
    let payload = wire.before_payload(&model, &mut body).await;
    wire.after_response(&model, 200, vec![header("x-seen"), header("set-cookie"), header("x-ratelimit-tokens")]);
    let told = events.lock().unwrap().iter().filter_map(shown).collect();
    Came { request, payload, headers: head.headers, options: head.options, body, told }
}

fn shown(event: &Event) -> Option<String> {
    match event {
        Event::Session(SessionEvent::Decided { decision }) => {
            let word = match &decision.ruling {
                Ruling::Change { fields } => fields.join(","),
                Ruling::Failure { failure, refused } => format!("{failure} {refused}"),
                other => format!("{other:?}"),
            };
            Some(format!("{} {word}", decision.seam))
        }
        Event::Session(SessionEvent::AfterProviderResponse { status, headers, .. }) => {
            let names: Vec<&str> = headers.iter().map(|header| &*header.name).collect();
            Some(format!("{status} {}", names.join(",")))
        }
        _ => None,
    }
}

const HEAD: &str = "200 x-seen,x-ratelimit-tokens";

#[tokio::test]
async fn what_plugins_change_is_what_is_sent_and_it_is_told() {
    let came = passes(Some(&Part::Changes), &CancellationToken::new()).await;
    assert!(came.request.is_ok() && came.payload.is_ok());
    // The provider never gives one with a key; here it would be lost instead of shown.
    assert_eq!((came.headers, came.options), (vec![header("x-kept")], Map::from_iter([("n".to_owned(), json!(1))])));
    assert_eq!(came.body, json!({ "new": true }));
    assert_eq!(came.told, ["before-provider-request options", "before-provider-payload payload", HEAD]);
}

#[tokio::test]
async fn without_plugins_nothing_is_changed() {
    let came = passes(None, &CancellationToken::new()).await;
    assert!(came.request.is_ok() && came.payload.is_ok());
    assert_eq!((came.headers.len(), came.options.len(), came.body), (2, 0, json!({})));
    assert_eq!(came.told, [HEAD]);
}

#[tokio::test]
async fn a_failure_leaves_the_request_as_it_was_and_says_that_it_was_not_sent() {
    let came = passes(Some(&Part::Fails), &CancellationToken::new()).await;
    for (seam, error) in [("request", came.request), ("payload", came.payload)] {
        let words = format!("No request was sent: plugin `p` failed at `before-provider-{seam}`: ");
        assert!(error.unwrap_err().to_string().starts_with(&words), "{seam}");
    }
    assert_eq!((came.headers, came.options.len(), came.body), (vec![header("x-kept")], 0, json!({})));
    assert_eq!(came.told.len(), 3, "{:?}", came.told);
}

/// The provider looks at the abort itself before it sends.
#[tokio::test]
async fn nobody_is_waited_for_after_an_abort() {
    let abort = CancellationToken::new();
    abort.cancel();
    let came = passes(Some(&Part::Waits), &abort).await;
    assert!(came.request.is_ok() && came.payload.is_ok());
    assert_eq!((came.headers.len(), came.body), (2, json!({})));
    assert_eq!(came.told, [HEAD]);
}
