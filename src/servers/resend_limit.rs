//! How often one request is sent again for a server's trouble. A request that brings the server down would be sent again
//! for ever, since the server answers others in between and so is never given up.

use std::collections::BTreeMap;

/// So often to each server.
const MOST: u32 = 3;

/// The rounds of one request, by server.
#[derive(Debug, Default)]
pub(super) struct Rounds<'s>(BTreeMap<&'s str, Failed>);

#[derive(Debug, Default)]
struct Failed {
    rounds: u32,
    /// How many replies the server had given the last time.
    answered: u64,
}

impl<'s> Rounds<'s> {
    /// Whether a request that has failed on that server has had its rounds; `answered` is the number of the server's
    /// replies. A failure is a round of its own if the server answered others since the last one, or if the request
    /// `broke_off`: it had been taken by a server that was there. Else the trouble is the same, and waited for.
    pub(super) fn are_over(&mut self, server: &'s str, answered: u64, broke_off: bool) -> bool {
        let failed = self.0.entry(server).or_default();
        if broke_off || failed.rounds == 0 || failed.answered < answered {
            failed.rounds += 1;
        }
        failed.answered = answered;
        failed.rounds > MOST
    }
}
