//! The layers: what no crate may bring with it.

use std::collections::{BTreeSet, HashMap};
use std::process::Command;

use seam_tests::files;
use serde_json::Value;

fn metadata() -> Value {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--all-features"])
        .current_dir(files::root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What a crate of ours names itself: its dependencies that are no development ones, with their features.
fn direct<'a>(metadata: &'a Value, package: &str) -> Vec<(&'a str, Vec<&'a str>)> {
    let packages = metadata["packages"].as_array().unwrap();
    let package =
        packages.iter().find(|candidate| candidate["name"] == package && candidate["source"].is_null()).unwrap();
    let dependencies = package["dependencies"].as_array().unwrap().iter();
    dependencies
        .filter(|dependency| dependency["kind"].is_null())
        .map(|dependency| {
            let features = dependency["features"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            (dependency["name"].as_str().unwrap(), features)
        })
        .collect()
}

/// Everything a crate of ours brings with it, by name.
fn closure(metadata: &Value, package: &str) -> BTreeSet<String> {
    let packages = metadata["packages"].as_array().unwrap();
    let name: HashMap<&str, &str> =
        packages.iter().map(|package| (package["id"].as_str().unwrap(), package["name"].as_str().unwrap())).collect();
    let nodes: HashMap<&str, &Value> = metadata["resolve"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| (node["id"].as_str().unwrap(), node))
        .collect();
    let root = packages.iter().find(|candidate| candidate["name"] == package && candidate["source"].is_null()).unwrap();
    let mut open = vec![root["id"].as_str().unwrap()];
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        for dependency in nodes[id]["deps"].as_array().unwrap() {
            let normal = dependency["dep_kinds"].as_array().unwrap().iter().any(|kind| kind["kind"].is_null());
            let id = dependency["pkg"].as_str().unwrap();
            if normal && seen.insert(id) {
                open.push(id);
            }
        }
    }
    seen.into_iter().map(|id| name[id].to_owned()).collect()
}

fn is_wasm(name: &str) -> bool {
    name.starts_with("wasmtime") || name.starts_with("cranelift") || name.starts_with("wasmparser")
}

#[test]
fn the_loop_depends_on_no_wasm_no_file_system_and_no_network() {
    let metadata = metadata();
    let barred = ["cap-std", "cap-primitives", "tempfile", "ignore", "walkdir", "reqwest", "hyper", "rustls", "ureq"];
    for package in ["seam-loop", "seam-harness", "seam-session"] {
        let closure = closure(&metadata, package);
        let bad: Vec<&String> =
            closure.iter().filter(|name| is_wasm(name) || barred.contains(&name.as_str())).collect();
        assert!(bad.is_empty(), "{package} brings {bad:?}");
        for (name, features) in direct(&metadata, package) {
            let bad: Vec<_> =
                features.iter().filter(|feature| matches!(**feature, "fs" | "net" | "process" | "full")).collect();
            assert!(name != "tokio" || bad.is_empty(), "{package} asks tokio for {bad:?}");
        }
    }
}

#[test]
fn only_the_plugin_crate_names_wasmtime() {
    let metadata = metadata();
    let members = metadata["workspace_members"].as_array().unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter().filter(|package| members.contains(&package["id"]));
    let naming: Vec<&str> = packages
        .filter(|package| {
            package["dependencies"]
                .as_array()
                .unwrap()
                .iter()
                .any(|dependency| dependency["name"].as_str().unwrap().starts_with("wasmtime"))
        })
        .map(|package| package["name"].as_str().unwrap())
        .collect();
    assert_eq!(naming, ["seam-plugins"]);
}

#[test]
fn dependencies_point_one_way() {
    let metadata = metadata();
    let ours = |package: &str| -> BTreeSet<String> {
        let all = closure(&metadata, package);
        all.into_iter().filter(|name| name == "seam" || name.starts_with("seam-")).collect()
    };
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(ours("seam-loop"), set(&[]));
    assert_eq!(ours("seam-session"), set(&[]));
    assert_eq!(ours("seam-harness"), set(&["seam-loop", "seam-session"]));
    assert_eq!(ours("seam-providers"), set(&["seam-loop"]));
    assert_eq!(ours("seam-tools"), set(&["seam-loop"]));
    assert_eq!(ours("seam-plugins"), set(&["seam-harness", "seam-loop", "seam-session"]));
}

/// `seam doctor` shows it.
#[test]
fn the_version_of_wasmtime_is_the_one_that_is_built() {
    let metadata = metadata();
    let mut packages = metadata["packages"].as_array().unwrap().iter();
    let wasmtime = packages.find(|package| package["name"] == "wasmtime").unwrap();
    assert_eq!(wasmtime["version"], seam_plugins::WASMTIME);
}
