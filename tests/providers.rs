//! Real providers over real sockets: what is sent, what comes back, and what plugins have to say about it.

mod aborts;
mod conversations;
mod faults;
mod keys;
mod leaks;
mod seams;
mod wire;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use seam_harness::{Heard, NewPlugins, Restore, RetrySettings, Upkeep};
use seam_loop::{Model, RunOutcome};
use seam_providers::{ProviderSettings, Providers};
use seam_tests::bed::{Bed, Session};
use seam_tests::models::{Protocol, Server};
use seam_tests::talk::Talk;
use serde_json::json;

/// Settings of providers, by name.
type Settings = BTreeMap<String, ProviderSettings>;

/// A provider without a key whose service is this server.
fn service(server: &Server, protocol: Protocol) -> ProviderSettings {
    ProviderSettings {
        protocol: Some(serde_json::from_value(json!(protocol.name())).unwrap()),
        base_url: Some(server.base_url(protocol)),
        ..ProviderSettings::default()
    }
}

/// The same for each protocol, under its name.
fn services(server: &Server) -> Settings {
    Protocol::ALL.map(|protocol| (protocol.name().to_owned(), service(server, protocol))).into()
}

/// The model that answers in this protocol.
fn model(protocol: Protocol) -> Model {
    Model { provider: protocol.name().to_owned(), id: protocol.model().to_owned() }
}

/// A provider that fails is asked again so often, at once.
fn again(max: u32) -> Upkeep {
    Upkeep { retry: RetrySettings { max, base: Duration::from_millis(1) }, ..Upkeep::default() }
}

/// A conversation with the model of this protocol.
async fn talk(bed: Bed, settings: &Settings, protocol: Protocol) -> Talk {
    talk_in(None, bed, settings, protocol).await
}

/// The same, kept in a file.
async fn talk_in(file: Option<&Path>, bed: Bed, settings: &Settings, protocol: Protocol) -> Talk {
    let providers = Arc::new(Providers::new(settings).expect("the settings are right"));
    let begun = bed.begin_with(providers, model(protocol), Vec::new(), file, Restore::default());
    begun.await.expect("the session starts")
}

/// Says something, and gives how the run ended.
async fn run(talk: &mut Talk, text: &str) -> RunOutcome {
    match talk.say(text).await {
        Heard::Ran(outcome) => outcome,
        other => panic!("{other:?}"),
    }
}

/// How the run ended that failed.
async fn failed(talk: &mut Talk, text: &str) -> String {
    run(talk, text).await.error.expect("it fails")
}

/// Puts the plugins of a bed in the place of those there are. Gives the bed, which holds them.
async fn replace(talk: &mut Talk, bed: Bed) -> Bed {
    let (session, commands) = bed.join(talk.harness.conversation(), Vec::new()).await;
    let Session { dispatcher, bed, .. } = session;
    let new = NewPlugins { dispatcher, commands, restore: Restore::default(), upkeep: again(0) };
    talk.harness.replace_plugins(new).await.expect("they take their place");
    bed
}
