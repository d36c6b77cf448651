//! Turns in which no tool is called: plugins cannot keep a run going with them for ever.

use crate::settings::Settings;

/// How many turns in a row plugins may keep a run going in which no tool is called.
pub(crate) const MOST_IDLE: u32 = 25;

impl Settings {
    /// A run begins, or the user says something in it.
    pub(crate) fn is_heard(&self) {
        self.lock().idle = 0;
    }

    /// Counts a turn. Gives what [`is_endless`](Self::is_endless) gives from now on.
    pub(crate) fn turn_is_over(&self, called: bool) -> bool {
        let mut state = self.lock();
        state.idle = if called { 0 } else { state.idle + 1 };
        state.idle > MOST_IDLE
    }

    /// Whether plugins have kept the run going as often as they may.
    pub(crate) fn is_endless(&self) -> bool {
        self.lock().idle > MOST_IDLE
    }
}

#[cfg(test)]
mod tests {
    use crate::settings::tests::settings;

    #[test]
    fn turns_without_a_call_are_counted_since_the_last_call_and_the_last_word_of_the_user() {
        let settings = settings();
        let turns = |count: usize| (0..count).map(|_| settings.turn_is_over(false)).last().unwrap();
        assert!(!turns(25) && turns(1) && settings.is_endless());
        assert!(!settings.turn_is_over(true) && !turns(25) && turns(1));
        settings.is_heard();
        assert!(!settings.is_endless() && !turns(25) && turns(2));
    }
}
