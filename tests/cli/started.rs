//! What a plugin does as it starts, before anybody asks it: only what may be done, and only where plugins are run.

use std::fs;
use std::path::{Path, PathBuf};

use seam_tests::files;

use super::config::{Place, Said};

/// What the guest writes into every folder that it has, as it starts.
const LEFT: &str = "left-at-start";

/// Names settings that grant the plugin to write in this folder.
fn granted(place: &Place, folder: &Path) -> String {
    fs::create_dir_all(folder).unwrap();
    let (file, grants) = (place.home().join("named.toml"), format!("fs = [{{ path = {folder:?}, mode = \"rw\" }}]"));
    fs::write(&file, format!("[plugins.starter.grants]\n{grants}\n")).unwrap();
    file.to_string_lossy().into_owned()
}

fn place() -> Place {
    Place::new().plugin("starter", &files::guest("starter"))
}

fn is_left(folder: &Path) -> bool {
    folder.join(LEFT).exists()
}

#[test]
fn a_run_starts_it_with_what_it_is_granted() {
    let place = place();
    let data = place.path().join("data");
    let config = granted(&place, &data);
    let said = place.run(&["--no-session", "--config", &config]);
    assert_eq!((said.code, is_left(&data)), (0, true), "{}", said.err);
}

#[test]
fn nothing_is_started_where_it_could_write_what_nobody_may() {
    let place = place();
    let sessions = place.home().join("kept");
    let usual: Vec<PathBuf> = [".seam", ".", ".seam/plugins/data"].iter().map(|path| place.path().join(path)).collect();
    let own =
        ["config/seam", "state/seam", "state/seam/sessions", "kept", "kept/deep"].map(|path| place.home().join(path));
    let cache = files::root().join("target/test-cache/seam");
    for folder in usual.iter().chain(&own).chain([&cache]) {
        let config = granted(&place, folder);
        let Said { code, err, .. } = place.run(&["--config", &config, "--session-dir", &sessions.to_string_lossy()]);
        assert_eq!(code, 3, "{}: {err}", folder.display());
        assert!(err.contains("plugin `starter` is granted to write in"), "{}: {err}", folder.display());
        assert!(!is_left(folder), "{}", folder.display());
    }
}

/// Nobody approved it yet, or perhaps nobody will.
#[test]
fn who_only_looks_at_it_does_not_let_it_do_anything() {
    let place = place();
    let data = place.path().join("data");
    let config = granted(&place, &data);
    for command in ["plugins", "lock"] {
        let said = place.seam(&[command, "--config", &config]);
        assert_eq!((said.code, is_left(&data)), (0, false), "{command}: {}", said.err);
    }
    assert!(fs::read_to_string(place.home().join("seam.lock")).unwrap().contains("[plugins.starter]"));
}

#[test]
fn nor_is_one_that_is_loaded_again_with_other_grants() {
    let place = place();
    let (folder, data) = (place.path().join(".seam"), place.path().join("data"));
    let (config, other) = (granted(&place, &folder), place.home().join("other.toml"));
    fs::rename(&config, &other).unwrap();
    granted(&place, &data);
    let prompts = format!("!cp {} {config}\n!echo on\n", other.display());
    let said = place.seam_reads(&["run", "--no-session", "--config", &config], &prompts);
    assert!(is_left(&data), "{said:?}");
    assert!((said.out + &said.err).contains("is granted to write in"));
    assert!(!is_left(&folder));
}

#[test]
fn a_lock_is_shown_before_it_is_written() {
    let place = place();
    fs::create_dir(place.path().join("seam.lock")).unwrap_or_default();
    let said = place.seam(&["lock"]);
    assert_ne!(said.code, 0);
    assert!(said.out.contains("starter"), "{said:?}");
}
