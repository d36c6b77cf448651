//! `seam audit --json` prints what `host/plugins/audit.schema.json` says, and nothing that it does not.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;

use seam_tests::files;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{audit, gate};

fn schema() -> Value {
    serde_json::from_str(&fs::read_to_string(files::root().join("host/plugins/audit.schema.json")).unwrap()).unwrap()
}

/// A folder of every kind of plugin and file, and the settings for them.
fn project() -> TempDir {
    let project = TempDir::new().unwrap();
    let plugins = project.path().join("plugins");
    fs::create_dir(&plugins).unwrap();
    let put = |name: &str, bytes: &[u8]| fs::write(plugins.join(format!("{name}.wasm")), bytes).unwrap();
    for name in ["everything", "wasi", "gate"] {
        put(name, &fs::read(files::guest(name)).unwrap());
    }
    let import = |name: &str| gate(&format!(r#"(import "{name}" (instance (export "f" (func))))"#));
    put("granted", &import("seam:harness/exec@0.1.0"));
    put("missing", &import("wasi:http/outgoing-handler@0.2.6"));
    put("unknown", &import("acme:net/send@1.0.0"));
    put("other-file", &import("seam:harness/ui@0.1.0"));
    put("text", b"text");
    std::os::unix::fs::symlink("gate.wasm", plugins.join("link.wasm")).unwrap();
    let digest = "0".repeat(64);
    let settings = format!(
        "[plugins.granted.grants]\nexec = [\"git\"]\nclock = true\n[plugins.other-file.grants]\nui = true\ndigest = \"{digest}\"\n"
    );
    fs::write(project.path().join("seam.toml"), settings).unwrap();
    project
}

/// What it prints, and that the schema fits it.
fn valid(arguments: &[&OsStr]) -> Value {
    let (output, complaints, _) = audit(arguments);
    assert_eq!(complaints, "");
    let output = serde_json::from_str(&output).unwrap();
    let faults: Vec<String> =
        jsonschema::validator_for(&schema()).unwrap().iter_errors(&output).map(|error| error.to_string()).collect();
    assert_eq!(faults, Vec::<String>::new());
    output
}

fn collect(value: &Value, texts: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            texts.insert(name.clone());
            collect(value, texts);
        }),
        Value::Array(values) => values.iter().for_each(|value| collect(value, texts)),
        Value::String(text) => drop(texts.insert(text.clone())),
        _ => {}
    }
}

#[test]
fn it_fits_all_that_is_printed_and_has_no_field_that_is_not() {
    let (project, empty) = (project(), TempDir::new().unwrap());
    let (plugins, cwd) = (project.path().join("plugins"), project.path().as_os_str());
    let gate = empty.path().join("gate.wasm");
    fs::copy(files::example("safe-delete"), &gate).unwrap();
    let [as_json, in_project, leak, exec] = ["--json", "--cwd", "--deny=leak", "--deny=exec"].map(OsStr::new);
    let one = valid(&[plugins.as_os_str(), as_json, in_project, cwd, leak, exec]);
    let two = valid(&[plugins.as_os_str(), empty.path().as_os_str(), as_json, in_project, cwd, leak]);
    let three = valid(&[empty.path().as_os_str(), plugins.as_os_str(), as_json, in_project, cwd, exec]);
    let mut printed = BTreeSet::new();
    [&one, &two, &three].into_iter().for_each(|output| collect(output, &mut printed));
    let schema = schema();
    let definitions = schema["$defs"].as_object().unwrap().values();
    let fields =
        definitions.filter_map(|definition| definition["properties"].as_object()).flat_map(|fields| fields.keys());
    let missed: Vec<&String> = fields.filter(|field| !printed.contains(*field)).collect();
    assert_eq!(missed, Vec::<&String>::new());
}

#[test]
fn it_knows_every_grant() {
    let keys: Vec<&str> = seam_plugins::Grant::ALL.into_iter().map(seam_plugins::Grant::key).collect();
    assert_eq!(schema()["$defs"]["grant"]["enum"], json!(keys));
}

#[test]
fn it_refuses_what_is_not_printed() {
    let refuses = |fault: &dyn Fn(&mut Value)| {
        let mut output = valid(&[files::guest("gate").as_os_str(), "--json".as_ref()]);
        fault(&mut output[0]);
        !jsonschema::validator_for(&schema()).unwrap().is_valid(&output)
    };
    assert!(refuses(&|plugin| plugin["more"] = Value::Null));
    assert!(refuses(&|plugin| plugin["canLeak"] = false.into()));
    assert!(refuses(&|plugin| plugin["digest"] = "abc".into()));
    assert!(refuses(&|plugin| drop(plugin.as_object_mut().unwrap().remove("sees"))));
    assert!(refuses(&|plugin| plugin["reaches"][0]["access"] = "often".into()));
    assert!(!refuses(&|_| {}));
}
