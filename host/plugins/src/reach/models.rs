//! `models`: the choice of model, thinking level and tools. What a plugin in the shadow chooses is not chosen.

use seam_harness::reach::models::NotChosen;
use wasmtime::Result;

use crate::bindings::seam::harness::models::{Host, OfferedTool};
use crate::bindings::seam::harness::types::{ModelResult, ThinkingLevel};
use crate::convert::model::{from_level, from_model, level};
use crate::reach::NONE;
use crate::state::{NotStored, State};
use crate::texts::clean;

/// The longest words of why something is not chosen, in bytes.
const REASON: usize = 4096;

const OUTSIDE: &str = "it used `models` outside a session";

impl Host for State {
    fn current(&mut self) -> Result<ModelResult> {
        self.answered_again("models.current", &NONE, |state| {
            let model = state.reach(OUTSIDE)?.model();
            Ok(ModelResult { provider: model.provider, id: model.id })
        })
    }

    fn level(&mut self) -> Result<ThinkingLevel> {
        self.answered_again("models.level", &NONE, |state| Ok(level(state.reach(OUTSIDE)?.thinking_level())))
    }

    fn all_tools(&mut self) -> Result<Vec<OfferedTool>> {
        self.answered_again("models.all-tools", &NONE, |state| {
            let tools = state.reach(OUTSIDE)?.tools().into_iter();
            Ok(tools.map(|(name, active)| OfferedTool { name, active }).collect())
        })
    }

    fn select(&mut self, model: ModelResult) -> Result<Result<(), String>> {
        self.answered_again("models.select", &[&model], |state| {
            let reach = state.reach(OUTSIDE)?;
            let Ok(model) = from_model(model.clone()) else {
                return Ok(Err("the provider or the id of the model is not a name".to_owned()));
            };
            chosen(match state.shared.shadow {
                true => reach.check_model(&model),
                false => reach.choose_model(&state.shared.name, model),
            })
        })
    }

    fn select_level(&mut self, level: ThinkingLevel) -> Result<Result<(), String>> {
        self.answered_again("models.select-level", &[level], |state| {
            let reach = state.reach(OUTSIDE)?;
            chosen(match state.shared.shadow {
                true => Ok(()),
                false => reach.choose_level(&state.shared.name, from_level(level)),
            })
        })
    }

    fn select_tools(&mut self, names: Vec<String>) -> Result<Result<(), String>> {
        self.answered_again("models.select-tools", &[&names], |state| {
            let reach = state.reach(OUTSIDE)?;
            chosen(match state.shared.shadow {
                true => reach.check_tools(&names),
                false => reach.choose_tools(&state.shared.name, names.clone()),
            })
        })
    }
}

fn chosen(chosen: Result<(), NotChosen>) -> wasmtime::Result<Result<(), String>> {
    match chosen {
        Err(NotChosen::NotStored) => Err(NotStored.into()),
        chosen => Ok(chosen.map_err(|why| clean(&why.to_string(), REASON))),
    }
}
