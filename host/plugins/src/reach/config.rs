//! `config`: the plugin's own settings.

use crate::bindings::seam::harness::config::Host;
use crate::state::State;

impl Host for State {
    fn get(&mut self) -> String {
        self.shared.config.clone()
    }
}
