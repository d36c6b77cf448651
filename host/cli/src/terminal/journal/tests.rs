use seam_session::journal::{Done, Failure, HostCall, Json, Mended, Run};
use serde_json::json;

use super::*;

fn crossing(seam: &'static str, input: &'static str, outcome: Outcome<'static>, took_us: u64) -> Record<'static> {
    let (plugin, digest, function, call) = ("guard".into(), "ab".into(), "decide".into(), Some("c1".into()));
    let (seam, input, host, shadow) = (seam.into(), Json::new(input), Vec::<HostCall<'_>>::new(), false);
    Record::Crossing(Crossing {
        plugin,
        digest,
        seam,
        function,
        instance: 1,
        shadow,
        call,
        took_us,
        input,
        host,
        outcome,
    })
}

#[test]
fn what_came_of_a_check_is_told_with_what_is_no_fault() {
    let found = Verified { lines: 3, dropped: 7, entries: 2, segments: 1, torn: 5, ..Verified::default() };
    let told = [
        "intact: 3 lines in 1 file",
        "7 older lines are gone: the journal was too long to keep them",
        "it begins after 2 entries of the session: that is a fork, kept no journal before, or an earlier one was removed",
        "half a line of 5 bytes is at its end: a process was killed while it wrote; the next run cuts it off",
    ];
    assert_eq!(verified(&found, Style::plain()).lines().collect::<Vec<_>>(), told);
}

fn answer(text: &'static str) -> Outcome<'static> {
    Outcome::Answer(Json::new(text))
}

fn records() -> Vec<Record<'static>> {
    let asked = r#"[{"call":{"id":"c1","tool":"bash","arguments":"{\"command\":\"ls\"}"}}]"#;
    let plugin = Plugin {
        name: "guard".into(),
        digest: "0123456789abcdef".into(),
        settings: "".into(),
        instance: "call".into(),
        shadow: true,
        time_ms: 250,
        memory_mib: 64,
    };
    let open = |segment, run| {
        Record::Open(Open { session: "s".into(), segment, oldest: 1, entries: 0, run, durability: None })
    };
    let (call, tool, arguments) = ("c1".into(), "bash".into(), Json::new(r#"{"command":"ls"}"#));
    let ruling = Ruling {
        by: By::User,
        seam: "tool-call".into(),
        call: "c1".into(),
        tool: "bash".into(),
        arguments: arguments.clone(),
        ruling: Verdict::Proceed,
        questions: vec![("guard".into(), "sure?".into())],
    };
    let blocked =
        Ruling { by: By::Host, ruling: Verdict::Block("no\nway".into()), questions: Vec::new(), ..ruling.clone() };
    let run = Run { call, tool, arguments, origin: Json::new(r#"{"plugin":"other"}"#), replay: "never".into() };
    let rejected = Rejected {
        plugin: "guard".into(),
        seam: "input".into(),
        call: None,
        failure: Failure { kind: "invalid-answer".into(), text: "its answer is not usable: x".into() },
        refused: true,
    };
    let failure = Outcome::Failure { kind: "crash".into(), text: "it crashed (a panic)".into() };
    vec![
        open(1, 1),
        Record::Plugin(plugin.clone()),
        crossing("turn-start", r#"[{"session":"s","turn":2}]"#, answer("null"), 999),
        crossing("tool-call", asked, answer(r#"{"ask":"sure?"}"#), 1_000),
        crossing("tool-call", asked, answer(r#"{"block":{"reason":"it is late","terminate":false}}"#), 123_456),
        crossing("tool-call", asked, failure, 2_000_000),
        crossing("prepare-request", "[{\"turn\":1}]", answer(r#"[{"model":"x"},{"model":"y"},{"level":"z"}]"#), 5),
        crossing("get-api-key", r#"[{"provider":"p"}]"#, Outcome::Withheld(true), 5),
        Record::Ruling(ruling),
        Record::Ruling(blocked),
        Record::Run(run),
        Record::Done(Done { call: "c1".into(), is_error: true, took_us: 45_678 }),
        open(2, 1),
        Record::Plugin(plugin),
        Record::Mended(Mended { bytes: 3, lost: None }),
        Record::Rejected(rejected.clone()),
        Record::Rejected(Rejected { refused: false, ..rejected }),
    ]
}

#[test]
fn columns_are_aligned_and_a_run_is_a_block() {
    let mut table = Table::new(Style::plain());
    let line = |index: u64| Line { n: index + 1, time: 1_796_049_463_120, segment: 1, line: 1 };
    let records = records();
    (0..).zip(&records).for_each(|(index, record)| table.measure(&line(index), record));
    let text: String = (0..).zip(&records).map(|(index, record)| table.row(&line(index), record)).collect();
    let expected = "\
run 1, 2026-11-30 14:37:43 UTC
    guard: sha256 0123456789ab, an instance for each call, 250 ms, 64 MiB, a shadow
 3  14:37:43  guard  turn-start       -              999 µs  turn=2
 4  14:37:43  guard  tool-call        ask            1.0 ms  bash  ls
              sure?
 5  14:37:43  guard  tool-call        block          123 ms  bash  ls
              it is late
 6  14:37:43  guard  tool-call        failed          2.0 s  bash  ls
              it crashed (a panic)
 7  14:37:43  guard  prepare-request  model, level     5 µs  turn=1
              [{\"model\":\"x\"},{\"model\":\"y\"},{\"level\":\"z\"}]
 8  14:37:43  guard  get-api-key      a key            5 µs  provider=\"p\"
 9  14:37:43  you    tool-call        proceed                bash  ls
              guard asked: sure?
10  14:37:43  host   tool-call        block                  bash  ls
              no⏎ way
11  14:37:43  other  c1               runs                   bash  ls
12  14:37:43         c1               error         45.6 ms  bash  ls
segment 2, 2026-11-30 14:37:43 UTC
15  14:37:43  host                    mended
              half a line of 3 bytes was cut off, lines may be missing
16  14:37:43  guard  input            not usable             refused for it
              its answer is not usable: x
17  14:37:43  guard  input            not usable             it went on without it
              its answer is not usable: x
";
    assert_eq!(text, expected, "{text}");
}

/// What is long is cut, and no line is wider than a terminal.
#[test]
fn no_line_is_wider_than_100_characters() {
    let mut table = Table::new(Style::plain());
    let arguments = json!({ "command": "ü".repeat(300) }).to_string();
    let input = json!([{ "call": { "tool": "t".repeat(200), "arguments": arguments } }]).to_string();
    let answer = json!({ "case".repeat(30): "why ".repeat(300) }).to_string();
    let Record::Crossing(mut record) = crossing("before-provider-request", "[]", Outcome::Withheld(true), 999_999)
    else {
        return;
    };
    (record.input, record.outcome) = (Json::new(input), Outcome::Answer(Json::new(answer)));
    (record.plugin, record.shadow) = ("p".repeat(200).into(), true);
    let line = Line { n: 1_234_567, time: 1_796_049_463_120, segment: 1, line: 1 };
    let record = Record::Crossing(record);
    table.measure(&line, &record);
    let text = table.row(&line, &record);
    let widths: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
    assert_eq!(widths, [100, 100], "{text}");
}

#[test]
fn durations_have_three_digits_or_so() {
    let told = [0, 999, 1_000, 1_949, 99_999, 100_000, 999_999, 1_000_000, 61_550_000].map(took);
    assert_eq!(told, ["0 µs", "999 µs", "1.0 ms", "1.9 ms", "99.9 ms", "100 ms", "999 ms", "1.0 s", "61.5 s"]);
}

#[test]
fn what_a_plugin_sent_stands_below_what_it_said() {
    let asked = r#"[{"call":{"id":"c1","tool":"bash","arguments":"{\"command\":\"ls\"}"}}]"#;
    let request = |arguments: &'static str, answer: &'static str| HostCall {
        import: "wasi:http/outgoing-handler.handle".into(),
        arguments: Json::new(arguments),
        answer: Json::new(answer),
    };
    let mut record = crossing("tool-call", asked, answer("\"proceed\""), 800);
    let Record::Crossing(crossing) = &mut record else { unreachable!() };
    crossing.host = vec![
        HostCall { import: "config.get".into(), arguments: Json::new("[]"), answer: Json::new("\"{}\"") },
        request(r#"["POST","https","api.example.com","/v1?a=b"]"#, r#"{"ok":200}"#),
        request(r#"["GET","http","evil.example","/\u001b[2J"]"#, r#"{"err":"HTTP request denied"}"#),
        request(r#"["GET","https","slow.example","/"]"#, "null"),
    ];
    let line = Line { n: 1, time: 0, segment: 1, line: 1 };
    let mut table = Table::new(Style::plain());
    table.measure(&line, &record);
    let told = table.row(&line, &record);
    let told: Vec<&str> = told.lines().skip(1).map(str::trim_start).collect();
    assert_eq!(
        told,
        [
            "sent POST https://api.example.com/v1?a=b: 200",
            "sent GET http://evil.example/[2J: HTTP request denied",
            "sent GET https://slow.example/: given up",
        ]
    );
}
