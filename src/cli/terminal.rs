//! What a person sees: colours, messages, progress, and the table of open debates during a run.

mod calls_left;
pub(super) mod color;
pub(super) mod debate_log;
mod ended_lines;
pub(super) mod open_debate;
pub(super) mod print;
pub(super) mod progress;
pub(super) mod screen;
pub(super) mod server_failures;
pub(super) mod spool;
