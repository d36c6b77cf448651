//! What is taken from a line without keeping it: the fields that tree and reduction need. The rest is checked by the same
//! parser that reads the entry later, so what opens can be read.

mod entry;
mod facts;
mod message;

pub(crate) use entry::{Parsed, Reader, first_version_id};
pub(crate) use facts::{Fact, Facts};
pub(crate) use message::Message;
