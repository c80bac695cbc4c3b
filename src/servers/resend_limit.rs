//! How often a request is resent after a server's failure. Without a limit, a request that brings the server down would be
//! resent forever: the server answers others in between, so it is never given up.

use std::collections::BTreeMap;

/// Resends per server.
const MOST: u32 = 3;

/// The resends of one request, by server.
#[derive(Debug, Default)]
pub(super) struct ResendLimit<'s>(BTreeMap<&'s str, Resends>);

#[derive(Debug, Default)]
struct Resends {
    count: u32,
    /// How many replies the server had given at the last one.
    answered: u64,
}

impl<'s> ResendLimit<'s> {
    /// Counts a failure on a server, and returns whether the limit is reached; `answered` is the number of the server's
    /// replies so far. A failure counts if the server answered others since the last one, or if the request `broke_off`,
    /// having been taken by a server that was up. Otherwise it is still the same outage, which is waited out.
    pub(super) fn is_reached(&mut self, server: &'s str, answered: u64, broke_off: bool) -> bool {
        let resends = self.0.entry(server).or_default();
        if broke_off || resends.count == 0 || resends.answered < answered {
            resends.count += 1;
        }
        resends.answered = answered;
        resends.count > MOST
    }
}
