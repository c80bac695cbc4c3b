//! Debates' answers on open topics against those of a model alone (row C3): by each panel that compared them, and by people.
//! One value per comparison, clustered by topic.

use std::collections::BTreeMap;

use super::answers::matching::{Records, cells};
use super::counted_debates::{View, numbers};
use super::findings::AgainstAlone;
use super::panels::by_panel;
use super::verdicts::PEOPLE;
use crate::event::Vote;
use crate::facts::{Facts, OpenFacts, Person};
use crate::trace::DEBATE_ARM;
use statistics::paired::{self, Pair};

/// A comparison with the debate's answer as its first candidate.
struct Compared<'c> {
    place: usize,
    facts: &'c Facts,
    open: &'c OpenFacts,
}

/// What of a comparison keeps it from being counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Counts,
    Replaced,
    Stale,
}

/// The rows, one for each source of verdicts.
pub(super) fn alone(view: &View<'_>) -> Vec<AgainstAlone> {
    let all = compared(view);
    if all.is_empty() {
        return Vec::new();
    }
    let fates = fates(view, &all);
    let own: Vec<&Compared<'_>> = counting(&all, &fates).collect();
    let count = |fate| fates.iter().filter(|it| **it == fate).count();
    let omitted = [Fate::Replaced, Fate::Stale].map(count);
    let mut rows: Vec<AgainstAlone> =
        sources(view).into_iter().map(|source| row(view, &own, omitted, source)).collect();
    paired::corrected(rows.iter_mut().map(|row| &mut row.found));
    // No share is further from one half than that.
    rows.iter_mut().for_each(|row| row.found.end_at(0.5));
    rows
}

fn compared<'c>(view: &View<'c>) -> Vec<Compared<'c>> {
    let all = view.all().filter_map(|(place, facts)| {
        let open = facts.open.as_ref().filter(|open| *open.arm != *DEBATE_ARM)?;
        Some(Compared { place, facts, open })
    });
    all.collect()
}

fn fates(view: &View<'_>, all: &[Compared<'_>]) -> Vec<Fate> {
    let records = || view.read().filter_map(|facts| Some((facts, &*facts.open.as_ref()?.record)));
    let debates: BTreeMap<(&str, &str), &Facts> =
        records().map(|(facts, record)| ((&*facts.id, record), facts)).collect();
    let debate = |it: &Compared<'_>| {
        let (id, record) = it.open.matched.first()?;
        debates.get(&(&**id, &**record)).copied()
    };
    let records = Records::new(records());
    let is_own = |facts: &Facts| facts.people.iter().all(Person::spoke_itself);
    let fate = |it: &Compared<'_>| {
        if records.has_left(&it.open.matched) {
            Fate::Stale
        } else if !is_own(it.facts) || !debate(it).is_none_or(is_own) {
            Fate::Replaced
        } else {
            Fate::Counts
        }
    };
    all.iter().map(fate).collect()
}

fn counting<'a, 'c>(
    all: &'a [Compared<'c>],
    fates: &[Fate],
) -> impl Iterator<Item = &'a Compared<'c>> {
    all.iter().zip(fates).filter(|(_, fate)| **fate == Fate::Counts).map(|(it, _)| it)
}

/// Who is ahead in which comparison; `None` without a verdict.
type Votes = BTreeMap<usize, Option<Vote>>;

/// What stands for the source of verdicts where nobody has read a comparison.
const ANY: &str = "any panel";

/// The sources of verdicts: each panel that read one of the comparisons, and people.
fn sources(view: &View<'_>) -> Vec<(String, Votes)> {
    let is_one = |debate: usize| {
        let open = view.debates[debate].open.as_ref();
        open.is_some_and(|open| *open.arm != *DEBATE_ARM)
    };
    let panels = by_panel(view).into_iter().map(|(name, judged)| {
        let read = judged.iter().filter(|it| is_one(it.debate));
        let votes = read.map(|it| (it.debate, it.panel.ahead));
        (format!("panel:{name}"), votes.collect::<Votes>())
    });
    let people = view.all().filter_map(|(place, facts)| {
        Some((place, facts.labels.as_ref().filter(|_| is_one(place))?.winner()))
    });
    let mut all: Vec<(String, Votes)> = panels
        .chain([(PEOPLE.to_owned(), people.collect())])
        .filter(|(_, votes)| !votes.is_empty())
        .collect();
    if all.is_empty() {
        all.push((ANY.to_owned(), Votes::new()));
    }
    all
}

/// The row of one source. People are shown a sample, and what they were not shown is not undecided.
fn row(
    view: &View<'_>,
    own: &[&Compared<'_>],
    [replaced, stale]: [usize; 2],
    (verdicts, votes): (String, Votes),
) -> AgainstAlone {
    let is_asked = |it: &&&Compared<'_>| verdicts != PEOPLE || votes.contains_key(&it.place);
    let own: Vec<&Compared<'_>> = own.iter().filter(is_asked).copied().collect();
    let ahead = |place: usize| votes.get(&place).copied().flatten();
    let decided: Vec<(&Compared<'_>, Vote)> =
        own.iter().filter_map(|it| Some((*it, ahead(it.place)?))).collect();
    let share = |vote: Vote| f64::midpoint(1.0, vote.sign());
    let pair = |(it, vote): &(&Compared<'_>, Vote)| Pair {
        cluster: view.cluster(it.place),
        a: share(*vote),
        b: 0.5,
    };
    let count = |wanted| decided.iter().filter(|(_, vote)| *vote == wanted).count();
    let words = |place: usize| {
        let each =
            decided.iter().filter_map(|(it, _)| Some((it.place, f64::from(it.open.words?[place]))));
        view.mean(each).not_negative()
    };
    let spent = own.iter().filter_map(|it| Some((it.facts, it.open.ratio.zip(it.open.within)?)));
    let cells = cells(spent);
    AgainstAlone {
        verdicts,
        preferred: view.share(decided.iter().map(|(it, vote)| (it.place, share(*vote)))),
        found: paired::difference(&decided.iter().map(pair).collect::<Vec<_>>()),
        better: count(Vote::P),
        even: count(Vote::Tie),
        worse: count(Vote::Q),
        undecided: own.len() - decided.len(),
        replaced,
        stale,
        matched: cells.iter().all(|cell| cell.matched),
        cells,
        words: words(0),
        words_alone: words(1),
        debates: numbers(own.iter().map(|it| it.place)),
    }
}
