//! The ids of those who take part beside advocates and judges.

pub(super) const MODERATOR: &str = "moderator";
pub(super) const FACT_CHECKER: &str = "fact_checker";
