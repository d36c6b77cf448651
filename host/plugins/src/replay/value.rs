//! Values of the contract from JSON text and back, by their types.

mod read;

use wasmtime::component::Val;
use wasmtime::component::types::{ComponentFunc, Type};

use crate::journal::text;

pub(super) use read::{read, read_array};

/// Parameters as the JSON text of an array.
pub(super) fn array(function: &ComponentFunc, values: &[Val]) -> String {
    let mut out = vec![b'['];
    for (place, ((_, ty), value)) in function.params().zip(values).enumerate() {
        comma(&mut out, place);
        write(&mut out, &ty, value);
    }
    out.push(b']');
    String::from_utf8(out).unwrap_or_default()
}

/// A value as JSON text.
pub(super) fn json(ty: &Type, value: &Val) -> String {
    let mut out = Vec::new();
    write(&mut out, ty, value);
    String::from_utf8(out).unwrap_or_default()
}

fn write(out: &mut Vec<u8>, ty: &Type, value: &Val) {
    match (ty, value) {
        (_, Val::Bool(value)) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
        (_, Val::U32(number)) => text::whole(out, *number),
        (_, Val::S32(number)) => text::whole(out, *number),
        (_, Val::Float64(number)) => text::float(out, *number),
        (_, Val::String(value) | Val::Enum(value)) => text::string(out, value),
        (Type::List(list), Val::List(values)) if list.ty() == Type::U8 => {
            let bytes: Vec<u8> = values.iter().map(|value| if let Val::U8(byte) = value { *byte } else { 0 }).collect();
            text::bytes(out, &bytes);
        }
        (Type::List(list), Val::List(values)) => {
            let ty = list.ty();
            parts(out, [b'[', b']'], values, |out, value| write(out, &ty, value));
        }
        (Type::Tuple(tuple), Val::Tuple(values)) => {
            parts(out, [b'[', b']'], tuple.types().zip(values), |out, (ty, value)| write(out, &ty, value));
        }
        (Type::Record(record), Val::Record(values)) => {
            parts(out, [b'{', b'}'], record.fields().zip(values), |out, (field, (name, value))| {
                named(out, name, Some((&field.ty, value)));
            });
        }
        (Type::Variant(variant), Val::Variant(name, held)) => {
            let ty = variant.cases().find(|case| case.name == name).and_then(|case| case.ty);
            one(out, name, ty.as_ref().zip(held.as_deref()));
        }
        (Type::Option(option), Val::Option(Some(value))) => write(out, &option.ty(), value),
        (Type::Result(result), Val::Result(value)) => {
            let (name, ty, held) = match value {
                Ok(held) => ("ok", result.ok(), held),
                Err(held) => ("err", result.err(), held),
            };
            out.push(b'{');
            named(out, name, ty.as_ref().zip(held.as_deref()));
            out.push(b'}');
        }
        // None, and what the contract does not have.
        _ => out.extend_from_slice(b"null"),
    }
}

fn comma(out: &mut Vec<u8>, place: usize) {
    if place > 0 {
        out.push(b',');
    }
}

fn parts<T>(
    out: &mut Vec<u8>,
    [open, close]: [u8; 2],
    parts: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut Vec<u8>, T),
) {
    out.push(open);
    for (place, part) in parts.into_iter().enumerate() {
        comma(out, place);
        write(out, part);
    }
    out.push(close);
}

/// A case: its name, or an object of its name and what it holds.
fn one(out: &mut Vec<u8>, name: &str, held: Option<(&Type, &Val)>) {
    match held {
        None => text::string(out, name),
        Some(held) => {
            out.push(b'{');
            named(out, name, Some(held));
            out.push(b'}');
        }
    }
}

fn named(out: &mut Vec<u8>, name: &str, value: Option<(&Type, &Val)>) {
    text::string(out, name);
    out.push(b':');
    match value {
        Some((ty, value)) => write(out, ty, value),
        None => out.extend_from_slice(b"null"),
    }
}

/// How many bytes of texts and lists it has.
pub(super) fn size(value: &Val) -> usize {
    /// What an element of a list takes besides its texts.
    const ELEMENT: usize = 32;
    match value {
        Val::String(text) => text.len(),
        Val::List(values) => {
            values.iter().map(|value| if matches!(value, Val::U8(_)) { 1 } else { ELEMENT + size(value) }).sum()
        }
        Val::Tuple(values) => values.iter().map(size).sum(),
        Val::Record(fields) => fields.iter().map(|(_, value)| size(value)).sum(),
        Val::Variant(_, Some(value)) | Val::Option(Some(value)) => size(value),
        Val::Result(Ok(Some(value)) | Err(Some(value))) => size(value),
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
