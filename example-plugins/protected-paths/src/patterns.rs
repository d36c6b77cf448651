//! Patterns as in a `.gitignore`, for absolute paths of which the root of the project is not known.
//!
//! A pattern matches at any depth, unless it starts with `/`. Nor is the home folder known: `~/` is any depth too. One
//! that matches a folder covers all that is in it. The last pattern that matches decides; with `!` in front it takes a
//! path out again. A pattern that is not well formed is an error, for it would protect nothing.

use serde::Deserialize;

use crate::glob::Glob;

/// Patterns in the order given.
#[derive(Deserialize)]
#[serde(try_from = "Vec<String>")]
pub(crate) struct Patterns(Vec<Pattern>);

struct Pattern {
    text: String,
    /// Protects, or with `!` takes out again.
    protects: bool,
    /// The thing itself, and all that is in it.
    globs: [String; 2],
}

impl Patterns {
    /// The pattern that protects `path`, if one does.
    pub(crate) fn matching(&self, path: &str) -> Option<&str> {
        let last = self.0.iter().rfind(|pattern| pattern.covers(path))?;
        last.protects.then_some(last.text.as_str())
    }

    /// The pattern whose name a glob of the shell may stand for.
    pub(crate) fn within(&self, glob: &Glob) -> Option<&str> {
        let names = self.0.iter().filter_map(Pattern::name).filter(|name| glob.covers(name));
        names.filter_map(|name| self.matching(name)).next()
    }
}

impl TryFrom<Vec<String>> for Patterns {
    type Error = String;

    fn try_from(texts: Vec<String>) -> Result<Self, String> {
        texts.into_iter().map(Pattern::try_from).collect::<Result<_, _>>().map(Self)
    }
}

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match well_formed(&text) {
            true => Ok(Self::new(text)),
            false => Err(format!("pattern `{text}`: empty, or a bracket is not closed")),
        }
    }
}

fn well_formed(text: &str) -> bool {
    let count = |wanted: char| text.chars().filter(|c| *c == wanted).count();
    !text.trim_matches(['!', '/', '*']).is_empty() && count('[') == count(']') && count('{') == count('}')
}

impl Pattern {
    fn new(text: String) -> Self {
        let body = text.strip_prefix('!').unwrap_or(&text);
        let body = body.strip_suffix("/**").unwrap_or(body).trim_end_matches('/');
        let itself = match body.strip_prefix("~/").unwrap_or(body) {
            absolute if absolute.starts_with('/') => absolute.to_owned(),
            anywhere => format!("**/{anywhere}"),
        };
        let within = format!("{itself}/**");
        Self { protects: !text.starts_with('!'), globs: [itself, within], text }
    }

    /// What it protects, when that is one name, or all names with one end.
    fn name(&self) -> Option<&str> {
        let [itself, _] = &self.globs;
        let name = itself.strip_prefix("**/").unwrap_or(itself);
        let literal = name.strip_prefix('*').unwrap_or(name);
        (self.protects && !literal.contains(['*', '?', '[', ']', '{', '}', '\\'])).then_some(name)
    }

    fn covers(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.globs.iter().any(|glob| matches(glob, path))
    }
}

/// In one place, for each copy of it weighs 5 KB.
#[inline(never)]
pub(crate) fn matches(glob: &str, text: &str) -> bool {
    fast_glob::glob_match(glob, text)
}

/// Secrets by the names they commonly have.
pub(crate) fn secrets() -> Patterns {
    all(&[
        ".env",
        ".env.*",
        "!.env.example",
        "!.env.sample",
        "!.env.template",
        ".ssh",
        ".aws",
        ".gnupg",
        ".kube",
        ".netrc",
        ".git-credentials",
        "id_rsa",
        "id_ed25519",
        "id_ecdsa",
        "*.pem",
        "*.key",
        "*.p12",
        "*.pfx",
    ])
}

/// What a tool may look at and only its own program should change.
pub(crate) fn read_only() -> Patterns {
    all(&[".git", "seam.toml", "seam.lock"])
}

fn all(texts: &[&str]) -> Patterns {
    Patterns(texts.iter().map(|text| Pattern::new((*text).to_owned())).collect())
}
