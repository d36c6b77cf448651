//! The fake of the import `models`: the model `test/model` that does not think, and the tools a test says.

use std::cell::RefCell;

use crate::models::OfferedTool;
use crate::{Model, ThinkingLevel};

thread_local! {
    static CHOSEN: RefCell<Option<(Model, ThinkingLevel)>> = const { RefCell::new(None) };
    static TOOLS: RefCell<Vec<OfferedTool>> = const { RefCell::new(Vec::new()) };
}

/// These tools are there, and the model may call them all.
pub fn set_tools<'a>(names: impl IntoIterator<Item = &'a str>) {
    TOOLS.set(names.into_iter().map(|name| OfferedTool { name: name.to_owned(), active: true }).collect());
}

/// This is the model, and so much it thinks.
pub fn set_model(model: Model, level: ThinkingLevel) {
    CHOSEN.set(Some((model, level)));
}

pub(crate) fn current() -> Model {
    chosen().0
}

pub(crate) fn level() -> ThinkingLevel {
    chosen().1
}

pub(crate) fn all_tools() -> Vec<OfferedTool> {
    TOOLS.with_borrow(Clone::clone)
}

pub(crate) fn select(model: &Model) -> Result<(), String> {
    set_model(model.clone(), level());
    Ok(())
}

pub(crate) fn select_level(level: ThinkingLevel) -> Result<(), String> {
    set_model(current(), level);
    Ok(())
}

pub(crate) fn select_tools(names: &[String]) -> Result<(), String> {
    TOOLS.with_borrow_mut(|tools| {
        let is_there = |name: &&String| tools.iter().any(|tool| tool.name == **name);
        let unknown: Vec<&str> = names.iter().filter(|name| !is_there(name)).map(String::as_str).collect();
        if !unknown.is_empty() {
            return Err(format!("Unknown tool(s): {}", unknown.join(", ")));
        }
        tools.iter_mut().for_each(|tool| tool.active = names.contains(&tool.name));
        Ok(())
    })
}

fn chosen() -> (Model, ThinkingLevel) {
    CHOSEN.with_borrow(|chosen| chosen.clone().unwrap_or((Model::new("test", "model"), ThinkingLevel::Off)))
}
