//! Each judge's readings: their order, their number, and the order of the criteria. All of it follows from
//! the debate and the judge's place.

use crate::digest;
use crate::event::Side;
use crate::id::DebateId;
use crate::job::criteria::Criteria;
use crate::job::panel::{CriteriaOrder, Orders, Panel};

/// One reading that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadingSlot {
    /// Which side is put first.
    pub order: [Side; 2],
    /// Which time in this order, from 1.
    pub repeat: u32,
    /// The criteria, in the order in which they are asked for.
    pub criteria: Vec<String>,
}

impl ReadingSlot {
    /// Its part of the call's name: `pq-1`.
    pub fn name(&self) -> String {
        let order = match self.order {
            [Side::P, _] => "pq",
            [Side::Q, _] => "qp",
        };
        format!("{order}-{}", self.repeat)
    }
}

/// What the judge in a place reads of a debate, by these criteria.
pub fn turns(
    panel: &Panel,
    scored: &Criteria,
    debate: &DebateId,
    place: usize,
) -> Vec<ReadingSlot> {
    let (pq, qp) = (Side::BOTH, [Side::Q, Side::P]);
    let drawn = draw(debate, "order").wrapping_add(place as u64);
    let drawn = if drawn.is_multiple_of(2) { pq } else { qp };
    let orders = match panel.settings.orders {
        Orders::Both => vec![pq, qp],
        Orders::One => vec![drawn],
    };
    let turn = |order: [Side; 2], repeat| ReadingSlot {
        order,
        repeat,
        criteria: criteria(panel, scored, debate, place + usize::from(order == qp)),
    };
    let mut turns: Vec<ReadingSlot> = orders.into_iter().map(|order| turn(order, 1)).collect();
    if is_repeated(panel, debate) {
        turns.push(turn(drawn, 2));
    }
    turns
}

/// How many readings a panel is asked for of a debate, if no substitute takes the seat of a shadow.
pub fn readings(panel: &Panel, debate: &DebateId) -> usize {
    let judges = 0..panel.judges.len();
    judges.map(|place| turns(panel, &panel.settings.criteria, debate, place).len()).sum()
}

/// Whether a debate is among those that each judge reads once more.
pub fn is_repeated(panel: &Panel, debate: &DebateId) -> bool {
    let drawn = draw(debate, "repeat") as f64 / u64::MAX as f64;
    drawn < panel.settings.repeat_share
}

/// The criteria from one on, in their order and round to the first: a Latin square whose row is drawn by debate.
fn criteria(panel: &Panel, scored: &Criteria, debate: &DebateId, row: usize) -> Vec<String> {
    let mut names: Vec<String> = scored.keys().cloned().collect();
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use serde_json::json;

    use super::*;
    use crate::templates::Templates;

    fn panel(more: &str) -> Panel {
        let source = format!("judges: [{{model: a}}, {{model: b}}, {{model: c}}]\n{more}\n");
        let templates = Templates::load(None).expect("templates");
        Panel::parse(Path::new("panel.yaml"), &source, &templates).expect("a panel")
    }

    fn debates() -> impl Iterator<Item = DebateId> {
        (0..600).map(|n| DebateId::from_identity(&json!(n)))
    }

    #[test]
    fn c1_over_debates_each_criterion_is_first_as_often_in_both_orders() {
        let panel = panel("repeat_share: 0");
        let mut firsts: BTreeMap<(String, Side), usize> = BTreeMap::new();
        for debate in debates() {
            for turn in turns(&panel, &panel.settings.criteria, &debate, 1) {
                *firsts.entry((turn.criteria[0].clone(), turn.order[0])).or_default() += 1;
            }
        }
        assert_eq!(firsts.len(), 6);
        assert!(firsts.values().all(|n| (160..240).contains(n)), "{firsts:?}");
    }

    #[test]
    fn c1_on_one_debate_three_judges_and_their_orders_begin_with_every_criterion() {
        let panel = panel("repeat_share: 0");
        let debate = debates().next().expect("a debate");
        let mut firsts: Vec<String> = (0..3)
            .map(|place| {
                turns(&panel, &panel.settings.criteria, &debate, place)[0].criteria[0].clone()
            })
            .collect();
        firsts.sort();
        assert_eq!(firsts, ["argument_quality", "coherence", "relevance"]);
    }

    #[test]
    fn c1_a_share_of_debates_is_read_again_in_an_order_that_was_read() {
        let panel = panel("repeat_share: 0.2");
        let repeated: Vec<DebateId> = debates().filter(|id| is_repeated(&panel, id)).collect();
        assert!((90..150).contains(&repeated.len()), "{}", repeated.len());
        for debate in &repeated {
            let turns = turns(&panel, &panel.settings.criteria, debate, 0);
            let again = turns.iter().find(|turn| turn.repeat == 2).expect("a repeat");
            let once = turns.iter().find(|turn| turn.repeat == 1 && turn.order == again.order);
            assert_eq!(once.expect("the first").criteria, again.criteria);
        }
    }

    #[test]
    fn c1_one_order_is_drawn_for_each_judge() {
        let panel = panel("orders: one\nrepeat_share: 0");
        let firsts = debates()
            .flat_map(|id| turns(&panel, &panel.settings.criteria, &id, 0))
            .map(|turn| turn.order[0]);
        let p = firsts.filter(|side| *side == Side::P).count();
        assert!((250..350).contains(&p), "{p}");
    }
}
