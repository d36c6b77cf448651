//! `exec`: programs, each as a call of the tool `bash`. A plugin in the shadow runs none.

use std::borrow::Cow;

use seam_harness::reach::call_tool::NotCalled;
use seam_harness::reach::exec::Ran;
use wasmtime::Result;

use crate::bindings::seam::harness::exec::{Failure, Host, Output};
use crate::reach::call_tool::{LONGEST, SHADOW};
use crate::state::{GivenUp, State};
use crate::texts::{end, start};

const RUN: &str = "exec.run";

/// The words that a shell does not take for a program's name unless they are quoted.
const RESERVED: [&str; 19] = [
    "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in", "select", "then",
    "time", "until", "while", "[[", "]]",
];

impl Host for State {
    async fn run(&mut self, program: String, arguments: Vec<String>) -> Result<Result<Output, Failure>> {
        let reach = self.reach("it ran a program outside a session")?;
        let (plugin, most, led) = (self.shared.name.clone(), self.shared.limits.nested(), self.led());
        let granted = self.shared.grants.exec.contains(&program);
        let command = match granted {
            true if self.shared.shadow => Err(SHADOW.to_owned()),
            true => command(&program, &arguments),
            false => {
                Err(format!("`{}` is not among the programs that this plugin may run", start(program.clone(), 100)))
            }
        };
        let run = async move {
            let command = command.map_err(Failure::NotRun)?;
            reach.run_command(&plugin, &command, &led).await.map(output).map_err(failure)
        };
        let given_up = |why: GivenUp| Err(Failure::Failed(why.to_string()));
        self.waited(RUN, &(program, arguments), most, run, given_up).await
    }
}

/// The command that runs a program with these words: each is one word for the shell, whatever it holds, and the first
/// names a program.
fn command(program: &str, arguments: &[String]) -> Result<String, String> {
    if !is_program(program) {
        return Err(format!("`{program}` is not the plain name of a program"));
    }
    let mut words = vec![if RESERVED.contains(&program) { format!("'{program}'").into() } else { quoted(program)? }];
    for argument in arguments {
        words.push(quoted(argument)?);
    }
    Ok(words.join(" "))
}

/// Whether this is the plain name of a program.
pub(crate) fn is_program(name: &str) -> bool {
    let is_named = |c: char| !matches!(c, '/' | '=') && !c.is_control() && !c.is_whitespace();
    !name.is_empty() && !name.starts_with('-') && name.chars().all(is_named)
}

fn quoted(word: &str) -> Result<Cow<'_, str>, String> {
    shlex::try_quote(word).map_err(|_| "a word holds a NUL byte, which no program is given".to_owned())
}

fn output(ran: Ran) -> Output {
    Output { text: end(ran.text, LONGEST), code: ran.code }
}

fn failure(not: NotCalled) -> Failure {
    match not {
        NotCalled::NotRun(why) => Failure::NotRun(start(why, LONGEST)),
        NotCalled::Failed(why) => Failure::Failed(start(why, LONGEST)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(program: &str, arguments: &[&str]) -> Result<String, String> {
        command(program, &arguments.iter().map(|&word| word.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn every_word_is_one_for_the_shell() {
        assert_eq!(words("git", &["log", "-1", "--", "a b"]).unwrap(), "git log -1 -- 'a b'");
        for word in
            ["", "a b", "$HOME", "`x`", "a;b", "a\nb", "'", "\"", "\\", "*", "~", "!x", "#", "{a,b}", "a=b", "<", "&"]
        {
            let command = words("echo", &[word]).unwrap();
            assert_eq!(shlex::split(&command).unwrap(), ["echo", word], "{command}");
            assert!(command.contains(['\'', '"']), "{command}");
        }
        assert_eq!(words("echo", &["a\0"]).unwrap_err(), "a word holds a NUL byte, which no program is given");
    }

    #[test]
    fn the_first_word_names_a_program() {
        for program in ["", "-x", "./git", "/bin/git", "a/b", "A=b", "a b", "a\tb", "a\nb", "a\0b"] {
            assert!(words(program, &[]).is_err(), "{program:?}");
        }
        assert_eq!(words("if", &["true"]).unwrap(), "'if' true");
        for program in ["!", "{", "[[", "$x", "~", "a*"] {
            assert!(words(program, &[]).unwrap().contains(['\'', '"']), "{program}");
        }
    }
}
