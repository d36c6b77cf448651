//! The rules of edits, place by place and as slow as they are.

use super::{Line, Word};

/// A place of the list before all edits, and its end.
#[derive(Default)]
struct Place {
    /// What comes before it.
    before: Vec<Word>,
    /// What is there, if anything still is.
    now: Option<Word>,
    /// Whether an edit was about it.
    taken: bool,
}

/// The messages after the edits of a plugin; none when one of them breaks a rule.
pub(super) fn apply(words: &[Word], edits: &[Line], plugin: &str) -> Option<Vec<Word>> {
    let mut places: Vec<Place> =
        words.iter().map(|word| Place { now: Some(word.clone()), ..Place::default() }).collect();
    places.push(Place::default());
    for edit in edits {
        match edit {
            Line::Drop(range) if range.start <= range.end && range.end <= words.len() => {
                range.clone().try_for_each(|place| places[place].take(None))?;
            }
            Line::Replace(place, word) if *place < words.len() => {
                may_say(word, Some(&words[*place]), plugin).then_some(())?;
                places[*place].take(Some(word.clone()))?;
            }
            Line::Insert(place, word) if *place <= words.len() => {
                may_say(word, None, plugin).then_some(())?;
                places[*place].before.push(word.clone());
            }
            _ => return None,
        }
    }
    Some(places.into_iter().flat_map(|place| place.before.into_iter().chain(place.now)).collect())
}

impl Place {
    /// Puts something else there. Only one edit may.
    fn take(&mut self, now: Option<Word>) -> Option<()> {
        self.now = now;
        (!std::mem::replace(&mut self.taken, true)).then_some(())
    }
}

/// Messages of nobody are everybody's. One of a plugin is said by that plugin, or was there.
fn may_say(word: &Word, before: Option<&Word>, plugin: &str) -> bool {
    let Some(kind) = &word.kind else { return true };
    let own = kind.strip_prefix(plugin).and_then(|rest| rest.strip_prefix('/'));
    let is_name = |kind: &str| {
        (1..=64).contains(&kind.len()) && kind.chars().all(|char| char.is_ascii_alphanumeric() || "-_.".contains(char))
    };
    before == Some(word) || own.is_some_and(is_name)
}
