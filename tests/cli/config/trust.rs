//! What a project's settings ask for beyond their own plugins holds when their user agreed to it.

mod grants;
mod wishes;

use std::fs;

use seam_plugins::inspect::Digest;
use seam_tests::files;
use serde_json::json;

use crate::cli::terminal::at_terminal;

use super::{GRANTS, Place, Said, gate, granted, needy};

fn asks() -> Place {
    Place::new().plugin("gate", &gate()).plugin("helper", &needy()).project(&granted("helper"))
}

/// Nothing is run, for what the user has not agreed to in this file.
fn not_agreed(file: &str, wish: &str) -> String {
    format!(
        "seam: {file} asks for what you have not agreed to as it is now: it {wish}\n\
         seam: nothing was run. `seam trust` shows all of it, and asks whether you agree; or name the settings yourself: \
         `--config FILE`.\n"
    )
}

fn of_project(wish: &str) -> String {
    not_agreed("PROJECT/seam.toml", wish)
}

/// What is told of the one that asks for grants.
fn of_helper() -> String {
    of_project("grants to `helper`: complete = 1000, and 3 more")
}

fn agree(place: &Place) -> Said {
    place.seam(&["trust", "--yes"])
}

fn agreements(place: &Place) -> Vec<String> {
    let text = fs::read_to_string(place.home().join("state/seam/trusted")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn nothing_runs_before_the_user_agreed() {
    let place = asks();
    let said = place.run(&[]);
    assert_eq!((said.code, &*said.out, said.err), (3, "", of_helper()));
    let agreed = agree(&place);
    let steady = agreed.out.replace(&Digest::of(&fs::read(needy()).unwrap()).to_string()[..16], "DIGEST");
    insta::assert_snapshot!(steady, @r#"
    PROJECT/seam.toml
      grants to `helper`: complete = 1000
      grants to `helper`: exec = ["git"]
      grants to `helper`: tools = ["read"]
      grants to `helper`: ui = true

    helper  sha256 DIGEST
      can leak    yes: tool calls and their results, files of the workspace (by `read`), what `git` can
                  read, and more, to `git` with any arguments (every gate sees the call); to the
                  provider of the session's model; whole requests, to the owner of a key it chooses, who
                  may read them at the provider

    agreed (HOME/state/seam/trusted has it)
    "#);
    assert_eq!(place.loaded(), "gate, helper");
    assert_eq!(agree(&place).code, 0, "again");
    assert_eq!(agreements(&place).len(), 1);
}

#[test]
fn without_anyone_to_ask_it_is_shown_and_not_agreed_to() {
    let place = asks();
    let said = place.seam(&["trust"]);
    let told = "seam: nothing was agreed to: nobody can be asked here; to agree to all of it, add `--yes`\n";
    assert_eq!((said.code, &*said.err), (3, told));
    assert!(said.out.contains("\n  grants to `helper`: exec = [\"git\"]\n"), "{}", said.out);
    assert!(said.out.contains("\n  can leak    yes: "), "{}", said.out);
    assert!(agreements(&place).is_empty());
    assert_eq!(place.run(&[]).code, 3);
}

#[test]
fn at_a_terminal_only_a_plain_yes_agrees() {
    let place = asks();
    for (answer, code, count) in [("\n", 3, 0), ("n\n", 3, 0), ("y\n", 0, 1)] {
        let mut seam = crate::cli::seam();
        seam.env("XDG_CONFIG_HOME", place.home().join("config")).env("XDG_STATE_HOME", place.home().join("state"));
        seam.arg("trust").arg("--cwd").arg(place.path());
        let (ended, screen) = at_terminal(&seam, &json!([["Agree? [y/N]", answer]]));
        assert_eq!((ended, agreements(&place).len()), (Some(code), count), "{screen}");
    }
}

#[test]
fn where_nothing_is_asked_there_is_nothing_to_agree_to() {
    let place = Place::new().plugin("gate", &gate()).project("[plugins.gate]\nmode = \"shadow\"\n");
    let said = place.seam(&["trust"]);
    let told = "nothing to agree to: the settings ask for nothing that needs it\n";
    assert_eq!((said.code, &*said.out), (0, told));
    assert!(agreements(&place).is_empty());
}

/// It would be the model that agrees.
#[test]
fn a_run_does_not_agree_for_its_user() {
    let place = asks();
    assert_eq!(agree(&place).code, 0);
    let seam = seam_tests::files::root().join("target/debug/seam");
    fs::write(place.path().join("new.toml"), granted("helper").replace("git", "sh")).unwrap();
    let command = format!("!cp new.toml seam.toml; {} trust --yes; echo code $?", seam.display());
    let said = place.talk(&[&command, "!true"]);
    assert!(said.out.contains("a run of Seam started this, so it may be its model that agrees"), "{}", said.out);
    assert!(said.out.contains("code 2"), "{}", said.out);
    assert_eq!(place.run(&[]).err, of_helper());
}

/// The same settings mean something else there: paths lead elsewhere, and other files lie there.
#[test]
fn it_holds_in_this_project_alone() {
    let (place, other) = (asks(), asks());
    assert_eq!(agree(&place).code, 0);
    let trusted = other.home().join("state/seam");
    fs::create_dir_all(&trusted).unwrap();
    fs::copy(place.home().join("state/seam/trusted"), trusted.join("trusted")).unwrap();
    assert_eq!(other.run(&[]).err, of_helper());
    assert_eq!(agree(&other).code, 0);
    assert_eq!(agreements(&other).len(), 2, "others stay");
    assert_eq!(other.loaded(), "gate, helper");
}

#[test]
fn what_the_user_names_is_the_users_word() {
    let place = asks();
    assert_eq!(place.run(&["--no-session", "--config", "seam.toml"]).code, 0);
}

#[test]
fn another_file_does_not_take_the_place_of_the_agreed_one_during_a_run() {
    let place = asks();
    assert_eq!(agree(&place).code, 0);
    let stress = format!("!cp {} .seam/plugins/helper.wasm", files::stress().display());
    let said = place.talk(&[&stress, "!true", "!true"]);
    assert_eq!(said.code, 0);
    let of_helper = of_helper();
    let told = of_helper.lines().next().unwrap();
    assert_eq!(said.err.matches(told).count(), 1, "{}", said.err);
    assert!(said.err.contains("seam: the plugins in force are those from before"), "{}", said.err);
}
