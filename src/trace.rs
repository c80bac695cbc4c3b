//! A whole debate: the fold of its events, in one uniform structure for every format. Artifacts and statistics are
//! rendered only from it.

mod agreement;
mod cause;
mod fold;
mod read;
mod record_digest;
mod shape;
mod taking_part;

pub use self::cause::{
    SEE_INCIDENTS, SharedCause, briefly as cause_in_brief, shared as shared_cause,
};
pub use self::fold::{Fold, TraceError};
pub(crate) use self::read::major;
pub use self::read::{FILE, ReadError, metadata};
pub use self::shape::{
    DEBATE_ARM, Label, ModelUse, Pairing, SCHEMA_VERSION, Timing, Trace, TraceParticipant,
    TracePlan, settings_of,
};
