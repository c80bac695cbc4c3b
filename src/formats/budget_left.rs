//! How controls keep to the tokens that their debates took.

use crate::event::{Allotted, Budget};
use crate::floor::Floor;

/// Whether one more piece of work brings the spending nearer to the budget: half of a mean one must still fit.
pub(super) fn has_room(floor: &Floor, allotted: &Allotted, done: u32) -> bool {
    let spent = floor.spent(allotted.measure);
    let mean = spent as f64 / f64::from(done);
    spent as f64 + mean / 2.0 < allotted.tokens as f64
}

/// The budget of a control that has done so much.
pub(super) fn budget(floor: &Floor, allotted: Allotted, done: u32) -> Budget {
    let spent = floor.spent(allotted.measure);
    let control = floor.plan().control.as_ref();
    Budget {
        spent,
        ratio: spent as f64 / allotted.tokens.max(1) as f64,
        within: control.map_or(0.0, |control| control.within),
        samples: done,
        allotted,
    }
}
