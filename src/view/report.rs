//! The report on all debates, made again when there are others.

use axum::extract::State;
use axum::http::StatusCode;

use super::app::{App, ReportPage};
use super::respond::{Answer, answer_aside, html, missing};
use crate::shared::Shared;
use crate::templates::Templates;

/// The last report, and of which state of the index it is.
pub(super) struct ReportCache {
    make: ReportPage,
    /// Made by one at a time: it may take long.
    last: Shared<Option<(u64, Result<String, String>)>>,
}

impl ReportCache {
    pub(super) fn new(make: ReportPage) -> Self {
        let last = Shared::default();
        Self { make, last }
    }

    fn page(&self, revision: u64, templates: &Templates) -> Result<String, String> {
        let mut last = self.last.lock();
        match last.as_ref().filter(|(of, _)| *of == revision) {
            Some((_, page)) => page.clone(),
            None => {
                let page = (self.make)(templates);
                *last = Some((revision, page.clone()));
                page
            }
        }
    }
}

pub(super) async fn page(State(app): State<App>) -> Answer {
    answer_aside(move || {
        let revision = app.index(|index| index.revision);
        match app.report.page(revision, &app.templates) {
            Ok(page) => html(StatusCode::OK, page),
            Err(why) => missing(&app, &why),
        }
    })
    .await
}
