//! A label sheet: finished debates in reading order, and the key to what is hidden.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::sample::{Eligible, shuffle};
use crate::digest;
use crate::event::{Order, Sampling};
use crate::id::DebateId;

/// The version of the shape of sheets and answers.
pub const VERSION: u32 = 1;
/// Of so many debates one stands on the sheet twice.
const REPEATED: usize = 10;
/// Hexadecimal digits of a sheet's id.
const DIGITS: usize = 16;

/// The key of a label sheet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sheet {
    /// The version of this shape.
    pub labels_version: u32,
    /// Its id: it follows from all that is on it.
    pub id: String,
    /// How its debates were chosen.
    pub sampling: Sampling,
    /// What is asked, in order.
    pub items: Vec<Item>,
    /// How many debates were asked for; absent on sheets of earlier versions, and if debates were named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u64>,
}

/// One place on a sheet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// The debate.
    pub debate: DebateId,
    /// The digest of its record.
    pub record_digest: String,
    /// Its two sides, in the order of the plan.
    pub candidates: [String; 2],
    /// Which is shown first.
    pub order: Order,
    /// Which time the debate is asked about, from 1.
    pub repeat: u32,
}

impl Sheet {
    /// A sheet with these debates. Half of them show the plan's first side first. One in ten, at least one of two, comes again in the
    /// second half, with the sides exchanged: habits of the slot and chance show there.
    pub fn new(mut debates: Vec<Eligible>, sampling: Sampling, most: Option<u64>) -> Self {
        let seed = sampling.seed;
        shuffle(&mut debates, seed, "order");
        let sides = [Order::Pq, Order::Qp].into_iter().cycle();
        let mut items: Vec<Item> =
            debates.into_iter().zip(sides).map(|(debate, order)| item(debate, order)).collect();
        items.sort_by_cached_key(|item| draw(seed, "place", item));
        repeat(&mut items, seed);
        let id = digest::of_json(&json!([VERSION, sampling, items]));
        Self { labels_version: VERSION, id: id[..DIGITS].to_owned(), sampling, items, most }
    }

    /// Whether the same was asked for, of whatever debates there were.
    pub fn is_like(&self, sampling: &Sampling, most: Option<u64>) -> bool {
        let own = &self.sampling;
        let options = |of: &Sampling| of.frame.as_ref().map(|frame| frame.options.clone());
        most.is_some()
            && (self.most, own.method, own.seed) == (most, sampling.method, sampling.seed)
            && options(own) == options(sampling)
    }

    /// What is in a place, from 1.
    pub fn item(&self, n: u32) -> Option<&Item> {
        self.items.get(usize::try_from(n).ok()?.checked_sub(1)?)
    }
}

/// Whether this could be a sheet's id.
pub fn is_id(text: &str) -> bool {
    text.len() == DIGITS && text.bytes().all(|b| b.is_ascii_hexdigit())
}

fn item(debate: Eligible, order: Order) -> Item {
    Item {
        debate: debate.id,
        record_digest: debate.record_digest,
        candidates: debate.candidates.map(|it| it.participant),
        order,
        repeat: 1,
    }
}

fn draw(seed: u64, word: &str, item: &Item) -> u64 {
    digest::derive(seed, &format!("{word}/{}", item.debate))
}

/// Puts debates of the first half into the second half once more, each into a drawn place.
fn repeat(items: &mut Vec<Item>, seed: u64) {
    let all = items.len();
    let times = if all < 2 { 0 } else { all.div_ceil(REPEATED) };
    let mut first: Vec<Item> = items[..all / 2].to_vec();
    first.sort_by_cached_key(|item| draw(seed, "again", item));
    for item in first.into_iter().take(times) {
        let half = all / 2;
        let places = (items.len() - half) as u64;
        // Never right behind its first time.
        let at = half + 1 + (draw(seed, "at", &item) % places) as usize;
        let again = Item { order: item.order.turned(), repeat: 2, ..item };
        items.insert(at, again);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::event::SamplingMethod;
    use crate::labels::sample;

    fn debates(n: u64) -> Vec<Eligible> {
        (0..n).map(|n| sample::tests::eligible(&json!(n))).collect()
    }

    fn sheet(n: u64, seed: u64) -> Sheet {
        let (all, sampling) = sample::drawn(debates(n), 200, seed);
        Sheet::new(all, sampling, Some(200))
    }

    #[test]
    fn c5_a_tenth_of_the_debates_stands_there_twice_with_the_sides_exchanged() {
        let sheet = sheet(1000, 1);
        assert_eq!(sheet.items.len(), 220);
        assert_eq!(sheet.sampling.probability, Some(0.2));
        let mut by_debate: BTreeMap<&str, Vec<&Item>> = BTreeMap::new();
        for item in &sheet.items {
            by_debate.entry(&item.debate).or_default().push(item);
        }
        let twice: Vec<&Vec<&Item>> = by_debate.values().filter(|its| its.len() == 2).collect();
        assert_eq!((by_debate.len(), twice.len()), (200, 20));
        for its in twice {
            assert_eq!([its[0].repeat, its[1].repeat], [1, 2]);
            assert_eq!(its[0].order.turned(), its[1].order);
        }
        let first = sheet.items.iter().filter(|it| it.repeat == 1 && it.order == Order::Pq);
        assert_eq!(first.count(), 100, "orders are balanced");
    }

    #[test]
    fn c5_a_sheet_follows_from_debates_and_seed_and_not_from_their_order() {
        let (mut all, sampling) = sample::drawn(debates(40), 20, 3);
        let one = Sheet::new(all.clone(), sampling.clone(), None);
        all.reverse();
        assert_eq!(one, Sheet::new(all, sampling, None));
        assert_ne!(one.id, sheet(40, 4).id);
        assert!(is_id(&one.id));
    }

    #[test]
    fn c5_every_debate_is_drawn_as_often_as_every_other() {
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        for seed in 0..400 {
            for debate in sample::drawn(debates(20), 5, seed).0 {
                *times.entry(debate.id.to_string()).or_default() += 1;
            }
        }
        assert!(times.values().all(|n| (65..136).contains(n)), "{times:?}");
    }

    #[test]
    fn c5_one_debate_is_asked_about_once_and_two_are_not_repeated_at_once() {
        assert_eq!(sheet(1, 1).items.len(), 1);
        for seed in 0..20 {
            let two = sheet(2, seed);
            assert_eq!(two.items.len(), 3);
            assert_ne!(two.items[0].debate, two.items[1].debate);
            let distinct: BTreeSet<_> = two.items.iter().map(|it| &it.debate).collect();
            assert_eq!(distinct.len(), 2);
        }
        assert_eq!(sheet(2, 1).sampling.method, SamplingMethod::Random);
    }
}
