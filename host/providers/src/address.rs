//! The address of a service: checked, and in the form in which it is asked.

use std::net::IpAddr;

use reqwest::Url;

/// The address as it is asked: a host with letters that look like others shows what it is (`xn--...`). No slash at the end.
///
/// # Errors
/// What is wrong with it, said of who has it.
pub fn address(base_url: &str) -> Result<String, String> {
    // The parser would leave some out and take others for a slash.
    if base_url.contains(|c: char| c.is_control() || c.is_whitespace() || c == '\\') {
        return Err("has a `base-url` with blanks, backslashes or control characters in it".to_owned());
    }
    let url =
        Url::parse(base_url).map_err(|error| format!("has a `base-url` that is no address ({error}): {base_url}"))?;
    match () {
        () if !matches!(url.scheme(), "http" | "https") => {
            Err("has a `base-url` that is neither http nor https".to_owned())
        }
        () if !base_url.get(url.scheme().len()..).is_some_and(|rest| rest.starts_with("://")) => {
            Err(format!("has a `base-url` without `//` behind `{}:`", url.scheme()))
        }
        () if !url.username().is_empty() || url.password().is_some() => {
            Err("has a `base-url` with a name or a password in it; use `key-env` or `key-command`".to_owned())
        }
        () if url.query().is_some() || url.fragment().is_some() => {
            Err("has a `base-url` with something behind `?` or `#`, which requests have no place for".to_owned())
        }
        () => Ok(url.as_str().trim_end_matches('/').to_owned()),
    }
}

/// Whether an address is one of this machine.
pub(crate) fn is_here(base_url: &str) -> bool {
    let Ok(url) = Url::parse(base_url) else { return false };
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    match host.parse::<IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_as_it_is_asked() {
        for (typed, asked) in [
            ("https://api.example.com/v1/", "https://api.example.com/v1"),
            ("http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1"),
            ("https://api.\u{430}nthropic.com/v1", "https://api.xn--nthropic-06g.com/v1"),
            ("http://0x7f.1", "http://127.0.0.1"),
            ("HTTPS://API.Example.com", "https://api.example.com"),
        ] {
            assert_eq!(address(typed).as_deref(), Ok(asked), "{typed}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for typed in [
            "example.com",
            "https:evil.com",
            "ftp://a.b",
            "https://a.b\\@x",
            "https://a\n.b",
            "https://a b.c",
            "https://me:x@a.b",
            "https://me@a.b",
            "https://a.b/?key=1",
            "https://a.b/#x",
        ] {
            assert!(address(typed).is_err(), "{typed}");
        }
    }

    #[test]
    fn an_address_of_this_machine_is_known() {
        for near in [
            "http://127.0.0.1:11434/v1",
            "http://localhost:1/v1",
            "http://[::1]:1",
            "http://a.localhost",
            "http://127.9.9.9",
        ] {
            assert!(is_here(near), "{near}");
        }
        for far in
            ["https://api.example.com/v1", "http://192.168.1.5:8000", "http://localhost.example.com", "no address"]
        {
            assert!(!is_here(far), "{far}");
        }
    }
}
