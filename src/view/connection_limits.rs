//! How much stands open: connections and streams, by who opened them and in all.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use crate::shared::Shared;

/// Maximum streams of all.
pub(super) const STREAMS: usize = 600;
/// Maximum connections of all.
pub(super) const CONNECTIONS: usize = 1024;
/// The part of an IPv6 address that names a network: one machine has all addresses in it.
const NETWORK: u128 = !0 << 64;

/// What stands open, by who opened it.
pub(super) struct Limit {
    each: usize,
    all: usize,
    open: Arc<Shared<HashMap<IpAddr, usize>>>,
}

/// One of them, as long as it lives.
pub(super) struct Open {
    by: IpAddr,
    open: Arc<Shared<HashMap<IpAddr, usize>>>,
}

impl Limit {
    /// At most this many of one address, and of all.
    pub(super) fn new(each: usize, all: usize) -> Self {
        Self { each, all, open: Arc::default() }
    }

    /// Opens one; `None` where there are too many, of this address or of all.
    pub(super) fn open(&self, by: IpAddr) -> Option<Open> {
        let (by, mut open) = (whose(by), self.open.lock());
        let all: usize = open.values().sum();
        let own = open.get(&by).copied().unwrap_or(0);
        if all >= self.all || own >= self.each {
            return None;
        }
        open.insert(by, own + 1);
        Some(Open { by, open: Arc::clone(&self.open) })
    }
}

/// Whom an address counts for: itself, or its network where a machine has as many addresses as it likes.
pub(super) fn whose(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::from(Ipv6Addr::from(u128::from(v6) & NETWORK)),
        v4 => v4,
    }
}

impl Drop for Open {
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
        let limit = Limit::new(0, 9);
        assert!(limit.open(IpAddr::from([127, 0, 0, 1])).is_none());
        assert!(limit.open.lock().is_empty());
    }

    #[test]
    fn l3_addresses_of_one_network_count_together() {
        let limit = Limit::new(1, 4);
        let open = |address: &str| limit.open(address.parse().unwrap());
        let held = [open("2001:db8::1"), open("10.0.0.1"), open("::1")];
        assert!(held.iter().all(Option::is_some));
        assert!(open("2001:db8::ffff:2").is_none(), "the same network");
        assert!(open("::ffff:10.0.0.1").is_none(), "the same machine");
        assert!(open("::1").is_none(), "loopback too");
        let other = open("2001:db8:0:1::1");
        assert!(other.is_some(), "another network");
        assert!(open("10.0.0.2").is_none(), "all of them are four");
        drop(other);
        assert!(open("10.0.0.2").is_some());
    }
}
