//! Grants that a plugin needs and does not have, in words.

use std::fmt;

use crate::grants::Grant;
use crate::inspect::Digest;

/// What a plugin needs that is not granted to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NeededGrants {
    /// The plugin.
    pub plugin: String,
    /// The imports, and what has to be granted for each.
    pub imports: Vec<(String, Grant)>,
    /// The digest that its grants are bound to, when that is not the one of this file; and that of this file.
    pub bound: Option<Box<(String, Digest)>>,
}

impl NeededGrants {
    /// The lines to add to the settings.
    pub fn lines(&self) -> Vec<String> {
        let mut grants: Vec<Grant> = self.imports.iter().map(|(_, grant)| *grant).collect();
        grants.sort_unstable();
        grants.dedup();
        let head = format!("[plugins.{}.grants]", toml_key(&self.plugin));
        std::iter::once(head).chain(grants.into_iter().map(|grant| grant.line().to_owned())).collect()
    }
}

impl fmt::Display for NeededGrants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let imports: Vec<String> = self.imports.iter().map(|(import, _)| format!("`{import}`")).collect();
        let are = if imports.len() == 1 { "is" } else { "are" };
        write!(f, "it imports {}, which {are} not granted to it", imports.join(", "))?;
        if let Some((bound, digest)) = self.bound.as_deref() {
            return write!(
                f,
                ": its grants are for the file with the SHA-256 {bound}; look at this one with `seam audit`, and to grant \
                 it the same, set its `digest` to {digest}"
            );
        }
        write!(f, "; to grant that, add to `seam.toml`:")?;
        self.lines().iter().try_for_each(|line| write!(f, "\n    {line}"))
    }
}

/// A name as a key of TOML.
fn toml_key(name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    if bare { name.to_owned() } else { format!("\"{}\"", name.chars().map(in_quotes).collect::<String>()) }
}

/// What would not be seen as it is, is written as a number.
fn in_quotes(char: char) -> String {
    match char {
        '"' | '\\' => format!("\\{char}"),
        '\'' => char.to_string(),
        _ if char.escape_debug().len() > 1 => format!("\\U{:08X}", u32::from(char)),
        _ => char.to_string(),
    }
}
