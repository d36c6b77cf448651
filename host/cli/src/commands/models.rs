//! `seam models`.

mod pattern;

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use seam_loop::{Model, Provider as _, ThinkingLevel};
use seam_providers::{About, Cost, KeySign, Known, Providers};
use serde_json::{Value, json};

use self::pattern::Pattern;
use crate::args::ModelsArgs;
use crate::commands::run::start::Base;
use crate::config::Config;
use crate::exit::Exit;
use crate::terminal::models as words;
use crate::terminal::output::{Output, complain};
use crate::terminal::style::one_line;
use crate::wanted::Wanted;

/// How much of a pattern is told.
const SHOWN: usize = 60;

/// The models of a provider.
pub(crate) struct Group {
    pub(crate) provider: String,
    pub(crate) about: About,
    /// Those that are meant; none for a provider of whose models nothing is known.
    pub(crate) models: Vec<Known>,
}

/// What the settings say which model is asked.
pub(crate) struct Chosen<'a> {
    /// As it stands there.
    pub(crate) text: &'a str,
    pub(crate) file: &'a Path,
    pub(crate) wanted: Wanted,
}

impl<'a> Chosen<'a> {
    /// None when they say nothing of it.
    pub(crate) fn of(config: &'a Config, providers: &Providers) -> Option<Self> {
        let text = config.model.as_deref()?;
        let origin = &config.origin;
        let of_project = origin.of_project.contains_key("model").then_some(&origin.project);
        let file = of_project.or(origin.user.as_ref())?;
        // Settings that name no model were not read.
        Some(Self { text, file, wanted: Wanted::parse(text, providers).ok()? })
    }
}

pub(crate) async fn models(args: ModelsArgs) -> Result<Exit> {
    let Base { config, .. } = Base::read(&args.cwd, args.config.as_deref())?;
    let providers = config.providers()?;
    let chosen = Chosen::of(&config, &providers);
    let groups = groups(&providers, &Pattern::new(&args.patterns));
    let output = Output::default();
    let is_chosen = |model: &Model| chosen.as_ref().is_some_and(|chosen| chosen.wanted.model == *model);
    match args.json {
        true => output.print(&format!("{:#}\n", json(&groups, is_chosen))),
        false if groups.is_empty() => {}
        false => output.print(&words::render(&groups, chosen.as_ref())),
    }
    if groups.is_empty() {
        complain(&nothing(&args.patterns.join(" ")));
    }
    Ok(if groups.is_empty() || output.has_failed() { Exit::RunFailed } else { Exit::Done })
}

/// The models that are meant, by provider.
fn groups(providers: &Providers, pattern: &Pattern) -> Vec<Group> {
    let all = providers.models();
    let have_models: BTreeSet<&str> = all.iter().map(|known| &*known.model.provider).collect();
    let group = |name: &str| {
        let of_it = all.iter().filter(|Known { model, .. }| model.provider == name);
        let models: Vec<Known> = of_it.filter(|known| pattern.fits(name, &known.model.id)).cloned().collect();
        let is_meant = !models.is_empty() || !have_models.contains(name) && pattern.fits(name, "");
        is_meant.then(|| Some(Group { provider: name.to_owned(), about: providers.about(name)?, models })).flatten()
    };
    providers.names().into_iter().filter_map(group).collect()
}

fn nothing(pattern: &str) -> String {
    format!(
        "no known model is like `{}`; `seam models` lists all of them. One that is not listed can be asked too: \
         `--model PROVIDER/NAME`",
        one_line(pattern, SHOWN)
    )
}

/// As `seam models --help` describes it.
fn json(groups: &[Group], is_chosen: impl Fn(&Model) -> bool) -> Value {
    let model = |about: &About, Known { model, facts }: &Known| {
        let Model { provider, id } = model;
        let (key, from) = match &about.key {
            KeySign::Variable(name) => ("variable", Some(name)),
            KeySign::Command(program) => ("command", Some(program)),
            KeySign::Missing(_) => ("missing", None),
            KeySign::NotNeeded => ("not-needed", None),
        };
        let cost = facts.cost.map(|Cost { input, output, cache_read, cache_write }| {
            json!({ "input": input, "output": output, "cacheRead": cache_read, "cacheWrite": cache_write })
        });
        json!({
            "model": format!("{provider}/{id}"),
            "provider": provider,
            "name": id,
            "window": facts.window,
            "output": facts.output,
            "images": facts.images,
            "thinking": facts.thinking.keys().filter(|level| **level != ThinkingLevel::Off).collect::<Vec<_>>(),
            "cost": cost,
            "key": key,
            "keyFrom": from,
            "chosen": is_chosen(model),
        })
    };
    groups.iter().flat_map(|group| group.models.iter().map(|known| model(&group.about, known))).collect()
}
