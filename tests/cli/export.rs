//! `seam session export --html`: the page as a file.

mod browser;
mod html;
mod made;

use std::fs;
use std::path::Path;

use serde_json::json;
use tempfile::TempDir;

use super::{Project, SECRET, call, seam};
use html::{elements, words};
use made::{Made, SHOWN};

/// What would end a text, an attribute, a script or a style, if it were not escaped.
const HOSTILE: &str = "\"'><img src=x onerror=alert(1)></script><script>alert(2)</script><!--</style>--><a id=data \
                       href=javascript:alert(3)>\u{202e}\u{0}\u{1b}[2J\u{85}&lt;`";

/// The page of a session file.
fn page(file: &Path) -> String {
    let mut seam = seam();
    seam.args(["session", "export", "--html", "--output", "-"]).arg(file);
    let output = seam.assert().success().get_output().clone();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8(output.stdout).unwrap()
}

/// The words of the page, without what changes from run to run.
fn read(file: &Path) -> String {
    let text = words(&page(file)).replace(&file.parent().unwrap().display().to_string(), "FOLDER");
    let lines = text.lines().map(|line| {
        let word = |word: &str| match word.len() {
            8 | 12 if word.bytes().filter(|byte| *byte == b':').count() == 2 => "WHEN".to_owned(),
            10 if word.starts_with("20") && word.bytes().filter(|byte| *byte == b'-').count() == 2 => "DAY".to_owned(),
            _ if word.starts_with("\"20") && word.ends_with("Z\"") => "WHEN".to_owned(),
            _ => word.to_owned(),
        };
        line.split(' ').map(word).collect::<Vec<_>>().join(" ")
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    let (before, after) = text.split_once("\nlength\n").unwrap_or((&text, "\n"));
    format!("{before}\nlength\nLENGTH\n{}", after.split_once('\n').unwrap().1)
}

/// What the page says of its two files.
fn notes(file: &Path) -> Vec<String> {
    let page = page(file);
    let notes = page.split_once("<ul class=\"notes\">").unwrap().1.split_once("</ul>").unwrap().0;
    words(notes).lines().map(str::to_owned).collect()
}

#[test]
fn a_page_as_a_person_reads_it() {
    let folder = TempDir::new().unwrap();
    let text = read(&Made::full(folder.path(), "").file);
    insta::assert_snapshot!(text, @r#"
    name
    A seam session
    name
    8 messages
    3 tool calls ▸
    1 error result
    2 refused ✕
    3 changed ~
    1 asked ?
    1 failure of a plugin !
    session
    id
    workspace
    /work
    model
    p/m
    from
    DAY WHEN UTC
    to
    DAY WHEN UTC
    length
    LENGTH
    forked from
    /parent
    file
    FOLDER/s.jsonl
    2 plugins
    gate sha256 digest
    shadow sha256 digest, in shadow mode: its answers change nothing
    the journal has 18 lines, and their chain is whole
    ! the session file: line 16 is of the unknown type `later`; it is kept
    Time line
    The time line is drawn by a script, and scripts are off. Who decided what stands in the conversation too.
    Scale
    in order
    by the clock
    Zoom
    −
    all
    +
    What is shown
    Conversation
    model: p/m
    You label
    WHEN
    00000002
    Please count.
    [a picture of the type `image/svg+xml`, 4 bytes: not shown; line 3 of the file]
    [content of the type `block`]
    label: `label` for 00000002
    ~ gate gave a key; it is recorded nowhere · called log.write
    get-api-key · 1.2 ms · WHEN
    nothing to say: gate · watched by gate
    · gate nothing to say · called log.write
    input · 1.2 ms · WHEN
    o gate saw it · called log.write
    agent-start · 1.2 ms · WHEN
    p/m
    WHEN
    00000004
    Reasoning, 8 bytes
    I think.
    I count.
    It ended: error
    10 tokens in, 5 out
    → bash ✓ done 2.5 s
    command
    seq 3
    lines
    a
    b
    ~ gate rewrote the arguments: {} · called log.write
    rewrite-tool-call · 1.2 ms · WHEN
    ? gate asked: Sure? · called log.write
    tool-call · 1.2 ms · WHEN
    ▸ you allowed it (gate asked: Sure?)
    tool-call · WHEN
    ▸ tools ran it
    bash · 2.5 s · WHEN
    ~ gate changed: content · called log.write
    tool-result · 1.2 ms · WHEN
    1
    2
    3
    Details, 14 bytes
    {
    "d": "d"
    }
    → edit ✓ done 2.5 s
    edits
    -old
    +new
    deep
    {
    "a": [
    "x"
    ]
    }
    ▸ tools ran it
    edit · 2.5 s · WHEN
    ✕ shadow in shadow mode, without effect: refused: no · called log.write
    tool-call · 1.2 ms · WHEN
    1
    2
    3
    --- a
    +++ b
    @@ -1 +1 @@
    -old
    +new
    → read ✕ not run
    path
    .env
    ✕ host rules refused: protected
    tool-call · WHEN
    ✕ gate refused: no · called log.write
    tool-call · 1.2 ms · WHEN
    ! gate failed (trap): unreachable · called log.write
    tool-call · 1.2 ms · WHEN
    1
    2
    3
    A summary of a branch that was left
    WHEN
    0000000b
    a branch
    Compacted: for the model, this summary stands for what came before
    WHEN
    0000000c
    9 tokens before.
    so far
    note
    WHEN
    0000000d
    hi
    state of: state
    later
    An entry of the unknown type later
    {
    "type": "later",
    "field": "field",
    "id": "0000000f",
    "parentId": "0000000e",
    "timestamp": WHEN
    }
    role
    WHEN
    00000010
    words
    You, in the shell
    WHEN
    00000011
    $ ls
    file
    lost a result without its call
    x
    name: name
    Other branches
    The conversation above is the branch that the session goes on from. Here is what else the file has.
    3 entries, 2 messages
    It leaves the conversation after this entry .
    00000008 you: Another way.
    00000009 p/m: I went.
    0000000a moved to: 00000007
    Written by seam 0.1.0. It shows the session file, and of its journal who decided what, when and for how long. What plugins were shown is in the journal alone.
    "#);
}

/// Whatever the texts say: the same elements with the same attributes, in the same order.
#[test]
fn hostile_words_add_no_element_and_no_attribute() {
    let (plain, hostile) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let filler = "x".repeat(HOSTILE.len());
    let plain = page(&Made::full(plain.path(), &filler).file);
    let hostile = page(&Made::full(hostile.path(), HOSTILE).file);
    assert_eq!(elements(&hostile), elements(&plain));
    assert!(hostile.chars().all(|c| c == '\n' || c == '\t' || !c.is_control() && c != '\u{202e}'));
    assert!(hostile.contains("\\u{202e}\\u{0}\\u{1b}[2J\\u{85}&amp;lt;`"), "what cannot be seen is named");
    assert_eq!(hostile.matches("<img").count(), 1, "the picture of the session");
}

#[test]
fn a_page_lets_nothing_be_loaded_and_nothing_else_be_run() {
    let folder = TempDir::new().unwrap();
    let page = page(&Made::full(folder.path(), "").file);
    let policy = page.split("Content-Security-Policy\" content=\"").nth(1).unwrap().split('"').next().unwrap();
    let parts: Vec<&str> = policy.split("; ").collect();
    assert_eq!(
        parts[..5],
        [
            "default-src 'none'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'"
        ]
    );
    assert!(parts[5].starts_with("style-src 'sha256-") && parts[6].starts_with("script-src 'sha256-"), "{policy}");
    assert_eq!((parts.len(), page.contains("style=\"")), (7, false));
    for outside in ["http:", "https:", "url(", "@import", "//cdn"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

/// A result that held a secret went through a plugin that took it out. The page shows what is left of it.
#[test]
fn what_plugins_were_shown_is_not_on_the_page() {
    let folder = TempDir::new().unwrap();
    assert!(!page(&Made::full(folder.path(), "").file).contains(SHOWN));
}

/// A real run: who decided what, beside each call, and nothing of what was taken out.
#[test]
fn the_page_of_a_run_tells_who_decided_what() {
    let calls = json!([
        { "content": [
            call("c1", "write", json!({ "path": ".env", "content": "x" })),
            call("c2", "read", json!({ "path": "key.txt" })),
        ] },
        { "content": [{ "text": "Done." }] }
    ]);
    let project = Project::new(&calls).plugin("protected-paths").plugin("redact-secrets");
    let project = project.file("key.txt", &format!("key {SECRET}\n"));
    project.run().arg("go").assert().success();
    let folder = fs::read_dir(project.elsewhere.path().join("sessions")).unwrap().next().unwrap().unwrap().path();
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let session = files.into_iter().find(|file| file.extension().is_some_and(|end| end == "jsonl")).unwrap();
    let shown = read(&session);
    assert!(shown.contains("→ write ✕ not run\n"), "{shown}");
    assert!(shown.contains("✕ protected-paths refused: "), "{shown}");
    assert!(shown.contains("→ read ✓ done "), "{shown}");
    assert!(shown.contains("~ redact-secrets changed: content") && shown.contains("key [redacted: "), "{shown}");
    let journal = fs::read_to_string(session.with_extension("journal")).unwrap();
    assert!(journal.contains(SECRET), "the plugin was shown it");
    assert!(!page(&session).contains(SECRET));
}

/// Bug log 98.
#[test]
fn entries_that_are_not_as_they_should_be_are_shown() {
    let folder = TempDir::new().unwrap();
    let mut made = Made::new(folder.path(), "");
    let calls = json!([
        { "type": "toolCall", "id": "c1", "name": "bash", "arguments": null },
        { "type": "toolCall", "arguments": { "a": 1 } },
        { "type": "toolCall", "id": "c3", "name": 7, "arguments": "text" },
        null, 7, { "text": "no type" },
    ]);
    made.message(json!({ "role": "assistant", "content": calls }));
    made.message(json!({ "role": "toolResult", "toolCallId": "c1", "content": null }));
    made.message(json!({ "role": "user" }));
    made.message(json!({}));
    made.entry(json!({ "type": "from_later", "x": 1 }));
    made.message(json!({ "role": "user", "content": "one BYTE" }));
    let text = fs::read_to_string(&made.file).unwrap() + "{\"type\":\"message\"\n";
    let (before, after) = text.split_once("BYTE").unwrap();
    fs::write(&made.file, [before.as_bytes(), b"\xff", after.as_bytes()].concat()).unwrap();
    let shown = read(&made.file);
    let conversation = shown.split_once("\nConversation\n").unwrap().1;
    insta::assert_snapshot!(conversation, @r#"
    a model
    WHEN
    00000001
    [content of no type]
    [content of no type]
    [content of no type]
    → bash ✓ done
    No arguments.
    → (a call without a name) … no result
    a
    1
    No result is recorded.
    → (a call without a name) … no result
    "text"
    No result is recorded.
    You
    WHEN
    00000003
    Nothing.
    message
    WHEN
    00000004
    Nothing.
    from_later
    An entry of the unknown type from_later
    {
    "type": "from_later",
    "x": 1,
    "id": "00000005",
    "parentId": "00000004",
    "timestamp": WHEN
    }
    You
    WHEN
    00000006
    one �
    Written by seam 0.1.0. It shows the session file, and of its journal who decided what, when and for how long. What plugins were shown is in the journal alone.
    "#);
    let told = notes(&made.file);
    assert!(
        told.iter().any(|note| note.contains("line 6 is of the unknown type `from_later`; it is kept")),
        "{told:?}"
    );
    assert!(told.iter().any(|note| note.contains("line 7 has bytes that are no UTF-8")), "{told:?}");
    assert!(told.iter().any(|note| note.contains("line 8 ")), "{told:?}");
}

#[test]
fn an_empty_session_has_a_page() {
    let folder = TempDir::new().unwrap();
    let made = Made::new(folder.path(), "");
    let shown = read(&made.file);
    assert!(shown.contains("\n0 messages\n0 tool calls ▸\n0 error results\nsession\nid\n"), "{shown}");
    assert!(shown.contains("\nConversation\nWritten by seam "), "{shown}");
}

#[test]
fn other_branches_are_listed_and_a_forked_session_names_its_origin() {
    let folder = TempDir::new().unwrap();
    let shown = read(&Made::full(folder.path(), "").file);
    assert!(shown.contains("\nforked from\n/parent\n"), "{shown}");
    let branches = shown.split_once("\nOther branches\n").unwrap().1;
    assert!(branches.contains("3 entries, 2 messages"), "{branches}");
    assert!(branches.contains("you: Another way.") && branches.contains("p/m: I went."), "{branches}");
}

#[test]
fn without_a_journal_the_page_says_so() {
    let folder = TempDir::new().unwrap();
    let made = Made::full(folder.path(), "");
    for end in ["journal", "journal.head"] {
        fs::remove_file(made.file.with_extension(end)).unwrap();
    }
    let told = notes(&made.file);
    assert!(told[0].contains("there is no journal, so it is not known who decided what"), "{told:?}");
}

#[test]
fn a_journal_that_was_changed_is_shown_as_far_as_it_is_there_and_the_page_says_where() {
    let folder = TempDir::new().unwrap();
    let made = Made::full(folder.path(), "");
    assert!(notes(&made.file)[0].contains("and their chain is whole"));
    let journal = made.file.with_extension("journal");
    let text = fs::read_to_string(&journal).unwrap();
    let mut lines: Vec<String> = text.lines().map(|line| format!("{line}\n")).collect();
    lines[5] = lines[5].replace("1234", "9999");
    lines.remove(8);
    fs::write(&journal, lines.concat()).unwrap();
    let told = notes(&made.file);
    assert!(told[0].contains("the journal was changed after it was written"), "{told:?}");
    assert!(told.iter().any(|note| note.contains("s.journal, line 6: was changed")), "{told:?}");
    assert!(told.iter().any(|note| note.contains("s.journal, line 9: ")), "{told:?}");
    assert!(read(&made.file).contains("refused: no"), "the rest is shown");
}

#[test]
fn a_long_result_is_cut_and_the_page_says_where_the_rest_is() {
    let folder = TempDir::new().unwrap();
    let mut made = Made::new(folder.path(), "");
    made.message(
        json!({ "role": "assistant", "content": [{ "type": "toolCall", "id": "c", "name": "t", "arguments": {} }] }),
    );
    let text = format!("BEGIN\n{}END", "0123456789abcde\n".repeat(200_000));
    made.message(json!({ "role": "toolResult", "toolCallId": "c", "content": [{ "type": "text", "text": text }] }));
    let page = page(&made.file);
    assert!(page.len() < 300_000, "{}", page.len());
    let words = words(&page);
    assert!(words.contains("All of it: 200,002 lines, 3.2 MB"));
    assert!(words.contains("left out here. All of it stands in line 3 of the session file."));
    assert!(words.contains("BEGIN\n0123456789abcde\n") && words.contains("0123456789abcde\nEND\n"));
}

#[test]
fn a_page_replaces_nothing_unless_it_is_told_to() {
    let (folder, here) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let file = Made::full(folder.path(), "").file;
    let export = |arguments: &[&str]| {
        let mut seam = seam();
        seam.current_dir(here.path()).args(["session", "export"]).arg(&file).args(arguments);
        let output = seam.output().unwrap();
        let told = [output.stdout, output.stderr].map(|told| String::from_utf8(told).unwrap()).concat();
        (output.status.code().unwrap(), told)
    };
    let first = export(&["--html"]);
    assert!(first.0 == 0 && first.1.starts_with("id.html\n  a page of "), "{first:?}");
    let page = fs::read_to_string(here.path().join("id.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    fs::write(here.path().join("id.html"), "mine").unwrap();
    let there = "seam: `id.html` is there already; give another name with `--output`, or `--force` to replace it\n";
    assert_eq!(export(&["--html"]), (2, there.to_owned()));
    assert_eq!(fs::read_to_string(here.path().join("id.html")).unwrap(), "mine");
    assert_eq!(export(&["--html", "--force"]).0, 0);
    assert_eq!(fs::read_to_string(here.path().join("id.html")).unwrap(), page);
    assert_eq!(fs::read_dir(here.path()).unwrap().count(), 1, "nothing is left over");
}

#[test]
fn what_cannot_be_exported_is_refused_with_the_next_step() {
    let folder = TempDir::new().unwrap();
    let file = Made::full(folder.path(), "").file;
    let refused = |arguments: &[&str]| {
        let mut seam = seam();
        seam.args(["session", "export"]).arg(&file).args(arguments);
        let told = String::from_utf8(seam.assert().code(2).get_output().stderr.clone()).unwrap();
        told.replace(folder.path().to_str().unwrap(), "FOLDER")
    };
    let before = fs::read_to_string(&file).unwrap();
    insta::assert_snapshot!(refused(&[]), @"seam: no format is given; there is one: `--html`, a page for a browser that needs nothing else");
    let own = file.to_str().unwrap();
    insta::assert_snapshot!(refused(&["--html", "--force", "--output", own]), @"seam: `FOLDER/s.jsonl` is the session itself; give another name with `--output`");
    insta::assert_snapshot!(refused(&["--html", "--force", "--output", folder.path().to_str().unwrap()]), @"seam: `FOLDER` is no regular file; give another name with `--output`, or `-` for stdout");
    let nowhere = folder.path().join("no/page.html");
    insta::assert_snapshot!(refused(&["--html", "--output", nowhere.to_str().unwrap()]), @"seam: `FOLDER/no` is no folder; make it, or give another name with `--output`");
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
}
