//! The contract as Rust types, generated from `wit/`.

#![allow(missing_docs, unreachable_pub, reason = "generated")]
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "generated")]

wasmtime::component::bindgen!({
    path: "../../wit",
    world: "host",
    imports: {
        "seam:harness/log": trappable,
        "seam:harness/config": trappable,
        "seam:harness/full-result": trappable,
        "seam:harness/conversation": trappable,
        "seam:harness/tool-updates.send": async | trappable,
        "seam:harness/state": trappable,
        "seam:harness/messages": trappable,
        "seam:harness/session": trappable,
        "seam:harness/models": trappable,
        "seam:harness/call-tool.call": async | trappable,
        "seam:harness/ui.notify": trappable,
        "seam:harness/ui.status": trappable,
        "seam:harness/ui.confirm": async | trappable,
        "seam:harness/ui.select": async | trappable,
        "seam:harness/ui.input": async | trappable,
        "seam:harness/complete.left": trappable,
        "seam:harness/complete.ask": async | trappable,
        "seam:harness/exec.run": async | trappable,
    },
    exports: { default: async },
    ownership: Borrowing { duplicate_if_necessary: true },
    additional_derives: [serde::Serialize],
});
