//! What was recorded of one call, from which the host answers when the call is made again.

use seam_session::journal::{Crossing, HostCall, Outcome};

/// The host's answers of one call.
pub(crate) struct Tape {
    host: Vec<HostCall<'static>>,
    /// The place after the answer that was given last.
    next: usize,
    /// The place after the update of a tool that was answered last.
    next_update: usize,
    /// The seam, and the function of it.
    at: (String, String),
    /// Then, the call ended because the guest used an import where it may not.
    misused: bool,
}

impl Tape {
    /// What was recorded of a call.
    pub(super) fn of(crossing: &Crossing<'_>) -> Self {
        let host = crossing.host.iter().map(|call| HostCall {
            import: call.import.clone().into_owned().into(),
            arguments: call.arguments.clone().into_owned(),
            answer: call.answer.clone().into_owned(),
        });
        Self {
            host: host.collect(),
            next: 0,
            next_update: 0,
            at: (crossing.seam.clone().into_owned(), crossing.function.clone().into_owned()),
            misused: matches!(&crossing.outcome, Outcome::Failure { kind, .. } if kind == "misuse"),
        }
    }

    /// Whether the call is one of this function.
    pub(super) fn is_at(&self, seam: &str, function: &str) -> bool {
        (&*self.at.0, &*self.at.1) == (seam, function)
    }

    /// Whether the call ended then because an import was misused.
    pub(super) fn misused(&self) -> bool {
        self.misused
    }

    /// What the host answered to the same question: the next time it was asked, or any time in this call.
    pub(super) fn answer(&mut self, import: &str, arguments: &str) -> Option<&str> {
        let is_same = |call: &HostCall<'_>| call.import == import && call.arguments.text() == arguments;
        let after = self.host.iter().skip(self.next).position(is_same).map(|place| self.next + place);
        let place = after.or_else(|| self.host.iter().position(is_same))?;
        self.next = place + 1;
        self.host.get(place).map(|call| call.answer.text())
    }

    /// What the host answered to the next update of a tool, whatever it showed; at the end what it said last.
    pub(super) fn update(&mut self, import: &str) -> Option<&str> {
        let is_update = |call: &HostCall<'_>| call.import == import;
        let next = self.host.iter().skip(self.next_update).position(is_update).map(|place| self.next_update + place);
        let place = next.or_else(|| self.host.iter().rposition(is_update))?;
        self.next_update = place + 1;
        self.host.get(place).map(|call| call.answer.text())
    }
}

#[cfg(test)]
mod tests {
    use seam_session::journal::Json;

    use super::*;

    /// A tape of these host calls: import, arguments, answer.
    fn tape(host: &[(&'static str, &'static str, &'static str)]) -> Tape {
        let host = host.iter().map(|&(import, arguments, answer)| HostCall {
            import: import.into(),
            arguments: Json::new(arguments),
            answer: Json::new(answer),
        });
        Tape { host: host.collect(), next: 0, next_update: 0, at: Default::default(), misused: false }
    }

    #[test]
    fn the_same_question_gets_its_answers_in_order_and_after_them_any() {
        let mut tape = tape(&[("a.b", "[1]", "1"), ("a.b", "[2]", "2"), ("a.c", "[1]", "3"), ("a.b", "[1]", "4")]);
        let answers =
            ["[1]", "[1]", "[2]", "[1]", "[3]"].map(|arguments| tape.answer("a.b", arguments).map(str::to_owned));
        let answer = |text: &str| Some(text.to_owned());
        assert_eq!(answers, [answer("1"), answer("4"), answer("2"), answer("4"), None]);
    }

    #[test]
    fn updates_are_answered_in_order_whatever_they_show() {
        let mut tape = tape(&[("t.s", "[1]", "true"), ("a.b", "[]", "0"), ("t.s", "[2]", "false")]);
        let answers = [(); 3].map(|()| tape.update("t.s").map(str::to_owned));
        assert_eq!(answers.map(Option::unwrap), ["true", "false", "false"]);
        assert_eq!(tape.update("t.other"), None);
    }
}
