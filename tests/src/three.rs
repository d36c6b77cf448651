//! Three plugins in every order: what holds for the answers of several.

use serde_json::{Value, json};

use crate::bed::Bed;
use crate::notes;

const ORDERS: [&str; 6] = ["abc", "acb", "bac", "bca", "cab", "cba"];

/// A bed for each order of three plugins `a`, `b` and `c` that do what these settings say, with the order. Their files
/// are named so that they are asked in it: `1b`, `2c`, `3a`.
pub fn in_every_order(settings: [Value; 3]) -> impl Iterator<Item = (&'static str, Bed)> {
    ORDERS.into_iter().map(move |order| {
        let plugins = order.char_indices().map(|(place, letter)| {
            let mut settings = settings["abc".find(letter).expect("one of three")].clone();
            settings["observe"] = json!("quiet");
            (named(place, letter), settings)
        });
        (order, plugins.fold(Bed::new(), |bed, (name, settings)| bed.everything(&name, settings)))
    })
}

/// The name of the plugin `letter` in an order.
pub fn name(order: &str, letter: char) -> String {
    named(order.find(letter).expect("one of three"), letter)
}

fn named(place: usize, letter: char) -> String {
    format!("{}{letter}", place + 1)
}

/// What a plugin noted, with `_` for the session's id.
pub fn told(plugin: &str) -> Vec<String> {
    notes::take(plugin).into_iter().map(without_session).collect()
}

fn without_session(note: String) -> String {
    let Some((before, rest)) = note.split_once("session: \"") else { return note };
    let Some((_, after)) = rest.split_once('"') else { return note };
    format!("{before}session: _{after}")
}
