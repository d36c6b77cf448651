//! Which models somebody means: by words that occur in their names, or by a shape with `*` in it.

/// What a name has to be like. It is the same in capital and small letters.
#[derive(Debug)]
pub(crate) struct Pattern {
    parts: Vec<String>,
}

impl Pattern {
    /// All words of these have to fit.
    pub(crate) fn new(texts: &[String]) -> Self {
        let words = texts.iter().flat_map(|text| text.split_whitespace());
        Self { parts: words.map(str::to_lowercase).collect() }
    }

    /// Whether a model of a provider is meant. A shape may be that of its name alone.
    pub(crate) fn fits(&self, provider: &str, name: &str) -> bool {
        let name = name.to_lowercase();
        let full = format!("{}/{name}", provider.to_lowercase());
        self.parts.iter().all(|part| match part.contains('*') {
            true => has_shape(part, &full) || has_shape(part, &name),
            false => full.contains(&**part),
        })
    }
}

/// Whether a text is as a shape says, in which `*` stands for anything.
fn has_shape(shape: &str, text: &str) -> bool {
    let mut parts = shape.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some((_, behind)) = rest.split_once(part) else { return false };
        rest = behind;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    fn fits(pattern: &str, model: &str) -> bool {
        let (provider, name) = model.split_once('/').unwrap();
        Pattern::new(&[pattern.to_owned()]).fits(provider, name)
    }

    #[test]
    fn all_words_occur_somewhere() {
        for pattern in ["", "gpt mini", "MINI  gpt", "openai/gpt", "5.4"] {
            assert!(fits(pattern, "openai/GPT-5.4-mini"), "{pattern}");
        }
        assert!(!fits("gpt nano", "openai/gpt-5.4-mini"));
    }

    #[test]
    fn a_star_stands_for_anything() {
        for pattern in ["*", "gpt-*", "*mini", "openai/*", "o*/*5*i", "GPT-*-mini", "gpt-5.4-mini*", "gpt* mini"] {
            assert!(fits(pattern, "openai/gpt-5.4-mini"), "{pattern}");
        }
        for pattern in ["mini*", "*gpt", "*4*5*", "gpt-5.4-mini*mini", "o*o/*"] {
            assert!(!fits(pattern, "openai/gpt-5.4-mini"), "{pattern}");
        }
    }
}
