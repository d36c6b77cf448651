//! Tools that a session has active and that are not there any more.

/// What becomes of tools that a session has active and that are not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Restore {
    /// The session does not start.
    Fail,
    /// It goes on without them for good.
    #[default]
    Drop,
    /// It goes on without them until they are there again.
    Keep,
}

/// Tools are not there, and the session was not to start without them. The names are in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the session has tools active that are not there: {}. Nothing was started; load the plugins that offer them, or set \
     `missing-tools` under `[session]` to `drop` or `keep`",
    quoted(.0)
)]
pub struct MissingTools(pub Vec<String>);

/// The tools that are active when a session goes on, and what is said of those that are missing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RestoredTools {
    pub(crate) active: Option<Vec<String>>,
    pub(crate) notice: Option<String>,
}

impl Restore {
    /// Of the tools that were active, those that stay so. `there` are the names of all.
    pub(crate) fn apply(self, active: Option<Vec<String>>, there: &[String]) -> Result<RestoredTools, MissingTools> {
        let is_missing = |name: &String| !there.contains(name);
        let missing: Vec<String> = active.iter().flatten().filter(|name| is_missing(name)).cloned().collect();
        if missing.is_empty() {
            return Ok(RestoredTools { active, notice: None });
        }
        let names = quoted(&missing);
        let (active, so) = match self {
            Self::Fail => return Err(MissingTools(missing)),
            Self::Drop => {
                let stay = active.map(|names| names.into_iter().filter(|name| !is_missing(name)).collect());
                (stay, "the session goes on without them")
            }
            Self::Keep => (active, "the session goes on without them until they are there again"),
        };
        Ok(RestoredTools { active, notice: Some(format!("these tools were active and are not there: {names}; {so}")) })
    }
}

fn quoted(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}
