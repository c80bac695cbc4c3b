//! What every answer of the viewer stands on.

use std::sync::Arc;

use axum::body::Bytes;

use super::access::Access;
use super::archive::Archive;
use super::aside::{aside, look_aside};
use super::hub::Hub;
use super::index::{Index, Row};
use super::limits::Streams;
use super::lists::Lists;
use super::made::{MadeReport, ReportPage};
use crate::clock::Clock;
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
    /// The most streams of one address.
    pub streams: usize,
    /// Makes the report.
    pub report: ReportPage,
    /// Ends it.
    pub stop: Stop,
}

/// The same at work.
pub(super) type App = Arc<Inner>;

pub(super) struct Inner {
    pub(super) output: OutputDir,
    pub(super) templates: Templates,
    pub(super) access: Access,
    pub(super) lists: Lists,
    pub(super) hub: Hub,
    pub(super) streams: Streams,
    pub(super) archive: Archive,
    pub(super) report: Arc<MadeReport>,
    pub(super) overview: tokio::sync::watch::Sender<Bytes>,
    pub(super) stop: Stop,
}

impl Inner {
    pub(super) fn new(viewer: Viewer) -> App {
        let templates = viewer.templates.served();
        let report = MadeReport::new(viewer.report, templates.clone());
        Arc::new(Self {
            lists: Lists::new(&viewer.output, &viewer.clock),
            hub: Hub::new(&viewer.output, &viewer.clock, viewer.access.public),
            output: viewer.output,
            archive: Archive::new(viewer.access.public),
            templates,
            access: viewer.access,
            streams: Streams::new(viewer.streams),
            report: Arc::new(report),
            overview: tokio::sync::watch::Sender::new(Bytes::new()),
            stop: viewer.stop,
        })
    }

    /// Looks at the index as of a second ago, which others may do at the same time.
    pub(super) fn index<T>(&self, look: impl FnOnce(&Index) -> T) -> T {
        look(&self.lists.now())
    }

    /// A finished debate. One that is not known yet is looked for on disk.
    pub(super) async fn finished(self: &Arc<Self>, id: &ShortId) -> Option<Arc<Row>> {
        let find = || {
            let (its, id) = (Arc::clone(self), id.clone());
            aside(move || its.index(|index| index.get(&id).cloned()))
        };
        if let Some(found) = find().await.flatten() {
            return Some(found);
        }
        let look = async || {
            let its = Arc::clone(self);
            let _ = look_aside(move || its.lists.look_now()).await;
        };
        self.lists.seek(look).await;
        find().await.flatten()
    }
}
