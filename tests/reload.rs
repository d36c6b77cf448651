//! Plugins that take the place of others between two runs: the conversation goes on, and what is under way with the old
//! ones ends with them.

mod calls;
mod journalled;
mod observed;

use seam_harness::{NewPlugins, NotReplaced, Restore, Upkeep};
use seam_tests::bed::{Bed, Session};
use seam_tests::talk::{Talk, says};
use serde_json::{Value, json};

/// Puts the plugins of a bed in the place of those there are. Gives what came of it, and the bed, which holds them.
async fn replaced(talk: &mut Talk, bed: Bed, restore: Restore) -> (Result<(), NotReplaced>, Bed) {
    let (session, commands) = bed.join(talk.harness.conversation(), Vec::new()).await;
    let Session { dispatcher, bed, .. } = session;
    let new = NewPlugins { dispatcher, commands, restore, upkeep: Upkeep::default() };
    (talk.harness.replace_plugins(new).await, bed)
}

/// The same, where it works out.
async fn replace(talk: &mut Talk, bed: Bed) -> Bed {
    let (replaced, bed) = replaced(talk, bed, Restore::default()).await;
    replaced.expect("they take their place");
    bed
}

/// A turn that calls a tool with a text.
fn calls(id: &str, tool: &str) -> Value {
    json!({ "content": [{ "toolCall": { "id": id, "name": tool, "args": { "text": "x" } } }] })
}

/// A bed with a gate that refuses everything, for this reason.
fn gate(name: &str, reason: &str) -> Bed {
    Bed::new().stress(name, json!({ "gate": { "say": reason } }))
}

/// What the results of calls say, the first line of each.
fn results(talk: &Talk) -> Vec<String> {
    let results = talk.transcript().into_iter().filter(|message| message.starts_with("tool: "));
    results.map(|text| text.lines().next().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn the_next_run_has_the_new_plugins_and_the_conversation_goes_on() {
    let turns = json!([calls("c", "echo"), says("a"), calls("c", "echo"), says("b"), calls("c", "echo"), says("c")]);
    let mut talk = gate("first", "by the first").talk(turns).await;
    talk.say("1").await;
    let second = replace(&mut talk, gate("second", "by the second")).await;
    talk.say("2").await;
    let none = replace(&mut talk, Bed::new()).await;
    talk.say("3").await;
    let results = results(&talk);
    assert!(results[0].contains("by the first") && results[1].contains("by the second"), "{results:?}");
    assert_eq!(results[2], "tool: x");
    // The last request holds everything from the first on.
    let request = talk.last_request();
    assert_eq!((request.messages.len(), &*request.messages[0]), (11, "user: 1"));
    // Ids are not given again.
    let ids: Vec<String> = talk
        .harness
        .transcript()
        .messages()
        .iter()
        .filter_map(|message| match &**message {
            seam_loop::Message::ToolResult(result) => Some(result.tool_call_id.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(ids, ["c", "c-2", "c-3"]);
    drop((second, none));
}

#[tokio::test]
async fn queued_messages_and_choices_stay() {
    let mut talk = Bed::new().talk(json!([says("a")])).await;
    let handle = talk.harness.handle();
    handle.next_turn(seam_loop::Message::user("queued before"));
    talk.harness.set_thinking_level(seam_loop::ThinkingLevel::High);
    let bed = replace(&mut talk, Bed::new()).await;
    handle.next_turn(seam_loop::Message::user("queued after"));
    talk.say("1").await;
    let request = talk.last_request();
    assert_eq!(request.messages, ["user: 1", "user: queued before", "user: queued after"]);
    assert!(request.model.ends_with("High"), "{}", request.model);
    drop(bed);
}

#[tokio::test]
async fn tools_commands_and_resources_are_those_of_the_new_plugins() {
    let offers = |name: &str| {
        Bed::new().everything(
            name,
            json!({
                "tools": [{ "name": format!("tool-{name}"), "do": "shout" }],
                "commands": [{ "name": format!("command-{name}"), "do": "reply", "text": "yes" }],
                "resources-discover": { "skills": [[format!("skill-{name}"), "", "text"]] },
                "observe": "quiet", "observe-at": { "tools-update": "note", "resources-update": "note" },
            }),
        )
    };
    let mut talk = offers("offers-a").talk(json!([says("a"), says("b")])).await;
    talk.say("1").await;
    assert!(talk.last_request().tools.contains(&"tool-offers-a".to_owned()));
    let bed = replace(&mut talk, offers("offers-b")).await;
    talk.say("2").await;
    let tools = talk.last_request().tools;
    assert!(tools.contains(&"tool-offers-b".to_owned()) && !tools.contains(&"tool-offers-a".to_owned()), "{tools:?}");
    let commands: Vec<&str> = talk.harness.commands().iter().map(|command| &*command.name).collect();
    let resources: Vec<&str> = talk.harness.resources().iter().map(|resource| &*resource.name).collect();
    assert_eq!((commands, resources), (vec!["command-offers-b"], vec!["skill-offers-b"]));
    assert!(matches!(talk.say("/command-offers-b").await, seam_harness::Heard::Replied(reply) if reply == "yes"));
    talk.close().await;
    let notes = seam_tests::notes::take("offers-b");
    assert!(notes.iter().any(|note| note.starts_with("tools-update:") && note.contains("tool-offers-b")), "{notes:?}");
    assert!(notes.iter().any(|note| note.contains("skill-offers-b")), "{notes:?}");
    drop(bed);
}

#[tokio::test]
async fn active_tools_that_are_gone_are_dropped_kept_or_a_reason_to_stay() {
    let shouts = || {
        Bed::new().everything("shouts", json!({ "tools": [{ "name": "shout", "do": "shout" }], "observe": "quiet" }))
    };
    for (restore, is_replaced, back) in
        [(Restore::Drop, true, false), (Restore::Keep, true, true), (Restore::Fail, false, true)]
    {
        let mut talk = shouts().talk(json!([says("a"), says("b")])).await;
        talk.harness.set_active_tools(vec!["shout".to_owned(), "echo".to_owned()]).unwrap();
        let (replaced, bed) = replaced(&mut talk, Bed::new(), restore).await;
        assert_eq!(replaced.is_ok(), is_replaced, "{restore:?}");
        if let Err(error) = replaced {
            assert_eq!(
                error.to_string(),
                "tools are active that would not be there any more: shout; put the plugins back that offer them, or set \
                 `missing-tools` under `[session]` to `drop` or `keep`"
            );
        }
        talk.say("1").await;
        let tools = talk.last_request().tools;
        assert_eq!(tools.contains(&"shout".to_owned()), !is_replaced, "{restore:?}");
        let shouts = replace(&mut talk, shouts()).await;
        talk.say("2").await;
        let tools = talk.last_request().tools;
        assert_eq!(
            (tools.contains(&"shout".to_owned()), tools.contains(&"ls".to_owned())),
            (back, false),
            "{restore:?}"
        );
        drop((bed, shouts));
    }
}

#[tokio::test]
async fn new_ones_that_refuse_leave_the_old_ones_in_force() {
    let mut talk = gate("stays", "by the old").talk(json!([calls("c", "echo"), says("a")])).await;
    let traps = json!({ "resources-discover": { "do": "trap" }, "observe": "quiet" });
    let bed = Bed::new().everything("traps", traps).set("traps", |settings| {
        settings.on_failure = seam_plugins::OnFailureRules::Everywhere(seam_plugins::Word::Refuse);
    });
    let (replaced, bed) = replaced(&mut talk, bed, Restore::default()).await;
    let error = replaced.unwrap_err().to_string();
    assert!(error.contains("traps"), "{error}");
    talk.say("1").await;
    assert!(results(&talk)[0].contains("by the old"), "{:?}", results(&talk));
    drop(bed);
}

#[tokio::test]
async fn those_of_another_conversation_are_not_taken() {
    let mut talk = Bed::new().talk(json!([])).await;
    let (session, commands) = Bed::new().start_with(Vec::new()).await;
    let new =
        NewPlugins { dispatcher: session.dispatcher, commands, restore: Restore::default(), upkeep: Upkeep::default() };
    assert!(matches!(talk.harness.replace_plugins(new).await, Err(NotReplaced::Elsewhere)));
}

/// What the old ones held is free again: there is room for 500 instances in all.
#[tokio::test]
async fn after_very_many_changes_the_last_ones_work_as_the_first() {
    let names = ["a", "b", "c", "d"];
    let four = || names.iter().fold(Bed::new(), |bed, name| bed.stress(name, json!({})));
    let rounds = 130;
    let turns = (0..=rounds).flat_map(|round| [calls(&format!("c{round}"), "echo"), says("a")]);
    let mut talk = four().talk(turns.collect()).await;
    talk.say("go").await;
    for _ in 0..rounds {
        let _bed = replace(&mut talk, four()).await;
        talk.say("go").await;
    }
    assert_eq!(results(&talk), vec!["tool: x"; rounds + 1]);
}
