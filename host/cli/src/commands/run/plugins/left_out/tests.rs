use std::io;

use seam_plugins::{Grant, NeededGrants};
use tempfile::TempDir;

use super::*;
use crate::config::Config;

fn judged(settings: &str, name: &str, problem: LoadProblem) -> bool {
    let folder = TempDir::new().unwrap();
    let config = Config::parse(settings, &folder.path().join("seam.toml")).unwrap();
    let error = LoadError { file: folder.path().join(name), problem };
    let wanted = Wanted { around: &[], folder: None, config: &config, lock: None, in_force: &["in-force".to_owned()] };
    may_be(&error, &wanted)
}

fn needs() -> LoadProblem {
    LoadProblem::NeedsGrants(NeededGrants {
        plugin: "p".to_owned(),
        imports: vec![("x".to_owned(), Grant::Ui)],
        bound: None,
    })
}

fn gone() -> LoadProblem {
    LoadProblem::Unreadable(io::Error::from(io::ErrorKind::NotFound))
}

#[test]
fn what_only_lacks_grants_or_went_away_is_left_out_unless_somebody_expects_it() {
    for problem in [needs, gone] {
        assert!(judged("", "p.wasm", problem()));
        assert!(judged("[plugins.q]", "p.wasm", problem()));
        assert!(!judged("[plugins.p]", "p.wasm", problem()));
        assert!(judged("[plugins.p]\non-failure = \"skip\"", "p.wasm", problem()));
    }
}

#[test]
fn what_is_broken_is_missed_unless_the_user_can_do_without_it() {
    let broken = || LoadProblem::NotAFile;
    assert!(!judged("", "p.wasm", broken()));
    assert!(!judged("[plugins.p]\non-failure = { tool-call = \"skip\" }", "p.wasm", broken()));
    assert!(judged("[plugins.p]\non-failure = \"skip\"", "p.wasm", broken()));
}

#[test]
fn what_is_in_force_is_never_left_out() {
    let skip = "[plugins.in-force]\non-failure = \"skip\"";
    for problem in [needs(), gone(), LoadProblem::NotAFile] {
        assert!(!judged("", "in-force.wasm", problem));
    }
    for problem in [needs(), gone(), LoadProblem::NotAFile] {
        assert!(!judged(skip, "in-force.wasm", problem));
    }
}
