//! Secrets that are known by their own shape, wherever they stand.

use crate::scan::Secret;

/// A token that starts with a fixed prefix.
struct Token {
    prefix: &'static str,
    /// How many bytes follow at least.
    least: usize,
    /// Which bytes may follow.
    of: fn(&u8) -> bool,
    kind: &'static str,
}

const fn token_of(prefix: &'static str, least: usize, of: fn(&u8) -> bool, kind: &'static str) -> Token {
    Token { prefix, least, of, kind }
}

/// A longer prefix before a shorter one that it starts with.
const TOKENS: &[Token] = &[
    token_of("sk-ant-", 20, is_base64url, "anthropic-key"),
    token_of("sk-", 20, is_base64url, "api-key"),
    token_of("sk_live_", 16, u8::is_ascii_alphanumeric, "stripe-key"),
    token_of("rk_live_", 16, u8::is_ascii_alphanumeric, "stripe-key"),
    token_of("AKIA", 16, is_upper_or_digit, "aws-key"),
    token_of("ASIA", 16, is_upper_or_digit, "aws-key"),
    token_of("github_pat_", 22, is_word, "github-token"),
    token_of("ghp_", 36, u8::is_ascii_alphanumeric, "github-token"),
    token_of("gho_", 36, u8::is_ascii_alphanumeric, "github-token"),
    token_of("ghu_", 36, u8::is_ascii_alphanumeric, "github-token"),
    token_of("ghs_", 36, u8::is_ascii_alphanumeric, "github-token"),
    token_of("ghr_", 36, u8::is_ascii_alphanumeric, "github-token"),
    token_of("glpat-", 20, is_base64url, "gitlab-token"),
    token_of("npm_", 36, u8::is_ascii_alphanumeric, "npm-token"),
    token_of("hf_", 30, u8::is_ascii_alphanumeric, "hugging-face-token"),
    token_of("AIza", 35, is_base64url, "google-key"),
    token_of("xoxa-", 10, is_base64url, "slack-token"),
    token_of("xoxb-", 10, is_base64url, "slack-token"),
    token_of("xoxe-", 10, is_base64url, "slack-token"),
    token_of("xoxe.", 10, is_base64url_or_dot, "slack-token"),
    token_of("xoxp-", 10, is_base64url, "slack-token"),
    token_of("xoxr-", 10, is_base64url, "slack-token"),
    token_of("xoxs-", 10, is_base64url, "slack-token"),
    token_of("xapp-", 10, is_base64url, "slack-token"),
];

/// A token with a known prefix.
pub(crate) fn token(text: &[u8], at: usize) -> Option<Secret> {
    let rest = text.get(at..)?;
    let found = TOKENS.iter().find(|token| rest.starts_with(token.prefix.as_bytes()))?;
    let body = at + found.prefix.len();
    let end = body + run(text, body, found.of);
    (end - body >= found.least).then_some(Secret { start: at, end, kind: found.kind })
}

/// A JSON web token: three runs of base64url with dots between, the first of which starts like `{"`.
pub(crate) fn jwt(text: &[u8], at: usize, behind_escape: bool) -> Option<Secret> {
    let inside = at > 0 && text.get(at - 1).is_some_and(is_base64url);
    if inside && !behind_escape || !text.get(at..)?.starts_with(b"eyJ") {
        return None;
    }
    let payload = part(text, at)?;
    let signature = part(text, payload)?;
    let end = signature + run(text, signature, is_base64url);
    Some(Secret { start: at, end, kind: "jwt" })
}

/// Where the part after this one starts: behind at least eight bytes and a dot.
fn part(text: &[u8], at: usize) -> Option<usize> {
    let length = run(text, at, is_base64url);
    (length >= 8 && text.get(at + length) == Some(&b'.')).then_some(at + length + 1)
}

/// What follows the word `Bearer`.
pub(crate) fn bearer(text: &[u8], at: usize) -> Option<Secret> {
    let word = text.get(at..at + 7)?;
    if !word.eq_ignore_ascii_case(b"bearer ") {
        return None;
    }
    let length = run(text, at + 7, |byte| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(byte));
    (length >= 16).then_some(Secret { start: at + 7, end: at + 7 + length, kind: "bearer-token" })
}

/// The password in `scheme://user:password@host`, tried at the first colon.
pub(crate) fn url_password(text: &[u8], at: usize) -> Option<Secret> {
    const LONGEST: usize = 256;
    let user = text.get(at..)?.strip_prefix(b"://").map(|_| at + 3)?;
    let is_part = |byte: &u8| !byte.is_ascii_whitespace() && !b"/@:\"'<>`".contains(byte);
    let colon = user + run(text.get(..text.len().min(user + LONGEST))?, user, is_part);
    if text.get(colon) != Some(&b':') {
        return None;
    }
    let start = colon + 1;
    let end = start + run(text.get(..text.len().min(start + LONGEST))?, start, is_part);
    (end > start && text.get(end) == Some(&b'@')).then_some(Secret { start, end, kind: "url-password" })
}

/// Whether a word may start here: no letter or digit stands before it.
pub(crate) fn starts_word(text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| text.get(before));
    text.get(at).is_some_and(u8::is_ascii_alphabetic) && !before.is_some_and(u8::is_ascii_alphanumeric)
}

/// How many bytes from `at` on are `of` the kind.
pub(crate) fn run(text: &[u8], at: usize, of: impl Fn(&u8) -> bool) -> usize {
    text.get(at..).unwrap_or_default().iter().take_while(|byte| of(byte)).count()
}

fn is_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

fn is_base64url(byte: &u8) -> bool {
    is_word(byte) || *byte == b'-'
}

fn is_base64url_or_dot(byte: &u8) -> bool {
    is_base64url(byte) || *byte == b'.'
}

pub(crate) fn is_upper_or_digit(byte: &u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}
