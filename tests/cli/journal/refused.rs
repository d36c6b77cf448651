//! What is told of journals that are not whole, not there, or not written.

use super::*;

fn played() -> Project {
    let project = Project::new(&turns()).plugin("protected-paths");
    project.run().arg("go").assert().success();
    project
}

/// What a command says on stderr when it refuses with code 2.
fn refused(command: &mut Command, project: &Project) -> String {
    let output = command.assert().code(2).get_output().clone();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "");
    let folder = project.session().parent().unwrap().to_string_lossy().into_owned();
    String::from_utf8(output.stderr).unwrap().replace(&folder, "FOLDER").replace(&project.name(), "SESSION")
}

#[test]
fn what_was_changed_is_told_with_its_place() {
    let project = played();
    let text = fs::read_to_string(project.journal_file()).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[2] = lines[2].replace("protected-paths", "protected-pathz");
    let last = lines.pop().unwrap();
    assert!(last.contains("\"kind\":"));
    fs::write(project.journal_file(), lines.join("\n") + "\n").unwrap();
    let (code, said) = project.verified();
    assert_eq!(code, Some(1));
    insta::assert_snapshot!(said, @r"
    SESSION.journal line 3: was changed: its hash is not that of what it says
    SESSION.journal: record 7 is missing at its end
    not intact: 2 faults in 6 lines in 1 file
    ");
}

#[test]
fn a_head_that_is_gone_is_told() {
    let project = played();
    fs::remove_file(format!("{}.head", project.journal_file().display())).unwrap();
    let (code, said) = project.verified();
    assert_eq!(code, Some(1));
    insta::assert_snapshot!(said, @r"
    SESSION.journal.head: it is not there, so lines that were cut off the end are not missed
    not intact: 1 fault in 7 lines in 1 file
    ");
}

#[test]
fn a_line_that_cannot_be_read_is_told() {
    let project = played();
    let text = fs::read_to_string(project.journal_file()).unwrap();
    fs::write(project.journal_file(), text.replace("\"kind\":\"run\"", "\"kind\":\"dream\"")).unwrap();
    let output = project.journal(&[]).assert().code(2).get_output().clone();
    let said = String::from_utf8(output.stderr).unwrap().replace(&project.name(), "SESSION");
    assert!(
        said.contains("is a `dream`, which this version of Seam does not know; see `seam journal verify`"),
        "{said}"
    );
}

#[test]
fn a_session_without_a_journal_is_told() {
    let project = played();
    fs::remove_file(project.journal_file()).unwrap();
    insta::assert_snapshot!(refused(&mut project.journal(&[]), &project), @"seam: there is no journal `FOLDER/SESSION.journal`: the session is a fork in which nothing was done yet, was made by another program, or was told to keep none");
    fs::remove_file(format!("{}.head", project.journal_file().display())).unwrap();
    insta::assert_snapshot!(refused(&mut project.journal(&["verify"]), &project), @"seam: there is no journal `FOLDER/SESSION.journal`: the session is a fork in which nothing was done yet, was made by another program, or was told to keep none");
}

#[test]
fn a_session_that_is_not_there_is_told() {
    let project = played();
    let mut journal = seam();
    journal.args(["journal", "nothing"]).arg("--cwd").arg(project.path());
    journal.arg("--session-dir").arg(project.elsewhere.path().join("sessions"));
    let said = refused(&mut journal, &project);
    assert!(said.contains("has the name `nothing` or an id that begins so; `seam session ls` lists them"), "{said}");
    for before in ["x", "--json"] {
        let said = refused(&mut project.journal(&[before, "verify"]), &project);
        let expected = "`verify` looks at every line: it takes a session behind it, and nothing before it";
        assert_eq!(said, format!("seam: {expected}\n"));
    }
}

/// What cannot be recorded is not decided: nothing runs, and the user reads why.
#[test]
fn nothing_runs_on_a_journal_that_was_damaged() {
    let project = played();
    fs::remove_file(project.path().join("MARK")).unwrap();
    let text = fs::read_to_string(project.journal_file()).unwrap();
    let (rest, last) = text.trim_end().rsplit_once('\n').unwrap();
    fs::write(project.journal_file(), format!("{rest}\n{}\n", last.replace("\"kind\"", "\"kinb\""))).unwrap();
    let mut run = project.run();
    insta::assert_snapshot!(refused(run.args(["--continue", "go on"]), &project), @"seam: journal `FOLDER/SESSION.journal` is damaged: its last line is not as it was written; look at it with `seam journal verify`, then move it and the files beside it that begin with its name away to go on without them");
    assert!(!project.path().join("MARK").exists());
}

/// The end of a turn is where it is noticed that somebody removed it. The next call is not made.
#[test]
fn a_run_whose_journal_is_removed_ends() {
    let project = Project::new(&json!([]));
    let remove = format!("rm {}/*/*.journal", project.elsewhere.path().join("sessions").display());
    let turns = json!([
        { "content": [call("c1", "bash", json!({ "command": remove }))] },
        { "content": [call("c2", "bash", json!({ "command": "touch MARK" }))] },
        { "content": [{ "text": "end" }] }
    ]);
    fs::write(project.elsewhere.path().join("script.json"), json!({ "turns": turns }).to_string()).unwrap();
    let output = project.run().arg("go").assert().code(1).get_output().clone();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("takes no more lines: the file was removed. Nothing was done after that"), "{said}");
    assert!(!project.path().join("MARK").exists());
}
