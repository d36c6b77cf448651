//! Whose fault it is: a fault becomes an error that names the service, says what can be done, and holds no key.

use seam_loop::ProviderError;

use crate::fault::{Fault, Who};
use crate::keys::Key;

/// Whose service a request goes to.
#[derive(Clone)]
pub(crate) struct Blame {
    pub(crate) provider: String,
    pub(crate) model: String,
    pub(crate) base_url: String,
    pub(crate) keys_at: Option<String>,
    /// The key that is sent, if one is.
    pub(crate) key: Option<Key>,
    /// What else that is sent lets somebody in.
    pub(crate) secrets: Vec<String>,
}

/// A shorter key is a word that a local server wants to see: it would be found everywhere.
const SHORTEST: usize = 4;

impl Blame {
    /// The error of a fault.
    pub(crate) fn error(&self, fault: &Fault) -> ProviderError {
        self.clean(fault).told(&self.who())
    }

    /// What happened, and what can be done about it.
    pub(crate) fn parts(&self, fault: &Fault) -> (String, String) {
        (self.clean(fault).said(), fault.todo(&self.who()))
    }

    /// Before it is cut: of a key that stands where the cut is, a part would be left.
    fn clean(&self, fault: &Fault) -> Fault {
        Fault { text: self.without_keys(fault.text.clone()), ..fault.clone() }
    }

    fn who(&self) -> Who<'_> {
        Who {
            provider: &self.provider,
            model: &self.model,
            key: self.key.as_ref().map(|key| key.from.clone()),
            keys_at: self.keys_at.as_deref(),
            base_url: &self.base_url,
        }
    }

    /// What a service says, without the key and other secrets: it may repeat them, also within JSON.
    pub(crate) fn without_keys(&self, mut text: String) -> String {
        let secrets = self.key.iter().map(|key| &key.value).chain(&self.secrets);
        let mut forms: Vec<String> =
            secrets.filter(|secret| secret.len() >= SHORTEST).flat_map(|secret| forms(secret)).collect();
        // A form may be a part of a longer one.
        forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
        for form in forms {
            if text.contains(&form) {
                text = text.replace(&form, "[key]");
            }
        }
        text
    }
}

/// A secret as it is, as it stands in a JSON text, and in one that is a string of another.
fn forms(secret: &str) -> [String; 3] {
    let once = escaped(secret);
    let twice = escaped(&once);
    [secret.to_owned(), once, twice]
}

fn escaped(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = r#"sk-"quoted"\back/0123456789"#;

    fn blame(key: &str, secrets: &[&str]) -> Blame {
        Blame {
            provider: "p".to_owned(),
            model: "m".to_owned(),
            base_url: "http://localhost".to_owned(),
            keys_at: None,
            key: Some(Key { value: key.to_owned(), from: "`P_KEY`".to_owned() }),
            secrets: secrets.iter().map(|secret| (*secret).to_owned()).collect(),
        }
    }

    #[test]
    fn a_key_is_hidden_in_every_form_in_which_json_has_it() {
        let (once, twice) =
            (serde_json::json!({ "it": KEY }), serde_json::json!({ "raw": format!("{{\"it\":{:?}}}", KEY) }));
        let text = format!("{KEY} {once} {twice} {}", serde_json::json!(once.to_string()));
        let hidden = blame(KEY, &[]).without_keys(text);
        assert_eq!(hidden, r#"[key] {"it":"[key]"} {"raw":"{\"it\":\"[key]\"}"} "{\"it\":\"[key]\"}""#);
    }

    #[test]
    fn nothing_of_a_key_is_left_where_a_long_text_is_cut() {
        for before in 560..=600 {
            let error = blame(KEY, &[]).error(&Fault::stream(format!("{}{KEY}", "x".repeat(before))));
            assert!(!error.text.contains("sk-"), "{}", error.text);
        }
    }

    #[test]
    fn other_secrets_are_hidden_too_and_a_word_is_none() {
        let hidden =
            blame("x", &["Bearer gate-way", "gate-way"]).without_keys("x: Bearer gate-way, gate-way".to_owned());
        assert_eq!(hidden, "x: [key], [key]");
    }
}
