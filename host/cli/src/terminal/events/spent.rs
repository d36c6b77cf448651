//! What a run cost: tokens and money, as far as the provider says.

use seam_loop::message::{AssistantMessage, Usage};

use crate::export::words::grouped;
use crate::terminal::style::one_line;

use super::words::NAME;

/// What was spent since the run began.
#[derive(Debug, Default)]
pub(super) struct Spent {
    /// The model that answered last.
    model: String,
    read: u64,
    cached: u64,
    written: u64,
    cost: f64,
}

impl Spent {
    /// Takes in a message of the model.
    pub(super) fn add(&mut self, message: &AssistantMessage) {
        let Usage { input, output, cache_read, cache_write, cost } = message.usage;
        self.model = one_line(&format!("{}/{}", message.provider, message.model), NAME);
        self.read += [input, cache_read, cache_write].map(u64::from).iter().sum::<u64>();
        self.cached += u64::from(cache_read);
        self.written += u64::from(output);
        self.cost += cost;
    }

    /// In one line; none when nothing was.
    pub(super) fn line(&self) -> Option<String> {
        let Self { model, read, cached, written, cost } = self;
        if read + written == 0 {
            return None;
        }
        let cached = if *cached > 0 { format!(" ({} cached)", grouped(*cached)) } else { String::new() };
        let money = money(*cost).map(|money| format!(" · {money}")).unwrap_or_default();
        Some(format!("{model} · {} tokens read{cached}, {} written{money}", grouped(*read), grouped(*written)))
    }
}

/// US dollars, to four digits that say something.
fn money(cost: f64) -> Option<String> {
    match cost {
        cost if cost <= 0.0 => None,
        cost if cost < 0.00005 => Some("less than $0.0001".to_owned()),
        cost if cost < 1.0 => Some(format!("${cost:.4}")),
        cost => Some(format!("${cost:.2}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_told_with_all_its_tokens_and_what_they_cost() {
        let mut spent = Spent { model: "a/b".to_owned(), ..Spent::default() };
        assert_eq!(spent.line(), None);
        spent = Spent { read: 12_345, cached: 10_000, written: 678, cost: 0.031_24, ..spent };
        assert_eq!(spent.line().unwrap(), "a/b · 12,345 tokens read (10,000 cached), 678 written · $0.0312");
        spent = Spent { cached: 0, cost: 0.0, ..spent };
        assert_eq!(spent.line().unwrap(), "a/b · 12,345 tokens read, 678 written");
        assert_eq!([0.000_01, 12.345].map(money), ["less than $0.0001", "$12.35"].map(|told| Some(told.to_owned())));
    }
}
