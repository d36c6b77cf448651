//! The time line: what the script of the page draws it from.

use serde_json::{Value, json};

use crate::export::html::Html;
use crate::export::trail::{Lane, Mark, Trail};
use crate::terminal::style::exact;

/// Writes the section, and its data as JSON: the lanes, the texts, and of each mark a list of numbers.
pub(crate) fn write(html: &mut Html<'_>, trail: &Trail) {
    html.raw(include_str!("timeline.html"));
    html.raw("<script type=\"application/json\" id=\"data\">{\"lanes\":");
    let lane = |lane: &Lane| json!([exact(&lane.name), lane.kind, exact(&lane.note)]);
    html.json(&Value::from_iter(trail.lanes.iter().map(lane)).to_string());
    html.raw(",\"texts\":").json(&Value::from_iter(trail.texts.all().iter().map(|text| exact(text))).to_string());
    html.raw(",\"marks\":[");
    let (mut said, mut gap) = (trail.said.iter().peekable(), "");
    for mark in &trail.marks {
        while let Some(earlier) = said.next_if(|said| said.time <= mark.time) {
            self::mark(html, earlier, gap);
            gap = ",\n";
        }
        self::mark(html, mark, gap);
        gap = ",\n";
    }
    for later in said {
        self::mark(html, later, gap);
        gap = ",\n";
    }
    html.raw("]}</script></section>");
}

/// `[number, time, took, lane, class, place, words, shadow, call, entry]`, where what is not there is -1.
fn mark(html: &mut Html<'_>, mark: &Mark, gap: &'static str) {
    let place = |place: Option<usize>| place.map_or(-1, |place| i64::try_from(place).unwrap_or(i64::MAX));
    let number = |number: Option<u64>| number.map_or(-1, |number| i64::try_from(number).unwrap_or(i64::MAX));
    let numbers = json!([
        number(mark.n),
        mark.time,
        number(mark.took_us),
        mark.lane,
        mark.class as u8,
        mark.place,
        mark.words,
        u8::from(mark.shadow),
        place(mark.call),
        place(mark.entry),
    ]);
    html.raw(gap).json(&numbers.to_string());
}
