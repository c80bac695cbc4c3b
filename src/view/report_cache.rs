//! The report as it was made last. It is made again when there are other debates, at most once a minute and by one at a time;
//! meanwhile all get the one that is there, which says when it was made.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::blocking_work::look_aside;
use crate::shared::Shared;
use crate::templates::Templates;

/// Makes the report's page, or says why there is none.
pub type ReportPage = Arc<dyn Fn(&Templates) -> Result<String, String> + Send + Sync>;

/// For how long a report is good, whatever is added.
const GOOD: Duration = Duration::from_secs(60);

/// A report's page, or why there is none.
type Page = Result<Bytes, String>;

/// The last report.
pub(super) struct ReportCache {
    make: ReportPage,
    templates: Templates,
    last: Shared<Option<Made>>,
    /// Held by the one who makes it.
    making: Arc<Mutex<()>>,
}

/// A report, and of which state of the index it is.
struct Made {
    revision: u64,
    at: Instant,
    page: Page,
}

impl ReportCache {
    pub(super) fn new(make: ReportPage, templates: Templates) -> Self {
        Self { make, templates, last: Shared::default(), making: Arc::default() }
    }

    /// The report for this state of the index, or the one before it. Only the very first is waited for.
    pub(super) async fn page(self: Arc<Self>, revision: u64) -> Page {
        let Some((page, is_good)) = self.last(revision) else { return self.first(revision).await };
        if !is_good && let Ok(turn) = Arc::clone(&self.making).try_lock_owned() {
            tokio::spawn(async move {
                let _ = self.remake(revision).await;
                drop(turn);
            });
        }
        page
    }

    /// The last one, and whether it will do.
    fn last(&self, revision: u64) -> Option<(Page, bool)> {
        let last = self.last.lock();
        let made = last.as_ref()?;
        let is_good = made.revision == revision || made.at.elapsed() < GOOD;
        Some((made.page.clone(), is_good))
    }

    async fn first(self: Arc<Self>, revision: u64) -> Page {
        let its = Arc::clone(&self);
        // It continues where the one who asked goes away: the next one finds it.
        let made = tokio::spawn(async move {
            let _turn = its.making.lock().await;
            match its.last(revision) {
                Some((page, _)) => page,
                None => its.remake(revision).await,
            }
        });
        made.await.unwrap_or_else(|_| Err(FAILED.to_owned()))
    }

    async fn remake(self: &Arc<Self>, revision: u64) -> Page {
        let its = Arc::clone(self);
        let page = look_aside(move || (its.make)(&its.templates))
            .await
            .unwrap_or_else(|| Err(FAILED.to_owned()))
            .map(Bytes::from);
        *self.last.lock() = Some(Made { revision, at: Instant::now(), page: page.clone() });
        page
    }
}

const FAILED: &str = "The report could not be created.";

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// A report that counts how often it is made.
    fn counted() -> (Arc<ReportCache>, Arc<AtomicUsize>) {
        let made = Arc::new(AtomicUsize::new(0));
        let its = Arc::clone(&made);
        let make: ReportPage = Arc::new(move |_| {
            let n = its.fetch_add(1, Ordering::SeqCst) + 1;
            Ok(n.to_string())
        });
        let report = ReportCache::new(make, Templates::load(None).unwrap());
        (Arc::new(report), made)
    }

    async fn shown(report: &Arc<ReportCache>, revision: u64) -> String {
        let page = Arc::clone(report).page(revision).await.unwrap();
        String::from_utf8(page.to_vec()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn l3_many_who_want_the_first_report_have_it_made_once() {
        let (report, made) = counted();
        let all = (0..50).map(|_| shown(&report, 1));
        let all = futures_util::future::join_all(all).await;
        assert!(all.iter().all(|page| page == "1"));
        assert_eq!(made.load(Ordering::SeqCst), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn l3_a_report_is_made_again_once_a_minute_however_often_debates_end() {
        let (report, made) = counted();
        for revision in 0..50 {
            assert_eq!(shown(&report, revision).await, "1");
        }
        tokio::time::advance(GOOD).await;
        // Who comes first gets the old one too, and all others until the new one is there.
        for _ in 0..50 {
            assert_eq!(shown(&report, 51).await, "1");
        }
        drop(report.making.lock().await);
        while shown(&report, 51).await == "1" {
            tokio::task::yield_now().await;
        }
        assert_eq!(made.load(Ordering::SeqCst), 2);
        tokio::time::advance(GOOD).await;
        assert_eq!(shown(&report, 51).await, "2", "nothing is new");
    }
}
