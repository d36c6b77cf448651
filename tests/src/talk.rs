//! A whole conversation for one test: the real harness over a played model, with everything it asked and told.

use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use seam_harness::seams::{Said, Source};
use seam_harness::{Event, Harness, Heard, NotStarted, Parts, Reason, Restore, SessionEvent};
use seam_loop::provider::ResponseStream;
use seam_loop::{CancellationToken, Content, Decision, Message, Model, Provider, ProviderError, Request, Tool};
use seam_providers::scripted::{Script, Scripted};
use seam_session::{Durability, EntryKind, NewSession, SessionError, SessionLog};
use serde_json::{Value, json};

use crate::bed::{Bed, Session};

/// A conversation under way.
pub struct Talk {
    /// It.
    pub harness: Harness,
    /// What it told.
    pub events: Arc<Mutex<Vec<Event>>>,
    /// What the model was asked.
    pub requests: Arc<Mutex<Vec<Asked>>>,
    /// The workspace and the rest.
    pub bed: Kept,
}

/// What lives as long as the conversation.
pub struct Kept {
    /// The workspace.
    pub workspace: std::path::PathBuf,
    /// The texts that reached the body of `echo`.
    pub echoed: Arc<Mutex<Vec<String>>>,
    _bed: Bed,
}

/// A request as the model got it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// `PROVIDER/MODEL LEVEL`.
    pub model: String,
    /// The system prompt.
    pub system_prompt: String,
    /// The key a plugin gave.
    pub api_key: Option<String>,
    /// The messages, each as `ROLE: TEXT`.
    pub messages: Vec<String>,
    /// The names of the tools it may call.
    pub tools: Vec<String>,
}

impl Bed {
    /// Starts a conversation with a model that answers with these turns.
    pub async fn talk(self, turns: Value) -> Talk {
        self.talk_with(turns, Vec::new()).await
    }

    /// The same with more tools.
    pub async fn talk_with(self, turns: Value, tools: Vec<Arc<dyn Tool>>) -> Talk {
        self.begin(turns, tools, None, Restore::default()).await.expect("the session starts")
    }

    /// The same, kept in this file. If it is there, the conversation goes on.
    pub async fn talk_in(self, file: &Path, turns: Value) -> Talk {
        self.begin(turns, Vec::new(), Some(file), Restore::default()).await.expect("the session starts")
    }

    /// The same with all there is to say about it.
    ///
    /// # Errors
    /// When the conversation does not start.
    pub async fn begin(
        self,
        turns: Value,
        tools: Vec<Arc<dyn Tool>>,
        file: Option<&Path>,
        restore: Restore,
    ) -> Result<Talk, NotStarted> {
        let script = Script::from_value(json!({ "turns": turns }), "the test").expect("the turns are a script");
        let model = Model { provider: "scripted".to_owned(), id: "m".to_owned() };
        self.begin_with(Arc::new(Scripted::new(script)), model, tools, file, restore).await
    }

    /// The same with a model of any provider.
    ///
    /// # Errors
    /// When the conversation does not start.
    pub async fn begin_with(
        self,
        provider: Arc<dyn Provider>,
        model: Model,
        tools: Vec<Arc<dyn Tool>>,
        file: Option<&Path>,
        restore: Restore,
    ) -> Result<Talk, NotStarted> {
        let (session, commands) = self.start_with(tools).await;
        let Session { workspace, dispatcher, echoed, bed } = session;
        let requests = Arc::<Mutex<Vec<Asked>>>::default();
        let provider = Arc::new(Watched { inner: provider, requests: Arc::clone(&requests) });
        let events = Arc::<Mutex<Vec<Event>>>::default();
        let told = Arc::clone(&events);
        let parts = Parts {
            provider,
            dispatcher,
            commands,
            model,
            system_prompt: "be kind".to_owned(),
            sink: Arc::new(move |event: Event| told.lock().expect("no test panicked with it").push(event)),
            log: file.map(kept),
            restore,
            upkeep: bed.upkeep,
        };
        let harness = Harness::start(parts).await?;
        Ok(Talk { harness, events, requests, bed: Kept { workspace, echoed, _bed: bed } })
    }
}

/// The file of a session, new or not.
fn kept(file: &Path) -> SessionLog {
    let log = || match file.exists() {
        true => SessionLog::open(file, Durability::EachEntry),
        false => SessionLog::create(file, NewSession::new("/work"), Durability::EachEntry),
    };
    // Another test may just begin a process, and that holds all locks of this one until it has begun.
    let free = (0..200).find_map(|_| match log() {
        Err(SessionError::Locked { .. }) => {
            std::thread::sleep(std::time::Duration::from_millis(5));
            None
        }
        log => Some(log),
    });
    free.expect("the last one has left").expect("the file can be used")
}

/// The entries of a session file, each as `TYPE` or `ROLE`, in the order of the file.
pub fn entries(file: &Path) -> Vec<String> {
    let session = seam_session::Session::read(file).expect("the session is read");
    let word = |entry: &seam_session::Entry| match entry.kind() {
        EntryKind::Message { role: Some(role), .. } => role.to_string(),
        kind => kind.name().to_owned(),
    };
    session.entries().iter().map(word).collect()
}

impl Talk {
    /// Says something as the user.
    pub async fn say(&mut self, text: &str) -> Heard {
        self.say_until(text, &CancellationToken::new()).await
    }

    /// The same, with an abort.
    pub async fn say_until(&mut self, text: &str, abort: &CancellationToken) -> Heard {
        let said = Said { text: text.to_owned(), images: Vec::new(), source: Source::User };
        self.harness.say(said, abort).await
    }

    /// The messages of the last request, each as `ROLE: TEXT`.
    pub fn last_request(&self) -> Asked {
        self.requests.lock().expect("no test panicked with it").last().expect("the model was asked").clone()
    }

    /// How often the model was asked.
    pub fn asked(&self) -> usize {
        self.requests.lock().expect("no test panicked with it").len()
    }

    /// The decisions that are about no tool call.
    pub fn decided(&self) -> Vec<Decision> {
        let events = self.events.lock().expect("no test panicked with it");
        let decided = events.iter().filter_map(|event| match event {
            Event::Session(SessionEvent::Decided { decision }) => Some(decision.clone()),
            _ => None,
        });
        decided.collect()
    }

    /// The transcript, each message as `ROLE: TEXT`.
    pub fn transcript(&self) -> Vec<String> {
        self.harness.transcript().messages().iter().map(|message| shown(message)).collect()
    }

    /// Leaves the session and lets observers see the rest. Gives everything that was told.
    pub async fn close(self) -> Vec<Event> {
        self.harness.close(Reason::Quit).await;
        let events = self.events.lock().expect("no test panicked with it");
        events.clone()
    }
}

/// A turn of the model: a text.
pub fn says(text: &str) -> Value {
    json!({ "content": [{ "text": text }] })
}

/// A turn of the model: a call of a tool whose argument is `text`.
pub fn calls(tool: &str, text: &str) -> Value {
    json!({ "content": [{ "toolCall": { "id": "c", "name": tool, "args": { "text": text } } }] })
}

/// A message as `ROLE: TEXT`.
pub fn shown(message: &Message) -> String {
    let texts = |content: &[Content]| content.iter().filter_map(Content::as_text).collect::<Vec<_>>().join(" ");
    match message {
        Message::User(user) => format!("user: {}", texts(&user.content)),
        Message::Assistant(said) => {
            let value = serde_json::to_value(&said.content).expect("content is JSON");
            let parts = value.as_array().expect("a list").iter().map(|block| match block["type"].as_str() {
                Some("text") => block["text"].as_str().unwrap_or_default().to_owned(),
                Some("thinking") => format!("({})", block["thinking"].as_str().unwrap_or_default()),
                _ => format!("[{} {}]", block["name"].as_str().unwrap_or_default(), block["arguments"]),
            });
            format!("assistant: {}", parts.collect::<Vec<_>>().join(" "))
        }
        Message::ToolResult(result) => format!("tool: {}", texts(&result.content)),
        Message::Custom(custom) => format!("{}: {}", custom.custom_type, texts(&custom.content)),
    }
}

/// A provider whose requests are noted.
struct Watched {
    inner: Arc<dyn Provider>,
    requests: Arc<Mutex<Vec<Asked>>>,
}

#[async_trait]
impl Provider for Watched {
    fn names(&self) -> Vec<&str> {
        self.inner.names()
    }

    fn window(&self, model: &Model) -> Option<u32> {
        self.inner.window(model)
    }

    async fn stream(&self, request: Request<'_>, abort: &CancellationToken) -> Result<ResponseStream, ProviderError> {
        let asked = Asked {
            model: format!("{}/{} {:?}", request.model.provider, request.model.id, request.thinking_level),
            system_prompt: request.system_prompt.to_owned(),
            api_key: request.api_key.map(str::to_owned),
            messages: request.messages.iter().map(|message| shown(message)).collect(),
            tools: request.tools.iter().map(|tool| tool.name.to_string()).collect(),
        };
        self.requests.lock().expect("no test panicked with it").push(asked);
        self.inner.stream(request, abort).await
    }
}
