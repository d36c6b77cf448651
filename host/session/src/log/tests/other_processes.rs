//! What only another process can show: this test binary starts itself again.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use crate::testing::{Bed, heard, say, user};
use crate::{Durability, NewEntry, SessionLog};

const FILE: &str = "SEAM_SESSION_TEST_FILE";
const NOBODY: u32 = 65534;

/// A command of a shell in which `$0` is this binary, made to run one of the tests below that are children.
fn child(bed: &Bed, name: &str, shell: &str) -> Command {
    let mut command = Command::new("sh");
    let test = format!("log::tests::other_processes::{name}");
    command.args(["-c", &format!("{shell} exec \"$0\" --exact {test} --ignored --nocapture --test-threads=1")]);
    command.arg(env::current_exe().unwrap()).env(FILE, bed.path()).stderr(Stdio::null());
    command
}

/// What a child printed after this word.
fn printed(output: &[u8], word: &str) -> Vec<String> {
    let text = String::from_utf8_lossy(output);
    text.lines().filter_map(|line| Some(line.split_once(word)?.1.to_owned())).collect()
}

#[test]
#[ignore = "a child of another test"]
fn child_writes_until_it_fails_and_once_more() {
    let mut log = SessionLog::open(env::var(FILE).unwrap(), Durability::EachEntry).unwrap();
    let error = loop {
        if let Err(error) = log.append(NewEntry::Message(user(&"x".repeat(300)))) {
            break error;
        }
    };
    println!("\nERROR {error}");
    println!("\nHAS {}", log.session().entries().len());
    // A short entry may still fit.
    match log.name("n") {
        Ok(_) => println!("\nTHEN stored"),
        Err(error) => println!("\nTHEN {error}"),
    }
}

#[test]
fn on_a_full_disk_nothing_half_is_kept_and_the_session_goes_on_when_there_is_room() {
    let bed = Bed::new();
    drop(bed.create());
    // 2 blocks, of 512 bytes or of 1024: a write over that is cut short and fails, as on a full disk.
    let output =
        child(&bed, "child_writes_until_it_fails_and_once_more", "trap '' XFSZ; ulimit -f 2;").output().unwrap();
    let errors = printed(&output.stdout, "ERROR ");
    let has: usize = printed(&output.stdout, "HAS ")[0].parse().unwrap();
    let start =
        format!("the entry was not stored: writing line {} of session `{}` failed: ", has + 2, bed.path().display());
    assert!(errors[0].starts_with(&start), "{errors:?}");
    assert!(errors[0].ends_with("; the session is as it was before, so mend the cause and try again"), "{errors:?}");
    let stored = usize::from(printed(&output.stdout, "THEN ")[0] == "stored");
    assert!(bed.text().ends_with('\n'));
    let mut log = bed.open();
    assert_eq!((log.session().entries().len(), log.session().notices()), (has + stored, &[][..]));
    say(&mut log, "room again");
    assert_eq!(heard(&bed.read()).len(), has + 1);
}

#[test]
#[ignore = "a child of another test"]
fn child_writes_for_ever() {
    let mut log = SessionLog::open(env::var(FILE).unwrap(), Durability::Never).unwrap();
    for count in 0.. {
        say(&mut log, &format!("call {count}"));
        say(&mut log, &format!("result {count}"));
        println!("\nDONE {count}");
    }
}

/// Bug log 84, 85 and 86: a lock ends with its process, and what was stored is there, once and in order.
#[test]
fn after_a_kill_the_next_process_goes_on_where_the_first_was() {
    let bed = Bed::new();
    drop(bed.create());
    let mut before = 0;
    for round in 0..10 {
        let mut writer = child(&bed, "child_writes_for_ever", "").stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(writer.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut done = lines.filter_map(|line| Some(line.split_once("DONE ")?.1.to_owned()));
        let reported = done.nth(round * 7).unwrap();
        assert!(bed.said(SessionLog::open(bed.path(), Durability::Never)).contains(" is locked: "));
        writer.kill().unwrap();
        writer.wait().unwrap();
        let log = bed.open();
        let said = heard(log.session());
        let new = &said[before..];
        let expected = (0..).flat_map(|count| [format!("call {count}"), format!("result {count}")]);
        assert!(new.iter().cloned().eq(expected.take(new.len())), "{new:?}");
        assert!(new.contains(&format!("result {reported}")));
        before = said.len();
    }
}

#[test]
#[ignore = "a child of another test"]
fn child_may_only_read() {
    let path = env::var(FILE).unwrap();
    let torn = format!("{path}.cut.jsonl");
    println!("\nREAD {}", heard(&crate::Session::read(&path).unwrap()).join(","));
    println!("\nOPEN {}", SessionLog::open(&path, Durability::Never).unwrap_err());
    println!("\nTORN {}", SessionLog::open(&torn, Durability::Never).unwrap_err());
    let new = format!("{path}.new.jsonl");
    println!("\nCREATE {}", SessionLog::create(&new, crate::NewSession::new("/"), Durability::Never).unwrap_err());
}

#[test]
fn in_a_read_only_folder_a_session_is_read_and_nothing_is_written() {
    let bed = Bed::new();
    say(&mut bed.create(), "one");
    let torn = bed.other("talk.jsonl.cut.jsonl");
    let text = bed.text() + "{\"type\":";
    fs::write(&torn, &text).unwrap();
    let mode = |path: &std::path::Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    mode(&bed.path(), 0o444);
    mode(&torn, 0o666);
    mode(bed.folder.path(), 0o555);
    let mut child = child(&bed, "child_may_only_read", "");
    // The one who may do everything is no test for a permission. The binary itself may lie where only he can read.
    let root = fs::File::create(bed.other("root")).is_ok();
    let copy = env::temp_dir().join(format!("seam-session-test-{}", std::process::id()));
    if root {
        fs::copy(env::current_exe().unwrap(), &copy).unwrap();
        mode(&copy, 0o755);
        child = child_of(&bed, &copy);
        child.uid(NOBODY);
    }
    let output = child.output().unwrap();
    let _gone = fs::remove_file(&copy);
    mode(bed.folder.path(), 0o755);
    let said = |word: &str| printed(&output.stdout, word).concat().replace(&bed.path().display().to_string(), "FILE");
    assert_eq!(said("READ "), "one");
    let denied = "Permission denied (os error 13)";
    assert_eq!(
        said("OPEN "),
        format!(
            "cannot open session `FILE` for writing: {denied}; read it without writing, fork it into another folder, or \
             make the file writable"
        )
    );
    let torn_said = said("TORN ");
    assert!(
        torn_said.starts_with(
            "the last line of session `FILE.cut.jsonl` is cut, and cannot be moved to `FILE.cut.jsonl.torn-"
        )
    );
    assert!(
        torn_said.ends_with(&format!("`: {denied}; make the folder writable, or read the session without writing"))
    );
    assert_eq!(
        said("CREATE "),
        format!("cannot create session `FILE.new.jsonl`: {denied}; choose another folder, or make this one writable")
    );
    assert_eq!(fs::read_to_string(&torn).unwrap(), text);
}

fn child_of(bed: &Bed, binary: &std::path::Path) -> Command {
    let mut command = Command::new(binary);
    command.args(["--exact", "log::tests::other_processes::child_may_only_read", "--ignored", "--nocapture"]);
    command.env(FILE, bed.path()).stderr(Stdio::null());
    command
}
