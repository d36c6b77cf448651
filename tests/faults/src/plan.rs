//! What is to go wrong, as it stands in `SEAM_FAULTS`.

/// A kind of call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    /// At the end of the file, or where it was read to.
    Write,
    /// At a place of it.
    Place,
    Sync,
    Cut,
}

/// What becomes of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    Error,
    Full,
    Short,
    Half,
    Stuck,
    Kill,
    KillHalf,
    KillAfter,
    Power,
    PowerHalf,
}

pub(crate) struct Plan {
    /// Nothing: every kind.
    call: Option<Call>,
    pub(crate) number: u64,
    pub(crate) deed: Deed,
    pub(crate) part: String,
}

impl Plan {
    /// The plan of this process, if it has one. One that cannot be read ends the process: a test would hold for nothing.
    pub(crate) fn read() -> Option<Self> {
        let words = std::env::var("SEAM_FAULTS").ok()?;
        Some(Self::parse(&words).unwrap_or_else(|| std::process::abort()))
    }

    fn parse(words: &str) -> Option<Self> {
        let mut words = words.splitn(4, ' ');
        let call = match words.next()? {
            "write" => Some(Call::Write),
            "sync" => Some(Call::Sync),
            "cut" => Some(Call::Cut),
            "any" => None,
            _ => return None,
        };
        let number = words.next()?.parse().ok()?;
        let deed = deed(words.next()?)?;
        Some(Self { call, number, deed, part: words.next()?.to_owned() })
    }

    /// Whether it has to be known what is on the disk.
    pub(crate) fn is_power(&self) -> bool {
        matches!(self.deed, Deed::Power | Deed::PowerHalf)
    }

    pub(crate) fn counts(&self, call: Call) -> bool {
        self.call.is_none_or(|wanted| wanted == call || (wanted, call) == (Call::Write, Call::Place))
    }
}

fn deed(word: &str) -> Option<Deed> {
    Some(match word {
        "error" => Deed::Error,
        "full" => Deed::Full,
        "short" => Deed::Short,
        "half" => Deed::Half,
        "stuck" => Deed::Stuck,
        "kill" => Deed::Kill,
        "kill-half" => Deed::KillHalf,
        "kill-after" => Deed::KillAfter,
        "power" => Deed::Power,
        "power-half" => Deed::PowerHalf,
        _ => return None,
    })
}
