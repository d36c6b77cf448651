//! The exact text of a rewritten command, and the commands that are left alone.

use super::{SafeDelete, ToolCall, bash, call, json, rewritten};
use seam::{Rewrite, RewriteToolCall as _};

fn in_work(command: &str) -> Option<String> {
    rewritten(&mut SafeDelete::default(), &bash(command, "/work"))
}

#[test]
fn an_rm_becomes_a_move() {
    for (before, after) in [
        ("rm -r build", "mkdir -p .trash/call-1 && mv --backup=numbered -t .trash/call-1 -- build"),
        (
            r#"rm -r build "my file" 'it''s' a\ b Ünï"#,
            r#"mkdir -p .trash/call-1 && mv --backup=numbered -t .trash/call-1 -- build "my file" 'it''s' a\ b Ünï"#,
        ),
        ("rm build/ -vr -- -x", "mkdir -p .trash/call-1 && mv -v --backup=numbered -t .trash/call-1 -- build/ -x"),
        (
            "rm --recursive --force build",
            "(mkdir -p .trash/call-1 && mv --backup=numbered -t .trash/call-1 -- build || ! ls -d -- build) 2>/dev/null",
        ),
        ("rm a", "[[ ! -d a || -L a ]] && mkdir -p .trash/call-1 && mv --backup=numbered -t .trash/call-1 -- a"),
        (
            "rm a ~/*.o",
            "[[ ! -d a || -L a ]] && ! ls -d -- ~/*.o/ 2>/dev/null && mkdir -p .trash/call-1 \
             && mv --backup=numbered -t .trash/call-1 -- a ~/*.o",
        ),
        (
            "rm -f *.o",
            "(! ls -d -- *.o/ && mkdir -p .trash/call-1 && mv --backup=numbered -t .trash/call-1 -- *.o \
             || ! ls -d -- *.o) 2>/dev/null",
        ),
    ] {
        assert_eq!(in_work(before).as_deref(), Some(after), "{before}");
    }
}

#[test]
fn all_around_an_rm_stays_and_the_trash_is_found_from_anywhere() {
    let moved = |trash: &str| format!("(mkdir -p {trash}/call-1 && mv --backup=numbered -t {trash}/call-1 -- x)");
    for (before, after) in [
        ("  rm -r x  &&  echo  'ok; rm x' ;", format!("  {}  &&  echo  'ok; rm x' ;", moved(".trash"))),
        ("rm -r x\n\nrm -r x || echo no\n", format!("{0}\n\n{0} || echo no\n", moved(".trash"))),
        (
            "rm -r x;cd sub&&rm -r x||[ -f \"a b\" ]",
            format!("{};cd sub&&{}||[ -f \"a b\" ]", moved(".trash"), moved("/work/.trash")),
        ),
    ] {
        assert_eq!(in_work(before), Some(after), "{before}");
    }
}

/// Neither the user's settings nor the model's id can leave its word.
#[test]
fn the_folder_of_a_call_is_one_word_of_the_shell() {
    for (trash, cwd, id, folder) in [
        ("/tmp/it's $HOME/", "/work", "a/../b c", r"'/tmp/it'\''s $HOME/a_.._b_c'"),
        (".trash", "/", "..", ".trash/call"),
        ("-t", "/my work", "toolu_01.x-y", "'/my work/-t/toolu_01.x-y'"),
        ("", "/work", "é$(id)", "/work/___id_"),
    ] {
        let call = ToolCall { id: id.to_owned(), ..bash("rm -r x", cwd) };
        let after = rewritten(&mut SafeDelete { trash: trash.to_owned() }, &call).unwrap();
        assert_eq!(after, format!("mkdir -p {folder} && mv --backup=numbered -t {folder} -- x"));
    }
}

#[test]
fn left_alone() {
    let table: &[(&str, &[&str])] = &[
        ("no `rm`", &["", "ls", "git rm a", "echo rm a", "./rm.sh", "cargo build && rmdir x"]),
        ("`rm` by other means", &["sudo rm a", "env rm a", "/bin/rm a", "command rm a", "\\rm a", "'rm' a"]),
        ("variables, substitutions", &["rm $x", "rm \"$x\"", "rm `ls`", "rm \"`ls`\"", "a; rm $(ls)", "rm <(ls)"]),
        ("braces, groups", &["rm {a,b}", "{ rm a; }", "(rm a)", "rm() { :; }; rm a"]),
        ("pipes, redirections, background", &["ls | xargs rm", "rm a | cat", "rm a 2>/dev/null", "rm a &", "rm a <b"]),
        ("comments, negation", &["rm a # b", "#\nrm a", "! rm a", "rm [!a]*"]),
        ("keywords", &["if x; then rm a; fi", "for f in a b; do rm a; done", "time ls; rm a", "[[ a && rm ]]"]),
        ("globs mean something else", &["shopt -s nullglob; rm *.o"]),
        ("assignments", &["X=1 rm a", "X=1; rm a"]),
        ("backslash in double quotes, at the end, before a newline", &["rm \"a\\b\"", "rm a\\", "rm a \\\n b"]),
        ("not closed", &["rm 'a", "rm \"a", "rm a; echo 'b"]),
        ("control characters", &["rm a\r\n", "rm 'a\u{1b}'", "rm a\u{7f}"]),
        ("nothing to delete", &["rm", "rm -rf", "rm --", "rm a; rm"]),
        ("options that ask, or unknown ones", &["rm -i a", "rm -rI a", "rm --one-file-system a", "rm -x", "rm -* a"]),
        ("`-d` takes empty folders only", &["rm -d a", "rm --dir a"]),
        ("refused by `rm` itself", &["rm -r .", "rm -r a/..", "rm -r ./", "rm -rf /", "rm ''"]),
        ("the trash, or a folder around it", &["rm -rf .trash", "rm -r a/../.trash/", "rm -rf /work", "rm -r ../work"]),
    ];
    for (reason, commands) in table {
        for command in *commands {
            assert_eq!(in_work(command), None, "{reason}: {command}");
        }
    }
    assert_eq!(SafeDelete::default().rewrite(&call("read", json!({ "path": "rm" }))), Rewrite::Keep);
}
