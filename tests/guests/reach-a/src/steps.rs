//! What can be done, in words.
//!
//! | step | does |
//! |---|---|
//! | `get KEY`, `keys`, `set KEY TEXT`, `delete KEY` | `state` |
//! | `set-big KEY BYTES` | sets a text of so many bytes |
//! | `count KEY` | adds 1 to the number under a key, and says it |
//! | `id`, `name`, `leaf`, `set-name NAME`, `set-label ENTRY LABEL`, `unlabel ENTRY`, `append KIND DATA` | `session` |
//! | `append-big KIND BYTES`, `append-deep KIND LEVELS` | data of so many bytes, of so many lists in each other |
//! | `next-turn`, `follow-up`, `steer`, `store`, each with `KIND TEXT` | `messages`, hidden from the user |
//! | `send-big BYTES`, `send-picture TYPE`, `send-details TEXT` | stores such a message |
//! | `current`, `level`, `tools`, `select PROVIDER ID`, `select-level LEVEL`, `select-tools NAME...` | `models` |
//! | `times N STEP...` | does a step so often, and says the last answer and how often it was another before |
//! | `busy MILLIONS` | counts so far |
//! | `trap` | panics |
//!
//! `LEAF` as a word of a step stands for the leaf.

use seam::messages::{self, Delivery};
use seam::{Content, Image, Model, NewMessage, ThinkingLevel, models, session, state};

pub type Step = Vec<String>;

/// Does steps that are written as JSON.
pub fn read(text: &str) -> String {
    all(&serde_json::from_str::<Vec<Step>>(text).expect("steps"))
}

/// Does steps, and says what came of each.
pub fn all(steps: &[Step]) -> String {
    let answers: Vec<String> = steps.iter().map(|step| one(&words(step))).collect();
    answers.join(" | ")
}

fn words(step: &Step) -> Vec<String> {
    let leaf = |word: &String| if word == "LEAF" { session::leaf().unwrap_or_default() } else { word.clone() };
    step.iter().map(leaf).collect()
}

fn one(step: &[String]) -> String {
    let words: Vec<&str> = step.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["get", key] => or_none(state::get(key)),
        ["keys"] => state::keys().join(","),
        ["set", key, text] => said(state::set(key, text)),
        ["set-big", key, bytes] => said(state::set(key, &big(bytes))),
        ["delete", key] => said(state::delete(key)),
        ["count", key] => {
            let count = state::read::<u32>(key).unwrap_or(0) + 1;
            state::write(key, &count).map_or_else(|refused| name(&refused), |()| count.to_string())
        }
        ["id"] => session::id(),
        ["name"] => or_none(session::name()),
        ["leaf"] => or_none(session::leaf()),
        ["set-name", text] => said(session::set_name(text)),
        ["set-label", entry, label] => said(session::set_label(entry, Some(label))),
        ["unlabel", entry] => said(session::set_label(entry, None)),
        ["append", kind, data] => gave(seam_append(kind, data)),
        ["append-big", kind, bytes] => gave(seam_append(kind, &format!("{:?}", big(bytes)))),
        ["append-deep", kind, levels] => {
            let levels = number(levels);
            gave(seam_append(kind, &format!("{}{}", "[".repeat(levels), "]".repeat(levels))))
        }
        ["next-turn", kind, text] => said(messages::next_turn(NewMessage::hidden(*kind, *text))),
        ["follow-up", kind, text] => said(messages::follow_up(NewMessage::hidden(*kind, *text))),
        ["steer", kind, text] => said(messages::steer(NewMessage::hidden(*kind, *text))),
        ["store", kind, text] => said(messages::store(NewMessage::hidden(*kind, *text))),
        ["send-big", bytes] => said(messages::store(NewMessage::hidden("big", big(bytes)))),
        ["send-picture", mime_type] => {
            let image = Image { mime_type: (*mime_type).to_owned(), data: vec![1, 2, 3] };
            let content = vec![Content::Image(image)];
            said(messages::store(NewMessage { content, ..NewMessage::hidden("picture", "") }))
        }
        ["send-details", details] => {
            let details = Some((*details).to_owned());
            said(messages::send(NewMessage { details, ..NewMessage::hidden("details", "x") }, Delivery::Stored))
        }
        ["current"] => format!("{}/{}", models::current().provider, models::current().id),
        ["level"] => format!("{:?}", models::level()),
        ["tools"] => {
            let tools = models::all_tools();
            let told = tools.iter().map(|tool| format!("{}{}", tool.name, if tool.active { "" } else { "-" }));
            told.collect::<Vec<_>>().join(",")
        }
        ["select", provider, id] => told(models::select(&Model::new(*provider, *id))),
        ["select-level", "low"] => told(models::select_level(ThinkingLevel::Low)),
        ["select-level", _] => told(models::select_level(ThinkingLevel::High)),
        ["select-tools", names @ ..] => told(models::select_tools(names.iter().copied())),
        ["times", times, ..] => {
            let answers: Vec<String> = (0..number(times)).map(|_| one(&step[2..])).collect();
            let last = answers.last().cloned().unwrap_or_default();
            let others = answers.iter().filter(|answer| **answer != last).count();
            format!("{last} after {others}")
        }
        ["busy", millions] => {
            for count in 0..number(millions) * 1_000_000 {
                std::hint::black_box(count);
            }
            "done".to_owned()
        }
        ["trap"] => panic!("as it was told"),
        other => panic!("no such step: {other:?}"),
    }
}

/// Data that may be no JSON: so not by the function that takes a value.
fn seam_append(kind: &str, data: &str) -> Result<String, session::Refusal> {
    seam::bindings::reach::seam::harness::session::append(kind, data)
}

fn number(text: &str) -> usize {
    text.parse().expect("a number")
}

fn big(bytes: &str) -> String {
    "x".repeat(number(bytes))
}

fn or_none(text: Option<String>) -> String {
    text.unwrap_or_else(|| "none".to_owned())
}

fn said<E: std::fmt::Display>(result: Result<(), E>) -> String {
    result.map_or_else(|refused| name(&refused), |()| "ok".to_owned())
}

fn gave<E: std::fmt::Display>(result: Result<String, E>) -> String {
    result.unwrap_or_else(|refused| name(&refused))
}

fn told(result: Result<(), String>) -> String {
    result.map_or_else(|why| format!("no: {why}"), |()| "ok".to_owned())
}

/// The name of a refusal: it is told as `bad-key (error 1)`.
fn name(refused: &impl std::fmt::Display) -> String {
    let told = refused.to_string();
    told.split(' ').next().unwrap_or_default().to_owned()
}
