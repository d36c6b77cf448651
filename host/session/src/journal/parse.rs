//! A line as a record.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::from_slice;
use serde_json::value::RawValue;

use crate::journal::seal::Hash;
use crate::journal::{Crossing, Failure, HostCall, Json, Outcome, Record};

/// What every line has.
#[derive(Debug, Deserialize)]
pub(crate) struct Base<'a> {
    pub(crate) n: u64,
    pub(crate) time: i64,
    #[serde(borrow)]
    kind: Cow<'a, str>,
}

/// What a line says.
pub(crate) enum Parsed<'a> {
    Record(Record<'static>),
    /// A long value, and the hash that others refer to it by.
    Blob(Hash, &'a str),
}

#[derive(Deserialize)]
struct Blob<'a> {
    #[serde(borrow)]
    digest: Cow<'a, str>,
    #[serde(borrow)]
    value: &'a RawValue,
}

/// Reads a line. The error says what is wrong with it.
pub(crate) fn parse(line: &[u8]) -> Result<(Base<'_>, Parsed<'_>), String> {
    let base: Base<'_> = from_slice(line).map_err(|error| format!("is no record ({error})"))?;
    let parsed = fields(&base.kind, line).map_err(|error| format!("is no `{}` ({error})", base.kind))?;
    let parsed = parsed.ok_or_else(|| format!("is a `{}`, which this version of Seam does not know", base.kind))?;
    Ok((base, parsed))
}

fn fields<'a>(kind: &str, line: &'a [u8]) -> serde_json::Result<Option<Parsed<'a>>> {
    let record = match kind {
        "open" => Record::Open(from_slice(line)?),
        "plugin" => Record::Plugin(from_slice(line)?),
        "crossing" => Record::Crossing(from_slice(line)?),
        "rejected" => Record::Rejected(from_slice(line)?),
        "ruling" => Record::Ruling(from_slice(line)?),
        "run" => Record::Run(from_slice(line)?),
        "done" => Record::Done(from_slice(line)?),
        "mended" => Record::Mended(from_slice(line)?),
        "blob" => {
            let Blob { digest, value } = from_slice(line)?;
            let digest: Result<Hash, _> = digest.as_bytes().try_into();
            let wrong = |_| serde::de::Error::custom("its digest is none");
            return digest.map_err(wrong).map(|digest| Some(Parsed::Blob(digest, value.get())));
        }
        _ => return Ok(None),
    };
    Ok(Some(Parsed::Record(record)))
}

/// A crossing as it stands in its line.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct CrossingFields {
    plugin: String,
    digest: String,
    seam: String,
    function: String,
    instance: u64,
    #[serde(default)]
    shadow: bool,
    call: Option<String>,
    took_us: u64,
    input: Json<'static>,
    host: Vec<HostCall<'static>>,
    /// `null` is an answer.
    #[serde(default, deserialize_with = "present")]
    answer: Option<Json<'static>>,
    withheld: Option<bool>,
    failure: Option<Failure<'static>>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json<'static>>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

impl TryFrom<CrossingFields> for Crossing<'_> {
    type Error = &'static str;

    fn try_from(fields: CrossingFields) -> Result<Self, Self::Error> {
        let outcome = match (fields.answer, fields.withheld, fields.failure) {
            (Some(answer), None, None) => Outcome::Answer(answer),
            (None, Some(was_one), None) => Outcome::Withheld(was_one),
            (None, None, Some(Failure { kind, text })) => Outcome::Failure { kind, text },
            _ => return Err("it has not one outcome"),
        };
        let CrossingFields { plugin, digest, seam, function, instance, shadow, call, took_us, input, host, .. } =
            fields;
        let (plugin, digest) = (plugin.into(), digest.into());
        let (seam, function, call) = (seam.into(), function.into(), call.map(Cow::Owned));
        Ok(Self { plugin, digest, seam, function, instance, shadow, call, took_us, input, host, outcome })
    }
}
