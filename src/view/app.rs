//! What every answer of the viewer stands on.

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use super::access::Access;
use super::hub::Hub;
use super::index::Index;
use super::limits::Streams;
use super::made::{MadeReport, ReportPage};
use super::vote_box::VoteBox;
use super::voters::Voters;
use crate::clock::Clock;
use crate::shared::Shared;
use crate::stop::Stop;
use crate::store::layout::OutputDir;
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
    /// The most streams of one address.
    pub streams: usize,
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
    pub(super) put: VoteBox,
    /// What could be voted on when it was looked at last.
    pub(super) last: Shared<Option<(Instant, Value)>>,
}

pub(super) struct Inner {
    pub(super) output: OutputDir,
    pub(super) templates: Templates,
    pub(super) clock: Clock,
    pub(super) access: Access,
    pub(super) votes: Option<Votes>,
    pub(super) index: Shared<Index>,
    pub(super) hub: Hub,
    pub(super) streams: Streams,
    pub(super) report: MadeReport,
    pub(super) overview: tokio::sync::watch::Sender<Arc<str>>,
    pub(super) stop: Stop,
}

impl Inner {
    pub(super) fn new(viewer: Viewer) -> App {
        let votes = viewer.voters.map(|voters| Votes {
            voters,
            put: VoteBox::new(&viewer.output, &viewer.clock),
            last: Shared::default(),
        });
        Arc::new(Self {
            votes,
            hub: Hub::new(&viewer.output, &viewer.clock, viewer.access.public),
            output: viewer.output,
            templates: viewer.templates.served(),
            clock: viewer.clock,
            access: viewer.access,
            index: Shared::default(),
            streams: Streams::new(viewer.streams),
            report: MadeReport::new(viewer.report),
            overview: tokio::sync::watch::Sender::new(Arc::from("")),
            stop: viewer.stop,
        })
    }

    /// Looks at the index, which is as new as of a second ago.
    pub(super) fn index<T>(&self, look: impl FnOnce(&Index) -> T) -> T {
        let mut index = self.index.lock();
        index.refresh(&self.output, &self.clock);
        look(&index)
    }
}
