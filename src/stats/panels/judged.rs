//! A debate that a panel judged.

use crate::facts::Facts;
use crate::facts::panels::PanelFacts;

/// A panel's verdict on one of the debates that are counted.
#[derive(Clone, Copy)]
pub(super) struct Judged<'c> {
    pub(super) debate: usize,
    pub(super) facts: &'c Facts,
    pub(super) panel: &'c PanelFacts,
}
