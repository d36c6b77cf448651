//! A plugin at `transform-context` that may read the conversation and does not. For the benchmark: what it costs is the
//! crossing, whatever the conversation's length.

use seam::conversation;
use seam::transform_context::{Context, TransformContext};
use seam::{Edit, Message};

#[derive(Default)]
struct Reader;

impl TransformContext for Reader {
    fn transform(&mut self, context: &Context) -> Vec<Edit> {
        if context.length < u32::MAX {
            return Vec::new();
        }
        vec![Edit::insert(0, Message::user(format!("{} messages", conversation::length())))]
    }
}

seam::plugin!(Reader: transform_context);
