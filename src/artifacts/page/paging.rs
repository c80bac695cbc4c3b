//! The pages of a long debate. Each has whole parts, so that a round stands on one; and as a debate goes on, only its last page
//! changes, so that addresses stay.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::parts::{self, Part};
use crate::artifacts::statement_place;
use crate::text;
use crate::trace::Trace;

/// Statements with which a page is full: the next part begins another.
pub(super) const FULL: usize = 100;

/// A debate's parts, page by page.
pub struct Pages<'t> {
    pages: Vec<Vec<Part<'t>>>,
}

impl<'t> Pages<'t> {
    /// The pages of a debate; one that has nothing yet has one.
    pub fn of(trace: &'t Trace) -> Self {
        let mut pages = vec![Vec::new()];
        let mut said = 0;
        for part in parts::of(trace) {
            if said >= FULL {
                pages.push(Vec::new());
                said = 0;
            }
            said += part.statements.len();
            pages.last_mut().expect("there is a page").push(part);
        }
        Self { pages }
    }

    /// All of it as one.
    pub(super) fn one(trace: &'t Trace) -> Self {
        Self { pages: vec![parts::of(trace)] }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.pages.len()
    }

    /// What the address of a statement has between its debate and its anchor: which page it is on, where there are several.
    pub fn address_of(&self, statement: u32) -> String {
        let last = |page: &Vec<Part<'_>>| page.last()?.statements.last().map(|s| s.n);
        let mut pages = self.pages.iter();
        let found = pages.position(|page| last(page) >= Some(statement));
        self.address(found.unwrap_or(0))
    }

    fn address(&self, at: usize) -> String {
        text::told_if(self.count() != 1, || format!("?page={}", at + 1))
    }

    /// All parts, in order.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Part<'t>> {
        self.pages.iter().flatten()
    }

    /// The parts of a page, counted from 1; none where there is no such page.
    pub(super) fn on(&self, page: usize) -> &[Part<'t>] {
        let page = page.checked_sub(1).and_then(|at| self.pages.get(at));
        page.map_or(&[], Vec::as_slice)
    }

    /// What the address of an anchor has before its `#`: which page it is on; `None` of an anchor that no page has for itself.
    pub fn address_at(&self, trace: &Trace, anchor: &str) -> Option<String> {
        let mut all = self.anchors(trace);
        let found = all.find(|(id, _)| id == anchor);
        found.map(|(_, at)| self.address(at))
    }

    /// What stands before the `#` of each anchor on a page, for the template: nothing where that page has it itself.
    pub(super) fn addresses(&self, trace: &Trace, page: usize) -> BTreeMap<String, String> {
        let address = |at| if at + 1 == page { String::new() } else { self.address(at) };
        self.anchors(trace).map(|(id, at)| (id, address(at))).collect()
    }

    /// All anchors that only one page has, each with its page, counted from 0.
    fn anchors(&self, trace: &Trace) -> impl Iterator<Item = (String, usize)> {
        let last = self.count() - 1;
        let parts = self.pages.iter().zip(0..);
        let parts = parts.flat_map(|(parts, at)| parts.iter().map(move |part| (part, at)));
        let in_parts = parts.flat_map(|(part, at)| {
            let said = part.statements.iter().map(|s| format!("m{}", statement_place::number(s.n)));
            let own = [part.id.clone(), format!("{}-votes", part.id)];
            said.chain(own).map(move |id| (id, at))
        });
        let questions = trace.flow.questions.iter().map(|question| &question.id);
        let points = trace.flow.points.iter().map(|point| &point.id).chain(questions);
        let points = points.map(move |id| (format!("p-{id}"), last));
        let sections = START.map(|id| (id.to_owned(), 0));
        let ends = END.map(|id| (id.to_owned(), last));
        in_parts.chain(points).chain(sections).chain(ends)
    }

    /// What the template shows of them; nothing where there is only one.
    pub(super) fn shown(&self, page: usize) -> Option<Value> {
        let said = |at: usize| self.on(at).iter().flat_map(|part| &part.statements);
        let first = |at: usize| said(at).next().map(|s| statement_place::number(s.n));
        let last = |at: usize| said(at).last().map(|s| statement_place::number(s.n));
        (self.count() > 1).then(|| {
            json!({
                "n": page, "all": self.count(), "from": first(page), "to": last(page),
                "before": last(page - 1), "after": first(page + 1),
            })
        })
    }
}

/// Sections before what was said, which the first page has.
const START: [&str; 4] = ["answer", "short", "stances", "seats"];
/// Sections behind what was said, which the last page has.
const END: [&str; 4] = ["verdict", "panels", "arguments", "trouble"];
