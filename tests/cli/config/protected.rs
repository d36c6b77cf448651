//! What says which plugins a run has and what they may do is out of reach of the agent's own tools.

use std::fs;

use serde_json::{Value, json};

use super::{Place, gate};
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
