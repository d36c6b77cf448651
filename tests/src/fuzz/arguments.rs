//! Arguments into the dispatcher, under gates: a call that is refused never runs, and one that runs has arguments that fit
//! its tool, that every gate has seen, and that are what was sent.
//!
//! An input is text. Its first line is a tool and what the model sent it; what follows, if anything, is what a plugin
//! makes of the arguments:
//!
//! ```text
//! write {"path": "notes/a.md", "content": "x"}
//! {"path": "b.md", "content": "x"}
//! ```
//!
//! The tools are Seam's own with their schemas and paths, but without their effects, and two with schemas of other kinds.
//! One gate goes by words in the arguments: `!block`, `!ask`, `!fail`. Another is a component that crashes at `!crash`.

mod bench;
mod lossless;
mod tools;

use seam_loop::message::RequestedCall;
use seam_loop::tool::{Location, Resolution, Target};
use seam_loop::{
    BatchPosition, CallRequest, CancellationToken, Dispatch, NoCalls, Origin, Preflight, ReadyCall, RunScope,
};
use serde_json::{Value, json};

use self::bench::{BENCH, Bench};
use self::lossless::is_lossless;
use self::tools::{FREE, SHAPES};

/// The words at which a gate does not let a call through.
const REFUSED: [&str; 4] = ["!block", "!ask", "!fail", "!crash"];

/// An input, as it is meant.
struct Case<'a> {
    tool: &'a str,
    /// What was sent; none when it is not JSON.
    sent: Option<Value>,
    /// What a plugin makes of it; none when it makes nothing of it.
    rewritten: Option<&'a str>,
}

/// Makes the call of an input.
pub fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (call, rewritten) = text.split_once('\n').unwrap_or((&text, ""));
    let (tool, arguments) = call.split_once(' ').unwrap_or((call, ""));
    let rewritten = Some(rewritten.trim()).filter(|rewritten| !rewritten.is_empty());
    let case = Case { tool, sent: serde_json::from_str(arguments).ok(), rewritten };
    BENCH.with(|bench| bench.runtime.block_on(case.run(bench)));
}

/// Whether the call of an input runs. For inputs that have to.
pub fn runs(input: &[u8]) -> bool {
    check(input);
    BENCH.with(|bench| !bench.noted.ran().is_empty())
}

impl Case<'_> {
    async fn run(&self, bench: &Bench) {
        bench.noted.begin(self.rewritten);
        let abort = CancellationToken::new();
        match bench.dispatcher.preflight(self.request(), &abort).await {
            Preflight::Settled(settled) => {
                assert!(settled.output.is_error, "a call that does not run is an error");
                assert_eq!(bench.noted.ran(), [], "a call that was refused has run");
                self.is_refused_rightly(bench);
            }
            Preflight::Ready(ready) => {
                self.is_approved_rightly(&*ready, bench);
                let call = ready.call().clone();
                let settled = ready.run(RunScope { abort: &abort, updates: &|_| {}, caller: &NoCalls }).await;
                assert!(!settled.output.is_error, "the bodies do not fail");
                assert_eq!(bench.noted.ran(), [call.arguments.value().clone()], "it runs once, with what was approved");
            }
        }
    }

    fn request(&self) -> CallRequest {
        let fault = self.sent.is_none().then(|| "not JSON".to_owned());
        let (id, name) = ("fuzzed".to_owned(), self.tool.to_owned());
        let arguments = self.sent.clone().unwrap_or_else(|| json!({}));
        CallRequest {
            call: RequestedCall { id, name, arguments, arguments_error: fault, signature: None },
            origin: Origin::Model,
            turn: 1,
            batch: BatchPosition { index: 0, size: 1 },
        }
    }

    fn is_approved_rightly(&self, ready: &dyn ReadyCall, bench: &Bench) {
        let (call, tool) = (ready.call(), bench.tool(self.tool).expect("a call of no tool was approved"));
        let (text, arguments) = (call.arguments.text(), Value::Object(call.arguments.value().clone()));
        assert_eq!(bench.noted.asked(), [text], "the gate has seen these arguments and no others");
        let word = REFUSED.iter().find(|word| text.contains(**word));
        assert_eq!(word, None, "a gate refused it");
        assert!(tool.fits(&arguments), "these do not fit: {text}");
        let parsed = self.rewritten.map(|rewritten| serde_json::from_str(rewritten).expect("it was not JSON"));
        let from = parsed.or_else(|| tool.prepared(self.sent.clone()?)).expect("nothing was sent that can be used");
        assert!(is_lossless(&from, &arguments), "{from} became {text}");
        call.targets.iter().for_each(|target| is_allowed(target, bench));
    }

    /// A gate refused it, or something was wrong with it.
    fn is_refused_rightly(&self, bench: &Bench) {
        match bench.noted.asked().as_slice() {
            [text] => assert!(REFUSED.iter().any(|word| text.contains(word)), "no gate refused it: {text}"),
            [] => {
                let plain = self.rewritten.is_none() && [FREE, SHAPES].contains(&self.tool);
                let tool = bench.tool(self.tool).filter(|_| plain);
                if let (Some(tool), Some(sent)) = (tool, self.sent.as_ref().filter(|sent| nesting(sent) <= 60)) {
                    assert!(!(sent.is_object() && tool.fits(sent)), "nothing is wrong with it: {sent}");
                }
            }
            more => panic!("the gate was asked twice: {more:?}"),
        }
    }
}

/// How deep a value is nested.
fn nesting(value: &Value) -> usize {
    let deepest = match value {
        Value::Array(items) => items.iter().map(nesting).max(),
        Value::Object(fields) => fields.values().map(nesting).max(),
        _ => return 0,
    };
    1 + deepest.unwrap_or(0)
}

/// The host's own rules, as they show in the file system.
fn is_allowed(target: &Target, bench: &Bench) {
    let Target::Path { given, resolution: Resolution::Resolved { path, location, exists }, access } = target else {
        return;
    };
    assert!(*location == Location::Inside && path.starts_with(&bench.workspace), "`{given}` is not in the workspace");
    if *exists {
        assert_eq!(path.canonicalize().ok().as_ref(), Some(path), "`{given}` leads elsewhere");
    }
    bench.is_open_to(path, *access);
}
