//! `OLLAMA_HOST` as Ollama's own clients read it; unspecified addresses become loopback.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

/// A server's base address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    scheme: &'static str,
    /// As it is in a URL: IPv6 in brackets.
    name: String,
    port: u16,
    path: String,
}

impl Host {
    /// Reads `http://127.0.0.1:11434`, `:11435`, `gpu-box`, `https://ollama.com`…; nothing means the default.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let trimmed = trimmed(text);
        if trimmed.contains('@') {
            return Err(
                "a host can't contain a user name or password; use OLLAMA_API_KEY".to_owned()
            );
        }
        if trimmed.contains(['?', '#']) {
            return Err("a host can't contain a query or fragment; use OLLAMA_API_KEY".to_owned());
        }
        let (scheme, rest, default_port) = split_scheme(trimmed)?;
        let (address, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (name, port) = split_port(address, default_port)?;
        Ok(Self {
            scheme,
            name: connectable(&name).to_owned(),
            port,
            path: path.trim_end_matches('/').to_owned(),
        })
    }

    /// A URL on this server.
    pub fn url(&self, path: &str) -> String {
        format!("{self}{path}")
    }

    /// Whether it is this machine itself.
    pub fn is_loopback(&self) -> bool {
        let bare = self.name.trim_matches(['[', ']']);
        bare == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    /// Whether the address has a path, such as that of a proxy, or the `/v1` that is none of Ollama's own.
    pub fn has_path(&self) -> bool {
        !self.path.is_empty()
    }

    /// Whether it is this machine itself, without TLS.
    pub fn is_plain_loopback(&self) -> bool {
        self.is_loopback() && self.scheme == "http"
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, name) = (&self.scheme, &self.name);
        write!(f, "{scheme}://{name}:{}{}", self.port, self.path)
    }
}

/// A host as it was given, without what may be a password or a key: user information, query, fragment.
pub fn without_secrets(text: &str) -> String {
    let text = trimmed(text);
    let (scheme, rest) = text
        .split_once("://")
        .map_or((String::new(), text), |(scheme, rest)| (format!("{scheme}://"), rest));
    let (user, rest) = rest.rsplit_once('@').map_or(("", rest), |(_, rest)| ("***@", rest));
    let end = rest.find(['?', '#']);
    let (rest, hidden) = end.map_or((rest, ""), |at| (&rest[..=at], "***"));
    format!("{scheme}{user}{rest}{hidden}")
}

fn trimmed(text: &str) -> &str {
    text.trim().trim_matches(['"', '\'']).trim()
}

/// Scheme, what stands behind it, and the scheme's port.
fn split_scheme(text: &str) -> Result<(&'static str, &str, u16), String> {
    let Some((scheme, rest)) = text.split_once("://") else {
        let before = text.split('/').next().unwrap_or_default();
        if ["http:", "https:"].contains(&before.to_ascii_lowercase().as_str()) {
            return Err(format!("`{before}` needs two slashes behind it"));
        }
        return Ok(match text {
            "ollama.com" => ("https", text, 443),
            _ => ("http", text, 11434),
        });
    };
    match scheme.to_ascii_lowercase().as_str() {
        "http" => Ok(("http", rest, 80)),
        "https" => Ok(("https", rest, 443)),
        _ => Err(format!("`{scheme}://` is not supported; use http:// or https://")),
    }
}

fn split_port(address: &str, default: u16) -> Result<(String, u16), String> {
    let (name, port) = match address.strip_prefix('[') {
        Some(rest) => {
            let (ip, rest) = rest
                .split_once(']')
                .ok_or_else(|| format!("`{address}` has an unclosed bracket"))?;
            let port = rest.strip_prefix(':');
            if port.is_none() && !rest.is_empty() {
                return Err(format!(
                    "`{address}` has `{rest}` behind its bracket; a port needs a colon"
                ));
            }
            (ipv6(ip)?, port)
        }
        None if address.matches(':').count() > 1 => (ipv6(address)?, None),
        None => match address.split_once(':') {
            Some((name, port)) => (name.to_owned(), Some(port)),
            None => (address.to_owned(), None),
        },
    };
    let port = match port {
        None | Some("") => default,
        Some(port) => port.parse().map_err(|_| format!("`{port}` is not a port (1 to 65535)"))?,
    };
    let valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if !name.starts_with('[') && !name.chars().all(valid) {
        return Err(format!("`{name}` is not a host name"));
    }
    Ok((name, port))
}

/// An IPv6 address as it is in a URL.
fn ipv6(address: &str) -> Result<String, String> {
    if address.contains('%') {
        return Err(format!(
            "`{address}` has a zone, which a URL can't have; use the host's name or another address"
        ));
    }
    let ip: Result<Ipv6Addr, _> = address.parse();
    ip.map(|_| format!("[{address}]")).map_err(|_| format!("`{address}` is not an IPv6 address"))
}

/// Servers are told to listen on 0.0.0.0 or [::]; clients cannot connect there. No name is this machine.
fn connectable(name: &str) -> &str {
    match name {
        "" | "0.0.0.0" => "127.0.0.1",
        "[::]" => "[::1]",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m1_ollama_host_is_read_as_ollamas_clients_do() {
        let cases = [
            ("", "http://127.0.0.1:11434"),
            ("gpu-box", "http://gpu-box:11434"),
            (":11500", "http://127.0.0.1:11500"),
            ("http://gpu-box", "http://gpu-box:80"),
            ("HTTP://gpu-box", "http://gpu-box:80"),
            ("Https://gpu-box", "https://gpu-box:443"),
            ("https://ollama.example", "https://ollama.example:443"),
            ("ollama.com", "https://ollama.com:443"),
            ("0.0.0.0", "http://127.0.0.1:11434"),
            ("http://0.0.0.0:11435", "http://127.0.0.1:11435"),
            ("[::]:11434", "http://[::1]:11434"),
            ("::1", "http://[::1]:11434"),
            (" \"10.0.0.5:1234/ollama/\" ", "http://10.0.0.5:1234/ollama"),
        ];
        for (text, url) in cases {
            assert_eq!(Host::parse(text).map(|h| h.to_string()), Ok(url.to_owned()), "{text}");
        }
        for wrong in ["ftp://x", "host:port", "[::1", "http://a@b", "bad host"] {
            assert!(Host::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn m1_an_address_that_nobody_could_connect_to_is_refused_with_what_is_wrong() {
        let cases = [
            ("[::1]15000", "`[::1]15000` has `15000` behind its bracket; a port needs a colon"),
            ("http://[::1]x/ollama", "`[::1]x` has `x` behind its bracket; a port needs a colon"),
            (
                "fe80::1%eth0",
                "`fe80::1%eth0` has a zone, which a URL can't have; use the host's name or another address",
            ),
            ("http://h:1:80", "`h:1:80` is not an IPv6 address"),
            ("[127.0.0.1]:1", "`127.0.0.1` is not an IPv6 address"),
            ("http:/127.0.0.1:15000", "`http:` needs two slashes behind it"),
            ("HTTPS:/gpu-box", "`HTTPS:` needs two slashes behind it"),
        ];
        for (given, wrong) in cases {
            assert_eq!(Host::parse(given), Err(wrong.to_owned()), "{given}");
        }
        for (given, url) in [("[::1]:15000", "http://[::1]:15000"), ("http", "http://http:11434")] {
            assert_eq!(Host::parse(given).map(|it| it.to_string()), Ok(url.to_owned()));
        }
    }

    #[test]
    fn m1_what_is_said_of_a_host_holds_no_secret() {
        let cases = [
            ("http://user:PW@host:1/p", "http://***@host:1/p"),
            ("user:PW@host", "***@host"),
            ("http://user:P/W@x@host", "http://***@host"),
            ("http://host/p?key=PW", "http://host/p?***"),
            ("http://host/p#PW", "http://host/p#***"),
            ("http://host?a=PW@b", "http://***@b"),
            ("ftp://user:PW@host?key=PW", "ftp://***@host?***"),
        ];
        for (given, shown) in cases {
            assert_eq!(without_secrets(given), shown, "{given}");
            let refused = Host::parse(given).unwrap_err();
            assert!(!refused.contains("PW"), "{given}: {refused}");
        }
        assert_eq!(without_secrets(" gpu-box:11434/a "), "gpu-box:11434/a");
    }

    #[test]
    fn m1_loopback_is_known() {
        for (text, loopback) in [
            ("localhost", true),
            ("", true),
            ("[::1]:1", true),
            ("127.1.2.3", true),
            ("gpu-box", false),
            ("10.0.0.1", false),
        ] {
            assert_eq!(Host::parse(text).map(|h| h.is_loopback()), Ok(loopback), "{text}");
        }
    }
}
