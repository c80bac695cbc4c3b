//! The limit on resending a request after server failures. Without it, a request that crashes the server would be resent
//! forever: the server answers other calls in between, so it is never given up.

use std::collections::BTreeMap;

/// Maximum resends per server.
const MOST: u32 = 3;

/// The resends of one request, by server.
#[derive(Debug, Default)]
pub(super) struct ResendLimit<'s>(BTreeMap<&'s str, Resends>);

#[derive(Debug, Default)]
struct Resends {
    count: u32,
    /// Replies that the server had given at the last failure.
    answered: u64,
}

impl<'s> ResendLimit<'s> {
    /// Counts a failure on a server and returns whether the limit is reached; `answered` is the server's replies so far. A
    /// failure counts if the server has answered other calls since the last one, or if the server took the request and the
    /// reply `broke_off`. Otherwise it belongs to the same outage, which is waited out.
    pub(super) fn is_reached(&mut self, server: &'s str, answered: u64, broke_off: bool) -> bool {
        let resends = self.0.entry(server).or_default();
        if broke_off || resends.count == 0 || resends.answered < answered {
            resends.count += 1;
        }
        resends.answered = answered;
        resends.count > MOST
    }
}
