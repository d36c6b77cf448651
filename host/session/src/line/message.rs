//! The message of a line, and nothing else of it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

/// The `message` of an object. Of several the last counts, as everywhere in JSON.
pub(crate) struct Message(pub(crate) Value);

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Message;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Message, A::Error> {
                let mut message = Value::Null;
                while let Some(IsMessage(is_message)) = fields.next_key()? {
                    if is_message {
                        message = fields.next_value()?;
                    } else {
                        fields.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(Message(message))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// Whether a field is the message.
struct IsMessage(bool);

impl<'de> Deserialize<'de> for IsMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = IsMessage;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a name")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<IsMessage, E> {
                Ok(IsMessage(name == "message"))
            }
        }
        deserializer.deserialize_str(Name)
    }
}
