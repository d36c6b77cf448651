//! `convert-to-llm`: what the model sees of a plugin's own messages.

use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::seams::{Conversion, ConvertToLlm};
use seam_harness::{Failure, Moment};
use seam_loop::message::CustomMessage;

use crate::bindings::exports::seam::harness::convert_to_llm as wit;
use crate::convert::content::{from_content, size};
use crate::convert::message::CustomParts;
use crate::instance::Instances;

/// A plugin's part in one session.
pub(crate) struct Asked(pub(crate) Arc<Instances>);

#[async_trait]
impl ConvertToLlm for Asked {
    async fn convert(&self, messages: &[&CustomMessage], at: &Moment) -> Result<Vec<Conversion>, Failure> {
        let parts: Vec<CustomParts<'_>> = messages.iter().map(|message| CustomParts::of(message)).collect();
        let messages_lent: Vec<_> = parts.iter().map(CustomParts::lent).collect();
        let event = wit::Event { session: at.session(), messages: &messages_lent };
        let returned = 2 * messages.iter().map(|message| size(&message.content)).sum::<usize>();
        let answers = ask!(&self.0, convert_to_llm.call_convert(event), at at, returning returned)?;
        let answers = answers.into_iter().map(|answer| match answer {
            wit::Conversion::Omit => Ok(None),
            wit::Conversion::Content(content) => from_content(content).map(Some),
        });
        answers.collect()
    }
}
