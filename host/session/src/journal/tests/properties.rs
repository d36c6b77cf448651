//! Whatever the values are.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// Texts with everything that a scanner of JSON may fall over, and with a secret in some.
fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => Just("\\".to_owned()),
        4 => Just("\"".to_owned()),
        3 => Just("],[{},".to_owned()),
        2 => Just("{\"$blob\":\"".to_owned()),
        2 => Just(SECRET.to_owned()),
        1 => Just("\n\u{1}\u{2028}ü".to_owned()),
        1 => "[a-z]{0,200}",
    ];
    vec(part, 0..8).prop_map(|parts| parts.concat())
}

const SECRET: &str = "s\\e\"c,r]e\nt";

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        text().prop_map(Value::String),
        any::<i32>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
        Just(json!({ "$blob": "0".repeat(64) })),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::Array),
            vec((text(), inner), 0..4).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// The same with the secret taken out of every text. Its names of fields stay.
fn hidden(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace(SECRET, "[secret]")),
        Value::Array(elements) => elements.iter().map(hidden).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), hidden(value))).collect())
        }
        other => other.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_again(values in vec(value(), 1..4)) {
        let bed = Bed::new();
        let journal = bed.open();
        let texts: Vec<String> = values.iter().map(Value::to_string).collect();
        let records: Vec<Record<'_>> = texts.iter().map(|text| Record::Crossing(crossing(text))).collect();
        records.iter().for_each(|record| journal.write(record).unwrap());
        prop_assert_eq!(&bed.records()[1..], &records[..]);
        prop_assert_eq!(bed.faults(), Vec::<String>::new());
    }

    #[test]
    fn a_secret_is_in_no_text(value in value()) {
        let bed = Bed::new();
        let journal = bed.open();
        journal.hide(SECRET);
        journal.write(&Record::Crossing(crossing(&value.to_string()))).unwrap();
        let Record::Crossing(read) = &bed.records()[1] else { panic!("a crossing") };
        prop_assert_eq!(read.input.value().unwrap(), hidden(&value));
        prop_assert_eq!(bed.faults(), Vec::<String>::new());
    }
}
