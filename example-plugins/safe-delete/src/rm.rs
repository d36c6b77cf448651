//! What an `rm` asks for, and the same as a move.
//!
//! The move ends as `rm` would: without `-f` a missing path fails and the rest is moved; with `-f` it ends well when
//! nothing is left; without `-r` a folder is refused.

use crate::shell::Word;

/// The words of an `rm`, understood.
#[derive(Default)]
pub(crate) struct Rm<'a> {
    recursive: bool,
    force: bool,
    verbose: bool,
    operands: Vec<&'a Word<'a>>,
}

impl<'a> Rm<'a> {
    /// `None` when an option is unknown, asks questions, or there is nothing to delete.
    pub(crate) fn parse(words: &'a [Word<'a>]) -> Option<Self> {
        let (mut rm, mut only_empty, mut is_ended) = (Self::default(), false, false);
        for word in words {
            let text = word.value.as_deref().unwrap_or(word.raw);
            match text.strip_prefix('-') {
                Some("-") if !is_ended => is_ended = true,
                Some(option) if !is_ended && !option.is_empty() => only_empty |= rm.option(option)?,
                _ => rm.operands.push(word),
            }
        }
        // `-d` alone takes empty folders only, which a move cannot tell.
        (!rm.operands.is_empty() && (rm.recursive || !only_empty)).then_some(rm)
    }

    /// Takes an option without its first dash; gives whether it is `-d`.
    fn option(&mut self, option: &str) -> Option<bool> {
        let letters = match option {
            "-recursive" => "r",
            "-force" => "f",
            "-verbose" => "v",
            "-dir" => "d",
            letters => letters,
        };
        for letter in letters.chars() {
            match letter {
                'r' | 'R' => self.recursive = true,
                'f' => self.force = true,
                'v' => self.verbose = true,
                'd' => {}
                _ => return None,
            }
        }
        Some(letters.contains('d'))
    }

    /// Whether an operand that the shell does not expand is such a path.
    pub(crate) fn names(&self, is_such: impl Fn(&str) -> bool) -> bool {
        self.operands.iter().filter_map(|word| word.value.as_deref()).any(is_such)
    }

    /// The move into `folder`, a word of the shell. Unless it stands alone it is a subshell: one command of the chain,
    /// also to `set -e`.
    pub(crate) fn as_move(&self, folder: &str, stands_alone: bool) -> String {
        let operands: Vec<_> = self.operands.iter().map(|word| word.raw).collect();
        let mut steps: Vec<_> =
            self.operands.iter().filter(|_| !self.recursive).map(|word| self.no_folder(word)).collect();
        steps.push(format!("mkdir -p {folder}"));
        let verbose = if self.verbose { " -v" } else { "" };
        steps.push(format!("mv{verbose} --backup=numbered -t {folder} -- {}", operands.join(" ")));
        let steps = steps.join(" && ");
        if self.force {
            let gone: Vec<_> = operands.iter().map(|raw| format!("! ls -d -- {raw}")).collect();
            return format!("({steps} || {}) 2>/dev/null", gone.join(" && "));
        }
        if stands_alone { steps } else { format!("({steps})") }
    }

    /// The test that a word names no folder. A link to a folder is none, but a glob's `/` cannot tell.
    fn no_folder(&self, Word { raw, value, .. }: &Word) -> String {
        match (value, self.force) {
            (Some(_), _) => format!("[[ ! -d {raw} || -L {raw} ]]"),
            (None, true) => format!("! ls -d -- {raw}/"),
            (None, false) => format!("! ls -d -- {raw}/ 2>/dev/null"),
        }
    }
}
