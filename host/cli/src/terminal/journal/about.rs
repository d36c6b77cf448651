//! What a line of a journal is about, in a few words.

use seam_session::journal::{Crossing, Json, Mended};
use serde_json::Value;

use crate::terminal::events::words::short_arguments;
use crate::terminal::journal::{Said, TEXT, Tone};
use crate::terminal::style::one_line;

/// As what a request of a plugin stands in a journal.
const REQUEST: &str = "wasi:http/outgoing-handler.handle";

/// A tool with its arguments, which are a JSON text.
pub(super) fn tool(name: &str, arguments: &str) -> String {
    let arguments = serde_json::from_str(arguments).map(|value: Value| short_arguments(&value, TEXT));
    format!("{}  {}", one_line(name, TEXT), arguments.unwrap_or_default())
}

/// The tool and the arguments of the call that a plugin was asked about.
pub(super) fn call(input: &Json<'_>) -> Option<(String, String)> {
    let input = input.value().ok()?;
    let event = input.get(0)?;
    let call = event.get("call").unwrap_or(event);
    let text = |name: &str| call.get(name).and_then(Value::as_str).map(str::to_owned);
    Some((text("tool")?, text("arguments").unwrap_or_default()))
}

/// Anything else that a plugin was told, but for the session that is in every event.
pub(super) fn event(input: &Json<'_>) -> String {
    if input.is_left_out() {
        return "(left out: the plugin had filled its share of the journal)".to_owned();
    }
    let Ok(Value::Array(parameters)) = input.value() else { return String::new() };
    let mut texts = Vec::new();
    for mut parameter in parameters {
        if let Value::Object(fields) = &mut parameter {
            fields.shift_remove("session");
        }
        texts.push(short_arguments(&parameter, TEXT));
    }
    texts.join("  ")
}

/// The requests that a plugin sent: which, and how each ended.
pub(super) fn sent(crossing: &Crossing<'_>) -> Vec<String> {
    let requests = crossing.host.iter().filter(|call| call.import == REQUEST);
    requests
        .filter_map(|call| {
            let Ok(Value::Array(request)) = call.arguments.value() else { return None };
            let [method, scheme, authority, path] = request.as_slice() else { return None };
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let ended = match call.answer.value().ok()? {
                Value::Object(answer) if answer.contains_key("ok") => answer.get("ok").map(Value::to_string),
                Value::Object(answer) => answer.get("err").map(text),
                _ => Some("given up".to_owned()),
            };
            let (method, site) = (text(method), format!("{}://{}{}", text(scheme), text(authority), text(path)));
            Some(format!("sent {method} {site}: {}", ended.unwrap_or_default()))
        })
        .collect()
}

/// Who asked for a call.
pub(super) fn origin(origin: &Json<'_>) -> String {
    match origin.value() {
        Ok(Value::String(who)) if who == "user" => "you".to_owned(),
        Ok(Value::String(who)) => who,
        Ok(Value::Object(who)) => match (who.get("plugin"), who.get("nested")) {
            (Some(Value::String(plugin)), _) => plugin.clone(),
            (_, Some(outer)) => outer.get("tool").and_then(Value::as_str).unwrap_or_default().to_owned(),
            _ => String::new(),
        },
        _ => String::new(),
    }
}

/// What a plugin said: the case of its answer, and what is in it. Of a list: the cases in it.
pub(super) fn answered(answer: &Json<'_>) -> Said {
    let Ok(answer) = answer.value() else { return Said::new("?", Tone::Plain, answer.text()) };
    if let Some((case, held)) = case(&answer) {
        let more = held.map(words).unwrap_or_default();
        return Said::new(case, tone(case), more);
    }
    match &answer {
        Value::Null => Said::new("-", Tone::Quiet, ""),
        Value::Array(list) if list.is_empty() => Said::new("-", Tone::Quiet, ""),
        Value::Array(list) => {
            let mut cases: Vec<&str> = list.iter().filter_map(|element| Some(case(element)?.0)).collect();
            cases.dedup();
            let word = if cases.is_empty() { "a list".to_owned() } else { cases.join(", ") };
            Said::new(word, Tone::Change, short_arguments(&answer, TEXT))
        }
        other => Said::new("an answer", Tone::Change, short_arguments(other, TEXT)),
    }
}

/// The case of a variant, with what it holds.
fn case(value: &Value) -> Option<(&str, Option<&Value>)> {
    match value {
        Value::String(case) => Some((case, None)),
        Value::Object(fields) if fields.len() == 1 => fields.iter().next().map(|(case, held)| (&**case, Some(held))),
        _ => None,
    }
}

/// What a case holds: a reason alone, anything else in short.
fn words(held: &Value) -> String {
    match held.get("reason").unwrap_or(held) {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => short_arguments(other, TEXT),
    }
}

fn tone(case: &str) -> Tone {
    match case {
        "block" | "withhold" | "cancel" | "err" => Tone::Refusal,
        "proceed" | "keep" | "pass" | "none" => Tone::Quiet,
        _ => Tone::Change,
    }
}

/// What was amiss.
pub(super) fn mended(mended: Mended) -> String {
    let Mended { bytes, lost } = mended;
    let cut = (bytes > 0).then(|| format!("half a line of {bytes} bytes was cut off"));
    let lost = match lost {
        Some(0) => None,
        Some(lost) => Some(format!("{lost} lines were missing")),
        None => Some("lines may be missing".to_owned()),
    };
    cut.into_iter().chain(lost).collect::<Vec<_>>().join(", ")
}

/// The date and the time of milliseconds since 1970, in UTC.
pub(super) fn when(millis: i64) -> (String, String) {
    let iso = seam_session::time::iso(millis);
    let (date, time) = iso.split_once('T').unwrap_or_default();
    (date.to_owned(), time.chars().take(8).collect())
}
