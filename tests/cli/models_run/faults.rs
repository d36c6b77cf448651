//! What a person reads when a provider fails.

use std::net::TcpListener;

use seam_tests::models::{End, Frames, Plan, Protocol, Said, Trouble};

use super::{Ended, Place};

/// What a run prints of these answers, on both streams, as a person reads it.
fn told(plans: Vec<Plan>, code: i32) -> String {
    let place = Place::new();
    plans.into_iter().for_each(|plan| place.server.push(plan));
    let ended = place.run("anthropic/claude-sonnet-4-5", &["--no-session"]);
    assert_eq!(ended.code, code, "{ended:?}");
    format!("{}{}", ended.out, ended.err)
}

fn trouble(trouble: Trouble) -> Plan {
    Plan::trouble(Protocol::Anthropic, trouble)
}

#[test]
fn what_does_not_pass_ends_the_run_and_says_what_to_do() {
    let troubles = [Trouble::WrongKey, Trouble::NoCredit, Trouble::NoSuchModel, Trouble::TooLarge];
    insta::assert_snapshot!(troubles.map(|it| told(vec![trouble(it)], 1)).concat(), @r#"
    no plugins: nothing is checked

    seam: the run failed: anthropic answered 401: invalid x-api-key. Look whether `ANTHROPIC_API_KEY` is a valid key for it (keys are made at https://console.anthropic.com/settings/keys)
    no plugins: nothing is checked

    seam: the run failed: anthropic answered 400: Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits. Look at the account that `ANTHROPIC_API_KEY` belongs to (keys are made at https://console.anthropic.com/settings/keys), or choose another model
    no plugins: nothing is checked

    seam: the run failed: anthropic answered 404: model: claude-nonsense. Look whether it has the model `claude-sonnet-4-5` (`seam models anthropic` lists those that are known), and whether `base-url` is right (http://SERVICE/v1)
    no plugins: nothing is checked

    seam: the run failed: anthropic answered 413: Request exceeds the maximum size. The conversation was not made shorter: Nothing to compact: everything that was said is recent, and is kept as it is. Begin a new session, choose a model that can read more, or say less at once
    "#);
}

#[test]
fn what_passes_is_tried_again() {
    let plans = vec![
        trouble(Trouble::Overloaded).header("retry-after", "0"),
        Plan::whole(Protocol::Anthropic, &Said::text("I am back.")),
    ];
    insta::assert_snapshot!(told(plans, 0), @r#"
    no plugins: nothing is checked

      the provider failed: anthropic answered 529: Overloaded; attempt 1 of 3 in 0 s
    I am back.

    anthropic/claude-sonnet-4-5 · 34 tokens read (13 cached), 34 written · $0.0006
    "#);
    insta::assert_snapshot!(told(vec![trouble(Trouble::Overloaded).header("retry-after", "600")], 1), @r#"
    no plugins: nothing is checked

    seam: the run failed: anthropic answered 529: Overloaded. The provider asks to wait 600 s: try again then
    "#);
}

/// What came is not taken for the answer.
#[test]
fn a_response_that_breaks_off_is_asked_for_again() {
    let frames = Frames::of(Protocol::Anthropic, &Said::text("I say it to the end.").in_pieces(4));
    let half = frames.ends()[5];
    let plans = vec![
        frames.plan().truncated(half, End::Cut),
        Plan::whole(Protocol::Anthropic, &Said::text("I say it to the end.")),
    ];
    let told = told(plans, 0);
    // How exactly it broke off is the network's.
    let (said, rest) = told.split_once("broke off: ").unwrap();
    let (_, rest) = rest.split_once(". Look").unwrap();
    insta::assert_snapshot!(format!("{said}broke off: HOW. Look{rest}"), @r#"
    no plugins: nothing is checked
    I say it to the
      the provider failed: anthropic: the connection broke off: HOW. Look whether http://SERVICE/v1 can be reached: `seam doctor` tries it; attempt 1 of 3 in 0 s
    I say it to the end.

    anthropic/claude-sonnet-4-5 · 68 tokens read (26 cached), 35 written · $0.0006
    "#);
}

#[test]
fn a_service_that_is_not_there_is_told_with_its_address() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let place = Place::new();
    let settings =
        format!("[providers.anthropic]\nbase-url = \"http://127.0.0.1:{port}/v1\"\n[retry]\nmax = 1\nbase-ms = 1\n");
    std::fs::write(place.home().join("config/seam/seam.toml"), settings).unwrap();
    let Ended { code, out, err } = place.run("anthropic/x", &["--no-session"]);
    assert_eq!(code, 1);
    let told = format!("{out}{err}").replace(&port.to_string(), "PORT");
    insta::assert_snapshot!(told, @r#"
    no plugins: nothing is checked
    `anthropic/x` is not in the table: taken to read 128,000 tokens and write 8,192, to see pictures, and not to think; say otherwise under `[providers.anthropic.models."x"]`

      the provider failed: anthropic: tcp connect error: Connection refused (os error 111). Look whether http://127.0.0.1:PORT/v1 can be reached: `seam doctor` tries it; attempt 1 of 1 in 0 s

    seam: the run failed: anthropic: tcp connect error: Connection refused (os error 111). Look whether http://127.0.0.1:PORT/v1 can be reached: `seam doctor` tries it
    "#);
}
