//! `rebut check` lists the debates, of many only the first.

use crate::cli::terminal::print;
use crate::text;

/// Of more debates, only some are listed.
const MOST_LISTED: usize = 20;
/// So many.
const LISTED: usize = 10;

/// The lines of debates, perhaps of the first only.
pub(super) struct Listing {
    left: usize,
    omitted: usize,
}

impl Listing {
    /// The list of so many debates: of all on request, or if they are few.
    pub(super) fn new(debates: usize, all: bool) -> Self {
        let is_short = all || debates <= MOST_LISTED;
        Self { left: if is_short { usize::MAX } else { LISTED }, omitted: 0 }
    }

    /// Prints the next line, unless it is one of those that are only counted.
    pub(super) fn add(&mut self, line: impl FnOnce() -> String) {
        match self.left {
            0 => self.omitted += 1,
            _ => {
                self.left -= 1;
                print::out(&line());
            }
        }
    }

    /// Says how many are not listed.
    pub(super) fn end(&self) {
        if self.omitted > 0 {
            let omitted = text::grouped(self.omitted);
            print::out(&format!("… and {omitted} more (`rebut check --all` lists them)"));
        }
    }
}
