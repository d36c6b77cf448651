//! What is written of a call, and what becomes of it when it cannot be.

use seam_session::journal::{Crossing, Json, Outcome, Record, Rejected, Ruling, Run, read};
use seam_session::{Journal, JournalBounds};

use super::*;

/// A journal in a folder that goes with it.
pub(super) fn journal() -> (tempfile::TempDir, Arc<Journal>) {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::open(&folder.path().join("talk.jsonl"), "s", JournalBounds::default()).unwrap();
    (folder, Arc::new(journal))
}

/// One that takes no more.
pub(super) fn broken() -> (tempfile::TempDir, Arc<Journal>) {
    let (folder, journal) = journal();
    let text = |text: &'static str| text.into();
    let crossing = Crossing {
        plugin: text("p"),
        digest: text(""),
        seam: text("input"),
        function: text("receive"),
        instance: 1,
        shadow: false,
        call: None,
        took_us: 0,
        input: Json::new("[\n]"),
        host: Vec::new(),
        outcome: Outcome::Withheld(false),
    };
    journal.write(&Record::Crossing(crossing)).unwrap_err();
    (folder, journal)
}

/// What is written, in short.
pub(super) fn written(folder: &tempfile::TempDir) -> Vec<String> {
    let records = read(&folder.path().join("talk.jsonl")).unwrap().map(|found| found.unwrap().1);
    let told = records.map(|record| match record {
        Record::Open(_) => "open".to_owned(),
        Record::Ruling(Ruling { by, call, tool, arguments, ruling, questions, .. }) => {
            format!("{by:?} {call} {tool} {} {ruling:?} {questions:?}", arguments.text())
        }
        Record::Run(Run { call, tool, arguments, origin, replay }) => {
            format!("run {call} {tool} {} {} {replay}", arguments.text(), origin.text())
        }
        Record::Done(done) => format!("done {} {}", done.call, done.is_error),
        Record::Rejected(Rejected { plugin, seam, call, failure, refused }) => {
            format!("{plugin} {seam} {call:?} {}: {} {refused}", failure.kind, failure.text)
        }
        other => format!("{other:?}"),
    });
    told.collect()
}

#[tokio::test]
async fn a_call_is_written_down_before_it_runs_and_when_it_is_over() {
    let (folder, journal) = journal();
    let ask = Verdict::Ask("really?".to_owned());
    go_with(Some(journal), true, &[ask], Some(Verdict::Proceed)).await;
    assert_eq!(
        written(&folder),
        [
            "open",
            r#"User c count {"n":2} Proceed [("g0", "really?")]"#,
            r#"run c count {"n":2} "model" never"#,
            "done c false"
        ]
    );
}

#[tokio::test]
async fn what_the_user_refused_is_written_down_and_does_not_run() {
    let (folder, journal) = journal();
    let ask = Verdict::Ask("really?".to_owned());
    let no = Verdict::Ask(String::new());
    go_with(Some(journal), false, &[ask], Some(no)).await;
    let refused = r#"User c count {"n":1} Block("Refused by the user.") [("g0", "really?")]"#;
    assert_eq!(written(&folder), ["open", refused]);
}

#[tokio::test]
async fn what_cannot_be_written_down_does_not_run() {
    let yes = || Some(Verdict::Proceed);
    for verdict in [Verdict::Proceed, Verdict::Ask("really?".to_owned())] {
        let (_folder, journal) = broken();
        let (log, settled) = go_with(Some(journal), false, &[verdict], yes()).await;
        assert!(log.iter().all(|entry| !entry.starts_with("body") && !entry.starts_with("patch")), "{log:?}");
        let refused: ToolOutput = Refusal::new(texts::NOT_RECORDED).terminating(true).into();
        assert_eq!(format!("{:?}", settled.output), format!("{refused:?}"));
    }
}

/// Whatever was set for the plugin, and also for one that only runs beside the others.
#[tokio::test]
async fn a_gate_whose_answer_is_not_recorded_refuses() {
    let answer = || Err::<(), _>(Failure::NotRecorded);
    let bus = HookBus::default();
    for (on_failure, shadow) in [(crate::OnFailure::Skip, false), (crate::OnFailure::Refuse, true)] {
        let hook = Hook { on_failure, shadow, ..hook("g", Arc::new(())) };
        assert!(hook.answer(bus.at("tool-call"), answer(), &mut Trail::new()).is_err());
        let crash = Err::<(), _>(Failure::CouldNotStart);
        assert!(matches!(hook.answer(bus.at("tool-call"), crash, &mut Trail::new()), Ok(None)));
    }
}
