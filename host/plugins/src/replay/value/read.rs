//! JSON text as values of given types. A field too many or too few, or a case that does not exist, is an error.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use wasmtime::component::Val;
use wasmtime::component::types::Type;

use crate::journal::text;

/// The value of a type that a JSON text says.
pub(in crate::replay) fn read(ty: &Type, text: &str) -> serde_json::Result<Val> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Typed(ty).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// The values of several types that a JSON array holds.
pub(in crate::replay) fn read_array(types: &[Type], text: &str) -> serde_json::Result<Vec<Val>> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let values = deserializer.deserialize_seq(Each(types.iter()))?;
    deserializer.end()?;
    Ok(values)
}

/// A value of this type.
struct Typed<'a>(&'a Type);

impl<'de> DeserializeSeed<'de> for Typed<'_> {
    type Value = Val;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Val, D::Error> {
        match self.0 {
            Type::Bool => bool::deserialize(from).map(Val::Bool),
            Type::U32 => u32::deserialize(from).map(Val::U32),
            Type::S32 => i32::deserialize(from).map(Val::S32),
            Type::Float64 => float(from),
            Type::String => String::deserialize(from).map(Val::String),
            Type::List(list) if list.ty() == Type::U8 => bytes(from),
            Type::List(list) => from.deserialize_seq(All(&list.ty())).map(Val::List),
            Type::Tuple(tuple) => {
                let types: Vec<Type> = tuple.types().collect();
                from.deserialize_seq(Each(types.iter())).map(Val::Tuple)
            }
            Type::Option(option) => from.deserialize_option(Maybe(&option.ty())),
            Type::Record(record) => {
                let fields: Vec<_> = record.fields().map(|field| (field.name, field.ty)).collect();
                from.deserialize_map(Fields(&fields)).map(Val::Record)
            }
            Type::Variant(variant) => {
                let cases: Vec<_> = variant.cases().map(|case| (case.name, case.ty)).collect();
                from.deserialize_any(Case(&cases))
            }
            Type::Enum(cases) => {
                let name = String::deserialize(from)?;
                match cases.names().any(|case| case == name) {
                    true => Ok(Val::Enum(name)),
                    false => Err(de::Error::custom(format!("no case `{name}`"))),
                }
            }
            Type::Result(result) => from.deserialize_map(Ended([("ok", result.ok()), ("err", result.err())])),
            other => Err(de::Error::custom(format!("a type that the contract does not have: {other:?}"))),
        }
    }
}

/// Not by way of `serde_json`, which may be off by the last digit.
fn float<'de, D: Deserializer<'de>>(from: D) -> Result<Val, D::Error> {
    let text = <&RawValue>::deserialize(from)?.get();
    text.trim_matches('"').parse().map(Val::Float64).map_err(de::Error::custom)
}

fn bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Val, D::Error> {
    let bytes = text::from_base64(&String::deserialize(from)?).ok_or_else(|| de::Error::custom("no base64"))?;
    Ok(Val::List(bytes.into_iter().map(Val::U8).collect()))
}

/// A list of values of one type.
struct All<'a>(&'a Type);

impl<'de> Visitor<'de> for All<'_> {
    type Value = Vec<Val>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Vec<Val>, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = from.next_element_seed(Typed(self.0))? {
            values.push(value);
        }
        Ok(values)
    }
}

/// A list of a value of each of these types.
struct Each<'a>(std::slice::Iter<'a, Type>);

impl<'de> Visitor<'de> for Each<'_> {
    type Value = Vec<Val>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} values", self.0.len())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Vec<Val>, A::Error> {
        let values = self.0.map(|ty| {
            let value = from.next_element_seed(Typed(ty))?;
            value.ok_or_else(|| de::Error::custom("a value is missing"))
        });
        values.collect()
    }
}

struct Maybe<'a>(&'a Type);

impl<'de> Visitor<'de> for Maybe<'_> {
    type Value = Val;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or null")
    }

    fn visit_none<E: de::Error>(self) -> Result<Val, E> {
        Ok(Val::Option(None))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Val, E> {
        Ok(Val::Option(None))
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Val, D::Error> {
        Ok(Val::Option(Some(Box::new(Typed(self.0).deserialize(from)?))))
    }
}

struct Fields<'a>(&'a [(&'a str, Type)]);

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = Vec<(String, Val)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let mut found: Vec<Option<Val>> = self.0.iter().map(|_| None).collect();
        while let Some(key) = from.next_key::<String>()? {
            let known = self.0.iter().zip(&mut found).find(|((name, _), _)| *name == key);
            let Some(((_, ty), slot)) = known else { return Err(de::Error::custom(format!("no field `{key}`"))) };
            *slot = Some(from.next_value_seed(Typed(ty))?);
        }
        let values = self.0.iter().zip(found).map(|((name, _), value)| {
            let value = value.ok_or_else(|| de::Error::custom(format!("the field `{name}` is missing")))?;
            Ok(((*name).to_owned(), value))
        });
        values.collect()
    }
}

/// A case of a variant.
struct Case<'a>(&'a [(&'a str, Option<Type>)]);

impl<'de> Visitor<'de> for Case<'_> {
    type Value = Val;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a case")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Val, E> {
        match self.0.iter().find(|(case, _)| *case == name) {
            Some((_, None)) => Ok(Val::Variant(name.to_owned(), None)),
            _ => Err(E::custom(format!("no case `{name}` without a value"))),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Val, A::Error> {
        let name = from.next_key::<String>()?.unwrap_or_default();
        let Some((_, Some(ty))) = self.0.iter().find(|(case, _)| *case == name) else {
            return Err(de::Error::custom(format!("no case `{name}` with a value")));
        };
        let value = from.next_value_seed(Typed(ty))?;
        Ok(Val::Variant(name, Some(Box::new(value))))
    }
}

/// How something ended: what it gave, or what went wrong.
struct Ended([(&'static str, Option<Type>); 2]);

impl<'de> Visitor<'de> for Ended {
    type Value = Val;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`ok` or `err`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Val, A::Error> {
        let name = from.next_key::<String>()?.unwrap_or_default();
        let Some((_, ty)) = self.0.iter().find(|(case, _)| *case == name) else {
            return Err(de::Error::custom(format!("no case `{name}`")));
        };
        let held = match ty {
            Some(ty) => Some(Box::new(from.next_value_seed(Typed(ty))?)),
            None => from.next_value::<()>().map(|()| None)?,
        };
        Ok(Val::Result(if name == "ok" { Ok(held) } else { Err(held) }))
    }
}
