//! The trash: its folder for a call, and what must not be moved there.

/// Where a call's trash goes.
pub(crate) struct Trash<'a> {
    /// The trash folder as the user set it.
    pub(crate) setting: &'a str,
    /// The folder that the command starts in, absolute.
    pub(crate) cwd: &'a str,
    /// The call's id, which the model may have chosen.
    pub(crate) call: &'a str,
}

impl Trash<'_> {
    /// The call's folder as one word of the shell: short where the shell is still `in_first_folder`, else absolute.
    pub(crate) fn folder(&self, in_first_folder: bool) -> String {
        let trash = match in_first_folder && self.setting.starts_with(|c: char| c == '.' || c.is_ascii_alphanumeric()) {
            true => self.setting.to_owned(),
            false => self.absolute(self.setting),
        };
        quoted(&format!("{}/{}", trash.trim_end_matches('/'), file_name(self.call)))
    }

    /// Whether the trash is at `path` or below it, or `rm` refuses such a path. By the text of the path alone.
    pub(crate) fn is_within(&self, path: &str) -> bool {
        let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let (trash, path) = (self.absolute(self.setting), self.absolute(path));
        matches!(last, "" | "." | "..") || parts(&trash).starts_with(&parts(&path))
    }

    fn absolute(&self, path: &str) -> String {
        match path.starts_with('/') {
            true => path.to_owned(),
            false => format!("{}/{path}", self.cwd.trim_end_matches('/')),
        }
    }
}

/// The names in an absolute path, without `.` and `..`.
fn parts(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop(),
            name => parts.push(name),
        }
    }
    parts
}

/// As one word of the shell, in quotes where it needs them.
fn quoted(text: &str) -> String {
    match text.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c)) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// The call's id as the name of a folder: never `.`, `..`, empty or long.
fn file_name(id: &str) -> String {
    let id = id.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' });
    let name: String = id.skip_while(|c| *c == '.').take(64).collect();
    if name.is_empty() { "call".to_owned() } else { name }
}
