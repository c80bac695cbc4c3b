//! The flow: every argument of a debate, what was answered to it, and how it stands. Ids and statuses are ours, computed
//! from the clerk's notes; what the notes say is a model's reading of the debate.
//!
//! Debaters call such a sheet a flow: <https://en.wikipedia.org/wiki/Flow_(policy_debate)>.

mod asked;
mod at_the_end;
mod case;
mod counting;
mod edge;
mod fate;
mod newest;
mod shape;
mod sheet;
mod status;
#[cfg(test)]
mod tests;

pub use self::asked::{Other, asked, asks_again, puts_again};
pub use self::at_the_end::{MET, SAVED, explained};
pub use self::case::{Case, Cases};
pub use self::edge::Edge;
pub use self::newest::{newest, room};
pub use self::shape::{Flow, FlowPoint, FlowQuestion, PointStatus, Turn, Yielded};
pub use self::sheet::{Named, Noted, NotedMove, Sheet};
