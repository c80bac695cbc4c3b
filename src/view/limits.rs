//! How many streams stand open.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use crate::shared::Shared;

/// The most streams of all.
const ALL: usize = 600;

/// The streams that stand open, by who opened them.
pub(super) struct Streams {
    each: usize,
    open: Arc<Shared<HashMap<IpAddr, usize>>>,
}

/// One of them, as long as it lives.
pub(super) struct OpenStream {
    by: IpAddr,
    open: Arc<Shared<HashMap<IpAddr, usize>>>,
}

impl Streams {
    pub(super) fn new(each: usize) -> Self {
        let open = Arc::default();
        Self { each, open }
    }

    /// Opens one; `None` where there are too many, of this address or of all.
    pub(super) fn open(&self, by: IpAddr) -> Option<OpenStream> {
        let mut open = self.open.lock();
        let all: usize = open.values().sum();
        let own = open.get(&by).copied().unwrap_or(0);
        if all >= ALL || own >= self.each {
            return None;
        }
        open.insert(by, own + 1);
        Some(OpenStream {
            by,
            open: Arc::clone(&self.open),
        })
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut open = self.open.lock();
        if let Some(own) = open.get_mut(&self.by) {
            *own -= 1;
            if *own == 0 {
                open.remove(&self.by);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l3_who_is_refused_leaves_nothing_behind() {
        let streams = Streams::new(0);
        assert!(streams.open(IpAddr::from([127, 0, 0, 1])).is_none());
        assert!(streams.open.lock().is_empty());
    }
}
