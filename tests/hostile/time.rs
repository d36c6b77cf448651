//! Time: loops, sleeps, slow starts.

use std::time::{Duration, Instant};

use seam_tests::bed::{Bed, text};
use seam_tests::hostile::deed;
use serde_json::json;

use super::{assert_all_end, assert_ends, refused};

#[tokio::test]
async fn no_loop_is_endless() {
    let loops = [
        "an endless loop",
        "an endless loop at its start",
        "an endless loop in its allocator",
        "an endless loop in its clean-up",
    ];
    for name in loops {
        let began = Instant::now();
        assert_ends(&deed(name)).await;
        assert!(began.elapsed() < Duration::from_secs(5), "{name}: {:?}", began.elapsed());
    }
}

/// Time in the host counts, whatever the guest waits for.
#[tokio::test]
async fn who_sleeps_is_woken() {
    assert_all_end(&["a sleep of an hour in the host"]).await;
}

/// On the only thread there is.
#[tokio::test(flavor = "current_thread")]
async fn a_slow_start_holds_nobody_else_up() {
    let session = deed("a slow start").bed().set("hostile", |settings| {
        settings.instance = seam_plugins::InstancePolicy::Call;
        settings.limits.time_ms = 10_000;
    });
    let session = session.start().await;
    let mut turns = 0;
    let others = async {
        loop {
            tokio::time::sleep(Duration::from_millis(1)).await;
            turns += 1;
        }
    };
    let told = tokio::select! {
        () = others => unreachable!(),
        settled = session.echo("x") => text(&settled),
    };
    assert_eq!(told, "x");
    // A start that did not yield would leave at most one.
    assert!(turns > 1, "{turns}");
}

/// Its start counts as a call does: one that takes too long is no start.
#[tokio::test]
async fn a_start_has_a_limit_too() {
    let bed = deed("a slow start").bed().set("hostile", |settings| settings.limits.time_ms = 5);
    let folder = bed.plugins();
    let settings = |_: &str| seam_plugins::Settings {
        limits: seam_plugins::Limits { time_ms: 5, ..seam_plugins::Limits::default() },
        ..seam_plugins::Settings::default()
    };
    let (_, errors) = seam_tests::bed::engine().load_folder(folder, settings).await.unwrap();
    assert!(errors[0].problem.to_string().contains("it reached its time limit of 5 ms"), "{errors:?}");
}

#[tokio::test]
async fn it_ends_no_program_but_itself() {
    assert_all_end(&["an end of the program"]).await;
}

#[tokio::test]
async fn a_crash_is_told_without_its_words() {
    let told = deed("a crash").happen().await;
    assert!(
        told.starts_with("Not run: plugin `hostile` failed at `tool-call`: it crashed (a panic or an abort)."),
        "{told}"
    );
}

#[tokio::test]
async fn the_time_limit_is_the_plugins_own() {
    let bed = Bed::new().stress("a", json!({ "gate": "loop" })).time_limit("a", 50).stress("b", json!({}));
    let session = bed.start().await;
    refused(&session, "plugin `a` failed at `tool-call`: it reached its time limit of 50 ms").await;
}

/// On the only thread there is: a looping guest stalls nothing else.
#[tokio::test(flavor = "current_thread")]
async fn a_looping_guest_yields_to_everything_else() {
    let session = Bed::new().stress("s", json!({ "gate": "loop" })).time_limit("s", 500).start().await;
    let mut turns = 0;
    let others = async {
        loop {
            tokio::time::sleep(Duration::from_millis(5)).await;
            turns += 1;
        }
    };
    tokio::select! {
        () = others => {}
        () = refused(&session, "time limit") => {}
    }
    // A guest that did not yield would leave at most one.
    assert!(turns > 5, "{turns}");
}

/// Time a guest waits for others is not its own: a busy batch makes no failures.
#[tokio::test]
async fn guests_that_run_at_once_do_not_use_up_each_others_time() {
    let session = Bed::new().stress("s", json!({ "patch": { "spin": 20 } })).start().await;
    let call = || session.echo("x");
    let alone = std::time::Instant::now();
    assert!(!call().await.output.is_error);
    let alone = alone.elapsed();
    let all =
        tokio::join!(call(), call(), call(), call(), call(), call(), call(), call(), call(), call(), call(), call());
    let all: [_; 12] = all.into();
    let told: Vec<String> = all.iter().filter(|settled| settled.output.is_error).map(text).collect();
    assert!(told.is_empty(), "one alone takes {alone:?}; {told:?}");
}

#[tokio::test]
async fn many_short_calls_do_not_add_up_to_a_limit() {
    let session = Bed::new().stress("s", json!({ "gate": { "spin": 1 } })).time_limit("s", 100).start().await;
    for _ in 0..300 {
        assert!(!session.echo("x").await.output.is_error);
    }
}
