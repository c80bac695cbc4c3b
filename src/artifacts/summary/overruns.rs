//! Statements that are clearly longer than was asked for. One that was cut is told as such.

use crate::artifacts::statement_place::number;
use crate::event::Statement;
use crate::text;
use crate::trace::Trace;

/// More words than this share of those asked for is clearly too long.
const CLEARLY: f64 = 1.1;

/// Who ran over, and how far: `Clearly longer than asked, by over a tenth: Ann in 3 of 4 statements, most in 005 (190 words instead of 130).`
pub(super) fn line(trace: &Trace) -> Option<String> {
    let people = trace.contestants().filter_map(|p| {
        let said = trace.statements.iter().filter(|s| s.by == p.id && s.is_by_a_model());
        let said = said.filter(|s| s.asked_words.is_some());
        let over: Vec<[u32; 3]> = said.clone().filter_map(over).collect();
        let most = over.iter().max_by_key(|[words, asked, _]| words * 1000 / asked)?;
        let [words, asked, n] = most;
        let (name, at) = (&p.name, number(*n));
        let all = format!("{} of {}", over.len(), text::count(said.count() as u64, "statement"));
        Some(match over.len() {
            1 => format!("{name} in {at} ({words} words instead of {asked})"),
            _ => format!("{name} in {all}, most in {at} ({words} words instead of {asked})"),
        })
    });
    let people = text::if_any(text::separated(people, "; "))?;
    Some(format!("Clearly longer than asked, by over a tenth: {people}."))
}

/// Words, words asked for and the number of a statement that is clearly too long.
fn over(s: &Statement) -> Option<[u32; 3]> {
    let asked = s.asked_words.filter(|asked| *asked > 0 && !s.cut)?;
    let words = text::without_mark(&s.text).split_whitespace().count() as u32;
    (f64::from(words) > CLEARLY * f64::from(asked)).then_some([words, asked, s.n])
}
