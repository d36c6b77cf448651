//! `models`: choices of plugins, on the way on which those of the user go.

use std::sync::Arc;

use seam_loop::{Model, Provider as _, ThinkingLevel};

use crate::event::SessionEvent;
use crate::reach::Reach;
use crate::reach::budget::Bounded;

/// Why something is not chosen. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotChosen {
    /// No provider has it.
    #[error("`{model}` is a model of `{provider}`, and this session has the models of `{there}` alone")]
    OtherProvider {
        /// The model.
        model: String,
        /// Its provider.
        provider: String,
        /// Those there are.
        there: String,
    },
    /// There are not so many tools.
    #[error("these are {0} names, and there are {1} tools")]
    TooManyTools(usize, usize),
    /// The tools cannot be chosen.
    #[error(transparent)]
    Tools(#[from] crate::settings::InvalidTools),
    /// The plugin has chosen as often as it may.
    #[error("this plugin has chosen 100 times in this run, and may not choose more often")]
    TooOften,
    /// It could not be stored, and the conversation does not go on.
    #[error("it could not be stored")]
    NotStored,
}

impl Reach {
    /// The model that is chosen.
    pub fn model(&self) -> Model {
        self.handle.tell.settings.chosen().model
    }

    /// How much it thinks.
    pub fn thinking_level(&self) -> ThinkingLevel {
        self.handle.tell.settings.chosen().thinking_level
    }

    /// The names of all tools, and whether the model may call each.
    pub fn tools(&self) -> Vec<(String, bool)> {
        let settings = &self.handle.tell.settings;
        let active = settings.chosen().active_tools;
        let is_active = |name: &String| active.as_ref().is_none_or(|active| active.contains(name));
        let named = |name: String| (name.clone(), is_active(&name));
        settings.tools().into_iter().map(named).collect()
    }

    /// Whether a plugin could choose this model.
    ///
    /// # Errors
    /// When it is not one of this session's providers.
    pub fn check_model(&self, model: &Model) -> Result<(), NotChosen> {
        let there = self.provider.names();
        if there.contains(&&*model.provider) {
            return Ok(());
        }
        let Model { id, provider } = model.clone();
        Err(NotChosen::OtherProvider { model: id, provider, there: there.join("`, `") })
    }

    /// Whether a plugin could choose these tools.
    ///
    /// # Errors
    /// When a name stands there twice, or no tool has it.
    pub fn check_tools(&self, names: &[String]) -> Result<(), NotChosen> {
        let settings = &self.handle.tell.settings;
        let there = settings.tools().len();
        if names.len() > there {
            return Err(NotChosen::TooManyTools(names.len(), there));
        }
        Ok(settings.check(names)?)
    }

    /// Chooses a model for a plugin.
    ///
    /// # Errors
    /// When it is not chosen.
    pub fn choose_model(&self, plugin: &Arc<str>, model: Model) -> Result<(), NotChosen> {
        self.check_model(&model)?;
        self.takes(plugin)?;
        let text = format!("chooses the model `{}`", model.id);
        self.handle.set_model(model);
        self.says(plugin, text)
    }

    /// Chooses how much the model thinks, for a plugin.
    ///
    /// # Errors
    /// When it is not chosen.
    pub fn choose_level(&self, plugin: &Arc<str>, level: ThinkingLevel) -> Result<(), NotChosen> {
        self.takes(plugin)?;
        self.handle.set_thinking_level(level);
        self.says(plugin, format!("chooses the thinking level `{}`", crate::stored::level_name(level)))
    }

    /// Chooses the tools that the model may call, for a plugin.
    ///
    /// # Errors
    /// When they are not chosen.
    pub fn choose_tools(&self, plugin: &Arc<str>, names: Vec<String>) -> Result<(), NotChosen> {
        self.check_tools(&names)?;
        self.takes(plugin)?;
        let text = match &*names {
            [] => "takes all tools from the model".to_owned(),
            names => format!("lets the model call only {}", names.join(", ")),
        };
        self.handle.set_active_tools(names)?;
        self.says(plugin, text)
    }

    fn takes(&self, plugin: &Arc<str>) -> Result<(), NotChosen> {
        match self.handle.tell.conversation.may(plugin, Bounded::Choice) {
            true => Ok(()),
            false => Err(NotChosen::TooOften),
        }
    }

    /// Tells the user what a plugin has chosen, if it is stored or will be.
    fn says(&self, plugin: &Arc<str>, text: String) -> Result<(), NotChosen> {
        if self.has_failed() {
            return Err(NotChosen::NotStored);
        }
        self.tell(SessionEvent::PluginNotice { plugin: Arc::clone(plugin), text });
        Ok(())
    }
}
