use serde_json::{Value, json as expected};

use super::*;
use crate::bindings::exports::seam::harness::{tool_call, tools};
use crate::bindings::seam::harness::types as wit;

fn written(value: impl Serialize) -> Value {
    serde_json::from_str(&json(&value).unwrap()).unwrap()
}

#[test]
fn records_cases_options_and_lists_have_the_names_of_the_contract() {
    let call = wit::Invocation {
        id: "c\"1",
        tool: "read",
        arguments: "{}",
        model_arguments: None,
        origin: wit::Origin::Nested(wit::ParentCall { id: "c0", tool: "batch" }),
        targets: &[wit::Target::Path(wit::PathTarget {
            given: "f",
            resolution: wit::Resolution::Unresolved("gone"),
            access: wit::Access::Write,
        })],
        turn: 1,
        batch: wit::BatchPosition { index: 0, size: 1 },
    };
    assert_eq!(
        written([tool_call::Event { call }]),
        expected!([{ "call": {
            "id": "c\"1", "tool": "read", "arguments": "{}", "model-arguments": null,
            "origin": { "nested": { "id": "c0", "tool": "batch" } },
            "targets": [{ "path": { "given": "f", "resolution": { "unresolved": "gone" }, "access": "write" } }],
            "turn": 1, "batch": { "index": 0, "size": 1 }
        } }])
    );
    assert_eq!(
        written(wit::Edit::DropRange(wit::Range { start: 1, end: 2 })),
        expected!({ "drop-range": { "start": 1, "end": 2 } })
    );
    assert_eq!(written(tool_call::Verdict::Proceed), expected!("proceed"));
    assert_eq!(written(wit::StopReason::ToolUse), expected!("tool-use"));
}

#[test]
fn results_and_what_says_nothing() {
    let answer: [Result<u32, tools::Failure>; 2] = [Ok(1), Err(tools::Failure::Cancelled)];
    assert_eq!(written(answer), expected!([{ "ok": 1 }, { "err": "cancelled" }]));
    assert_eq!((json(&()).unwrap(), json(&[(); 0]).unwrap()), ("null".to_owned(), "[]".to_owned()));
}

#[test]
fn bytes_are_base64_also_when_there_are_none() {
    let image = |data: &'static [u8]| wit::ContentParam::Image(wit::ImageParam { mime_type: "image/png", data });
    let two: &[wit::ContentParam<'_>] = &[image(&[]), image(&[0, 255, 16])];
    assert_eq!(
        written(two),
        expected!([
            { "image": { "mime-type": "image/png", "data": "" } }, { "image": { "mime-type": "image/png", "data": "AP8Q" } }
        ])
    );
    let owned = wit::ImageResult { mime_type: String::new(), data: Vec::new() };
    assert_eq!(written(owned)["data"], "");
    let none: &[wit::ContentParam<'_>] = &[];
    assert_eq!(json(none).unwrap(), "[]");
}

#[test]
fn numbers_are_exact() {
    let usage = wit::Usage { input: u32::MAX, output: 0, cache_read: 0, cache_write: 0, cost: 0.1 + 0.2 };
    assert_eq!(
        json(&usage).unwrap(),
        r#"{"input":4294967295,"output":0,"cache-read":0,"cache-write":0,"cost":0.30000000000000004}"#
    );
    assert_eq!(json(&[f64::NAN, f64::INFINITY, -0.0, 1.7645e12]).unwrap(), r#"["NaN","inf",-0.0,1764500000000.0]"#);
}

#[test]
fn what_the_contract_does_not_have_is_not_written() {
    assert!(json(&1_u64).is_err() && json(&7_u8).is_err() && json(&std::collections::HashMap::from([(1, 2)])).is_err());
}
