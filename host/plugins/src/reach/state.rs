//! `state`: what the plugin remembers in the session. A call works on a draft of it, which is kept when the call ends.
//!
//! What counts is that the call itself ended well. When its answer turns out to be unusable afterwards, the instance goes
//! on with what it has done, and so does what it remembers.

use seam_harness::Failure;
use seam_harness::reach::state::{Draft, Writer};
use serde::Serialize;

use crate::bindings::seam::harness::state::{Host, Refusal};
use crate::journal::Crossing;
use crate::reach::NONE;
use crate::state::{Misuse, Shared, State, View};

/// The longest key, in bytes.
const KEY: usize = 256;

const OUTSIDE: Misuse = Misuse("it used `state` outside a call");
const TOO_MUCH: Failure =
    Failure::Misuse("with what another call of it wrote at the same time, its state is too large");

impl Host for State {
    fn get(&mut self, key: String) -> wasmtime::Result<Option<String>> {
        self.answered_again("state.get", &[&key], |state| Ok(draft(state)?.get(&key).map(str::to_owned)))
    }

    fn keys(&mut self) -> wasmtime::Result<Vec<String>> {
        self.answered_again("state.keys", &NONE, |state| Ok(draft(state)?.keys()))
    }

    fn set(&mut self, key: String, text: String) -> wasmtime::Result<Result<(), Refusal>> {
        self.answered_again("state.set", &[&key, &text], |state| write(state, &key, Some(&text)))
    }

    fn delete(&mut self, key: String) -> wasmtime::Result<Result<(), Refusal>> {
        self.answered_again("state.delete", &[&key], |state| write(state, &key, None))
    }
}

/// Writes to the draft, within all bounds. Without a text, the key is forgotten.
fn write(state: &mut State, key: &str, text: Option<&str>) -> wasmtime::Result<Result<(), Refusal>> {
    let Shared { name, limits, .. } = &*state.shared;
    let quota = limits.state();
    let (Some(draft), Some(at)) = (state.view.state.as_deref_mut(), &state.view.moment) else {
        return Err(OUTSIDE.into());
    };
    if key.is_empty() || key.len() > KEY {
        return Ok(Err(Refusal::BadKey));
    }
    if text.is_some_and(|text| !draft.has_room(key, text, quota)) {
        return Ok(Err(Refusal::TooLarge));
    }
    let bytes = key.len() + text.map_or(0, str::len);
    if !at.may_write_state(name, bytes) {
        return Ok(Err(Refusal::TooOften));
    }
    match text {
        Some(text) => draft.set(key, text),
        None => draft.delete(key),
    }
    Ok(Ok(()))
}

fn draft(state: &State) -> wasmtime::Result<&Draft> {
    state.view.state.as_deref().ok_or_else(|| OUTSIDE.into())
}

impl Shared {
    /// The plugin, as it writes to its state.
    pub(crate) fn writer(&self) -> Writer<'_> {
        Writer { plugin: &self.name, shadow: self.shadow }
    }
}

/// Records what came of a call, and keeps what it has written to its state. Neither counts without the other.
pub(crate) fn end<R: Serialize>(shared: &Shared, view: View, result: Result<R, Failure>) -> Result<R, Failure> {
    let View { moment, state, crossing, .. } = view;
    let written = state.filter(|draft| result.is_ok() && !draft.is_unchanged());
    let Some((draft, at)) = written.zip(moment) else { return recorded(crossing, result) };
    let (keeping, by) = (at.keeping(), shared.writer());
    if !keeping.fits(by, &draft, shared.limits.state()) {
        return recorded(crossing, Err(TOO_MUCH));
    }
    let answer = recorded(crossing, result)?;
    if keeping.keep(by, &draft) { Ok(answer) } else { Err(Failure::NotRecorded) }
}

/// What came of a call, once it is recorded.
fn recorded<R: Serialize>(crossing: Option<Box<Crossing>>, result: Result<R, Failure>) -> Result<R, Failure> {
    crossing.map_or(Ok(()), |crossing| crossing.end(&result))?;
    result
}
