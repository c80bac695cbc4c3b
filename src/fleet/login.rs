//! Who we are at the NATS server.

use std::fmt;
use std::path::{Path, PathBuf};

use async_nats::{ConnectOptions, ServerAddr};
use percent_encoding::percent_decode_str;

use super::error::{FleetError, Result};
use crate::files;

/// How the seed of a user's nkey begins, and how long it is.
const SEED: (&str, usize) = ("SU", 58);

/// Who we are at the server.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Login {
    Nobody,
    User {
        name: String,
        password: String,
    },
    Token(String),
    /// A file with the seed of an nkey.
    Nkey(PathBuf),
    /// A file with credentials for decentralized authentication.
    Credentials(PathBuf),
}

/// What is given of logins beside a URL.
#[derive(Default, Clone)]
pub struct Logins {
    /// A file of credentials.
    pub credentials: Option<PathBuf>,
    /// A file with the seed of an nkey.
    pub nkey: Option<PathBuf>,
    /// NATS_USER.
    pub user: Option<String>,
    /// NATS_PASSWORD.
    pub password: Option<String>,
    /// NATS_TOKEN.
    pub token: Option<String>,
}

impl Logins {
    /// The one that counts: that of a file or of the URL, of which there may be one, else that of the variables.
    pub(super) fn chosen(mut self, in_url: Option<Login>) -> Result<Login> {
        let files =
            [self.credentials.take().map(Login::Credentials), self.nkey.take().map(Login::Nkey)];
        let mut given = files.into_iter().chain([in_url]).flatten();
        match (given.next(), given.next()) {
            (Some(one), None) => Ok(one),
            (Some(_), Some(_)) => Err(FleetError::TwoLogins),
            (None, _) => self.of_variables(),
        }
    }

    fn of_variables(self) -> Result<Login> {
        let half = |given, missing| Err(FleetError::HalfLogin { given, missing });
        match (self.user, self.password) {
            (Some(name), Some(password)) => Ok(Login::User { name, password }),
            (Some(_), None) => half("NATS_USER", "NATS_PASSWORD"),
            (None, Some(_)) => half("NATS_PASSWORD", "NATS_USER"),
            (None, None) => Ok(self.token.map_or(Login::Nobody, Login::Token)),
        }
    }
}

impl Login {
    /// The one in a URL, where `%40` stands for `@` and the like. A name without a password is a token.
    pub(super) fn in_url(url: &ServerAddr) -> Result<Option<Self>> {
        let plain = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        match (url.username().map(plain), url.password().map(plain)) {
            (Some(name), Some(password)) => Ok(Some(Self::User { name, password })),
            (Some(token), None) => Ok(Some(Self::Token(token))),
            (None, Some(_)) => Err(FleetError::BadUrl),
            (None, None) => Ok(None),
        }
    }

    /// Options to connect as this.
    pub(super) async fn of(&self, options: ConnectOptions) -> Result<ConnectOptions> {
        Ok(match self.clone() {
            Self::Nobody => options,
            Self::User { name, password } => options.user_and_password(name, password),
            Self::Token(token) => options.token(token),
            Self::Nkey(file) => options.nkey(seed(&file)?),
            Self::Credentials(file) => {
                let used = options.credentials(&files::read_text(&file)?);
                used.map_err(|_| FleetError::BadLogin {
                    file,
                    what: "a user's JWT and the seed of an nkey",
                })?
            }
        })
    }
}

/// The seed in a file, which may have comments and dashes around it.
fn seed(file: &Path) -> Result<String> {
    let text = files::read_text(file)?;
    let mut words = text.split_whitespace();
    let seed = words.find(|word| word.starts_with(SEED.0) && word.len() == SEED.1);
    let none = || FleetError::BadLogin {
        file: file.to_owned(),
        what: "the seed of a user's nkey: SU and 56 more characters",
    };
    seed.map(str::to_owned).ok_or_else(none)
}

/// Who it is, without a secret.
impl fmt::Display for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nobody => f.write_str("nobody"),
            Self::User { name, .. } => write!(f, "the user `{name}` with this password"),
            Self::Token(_) => f.write_str("this token"),
            Self::Nkey(file) => write!(f, "the nkey in {}", file.display()),
            Self::Credentials(file) => write!(f, "the credentials in {}", file.display()),
        }
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(name: &str, password: &str) -> Login {
        Login::User { name: name.to_owned(), password: password.to_owned() }
    }

    #[test]
    fn f1_a_url_has_a_user_with_a_password_or_a_token() {
        let of = |url: &str| Login::in_url(&url.parse().unwrap());
        for (url, login) in [
            ("nats://me:p%40ss%2C@a:4222", Some(user("me", "p@ss,"))),
            ("me:secret@b", Some(user("me", "secret"))),
            ("nats://t%2Foken@b", Some(Login::Token("t/oken".to_owned()))),
            ("tls://c:4222", None),
        ] {
            assert_eq!(of(url).unwrap(), login, "{url}");
        }
        assert!(of("nats://:secret@a").is_err());
    }

    #[test]
    fn f1_one_login_is_given_or_the_variables_have_it() {
        let all = Logins {
            credentials: Some("me.creds".into()),
            nkey: Some("me.nk".into()),
            user: Some("me".to_owned()),
            password: Some("secret".to_owned()),
            token: Some("token".to_owned()),
        };
        let mut left = all;
        let two = |logins: Logins, in_url| {
            let refused = logins.chosen(in_url);
            assert!(matches!(refused, Err(FleetError::TwoLogins)), "{refused:?}");
        };
        let in_url = || Some(Login::Token("other".to_owned()));
        two(left.clone(), None);
        left.credentials = None;
        two(left.clone(), in_url());
        let first = |logins: &Logins| logins.clone().chosen(None).unwrap();
        assert_eq!(first(&left), Login::Nkey("me.nk".into()));
        left.nkey = None;
        assert_eq!(left.clone().chosen(in_url()).unwrap(), in_url().unwrap());
        assert_eq!(first(&left), user("me", "secret"));
        let half = |logins: Logins| logins.chosen(None).unwrap_err().to_string();
        let (mut user, mut password) = (left.clone(), left.clone());
        (user.password, password.user) = (None, None);
        assert_eq!(half(user), "NATS_USER is set, but NATS_PASSWORD is not");
        assert_eq!(half(password), "NATS_PASSWORD is set, but NATS_USER is not");
        (left.user, left.password) = (None, None);
        assert_eq!(first(&left), Login::Token("token".to_owned()));
        left.token = None;
        assert_eq!(first(&left), Login::Nobody);
    }
}
