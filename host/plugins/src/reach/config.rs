//! `config`: the plugin's own settings.

use wasmtime::Result;

use crate::bindings::seam::harness::config::Host;
use crate::state::State;

impl Host for State {
    fn get(&mut self) -> Result<String> {
        self.timed(|state| Ok(state.shared.config.clone()))
    }
}
