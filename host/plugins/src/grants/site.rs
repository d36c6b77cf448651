//! Where a plugin may send requests: an entry of the grant `http`, and what a request is compared with.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// How long a name may be, and each part of it.
const LONGEST: usize = 253;
const LONGEST_PART: usize = 63;

/// A scheme, a host and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Site {
    pub(crate) tls: bool,
    pub(crate) host: Host,
    pub(crate) port: u16,
}

/// A host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Host {
    /// In small letters, without a dot at its end.
    Name(String),
    Address(IpAddr),
}

impl Site {
    /// Reads an entry: `HOST` or `HOST:PORT`, by itself or after `https://` or `http://`. By itself it is `https`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn parse(entry: &str) -> Result<Self, &'static str> {
        match entry.split_once("://") {
            None => Self::of(true, entry),
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("https") => Self::of(true, rest),
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => Self::of(false, rest),
            Some(_) => Err("only `https` and `http` can be granted"),
        }
    }

    /// The same of a request: with TLS or without, and what it names.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn of(tls: bool, authority: &str) -> Result<Self, &'static str> {
        let (host, port) = split(authority)?;
        let port = match port {
            None => Self::usual(tls),
            Some(digits) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                digits.parse().ok().filter(|port| *port > 0).ok_or("a port is a number from 1 to 65535")?
            }
            Some(_) => return Err("a port is a number from 1 to 65535"),
        };
        Ok(Self { tls, host: Host::parse(host)?, port })
    }

    /// `http` or `https`.
    pub(crate) fn scheme(&self) -> &'static str {
        if self.tls { "https" } else { "http" }
    }

    /// As it stands in the header `Host`.
    pub(crate) fn authority(&self) -> String {
        let usual = self.port == Self::usual(self.tls);
        if usual { self.host.to_string() } else { format!("{}:{}", self.host, self.port) }
    }

    fn usual(tls: bool) -> u16 {
        if tls { 443 } else { 80 }
    }
}

/// The host, in brackets if it was, and the port.
fn split(authority: &str) -> Result<(&str, Option<&str>), &'static str> {
    if authority.contains(['/', '?', '#', '\\']) {
        return Err("leave out what follows the host and the port");
    }
    if authority.contains('@') {
        return Err("leave out what stands before the host");
    }
    let (host, rest) = match authority.split_once(']') {
        Some((inside, rest)) => (authority.get(..=inside.len()).unwrap_or_default(), rest),
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    match rest.strip_prefix(':') {
        None if rest.is_empty() => Ok((host, None)),
        Some(port) if !port.contains(':') => Ok((host, Some(port))),
        _ => Err("an IPv6 address stands in brackets, such as `[2001:db8::1]:8443`"),
    }
}

impl Host {
    fn parse(host: &str) -> Result<Self, &'static str> {
        if let Some(inside) = host.strip_prefix('[') {
            let inside = inside.strip_suffix(']').unwrap_or(inside);
            let address = inside.parse::<Ipv6Addr>().map_err(|_| "what stands in the brackets is no IPv6 address")?;
            return Ok(Self::Address(address.into()));
        }
        if host.contains('*') {
            return Err("patterns are not taken; name each host");
        }
        if !host.is_ascii() {
            return Err("write the name as it is looked up, in ASCII (`xn--...`)");
        }
        let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        if is_number(&name) {
            let address = name.parse::<Ipv4Addr>();
            return address
                .map(|address| Self::Address(address.into()))
                .map_err(|_| "write the address as `192.0.2.1`");
        }
        let fits = name.len() <= LONGEST && name.split('.').all(is_part);
        if fits { Ok(Self::Name(name)) } else { Err("that is no name of a host") }
    }
}

/// Whether it would be taken for an IPv4 address, in whatever way it is written: its last part is a number.
fn is_number(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    let hexadecimal = last.strip_prefix("0x");
    !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit())
        || hexadecimal.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn is_part(part: &str) -> bool {
    let fits = (1..=LONGEST_PART).contains(&part.len());
    fits && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V4(address)) => address.fmt(f),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme(), self.authority())
    }
}

#[cfg(test)]
mod tests {
    use super::Site;

    fn read(entry: &str) -> String {
        Site::parse(entry).map_or_else(str::to_owned, |site| format!("{site} {}", site.port))
    }

    #[test]
    fn a_host_alone_is_https_on_its_usual_port() {
        assert_eq!(read("api.example.com"), "https://api.example.com 443");
        assert_eq!(read("api.example.com:8443"), "https://api.example.com:8443 8443");
        assert_eq!(read("https://api.example.com"), "https://api.example.com 443");
        assert_eq!(read("http://api.example.com"), "http://api.example.com 80");
        assert_eq!(read("http://localhost:8080"), "http://localhost:8080 8080");
        assert_eq!(read("http://x:443"), "http://x:443 443");
    }

    #[test]
    fn one_host_has_one_spelling() {
        assert_eq!(read("HTTPS://API.Example.COM.:443"), "https://api.example.com 443");
        assert_eq!(read("[2001:DB8:0:0::1]:443"), "https://[2001:db8::1] 443");
        assert_eq!(read("http://127.0.0.1:80"), "http://127.0.0.1 80");
        assert_eq!(read("xn--bcher-kva.example"), "https://xn--bcher-kva.example 443");
    }

    #[test]
    fn what_is_no_exact_host_is_refused_with_its_reason() {
        for (entry, reason) in [
            ("*.example.com", "patterns"),
            ("*", "patterns"),
            ("", "no name"),
            ("a..b", "no name"),
            ("a b", "no name"),
            (".", "no name"),
            ("ftp://a", "only `https` and `http`"),
            ("a/b", "what follows"),
            ("https://a/", "what follows"),
            ("a?b", "what follows"),
            ("user@a", "before the host"),
            ("a:", "a port"),
            ("a:0", "a port"),
            ("a:65536", "a port"),
            ("a:+80", "a port"),
            ("a:b", "a port"),
            ("::1", "in brackets"),
            ("2001:db8::1", "in brackets"),
            ("[::1", "in brackets"),
            ("[::1]x", "in brackets"),
            ("[1.2.3.4]", "no IPv6"),
            ("[fe80::1%eth0]", "no IPv6"),
            ("b\u{fc}cher.example", "ASCII"),
            ("0177.0.0.1", "192.0.2.1"),
            ("127.1", "192.0.2.1"),
            ("2130706433", "192.0.2.1"),
            ("0x7f.0.0.1", "192.0.2.1"),
            ("0x7f000001", "192.0.2.1"),
        ] {
            let fault = Site::parse(entry).expect_err(entry);
            assert!(fault.contains(reason), "{entry}: {fault}");
        }
    }
}
