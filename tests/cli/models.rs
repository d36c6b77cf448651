//! `seam models`.

use serde_json::{Value, json};

use super::doctor::Bare;

/// A provider of one's own, so that no test depends on the table.
const OWN: &str = r#"
model = "own/large-1:high"

[providers.own]
protocol = "openai-chat"
base-url = "https://models.example/v1"
key-env = ["OWN_KEY", "OTHER_KEY"]

[providers.own.models."large-1"]
window = 1050000
output = 128000
images = true
cost = { input = 12.5, output = 50.0, cache-read = 0.0125 }
thinking = { off = "none", low = "low", medium = "medium", high = "high", max = "max" }

[providers.own.models."small-with-a-name-that-is-too-long-for-its-column-1"]
window = 65536
output = 4096
images = false

[providers.vault]
protocol = "openai-chat"
base-url = "https://vault.example/v1"
key-command = ["sh", "-c", "touch MARK; echo own-key-1"]
models."own-1" = { window = 200000, output = 64000, cost = { input = 0.075, output = 1.0 }, thinking = { high = "high" } }

[providers.open-own]
protocol = "openai-chat"
base-url = "http://127.0.0.1:9/v1"
"#;

fn place() -> Bare {
    Bare::new().user(OWN)
}

fn listed(place: &Bare, args: &[&str]) -> Vec<Value> {
    let said = place.seam(&[&["models", "--json"], args].concat());
    serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error}: {}{}", said.out, said.err))
}

fn names(place: &Bare, args: &[&str]) -> Vec<String> {
    listed(place, args).iter().map(|model| model["model"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn models_as_a_person_reads_them() {
    let place = place().with("OTHER_KEY", "own-key-2").with("COLUMNS", "80");
    let said = place.seam(&["models", "own"]);
    assert_eq!((said.code, &*said.err), (0, ""));
    let (list, chosen) = said.out.split_once("\nchosen: ").unwrap();
    insta::assert_snapshot!(list, @r#"
                                 window output    in   out cached img  thinking

    own: the key is in `OTHER_KEY`
    own/large-1                   1.05M   128k 12.50 50.00 0.0125 yes  low–high, max
    own/small-with-a-name-that-is-too-long-for-its-column-1
                                  65.5k   4.1k     -     -      - no   -

    vault: the key is what `sh` prints
    vault/own-1                    200k    64k 0.075  1.00      - yes  high

    open-own/NAME: any model of http://127.0.0.1:9/v1; no key is needed
    "#);
    // Where the line ends depends on the name of the folder.
    let chosen: Vec<&str> = chosen.split_whitespace().collect();
    assert_eq!(chosen.join(" "), "own/large-1:high, by `model` in HOME/config/seam/seam.toml");
}

#[test]
fn the_whole_table_fits_a_narrow_terminal() {
    let said = Bare::new().with("COLUMNS", "80").seam(&["models"]);
    assert_eq!((said.code, &*said.err), (0, ""));
    for line in said.out.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    for name in ["anthropic/", "openai/", "google/", "openrouter/", "ollama/NAME", "lmstudio/NAME"] {
        assert!(said.out.lines().any(|line| line.starts_with(name)), "{name}: {}", said.out);
    }
}

#[test]
fn no_key_is_shown_and_no_command_is_run() {
    let place = place().with("OWN_KEY", "own-key-2");
    for args in [&["models"][..], &["models", "--json"]] {
        let said = place.seam(args);
        assert!(said.code == 0 && !said.out.contains("own-key"), "{}", said.out);
    }
    assert!(!place.place.path().join("MARK").exists());
}

#[test]
fn patterns_choose() {
    let place = place();
    let long = "own/small-with-a-name-that-is-too-long-for-its-column-1";
    assert_eq!(names(&place, &["own/"]), ["own/large-1", long]);
    assert_eq!(names(&place, &["OWN large"]), ["own/large-1"]);
    assert_eq!(names(&place, &["own", "small"]), [long]);
    assert_eq!(names(&place, &["own-*"]), ["vault/own-1"]);
    assert_eq!(names(&place, &["own/*-1"]), ["own/large-1", long]);
    let all = names(&place, &[]);
    assert!(all.len() > 20 && all.contains(&"vault/own-1".to_owned()), "{all:?}");
}

#[test]
fn what_is_not_found_is_told_with_what_can_be_done() {
    let said = place().seam(&["models", "no-such"]);
    assert_eq!((said.code, &*said.out), (1, ""));
    let told = "seam: no known model is like `no-such`; `seam models` lists all of them. One that is not listed can be asked \
                too: `--model PROVIDER/NAME`\n";
    assert_eq!(said.err, told);
    let said = place().seam(&["models", "no-such", "--json"]);
    assert_eq!((said.code, &*said.out), (1, "[]\n"));
}

#[test]
fn programs_read_all_of_it() {
    let place = place().with("OTHER_KEY", "own-key-2");
    assert_eq!(
        listed(&place, &["large-1"]),
        [json!({
            "model": "own/large-1", "provider": "own", "name": "large-1",
            "window": 1_050_000, "output": 128_000, "images": true,
            "thinking": ["low", "medium", "high", "max"],
            "cost": { "input": 12.5, "output": 50.0, "cacheRead": 0.0125, "cacheWrite": 0.0 },
            "key": "variable", "keyFrom": "OTHER_KEY", "chosen": true,
        })]
    );
    let key = |pattern: &str| {
        let found = listed(&place, &[pattern]);
        (found[0]["key"].clone(), found[0]["keyFrom"].clone(), found[0]["chosen"].clone())
    };
    assert_eq!(key("vault/"), (json!("command"), json!("sh"), json!(false)));
    assert_eq!(key("anthropic/"), (json!("missing"), Value::Null, json!(false)));
    let help = place.seam(&["models", "--help"]).out;
    let (_, help) = help.split_once("--json prints a list").unwrap();
    let found = listed(&place, &["large-1"]);
    for key in [&found[0], &found[0]["cost"]].iter().flat_map(|part| part.as_object().unwrap().keys()) {
        assert!(help.split([' ', ',', ':', ';', '\n']).any(|word| word == key), "{key}");
    }
}

#[test]
fn a_choice_that_cannot_be_is_an_error() {
    let said = place().project("model = \"onw/large-1\"\n").seam(&["models"]);
    assert_eq!(said.code, 2);
    assert!(
        said.err.contains("`model`: `onw/large-1` names ") && said.err.contains("did you mean `own`?"),
        "{}",
        said.err
    );
}

#[test]
fn where_none_is_chosen_nothing_is_said_of_it() {
    let said = Bare::new().seam(&["models", "claude"]);
    assert!(said.code == 0 && !said.out.contains("chosen"), "{}", said.out);
}
