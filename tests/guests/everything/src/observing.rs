//! What an observer does when it is told something.

use serde::Deserialize;

use crate::fields::Fields;

/// What every observer does.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Observing {
    /// Writes a note: the seam, a colon, and the fields in the contract's order.
    #[default]
    Note,
    /// Nothing.
    Quiet,
    /// Panics.
    Trap,
    /// Never ends.
    Loop,
    /// Counts to so many millions, then writes the note.
    Busy(u64),
}

impl Observing {
    pub(crate) fn see(self, seam: &str, event: &dyn Fields) {
        match self {
            Self::Quiet => return,
            Self::Trap => panic!("`{seam}` was told to trap"),
            Self::Loop => forever(),
            Self::Busy(millions) => count(millions),
            Self::Note => (),
        }
        seam::log::info(&format!("{seam}: {}", event.fields()));
    }
}

/// Never ends.
pub(crate) fn forever() -> ! {
    loop {
        std::hint::black_box(0);
    }
}

/// Counts to so many millions.
pub(crate) fn count(millions: u64) {
    for step in 0..millions * 1_000_000 {
        std::hint::black_box(step);
    }
}

/// Implements observers for a plugin with a method `observing`, which says what to do at a seam.
macro_rules! observers {
    ($plugin:ident: $($seam:literal: $trait:ident::$observe:ident($event:ident),)+) => {
        $(
            impl $trait for $plugin {
                fn $observe(&mut self, event: &$event) {
                    self.observing($seam).see($seam, event);
                }
            }
        )+
    };
}
pub(crate) use observers;
