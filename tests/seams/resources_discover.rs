//! `resources-discover`: skills and prompt templates.

use seam_harness::seams::ResourceKind;
use seam_harness::{Event, Reason, SessionEvent};
use seam_loop::{Decider, Ruling};
use seam_tests::bed::{Bed, trail};
use seam_tests::talk::{Talk, says};
use seam_tests::three::{in_every_order, name, told};
use serde_json::{Value, json};

fn offers(skills: Value, templates: Value) -> Value {
    json!({ "resources-discover": { "skills": skills, "prompt-templates": templates }, "observe": "quiet" })
}

/// What is on offer, as `KIND NAME: TEXT (PLUGIN)`.
fn resources(talk: &Talk) -> Vec<String> {
    let resources = talk.harness.resources().iter().map(|resource| {
        let kind = if resource.kind == ResourceKind::Skill { "skill" } else { "template" };
        format!("{kind} {}: {} ({})", resource.name, resource.content, resource.plugin)
    });
    resources.collect()
}

#[tokio::test]
async fn what_is_offered_can_be_called_up() {
    let settings = offers(
        json!([["review", "Reviews", "Read it twice."]]),
        json!([["fix", "Fixes", "Fix $ARGUMENTS now."], ["plain", "Plain", "Say it."]]),
    );
    let turns = vec![says("yes"); 5];
    let mut talk = Bed::new().everything("p", settings).talk(json!(turns)).await;
    assert_eq!(
        resources(&talk),
        ["skill review: Read it twice. (p)", "template fix: Fix $ARGUMENTS now. (p)", "template plain: Say it. (p)"]
    );
    for (said, asked) in [
        ("/fix the bug", "user: Fix the bug now."),
        ("/plain", "user: Say it."),
        ("/plain again", "user: Say it.\n\nagain"),
        ("/skill:review", "user: Read it twice."),
        ("/review", "user: /review"),
    ] {
        talk.say(said).await;
        assert_eq!(talk.last_request().messages.last().unwrap(), asked);
    }
}

/// Of two of one kind and name the first counts, and the other is reported.
#[tokio::test]
async fn offers_add_up_and_the_first_of_a_name_counts() {
    let offer = |plugin: &str| offers(json!([["same", "", plugin], [plugin, "", plugin]]), json!([]));
    for (order, bed) in in_every_order([offer("a"), json!({}), offer("c")]) {
        let talk = bed.talk(json!([])).await;
        let offering = order.replace('b', "");
        let [first, second] = [0, 1].map(|place| offering[place..=place].chars().next().unwrap());
        let expected = [("same", first), (&offering[..1], first), (&offering[1..], second)];
        let expected = expected.map(|(named, plugin)| format!("skill {named}: {plugin} ({})", name(order, plugin)));
        assert_eq!(resources(&talk), expected, "{order}");
        let plugin = name(order, second);
        let reason = format!("1 of the 2 resources of plugin `{plugin}`, whose names are taken (`same`)");
        let decided = talk.decided();
        let last = decided.last().unwrap();
        assert_eq!((&last.by, &last.ruling), (&Decider::Host, &Ruling::Block { reason }), "{order}");
        assert!(!trail(&decided).concat().contains("failure"), "{order}");
    }
}

#[tokio::test]
async fn a_skill_and_a_template_may_have_one_name() {
    let settings = offers(json!([["same", "", "s"]]), json!([["same", "", "t"]]));
    let talk = Bed::new().everything("p", settings).talk(json!([])).await;
    assert_eq!(resources(&talk), ["skill same: s (p)", "template same: t (p)"]);
}

#[tokio::test]
async fn resources_are_bounded_in_number() {
    let skills = |plugin: &str, count: usize| {
        offers(
            json!((0..count).map(|place| json!([format!("{plugin}-{place}"), "", "x"])).collect::<Vec<_>>()),
            json!([]),
        )
    };
    let talk = Bed::new().everything("a", skills("a", 257)).everything("b", skills("b", 256)).talk(json!([])).await;
    assert_eq!(resources(&talk).len(), 256);
    assert_eq!(trail(&talk.decided()), ["a resources-discover failure", "b resources-discover change"]);

    let plugins = ["a", "b", "c", "d", "e"];
    let bed = plugins.iter().fold(Bed::new(), |bed, plugin| bed.everything(plugin, skills(plugin, 256)));
    let talk = bed.talk(json!([])).await;
    assert_eq!(resources(&talk).len(), 1024);
    assert_eq!(trail(&talk.decided()).last().unwrap(), "e resources-discover failure");
}

#[tokio::test]
async fn a_name_that_cannot_be_typed_is_the_plugins_failure_and_nothing_of_it_is_offered() {
    for bad in ["", "Upper", "two words", "a/b", "skill:x", &"n".repeat(65)] {
        let settings = offers(json!([["good", "", "x"], [bad, "", "x"]]), json!([]));
        let bed = Bed::new().everything("1", settings).everything("2", offers(json!([["other", "", "x"]]), json!([])));
        let talk = bed.talk(json!([])).await;
        assert_eq!(resources(&talk), ["skill other: x (2)"], "{bad}");
        assert_eq!(trail(&talk.decided())[0], "1 resources-discover failure", "{bad}");
    }
}

#[tokio::test]
async fn it_sees_why_it_is_asked_and_what_changed_is_told_once() {
    let mut settings = offers(json!([["review", "", "x"]]), json!([["fix", "", "x"]]));
    settings["tell"] = json!(["resources-discover"]);
    let mut talk = Bed::new().everything("discover-sees", settings).talk(json!([])).await;
    talk.harness.discover(Reason::Reload).await.unwrap();
    assert_eq!(
        told("discover-sees"),
        ["Startup", "Reload"]
            .map(|reason| format!("resources-discover: Event {{ session: _, reason: Reason::{reason} }}"))
    );
    let events = talk.events.lock().unwrap();
    let updates = events.iter().filter_map(|event| match event {
        Event::Session(SessionEvent::ResourcesUpdate { skills, prompt_templates }) => {
            Some((skills.join(" "), prompt_templates.join(" ")))
        }
        _ => None,
    });
    assert_eq!(updates.collect::<Vec<_>>(), [("review".to_owned(), "fix".to_owned())]);
}
