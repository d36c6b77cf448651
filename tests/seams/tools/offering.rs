//! What plugins offer at the start, and what they cannot.

use std::sync::Arc;

use seam_harness::{Conversation, ToolSet, ToolSetError};
use seam_plugins::{Settings, connect};
use seam_tests::bed::{Bed, engine};
use serde_json::{Value, json};

use super::offers;

async fn connection_errors(plugins: &[(&str, Value)]) -> Vec<String> {
    let bed = plugins.iter().fold(Bed::new(), |bed, (name, settings)| bed.everything(name, settings.clone()));
    let settings = |name: &str| {
        let (_, settings) = plugins.iter().find(|(plugin, _)| *plugin == name).unwrap();
        Settings { config: settings.as_object().unwrap().clone(), ..Settings::default() }
    };
    let (loaded, errors) = engine().load_folder(bed.plugins(), settings).await.unwrap();
    assert!(errors.is_empty(), "{errors:?}");
    let workspace = Arc::new(seam_tools::Workspace::open(&bed.workspace(), &[]).unwrap());
    let own = seam_tools::tools(&workspace);
    let connected = connect(&loaded, Arc::new(Conversation::default()), own, None).await;
    connected.errors.iter().map(|error| error.problem.to_string()).collect()
}

#[tokio::test]
async fn two_tools_of_one_name_are_an_error_at_the_start() {
    let named = |name| offers(json!([{ "name": name, "do": "shout" }]));
    let twice = offers(json!([{ "name": "shout", "do": "shout" }, { "name": "shout", "do": "fail" }]));
    for (plugins, tool) in [
        (vec![("1", named("shout")), ("2", named("shout"))], "shout"),
        (vec![("1", twice)], "shout"),
        (vec![("1", named("read"))], "read"),
    ] {
        let errors = connection_errors(&plugins).await;
        assert!(errors.len() == 1 && errors[0].contains(&format!("`{tool}`")), "{errors:?}");
    }
    assert_eq!(connection_errors(&[("1", named("one")), ("2", named("two"))]).await, Vec::<String>::new());
}

#[tokio::test]
async fn no_set_of_tools_holds_two_of_one_name() {
    let workspace = Arc::new(seam_tools::Workspace::open(&Bed::new().workspace(), &[]).unwrap());
    let twice = seam_tools::tools(&workspace).into_iter().chain(seam_tools::tools(&workspace));
    assert!(matches!(ToolSet::new(twice), Err(ToolSetError::Duplicate(_))));
}

#[tokio::test]
async fn what_cannot_be_a_tool_is_an_error_at_the_start() {
    for (tool, fault) in [
        (json!({ "name": "a b", "do": "shout" }), "the name of a tool is not one"),
        (json!({ "name": "", "do": "shout" }), "the name of a tool is not one"),
        (json!({ "name": "x", "do": "shout", "description": "x".repeat(16_385) }), "is longer than 16 KiB"),
        (json!({ "name": "x", "do": "shout", "parameters": [] }), "the parameters of a tool is not a JSON object"),
    ] {
        let errors = connection_errors(&[("1", offers(json!([tool])))]).await;
        assert!(errors.len() == 1 && errors[0].contains(fault), "{errors:?}");
    }
}

#[tokio::test]
async fn a_plugin_offers_so_many_tools_at_most() {
    let many = |count: usize| {
        let tools: Vec<Value> = (0..count).map(|n| json!({ "name": format!("t{n}"), "do": "shout" })).collect();
        offers(json!(tools))
    };
    assert_eq!(connection_errors(&[("1", many(128)), ("2", offers(json!([])))]).await, Vec::<String>::new());
    let errors = connection_errors(&[("1", many(129))]).await;
    assert!(errors.len() == 1 && errors[0].contains("it offers 129 tools, more than 128"), "{errors:?}");
}
