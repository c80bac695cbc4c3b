//! The order in which each of a debate's own judges reads the contestants, and the swapped order of a second reading.

use crate::call_id::{CallId, CallStage};
use crate::floor::Floor;
use crate::job::participant::Participant;

/// A judge, the contestants in the order in which it sees them, and the call.
pub(super) struct Asked<'a> {
    pub(super) judge: &'a Participant,
    pub(super) order: Vec<&'a str>,
    pub(super) call: CallId,
}

/// The readings of a judge with its number. The first contestant of the first judge is drawn, and each further judge begins with
/// the next one, so that the effect of the order cancels out in the means as far as the number of judges allows. A second
/// reading is in reverse order.
pub(super) fn readings<'a>(
    floor: &Floor,
    (number, judge): (usize, &'a Participant),
    contestants: &[&'a str],
    twice: bool,
) -> Vec<Asked<'a>> {
    let order = floor.draw_order("reading order", number, contestants);
    let call = CallId::new(CallStage::End, "verdict", &judge.id);
    let again = twice.then(|| Asked {
        judge,
        order: order.iter().rev().copied().collect(),
        call: call.clone().reversed(),
    });
    let first = Asked { judge, order, call };
    [first].into_iter().chain(again).collect()
}
