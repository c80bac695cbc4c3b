//! The trace of a debate in progress, as its pages show it: every event is folded once, when a page is asked for.

use std::sync::Arc;

use crate::event::{Event, EventKind};
use crate::store::live::Cursor;
use crate::trace::{Fold, Trace, TraceError};
use crate::view::public;

/// A debate as its pages show it: its trace, as if it ended now.
pub(in crate::view) struct TraceSoFar {
    pub(in crate::view) trace: Arc<Trace>,
    /// Where its log is with it.
    pub(in crate::view) after: Cursor,
    /// The round that has begun; 0 before the first.
    pub(in crate::view) round: u32,
    /// Whether it has ended.
    pub(in crate::view) is_over: bool,
    /// Whether that is only its beginning: the rest is too long.
    pub(in crate::view) is_cut: bool,
}

/// What pages are made of.
#[derive(Default)]
pub(in crate::view) struct Pages {
    /// The events so far; `None` before the first.
    fold: Option<Fold>,
    after: Option<Cursor>,
    round: u32,
    /// What everyone may see of it, as far as that was asked for.
    public: Option<Arc<Trace>>,
    /// Whether something came since.
    grew: bool,
    /// Whether an event came that this version does not know, or that begins no debate: there are no pages then.
    unknown: bool,
}

impl Pages {
    /// Adds an event, with where the log is after it.
    pub(in crate::view) fn add(&mut self, after: Cursor, line: &str) {
        self.after = Some(after);
        self.grew = true;
        let event = serde_json::from_str(line).ok();
        self.unknown |= event.and_then(|event| self.fold(&event).ok()).is_none();
    }

    fn fold(&mut self, event: &Event) -> Result<(), TraceError> {
        if let EventKind::RoundStart { .. } = event.kind {
            self.round = event.round.unwrap_or(self.round);
        }
        match &mut self.fold {
            Some(fold) => fold.add(event),
            None => self.fold = Some(Fold::begin(event)?),
        }
        Ok(())
    }

    /// All that was added; `None` if that is no debate.
    pub(in crate::view) fn so_far(&mut self, public: bool, is_cut: bool) -> Option<TraceSoFar> {
        let after = self.after.filter(|_| !self.unknown)?;
        let fold = self.fold.as_mut()?;
        let (whole, is_over) = (fold.so_far(), fold.is_over());
        Some(TraceSoFar {
            trace: if public { self.public(&whole)? } else { whole },
            after,
            round: self.round,
            is_over,
            is_cut,
        })
    }

    fn public(&mut self, whole: &Trace) -> Option<Arc<Trace>> {
        if std::mem::take(&mut self.grew) {
            let last = self.public.take().map(Arc::unwrap_or_clone);
            let seen = last.map(|last| last.statements).unwrap_or_default();
            self.public = public::grown(whole, seen).map(Arc::new);
        }
        self.public.clone()
    }
}
