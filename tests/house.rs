//! The house itself: its layers, and its contract.

use std::collections::{BTreeSet, HashMap};
use std::process::Command;

use seam_plugins::contract::{REACHES, SEAMS, VERSION};
use seam_tests::files;
use serde_json::Value;
use wit_parser::{Resolve, Type, TypeDefKind, WorldItem};

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
    assert_eq!(ours("seam-harness"), set(&["seam-loop"]));
    assert_eq!(ours("seam-providers"), set(&["seam-loop"]));
    assert_eq!(ours("seam-tools"), set(&["seam-loop"]));
    assert_eq!(ours("seam-plugins"), set(&["seam-harness", "seam-loop"]));
}

fn contract() -> (Resolve, wit_parser::PackageId) {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(files::root().join("wit")).unwrap();
    (resolve, package)
}

#[test]
fn every_item_of_the_contract_has_a_comment() {
    let (resolve, package) = contract();
    let mut silent = Vec::new();
    let mut check = |what: String, docs: &wit_parser::Docs| {
        if docs.contents.as_deref().unwrap_or_default().trim().is_empty() {
            silent.push(what);
        }
    };
    for (name, id) in &resolve.packages[package].worlds {
        check(format!("world {name}"), &resolve.worlds[*id].docs);
    }
    for (interface, id) in &resolve.packages[package].interfaces {
        let content = &resolve.interfaces[*id];
        check(interface.clone(), &content.docs);
        for (name, function) in &content.functions {
            check(format!("{interface}.{name}"), &function.docs);
        }
        for (name, id) in &content.types {
            let definition = &resolve.types[*id];
            if matches!(definition.kind, TypeDefKind::Type(_)) {
                continue;
            }
            check(format!("{interface}.{name}"), &definition.docs);
            match &definition.kind {
                TypeDefKind::Record(record) => {
                    record
                        .fields
                        .iter()
                        .for_each(|field| check(format!("{interface}.{name}.{}", field.name), &field.docs));
                }
                TypeDefKind::Variant(variant) => {
                    variant
                        .cases
                        .iter()
                        .for_each(|case| check(format!("{interface}.{name}.{}", case.name), &case.docs));
                }
                TypeDefKind::Enum(cases) => {
                    cases.cases.iter().for_each(|case| check(format!("{interface}.{name}.{}", case.name), &case.docs));
                }
                other => panic!("{interface}.{name} is a {}", other.as_str()),
            }
        }
    }
    assert_eq!(silent, Vec::<String>::new());
}

/// The rules of `wit/VERSIONING.md` that a machine can check.
#[test]
fn the_contract_keeps_its_shape() {
    let (resolve, package) = contract();
    let interfaces = &resolve.packages[package].interfaces;
    for (_, definition) in &resolve.types {
        assert!(
            !matches!(definition.kind, TypeDefKind::Resource | TypeDefKind::Handle(_)),
            "a resource: {definition:?}"
        );
        let name = definition.name.as_deref().unwrap_or_default();
        assert!(!interfaces.contains_key(name), "the type `{name}` has the name of an interface");
        let wide = |ty: &Type| matches!(ty, Type::U64 | Type::S64);
        let fields: Vec<Type> = match &definition.kind {
            TypeDefKind::Record(record) => record.fields.iter().map(|field| field.ty).collect(),
            TypeDefKind::Variant(variant) => variant.cases.iter().filter_map(|case| case.ty).collect(),
            TypeDefKind::List(ty) | TypeDefKind::Option(ty) => vec![*ty],
            _ => Vec::new(),
        };
        assert!(!fields.iter().any(wide), "a 64-bit integer in `{name}`");
    }
    for seam in SEAMS {
        let event = resolve.interfaces[interfaces[seam.name]].types["event"];
        assert!(matches!(resolve.types[event].kind, TypeDefKind::Record(_)), "{}", seam.name);
    }
}

/// The host's table of seams and reaches is the contract's.
#[test]
fn the_host_knows_the_whole_contract() {
    let (resolve, package) = contract();
    let version = resolve.packages[package].name.version.clone().unwrap();
    assert_eq!(version, VERSION);
    let names = |items: &mut dyn Iterator<Item = &WorldItem>| -> BTreeSet<String> {
        items
            .filter_map(|item| match item {
                WorldItem::Interface { id, .. } => resolve.interfaces[*id].name.clone(),
                _ => None,
            })
            .collect()
    };
    let worlds = &resolve.packages[package].worlds;
    let host = &resolve.worlds[worlds["host"]];
    let seams: BTreeSet<String> = SEAMS.iter().map(|seam| seam.name.to_owned()).collect();
    let mut reaches: BTreeSet<String> = REACHES.iter().map(|reach| reach.name.to_owned()).collect();
    assert_eq!(names(&mut host.exports.values()), seams);
    reaches.insert("types".to_owned());
    assert_eq!(names(&mut host.imports.values()), reaches);
    for seam in seams {
        let world = &resolve.worlds[worlds[&format!("for-{seam}")]];
        assert_eq!(names(&mut world.exports.values()), BTreeSet::from([seam]));
    }
}
