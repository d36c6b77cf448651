//! A short run of each fuzz target: the inputs that are kept, then mutations of them. What a longer run finds is kept too.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use seam_cli::config::Config;
use seam_plugins::Grant;
use seam_plugins::inspect::inspect;
use seam_plugins::load::NeededGrants;
use seam_tests::files;
use seam_tests::fuzz::{ARGUMENTS, CONFIG, EDITS, LOAD, TARGETS, arguments, load};

/// Another one each time, unless it is given.
fn seed() -> u64 {
    let given = std::env::var("SEAM_FUZZ_SEED").ok();
    let given = given.map(|seed| seed.parse().expect("SEAM_FUZZ_SEED is a number"));
    given.unwrap_or_else(|| SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64)
}

#[test]
fn any_file_is_a_plugin_or_an_error_and_the_audit_says_which() {
    LOAD.run(seed());
}

#[test]
fn any_arguments_are_refused_or_fit_the_tool_as_the_gates_saw_them() {
    ARGUMENTS.run(seed());
}

#[test]
fn any_edits_are_made_whole_or_not_at_all() {
    EDITS.run(seed());
}

#[test]
fn any_settings_are_within_their_bounds_or_an_error_that_says_where() {
    CONFIG.run(seed());
}

/// Else the loader would be tested on broken files alone.
#[test]
fn some_of_the_files_kept_for_the_loader_are_plugins() {
    let is_plugin = |(name, input): (String, Vec<u8>)| load::is_plugin(&input).then_some(name);
    let plugins: Vec<String> = LOAD.corpus().into_iter().filter_map(is_plugin).collect();
    assert_eq!(plugins, ["fork-gate.wat", "gate.wasm", "gate.wat", "observer.wat", "tools.wat"]);
}

/// Else the dispatcher would be tested on calls that it refuses alone.
#[test]
fn some_of_the_calls_kept_for_the_dispatcher_run() {
    let runs = |(name, input): (String, Vec<u8>)| arguments::runs(&input).then_some(name);
    let run: Vec<String> = ARGUMENTS.corpus().into_iter().filter_map(runs).collect();
    assert_eq!(run, ["edit", "find", "free-plain", "grep", "ls", "rewritten-plain", "shapes", "write"]);
}

#[test]
fn every_target_has_its_program_and_its_inputs() {
    let names = |folder: &str| -> BTreeSet<String> {
        let entries = fs::read_dir(files::root().join("tests/fuzz").join(folder)).unwrap();
        entries.map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned()).collect()
    };
    let targets = TARGETS.map(|target| target.name.to_owned()).into();
    assert_eq!((names("fuzz_targets"), names("corpus")), (targets, names("fuzz_targets")));
    assert!(TARGETS.iter().all(|target| !target.corpus().is_empty()));
}

#[test]
fn the_lines_that_grant_something_name_any_plugin() {
    for plugin in ["a", "a.b", "", "é", "e\u{301}", "a'b\"c\\d", "\u{7f}\n\u{202e}", "[a]\u{10ffff}"] {
        let imports = vec![("x".to_owned(), Grant::Clock)];
        let needed = NeededGrants { plugin: plugin.to_owned(), imports, bound: None };
        let config = Config::parse(&needed.lines().join("\n"), Path::new("seam.toml")).unwrap();
        assert!(config.settings(plugin).grants.clock, "{plugin:?}");
    }
}

/// Both files are much larger than the inputs that are kept.
#[test]
fn a_file_that_was_made_with_a_hundred_thousand_tools_is_told_of_some() {
    let mut field = wasm_encoder::ProducersField::new();
    for tool in 0..100_000 {
        field.value(&format!("{tool:x}"), "");
    }
    let mut section = wasm_encoder::ProducersSection::new();
    section.field("language", &field);
    let mut component = wasm_encoder::Component::new();
    component.section(&section);
    assert_eq!(inspect(&component.finish()).unwrap().producers.len(), 64);
}

#[test]
fn settings_that_order_a_hundred_thousand_plugins_are_read_in_time() {
    let names: Vec<String> = (0..100_000).map(|name| format!("\"{name:x}\"")).collect();
    let began = Instant::now();
    Config::parse(&format!("plugin-order = [{}]", names.join(",")), Path::new("seam.toml")).unwrap();
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}
