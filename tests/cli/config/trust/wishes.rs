//! What else a project's settings may not say unasked.

use std::fs;

use super::*;

/// Nothing runs until the user agreed; then it does.
fn needs_agreement(place: &Place, wish: &str) {
    let said = place.run(&[]);
    assert_eq!((said.code, &*said.out, said.err), (3, "", of_project(wish)));
    assert_eq!(agree(place).code, 0);
    assert_eq!(place.run(&["--no-session"]).code, 0, "{wish}");
}

#[test]
fn a_folder_outside_is_not_opened_unasked() {
    let place = Place::new().project("[workspace]\noutside = [\"/\"]\n");
    needs_agreement(&place, "opens a folder outside the workspace to file tools: /");
}

#[test]
fn bounds_are_not_loosened_unasked() {
    let place = Place::new().plugin("gate", &gate());
    let place = place.project("[plugins.gate.limits]\ntime-ms = 4294967295\n");
    needs_agreement(&place, "sets `time-ms` of `gate` to 4294967295, above the default of 250");
    let place = place.project("[plugins.gate.limits]\ntime-ms = 249\n");
    assert_eq!(place.run(&["--no-session"]).code, 0, "a tighter one is its own business");
    let place = Place::new().project("[session]\njournal-mib = 0\n");
    needs_agreement(&place, "sets `journal-mib` to 0, below the default of 256: no journal is kept");
}

#[test]
fn what_the_user_set_is_not_undone_unasked() {
    let cases = [
        ("[plugins.gate]\nmode = \"active\"\n", "[plugins.gate]\nmode = \"shadow\"\n", "plugins.gate.mode"),
        (
            "[plugins.gate]\non-failure = \"refuse\"\n",
            "[plugins.gate]\non-failure = \"skip\"\n",
            "plugins.gate.on-failure",
        ),
        (
            "[plugins.gate.limits]\nmemory-mib = 32\n",
            "[plugins.gate]\nlimits = { memory-mib = 1 }\n",
            "plugins.gate.limits.memory-mib",
        ),
        ("[session]\njournal-mib = 1000\n", "[session]\njournal-mib = 999\n", "session.journal-mib"),
        ("[session]\ndurability = \"entry\"\n", "[session]\ndurability = \"never\"\n", "session.durability"),
        ("[plugins.gate.config]\na = [1]\n", "[plugins.gate.config]\na = []\n", "plugins.gate.config.a"),
        ("plugin-order = [\"gate\"]\n", "plugin-order = []\n", "plugin-order"),
    ];
    for (user, project, key) in cases {
        let place = Place::new().plugin("gate", &gate()).user(user).project(user);
        assert_eq!(place.run(&["--no-session"]).code, 0, "the same is nothing to ask for");
        let place = place.project(project);
        let said = place.run(&[]);
        assert_eq!((said.code, &*said.out), (3, ""), "{key}");
        assert!(said.err.contains(&format!(": it sets `{key}` to ")), "{}", said.err);
        assert!(said.err.contains(", where your own settings have "), "{}", said.err);
    }
}

#[test]
fn what_the_user_locked_stays_locked() {
    let place = Place::new().plugin("gate", &gate()).user("locked = true\n").project("locked = false\n");
    let said = place.run(&[]);
    assert_eq!(said.code, 3);
    assert!(said.err.contains("there is no PROJECT/seam.lock, and only what is locked may run"), "{}", said.err);
}

/// A project sets up its own plugins, not those that its user brings along.
#[test]
fn plugins_from_elsewhere_are_not_set_up_unasked() {
    let settings = [
        ("[plugins.gate]\nmode = \"shadow\"\n", "sets `mode` of `gate`, which is not a plugin of its own: \"shadow\""),
        (
            "[plugins.gate]\non-failure = \"skip\"\n",
            "sets `on-failure` of `gate`, which is not a plugin of its own: \"skip\"",
        ),
        ("plugin-order = [\"gate\"]\n", "puts plugins that are not its own in order: [\"gate\"]"),
    ];
    for (text, wish) in settings {
        let place = Place::new().plugin("gate", &gate()).project(text);
        let own = place.path().join(".seam/plugins").display().to_string();
        assert_eq!(place.run(&["--no-session", "--plugins", &own]).code, 0);
        let elsewhere = place.home().join("plugins");
        fs::rename(own, &elsewhere).unwrap();
        let elsewhere = elsewhere.display().to_string();
        let said = place.run(&["--plugins", &elsewhere]);
        assert_eq!(said.code, 3, "{text}");
        assert!(said.err.contains(&format!(": it {wish}\n")), "{}", said.err);
        assert!(said.err.contains("`seam trust --plugins HOME/plugins` shows"), "{}", said.err);
        assert_eq!(place.seam(&["trust", "--yes", "--plugins", &elsewhere]).code, 0);
        assert_eq!(place.run(&["--no-session", "--plugins", &elsewhere]).code, 0, "{text}");
    }
}

#[test]
fn each_thing_that_is_asked_for_has_a_line() {
    let place = asks().user("[retry]\nmax = 1\n");
    let more = "[retry]\nmax = 9\n[workspace]\noutside = [\"/\"]\n[plugins.gate.limits]\ntime-ms = 999\n";
    let place = place.project(&(more.to_owned() + &granted("helper")));
    let said = place.seam(&["trust"]);
    let (wishes, _) = said.out.split_once("\n\n").unwrap();
    insta::assert_snapshot!(wishes, @r#"
    PROJECT/seam.toml
      sets `time-ms` of `gate` to 999, above the default of 250
      grants to `helper`: complete = 1000
      grants to `helper`: exec = ["git"]
      grants to `helper`: tools = ["read"]
      grants to `helper`: ui = true
      opens a folder outside the workspace to file tools: /
      sets `retry.max` to 9, where your own settings have 1
    "#);
}
