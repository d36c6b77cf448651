//! Which model is asked: the one of the command line, or else the session's own, or else that of the settings.

use std::sync::Arc;

use anyhow::{Result, anyhow};
use async_trait::async_trait;
use seam_harness::Harness;
use seam_loop::provider::ResponseStream;
use seam_loop::{CancellationToken, Model, Provider, ProviderError, Request, ThinkingLevel};
use seam_providers::scripted::{Script, Scripted};
use seam_providers::{Facts, Providers};
use seam_session::SessionLog;

use crate::args::ModelArgs;
use crate::commands::run::plugins;
use crate::config::Config;
use crate::export::words::grouped;
use crate::terminal::style::one_line;
use crate::wanted::{Wanted, level, level_name};

/// How long the name of a model gets, in characters.
const NAME: usize = 100;

/// What is said in a run that the agent of another started, when there is no key.
const NO_KEYS_WITHIN: &str = "This run was started by a shell command of another one, and these get no keys: to give \
                              them this one, name its variable in `keep-env` under `[workspace]` in the settings of that run.";

/// The models that can be asked, and those that are wanted.
pub(in crate::commands) enum Models {
    /// A script plays it.
    Scripted(Arc<Scripted>),
    /// Real ones.
    Real {
        providers: Arc<Providers>,
        /// That of the command line.
        asked: Option<Wanted>,
        /// That of the settings.
        usual: Option<Wanted>,
    },
}

/// The model of one conversation.
pub(in crate::commands) struct Chosen {
    provider: Arc<dyn Provider>,
    model: Model,
    /// What the command line says of a session that has another one.
    change: Option<Model>,
    /// How much it should think, if that is not as in the session.
    level: Option<ThinkingLevel>,
    /// Whether the level waits for the first prompt, as everything does in a session in which nothing was said.
    is_new: bool,
    /// What a person should know of it.
    notes: Vec<String>,
    /// What is to be done for there to be a model, if there is none.
    missing: Option<String>,
}

impl Models {
    /// What the arguments and the settings say.
    pub(in crate::commands) fn of(args: &ModelArgs, config: &Config) -> Result<Self> {
        if let Some(file) = &args.script {
            return Ok(Self::Scripted(Arc::new(Scripted::new(Script::read(file)?))));
        }
        let mut providers = config.providers()?;
        if plugins::is_within_a_run() {
            providers = providers.with_hint(NO_KEYS_WITHIN);
        }
        let parse = |text: &String| Wanted::parse(text, &providers);
        let asked = args.model.as_ref().map(parse).transpose().map_err(|fault| anyhow!("--model: {fault}"))?;
        let usual = config.model.as_ref().map(parse).transpose().map_err(|fault| anyhow!("`model`: {fault}"))?;
        Ok(Self::Real { providers: Arc::new(providers), asked, usual })
    }

    /// Checks that there is one for a new conversation.
    ///
    /// # Errors
    /// When nobody says which. The error says what to do.
    pub(super) fn are_enough(&self) -> Result<()> {
        match self {
            Self::Real { providers, asked: None, usual: None } => Err(anyhow!(no_model(providers, None))),
            Self::Real { .. } | Self::Scripted(_) => Ok(()),
        }
    }

    /// The model of a conversation that is kept there.
    pub(in crate::commands) fn chosen(self, log: Option<&SessionLog>) -> Chosen {
        match self {
            Self::Scripted(provider) => Chosen::scripted(provider),
            Self::Real { providers, asked, usual } => Chosen::real(&providers, asked, usual, log),
        }
    }
}

impl Chosen {
    fn scripted(provider: Arc<Scripted>) -> Self {
        let name = provider.names().into_iter().next().unwrap_or_default().to_owned();
        let model = Model { provider: name, id: "scripted".to_owned() };
        Self { provider, model, change: None, level: None, is_new: false, notes: Vec::new(), missing: None }
    }

    fn real(
        providers: &Arc<Providers>,
        asked: Option<Wanted>,
        usual: Option<Wanted>,
        log: Option<&SessionLog>,
    ) -> Self {
        let (own, gone) = log.and_then(own).map_or((None, None), |own| match providers.facts(&own) {
            Some(_) => (Some(own), None),
            None => (None, Some(own)),
        });
        let is_new = log.is_none_or(|log| log.session().entries().is_empty());
        let change = asked.as_ref().map(|asked| asked.model.clone()).filter(|_| own.is_some());
        let wanted = asked.or_else(|| usual.filter(|_| own.is_none()));
        let level = wanted.as_ref().and_then(|wanted| wanted.level);
        let Some(model) = wanted.map(|wanted| wanted.model).or(own) else {
            return Self::none(providers, gone);
        };
        let thinks = level.or_else(|| log.and_then(own_level)).unwrap_or_default();
        let notes = providers.facts(&model).map(|facts| notes(&model, &facts, thinks)).unwrap_or_default();
        let provider: Arc<dyn Provider> = providers.clone();
        Self { provider, model, change, level, is_new, notes, missing: None }
    }

    /// Nobody is chosen, and the session's own model is not there. A plugin may still choose.
    fn none(providers: &Arc<Providers>, gone: Option<Model>) -> Self {
        let told = no_model(providers, gone.as_ref());
        let model = gone.unwrap_or_else(|| Model { provider: NOBODY.to_owned(), id: NOBODY.to_owned() });
        let provider =
            Arc::new(NoModel { providers: providers.clone(), name: model.provider.clone(), told: told.clone() });
        let (change, level, notes) = (None, None, Vec::new());
        Self { provider, model, change, level, is_new: true, notes, missing: Some(told) }
    }

    pub(in crate::commands) fn provider(&self) -> Arc<dyn Provider> {
        Arc::clone(&self.provider)
    }

    pub(in crate::commands) fn model(&self) -> &Model {
        &self.model
    }

    /// What a person should know of it.
    pub(in crate::commands) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Why nobody can be asked, and what to do, if it is so.
    pub(super) fn missing(&self) -> Option<&str> {
        self.missing.as_deref()
    }

    /// Lets a conversation that has begun have what was asked for.
    pub(in crate::commands) fn put_in_force(&self, harness: &mut Harness) {
        self.change.iter().for_each(|model| harness.set_model(model.clone()));
        match self.level {
            Some(level) if self.is_new => harness.begin_with(level),
            Some(level) => harness.set_thinking_level(level),
            None => {}
        }
    }
}

/// The model that was chosen or answered last.
fn own(log: &SessionLog) -> Option<Model> {
    let own = log.session().reduction().model()?.clone();
    let provider = own.provider.filter(|provider| provider != NOBODY)?;
    Some(Model { provider, id: own.model_id? })
}

fn own_level(log: &SessionLog) -> Option<ThinkingLevel> {
    level(log.session().reduction().thinking_level())
}

/// What a person should know before he asks this model.
fn notes(model: &Model, facts: &Facts, wanted: ThinkingLevel) -> Vec<String> {
    let name = one_line(&model.to_string(), NAME);
    if !facts.is_known {
        let Model { provider, id } = model;
        let id = one_line(id, NAME);
        let Facts { window, output, .. } = facts;
        return vec![format!(
            "`{name}` is not in the table: taken to read {} tokens and write {}, to see pictures, and not to think; say \
             otherwise under `[providers.{provider}.models.\"{id}\"]`",
            grouped(u64::from(*window)),
            grouped(u64::from(*output))
        )];
    }
    let used = facts.level(wanted);
    match used {
        used if used == wanted => Vec::new(),
        ThinkingLevel::Off => {
            vec![format!("`{name}` is not told how much to think: `{}` is left out", level_name(wanted))]
        }
        used => {
            vec![format!("`{name}` has no level `{}`: `{}` is used", level_name(wanted), level_name(used))]
        }
    }
}

/// What is to be done for there to be a model.
fn no_model(providers: &Providers, gone: Option<&Model>) -> String {
    let keys = match &*providers.with_keys() {
        [] => "No provider's key is set".to_owned(),
        [one] => format!("A key is set for {one}"),
        names => format!("Keys are set for {}", names.join(", ")),
    };
    let gone = gone.map(|gone| format!("that of the session, {}, is not there; ", one_line(&gone.to_string(), NAME)));
    let gone = gone.unwrap_or_default();
    format!(
        "there is no model to ask: {gone}give `--model PROVIDER/NAME` (`seam models` lists them), or set `model` in seam.toml; \
         `--script FILE` plays one from a JSON file. {keys}"
    )
}

/// The provider of a model that nobody chose.
const NOBODY: &str = "none";

/// All providers, and nobody is chosen.
struct NoModel {
    providers: Arc<Providers>,
    /// Whose model is not there.
    name: String,
    told: String,
}

#[async_trait]
impl Provider for NoModel {
    fn names(&self) -> Vec<&str> {
        self.providers.names().into_iter().chain([&*self.name]).collect()
    }

    fn window(&self, model: &Model) -> Option<u32> {
        self.providers.window(model)
    }

    async fn stream(&self, request: Request<'_>, abort: &CancellationToken) -> Result<ResponseStream, ProviderError> {
        match self.providers.facts(request.model) {
            Some(_) => self.providers.stream(request, abort).await,
            None => Err(ProviderError::new(&*self.told)),
        }
    }
}
