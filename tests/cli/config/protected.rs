//! What says which plugins a run has and what they may do is out of reach of the agent's own tools.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::{Place, gate, needy};
use crate::cli::{call, ends};

/// Everything in sight is inside the workspace, and not even so can it be written.
#[test]
fn the_agent_writes_no_settings_no_lock_no_plugin_and_no_agreement() {
    let place = Place::new().plugin("gate", &gate());
    let home = place.home();
    let targets = [
        "seam.toml".to_owned(),
        "seam.lock".to_owned(),
        ".seam/plugins/new.wasm".to_owned(),
        ".seam/plugins/gate.wasm".to_owned(),
        home.join("config/seam/seam.toml").display().to_string(),
        home.join("state/seam/trusted").display().to_string(),
        "elsewhere/seam.toml".to_owned(),
        "elsewhere/seam.lock".to_owned(),
    ];
    fs::create_dir(place.path().join("elsewhere")).unwrap();
    let settings = format!("[workspace]\noutside = [\"{}\"]\n", home.display());
    fs::write(place.path().join("elsewhere/seam.toml"), &settings).unwrap();
    let write = |path: &String| call(path, "write", json!({ "path": path, "content": "mine" }));
    let calls: Vec<Value> = targets.iter().map(write).chain([write(&"free".to_owned())]).collect();
    place.script(&json!([{ "content": calls }, { "content": [] }]));
    let said = place.run(&["--json", "--config", "elsewhere/seam.toml"]);
    let events: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ends = ends(&events);
    let (free, refused) = ends.split_last().unwrap();
    let by: Vec<&Value> = refused.iter().map(|end| &end["decisions"][0]["by"]).collect();
    assert_eq!(by, vec!["host"; targets.len()]);
    assert_eq!(free["isError"], false);
    for target in ["seam.toml", "seam.lock", ".seam/plugins/new.wasm", "elsewhere/seam.lock"] {
        assert!(!place.path().join(target).exists(), "{target}");
    }
}

/// What a run says when its plugin may write in a folder of the project.
fn writing_in(place: &Place, folder: &str) -> String {
    let config = place.home().join("named.toml");
    let grant = format!("fs = [{{ path = \"{}\", mode = \"rw\" }}]", place.path().join(folder).display());
    fs::write(&config, format!("[plugins.gate.grants]\n{grant}\n")).unwrap();
    let said = place.run(&["--no-session", "--config", &config.to_string_lossy()]);
    assert_eq!(said.code == 3, !said.err.is_empty(), "{}", said.err);
    said.err
}

/// Who can rename a link puts something else in the place of what it leads to.
#[test]
fn no_plugin_is_granted_to_write_where_a_link_on_the_way_to_them_lies() {
    let place = || {
        let place = Place::new().plugin("gate", &gate());
        ["conf", "real", "data"].iter().for_each(|name| fs::create_dir(place.path().join(name)).unwrap());
        place
    };
    let settings = place();
    symlink("conf/link.toml", settings.path().join("seam.toml")).unwrap();
    symlink("../real/seam.toml", settings.path().join("conf/link.toml")).unwrap();
    let plugin = place();
    fs::rename(plugin.plugin_file("gate"), plugin.path().join("real/gate.wasm")).unwrap();
    symlink("../../conf/mid.wasm", plugin.plugin_file("gate")).unwrap();
    symlink("../real/gate.wasm", plugin.path().join("conf/mid.wasm")).unwrap();
    let folder = place();
    fs::rename(folder.path().join(".seam"), folder.path().join("real/seam")).unwrap();
    symlink("conf/s", folder.path().join(".seam")).unwrap();
    symlink("../real/seam", folder.path().join("conf/s")).unwrap();
    for (place, link) in [(settings, "link.toml"), (plugin, "mid.wasm"), (folder, "s")] {
        let refused = writing_in(&place, "conf");
        assert!(refused.contains(&format!("PROJECT/conf/{link}: who writes there")), "{link}: {refused}");
        assert!(writing_in(&place, "real").contains("PROJECT/real/"), "{link}");
        assert_eq!(writing_in(&place, "data"), "", "{link}");
    }
}

/// It is loaded as soon as what it lacks is there.
#[test]
fn what_a_plugin_that_is_left_out_leads_to_is_out_of_reach_too() {
    let place = Place::new().plugin("gate", &gate());
    fs::create_dir(place.path().join("built")).unwrap();
    let built = place.path().join("built/helper.wasm");
    fs::copy(needy(), &built).unwrap();
    symlink(&built, place.plugin_file("helper")).unwrap();
    let write = |path: &str| call(path, "write", json!({ "path": path, "content": "mine" }));
    place.script(&json!([{ "content": [write("built/helper.wasm"), write("built/free")] }, { "content": [] }]));
    let said = place.run(&["--json", "--no-session"]);
    assert!(said.err.contains("plugin left out: "), "{}", said.err);
    let events: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let refused: Vec<bool> = ends(&events).iter().map(|end| end["isError"] == true).collect();
    assert_eq!(refused, [true, false]);
    assert_eq!(fs::read(&built).unwrap(), fs::read(needy()).unwrap());
}
