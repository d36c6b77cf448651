use wasmtime::component::Component;
use wasmtime::component::types::{ComponentFunc, ComponentItem};
use wasmtime::{Config, Engine};

use super::*;

/// A function whose parameters are of every kind of type that the contract has.
const FUNCTION: &str = r#"(component (import "i" (instance
    (type $bytes (list u8))
    (type $record-of (record (field "a-b" u32) (field "cost" f64) (field "data" $bytes) (field "name" (option string))))
    (export "record" (type $record (eq $record-of)))
    (type $enum-of (enum "tool-use" "stop"))
    (export "enum" (type $enum (eq $enum-of)))
    (type $variant-of (variant (case "drop-range" $record) (case "text" string) (case "keep")))
    (export "variant" (type $variant (eq $variant-of)))
    (export "f" (func
        (param "list" (list $variant)) (param "flag" bool) (param "pair" (tuple u32 $enum))
        (param "ended" (list (result $enum (error string)))) (param "done" (result))
        (param "code" s32)
    ))
)))"#;

fn function() -> ComponentFunc {
    let engine = Engine::new(Config::new().concurrency_support(false)).unwrap();
    let component = Component::new(&engine, wat::parse_str(FUNCTION).unwrap()).unwrap();
    let component = component.component_type();
    let (_, import) = component.imports(&engine).next().unwrap();
    let ComponentItem::ComponentInstance(interface) = import.ty else { panic!("an instance") };
    match interface.get_export(&engine, "f").unwrap().ty {
        ComponentItem::ComponentFunc(function) => function,
        other => panic!("{other:?}"),
    }
}

fn back(text: &str) -> Result<String, String> {
    let function = function();
    let types: Vec<_> = function.params().map(|(_, ty)| ty).collect();
    let values = read_array(&types, text).map_err(|error| error.to_string())?;
    Ok(array(&function, &values))
}

#[test]
fn every_kind_of_value_comes_back_as_it_was() {
    let record =
        |cost: &str, data: &str, name: &str| format!(r#"{{"a-b":1,"cost":{cost},"data":"{data}","name":{name}}}"#);
    for (list, rest) in [
        ("[]".to_owned(), r#"false,[4294967295,"stop"],[],{"ok":null},-2147483648"#),
        (
            format!(
                r#"["keep",{{"text":"ä\n\"\u0001"}},{{"drop-range":{}}}]"#,
                record("0.30000000000000004", "AP8=", "null")
            ),
            r#"true,[0,"tool-use"],[{"ok":"stop"},{"err":"x"}],{"err":null},2147483647"#,
        ),
        (format!(r#"[{{"drop-range":{}}}]"#, record("\"NaN\"", "", "\"\"")), r#"true,[0,"stop"],[],{"ok":null},0"#),
    ] {
        let text = format!("[{list},{rest}]");
        assert_eq!(back(&text), Ok(text));
    }
}

#[test]
fn what_is_not_of_the_type_is_told() {
    let with = |list: &str| back(&format!(r#"[{list},true,[0,"stop"],[],{{"ok":null}},0]"#));
    for (list, fault) in [
        (r#"["text"]"#, "no case `text` without a value"),
        (r#"["other"]"#, "no case `other` without a value"),
        (r#"[{"keep":1}]"#, "no case `keep` with a value"),
        (r#"[{"drop-range":{"a-b":1}}]"#, "the field `cost` is missing"),
        (r#"[{"drop-range":{"a_b":1}}]"#, "no field `a_b`"),
        (r#"[{"drop-range":{"data":"%"}}]"#, "no base64"),
    ] {
        let told = with(list).unwrap_err();
        assert!(told.starts_with(fault), "{told}");
    }
    assert!(back("[[]]").unwrap_err().starts_with("a value is missing"));
    assert!(back("[[],true,[0,\"stop\"],[],{\"ok\":null},0,1]").is_err());
}

#[test]
fn a_size_is_that_of_texts_and_lists() {
    let list = Val::List(vec![Val::String("abc".to_owned()), Val::String(String::new())]);
    let bytes = Val::List(vec![Val::U8(1); 10]);
    assert_eq!((size(&list), size(&bytes), size(&Val::Enum("long-name".to_owned()))), (67, 10, 0));
}
