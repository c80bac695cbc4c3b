//! What a trace is of: a debate in some format, or a control.

use crate::plan::arm_in_words;
use crate::trace::{DEBATE_ARM, Trace};

/// The kind of control, in words; `None` of a debate.
pub(super) fn control(trace: &Trace) -> Option<String> {
    let arm = Some(&trace.plan.arm).filter(|arm| *arm != DEBATE_ARM);
    arm.map(|arm| arm_in_words(arm))
}

/// What it is and which: `debate` and `in the duel format`, `control` and `without a debate (single)`.
pub(super) fn words(trace: &Trace) -> [String; 2] {
    match control(trace) {
        None => ["debate".to_owned(), format!("in the {} format", trace.format)],
        Some(control) => ["control".to_owned(), format!("without a debate ({control})")],
    }
}
