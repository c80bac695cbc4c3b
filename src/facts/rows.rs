//! Scores and calls as rows of `facts.json`: neighbours that share something are one array, which begins with it. Most of a debate's
//! numbers are theirs, and statistics of many debates take as long as parsing these.

pub(super) mod calls;
pub(super) mod scores;
