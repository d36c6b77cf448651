//! A plugin of each other kind of seam, in one: it decides, edits the context, observes, and offers tools and commands.

use seam::commands::{self, Command, Commands};
use seam::convert_to_llm::{Conversion, ConvertToLlm};
use seam::input::{self, Input, Said, Source};
use seam::observe::{TurnEnd, TurnEndObserver, TurnStart, TurnStartObserver};
use seam::session_before_fork::{self, Fork, Position, SessionBeforeFork};
use seam::testing::{Update, answer, assistant, cancel, json, notes, set_conversation, updates};
use seam::tools::{self, Call, Failure, Output, Tools};
use seam::transform_context::{Context, TransformContext};
use seam::{Content, CustomMessage, Edit, Message, conversation, tool_updates};
use serde::Deserialize;

#[derive(Default)]
struct Kinds {
    turns: u32,
}

impl Input for Kinds {
    fn receive(&mut self, said: &Said) -> input::Outcome {
        match said.text.as_str() {
            "ping" => input::Outcome::handled("pong"),
            text => said.replaced(format!("{text}!")),
        }
    }
}

impl TransformContext for Kinds {
    fn transform(&mut self, context: &Context) -> Vec<Edit> {
        let last_said = conversation::messages().filter(|message| matches!(message, Message::User(_))).last();
        let text = last_said.as_ref().map(Message::text).unwrap_or_default();
        vec![Edit::drop(0..context.length), Edit::insert(context.length, Message::user(text))]
    }
}

impl ConvertToLlm for Kinds {
    fn convert(&mut self, message: &CustomMessage) -> Conversion {
        if message.display { Conversion::text("seen") } else { Conversion::Omit }
    }
}

impl SessionBeforeFork for Kinds {
    fn decide(&mut self, fork: &Fork) -> session_before_fork::Outcome {
        session_before_fork::Outcome::cancel(format!("not at {}", fork.entry))
    }
}

impl TurnStartObserver for Kinds {
    fn observe_turn_start(&mut self, event: &TurnStart) {
        self.turns = event.turn;
    }
}

impl TurnEndObserver for Kinds {
    fn observe_turn_end(&mut self, event: &TurnEnd) {
        let results: Vec<_> = conversation::slice(event.results).map(|result| result.text().into_owned()).collect();
        seam::log::info(&format!("turn {}: {}", self.turns, results.join(", ")));
    }
}

#[derive(Deserialize)]
struct Countdown {
    from: u32,
}

impl Tools for Kinds {
    fn list_tools(&mut self) -> Vec<tools::Definition> {
        vec![tools::Definition::new("countdown", "Counts down.", r#"{"type":"object"}"#)]
    }

    fn execute(&mut self, call: &Call) -> Result<Output, Failure> {
        for left in (1..=call.args::<Countdown>().from).rev() {
            if !tool_updates::send_text(&left.to_string()) {
                return Err(Failure::Cancelled);
            }
        }
        Ok(Output::text("0").with_details(&json!({ "turns": self.turns })))
    }
}

impl Commands for Kinds {
    fn list_commands(&mut self) -> Vec<commands::Definition> {
        vec![commands::Definition::new("greet", "Greets.")]
    }

    fn run(&mut self, command: &Command) -> commands::Outcome {
        commands::Outcome::reply(format!("hello {}", command.arguments))
    }
}

seam::plugin!(
    Kinds: commands, convert_to_llm, input, session_before_fork, tools, transform_context, turn_end, turn_start,
);

fn countdown(from: u32) -> Call {
    let arguments = json!({ "from": from }).to_string();
    Call { call_id: "call-1".to_owned(), tool: "countdown".to_owned(), arguments }
}

#[test]
fn an_input_keeps_its_pictures() {
    let picture = seam::Image { mime_type: "image/png".to_owned(), data: vec![1] };
    let said = |text: &str| Said { text: text.to_owned(), images: vec![picture.clone()], source: Source::User };
    let replacement = input::Replacement { text: "go!".to_owned(), images: vec![picture.clone()] };
    assert_eq!(Kinds::default().receive(&said("go")), input::Outcome::Replace(replacement));
    assert_eq!(Kinds::default().receive(&said("ping")), input::Outcome::handled("pong"));
}

#[test]
fn an_editor_reads_the_conversation_and_edits_by_place() {
    set_conversation([Message::user("first"), assistant("yes"), Message::user("second"), assistant("no")]);
    let edits = Kinds::default().transform(&Context { session: "s".to_owned(), length: 4 });
    assert_eq!(edits, [Edit::drop(0..4), Edit::insert(4, Message::user("second"))]);
}

#[test]
fn what_the_model_sees_is_said_message_by_message() {
    let message = |display| CustomMessage {
        kind: "kinds/note".to_owned(),
        content: vec![Content::Text("note".to_owned())],
        display,
        details: None,
        timestamp: 0.0,
    };
    let mut kinds = Kinds::default();
    assert_eq!([true, false].map(|shown| kinds.convert(&message(shown))), [Conversion::text("seen"), Conversion::Omit]);
}

#[test]
fn a_fork_can_be_cancelled() {
    let fork = Fork { session: "s".to_owned(), entry: "e".to_owned(), position: Position::At };
    assert_eq!(Kinds::default().decide(&fork), session_before_fork::Outcome::cancel("not at e"));
}

#[test]
fn an_observer_reads_the_results_of_a_turn() {
    set_conversation([Message::user("go"), assistant("calls"), answer("1", "read", "one"), answer("2", "read", "two")]);
    let mut kinds = Kinds::default();
    kinds.observe_turn_start(&TurnStart { session: "s".to_owned(), turn: 7 });
    kinds.observe_turn_end(&TurnEnd { session: "s".to_owned(), turn: 7, message: 1, results: (2..4).into() });
    assert_eq!(notes(), ["info: turn 7: one, two"]);
}

#[test]
fn a_tool_sends_what_it_has_and_stops_when_cancelled() {
    let update = |text: &str| Update { content: vec![Content::Text(text.to_owned())], details: None };
    let mut kinds = Kinds { turns: 1 };
    assert_eq!(kinds.execute(&countdown(2)), Ok(Output::text("0").with_details(&json!({ "turns": 1 }))));
    assert_eq!(updates(), [update("2"), update("1")]);
    cancel();
    assert_eq!(kinds.execute(&countdown(2)), Err(Failure::Cancelled));
    assert_eq!(updates(), [update("2")]);
}

#[test]
#[should_panic(expected = "the arguments: missing field `from`")]
fn arguments_a_tool_cannot_read_are_no_output() {
    let _never = Kinds::default().execute(&Call { arguments: "{}".to_owned(), ..countdown(1) });
}

#[test]
fn a_command_replies() {
    let command = Command { session: "s".to_owned(), name: "greet".to_owned(), arguments: "you".to_owned() };
    assert_eq!(Kinds::default().run(&command), commands::Outcome::reply("hello you"));
}

#[test]
fn a_long_conversation_is_read_to_its_end() {
    let message = |index: u32| Message::user(index.to_string());
    set_conversation((0..5000).map(message));
    assert!(conversation::messages().eq((0..5000).map(message)));
    assert!(conversation::slice(4990..9999).eq((4990..5000).map(message)));
    assert_eq!(conversation::outline().iter().map(|entry| entry.bytes).sum::<u32>(), 10 + 180 + 2700 + 16_000);
    assert_eq!((conversation::get(4999), conversation::get(5000)), (Some(message(4999)), None));
}
