//! Grants, and everything else for a plugin that has some.

use std::fs;
use std::os::unix::fs::symlink;

use seam_plugins::inspect::Digest;
use seam_tests::files;

use super::*;

/// The user's own settings grant it to this very file.
fn by_digest(file: &std::path::Path) -> String {
    let digest = Digest::of(&fs::read(file).unwrap());
    format!("[plugins.helper.grants]\ndigest = \"{digest}\"\n{GRANTS}")
}

#[test]
fn it_holds_for_this_text_and_these_files_alone() {
    let place = asks();
    assert_eq!(agree(&place).code, 0);
    let place = place.project(&(granted("helper") + "# more\n"));
    assert_eq!(place.run(&[]).err, of_helper(), "another text");
    let place = place.project(&granted("helper")).plugin("helper", &files::stress());
    assert_eq!(place.run(&[]).err, of_helper(), "another file");
    let place = place.plugin("helper", &needy());
    assert_eq!(place.loaded(), "gate, helper", "as it was agreed");
    let place = place.plugin("gate", &files::guest("bystander"));
    assert_eq!(place.loaded(), "gate, helper", "who is granted nothing changes nothing");
}

/// What it does with its grants is often in its settings: the command that it runs.
#[test]
fn settings_of_a_plugin_with_grants_are_agreed_to_with_them() {
    let place = asks();
    assert_eq!(agree(&place).code, 0);
    let place = place.project(&(granted("helper") + "[plugins.helper.config]\nrun = \"mine\"\n"));
    let said = place.run(&[]);
    assert_eq!((said.code, &*said.out), (3, ""), "{}", said.err);
}

/// A repository has the same public plugin, and says what it does.
#[test]
fn a_project_does_not_use_what_the_user_granted() {
    let settings = [
        ("config = { tools = [] }", "sets `config` of `helper`, which is granted something: { tools = [] }"),
        ("mode = \"shadow\"", "sets `mode` of `helper`, which is granted something: \"shadow\""),
        ("instance = \"call\"", "sets `instance` of `helper`, which is granted something: \"call\""),
        ("grants = { exec = [\"sh\"] }", "grants to `helper`: exec = [\"sh\"]"),
    ];
    for (line, wish) in settings {
        let place = Place::new().plugin("helper", &needy()).user(&by_digest(&needy()));
        assert_eq!(place.loaded(), "helper");
        let place = place.project(&format!("[plugins.helper]\n{line}\n"));
        let said = place.run(&[]);
        assert_eq!((said.code, &*said.out, said.err), (3, "", of_project(wish)));
        assert_eq!(agree(&place).code, 0);
        assert_eq!(place.run(&["--no-session"]).code, 0, "{line}");
    }
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
    let said = agree(&place);
    assert!(said.out.contains("\n  `data` is HOME/one\n"), "{}", said.out);
    assert_eq!(place.loaded(), "helper");
    leads_to("two");
    assert_eq!(place.run(&[]).code, 3);
}

#[test]
fn a_folder_that_nobody_may_be_granted_to_write_is_told() {
    let settings = granted("helper") + "fs = [{ path = \".\", mode = \"rw\" }]\n";
    let place = Place::new().plugin("helper", &needy()).project(&settings);
    let told = "plugin `helper` is granted to write in ., which holds PROJECT";
    let remedy = "grant it another folder, or this one with `mode = \"ro\"`";
    let said = agree(&place);
    assert_eq!(said.code, 0);
    assert!(said.err.starts_with(&format!("seam: nothing will run: {told}")), "{}", said.err);
    for command in ["lock", "plugins"] {
        let said = place.seam(&[command]);
        assert_eq!(said.code, 3, "{command}");
        assert!(said.err.contains(told) && said.err.contains(remedy), "{command}: {}", said.err);
    }
    assert!(!place.path().join("seam.lock").exists());
    assert_eq!(place.run(&[]).code, 3);
}

#[test]
fn what_the_user_grants_a_file_by_its_digest_holds_in_every_project() {
    let place = Place::new().plugin("helper", &needy()).user(&by_digest(&needy()));
    assert_eq!(place.loaded(), "helper");
    let place = place.plugin("helper", &files::stress());
    assert_eq!(place.loaded(), "helper", "another file gets nothing of it, and this one needs nothing");
}

/// Any project can name its plugin like the user's. Whose word it is, is told.
#[test]
fn what_the_user_grants_a_name_is_asked_about_in_each_project() {
    let place = Place::new().plugin("helper", &needy()).user(&granted("helper"));
    let wish = "grants to `helper`, whatever file has that name: complete = 1000, and 3 more";
    assert_eq!(place.run(&[]).err, not_agreed("HOME/config/seam/seam.toml", wish));
    assert_eq!(agree(&place).code, 0);
    assert_eq!(place.loaded(), "helper");
    let elsewhere = Place::new().plugin("gate", &gate()).user(&granted("helper"));
    assert_eq!(elsewhere.loaded(), "gate", "it is not asked about where there is no such plugin");
}

/// A file that has no end is not read to it.
#[test]
fn a_plugin_that_is_no_file_is_not_read() {
    let place = asks();
    fs::remove_file(place.plugin_file("helper")).unwrap();
    symlink("/dev/zero", place.plugin_file("helper")).unwrap();
    let why = "it is not a file; remove it or rename it so that it does not end in `.wasm`";
    let said = place.seam(&["trust"]);
    assert!(said.out.contains("will not load: it is not a file"), "{}", said.out);
    assert_eq!(agree(&place).code, 0);
    for command in [&["lock"][..], &["run", "!true"]] {
        let said = place.seam(command);
        assert_eq!(said.code, 3, "{command:?}");
        assert!(said.err.contains(why), "{}", said.err);
    }
    assert!(place.seam(&["plugins"]).out.contains("it is not a file"));
}
