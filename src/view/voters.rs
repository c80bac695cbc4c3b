//! Who may vote (row L4): each link works once and makes a session; a session is told from others in one debate, and by nobody
//! from one debate to the next. What is on disk are digests, beside the secret that names are made with.

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use super::access::new_key;
use crate::digest;
use crate::files::{self, Appender, FileError};
use crate::shared::Shared;
use crate::store::layout::OutputDir;

/// Sessions without a link that one address may begin.
const OPEN_EACH: usize = 5;
/// Sessions without a link at all.
const OPEN_ALL: usize = 2_000;
/// Digits of a voter's name in a debate.
const DIGITS: usize = 12;

/// A line of what is kept.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    /// What names are made with: the first line.
    Secret(String),
    /// A new list of voters: links and sessions above are void.
    List,
    /// The digest of a link's token.
    Link(String),
    /// The digest of a session, and of the link that it began with.
    Session(String, Option<String>),
}

/// A session's voter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Voter {
    token: String,
    /// Whether no link of ours vouches for it.
    pub(super) unverified: bool,
}

/// Why there is no session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoSession {
    /// The link was used, or is none of ours.
    Link,
    /// Without a link nobody votes here.
    Closed,
    /// Too many voted from there.
    Full,
    /// The disk refused.
    Disk,
}

/// Who may vote, kept in one file that one viewer holds.
pub struct Voters {
    secret: String,
    /// Whether people without a link may vote.
    open: bool,
    book: Shared<Book>,
}

struct Book {
    lines: Appender,
    /// Links that were not used, by digest.
    links: BTreeSet<String>,
    /// Sessions by digest; whether they began with a link.
    sessions: HashMap<String, bool>,
    /// Sessions without a link by the address that began them.
    by_address: HashMap<IpAddr, usize>,
}

impl Voters {
    /// Takes up who could vote before; a viewer that counts votes here already is an error.
    pub fn of(output: &OutputDir, open: bool) -> Result<Self, FileError> {
        let path = output.voters();
        files::make_private(&path)?;
        let (bytes, mut lines) = Appender::open(&path)?;
        let end = bytes.iter().rposition(|byte| *byte == b'\n');
        let whole = &bytes[..end.map_or(0, |end| end + 1)];
        lines.keep(whole.len() as u64)?;
        let mut book = Book {
            lines,
            links: BTreeSet::new(),
            sessions: HashMap::new(),
            by_address: HashMap::new(),
        };
        let text = String::from_utf8_lossy(whole);
        let known = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        let secrets: Vec<String> = known.filter_map(|line| book.take(line)).collect();
        let secret = match secrets.into_iter().next() {
            Some(secret) => secret,
            None => book.begin()?,
        };
        let book = Shared::new(book);
        Ok(Self { secret, open, book })
    }

    /// Makes links for so many voters: what stands behind `#`. With any, those of an earlier list and their sessions are void.
    pub fn links(&self, count: u32) -> Result<Vec<String>, FileError> {
        let tokens: Vec<String> = (0..count).map(|_| random()).collect::<Result<_, _>>()?;
        let links = tokens.iter().map(|it| Line::Link(digested(it)));
        let list = (count > 0).then_some(Line::List);
        let lines: Vec<Line> = list.into_iter().chain(links).collect();
        if !lines.is_empty() {
            self.book.lock().add(lines)?;
        }
        Ok(tokens)
    }

    /// Begins a session: what its cookie holds.
    pub(super) fn enter(&self, token: Option<&str>, by: IpAddr) -> Result<String, NoSession> {
        let session = random().map_err(|_| NoSession::Disk)?;
        let mut book = self.book.lock();
        let link = match token.map(digested) {
            Some(link) if book.links.contains(&link) => Some(link),
            Some(_) => return Err(NoSession::Link),
            None if !self.open => return Err(NoSession::Closed),
            None if book.is_full(by) => return Err(NoSession::Full),
            None => None,
        };
        let is_open = link.is_none();
        let line = Line::Session(digested(&session), link);
        book.add(vec![line]).map_err(|_| NoSession::Disk)?;
        *book.by_address.entry(by).or_default() += usize::from(is_open);
        Ok(session)
    }

    /// The voter of a session.
    pub(super) fn voter(&self, session: &str) -> Option<Voter> {
        let token = digested(session);
        let has_link = *self.book.lock().sessions.get(&token)?;
        Some(Voter {
            token,
            unverified: !has_link,
        })
    }

    /// What a voter is called in a debate.
    pub(super) fn name(&self, voter: &Voter, debate: &str) -> String {
        let mut name = digest::keyed(self.secret.as_bytes(), &format!("{} {debate}", voter.token));
        name.truncate(DIGITS);
        name
    }

    /// Whether people without a link may vote.
    pub(super) fn is_open(&self) -> bool {
        self.open
    }
}

impl Book {
    /// Takes in a line; the secret, if it is one.
    fn take(&mut self, line: Line) -> Option<String> {
        match line {
            Line::Secret(secret) => return Some(secret),
            Line::List => {
                self.links.clear();
                self.sessions.clear();
            }
            Line::Link(link) => drop(self.links.insert(link)),
            Line::Session(session, link) => {
                self.sessions.insert(session, link.is_some());
                link.map(|link| self.links.remove(&link));
            }
        }
        None
    }

    fn begin(&mut self) -> Result<String, FileError> {
        let secret = random()?;
        self.add(vec![Line::Secret(secret.clone())])?;
        Ok(secret)
    }

    /// Writes lines down, and then takes them in.
    fn add(&mut self, lines: Vec<Line>) -> Result<(), FileError> {
        let text: Vec<String> = lines
            .iter()
            .map(|line| serde_json::json!(line).to_string())
            .collect();
        self.lines.append(&text.join("\n"))?;
        lines.into_iter().for_each(|line| drop(self.take(line)));
        Ok(())
    }

    fn is_full(&self, by: IpAddr) -> bool {
        let open = self.sessions.values().filter(|has_link| !**has_link);
        let own = self.by_address.get(&by).copied().unwrap_or(0);
        own >= OPEN_EACH || open.count() >= OPEN_ALL
    }
}

fn digested(token: &str) -> String {
    digest::of_bytes(token.as_bytes())
}

/// 128 bits that nobody can guess.
fn random() -> Result<String, FileError> {
    new_key().map_err(|cause| FileError {
        action: "make a key for",
        path: "voters".into(),
        source: std::io::Error::other(cause),
    })
}
