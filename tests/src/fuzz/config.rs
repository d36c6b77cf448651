//! Text into the settings: what is read is within its bounds, and an error says in which file and which line.
//!
//! An input is the text of a `seam.toml`. Beside it is a folder, `data`.

use std::fs;

use seam_cli::config::Config;
use seam_harness::{CompactionSettings, Upkeep};
use seam_plugins::{Limits, OnFailureRules, Settings, Word, contract};
use tempfile::TempDir;

thread_local! {
    static FOLDER: TempDir = {
        let folder = TempDir::new().expect("a temporary folder");
        fs::create_dir(folder.path().join("data")).expect("a folder");
        folder
    };
}

/// Reads settings.
pub fn check(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    match read(text) {
        Ok(config) => {
            config.plugins.values().for_each(check_settings);
            check_upkeep(&config.upkeep());
            check_unknown_key(text);
        }
        Err(error) => check_error(&error),
    }
}

fn read(text: &str) -> Result<Config, String> {
    let parse = |folder: &TempDir| Config::parse(text, &folder.path().join("seam.toml"));
    FOLDER.with(parse).map_err(|error| format!("{error:#}"))
}

/// It names the file and a line; for too many levels there is none.
fn check_error(error: &str) {
    let file = FOLDER.with(|folder| folder.path().join("seam.toml").display().to_string());
    assert!(error.starts_with(&file), "it names no file: {error}");
    assert!(error.contains("line ") || error.trim_end().ends_with("recursion limit"), "it names no line: {error}");
}

fn check_settings(settings: &Settings) {
    let Limits { time_ms, tool_time_ms, memory_mib, returned_kib, host_calls, network_ms, nested_ms, user_ms, .. } =
        settings.limits;
    let limits = [time_ms, tool_time_ms, memory_mib, returned_kib, host_calls, network_ms, nested_ms, user_ms];
    assert!(limits.into_iter().all(|limit| limit > 0), "under such limits nothing can be done: {settings:?}");
    assert!(memory_mib <= Limits::MOST_MEMORY_MIB, "nobody gets so much: {settings:?}");
    assert_eq!(settings.grants.fault(), None);
    assert!(settings.grants.complete != Some(0), "{settings:?}");
    let OnFailureRules::At(rules) = &settings.on_failure else { return };
    for (name, word) in rules {
        let seam = contract::seam(name).unwrap_or_else(|| panic!("`{name}` is no seam"));
        assert!(*word == Word::Skip || seam.refusal.is_some(), "a failure at `{name}` cannot refuse");
    }
}

fn check_upkeep(upkeep: &Upkeep) {
    let CompactionSettings { reserve_tokens, keep_recent_tokens, .. } = upkeep.compaction;
    let taken = u64::from(reserve_tokens) + u64::from(keep_recent_tokens);
    assert!(
        reserve_tokens > 0 && upkeep.context_window.is_none_or(|window| taken < u64::from(window)),
        "nothing has room: {upkeep:?}"
    );
}

/// The same settings with a key that means nothing are not usable.
fn check_unknown_key(text: &str) {
    let error = read(&format!("plugin-ordre = []\n{}", text.trim_start_matches('\u{feff}'))).err();
    let error = error.expect("a key that means nothing is not passed over");
    assert!(error.contains("unknown key `plugin-ordre`; did you mean `plugin-order`?"), "{error}");
}
