//! Rules that say what no plugin may have.

use serde::Serialize;

use super::{Access, Audit, Leak};
use crate::contract::{GRANTED_WASI, INERT_WASI, PACKAGE, REACHES, SEAMS};
use crate::grants::Grant;

/// The rule that forbids a way out.
const LEAK: &str = "leak";

/// The interfaces of WASI 0.2 that are not linked here.
const OTHER_WASI: [&str; 3] = ["wasi:cli/run", "wasi:clocks/timezone", "wasi:http/incoming-handler"];

/// A rule: the name of an import or export, with or without its version, or of its package; the beginning of names and
/// a `*`; the key of a grant; or `leak`. What is of our package may be named by its interface alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule(String);

/// What a plugin has that a rule forbids.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Denied {
    /// The rule, as it was written.
    pub rule: String,
    /// The import or export, by its full name. None for the rule `leak`.
    pub name: Option<String>,
}

impl Rule {
    /// A rule as it is written.
    pub fn new(rule: &str) -> Self {
        Self(rule.to_owned())
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// What a plugin has that it forbids.
    pub fn denied(&self, audit: &Audit) -> Vec<Denied> {
        let denied = |name: Option<&String>| Denied { rule: self.0.clone(), name: name.cloned() };
        if self.0 == LEAK {
            return (audit.can_leak != Leak::No).then(|| denied(None)).into_iter().collect();
        }
        let granted = audit.reaches.iter().filter(|reach| {
            matches!(reach.access, Access::Granted | Access::Missing) && reach.grant.is_some_and(|grant| self.is(grant))
        });
        let named = audit.names.iter().filter(|name| self.fits(name));
        let mut names: Vec<&String> = named.chain(granted.map(|reach| &reach.import)).collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().map(|name| denied(Some(name))).collect()
    }

    /// Whether it is about something that there is: a grant, in the contract, in WASI 0.2, or in one of these files.
    pub fn is_known<'a>(&self, audits: impl IntoIterator<Item = &'a Audit>) -> bool {
        let ours = SEAMS.iter().map(|seam| seam.name).chain(REACHES.iter().map(|reach| reach.name));
        let granted = GRANTED_WASI.iter().map(|(name, ..)| *name);
        let wasi = INERT_WASI.iter().map(|(name, _)| *name).chain(granted).chain(OTHER_WASI);
        self.0 == LEAK
            || Grant::ALL.into_iter().any(|grant| self.is(grant))
            || ours.into_iter().any(|interface| self.fits(&format!("{PACKAGE}/{interface}")))
            || wasi.into_iter().any(|name| self.fits(name))
            || audits.into_iter().any(|audit| audit.names.iter().any(|name| self.fits(name)))
    }

    fn is(&self, grant: Grant) -> bool {
        self.0 == grant.key()
    }

    fn fits(&self, name: &str) -> bool {
        let path = name.split('@').next().unwrap_or(name);
        let interface = path.strip_prefix(PACKAGE).and_then(|rest| rest.strip_prefix('/'));
        let package = path.split_once('/').map(|(package, _)| package);
        let mut names = [Some(name), Some(path), interface, package].into_iter().flatten();
        match self.0.strip_suffix('*') {
            Some(start) => names.any(|name| name.starts_with(start)),
            None => names.any(|name| name == self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Rule;

    #[test]
    fn a_rule_fits_a_name_its_path_its_interface_or_its_beginning() {
        let fits = |rule: &str, name: &str| Rule::new(rule).fits(name);
        let (http, rewrite) = ("wasi:http/outgoing-handler@0.2.4", "seam:harness/rewrite-tool-call@0.1.0");
        for rule in [http, "wasi:http/outgoing-handler", "wasi:http", "wasi:http/*", "wasi:*", "*"] {
            assert!(fits(rule, http), "{rule}");
        }
        for rule in [rewrite, "seam:harness/rewrite-tool-call", "rewrite-tool-call", "rewrite-*", "seam:harness/*"] {
            assert!(fits(rule, rewrite), "{rule}");
        }
        for rule in
            ["outgoing-handler", "wasi:http/outgoing-handler@0.2.6", "wasi:htt", "wasi", "wasi:*/outgoing-handler", ""]
        {
            assert!(!fits(rule, http), "{rule}");
        }
        assert!(!fits("tool-call", rewrite));
    }

    #[test]
    fn a_rule_about_nothing_that_there_is_is_not_known() {
        let known = |rule: &str| Rule::new(rule).is_known([]);
        for rule in [
            "leak",
            "tool-call",
            "conversation",
            "exec",
            "http",
            "wasi:http",
            "wasi:http/*",
            "wasi:sockets/tcp",
            "session-before-*",
        ] {
            assert!(known(rule), "{rule}");
        }
        for rule in ["tool-cal", "wasi:htt", "https", "wasi:htpp/*", "acme:net/send", "leaks", ""] {
            assert!(!known(rule), "{rule}");
        }
    }
}
