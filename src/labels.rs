//! Finished debates before people (row C5): which are drawn, how they stand on a label sheet, the page that shows them blind, and the
//! answers that come back. Pure; what a sheet hides is in its key, which stays in the output directory.

pub mod answers;
pub mod page;
pub mod sample;
pub mod sheet;
