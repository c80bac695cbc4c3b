//! A line of a text with little room, with the statements that it is about.

use super::statement_place;
use crate::text;

/// What somebody says, with the numbers of the statements that it is about.
pub(super) struct Line {
    pub(super) text: String,
    pub(super) cites: Vec<u32>,
    /// Whether it is told first: a ballot of another round, what a judge says in its second reading, or what stands above in part, is
    /// told where there is room.
    pub(super) decided: bool,
    /// Whom a judge who says it has ahead, or in which of its readings it says so, where these disagree.
    pub(super) side: Option<String>,
}

impl Line {
    pub(super) fn new(text: &str, cites: Vec<u32>) -> Self {
        Self { text: text::one_line(text), cites, decided: true, side: None }
    }
}

/// ` – cites [002], [007]`, behind somebody's words, which these are not; nothing without any.
pub(super) fn cites(statements: &[u32]) -> String {
    let cited: Vec<String> = statements.iter().map(|n| cited(*n)).collect();
    if cited.is_empty() { String::new() } else { format!(" – cites{}", cited.join(",")) }
}

/// ` [007]`.
pub(super) fn cited(n: u32) -> String {
    format!(" [{}]", statement_place::number(n))
}
