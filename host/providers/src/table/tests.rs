//! The tables as they are, and what is made of names.

use seam_loop::Model;

use super::*;
use crate::providers::Providers;

const LEVELS: [ThinkingLevel; 7] = [
    ThinkingLevel::Off,
    ThinkingLevel::Minimal,
    ThinkingLevel::Low,
    ThinkingLevel::Medium,
    ThinkingLevel::High,
    ThinkingLevel::Xhigh,
    ThinkingLevel::Max,
];

fn models() -> impl Iterator<Item = (String, &'static ModelSettings)> {
    MODELS.iter().flat_map(|(provider, models)| {
        models.iter().map(move |(name, settings)| (format!("{provider}/{name}"), settings))
    })
}

fn facts(provider: &str, name: &str) -> Facts {
    Facts::of(provider, name, &BTreeMap::new())
}

fn set(name: &str, settings: ModelSettings) -> BTreeMap<String, ModelSettings> {
    BTreeMap::from([(name.to_owned(), settings)])
}

fn thinking(levels: &[ThinkingLevel]) -> Facts {
    let amount = |level: &ThinkingLevel| (*level, Amount::Tokens(1));
    Facts { thinking: levels.iter().map(amount).collect(), ..Facts::default() }
}

/// What is not said of a model is as it is usually, so a table that cannot be read would go unnoticed.
#[test]
fn both_tables_are_read_to_their_end() {
    let providers: BTreeMap<String, ProviderSettings> =
        toml::from_str(include_str!("providers.toml")).unwrap_or_else(|error| panic!("providers.toml: {error}"));
    let models: BTreeMap<String, BTreeMap<String, ModelSettings>> =
        toml::from_str(include_str!("models.toml")).unwrap_or_else(|error| panic!("models.toml: {error}"));
    let heads = |text: &str| text.lines().filter(|line| line.starts_with('[')).count();
    assert_eq!(providers.len(), heads(include_str!("providers.toml")));
    assert_eq!(models.values().map(BTreeMap::len).sum::<usize>(), heads(include_str!("models.toml")));
    assert_eq!((&providers, &models), (&*PROVIDERS, &*MODELS));
}

#[test]
fn every_provider_of_the_table_can_be_one_and_every_model_has_a_provider() {
    Providers::new(&BTreeMap::new()).unwrap();
    for (name, settings) in &*PROVIDERS {
        assert!(settings.key_env.is_some() && settings.quirks.is_some(), "{name} does not say all");
        assert_eq!(settings.keys_at.is_some(), settings.key_env != Some(Vec::new()), "{name}: where its keys are made");
        let url = settings.base_url.as_deref().unwrap_or_default();
        let is_here = url.starts_with("http://127.0.0.1:");
        assert!((is_here || url.starts_with("https://")) && !url.ends_with('/'), "{name}: {url}");
    }
    for provider in MODELS.keys() {
        assert!(PROVIDERS.contains_key(provider), "{provider}");
    }
}

#[test]
fn every_model_can_be_as_the_table_says() {
    for (name, ModelSettings { window, output, images, cost, .. }) in models() {
        let (window, output) = (window.unwrap(), output.unwrap());
        assert!(0 < output && output <= window && images.is_some(), "{name}: {output} of {window}");
        let Some(Cost { input, output, cache_read, cache_write }) = *cost else { continue };
        assert!(0.0 <= cache_read && cache_read <= input && input <= output, "{name}: {cost:?}");
        assert!(cache_write == 0.0 || input <= cache_write, "{name}: {cost:?}");
    }
}

#[test]
fn every_model_thinks_more_at_a_higher_level_and_leaves_room_for_the_answer() {
    for (name, settings) in models() {
        let amounts: Vec<&Amount> = settings.thinking.iter().flat_map(BTreeMap::values).collect();
        let tokens = |amount: &&Amount| match amount {
            Amount::Tokens(tokens) => Some(*tokens),
            Amount::Effort(word) => {
                assert!(!word.is_empty(), "{name}");
                None
            }
        };
        let budgets: Vec<u32> = amounts.iter().filter_map(tokens).collect();
        assert!(budgets.is_empty() || budgets.len() == amounts.len(), "{name}: budgets and words");
        assert!(budgets.is_sorted_by(|lower, higher| lower < higher), "{name}: {budgets:?}");
        assert!(budgets.iter().all(|budget| Some(*budget) < settings.output), "{name}: {budgets:?}");
    }
}

#[test]
fn levels_stand_in_their_order() {
    for line in include_str!("models.toml").lines().filter(|line| line.starts_with("thinking")) {
        let (_, levels) = line.split_once('{').unwrap();
        let level = |part: &str| -> ThinkingLevel {
            let name = part.split('=').next().unwrap().trim();
            serde_json::from_value(name.into()).unwrap_or_else(|error| panic!("{line}: {error}"))
        };
        let levels: Vec<ThinkingLevel> = levels.split(',').map(level).collect();
        assert!(levels.is_sorted_by(|lower, higher| lower < higher), "{line}");
    }
}

#[test]
fn a_dated_name_is_that_without_its_date() {
    let plain = facts("anthropic", "claude-sonnet-4-5");
    assert!(plain.is_known && plain.window == 200_000);
    for name in ["claude-sonnet-4-5-20250929", "claude-sonnet-4-5@20250929", "claude-sonnet-4-5-latest"] {
        assert_eq!(facts("anthropic", name), plain, "{name}");
    }
    assert_eq!(facts("openai", "gpt-4.1-2025-04-14"), facts("openai", "gpt-4.1"));
    for other in ["gpt-4.1-2025-04-1", "gpt-4.1-20250414x", "gpt-4.1-2025041", "gpt-4.1-preview", "-latest", "", "é"] {
        assert!(!facts("openai", other).is_known, "{other}");
    }
}

#[test]
fn a_level_that_a_model_does_not_have_is_the_next_lower_one_or_its_lowest() {
    use ThinkingLevel::{High, Low, Max, Medium, Minimal, Off, Xhigh};
    let of = |levels: &[ThinkingLevel]| LEVELS.map(|wanted| thinking(levels).level(wanted));
    assert_eq!(of(&LEVELS), LEVELS);
    assert_eq!(of(&[]), [Off; 7], "a model that is not told to think");
    assert_eq!(of(&[Off]), [Off; 7]);
    assert_eq!(of(&[High]), [Off, High, High, High, High, High, High]);
    assert_eq!(of(&[Off, Low, High]), [Off, Low, Low, Low, High, High, High]);
    assert_eq!(of(&[Minimal, Medium, Max]), [Off, Minimal, Minimal, Medium, Medium, Medium, Max]);
    assert_eq!(of(&[Low, Xhigh]), [Off, Low, Low, Low, Low, Xhigh, Xhigh]);
    assert_eq!(
        [&[][..], &[Off], &[Off, Low], &[Max]].map(|levels| thinking(levels).thinks()),
        [false, false, true, true]
    );
}

#[test]
fn each_kind_of_token_has_its_price() {
    let cost = Some(Cost { input: 2.0, output: 10.0, cache_read: 0.5, cache_write: 4.0 });
    let facts = Facts { cost, ..Facts::default() };
    let usage = Usage { input: 1_000_000, output: 500_000, cache_read: 2_000_000, cache_write: 250_000, cost: 0.0 };
    assert!((facts.cost(&usage) - (2.0 + 5.0 + 1.0 + 1.0)).abs() < 1e-12, "{}", facts.cost(&usage));
    let largest = Usage { input: u32::MAX, output: u32::MAX, cache_read: u32::MAX, cache_write: u32::MAX, cost: 0.0 };
    assert!(facts.cost(&largest).is_finite());
    assert_eq!(facts.cost(&Usage::default()), 0.0);
    assert_eq!(Facts::default().cost(&usage), 0.0, "no price is known");
}

#[test]
fn what_is_set_of_a_model_counts_before_what_the_table_says() {
    let table = facts("openai", "gpt-4.1");
    let own = ModelSettings { window: Some(50_000), images: Some(false), ..ModelSettings::default() };
    let expected = Facts { window: 50_000, images: false, ..table.clone() };
    for name in ["gpt-4.1", "gpt-4.1-2025-04-14"] {
        assert_eq!(Facts::of("openai", name, &set("gpt-4.1", own.clone())), expected, "{name}");
    }
    let exact = set("gpt-4.1-2025-04-14", own);
    assert_eq!(Facts::of("openai", "gpt-4.1-2025-04-14", &exact), expected);
    assert_eq!(Facts::of("openai", "gpt-4.1", &exact), table, "it is set of another one");
}

#[test]
fn no_answer_is_longer_than_the_window() {
    let small = ModelSettings { window: Some(4_000), ..ModelSettings::default() };
    assert_eq!(Facts::of("openai", "gpt-4.1", &set("gpt-4.1", small)).output, 4_000);
}

#[test]
fn a_model_of_which_nothing_is_known_is_taken_to_be_usual() {
    let thinking = BTreeMap::new();
    let usual = Facts { window: 128_000, output: 8_192, images: true, cost: None, thinking, is_known: false };
    assert_eq!(facts("openai", "no-such-model"), usual);
    assert_eq!(facts("no-such-provider", "gpt-4.1"), usual);
    let empty = Facts { is_known: true, ..usual };
    assert_eq!(Facts::of("ollama", "own", &set("own", ModelSettings::default())), empty, "it is named in the settings");
}

#[test]
fn known_models_are_those_of_the_table_and_of_the_settings_each_once() {
    let own = ProviderSettings { models: set("gpt-own", ModelSettings::default()), ..ProviderSettings::default() };
    let corrected = ModelSettings { window: Some(50_000), ..ModelSettings::default() };
    let own = ProviderSettings { models: own.models.into_iter().chain(set("gpt-4.1", corrected)).collect(), ..own };
    let providers = Providers::new(&BTreeMap::from([("openai".to_owned(), own)])).unwrap();
    let known = providers.models();
    let count = models().count() + 1;
    let names: std::collections::BTreeSet<(&str, &str)> =
        known.iter().map(|known| (&*known.model.provider, &*known.model.id)).collect();
    assert_eq!((known.len(), names.len()), (count, count));
    let window = |id: &str| {
        let model = Model { provider: "openai".to_owned(), id: id.to_owned() };
        known.iter().find(|known| known.model == model).unwrap().facts.window
    };
    assert_eq!((window("gpt-own"), window("gpt-4.1")), (128_000, 50_000));
}
