//! The state that all handlers share.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Bytes;

use super::access::Access;
use super::connection_limits::{CONNECTIONS, Limit, STREAMS};
use super::finished_cache::FinishedCache;
use super::index::Index;
use super::index::current_index::CurrentIndex;
use super::index::row::Row;
use super::live::broadcast::Broadcast;
use super::live::following::Around;
use super::live::open_debates::OpenDebates;
use super::report_cache::{ReportCache, ReportPage};
use super::voting::vote_state::VoteState;
use super::voting::vote_writer::VoteWriter;
use super::voting::voters::Voters;
use crate::clock::Clock;
use crate::shared::Shared;
use crate::stop::Stop;
use crate::store::layout::OutputDir;
use crate::store::live::ShortId;
use crate::templates::Templates;

/// What a viewer is made of.
pub struct Viewer {
    /// What is shown.
    pub output: OutputDir,
    /// How.
    pub templates: Templates,
    /// The time.
    pub clock: Clock,
    /// Who may look.
    pub access: Access,
    /// Who may vote, where people can.
    pub voters: Option<Voters>,
    /// Maximum streams of one address.
    pub streams: usize,
    /// Maximum connections of one address.
    pub connections: usize,
    /// Makes the report.
    pub report: ReportPage,
    /// Ends it.
    pub stop: Stop,
}

/// The same at work.
pub(super) type App = Arc<Inner>;

/// Where people vote.
pub(super) struct Votes {
    pub(super) voters: Voters,
    pub(super) put: VoteWriter,
    /// What could be voted on when it was looked at last.
    pub(super) last: Shared<Option<(Instant, Arc<VoteState>)>>,
    /// Held by who looks again.
    pub(super) looking: Shared<()>,
}

pub(super) struct Inner {
    pub(super) output: OutputDir,
    pub(super) templates: Templates,
    pub(super) access: Access,
    pub(super) clock: Clock,
    pub(super) votes: Option<Arc<Votes>>,
    pub(super) lists: Arc<CurrentIndex>,
    pub(super) broadcast: Arc<Broadcast>,
    pub(super) streams: Limit,
    pub(super) connections: Limit,
    pub(super) archive: Arc<FinishedCache>,
    pub(super) report: Arc<ReportCache>,
    /// The newest state of all of it, and when that was looked at.
    pub(super) overview: tokio::sync::watch::Sender<Bytes>,
    pub(super) looked: tokio::sync::Mutex<Option<tokio::time::Instant>>,
    pub(super) stop: Stop,
}

impl Inner {
    pub(super) fn new(viewer: Viewer) -> App {
        let votes = viewer.voters.map(|voters| {
            Arc::new(Votes {
                voters,
                put: VoteWriter::new(&viewer.output, &viewer.clock),
                last: Shared::default(),
                looking: Shared::default(),
            })
        });
        let (templates, public) = (viewer.templates.served(), viewer.access.public);
        let lists = Arc::new(CurrentIndex::new(&viewer.output, &viewer.clock, public));
        let archive = Arc::new(FinishedCache::new(public));
        let around = Around {
            clock: viewer.clock.clone(),
            lists: Arc::clone(&lists),
            archive: Arc::clone(&archive),
        };
        let kept = Arc::new(OpenDebates::new(&viewer.output, public));
        let report = ReportCache::new(viewer.report, templates.clone());
        Arc::new(Self {
            votes,
            broadcast: Arc::new(Broadcast { kept, around }),
            lists,
            archive,
            clock: viewer.clock,
            output: viewer.output,
            templates,
            access: viewer.access,
            streams: Limit::new(viewer.streams, STREAMS),
            connections: Limit::new(viewer.connections, CONNECTIONS),
            report: Arc::new(report),
            overview: tokio::sync::watch::Sender::new(Bytes::new()),
            looked: tokio::sync::Mutex::default(),
            stop: viewer.stop,
        })
    }

    /// The finished debate with these digits, if that is what they are.
    pub(super) fn row(&self, id: &str) -> Option<Arc<Row>> {
        let id = ShortId::parse(id)?;
        self.index(|index| index.get(&id).cloned())
    }

    /// Looks at the index as of a second ago, which others may do at the same time.
    pub(super) fn index<T>(&self, look: impl FnOnce(&Index) -> T) -> T {
        look(&self.lists.now())
    }
}
