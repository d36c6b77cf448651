//! What a project grants its own plugins holds when its user agreed to it.

use std::fs;
use std::os::unix::fs::symlink;

use seam_plugins::inspect::Digest;
use seam_tests::files;

use super::{GRANTS, Place, gate, granted, needy};

fn asks() -> Place {
    Place::new().plugin("gate", &gate()).plugin("helper", &needy()).project(&granted("helper"))
}

const NOT_AGREED: &str = "\
seam: PROJECT/seam.toml grants something to `helper`, and you have not agreed to that for the plugins as they are now
seam: nothing was run. `seam trust` shows what it is, and agrees to it; or name the settings yourself: `--config FILE`.
";

#[test]
fn nothing_runs_before_the_user_agreed() {
    let place = asks();
    let said = place.run(&[]);
    assert_eq!((said.code, &*said.out, &*said.err), (3, "", NOT_AGREED));
    let agreed = place.seam(&["trust"]);
    let steady = agreed.out.replace(&Digest::of(&fs::read(needy()).unwrap()).to_string()[..16], "DIGEST");
    insta::assert_snapshot!(steady, @r#"
    helper  sha256 DIGEST
      complete = 1000
      exec = ["git"]
      tools = ["read"]
      ui = true

    agreed: these files get that from PROJECT/seam.toml (HOME/state/seam/trusted has it)
    "#);
    assert_eq!(place.loaded(), "gate, helper");
    assert_eq!(place.seam(&["trust"]).code, 0, "again");
    assert_eq!(fs::read_to_string(place.home().join("state/seam/trusted")).unwrap().lines().count(), 1);
}

#[test]
fn it_holds_for_these_grants_and_these_files_alone() {
    let place = asks();
    assert_eq!(place.seam(&["trust"]).code, 0);
    let place = place.project(&granted("helper").replace("git", "sh"));
    assert_eq!(place.run(&[]).err, NOT_AGREED, "other grants");
    let place = place.project(&granted("helper")).plugin("helper", &files::stress());
    assert_eq!(place.run(&[]).err, NOT_AGREED, "another file");
    let place = place.plugin("helper", &needy());
    assert_eq!(place.loaded(), "gate, helper", "as it was agreed");
    let place = place.plugin("gate", &files::guest("bystander"));
    assert_eq!(place.loaded(), "gate, helper", "who is granted nothing changes nothing");
}

#[test]
fn another_file_does_not_take_the_place_of_the_agreed_one_during_a_run() {
    let place = asks();
    assert_eq!(place.seam(&["trust"]).code, 0);
    let stress = format!("!cp {} .seam/plugins/helper.wasm", files::stress().display());
    let said = place.talk(&[&stress, "!true", "!true"]);
    assert_eq!(said.code, 0);
    let told = NOT_AGREED.lines().next().unwrap();
    assert_eq!(said.err.matches(told).count(), 1, "{}", said.err);
    assert!(said.err.contains("seam: the plugins in force are those from before"), "{}", said.err);
}

/// A path of the project may be a link to the user's own files.
#[test]
fn where_a_granted_folder_is_is_told_and_agreed_to() {
    let place = Place::new().plugin("helper", &needy());
    for folder in ["one", "two"] {
        fs::create_dir(place.home().join(folder)).unwrap();
    }
    let leads_to = |folder: &str| {
        drop(fs::remove_file(place.path().join("data")));
        symlink(place.home().join(folder), place.path().join("data")).unwrap();
    };
    leads_to("one");
    let settings = granted("helper") + "fs = [{ path = \"data\", mode = \"ro\" }]\n";
    fs::write(place.path().join("seam.toml"), settings).unwrap();
    let said = place.seam(&["trust"]);
    assert!(said.out.contains("\n  `data` is HOME/one\n"), "{}", said.out);
    assert_eq!(place.loaded(), "helper");
    leads_to("two");
    assert_eq!(place.run(&[]).err, NOT_AGREED);
}

/// The same grants mean something else there: paths lead elsewhere, and other files lie there.
#[test]
fn it_holds_in_this_project_alone() {
    let (place, other) = (asks(), asks());
    assert_eq!(place.seam(&["trust"]).code, 0);
    let trusted = other.home().join("state/seam");
    fs::create_dir_all(&trusted).unwrap();
    fs::copy(place.home().join("state/seam/trusted"), trusted.join("trusted")).unwrap();
    assert_eq!(other.run(&[]).err, NOT_AGREED);
    assert_eq!(other.seam(&["trust"]).code, 0);
    assert_eq!(fs::read_to_string(trusted.join("trusted")).unwrap().lines().count(), 2, "others stay");
    assert_eq!(other.loaded(), "gate, helper");
}

#[test]
fn what_the_user_names_is_the_users_word() {
    let place = asks();
    assert_eq!(place.run(&["--no-session", "--config", "seam.toml"]).code, 0);
}

#[test]
fn what_the_user_grants_a_file_by_its_digest_holds_in_every_project() {
    let digest = Digest::of(&fs::read(needy()).unwrap());
    let place = Place::new().plugin("helper", &needy());
    let place = place.user(&format!("[plugins.helper.grants]\ndigest = \"{digest}\"\n{GRANTS}"));
    assert_eq!(place.loaded(), "helper");
    let place = place.project("[plugins.helper.grants]\nexec = [\"sh\"]\n");
    assert_eq!(place.run(&[]).code, 3, "the project adds to it");
    let place = place.project("").plugin("helper", &files::stress());
    assert_eq!(place.loaded(), "helper", "another file gets nothing of it, and this one needs nothing");
}

/// Any project can name its plugin like the user's.
#[test]
fn what_the_user_grants_a_name_is_asked_about_in_each_project() {
    let place = Place::new().plugin("helper", &needy()).user(&granted("helper"));
    assert_eq!(place.run(&[]).err, NOT_AGREED);
    assert_eq!(place.seam(&["trust"]).code, 0);
    assert_eq!(place.loaded(), "helper");
    let elsewhere = Place::new().plugin("gate", &gate()).user(&granted("helper"));
    assert_eq!(elsewhere.loaded(), "gate", "it is not asked about where there is no such plugin");
}

#[test]
fn where_nothing_is_granted_there_is_nothing_to_agree_to() {
    let place = Place::new().plugin("gate", &gate()).project("[plugins.gate]\nmode = \"shadow\"\n");
    let said = place.seam(&["trust"]);
    assert_eq!(
        (said.code, said.out),
        (0, "nothing to agree to: the project grants nothing to the plugins that are there\n".to_owned())
    );
    assert!(!place.home().join("state/seam/trusted").exists());
}
