//! `commands`: what the user can type as `/name arguments`.

use std::sync::Arc;

use seam_harness::{Conversation, Heard};
use seam_loop::CancellationToken;
use seam_plugins::{Settings, connect};
use seam_tests::bed::{Bed, engine, wait};
use seam_tests::talk::{Talk, says};
use seam_tests::three::{in_every_order, name, told};
use serde_json::{Value, json};

fn offers(commands: Value) -> Value {
    json!({ "commands": commands, "tell": ["commands", "input"], "observe": "quiet" })
}

async fn talk(plugin: &str, commands: Value) -> Talk {
    Bed::new().everything(plugin, offers(commands)).talk(json!([says("yes"), says("yes")])).await
}

#[tokio::test]
async fn a_reply_is_what_the_user_reads_and_nothing_is_sent() {
    let mut talk = talk("p", json!([{ "name": "hello", "do": "reply", "text": "hello {}" }])).await;
    assert_eq!(talk.say("/hello you").await, Heard::Replied("hello you".to_owned()));
    assert_eq!((talk.asked(), talk.transcript().len()), (0, 0));
    let offered: Vec<_> = talk.harness.commands().iter().map(|command| (&*command.name, &*command.plugin)).collect();
    assert_eq!(offered, [("hello", "p")]);
}

/// It takes the way of every input, as said by a plugin.
#[tokio::test]
async fn a_prompt_is_what_the_agent_is_asked() {
    let mut settings = offers(json!([{ "name": "fix", "do": "prompt", "text": "Fix {}" }]));
    settings["input"] = json!({ "do": "replace", "text": "{}, please" });
    let mut talk = Bed::new().everything("command-prompts", settings).talk(json!([says("yes")])).await;
    talk.say("/fix it").await;
    assert_eq!(talk.last_request().messages, ["user: Fix it, please"]);
    assert_eq!(
        told("command-prompts"),
        [
            r#"commands: Event { session: _, name: "fix", arguments: "it" }"#,
            r#"input: Event { text: "Fix it", images: [], source: Source::Plugin }"#,
        ]
    );
}

#[tokio::test]
async fn it_reads_the_conversation() {
    let mut settings = offers(json!([{ "name": "hello", "do": "reply", "text": "hello" }]));
    settings["tell"] = json!([]);
    settings["sees"] = json!(["commands"]);
    let mut talk = Bed::new().everything("command-reads", settings).talk(json!([says("yes")])).await;
    talk.say("hi").await;
    talk.say("/hello").await;
    assert_eq!(told("command-reads"), [r#"commands sees: user "hi" | assistant "yes""#]);
}

#[tokio::test]
async fn the_arguments_are_what_follows_the_name() {
    let mut talk = talk("p", json!([{ "name": "say", "do": "reply", "text": "<{}>" }])).await;
    for (said, arguments) in [("/say", ""), ("/say  a  b ", "a  b "), ("/say\na\nb", "a\nb")] {
        assert_eq!(talk.say(said).await, Heard::Replied(format!("<{arguments}>")), "{said:?}");
    }
}

#[tokio::test]
async fn a_failure_is_told_to_the_user_and_the_next_command_works() {
    let commands = json!([
        { "name": "fail", "do": "fail", "text": "no {}" }, { "name": "trap", "do": "trap" },
        { "name": "loop", "do": "loop" }, { "name": "hello", "do": "reply", "text": "hello" }
    ]);
    let bed = Bed::new().everything("p", offers(commands)).set("p", |settings| settings.limits.tool_time_ms = 300);
    let mut talk = bed.talk(json!([])).await;
    for (said, words) in [
        ("/fail way", "no way"),
        ("/trap", "Plugin `p` failed at `/trap`: it crashed (a panic or an abort)."),
        ("/loop", "Plugin `p` failed at `/loop`: it reached its time limit of 300 ms."),
    ] {
        assert_eq!(talk.say(said).await, Heard::Failed(words.to_owned()));
        assert_eq!(talk.say("/hello").await, Heard::Replied("hello".to_owned()));
    }
    assert_eq!(talk.asked(), 0);
}

#[tokio::test]
async fn an_abort_ends_it_and_the_next_one_works() {
    let commands = json!([{ "name": "loop", "do": "loop" }, { "name": "hello", "do": "reply", "text": "hello" }]);
    let bed = Bed::new().everything("p", offers(commands)).set("p", |settings| settings.limits.tool_time_ms = 60_000);
    let mut talk = bed.talk(json!([])).await;
    // More often than there are instances of a plugin.
    for _ in 0..10 {
        let abort = CancellationToken::new();
        let aborting = async {
            wait(30).await;
            abort.cancel();
        };
        let (heard, ()) = tokio::join!(talk.say_until("/loop", &abort), aborting);
        assert_eq!(heard, Heard::Failed("It was aborted.".to_owned()));
    }
    assert_eq!(talk.say("/hello").await, Heard::Replied("hello".to_owned()));
}

#[tokio::test]
async fn what_is_no_command_goes_on_as_input() {
    let mut talk = talk("no-command", json!([{ "name": "hello", "do": "reply", "text": "hello" }])).await;
    for said in ["/hell", "/helloo you", " /hello", "/", "hello"] {
        talk.say(said).await;
        assert!(talk.transcript().contains(&format!("user: {said}")), "{said:?}");
        assert!(told("no-command").concat().starts_with(&format!("input: Event {{ text: {said:?}")));
    }
}

/// Whose command it is does not depend on the order.
#[tokio::test]
async fn each_plugin_runs_its_own() {
    let command = |name: &str| json!({ "commands": [{ "name": name, "do": "reply", "text": format!("{name} {{}}") }] });
    for (order, bed) in in_every_order(["a", "b", "c"].map(command)) {
        let mut talk = bed.talk(json!([])).await;
        for letter in ["a", "b", "c"] {
            assert_eq!(talk.say(&format!("/{letter} x")).await, Heard::Replied(format!("{letter} x")), "{order}");
        }
        let plugins: Vec<_> = talk.harness.commands().iter().map(|command| command.plugin.to_string()).collect();
        assert_eq!(plugins, order.chars().map(|letter| name(order, letter)).collect::<Vec<_>>(), "{order}");
    }
}

async fn connection_errors(plugins: &[(&str, Value)]) -> Vec<String> {
    let bed = plugins.iter().fold(Bed::new(), |bed, (name, _)| bed.everything(name, json!({})));
    let settings = |name: &str| {
        let (_, commands) = plugins.iter().find(|(plugin, _)| *plugin == name).unwrap();
        Settings { config: offers(commands.clone()).as_object().unwrap().clone(), ..Settings::default() }
    };
    let (loaded, errors) = engine().load_folder(bed.plugins(), settings).await.unwrap();
    assert!(errors.is_empty(), "{errors:?}");
    let connected = connect(&loaded, Arc::new(Conversation::default()), Vec::new(), None).await;
    connected.errors.iter().map(|error| error.problem.to_string()).collect()
}

#[tokio::test]
async fn two_commands_of_one_name_are_an_error_at_the_start() {
    let command = json!({ "name": "hello", "do": "reply" });
    let errors = connection_errors(&[("1", json!([command])), ("2", json!([command]))]).await;
    assert_eq!(errors, ["its command `/hello` is also offered by plugin `1`; take one of them out"]);
    let errors = connection_errors(&[("1", json!([command, command]))]).await;
    assert_eq!(errors, ["its command `/hello` is also offered by plugin `1`; take one of them out"]);
}

#[tokio::test]
async fn a_name_that_cannot_be_typed_is_an_error_at_the_start() {
    for bad in ["", "Hello", "two words", "/hello"] {
        let errors = connection_errors(&[("1", json!([{ "name": bad, "do": "reply" }]))]).await;
        assert!(errors.len() == 1 && errors[0].contains("the name of a command is not one"), "{bad}: {errors:?}");
    }
}

#[tokio::test]
async fn a_plugin_offers_so_many_commands_at_most() {
    let many = |count: usize| -> Value {
        (0..count).map(|n| json!({ "name": format!("c{n}"), "do": "reply" })).collect::<Vec<_>>().into()
    };
    assert_eq!(connection_errors(&[("1", many(128))]).await, Vec::<String>::new());
    let errors = connection_errors(&[("1", many(129))]).await;
    assert!(errors.len() == 1 && errors[0].contains("it offers 129 commands, more than 128"), "{errors:?}");
}

#[tokio::test]
async fn a_description_is_one_bounded_clean_line() {
    let description = format!("a\u{1b}[2J\n\u{202e}b{}", "x".repeat(5000));
    let talk = talk("p", json!([{ "name": "hello", "do": "reply", "description": description }])).await;
    let shown = &talk.harness.commands()[0].description;
    assert!(shown.starts_with("a [2J bxxx") && shown.len() <= 1024, "{shown}");
}
