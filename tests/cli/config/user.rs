//! The user's own settings, and the project's over them.

use std::fs;

use seam_tests::files;
use serde_json::json;

use super::{Place, gate};
use crate::cli::call;

/// A project whose plugin refuses files that its settings name.
fn guarded() -> Place {
    Place::new().plugin("guard", &files::example("protected-paths"))
}

/// Which of these files can be written.
fn writable<'a>(place: &Place, files: &[&'a str]) -> Vec<&'a str> {
    let write = |file: &&str| call(file, "write", json!({ "path": file, "content": "" }));
    place.script(&json!([{ "content": files.iter().map(write).collect::<Vec<_>>() }, { "content": [] }]));
    assert_eq!(place.seam(&["trust", "--yes"]).code, 0);
    assert_eq!(place.run(&["--no-session"]).code, 0);
    files.iter().filter(|file| place.path().join(file).exists()).copied().collect()
}

#[test]
fn the_users_settings_hold_where_the_project_says_nothing_else() {
    let place = guarded().user("[plugins.guard.config]\nsecret = [\"a\"]\nread-only = [\"c\"]\n");
    assert_eq!(writable(&place, &["a", "b"]), ["b"]);
    let place = guarded()
        .user("[plugins.guard.config]\nsecret = [\"a\"]\n")
        .project("[plugins.guard.config]\nsecret = [\"b\"]\n");
    assert_eq!(writable(&place, &["a", "b"]), ["a"], "a list takes the place of a list");
    let place =
        guarded().user("[plugins.guard.config]\nsecret = [\"a\"]\n").project("[plugins.guard.limits]\ntime-ms = 200\n");
    assert_eq!(writable(&place, &["a", "b"]), ["b"], "tables become one");
}

#[test]
fn the_users_settings_may_be_for_plugins_of_other_projects_and_a_projects_own_may_not() {
    let others = "plugin-order = [\"elsewhere\"]\n[plugins.elsewhere]\nmode = \"shadow\"\n";
    let place = Place::new().plugin("gate", &gate()).user(others);
    assert_eq!(place.loaded(), "gate");
    let place = place.project("[plugins.elsewhere]\n");
    let said = place.run(&[]);
    let told = "seam: PROJECT/seam.toml has settings for plugin `elsewhere`, which is not loaded (loaded: gate); correct \
                the name, or remove the settings\n";
    assert_eq!((said.code, &*said.err), (2, told));
}

#[test]
fn each_file_is_checked_by_itself_and_named() {
    let place = Place::new().user("# mine\nlockd = true\n").project("locked = false\n");
    let said = place.run(&[]);
    let told = "seam: HOME/config/seam/seam.toml line 2: unknown key `lockd`; did you mean `locked`?\n";
    assert_eq!((said.code, &*said.err), (2, told));
    let place = Place::new().user("locked = false\n").project("\n[retry]\nmaxx = 1\n");
    let told = "seam: PROJECT/seam.toml line 3: unknown key `maxx` under `[retry]`; did you mean `max`?\n";
    assert_eq!(place.run(&[]).err, told);
}

#[test]
fn files_that_are_right_alone_and_wrong_together_are_told_as_such() {
    let place = Place::new()
        .user("[session.compaction]\nkeep-recent-tokens = 100000\n")
        .project("[session]\ncompaction = { window = 50000 }\n");
    let said = place.run(&[]);
    let told = "seam: the settings of HOME/config/seam/seam.toml and PROJECT/seam.toml do not go together: \
                PROJECT/seam.toml line 2: `[session.compaction]` reserves 16384 tokens and keeps 100000 recent ones, and \
                the window has only 50000; give a larger `window`, or smaller `reserve-tokens` and \
                `keep-recent-tokens`\n";
    assert_eq!((said.code, &*said.err), (2, told));
}

#[test]
fn a_path_is_seen_from_the_file_that_names_it() {
    let place = Place::new().user("[workspace]\noutside = [\"shared\"]\n");
    let shared = place.home().join("config/seam/shared");
    fs::create_dir(&shared).unwrap();
    let file = shared.join("file").to_string_lossy().into_owned();
    assert_eq!(writable(&place, &[&file]), [&file]);
    let place = place.project("[workspace]\noutside = []\n");
    fs::remove_file(&file).unwrap();
    assert!(writable(&place, &[&file]).is_empty(), "the project's list takes the place of the user's");
}
