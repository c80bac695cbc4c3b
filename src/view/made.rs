//! The report as it was made last; it is made again when there are other debates.

use std::sync::Arc;

use crate::shared::Shared;
use crate::templates::Templates;

/// Makes the report's page, or says why there is none.
pub type ReportPage = Arc<dyn Fn(&Templates) -> Result<String, String> + Send + Sync>;

/// The last report, and of which state of the index it is.
pub(super) struct MadeReport {
    make: ReportPage,
    /// Made by one at a time: it may take long.
    last: Shared<Option<(u64, Result<String, String>)>>,
}

impl MadeReport {
    pub(super) fn new(make: ReportPage) -> Self {
        let last = Shared::default();
        Self { make, last }
    }

    pub(super) fn page(&self, revision: u64, templates: &Templates) -> Result<String, String> {
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
