//! Who may vote (row L4): each link works once and makes a session; a session is told from others in one debate, and by nobody
//! from one debate to the next. What is on disk are digests, beside the secret that names are made with.

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::digest;
use crate::files::{self, Appender, FileError, Result};
use crate::shared::Shared;
use crate::store::layout::OutputDir;
use crate::view::access::new_key;
use crate::view::connection_limits::whose;

/// Sessions without a link that one address may begin with a viewer.
const OPEN_EACH: usize = 5;
/// Sessions without a link that a viewer begins at all.
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
#[derive(Clone, PartialEq, Eq, Hash)]
pub(in crate::view) struct Voter {
    /// What its cookie holds, and no file.
    session: String,
    /// Whether no link of ours vouches for it.
    pub(in crate::view) unverified: bool,
}

/// Why there is no session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::view) enum NoSession {
    /// The link was used, or is none of ours.
    Link,
    /// Without a link nobody votes here.
    Closed,
    /// Too many vote from there.
    Address,
    /// Too many vote without a link.
    Full,
    /// The disk refused.
    Disk,
}

/// Who may vote, kept in one file that one viewer holds.
pub struct Voters {
    secret: String,
    /// Whether people without a link may vote.
    open: bool,
    /// Held by who writes; who looks does not wait for the disk.
    lines: Shared<Appender>,
    book: Shared<Book>,
}

#[derive(Default)]
struct Book {
    /// Links that were not used, by digest.
    links: BTreeSet<String>,
    /// Sessions by digest; whether they began with a link.
    sessions: HashMap<String, bool>,
    /// Sessions without a link that this viewer began, by whose they are.
    by_address: HashMap<IpAddr, usize>,
}

impl Voters {
    /// Takes up who could vote before; a viewer that counts votes here already is an error.
    pub fn of(output: &OutputDir, open: bool) -> Result<Self> {
        let path = output.voters();
        files::make_private(&path)?;
        let (bytes, mut lines) = Appender::open(&path)?;
        let whole = files::whole_lines(&bytes);
        lines.keep(whole.len() as u64)?;
        let mut book = Book::default();
        let text = String::from_utf8_lossy(whole);
        let known = text.lines().flat_map(serde_json::from_str);
        let secrets: Vec<String> = known.filter_map(|line| book.take(line)).collect();
        let secret = match secrets.into_iter().next() {
            Some(secret) => secret,
            None => begin(&mut lines)?,
        };
        Ok(Self { secret, open, lines: Shared::new(lines), book: Shared::new(book) })
    }

    /// Makes links for this many voters: what stands behind `#`. With any, those of an earlier list and their sessions are void.
    pub fn links(&self, count: u32) -> Result<Vec<String>> {
        let tokens: Vec<String> = (0..count).map(|_| random()).collect::<Result<_, _>>()?;
        let links = tokens.iter().map(|it| Line::Link(digested(it)));
        let list = (count > 0).then_some(Line::List);
        let lines: Vec<Line> = list.into_iter().chain(links).collect();
        if !lines.is_empty() {
            self.add(lines)?;
        }
        Ok(tokens)
    }

    /// Writes lines down, and then takes them in.
    fn add(&self, lines: Vec<Line>) -> Result<()> {
        let mut file = self.lines.lock();
        write(&mut file, &lines)?;
        let mut book = self.book.lock();
        lines.into_iter().for_each(|line| drop(book.take(line)));
        Ok(())
    }

    /// Begins a session: what its cookie holds. Waits for the disk.
    pub(in crate::view) fn enter(
        &self,
        token: Option<&str>,
        by: IpAddr,
    ) -> Result<String, NoSession> {
        let session = random().map_err(|_| NoSession::Disk)?;
        let mut file = self.lines.lock();
        let link = self.admit(token, by)?;
        let is_open = link.is_none();
        let line = Line::Session(digested(&session), link);
        write(&mut file, std::slice::from_ref(&line)).map_err(|_| NoSession::Disk)?;
        let mut book = self.book.lock();
        book.take(line);
        *book.by_address.entry(whose(by)).or_default() += usize::from(is_open);
        Ok(session)
    }

    /// The digest of the link that a session begins with, if it may begin.
    fn admit(&self, token: Option<&str>, by: IpAddr) -> Result<Option<String>, NoSession> {
        let book = self.book.lock();
        match token.map(digested) {
            Some(link) if book.links.contains(&link) => Ok(Some(link)),
            Some(_) => Err(NoSession::Link),
            None if !self.open => Err(NoSession::Closed),
            None => book.room(by).map(|()| None),
        }
    }

    /// The voter of a session.
    pub(in crate::view) fn voter(&self, session: &str) -> Option<Voter> {
        let has_link = *self.book.lock().sessions.get(&digested(session))?;
        Some(Voter { session: session.to_owned(), unverified: !has_link })
    }

    /// What a voter is called in a debate. Made of what only its browser has: who reads our files finds no vote of anyone.
    pub(in crate::view) fn name(&self, voter: &Voter, debate: &str) -> String {
        let message = format!("{} {debate}", voter.session);
        let mut name = digest::keyed(self.secret.as_bytes(), &message);
        name.truncate(DIGITS);
        name
    }

    /// Whether people without a link may vote.
    pub(in crate::view) fn is_open(&self) -> bool {
        self.open
    }
}

impl Book {
    /// Notes a line; the secret, if it is one.
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

    /// Whether one more may begin without a link.
    fn room(&self, by: IpAddr) -> Result<(), NoSession> {
        let own = self.by_address.get(&whose(by)).copied().unwrap_or(0);
        match self.by_address.values().sum::<usize>() {
            OPEN_ALL.. => Err(NoSession::Full),
            _ if own >= OPEN_EACH => Err(NoSession::Address),
            _ => Ok(()),
        }
    }
}

fn begin(lines: &mut Appender) -> Result<String> {
    let secret = random()?;
    write(lines, &[Line::Secret(secret.clone())])?;
    Ok(secret)
}

fn write(to: &mut Appender, lines: &[Line]) -> Result<()> {
    let lines = lines.iter().map(|line| serde_json::json!(line).to_string());
    to.append(&lines.collect::<Vec<_>>().join("\n"))
}

fn digested(token: &str) -> String {
    digest::of_bytes(token.as_bytes())
}

/// 128 bits that nobody can guess.
fn random() -> Result<String> {
    new_key().map_err(|cause| FileError {
        action: "make a key for",
        path: "voters".into(),
        source: std::io::Error::other(cause),
    })
}
