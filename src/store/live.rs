//! A debate in progress, for viewers (row L3): `.rebut/live/ID12.jsonl` has every event as it is emitted, logged or live only,
//! after a line that names the writer. It contains nothing that is not elsewhere, is not synced, and is removed once the debate
//! is committed.

mod calls;
mod cursor;
mod left;
mod place;
mod tail;
mod writer;

pub use self::calls::CallsInFlight;
pub use self::cursor::Cursor;
pub use self::left::{is_open, left, left_by, left_of};
pub use self::place::{LiveHeader, ShortId, all, is_running, logged, look, path};
pub use self::tail::{Grown, LiveLine, LiveTail, logged_lines};
pub use self::writer::LiveFiles;
