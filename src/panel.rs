//! A panel's verdict on a finished debate, without any model: who may vote, who reads what in which order, what
//! of the record is shown, and the result of the readings. Pure: the same trace and panel give the same result.

pub mod candidates;
pub mod mask;
pub mod reading_order;
pub mod recusal;
pub mod seats;
pub mod shown_record;
pub mod votes;
