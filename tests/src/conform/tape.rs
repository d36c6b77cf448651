//! What is recorded, and the injections it sets off.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value, json};

use super::json::{matches, shortened, strings};

/// A recording under way.
#[derive(Default)]
pub(super) struct Tape {
    trace: Vec<Value>,
    requests: Vec<Value>,
    tool_runs: Map<String, Value>,
    injections: Vec<Injection>,
    /// The types of events that are recorded; all when there are none.
    events: Option<BTreeSet<String>>,
    calls: HashMap<String, u64>,
}

/// Actions at an entry.
struct Injection {
    at: Value,
    nth: u64,
    every: bool,
    actions: Vec<Value>,
    seen: u64,
}

impl Injection {
    fn new(value: &Value) -> Self {
        Self {
            at: value["at"].clone(),
            nth: value["nth"].as_u64().unwrap_or(1),
            every: value["every"] == true,
            actions: value["do"].as_array().cloned().unwrap_or_default(),
            seen: 0,
        }
    }

    /// The actions, when this entry sets them off.
    fn due(&mut self, entry: &Value) -> &[Value] {
        if !matches(&self.at, entry) {
            return &[];
        }
        self.seen += 1;
        if self.every || self.seen == self.nth { &self.actions } else { &[] }
    }
}

impl Tape {
    /// An empty recording of a scenario.
    pub(super) fn new(scenario: &Value) -> Self {
        let injections = scenario["inject"].as_array().into_iter().flatten().map(Injection::new).collect();
        let events = scenario.get("events").map(|events| strings(events).map(str::to_owned).collect());
        Self { injections, events, ..Self::default() }
    }

    /// Records an entry and gives the actions it sets off.
    pub(super) fn record(&mut self, entry: Value) -> Vec<Value> {
        if let (Some(events), Some(event)) = (&self.events, entry["event"].as_str())
            && !events.contains(event)
        {
            return Vec::new();
        }
        let entry = shortened(entry);
        let actions = match entry.get("do") {
            Some(_) => Vec::new(),
            None => self.injections.iter_mut().flat_map(|injection| injection.due(&entry).to_vec()).collect(),
        };
        self.trace.push(entry);
        actions
    }

    /// Records a request and gives its number.
    pub(super) fn request(&mut self, request: Value) -> usize {
        self.requests.push(shortened(request));
        self.requests.len()
    }

    /// Records that a tool's body began and gives the number of its runs.
    pub(super) fn tool_run(&mut self, tool: &str, args: Value) -> u64 {
        let run = self.tool_runs.entry(tool).or_insert_with(|| json!({ "count": 0, "args": [] }));
        let count = run["count"].as_u64().unwrap_or_default() + 1;
        run["count"] = json!(count);
        run["args"].as_array_mut().expect("a list").push(shortened(json!({ "args": args }))["args"].take());
        count
    }

    /// The number of this call of a hook.
    pub(super) fn call(&mut self, hook: &str) -> u64 {
        let calls = self.calls.entry(hook.to_owned()).or_default();
        *calls += 1;
        *calls
    }

    /// The whole recording.
    pub(super) fn document(&self, transcript: Value) -> Value {
        json!({
            "trace": self.trace,
            "requests": self.requests,
            "transcript": shortened(transcript),
            "toolRuns": self.tool_runs,
        })
    }
}
