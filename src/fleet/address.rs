//! Where the NATS server is. Whatever is told of an address is told without its login.

use std::fmt;
use std::path::PathBuf;

use async_nats::ServerAddr;

use super::error::{FleetError, Result};
use super::login::{Login, Logins};

/// Where the server is, and who we are there.
#[derive(Clone)]
pub struct Address {
    /// The server; several for those of a cluster.
    pub(super) servers: Vec<ServerAddr>,
    pub(super) login: Login,
    /// Certificates that vouch for its own.
    pub(super) certificates: Option<PathBuf>,
    /// Whether to use one that loses messages in a crash.
    pub(super) allow_old: bool,
}

impl Address {
    /// The server at this URL, or the servers of a cluster, separated by commas. A login in the URL comes before those
    /// in variables; beside a file of one it is refused.
    ///
    /// # Errors
    /// [`FleetError::BadUrl`], also where it may be that a comma is part of a password; [`FleetError::HalfLogin`];
    /// [`FleetError::TwoLogins`].
    pub fn new(
        url: &str,
        logins: Logins,
        certificates: Option<PathBuf>,
        allow_old: bool,
    ) -> Result<Self> {
        let servers = url.split(',').map(server).collect::<Option<Vec<_>>>();
        let servers = servers.ok_or(FleetError::BadUrl)?;
        let in_url = login_of_all(&servers)?;
        Ok(Self { servers, login: logins.chosen(in_url)?, certificates, allow_old })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told: Vec<String> = self.servers.iter().map(told).collect();
        f.write_str(&told.join(", "))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} as {}", self.login)
    }
}

/// The server at one URL, which has no more than a scheme, a login, a host and a port.
fn server(url: &str) -> Option<ServerAddr> {
    // An empty password, as of a variable that is not set, would make a token of the user's name.
    let login = url.rsplit_once('@');
    let is_half = login.is_some_and(|(login, _)| login.ends_with(':'));
    let server: ServerAddr = url.trim().parse().ok().filter(|_| !is_half)?;
    let parts = server.clone().into_inner();
    let is_plain = matches!(parts.path(), "" | "/")
        && parts.query().is_none()
        && parts.fragment().is_none()
        && !parts.host_str().unwrap_or_default().is_empty();
    (is_plain && matches!(server.scheme(), "nats" | "tls")).then_some(server)
}

/// The login in the URLs of a cluster: that of the first, which others may repeat. Where another one has its own, the comma before it
/// may be part of a password.
fn login_of_all(servers: &[ServerAddr]) -> Result<Option<Login>> {
    let mut logins = servers.iter().map(Login::in_url);
    let first = logins.next().transpose()?.flatten();
    for other in logins {
        let other = other?;
        if other.is_some() && other != first {
            return Err(FleetError::BadUrl);
        }
    }
    Ok(first)
}

/// A URL without its login.
fn told(server: &ServerAddr) -> String {
    let host = match server.host() {
        host if host.contains(':') => format!("[{host}]"),
        host => host.to_owned(),
    };
    format!("{}://{host}:{}", server.scheme(), server.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(url: &str) -> Result<Address> {
        Address::new(url, Logins::default(), None, false)
    }

    #[test]
    fn f1_an_address_is_told_without_its_login() {
        for (url, wanted) in [
            ("nats://me:secret@a", "nats://a:4222"),
            ("secret@a:99", "nats://a:99"),
            ("tls://me:s%2Cecret@[::1]:4222/", "tls://[::1]:4222"),
            (
                "nats://me:secret@a:1, me:secret@b,nats://c",
                "nats://a:1, nats://b:4222, nats://c:4222",
            ),
        ] {
            let address = address(url).unwrap();
            assert_eq!(address.to_string(), wanted);
            let debug = format!("{address:?}");
            assert!(!debug.contains("secret"), "{debug}");
        }
    }

    #[test]
    fn f1_a_url_that_a_password_may_have_broken_is_refused_without_any_of_it() {
        for url in [
            "",
            "nats://",
            "http://a",
            "nats://me:@secret",
            "nats://me:sec,ret@a",
            "nats://me:1,ret@a",
            "nats://me:se@c,ret@a",
            "nats://me:1/secret@a",
            "nats://me:1?secret@a",
            "nats://me:1#secret@a",
            "nats://a,me:secret@b",
            "nats://me:secret@a,me:other@b",
        ] {
            let refused = address(url).unwrap_err();
            assert!(matches!(refused, FleetError::BadUrl), "{url}: {refused:?}");
            let said = format!("{refused} {}", refused.remedy());
            assert!(!said.contains("ret") && !said.contains("sec"), "{said}");
        }
    }
}
