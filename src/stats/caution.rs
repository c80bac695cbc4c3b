//! Reasons for distrust, in sentences.

mod agreement;

use std::collections::{BTreeMap, BTreeSet};

use super::claim::{self, Claim};
use super::counted_debates::View;
use super::findings::{Coincidence, Comparisons, Counts, Findings, StrengthBoard, Trait, Unit};
use super::group::repetitions;
use super::labels::sentences;
use super::number::{Rounding, estimated, number};
use super::pairwise::FEW;
use super::rubric::Rubric;
use super::verdicts::Verdicts;
use super::{
    against_alone_claims, answer_claims, confounding, differing_settings, differing_weights,
    judge_claims, self_judging,
};
use crate::artifacts::batch::Cause;
use crate::id::short;
use crate::text::{count, first_of, grouped, if_any, joined, separated, told_if};
use statistics::bradley_terry::{ELO, expected_score};
use statistics::estimate::effective;

/// Below so many topics, clustered intervals tend to be too narrow.
pub(super) const FEW_TOPICS: usize = 40;
/// More unusable judgments than this are worth a warning.
const UNUSABLE: f64 = 0.05;
/// So many debates or jobs are named.
const NAMED: usize = 3;
/// Kinds of scores that a sentence names.
const KINDS: usize = 12;

/// What to distrust; what concerns everything first.
pub(super) fn cautions(findings: &Findings, view: &View<'_>) -> Vec<String> {
    let counts = &findings.counts;
    let has_strengths = findings.leaderboards.strengths.iter().any(|it| !it.distances.is_empty());
    let mut all = judge_claims::like_coins(&findings.judges, has_strengths);
    all.extend(judge_claims::turned(&findings.judges));
    let of_debates = [
        not_ended(counts),
        left_out(counts),
        older_plans(counts),
        topics(counts, view),
        passages(view),
        replaced(counts),
        degraded(counts),
        unusable(counts),
        copies(counts),
        repeated(view),
        damaged(counts),
        uncounted(view),
    ];
    all.extend(of_debates.into_iter().flatten());
    all.extend(of_people(findings));
    all.extend(by_audience(view));
    all.extend(mixed(view));
    all.extend(differing_settings::cautions(view));
    all.extend(differing_weights::caution(view));
    all.extend(findings.answers.iter().flat_map(answer_claims::cautions));
    all.extend(against_alone_claims::cautions(&findings.alone));
    all.extend(view.not_judged().map(not_judged));
    let boards = &findings.leaderboards.strengths;
    all.extend(boards.iter().flat_map(of_board));
    all.extend(findings.comparisons.iter().filter_map(confounded_scores));
    all.extend(agreement::cautions(&findings.judges, view));
    let effects = boards.iter().flat_map(|board| {
        let of_texts = [first_speaker(board), longer(board)];
        of_texts.into_iter().flatten().chain(positions(board))
    });
    let judges = judge_claims::all(&findings.judges);
    let panels = judge_claims::of_panels(&findings.panels);
    all.extend(claim::told(effects.chain(judges).chain(panels)));
    all.extend(self_judging::cautions(view));
    all
}

/// Pairs whose scores something else tells apart, beside others that are compared.
fn confounded_scores(family: &Comparisons) -> Option<String> {
    let begins = format!("Not every score of {} debates is compared", family.format);
    let others = family.pairs.iter().any(|pair| pair.found.p.is_some());
    confounding::sentence(&begins, family.confounders()).filter(|_| others)
}

fn debates(n: usize) -> String {
    count(n, "debate")
}

/// What is said of one or of many, behind their number; nothing of none.
fn some(n: usize, one: &str, many: &str) -> Option<String> {
    (n > 0).then(|| format!("{n} {}", if n == 1 { one } else { many }))
}

/// Why a panel's verdicts are missing.
fn not_judged(cause: &Cause) -> String {
    let left = debates(cause.debates);
    format!("The last batch left {left} without the verdict of its panel: {}.", cause.cause)
}

/// That planned debates are not in the results.
fn not_ended(c: &Counts) -> Option<String> {
    let kinds = [
        (c.unfinished, "that is unfinished", "that are unfinished"),
        (c.not_started, "that has not begun", "that have not begun"),
    ];
    let given = kinds.into_iter().filter(|(n, ..)| *n > 0).enumerate();
    let each = given.map(|(place, (n, one, many))| {
        let debates = if n == 1 { " planned debate" } else { " planned debates" };
        let debates = if place == 0 { debates } else { "" };
        format!("{n}{debates} {}", if n == 1 { one } else { many })
    });
    let both = if_any(joined(each, "and"))?;
    // Summaries of other batches may have named more.
    let least = if c.planned.is_none() { "at least " } else { "" };
    Some(format!("Not in these results: {least}{both}."))
}

fn left_out(c: &Counts) -> Option<String> {
    let which = some(c.rehearsals_left_out, "rehearsal is", "rehearsals are")?;
    Some(format!("{which} excluded: count them with --include-rehearsals."))
}

fn older_plans(c: &Counts) -> Option<String> {
    let one = "debate of an older plan version is";
    let many = "debates of older plan versions are";
    let which = some(c.older_plans_left_out, one, many)?;
    Some(format!(
        "{which} excluded, because prompts and course were different. Count those of version 1 with --where plan=1."
    ))
}

fn topics(counts: &Counts, view: &View<'_>) -> Option<String> {
    let sizes = view.sizes(0..view.debates.len());
    let worth = effective(sizes.iter().map(|n| *n as f64));
    let n = sizes.len();
    let independent = told_if(n < counts.topics, || format!(" ({n} of them independent)"));
    let few = FEW_TOPICS as f64;
    match sizes.len() {
        _ if counts.counted < 2 => None,
        1 => Some("All debates are on one topic: no number has an interval.".to_owned()),
        _ if is_one_per_format(view) => {
            Some("Each format has one topic only, too few for intervals.".to_owned())
        }
        n if (2..FEW_TOPICS).contains(&n) && worth > 0.9 * n as f64 => Some(format!(
            "Only {} topics{independent}: with fewer than {FEW_TOPICS}, intervals clustered by topic tend to be too narrow.",
            counts.topics
        )),
        n if n > 1 && worth < few => Some(format!(
            "{} topics{independent} with unequal numbers of debates count like {worth:.1} with equal numbers: with fewer than {FEW_TOPICS}, intervals clustered by topic tend to be too narrow.",
            counts.topics
        )),
        _ => None,
    }
}

/// Whether the debates of each format are on one topic.
fn is_one_per_format(view: &View<'_>) -> bool {
    let topics = |format| view.sizes(view.of_format(format).map(|(at, _)| at)).len();
    view.formats().into_iter().all(|format| topics(format) == 1)
}

/// That questions of one cluster are one topic, where there are any.
fn passages(view: &View<'_>) -> Option<String> {
    let asked = view.all().filter_map(|(at, facts)| Some((at, &*facts.answer.as_ref()?.question)));
    let (places, questions): (Vec<usize>, BTreeSet<&str>) = asked.unzip();
    let (clusters, questions) = (view.sizes(places.into_iter()).len(), questions.len());
    (clusters < questions).then(|| {
        format!("{questions} questions count as {clusters}, because questions of one cluster are not independent.")
    })
}

fn replaced(c: &Counts) -> Option<String> {
    let with = |n: usize, what: &str| (n > 0).then(|| format!("{} with {what}", debates(n)));
    let emergency = with(c.emergency, "an emergency reply");
    let fallback = with(c.fallback, "a fallback model's reply");
    let which = if_any(separated(emergency.into_iter().chain(fallback), ", "))?;
    Some(format!("Counted but not compared: {which}."))
}

/// That many debates lack something important.
fn degraded(c: &Counts) -> Option<String> {
    (c.degraded as f64 > UNUSABLE * c.counted as f64).then(|| {
        format!(
            "Something important, such as a judge, is missing in {} of {} (degraded): “Incidents” in the full report lists the kinds; the command that ran them asks again, with `--retry degraded`.",
            c.degraded,
            debates(c.counted)
        )
    })
}

fn unusable(c: &Counts) -> Option<String> {
    let (lost, all) = (c.judgments.invalid + c.judgments.abstained, c.judgments.planned);
    let judgments = count(all, "judgment");
    (lost as f64 > UNUSABLE * all as f64).then(|| {
        format!(
            "{lost} of {judgments} {} unusable (invalid or missing).",
            if lost == 1 { "is" } else { "are" }
        )
    })
}

fn copies(c: &Counts) -> Option<String> {
    let one = "directory repeats a debate from another: it counts once.";
    let many = "directories repeat debates from others: each debate counts once.";
    some(c.copies, one, many)
}

/// Names debates that were played again under the same id.
fn repeated(view: &View<'_>) -> Option<String> {
    let again = repetitions(view.debates.iter().copied());
    let names = first_of(again.iter().map(|id| short(id)), NAMED);
    let debates = some(again.len(), "debate was", "debates were")?;
    let verb = match again.len() {
        1 => "it counts as a repetition",
        _ => "they count as repetitions",
    };
    Some(format!("{debates} run again under the same id with different content ({names}): {verb}."))
}

fn damaged(c: &Counts) -> Option<String> {
    let which = some(c.damaged, "file that cannot be read is", "files that cannot be read are")?;
    Some(format!("{which} not counted."))
}

/// That debates are in no mean of tokens or time, because some of these are not known.
fn uncounted(view: &View<'_>) -> Option<String> {
    let gaps = view.debates.iter().flat_map(|facts| &facts.gaps).map(|(_, gaps)| gaps.calls);
    let n = gaps.fold(0, u64::saturating_add);
    let calls = count(n, "call");
    (n > 0).then(|| format!("The tokens or times of {calls} are not known: debates with such calls are in no mean of what is missing."))
}

/// What to distrust if people's verdicts count in place of the judges'.
fn of_people(findings: &Findings) -> Vec<String> {
    let is_human = findings.provenance.verdicts == Verdicts::Human.to_string();
    let labels = findings.labels.iter().filter(|_| is_human);
    labels.flat_map(sentences::cautions).collect()
}

/// In how many rounds an audience decided.
fn by_audience(view: &View<'_>) -> Option<String> {
    let decided: Vec<usize> = view
        .debates
        .iter()
        .filter_map(|facts| Some(facts.audience.as_ref()?.decided()))
        .filter(|rounds| *rounds > 0)
        .collect();
    let rounds = count(decided.iter().sum::<usize>(), "round");
    (!decided.is_empty()).then(|| {
        format!("The audience decided {rounds} in {}: without it, the judges would have decided differently. Counted but not compared.", debates(decided.len()))
    })
}

/// A sentence for each format whose means are over scores by different criteria or instructions, or on different scales.
fn mixed(view: &View<'_>) -> Vec<String> {
    view.formats().into_iter().filter_map(|format| of_format(view, format)).collect()
}

fn of_format(view: &View<'_>, format: &str) -> Option<String> {
    let mut jobs: BTreeMap<Rubric<'_>, BTreeSet<&str>> = BTreeMap::new();
    let judged = view.ended(format).filter(|(_, facts)| !facts.scores.is_empty());
    for (_, facts) in judged {
        jobs.entry(Rubric::from_facts(facts)).or_default().insert(&facts.private.job);
    }
    let rubrics: Vec<&Rubric<'_>> = jobs.keys().collect();
    let each = jobs
        .iter()
        .take(KINDS)
        .map(|(rubric, jobs)| format!("{} ({})", named(jobs), rubric.told_among(&rubrics)));
    let more = jobs.len().saturating_sub(KINDS);
    let more = (more > 0).then(|| format!("{} more", grouped(more)));
    let each: Vec<String> = each.chain(more).collect();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let apart = jobs.values().flatten().all(|job| seen.insert(job));
    let remedy = if apart { " See `--by job`." } else { "" };
    (each.len() > 1).then(|| {
        format!(
            "Mean {format} scores mix debates judged by different criteria, scales or instructions: {}.{remedy}",
            each.join("; ")
        )
    })
}

/// `job parks`, `jobs parks, trams, walks and 4 more`.
fn named(jobs: &BTreeSet<&str>) -> String {
    let noun = if jobs.len() == 1 { "job" } else { "jobs" };
    format!("{noun} {}", first_of(jobs.iter().copied(), NAMED))
}

fn of_board(board: &StrengthBoard) -> Vec<String> {
    let notes = board.notes.iter().map(|note| format!("Strengths of models: {note}."));
    let mut all: Vec<String> = notes.filter(|_| !board.rows.is_empty()).collect();
    // Where nothing is compared, the verdict says it.
    let confounded = confounding::sentence(confounding::NOT_ALL, &board.confounded);
    all.extend(confounded.filter(|_| !board.rows.is_empty()));
    all.extend(too_few(board));
    all
}

fn too_few(board: &StrengthBoard) -> Option<String> {
    let few = board.rows.iter().filter(|row| row.small).count();
    let who = some(few, "model has", "models have")?;
    Some(format!("{who} fewer than {FEW} judged debates against others: shown but not ranked."))
}

/// That it helps or hurts to speak first, or what always goes with that.
fn first_speaker(board: &StrengthBoard) -> Option<Claim> {
    let order = &board.order;
    let score = number(Rounding::Decimals(3), order.expected_score?);
    let others: Vec<String> = board.first_speakers.iter().map(Coincidence::told).collect();
    let who = told_if(!others.is_empty(), || format!(", who {},", joined(&others, "and")));
    let of_all = if who.is_empty() { "" } else { ": this is the combined effect of all that" };
    Some(Claim {
        p: order.p?,
        sentence: format!(
            "Between equals, the first speaker{who} has an expected score of {score} (draws count half){of_all}."
        ),
    })
}

/// The positions that decided, unless speaking first went with one: then that is said.
fn positions(board: &StrengthBoard) -> impl Iterator<Item = Claim> {
    let mut others = board.first_speakers.iter();
    let is_told = others.any(|it| it.by == Trait::Position) && board.order.p.is_some();
    let all =
        board.positions.iter().filter(move |it| !is_told && it.won.clusters >= claim::LEAST_TOPICS);
    all.filter_map(|it| {
        let (position, against) = (&it.position, &it.against);
        let won = estimated(Unit::Share, &it.won)?;
        Some(Claim {
            p: it.won.p_or_tossed(0.5)?,
            sentence: format!(
                "“{position}” won {won} of debates against “{against}” (draws count half): the position counts, not only the debater, and the more it decides, the smaller differences in Elo look."
            ),
        })
    })
}

/// That length decides, for longer texts or for shorter ones, and what is left of the lead without it.
fn longer(board: &StrengthBoard) -> Option<Claim> {
    let (length, lead) = (board.length.as_ref()?, board.lead()?);
    let twice = length.value? * std::f64::consts::LN_2;
    let score = number(Rounding::Decimals(3), expected_score(twice * ELO));
    let left =
        board.lead_equal_length.as_ref().and_then(|lead| estimated(Unit::Elo, lead)).map(|elo| {
            let (above, below) = (&lead.above, &lead.below);
            format!(" At equal length {above}'s lead over {below} is {elo} Elo.")
        });
    let which = if twice > 0.0 { "Longer" } else { "Shorter" };
    Some(Claim {
        p: length.p_of(0.0)?,
        sentence: format!(
            "{which} texts won more often here: at twice the length, the expected score between equals is {score} (draws count half).{}",
            left.unwrap_or_default()
        ),
    })
}
