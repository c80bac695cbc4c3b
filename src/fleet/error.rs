//! What can go wrong between machines.

use std::fmt::Display;
use std::path::PathBuf;

use super::names::LEAST_SERVER;
use crate::files::FileError;
use crate::journal::JournalError;
use crate::store::error::StoreError;

/// What a step with the NATS server comes to.
pub(super) type Result<T, E = FleetError> = std::result::Result<T, E>;

/// Why something could not be done with the server, or with what it holds.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// The URL is not one, or a password has broken it. Nothing of it is told.
    #[error("cannot read the URL of the NATS server")]
    BadUrl,
    /// Two logins are given, of which neither goes before the other.
    #[error("more than one login for the NATS server")]
    TwoLogins,
    /// Half of a login is given.
    #[error("{given} is set, but {missing} is not")]
    HalfLogin {
        /// The variable that is set.
        given: &'static str,
        /// The one that is not.
        missing: &'static str,
    },
    /// A file that should have a login has none.
    #[error("{} does not contain {what}", file.display())]
    BadLogin {
        /// The file.
        file: PathBuf,
        /// What it should contain.
        what: &'static str,
    },
    /// The server lets in only those it knows.
    #[error("cannot connect to the NATS server at {url}: it requires a login")]
    NoLogin {
        /// Where it is.
        url: String,
    },
    /// The server does not let us in.
    #[error("cannot connect to the NATS server at {url}: it does not accept {login}")]
    WrongLogin {
        /// Where it is.
        url: String,
        /// Who we said we are, without any secret.
        login: String,
    },
    /// Nobody answers.
    #[error("cannot connect to the NATS server at {url}: {cause}")]
    Unreachable {
        /// Where it was looked for.
        url: String,
        /// What the client says.
        cause: String,
    },
    /// It loses messages when it is killed.
    #[error(
        "the NATS server has version {found}, but rebut needs {LEAST_SERVER} or later: older versions can lose messages in a crash"
    )]
    OldServer {
        /// Its version.
        found: String,
    },
    /// The server refused, or did not answer.
    #[error("the NATS server did not {what}: {cause}")]
    Refused {
        /// What was asked of it.
        what: String,
        /// What the client says.
        cause: String,
    },
    /// It is longer than the server takes a message.
    #[error(
        "a record of {found} bytes is too long for the NATS server, which accepts {most} bytes besides headers"
    )]
    TooLong {
        /// Its bytes.
        found: usize,
        /// Maximum bytes.
        most: usize,
    },
    /// There is no such run.
    #[error("the NATS server has no run `{name}`")]
    NoRun {
        /// What was asked for.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// It was cancelled while its debates were being enqueued.
    #[error("the run was cancelled in the meantime")]
    Cancelled,
    /// What the server holds is not what `rebut` puts there.
    #[error("{what} on the NATS server cannot be used: {cause}")]
    Unusable {
        /// The message.
        what: String,
        /// The cause.
        cause: String,
    },
    /// A worker cannot continue what another began.
    #[error("{0}")]
    Unfit(String),
    /// An output directory is in the way.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl FleetError {
    /// What to do about it; may be empty.
    pub fn remedy(&self) -> String {
        match self {
            Self::BadUrl => {
                "write it as nats://HOST:4222 or tls://USER:PASSWORD@HOST:4222, with %2C for a comma in a password, %40 for @, %2F for /, %3A for a colon, %3F for ?, %23 for # and %25 for %; all servers of a cluster have one login".to_owned()
            }
            Self::TwoLogins => "give one of them: --nats-creds (NATS_CREDS), --nats-nkey (NATS_NKEY) or a login in the URL".to_owned(),
            Self::HalfLogin { .. } => "set both NATS_USER and NATS_PASSWORD, or neither".to_owned(),
            Self::NoLogin { .. } => {
                "give a user with NATS_USER and NATS_PASSWORD or in the URL (nats://USER:PASSWORD@HOST), a token with NATS_TOKEN, an nkey with --nats-nkey, or credentials with --nats-creds".to_owned()
            }
            Self::WrongLogin { .. } => {
                "check it; a login in the URL, --nats-creds or --nats-nkey takes precedence over NATS_USER with NATS_PASSWORD, and these over NATS_TOKEN".to_owned()
            }
            Self::Unreachable { cause, .. } if cause.contains("certificate") => {
                "if its certificate is signed by an authority of your own, name that one's certificate with --nats-ca".to_owned()
            }
            Self::Unreachable { .. } => {
                "start it with `nats-server -c nats.conf` (the guide has that file), or choose another with --nats".to_owned()
            }
            Self::OldServer { .. } => "install a newer nats-server, or accept the risk with --allow-old-server".to_owned(),
            Self::Refused { .. } => {
                "enable JetStream (`jetstream { … }` in its configuration) and make sure its disk has room".to_owned()
            }
            Self::TooLong { .. } => "raise `max_payload` in nats.conf and restart the server".to_owned(),
            Self::NoRun { known, .. } if known.is_empty() => {
                "start one with `rebut enqueue JOBS --nats URL`".to_owned()
            }
            Self::NoRun { known, .. } => format!("choose one with --run: {}", known.join(", ")),
            Self::Cancelled => "to continue it, run `rebut enqueue` again".to_owned(),
            Self::BadLogin { .. } | Self::Unusable { .. } | Self::Unfit(_) | Self::Store(_) => {
                String::new()
            }
        }
    }
}

impl From<FileError> for FleetError {
    fn from(error: FileError) -> Self {
        Self::Store(error.into())
    }
}

impl From<JournalError> for FleetError {
    fn from(error: JournalError) -> Self {
        Self::Store(error.into())
    }
}

/// Names what was asked of the server when it refused.
pub(super) fn refused<E: Display>(what: impl Into<String>) -> impl FnOnce(E) -> FleetError {
    let what = what.into();
    move |cause| FleetError::Refused { what, cause: cause.to_string() }
}

/// Names what cannot be used.
pub(super) fn unusable<E: Display>(what: impl Into<String>) -> impl FnOnce(E) -> FleetError {
    let what = what.into();
    move |cause| FleetError::Unusable { what, cause: cause.to_string() }
}
