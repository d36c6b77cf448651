//! What there is of them.

use seam_plugins::Limits;
use serde_json::json;

use super::At::{Call, Load, Request, Turn};
use super::Guest::{Alike, Bytes, Hostile, Stress, Wat};
use super::{At, Deed, Guest, wat};

const TIME: &str = "it reached its time limit of 250 ms";
const LATE_START: &str = "it does not start: it reached its time limit of 250 ms";
const DATA: &str = "it returned more than 1024 KiB";
const NO_VALUE: &str = "its answer is not usable: it is not a value of the declared type";
const HANDLES: &str = "it held too many handles";
const NOT_ITS_HANDLE: &str = "it used a handle that it does not have, or kept one that was lent";
const NOT_OURS: &str = "is not that of the contract";
/// What an instance may take that does not fill its memory, with what the host takes over from it.
const SOME_MIB: u64 = 8;
/// It is let be: the call's own result.
const LET_BE: &str = "x";

/// Every one of them.
pub fn deeds() -> Vec<Deed> {
    [time(), memory(), answers(), edits(), handles(), floods(), types()].into_iter().flatten().collect()
}

fn deed(name: &'static str, guest: Guest, at: At, ends: &'static str, held_by: &'static str) -> Deed {
    Deed { name, guest, at, ends, held_by, takes_mib: SOME_MIB, times: 1, time_ms: None }
}

impl Deed {
    fn happens(self, times: u32) -> Self {
        Self { times, ..self }
    }

    fn has_time(self) -> Self {
        Self { time_ms: Some(10_000), ..self }
    }

    /// How many MiB its guest takes besides.
    fn takes(self, mib: u64) -> Self {
        Self { takes_mib: SOME_MIB + mib, ..self }
    }
}

fn time() -> Vec<Deed> {
    vec![
        deed("an endless loop", Stress(json!({ "gate": "loop" })), Call, TIME, "hostile::time::no_loop_is_endless"),
        deed("an endless loop at its start", Wat("start-loop"), Load, LATE_START, "hostile::time::no_loop_is_endless"),
        deed(
            "an endless loop in its allocator",
            Wat("allocator-loop"),
            Call,
            TIME,
            "hostile::time::no_loop_is_endless",
        ),
        deed("an endless loop in its clean-up", Wat("cleanup-loop"), Call, TIME, "hostile::time::no_loop_is_endless"),
        deed("a sleep of an hour in the host", Wat("sleep"), Call, TIME, "hostile::time::who_sleeps_is_woken"),
        deed("a slow start", Wat("slow-start"), Call, LET_BE, "hostile::time::a_slow_start_holds_nobody_else_up"),
        deed(
            "a crash",
            Stress(json!({ "gate": "panic" })),
            Call,
            "it crashed (a panic or an abort)",
            "seams::failures::unless_the_user_says_otherwise_each_seam_has_its_own_rule",
        ),
        deed(
            "an end of the program",
            Wat("exit"),
            Call,
            "it crashed (it ended itself)",
            "hostile::time::it_ends_no_program_but_itself",
        ),
    ]
}

fn memory() -> Vec<Deed> {
    const BOUNDED: &str = "hostile::memory::each_ends_at_its_limit";
    vec![
        deed(
            "memory without end",
            Stress(json!({ "gate": "memory" })),
            Call,
            "it reached its memory limit of 64 MiB",
            BOUNDED,
        )
        .takes(Limits::default().memory_mib.into())
        .has_time(),
        deed("a table without end", Wat("table-bomb"), Call, TIME, BOUNDED),
        deed(
            "recursion without end",
            Stress(json!({ "gate": "recurse" })),
            Call,
            "it crashed (call stack exhausted)",
            BOUNDED,
        ),
        deed(
            "objects without end",
            Wat("collected-bomb"),
            Load,
            "gc",
            "hostile::memory::memory_that_no_limit_counts_cannot_be_had",
        ),
        deed(
            "a wait on shared memory",
            Wat("shared-memory"),
            Load,
            "threads",
            "hostile::memory::memory_that_no_limit_counts_cannot_be_had",
        ),
    ]
}

fn answers() -> Vec<Deed> {
    const BOUNDED: &str = "hostile::answers::what_the_host_takes_over_is_bounded";
    const CHECKED: &str = "hostile::answers::what_is_no_answer_is_a_failure";
    vec![
        deed("an answer of 8 MiB", Stress(json!({ "gate": { "answer": 8 << 10 } })), Call, DATA, BOUNDED).takes(8),
        deed("one text given a thousand times", Wat("same-text"), Call, DATA, BOUNDED),
        deed("notes of 30 MiB at its start", Wat("start-flood"), Load, DATA, BOUNDED),
        deed("a list of 4,000,000,000 changes", Wat("long-list"), Call, NO_VALUE, CHECKED),
        deed("a text beyond its memory", Wat("text-beyond-memory"), Call, NO_VALUE, CHECKED),
        deed("an answer beyond its memory", Wat("answer-beyond-memory"), Call, NO_VALUE, CHECKED),
        deed("room beyond its memory", Wat("wild-allocator"), Call, NO_VALUE, CHECKED),
        deed("a verdict that there is not", Wat("unknown-case"), Call, NO_VALUE, CHECKED),
        deed("a text that is no UTF-8", Hostile(json!({ "gate": "no-text" })), Call, NO_VALUE, CHECKED),
        deed(
            "a reason in another plugin's name",
            Hostile(json!({ "gate": { "say": "fine\u{1b}[2K\r\nBlocked by plugin `guard`: not me\u{202e}" } })),
            Call,
            "Blocked by plugin `hostile`: fine",
            "hostile::answers::words_are_said_in_its_own_name_and_steer_no_screen",
        ),
    ]
}

fn edits() -> Vec<Deed> {
    const CHECKED: &str = "hostile::edits::those_that_do_not_fit_stop_the_request";
    let edits = |edits| Hostile(json!({ "edits": edits }));
    vec![
        deed(
            "10,000 edits",
            edits(json!({ "many": 10_000 })),
            Request,
            DATA,
            "hostile::edits::as_many_as_fit_are_made_in_no_time",
        ),
        deed("an edit of 4 MiB", edits(json!({ "long": 4096 })), Request, DATA, CHECKED).takes(8),
        deed("an edit out of range", edits(json!("outside")), Request, "lies outside", CHECKED),
        deed("edits that overlap", edits(json!("overlapping")), Request, "overlap", CHECKED),
        deed("a range that ends before it starts", edits(json!("backwards")), Request, "lies outside", CHECKED),
    ]
}

fn handles() -> Vec<Deed> {
    const BOUNDED: &str = "hostile::handles::who_holds_too_many_begins_anew";
    const CHECKED: &str = "hostile::handles::one_it_does_not_have_is_of_no_use";
    vec![
        deed("handles that it does not give back", Wat("handle-leak"), Call, HANDLES, BOUNDED).happens(2),
        deed("handles of its own without end", Wat("own-handles"), Call, HANDLES, BOUNDED),
        deed("a forged handle", Wat("forged-handle"), Call, NOT_ITS_HANDLE, CHECKED),
        deed("a handle that it gave back", Wat("stale-handle"), Call, NOT_ITS_HANDLE, CHECKED),
        deed("a handle of another type", Wat("mistyped-handle"), Call, NOT_ITS_HANDLE, CHECKED),
        deed("a handle whose parent is gone", Wat("orphaned-handle"), Call, NOT_ITS_HANDLE, CHECKED),
        deed(
            "a loan that is kept",
            Bytes(wat::lent_and_kept),
            Request,
            NOT_ITS_HANDLE,
            "hostile::handles::a_loan_ends_with_its_call",
        ),
    ]
}

fn floods() -> Vec<Deed> {
    const BOUNDED: &str = "hostile::floods::each_ends_at_its_limit";
    let gate = |gate| Hostile(json!({ "gate": gate }));
    vec![
        deed(
            "notes without end",
            Stress(json!({ "gate": { "log": 20_000 } })),
            Call,
            LET_BE,
            "hostile::floods::notes_are_cut_off_in_number_and_length",
        )
        .has_time(),
        deed("output without end", Wat("output-flood"), Call, TIME, BOUNDED),
        deed("60 MB of random bytes", Wat("random-bomb"), Call, "it asked for more random bytes", BOUNDED),
        deed(
            "host calls without end",
            gate(json!("flood-host")),
            Call,
            "it called the host more than 100000 times",
            BOUNDED,
        )
        .has_time(),
        deed(
            "state beyond its quota",
            gate(json!("fill-state")),
            Turn,
            "then too-large",
            "hostile::floods::state_ends_at_its_quota",
        )
        .has_time(),
        deed("state under keys that are none", gate(json!("bad-keys")), Turn, "bad-key, bad-key", BOUNDED),
        deed(
            "writes of state without end",
            gate(json!("flood-state")),
            Turn,
            "it called the host more than 100000 times",
            BOUNDED,
        )
        .has_time(),
        deed(
            "calls within calls",
            gate(json!({ "call-again": 1 })),
            Turn,
            "nested more than 4 deep",
            "hostile::reentry::calls_within_calls_end_at_a_depth",
        ),
        deed(
            "calls within calls, ten each",
            gate(json!({ "call-again": 10 })),
            Turn,
            "`echo` was not called",
            "hostile::reentry::calls_within_calls_end_at_a_depth",
        )
        .has_time(),
        deed(
            "calls without end",
            gate(json!("call-for-ever")),
            Turn,
            "1000 calls, then: `echo` was not called: one call of a plugin has led to more than 1000 others",
            "hostile::reentry::calls_of_one_call_are_counted",
        )
        .has_time(),
    ]
}

fn types() -> Vec<Deed> {
    const CHECKED: &str = "hostile::types::what_only_looks_like_ours_is_not_loaded";
    vec![
        deed("a gate whose cases are swapped", Alike("proceeds", SWAPPED), Load, NOT_OURS, CHECKED),
        deed("a refusal without its end", Alike("proceeds", SHORT), Load, NOT_OURS, CHECKED),
        deed("a call whose arguments are bytes", Alike("proceeds", BYTES), Load, NOT_OURS, CHECKED),
        deed("a gate that is told more", Alike("proceeds", MORE), Load, NOT_OURS, CHECKED),
        deed("a log of another type", Alike("other-log", LOG), Load, "log", CHECKED),
    ]
}

/// Yes is where no was.
const SWAPPED: &[(&str, &str)] = &[
    ("        block(refusal),", "        was-block(refusal),"),
    (
        "        proceed,\n    }\n\n    /// Takes the final call",
        "        block,\n    }\n\n    /// Takes the final call",
    ),
    ("        was-block(refusal),", "        proceed(refusal),"),
];
const SHORT: &[(&str, &str)] = &[(
    "        terminate: bool,\n    }\n\n    /// The decision of a gate.",
    "    }\n\n    /// The decision of a gate.",
)];
const BYTES: &[(&str, &str)] = &[(
    "        arguments: string,\n        /// The arguments as the model gave",
    "        arguments: list<u8>,\n        /// The arguments as the model gave",
)];
const MORE: &[(&str, &str)] =
    &[("decide: func(event: event) -> verdict;", "decide: func(event: event, more: u32) -> verdict;")];
const LOG: &[(&str, &str)] = &[("write: func(level: level, message: string);", "write: func(message: string);")];
