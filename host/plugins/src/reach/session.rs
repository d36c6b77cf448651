//! `session`: entries, labels and the name of the session. For a plugin in the shadow the session is not kept.

use std::sync::Arc;

use seam_harness::Reach;
use seam_harness::reach::session::NotWritten;
use wasmtime::Result;

use crate::bindings::seam::harness::session::{Host, Refusal};
use crate::convert::{is_name, json};
use crate::reach::NONE;
use crate::state::{Misuse, NotStored, State};
use crate::texts::clean;

/// The longest data of an entry, in bytes.
const DATA: usize = 64 << 10;
/// The longest name and the longest label, in bytes.
const NAME: usize = 256;

const OUTSIDE: Misuse = Misuse("it used `session` outside a call");

impl Host for State {
    fn id(&mut self) -> Result<String> {
        self.answered("session.id", &NONE, |state| {
            let moment = state.view.moment.as_ref().ok_or(OUTSIDE)?;
            Ok(moment.session().to_owned())
        })
    }

    fn name(&mut self) -> Result<Option<String>> {
        self.answered_again("session.name", &NONE, |state| Ok(kept_in(state)?.and_then(|reach| reach.session_name())))
    }

    fn leaf(&mut self) -> Result<Option<String>> {
        self.answered_again("session.leaf", &NONE, |state| Ok(kept_in(state)?.and_then(|reach| reach.leaf())))
    }

    fn set_name(&mut self, name: String) -> Result<Result<(), Refusal>> {
        self.answered_again("session.set-name", &[&name], |state| {
            if name.len() > NAME {
                return Ok(Err(Refusal::TooLarge));
            }
            written(state, |reach, plugin| reach.name_session(plugin, &clean(&name, NAME)))
        })
    }

    fn set_label(&mut self, entry: String, label: Option<String>) -> Result<Result<(), Refusal>> {
        self.answered_again("session.set-label", &(&entry, &label), |state| {
            if label.as_ref().is_some_and(|label| label.len() > NAME) {
                return Ok(Err(Refusal::TooLarge));
            }
            let label = label.as_ref().map(|label| clean(label, NAME));
            written(state, |reach, plugin| reach.label_entry(plugin, &entry, label.as_deref()))
        })
    }

    fn append(&mut self, kind: String, data: String) -> Result<Result<String, Refusal>> {
        self.answered_again("session.append", &[&kind, &data], |state| {
            if data.len() > DATA {
                return Ok(Err(Refusal::TooLarge));
            }
            let is_kind = is_name(&kind, |c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
            let Some(data) = json("the data", &data).ok().filter(|_| is_kind) else {
                return Ok(Err(Refusal::NotUsable));
            };
            written(state, |reach, plugin| reach.append_entry(plugin, &kind, data))
        })
    }
}

/// What is reached of the session, if somebody owns it and the plugin's part in it counts.
fn kept_in(state: &State) -> Result<Option<Arc<Reach>>> {
    Ok(state.view.moment.as_ref().ok_or(OUTSIDE)?.reach())
}

/// Writes into the session.
fn written<T>(
    state: &State,
    write: impl FnOnce(&Reach, &Arc<str>) -> Result<T, NotWritten>,
) -> Result<Result<T, Refusal>> {
    let reach = kept_in(state)?.filter(|_| !state.shared.shadow);
    let Some(reach) = reach else { return Ok(Err(Refusal::NotKept)) };
    Ok(match write(&reach, &state.shared.name) {
        Ok(written) => Ok(written),
        Err(NotWritten::NotKept) => Err(Refusal::NotKept),
        Err(NotWritten::NoEntry) => Err(Refusal::NoEntry),
        Err(NotWritten::TooMany) => Err(Refusal::TooMany),
        Err(NotWritten::NotStored) => return Err(NotStored.into()),
    })
}
