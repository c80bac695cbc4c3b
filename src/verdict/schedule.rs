//! What each judge reads: in which order, how often, and in which order it is asked for the criteria. All of it follows from
//! the debate and the judge's place.

use crate::digest;
use crate::event::Side;
use crate::id::DebateId;
use crate::job::panel::{CriteriaOrder, Orders, Panel};

/// One reading that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Which side is read first.
    pub order: [Side; 2],
    /// Which time in this order, from 1.
    pub repeat: u32,
    /// The criteria, in the order in which they are asked for.
    pub criteria: Vec<String>,
}

impl Turn {
    /// Its part of the call's name: `pq-1`.
    pub fn name(&self) -> String {
        let order = match self.order {
            [Side::P, _] => "pq",
            [Side::Q, _] => "qp",
        };
        format!("{order}-{}", self.repeat)
    }
}

/// What the judge in a place reads of a debate.
pub fn turns(panel: &Panel, debate: &DebateId, place: usize) -> Vec<Turn> {
    let pq = Side::BOTH;
    let qp = [Side::Q, Side::P];
    let first_is_p = draw(debate, "order")
        .wrapping_add(place as u64)
        .is_multiple_of(2);
    let drawn = if first_is_p { pq } else { qp };
    let orders = match panel.settings.orders {
        Orders::Both => vec![pq, qp],
        Orders::One => vec![drawn],
    };
    let turn = |order: [Side; 2], repeat| Turn {
        order,
        repeat,
        criteria: criteria(panel, debate, place + usize::from(order == qp)),
    };
    let mut turns: Vec<Turn> = orders.into_iter().map(|order| turn(order, 1)).collect();
    if is_repeated(panel, debate) {
        turns.push(turn(drawn, 2));
    }
    turns
}

/// Whether a debate is among those that each judge reads once more.
pub fn is_repeated(panel: &Panel, debate: &DebateId) -> bool {
    let drawn = draw(debate, "repeat") as f64 / u64::MAX as f64;
    drawn < panel.settings.repeat_share
}

/// The criteria from one on, in their order and round to the first: a Latin square whose row is drawn by debate.
fn criteria(panel: &Panel, debate: &DebateId, row: usize) -> Vec<String> {
    let mut names: Vec<String> = panel.settings.criteria.keys().cloned().collect();
    if panel.settings.criteria_order == CriteriaOrder::Rotate && !names.is_empty() {
        let all = names.len() as u64;
        let from = (draw(debate, "criteria") % all + row as u64) % all;
        names.rotate_left(from as usize);
    }
    names
}

/// A number that follows from a debate's id.
pub fn draw(debate: &DebateId, what: &str) -> u64 {
    digest::derive(0, &format!("{debate}/{what}"))
}
