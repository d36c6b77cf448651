//! JSON against the types of the contract.

use serde_json::Value;
use wit_parser::{Resolve, Type, TypeDefKind};

/// A value of the contract's type, with exactly its fields and cases.
pub(super) fn assert_is(resolve: &Resolve, ty: &Type, value: &Value, place: &str) {
    let is_one = match ty {
        Type::Bool => value.is_boolean(),
        Type::U32 => value.as_u64().is_some_and(|number| u32::try_from(number).is_ok()),
        Type::S32 => value.as_i64().is_some_and(|number| i32::try_from(number).is_ok()),
        Type::F64 => value.is_f64(),
        Type::String => value.is_string(),
        Type::Id(id) => return assert_is_kind(resolve, &resolve.types[*id].kind, value, place),
        other => panic!("{place}: {other:?}"),
    };
    assert!(is_one, "{place}: {value} is no {ty:?}");
}

fn assert_is_kind(resolve: &Resolve, kind: &TypeDefKind, value: &Value, place: &str) {
    match kind {
        TypeDefKind::Type(ty) => assert_is(resolve, ty, value, place),
        TypeDefKind::Record(record) => {
            let names: Vec<&String> = value.as_object().unwrap_or_else(|| panic!("{place}: {value}")).keys().collect();
            let fields: Vec<&String> = record.fields.iter().map(|field| &field.name).collect();
            assert_eq!(names, fields, "{place}");
            for field in &record.fields {
                assert_is(resolve, &field.ty, &value[&field.name], &format!("{place}.{}", field.name));
            }
        }
        TypeDefKind::Variant(variant) => {
            let (name, held) = case(value, place);
            let case = variant.cases.iter().find(|case| case.name == name);
            let case = case.unwrap_or_else(|| panic!("{place}: no case `{name}`"));
            assert_eq!(case.ty.is_some(), held.is_some(), "{place}: {value}");
            if let (Some(ty), Some(held)) = (&case.ty, held) {
                assert_is(resolve, ty, held, &format!("{place}.{name}"));
            }
        }
        TypeDefKind::Enum(cases) => {
            assert!(cases.cases.iter().any(|case| Some(&*case.name) == value.as_str()), "{place}: {value}");
        }
        TypeDefKind::Option(ty) if value.is_null() => {
            assert!(matches!(ty, Type::Id(_) | Type::String | Type::U32), "{place}")
        }
        TypeDefKind::Option(ty) => assert_is(resolve, ty, value, place),
        TypeDefKind::List(Type::U8) => assert!(value.is_string(), "{place}: {value}"),
        TypeDefKind::List(ty) => {
            for (at, element) in value.as_array().unwrap_or_else(|| panic!("{place}: {value}")).iter().enumerate() {
                assert_is(resolve, ty, element, &format!("{place}[{at}]"));
            }
        }
        TypeDefKind::Result(result) => {
            let (name, held) = case(value, place);
            let ty = if name == "ok" { result.ok } else { result.err };
            assert!(matches!(name, "ok" | "err"), "{place}: {value}");
            match ty {
                Some(ty) => assert_is(resolve, &ty, held.unwrap(), &format!("{place}.{name}")),
                None => assert_eq!(held, Some(&Value::Null), "{place}.{name}"),
            }
        }
        other => panic!("{place} is a {}", other.as_str()),
    }
}

fn case<'a>(value: &'a Value, place: &str) -> (&'a str, Option<&'a Value>) {
    match value {
        Value::String(name) => (name, None),
        Value::Object(object) if object.len() == 1 => {
            object.iter().next().map(|(name, held)| (&**name, Some(held))).unwrap()
        }
        other => panic!("{place}: {other} is no case"),
    }
}
