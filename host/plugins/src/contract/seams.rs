//! The table of seams: one row each. Loader, audit and the reference in `wit/README.md` read it.

use seam_harness::OnFailure::{Refuse, Skip};

use super::facts::Can::{Change, Offer};
use super::facts::Timing::{AfterEffect, BeforeEffect, BeforeRequest, Provide, Session};
use super::facts::{Can, Out, SeamFacts, Sight};

/// Every seam, in the order of a run.
pub const SEAMS: &[SeamFacts] = &[
    // Before the request.
    SeamFacts {
        name: "input",
        timing: BeforeRequest,
        can: Change,
        sees: "what you say",
        sight: Sight::Some,
        power: "change what you say, or answer it",
        out: Out::Model,
        combining: "chain; `handled` stops",
        on_failure: Skip,
        refusal: Some("nothing is sent"),
        skipped: "it goes on without it",
    },
    SeamFacts {
        name: "before-agent-start",
        timing: BeforeRequest,
        can: Change,
        sees: "prompts and the system prompt",
        sight: Sight::Some,
        power: "add messages, change the system prompt",
        out: Out::Model,
        combining: "chain; messages add up",
        on_failure: Skip,
        refusal: Some("nothing is sent"),
        skipped: "it goes on without it",
    },
    SeamFacts {
        name: "prepare-request",
        timing: BeforeRequest,
        can: Change,
        sees: "the model and how many messages",
        sight: Sight::Signs,
        power: "choose model, level and messages shown",
        out: Out::Model,
        combining: "chain, field by field",
        on_failure: Refuse,
        refusal: Some("no request is sent; the run ends"),
        skipped: "it goes on without it",
    },
    SeamFacts {
        name: "transform-context",
        timing: BeforeRequest,
        can: Change,
        sees: "how many messages",
        sight: Sight::Signs,
        power: "change what the model is shown",
        out: Out::Model,
        combining: "chain; each sees the edited list",
        on_failure: Refuse,
        refusal: Some("no request is sent; the run ends"),
        skipped: "it goes on without it",
    },
    SeamFacts {
        name: "convert-to-llm",
        timing: BeforeRequest,
        can: Change,
        sees: "its own messages",
        sight: Sight::Signs,
        power: "choose what the model sees of them",
        out: Out::Model,
        combining: "the owner decides",
        on_failure: Refuse,
        refusal: Some("no request is sent; the run ends"),
        skipped: "it goes on without it",
    },
    SeamFacts {
        name: "get-api-key",
        timing: BeforeRequest,
        can: Offer,
        sees: "which provider is asked",
        sight: Sight::Signs,
        power: "supply the provider's key",
        out: Out::Key,
        combining: "the first answer counts",
        on_failure: Skip,
        refusal: Some("no request is sent; the run ends"),
        skipped: "the next is asked",
    },
    SeamFacts {
        name: "before-provider-request",
        timing: BeforeRequest,
        can: Change,
        sees: "headers and options of requests",
        sight: Sight::Some,
        power: "change headers and options",
        out: Out::Requests,
        combining: "chain",
        on_failure: Refuse,
        refusal: Some("no request is sent; the run ends"),
        skipped: "it goes on without it",
    },
    SeamFacts {
        name: "before-provider-payload",
        timing: BeforeRequest,
        can: Change,
        sees: "whole requests",
        sight: Sight::All,
        power: "change the whole request",
        out: Out::Requests,
        combining: "chain",
        on_failure: Refuse,
        refusal: Some("no request is sent; the run ends"),
        skipped: "it goes on without it",
    },
    // Before the effect.
    SeamFacts {
        name: "rewrite-tool-call",
        timing: BeforeEffect,
        can: Change,
        sees: "tool calls",
        sight: Sight::Some,
        power: "change the arguments; gates see it",
        out: Out::Arguments,
        combining: "chain; validated again after each",
        on_failure: Refuse,
        refusal: Some("the call is refused"),
        skipped: "it goes on without it",
    },
    SeamFacts {
        name: "tool-call",
        timing: BeforeEffect,
        can: Can::Refuse,
        sees: "tool calls",
        sight: Sight::Some,
        power: "refuse the call, or ask you",
        out: Out::Model,
        combining: "the first block stops; questions go to you at once",
        on_failure: Refuse,
        refusal: Some("the call is refused"),
        skipped: "it goes on without it",
    },
    // After the effect.
    SeamFacts {
        name: "tool-result",
        timing: AfterEffect,
        can: Change,
        sees: "tool calls and their results",
        sight: Sight::All,
        power: "change or withhold what is told of it",
        out: Out::Model,
        combining: "chain, field by field; `withhold` stops",
        on_failure: Refuse,
        refusal: Some("the result is withheld"),
        skipped: "it goes on without it",
    },
    SeamFacts {
        name: "finish-turn",
        timing: AfterEffect,
        can: Change,
        sees: "that a turn ended",
        sight: Sight::Signs,
        power: "end the run or keep it going",
        out: Out::Nowhere,
        combining: "`end` beats `continue`",
        on_failure: Skip,
        refusal: Some("the run ends"),
        skipped: "it goes on without it",
    },
    SeamFacts {
        name: "prepare-next-turn",
        timing: AfterEffect,
        can: Change,
        sees: "that a turn ended and the model",
        sight: Sight::Signs,
        power: "choose model and level, add messages",
        out: Out::Model,
        combining: "chain, field by field; messages add up",
        on_failure: Skip,
        refusal: Some("the run ends"),
        skipped: "it goes on without it",
    },
    // Around the session.
    SeamFacts {
        name: "session-before-switch",
        timing: Session,
        can: Can::Refuse,
        sees: "which session you go to",
        sight: Sight::Signs,
        power: "cancel it",
        out: Out::User,
        combining: "the first cancel stops",
        on_failure: Refuse,
        refusal: Some("it is cancelled"),
        skipped: "it goes on without it",
    },
    SeamFacts {
        name: "session-before-fork",
        timing: Session,
        can: Can::Refuse,
        sees: "where you fork",
        sight: Sight::Signs,
        power: "cancel it",
        out: Out::User,
        combining: "the first cancel stops",
        on_failure: Refuse,
        refusal: Some("it is cancelled"),
        skipped: "it goes on without it",
    },
    SeamFacts {
        name: "session-before-compact",
        timing: Session,
        can: Can::Refuse,
        sees: "an earlier summary and instructions",
        sight: Sight::Some,
        power: "cancel it, or supply the summary",
        out: Out::Model,
        combining: "the first cancel stops; the last summary stands",
        on_failure: Refuse,
        refusal: Some("it is cancelled"),
        skipped: "it goes on without it",
    },
    SeamFacts {
        name: "session-before-tree",
        timing: Session,
        can: Can::Refuse,
        sees: "where you go and instructions",
        sight: Sight::Some,
        power: "cancel it, or change summary and label",
        out: Out::Model,
        combining: "the first cancel stops; then field by field",
        on_failure: Refuse,
        refusal: Some("it is cancelled"),
        skipped: "it goes on without it",
    },
    SeamFacts {
        name: "resources-discover",
        timing: Session,
        can: Offer,
        sees: "that a session starts",
        sight: Sight::Signs,
        power: "offer skills and prompt templates",
        out: Out::Model,
        combining: "all add up; the first of a name counts",
        on_failure: Skip,
        refusal: Some("the session does not start"),
        skipped: "its resources are missing",
    },
    // What happened.
    SeamFacts::observer("after-provider-response", "status and headers of responses", Sight::Signs),
    SeamFacts::observer("agent-start", "that a run begins", Sight::Signs),
    SeamFacts::observer("agent-end", "that a run is over and its error", Sight::Signs),
    SeamFacts::observer("turn-start", "that a turn begins", Sight::Signs),
    SeamFacts::observer("turn-end", "that a turn is over", Sight::Signs),
    SeamFacts::observer("message-start", "that a message begins", Sight::Signs),
    SeamFacts::observer("message-update", "what the model writes", Sight::Some),
    SeamFacts::observer("message-end", "that a message is complete", Sight::Signs),
    SeamFacts::observer("tool-execution-start", "tool calls as the model made them", Sight::Some),
    SeamFacts::observer("tool-execution-update", "live output as told", Sight::Some),
    SeamFacts::observer("tool-execution-end", "results as told and who decided", Sight::Some),
    SeamFacts::observer("session-start", "that a session begins", Sight::Signs),
    SeamFacts::observer("session-shutdown", "that a session is left", Sight::Signs),
    SeamFacts::observer("session-compact", "summaries of compactions", Sight::Some),
    SeamFacts::observer("session-tree", "moves in the session's tree", Sight::Signs),
    SeamFacts::observer("model-select", "which model is chosen", Sight::Signs),
    SeamFacts::observer("thinking-level-select", "which thinking level is chosen", Sight::Signs),
    SeamFacts::observer("tools-update", "the names of tools", Sight::Signs),
    SeamFacts::observer("resources-update", "the names of skills and templates", Sight::Signs),
    SeamFacts::observer("queue-update", "how full the queues are", Sight::Signs),
    SeamFacts::observer("save-point", "that everything is stored", Sight::Signs),
    SeamFacts::observer("abort", "that you abort", Sight::Signs),
    SeamFacts::observer("settled", "that the agent is idle", Sight::Signs),
    // What it offers.
    SeamFacts {
        name: "tools",
        timing: Provide,
        can: Offer,
        sees: "calls of its own tools",
        sight: Sight::Some,
        power: "offer tools to the model",
        out: Out::Model,
        combining: "two of one name are an error",
        on_failure: Skip,
        refusal: None,
        skipped: "the call fails",
    },
    SeamFacts {
        name: "commands",
        timing: Provide,
        can: Offer,
        sees: "calls of its own commands",
        sight: Sight::Some,
        power: "offer commands to you, prompt for you",
        out: Out::Model,
        combining: "two of one name are an error",
        on_failure: Skip,
        refusal: None,
        skipped: "the command fails",
    },
];

/// The row of a seam.
pub fn seam(name: &str) -> Option<&'static SeamFacts> {
    SEAMS.iter().find(|seam| seam.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_a_run() {
        assert!(SEAMS.is_sorted_by_key(|seam| seam.timing));
    }

    #[test]
    fn who_watches_has_no_say_and_who_has_a_say_does_not_watch() {
        for seam in SEAMS {
            let watches = seam.can == Can::Watch;
            assert_eq!(watches, seam.power == "nothing: it watches", "{}", seam.name);
            assert_eq!(watches, seam.timing == super::super::Timing::Observe, "{}", seam.name);
            assert!(!watches || seam.refusal.is_none() && seam.out == Out::Nowhere, "{}", seam.name);
        }
    }

    #[test]
    fn a_failure_that_refuses_says_what_that_means() {
        assert!(SEAMS.iter().all(|seam| seam.on_failure == Skip || seam.refusal.is_some()));
    }
}
