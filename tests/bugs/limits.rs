//! Limits hold at every entry, and hold nobody up who is within them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use seam_harness::Conversation;
use seam_plugins::{Limits, Settings, connect};
use seam_tests::bed::{Bed, engine, text};
use seam_tests::{files, notes};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::program::{Program, batch, call, of};

/// Keeps every core busy until it is dropped.
struct Busy(Arc<AtomicBool>);

impl Busy {
    fn all_cores() -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        for _ in 0..2 * cores {
            let over = Arc::clone(&over);
            std::thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        Self(over)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Two threads for each core that never rest, 200 calls of a gate that computes, the limit that is the default.
#[tokio::test]
async fn a_busy_machine_makes_no_false_time_outs() {
    let session = Bed::new().stress("works", json!({ "gate": { "spin": 5 } })).start().await;
    let _busy = Busy::all_cores();
    for call in 0..200 {
        let settled = session.echo("x").await;
        assert!(!settled.output.is_error, "call {call}: {}", text(&settled));
    }
}

/// A gate sees the last byte of a large call, or the call is refused. It is never cut and never skipped.
#[tokio::test]
async fn a_large_call_reaches_the_gate_whole() {
    const MIB: usize = 1 << 20;
    let ends = |deed: &str| json!({ "gate": { "panic-on": deed } });
    let sees = Bed::new().stress("sees", ends("THE END")).time_limit("sees", 60_000).start().await;
    let agrees = Bed::new().stress("agrees", ends("another end")).time_limit("agrees", 60_000).start().await;
    for size in [MIB - 1, MIB, MIB + 1, 8 * MIB, 30 * MIB] {
        let content = format!("{}THE END", "x".repeat(size - 7));
        let arguments = json!({ "path": "f", "content": content });
        let settled = sees.call("write", arguments.clone()).await;
        assert!(text(&settled).contains("plugin `sees` failed at `tool-call`"), "{size}: {settled:.300?}");
        assert!(!sees.workspace.join("f").exists(), "{size}");
        assert!(!agrees.call("write", arguments).await.output.is_error, "{size}");
        assert_eq!(std::fs::metadata(agrees.workspace.join("f")).unwrap().len(), size as u64);
        std::fs::remove_file(agrees.workspace.join("f")).unwrap();
    }
    let small = Bed::new().stress("small", json!({})).time_limit("small", 60_000);
    let small = small.set("small", |settings| settings.limits.memory_mib = 8).start().await;
    let no_memory = "plugin `small` failed at `rewrite-tool-call`: it reached its memory limit of 8 MiB";
    let refusals = [(&small, 20 * MIB, no_memory), (&agrees, 40 * MIB, "the arguments are longer than 32 MiB")];
    for (session, size, refused) in refusals {
        let settled = session.call("write", json!({ "path": "f", "content": "x".repeat(size) })).await;
        let told = text(&settled);
        assert!(settled.output.is_error && told.contains(refused), "{size}: {told:.300}");
        assert!(!session.workspace.join("f").exists(), "{size}");
    }
    assert!(!agrees.call("write", json!({ "path": "f", "content": "x" })).await.output.is_error);
}

/// What plugins offer is asked for at the start; so is what they find.
#[tokio::test]
async fn an_endless_list_ends_at_the_limit_and_names_its_plugin() {
    for seam in ["list-tools", "list-commands"] {
        let folder = TempDir::new().unwrap();
        for name in ["a-loops", "b-fine"] {
            std::fs::copy(files::guest("everything"), folder.path().join(format!("{name}.wasm"))).unwrap();
        }
        let config = |name: &str| match name {
            "a-loops" => json!({ seam: { "do": "loop" }, "observe": "quiet" }),
            _ => json!({ "tools": [{ "name": "shout", "do": "shout" }], "observe": "quiet" }),
        };
        let limits = Limits { tool_time_ms: 200, ..Limits::default() };
        let settings = |name: &str| Settings {
            config: config(name).as_object().unwrap().clone(),
            limits: limits.clone(),
            ..Settings::default()
        };
        let (plugins, errors) = engine().load_folder(folder.path(), settings).await.unwrap();
        assert!(errors.is_empty(), "{errors:?}");
        let connected = connect(&plugins, Arc::new(Conversation::default()), Vec::new(), None).await;
        assert_eq!((connected.errors.len(), connected.tools.len()), (1, 1), "{seam}");
        let error = &connected.errors[0];
        assert!(error.file.ends_with("a-loops.wasm"), "{seam}");
        assert!(error.problem.to_string().contains("it reached its time limit of 200 ms"), "{seam}: {}", error.problem);
    }
}

fn loops(deeds: Value) -> Bed {
    let mut settings = deeds;
    if settings.get("observe").is_none() && settings.get("observe-at").is_none() {
        settings["observe"] = json!("quiet");
    }
    Bed::new().everything("loops", settings).set("loops", |settings| {
        settings.limits.time_ms = 60;
        settings.limits.tool_time_ms = 90;
    })
}

#[tokio::test]
async fn an_endless_loop_in_each_kind_of_export_ends_at_the_limit() {
    for seam in ["rewrite-tool-call", "tool-call", "tool-result"] {
        let session = loops(json!({ seam: { "do": "loop" } })).start().await;
        let told = text(&session.echo("x").await);
        assert!(
            told.contains(&format!("plugin `loops` failed at `{seam}`: it reached its time limit of 60 ms")),
            "{told}"
        );
    }
    let tool = loops(json!({ "tools": [{ "name": "t", "do": "loop" }] })).start().await;
    let told = text(&tool.call("t", json!({ "text": "x" })).await);
    assert!(told.contains("it reached its time limit of 90 ms"), "{told}");

    let mut talk = loops(json!({ "commands": [{ "name": "c", "do": "loop" }] })).talk(json!([])).await;
    let heard = format!("{:?}", talk.say("/c").await);
    assert!(heard.starts_with("Failed(") && heard.contains("it reached its time limit of 90 ms"), "{heard}");
}

/// The seams around a request and a turn; observers, at the start, during the run and at the end of the session.
#[tokio::test]
async fn an_endless_loop_anywhere_else_ends_at_the_limit_too() {
    for seam in ["input", "before-agent-start", "resources-discover", "prepare-request", "transform-context"]
        .into_iter()
        .chain(["get-api-key", "finish-turn", "prepare-next-turn"])
    {
        let mut talk = loops(json!({ seam: { "do": "loop" } })).talk(batch(&[call("c1", "ls", json!({}))])).await;
        talk.say("go").await;
        let events = serde_json::to_string(&talk.close().await).unwrap();
        assert!(events.contains("it reached its time limit of 60 ms"), "{seam}: {events}");
    }
    for seam in ["session-start", "turn-start", "tool-execution-end", "session-shutdown"] {
        let observes = json!({ "observe": "quiet", "observe-at": { seam: "loop" } });
        let mut talk = loops(observes).talk(batch(&[call("c1", "ls", json!({}))])).await;
        talk.say("go").await;
        assert_eq!(talk.transcript().last().unwrap(), "assistant: done", "{seam}");
        let events = serde_json::to_string(&talk.close().await).unwrap();
        assert!(events.contains("observer_failed") && events.contains("time limit of 60 ms"), "{seam}: {events}");
    }
}

/// A limit of one plugin is in force for it and for no other, in its second call as in its first, and an answer after
/// it counts for nothing.
#[tokio::test]
async fn a_limit_is_the_plugins_own_in_every_call_and_a_late_answer_is_none() {
    let bed = Bed::new().stress("a-slow", json!({ "gate": { "spin": 60 } })).time_limit("a-slow", 60_000);
    let second = json!({ "tool-call": { "do": "loop", "tool": "ls" }, "observe": "quiet" });
    let session = bed.everything("b-limited", second).time_limit("b-limited", 100).start().await;
    assert!(!session.echo("x").await.output.is_error);
    let told = text(&session.call("ls", json!({})).await);
    assert!(told.contains("plugin `b-limited` failed at `tool-call`: it reached its time limit of 100 ms"), "{told}");
    assert!(!session.echo("x").await.output.is_error);

    // It would say nothing against it, seconds later.
    let late =
        Bed::new().stress("too-late", json!({ "gate": { "spin": 5000 } })).time_limit("too-late", 100).start().await;
    let told = text(&late.echo("x").await);
    assert!(told.contains("plugin `too-late` failed at `tool-call`: it reached its time limit of 100 ms"), "{told}");
    assert_eq!(late.runs(), 0);
}

/// Fifty turns on, a patch that crashed is asked again as if nothing had happened.
#[tokio::test]
async fn a_patch_that_crashes_needs_no_restart() {
    let session = Bed::new().stress("p", json!({ "patch": { "panic-on": "bad" } })).start().await;
    for turn in 0..50 {
        let bad = text(&session.echo("bad").await);
        assert!(bad.contains("its result is withheld: plugin `p` failed at `tool-result`"), "{turn}: {bad}");
        assert!(!bad.contains("cannot enter"), "{turn}: {bad}");
        assert_eq!(text(&session.echo("good").await), "good", "{turn}");
    }
    assert_eq!(session.runs(), 100);
}

/// Types of any size in a file are an error of that file, or nothing at all.
#[tokio::test]
async fn a_type_with_very_many_cases_is_no_trouble() {
    let cases: String = (0..1001).map(|case| format!("\"c{case}\" ")).collect();
    let inner = format!(r#"(component $inner (type $e (enum {cases})) (export "e" (type $e)))"#);
    let composed =
        format!(r#"(component {inner} (instance $i (instantiate $inner)) (export "acme:x/y@1.0.0" (instance $i)))"#);
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("a.wasm"), wat::parse_str(composed).unwrap()).unwrap();
    std::fs::copy(files::stress(), folder.path().join("b.wasm")).unwrap();
    let (plugins, errors) = engine().load_folder(folder.path(), |_| Settings::default()).await.unwrap();
    assert_eq!((plugins.len(), errors.len()), (1, 1), "{errors:?}");
}

/// What a plugin notes is bounded, however much it is, and the host's memory with it.
#[tokio::test]
async fn notes_without_end_are_cut_off_in_number_and_length() {
    let bed = Bed::new().stress("bug-chatty", json!({ "gate": { "log": 20_000 } })).time_limit("bug-chatty", 60_000);
    let session = bed.start().await;
    for _ in 0..5 {
        assert!(!session.echo("x").await.output.is_error);
    }
    let notes = notes::take("bug-chatty");
    let size: usize = notes.iter().map(String::len).sum();
    assert!(notes.len() <= 1010 && size <= 5 << 20, "{} notes, {size} bytes", notes.len());
}

/// Five plugins, one of which fails in an import each time, four calls at once, 100,000 notes. The shell of a command
/// asks how much memory its parent has, early and late.
#[test]
#[cfg(target_os = "linux")]
fn the_memory_of_a_run_does_not_grow_with_its_calls() {
    const TURNS: usize = 16;
    let asks = |turn: usize| call(&format!("ask{turn}"), "bash", json!({ "command": "grep VmRSS /proc/$PPID/status" }));
    let works = |turn: usize| (0..4).map(move |place| call(&format!("c{turn}-{place}"), "ls", json!({})));
    let mut turns: Vec<Value> =
        (0..TURNS).map(|turn| json!({ "content": works(turn).chain([asks(turn)]).collect::<Vec<_>>() })).collect();
    turns.push(json!({ "content": [{ "text": "done" }] }));
    let mut settings = "[plugins.errs]\non-failure = \"skip\"\nconfig = { gate = \"read-result\" }\n".to_owned();
    let mut program = Program::new(&json!(turns)).plugin("errs", &files::stress());
    for name in ["a", "b", "c", "d"] {
        settings.push_str(&format!(
            "[plugins.{name}]\nconfig = {{ gate = {{ log = 400 }} }}\nlimits = {{ time-ms = 60000 }}\n"
        ));
        program = program.plugin(name, &files::stress());
    }
    let events = program.file("seam.toml", &settings).events_with_named_settings();
    let told = of(&events, "tool_execution_end").into_iter().filter(|end| end["toolName"] == "bash");
    let kib = |end: &Value| -> u64 {
        let text = end["result"]["content"][0]["text"].as_str().unwrap();
        text.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    let kib: Vec<u64> = told.map(kib).collect();
    assert_eq!(kib.len(), TURNS);
    assert!(kib[TURNS - 1] < kib[2] + (8 << 10), "{kib:?}");
}
