//! Whole numbers in arguments.

use serde::de::Error as _;
use serde::{Deserialize as _, Deserializer};

/// The largest number a schema allows, so that a larger one is a fault with its field's name.
pub(crate) const MAX: u64 = 1_000_000_000;

/// A whole number. JSON Schema takes `5.0` for one too, so this does.
pub(crate) fn whole<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u64>,
{
    let number = serde_json::Number::deserialize(deserializer)?;
    let whole = number.as_u64().or_else(|| number.as_f64().map(|number| number as u64));
    whole.and_then(|whole| T::try_from(whole).ok()).ok_or_else(|| D::Error::custom(format!("{number} is out of range")))
}

#[cfg(test)]
mod tests {
    use seam_loop::arguments::ArgumentSchema;
    use serde_json::json;

    use crate::testing::Fixture;

    #[tokio::test]
    async fn a_number_is_whole_or_its_field_is_named() {
        let fixture = Fixture::new();
        fixture.put("f", "1\n2\n");
        let said = fixture.said("read", json!({ "path": "f", "offset": 2.0, "limit": 1e0 })).await;
        assert_eq!(said, Ok("2\n".to_owned()));
        let cases = [("read", "limit"), ("read", "offset"), ("grep", "limit"), ("find", "limit"), ("ls", "limit")];
        for (name, field) in cases {
            let tools = crate::tools(&fixture.workspace);
            let tool = tools.iter().find(|tool| &*tool.definition().name == name).unwrap();
            let schema = ArgumentSchema::compile(&tool.definition().parameters).unwrap();
            let faults = schema.validate(json!({ "path": "f", "pattern": "f", field: 9e18 })).unwrap_err().faults;
            let is_named = |fault: &String| fault.starts_with(&format!("{field}: ")) && fault.contains("1000000000");
            assert!(faults.iter().any(is_named), "{name}: {faults:?}");
        }
    }
}
