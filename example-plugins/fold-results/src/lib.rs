//! Shows the model the beginning of old, long tool results instead of all of them. What is stored stays whole.

use seam::conversation::{self, Kind, OutlineEntry};
use seam::transform_context::{Context, TransformContext};
use seam::{Content, Edit, Message};
use serde::Deserialize;

/// What the user may set.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct FoldResults {
    /// The results behind so many last answers of the model stay whole.
    keep_answers: usize,
    /// Results of at most so many bytes stay whole.
    longest: u32,
    /// How many bytes of a longer one are shown.
    shown: usize,
}

impl Default for FoldResults {
    fn default() -> Self {
        Self { keep_answers: 4, longest: 4096, shown: 512 }
    }
}

impl TransformContext for FoldResults {
    fn transform(&mut self, _context: &Context) -> Vec<Edit> {
        let outline = conversation::outline();
        let old = self.old(&outline);
        let long = outline.iter().zip(0..).take(old).filter(|(entry, _)| self.is_long(entry));
        long.filter_map(|(_, place)| Some(Edit::replace(place, self.folded(conversation::get(place)?)?))).collect()
    }
}

impl FoldResults {
    /// How many messages are old: those before the last answers of the model that stay whole.
    fn old(&self, outline: &[OutlineEntry]) -> usize {
        let answers = outline.iter().enumerate().rev().filter(|(_, entry)| entry.kind == Kind::Assistant);
        answers.map(|(place, _)| place).take(self.keep_answers).last().unwrap_or(outline.len())
    }

    fn is_long(&self, entry: &OutlineEntry) -> bool {
        entry.kind == Kind::Tool && entry.bytes > self.longest
    }

    /// The same result with its text cut; none when it is its pictures that are long.
    fn folded(&self, message: Message) -> Option<Message> {
        let Message::Tool(mut result) = message else { return None };
        let text: String = result.content.iter().filter_map(Content::as_text).collect();
        let end = text.floor_char_boundary(self.shown);
        let left = text.len() - end;
        if text.len() <= self.longest as usize || left == 0 {
            return None;
        }
        let shown = text.get(..end).unwrap_or_default();
        let note = format!(
            "{shown}\n[{left} more bytes of this old result are folded away. Call the tool again to read them.]"
        );
        result.content.retain(|content| content.as_text().is_none());
        result.content.insert(0, Content::Text(note));
        result.structured_content = None;
        Some(Message::Tool(result))
    }
}

seam::plugin!(FoldResults from config: transform_context);

#[cfg(test)]
mod tests;
