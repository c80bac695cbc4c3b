//! Traces into numbers: read in parallel, grouped, compared. Pure except for reading.

mod against_alone;
mod against_alone_claims;
mod answer_claims;
mod answers;
mod caution;
pub mod cell;
mod claim;
mod compare;
mod conduct;
mod confounding;
mod counted_debates;
mod descriptive;
mod design_check;
mod differing_settings;
mod differing_weights;
mod equal_length;
mod examples;
pub mod findings;
mod group;
mod headline;
mod judge_claims;
mod judging;
pub mod key;
pub(crate) mod labels;
mod leaderboards;
mod measure;
mod not_ended;
pub mod number;
mod pairwise;
mod panels;
mod places;
mod planned;
mod planned_design;
pub mod read;
mod related;
mod rubric;
mod score_claims;
mod self_judging;
mod strength_claims;
mod strength_variants;
mod swapped;
mod totals;
pub mod verdicts;
pub mod wins;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use rayon::prelude::*;

pub(crate) use self::answer_claims::NONE_DETECTABLE;
use self::counted_debates::View;
pub use self::descriptive::FAILED;
use self::findings::{
    Breakdown, Counts, Damaged, DebateLine, FINDINGS_VERSION, Findings, Provenance, REPLICATES,
};
use self::key::{Filter, Key, chosen};
pub use self::planned_design::{obstacle, too_few_topics};
use self::read::Corpus;
use self::verdicts::Verdicts;
use crate::digest;
use crate::event::Use;
use crate::facts::Facts;

/// Where a debate is, as the reader of the findings should see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its directory.
    pub path: String,
    /// Whether it has a page.
    pub page: bool,
}

/// What is asked of a corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The groupings that are wanted, each by some keys; an empty one is all debates together.
    pub breakdowns: Vec<Vec<Key>>,
    /// Which debates to count.
    pub filters: Vec<Filter>,
    /// Whose verdicts were chosen in the corpus.
    pub verdicts: Verdicts,
    /// Whether rehearsals count.
    pub rehearsals: bool,
    /// The seed of resampling.
    pub seed: u64,
    /// The command, as it was given.
    pub command: String,
    /// When it is asked.
    pub asked_at: DateTime<Utc>,
}

impl Question {
    /// Whether a debate passes, whatever version of plans it has.
    pub fn picks(&self, facts: &Facts) -> bool {
        (self.rehearsals || !facts.rehearsal) && chosen(facts, &self.filters)
    }

    /// The debates that are counted: of several versions of plans only the newest, unless a filter or a grouping names
    /// versions, since their debates had other prompts and another course.
    fn view<'c>(&self, corpus: &'c Corpus) -> View<'c> {
        let by_version = self.breakdowns.iter().flatten();
        let mut named = by_version.chain(self.filters.iter().map(|filter| &filter.key));
        let mixed = named.any(|key| *key == Key::Plan);
        if mixed {
            View::new(corpus, |facts| self.picks(facts))
        } else {
            View::of_newest_plans(corpus, |facts| self.picks(facts))
        }
    }
}

/// The groupings of a report.
pub fn report_breakdowns() -> Vec<Vec<Key>> {
    let single = [
        Key::Format,
        Key::Job,
        Key::Model,
        Key::Persona,
        Key::Order,
        Key::Participant,
        Key::Judge,
        Key::Topic,
    ]
    .into_iter()
    .map(|key| vec![key]);
    std::iter::once(Vec::new()).chain(single).collect()
}

/// The groups of the debates that a question picks, and nothing else.
pub fn groups(corpus: &Corpus, question: &Question) -> Vec<Breakdown> {
    breakdowns(&question.view(corpus), &question.breakdowns)
}

/// Computes everything there is to say of the debates that a question picks. `place` names a debate's directory as the reader
/// of the findings should see it.
pub fn findings(
    corpus: &Corpus,
    question: &Question,
    place: impl Fn(&Path) -> Place + Send,
) -> Findings {
    // On a thread of the pool: each step takes the memory that the one before gave back there.
    rayon::scope(|_| found(corpus, question, place))
}

fn found(corpus: &Corpus, question: &Question, place: impl Fn(&Path) -> Place) -> Findings {
    let view = question.view(corpus);
    // One after the other, each on all threads: what they compute with is many times larger than what they find.
    let breakdowns = breakdowns(&view, &question.breakdowns);
    let mut comparisons = compare::comparisons(&view);
    let mut leaderboards = leaderboards::leaderboards(&view, &comparisons, question.seed);
    if let Some(progress) = progress(corpus, &view, question) {
        let boards = leaderboards.strengths.iter_mut().flat_map(|board| &mut board.confounded);
        let pairs = comparisons.iter_mut().flat_map(|family| &mut family.pairs);
        let confounded = boards.chain(pairs.filter_map(|pair| pair.confounded.as_mut()));
        confounded.for_each(|found| found.progress = Some(progress));
    }
    compare::in_order_of(&leaderboards.strengths, &mut comparisons);
    let judges = judging::judges(&view, question.seed);
    if judges.leave_draws() {
        leaderboards.strengths.iter_mut().for_each(findings::StrengthBoard::without_power);
    }
    let mut findings = Findings {
        schema_version: FINDINGS_VERSION.to_owned(),
        generated_at: question.asked_at,
        provenance: provenance(&view, question),
        design: Vec::new(),
        headlines: Vec::new(),
        cautions: Vec::new(),
        answers: answers::answers(&view),
        alone: against_alone::alone(&view),
        counts: counts(corpus, &view, question),
        breakdowns,
        leaderboards,
        debaters: conduct::debaters(&view),
        comparisons,
        distributions: descriptive::distributions(&view),
        judges,
        panels: panels::panels(&view, question.seed),
        labels: labels::labels(&view, question.seed),
        consensus: descriptive::consensus(&view),
        survival: descriptive::survival(&view),
        examples: examples::examples(&view),
        speeds: descriptive::speeds(&view),
        failures: descriptive::failures(&view),
        read_as: descriptive::read_as(&view),
        debates: lines(&view, &place),
        damaged: damaged(corpus, &place),
    };
    let strengths = &findings.leaderboards.strengths;
    findings.design = design_check::checks(strengths, &findings.comparisons, &view);
    findings.headlines = headline::headlines(&findings);
    findings.cautions = caution::cautions(&findings, &view);
    findings
}

/// How many debates have ended, and how many there are to be, while some have not ended.
fn progress(corpus: &Corpus, view: &View<'_>, question: &Question) -> Option<[usize; 2]> {
    let left = number_not_ended(corpus, view, question)?.all()?;
    let ended = view.debates.len();
    (left > 0).then_some([ended, ended + left])
}

fn breakdowns(view: &View<'_>, wanted: &[Vec<Key>]) -> Vec<Breakdown> {
    wanted.iter().map(|by| group::breakdown(view, by)).collect()
}

fn provenance(view: &View<'_>, question: &Question) -> Provenance {
    Provenance {
        rebut: env!("CARGO_PKG_VERSION").to_owned(),
        command: question.command.clone(),
        filters: question.filters.iter().map(Filter::to_string).collect(),
        verdicts: question.verdicts.to_string(),
        corpus: corpus_digest(view),
        seed: question.seed,
        replicates: REPLICATES,
        confidence: 0.95,
    }
}

/// The SHA-256 of what was read of the debates, whatever their paths and order.
fn corpus_digest(view: &View<'_>) -> String {
    let mut each: Vec<String> = view
        .debates
        .par_iter()
        .map(|facts| digest::of_bytes(&serde_json::to_vec(facts).expect("facts are JSON")))
        .collect();
    each.sort_unstable();
    digest::of_bytes(each.concat().as_bytes())
}

/// How many debates have not ended; `None` where that is not known, as of debates that are filtered.
fn number_not_ended(
    corpus: &Corpus,
    view: &View<'_>,
    question: &Question,
) -> Option<not_ended::Number> {
    let picked = corpus.debates.iter().filter(|debate| question.picks(&debate.facts)).count();
    let is_whole = question.filters.is_empty() && picked == view.debates.len();
    let not_ended = corpus.not_ended.filter(|_| is_whole);
    not_ended.map(|it| it.counting(question.rehearsals))
}

fn counts(corpus: &Corpus, view: &View<'_>, question: &Question) -> Counts {
    let all = || corpus.debates.iter().map(|debate| &*debate.facts);
    let passing = all().filter(|facts| chosen(facts, &question.filters)).count();
    let picked = all().filter(|facts| question.picks(facts)).count();
    let older = picked - view.debates.len();
    let counted = group::counts(view.debates.iter().copied());
    let not_ended = number_not_ended(corpus, view, question).unwrap_or_default();
    let [unreadable, rehearsals] = corpus.unreadable;
    let unreadable = unreadable + if question.rehearsals { rehearsals } else { 0 };
    Counts {
        planned: not_ended.all().map(|left| counted.counted + left + unreadable),
        unfinished: not_ended.unfinished,
        not_started: not_ended.not_started.unwrap_or_default(),
        rehearsals_left_out: passing - picked,
        older_plans_left_out: older,
        filtered_out: corpus.debates.len() - passing,
        copies: corpus.copies.len(),
        damaged: corpus.damaged.len(),
        ..counted
    }
}

fn lines(view: &View<'_>, place: impl Fn(&Path) -> Place) -> Vec<DebateLine> {
    let all = view.debates.iter().zip(&view.dirs);
    let line = |(n, (facts, dir)): (usize, (&&Facts, &&Path))| line(n, facts, place(dir));
    (1..).zip(all).map(line).collect()
}

fn line(n: usize, facts: &Facts, place: Place) -> DebateLine {
    DebateLine {
        n,
        id: facts.id.clone(),
        path: place.path,
        page: place.page,
        format: facts.format.clone(),
        job: facts.private.job.clone(),
        topic: facts.topic.clone(),
        status: facts.status,
        cause: facts.private.cause.clone(),
        outcome: facts.line.clone(),
        rehearsal: facts.rehearsal,
        emergency: facts.contestants().any(|(_, person)| person.emergencies > 0),
        fallback: facts.contestants().any(|(_, person)| person.fallbacks > 0),
        started_at: facts.started_at,
    }
}

fn damaged(corpus: &Corpus, place: impl Fn(&Path) -> Place) -> Vec<Damaged> {
    let file = |(path, cause): &(PathBuf, String)| Damaged {
        path: place(path).path,
        cause: cause.clone(),
    };
    corpus.damaged.iter().map(file).collect()
}

/// Tokens a second of a model, over its calls with counts and times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speed {
    /// Reading prompts.
    pub prompt: f64,
    /// Writing replies.
    pub reply: f64,
}

/// How fast each model was, from debates that are no rehearsals.
pub fn speeds(corpus: &Corpus) -> BTreeMap<String, Speed> {
    let mut sums: BTreeMap<&str, [Use; 2]> = BTreeMap::new();
    let all = corpus.debates.iter().map(|debate| &*debate.facts);
    let real = all.filter(|facts| !facts.rehearsal);
    for facts in real {
        for (model, used) in &facts.used {
            sums.entry(model).or_default()[0].add(used);
        }
        for (model, gaps) in &facts.gaps {
            sums.entry(model).or_default()[1].add(&gaps.alone);
        }
    }
    let speed = |[used, alone]: [Use; 2]| {
        let [prompt, reply] = used.speeds(&alone);
        Some(Speed { prompt: prompt?, reply: reply? })
    };
    let timed = sums.into_iter();
    timed.filter_map(|(model, sums)| Some((model.to_owned(), speed(sums)?))).collect()
}
