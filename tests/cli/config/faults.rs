//! What settings cannot say. The error names the file, the line, what is wrong and what may have been meant.

use std::fs;

use seam_cli::config::Config;
use serde_json::json;
use tempfile::TempDir;

/// Why this text cannot be used, without the folder of its file.
fn fault(text: &str) -> String {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("data")).unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let error = Config::parse(text, &folder.path().join("seam.toml")).expect_err(text);
    format!("{error:#}").replace(&format!("{}/", folder.path().display()), "")
}

fn faults(cases: &[(&str, &str)]) {
    for (text, told) in cases {
        assert_eq!(fault(text), format!("seam.toml {told}"), "{text}");
    }
}

#[test]
fn an_unknown_key_is_told_with_its_line_and_what_may_have_been_meant() {
    faults(&[
        ("lock = true", "line 1: unknown key `lock`; did you mean `locked`?"),
        ("[plugin.guard]", "line 1: unknown key `plugin`; did you mean `plugins`?"),
        (
            "\n\n[plugins.guard]\non-failur = \"skip\"",
            "line 4: unknown key `on-failur` under `[plugins.guard]`; did you mean `on-failure`?",
        ),
        (
            "[plugins.guard]\nlimits = { time_ms = 5 }",
            "line 2: unknown key `time_ms` under `[plugins.guard.limits]`; did you mean `time-ms`?",
        ),
        (
            "plugins.guard.grants.tool = [\"read\"]",
            "line 1: unknown key `tool` under `[plugins.guard.grants]`; did you mean `tools`?",
        ),
        (
            "[plugins.guard.grants]\nfs = [\n  { path = \"data\" },\n  { path = \"file\", mod = \"rw\" }]",
            "line 4: unknown key `mod` under `[plugins.guard.grants.fs]`; did you mean `mode`?",
        ),
        (
            "[workspace]\ninside = []",
            "line 2: unknown key `inside` under `[workspace]`; known are `outside`, `keep-env`",
        ),
        ("[retry]\ntimes = 1", "line 2: unknown key `times` under `[retry]`; known are `max`, `base-ms`"),
    ]);
}

#[test]
fn a_word_that_is_no_value_is_told_with_those_that_are() {
    faults(&[
        (
            "[plugins.guard]\nmode = \"shadwo\"",
            "line 2: `mode` under `[plugins.guard]` cannot be `shadwo`; did you mean `shadow`?",
        ),
        (
            "[plugins.guard]\non-failure = \"ignore\"",
            "line 2: `on-failure` under `[plugins.guard]` cannot be `ignore`; known are `refuse`, `skip`",
        ),
        (
            "[plugins.guard.on-failure]\ntool-call = \"skipp\"",
            "line 2: `tool-call` under `[plugins.guard.on-failure]` cannot be `skipp`; did you mean `skip`?",
        ),
        (
            "[plugins.guard.grants]\nfs = [{ path = \"data\", mode = \"wr\" }]",
            "line 2: `mode` under `[plugins.guard.grants.fs]` cannot be `wr`; did you mean `rw`?",
        ),
        (
            "[session]\ndurability = \"save_point\"",
            "line 2: `durability` under `[session]` cannot be `save_point`; did you mean `save-point`?",
        ),
    ]);
}

#[test]
fn what_is_no_toml_is_told_as_it_stands_there() {
    insta::assert_snapshot!(fault("[retry]\nmax = many"), @r#"
    seam.toml is not usable: TOML parse error at line 2, column 7
      |
    2 | max = many
      |       ^^^^
    string values must be quoted, expected literal string
    "#);
    insta::assert_snapshot!(fault("[plugins.a]\n[plugins.a]"), @r#"
    seam.toml is not usable: TOML parse error at line 2, column 10
      |
    2 | [plugins.a]
      |          ^
    duplicate key
    "#);
}

#[test]
fn what_is_of_another_type_is_told_with_what_is_wanted() {
    faults(&[
        ("plugins.guard = [{}]", "line 1: `guard` under `[plugins]` is a list; give a table: `{ key = value }`"),
        ("workspace = [[\".\"]]", "line 1: `workspace` is a list; give a table: `{ key = value }`"),
        ("plugins = 1", "line 1: `plugins` is `1`; give a table"),
        (
            "[plugins]\nguard = \"on\"",
            "line 2: `guard` under `[plugins]` is the text \"on\"; give a table: `{ key = value }`",
        ),
        (
            "[plugins.guard]\ngrants = []",
            "line 2: `grants` under `[plugins.guard]` is a list; give a table: `{ key = value }`",
        ),
        (
            "[plugins.guard.grants]\nui = 1",
            "line 2: `ui` under `[plugins.guard.grants]` is `1`; give `true` or `false`",
        ),
        (
            "[plugins.guard.grants]\ntools = \"read\"",
            "line 2: `tools` under `[plugins.guard.grants]` is the text \"read\"; give a list: `[...]`",
        ),
        (
            "[plugins.guard.limits]\ntime-ms = -1",
            "line 2: `time-ms` under `[plugins.guard.limits]` is `-1`; give a whole number from 0 to 4294967295",
        ),
        (
            "[plugins.guard.grants]\nfs = [{ mode = \"ro\" }]",
            "line 2: `path` under `[plugins.guard.grants.fs]` is missing; add it",
        ),
        ("[workspace]\noutside = [1]", "line 2: `outside` under `[workspace]` is `1`; give a text in quotes"),
        (
            "[plugins.guard]\non-failure = 1",
            "line 2: `on-failure` under `[plugins.guard]` is `1`; give \"refuse\", \"skip\", or a table of seams with one of \
             them each",
        ),
    ]);
}

#[test]
fn on_failure_names_seams_that_can_refuse() {
    faults(&[
        (
            "[plugins.guard]\non-failure = { tool-cal = \"skip\" }",
            "line 2: unknown seam `tool-cal` in `on-failure` under `[plugins.guard]`; did you mean `tool-call`?",
        ),
        (
            "[plugins.guard.on-failure]\nturn-end = \"refuse\"",
            "line 2: `on-failure` under `[plugins.guard]`: a failure at `turn-end` cannot refuse anything; leave it out",
        ),
    ]);
}

#[test]
fn a_limit_leaves_room_for_something() {
    for limit in ["time-ms", "tool-time-ms", "returned-kib", "host-calls", "network-ms", "nested-ms", "user-ms"] {
        let told = format!("seam.toml line 2: `{limit}` under `[plugins.guard.limits]` is 0; give at least 1");
        assert_eq!(fault(&format!("[plugins.guard.limits]\n{limit} = 0")), told);
    }
    let text = "[plugins.guard.limits]\nstate-kib = 0\nlog-per-minute = 0";
    Config::parse(text, "seam.toml".as_ref()).expect("a plugin can do without");
}

#[test]
fn a_grant_gives_something_that_there_is() {
    let faults = [
        ("complete = 0", "`complete` under `[plugins.p.grants]` is 0 tokens; give at least 1, or leave it out"),
        (
            "tools = [\"read\", \"\"]",
            "`tools` under `[plugins.p.grants]` has ``, which is no name of a tool; name each tool alone",
        ),
        (
            "exec = [\"git status\"]",
            "`exec` under `[plugins.p.grants]` has `git status`, which is no name of a program; name each program alone",
        ),
        (
            "http = [\"*.example.com\"]",
            "`[plugins.p.grants]`: `http` has `*.example.com`: patterns are not taken; name each host",
        ),
        ("env = [\"AWS_*\"]", "`[plugins.p.grants]`: `env` has `AWS_*`: patterns are not taken; name each variable"),
        (
            "fs = [{ path = \"file\" }]",
            "`fs` under `[plugins.p.grants]` names file, which is no folder; make it, or leave it out",
        ),
        (
            "fs = [{ path = \"none\" }]",
            "`fs` under `[plugins.p.grants]` names none, which is no folder; make it, or leave it out",
        ),
        (
            "digest = \"12ab\"",
            "`[plugins.p.grants]`: `digest` has `12ab`: a digest is the SHA-256 of the file, 64 hexadecimal digits; \
             `seam audit` shows it",
        ),
    ];
    for (line, told) in faults {
        assert_eq!(fault(&format!("[plugins.p.grants]\n{line}")), format!("seam.toml line 2: {told}"));
    }
}

#[test]
fn an_order_names_each_plugin_once() {
    faults(&[("plugin-order = [\"a\", \"b\", \"a\"]", "line 1: `plugin-order` names `a` twice; leave one out")]);
}

/// A plugin gets its settings as JSON.
#[test]
fn a_date_becomes_its_text_and_what_json_cannot_say_is_an_error() {
    let text = "[plugins.p.config]\nday = 2026-02-03\nat = [{ time = 2026-02-03T04:05:06Z }, 07:08:09]\nbig = 1e300";
    let config = Config::parse(text, "seam.toml".as_ref()).unwrap();
    let expected = json!({ "at": [{ "time": "2026-02-03T04:05:06Z" }, "07:08:09"], "big": 1e300, "day": "2026-02-03" });
    assert_eq!(json!(config.plugins["p"].config), expected);
    faults(&[
        (
            "[plugins.p.config]\na = 1\nb = { c = nan }",
            "line 3: `c` under `[plugins.p.config.b]` is NaN, which JSON cannot say, and plugins get JSON; give a number",
        ),
        (
            "[plugins.p]\nconfig = { list = [1.0, -inf] }",
            "line 2: `list` under `[plugins.p.config]` is -inf, which JSON cannot say, and plugins get JSON; give a number",
        ),
    ]);
}

#[test]
fn keys_without_end_are_an_error_and_no_overflow() {
    let dotted = "a.".repeat(100_000) + "a = 1";
    let nested = "x = ".to_owned() + &"[".repeat(100_000);
    for text in [dotted, nested] {
        assert!(Config::parse(&text, "seam.toml".as_ref()).is_err());
    }
}
