//! How scores are aggregated: means over readings and judges, who is ahead and by how much. The arithmetic is ours, never a
//! model's.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::judgments::Reading;
use super::verdict::{Verdict, VerdictJudge};
use super::winner::Winner;
use crate::job::criteria::Criteria;
use crate::text::told_if;

/// What a contestant was given.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Score {
    /// The mean weighted total.
    pub total: f64,
    /// The mean by criterion.
    pub breakdown: BTreeMap<String, f64>,
}

/// How the readings of a judge differ in who is ahead. Either way its margin counts as 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderEffect {
    /// Each has the one ahead whom it names first.
    First,
    /// Each has the one ahead whom it names last.
    Last,
    /// One has nobody ahead.
    Level,
}

impl OrderEffect {
    /// What such a judge did.
    pub fn words(self) -> &'static str {
        match self {
            Self::First => "preferred whichever side was named first",
            Self::Last => "preferred whichever side was named last",
            Self::Level => "had a side ahead in one order of naming only",
        }
    }
}

impl Reading {
    /// Notes what one of those judged was given by criterion, with the weighted total of it.
    pub fn score<'c>(
        &mut self,
        criteria: &'c Criteria,
        id: &str,
        given: impl Fn(&'c str) -> Option<f64>,
    ) {
        let mut total = 0.0;
        for (name, criterion) in criteria {
            let score = given(name).unwrap_or_default();
            total += criterion.weight * score;
            let name = match self.order.len() {
                1 => name.clone(),
                _ => format!("{id}.{name}"),
            };
            self.scores.insert(name, score);
        }
        self.totals.insert(id.to_owned(), rounded(total));
    }
}

impl VerdictJudge {
    /// The readings that can be used.
    pub fn valid(&self) -> impl Iterator<Item = &Reading> {
        self.readings.iter().filter(|reading| reading.is_valid())
    }

    /// Whether it was to read more often than it did in a way that counts.
    pub fn lost_a_reading(&self) -> bool {
        self.valid().count() < self.readings.len()
    }

    /// Each contestant's mean total over the valid readings; nobody's if there is none.
    pub fn means(&self) -> BTreeMap<String, f64> {
        let totals = self.valid().flat_map(|reading| &reading.totals);
        means(totals.map(|(id, total)| (id.as_str(), *total)))
    }

    /// How its readings differ in which of these two is ahead, if they do. Neither is a pick too: who is ahead in one order
    /// only is not ahead for sure.
    pub fn turn(&self, [one, other]: [&str; 2]) -> Option<OrderEffect> {
        let pick = |reading: &Reading| lead(&reading.totals, one, other).signum();
        let picks: BTreeSet<i64> = self.valid().map(pick).collect();
        let names_first = |reading: &Reading| {
            let ahead = if pick(reading) > 0 { one } else { other };
            reading
                .order
                .iter()
                .find(|id| [one, other].contains(&id.as_str()))
                .is_some_and(|id| id == ahead)
        };
        match (picks.len(), picks.contains(&0)) {
            (0 | 1, _) => None,
            (2, true) => Some(OrderEffect::Level),
            _ if self.valid().next().is_some_and(names_first) => Some(OrderEffect::First),
            _ => Some(OrderEffect::Last),
        }
    }

    /// Whom each reading has ahead of the other, if anybody, and by how much.
    pub fn picks<'v>(
        &'v self,
        [one, other]: [&'v str; 2],
    ) -> impl Iterator<Item = (Option<&'v str>, f64)> {
        self.valid().map(move |reading| {
            let lead = lead(&reading.totals, one, other);
            let ahead = [other, one][usize::from(lead > 0)];
            ((lead != 0).then_some(ahead), in_points(lead.abs()))
        })
    }

    /// How far it has one ahead of another, negative where behind: 0 where its readings differ in who is, `None` without a valid
    /// reading.
    pub fn margin(&self, leaders @ [one, other]: [&str; 2]) -> Option<f64> {
        self.valid().next()?;
        Some(match self.turn(leaders) {
            Some(_) => 0.0,
            None => in_points(lead(&self.means(), one, other)),
        })
    }

    /// The readings to show: one that has the judge's pick, or where they differ in it, all.
    pub fn shown(&self, leaders: Option<[&str; 2]>) -> Vec<&Reading> {
        let turn = leaders.and_then(|leaders| self.turn(leaders));
        let most = if turn.is_some() { usize::MAX } else { 1 };
        self.valid().take(most).collect()
    }
}

impl Verdict {
    /// The readings that can be used.
    pub fn valid(&self) -> impl Iterator<Item = &Reading> {
        self.judges.iter().flat_map(VerdictJudge::valid)
    }

    /// The judges with a reading that can be used.
    pub fn heard(&self) -> impl Iterator<Item = &VerdictJudge> {
        self.judges.iter().filter(|judge| judge.valid().next().is_some())
    }

    /// Each contestant's mean total over the judges, each with the mean of its valid readings; nobody's if there is none.
    pub fn means(&self) -> BTreeMap<String, f64> {
        means(self.heard().flat_map(VerdictJudge::means))
    }

    /// Each contestant's means over the judges, by criterion too.
    pub fn scores(&self) -> BTreeMap<String, Score> {
        let score = |(id, total): (String, f64)| {
            let breakdown = self.breakdown(&id);
            (id, Score { total, breakdown })
        };
        self.means().into_iter().map(score).collect()
    }

    fn breakdown(&self, id: &str) -> BTreeMap<String, f64> {
        let of_judge =
            |judge: &VerdictJudge| means(judge.valid().flat_map(|reading| reading.scores_of(id)));
        means(self.heard().flat_map(of_judge))
    }

    /// The two with the largest means, the first of them first; `None` where fewer were judged.
    pub fn leaders(&self) -> Option<[&str; 2]> {
        let means = self.means();
        let judged = self.valid().next()?.order.iter();
        let mut ids: Vec<&str> = judged.map(String::as_str).collect();
        ids.sort_unstable();
        ids.sort_by_key(|id| Reverse(means.get(*id).map(|mean| hundredths(*mean))));
        match ids[..] {
            [one, other, ..] => Some([one, other]),
            _ => None,
        }
    }

    /// How far the first of the leaders is ahead of the second (row O1): the difference of their totals as shown, at two decimals;
    /// where judges changed sides, the mean of the judges' margins, which may be negative.
    pub fn margin(&self) -> Option<f64> {
        let leaders @ [one, other] = self.leaders()?;
        if self.turns().is_empty() {
            return Some(in_points(lead(&self.means(), one, other)));
        }
        let margins: Vec<f64> = self.heard().filter_map(|judge| judge.margin(leaders)).collect();
        mean(&margins).map(|margin| in_points(hundredths(margin)))
    }

    /// Who is ahead by the judges' margins; `None` where fewer than two were judged.
    pub fn ahead(&self) -> Option<Winner> {
        let [one, other] = self.leaders()?;
        Some(match hundredths(self.margin()?) {
            0 => Winner::Draw,
            1.. => Winner::Side(one.to_owned()),
            _ => Winner::Side(other.to_owned()),
        })
    }

    /// The judges whose readings differ in who is ahead, and how.
    pub fn turns(&self) -> Vec<(&VerdictJudge, OrderEffect)> {
        let Some(leaders) = self.leaders() else { return Vec::new() };
        self.judges.iter().filter_map(|judge| Some((judge, judge.turn(leaders)?))).collect()
    }

    /// How many judges have the one ahead who is so by the margin, and how many the other; nothing where either has none.
    pub fn split(&self) -> Option<[usize; 2]> {
        let leaders = self.leaders()?;
        let margin = |judge: &VerdictJudge| judge.margin(leaders);
        let sides: Vec<i64> =
            self.heard().filter_map(margin).map(|margin| hundredths(margin).signum()).collect();
        let ahead = if hundredths(self.margin()?) < 0 { -1 } else { 1 };
        let camps = [ahead, -ahead].map(|side| sides.iter().filter(|own| **own == side).count());
        (!camps.contains(&0)).then_some(camps)
    }

    /// How far apart the margins of a judge's two readings are: the mean absolute difference over the judges who held to a side,
    /// where that is more than the margin that decides. The readings differ in the order of naming and in what was sampled, so it
    /// is not the effect of the order.
    pub fn reading_difference(&self) -> Option<f64> {
        let leaders @ [one, other] = self.leaders()?;
        let apart = |judge: &VerdictJudge| {
            let margins: Vec<i64> =
                judge.valid().map(|reading| lead(&reading.totals, one, other)).collect();
            let held = judge.turn(leaders).is_none();
            let [first, second] = margins[..] else { return None };
            held.then(|| in_points((first - second).abs()))
        };
        let apart = mean(&self.heard().filter_map(apart).collect::<Vec<_>>())?;
        let margin = hundredths(self.margin()?).abs();
        (margin > 0 && margin < hundredths(apart)).then_some(apart)
    }

    /// Whether it is weak evidence: one judge decides, no more judges are for the winner than for the other side, the margin is smaller
    /// than the difference between a judge's readings, or it is a draw though a judge's readings differ in who is ahead. `who` tells
    /// judges apart: those of whom it says the same are one.
    pub fn is_weak<'v>(&'v self, who: impl Fn(&'v VerdictJudge) -> &'v str) -> bool {
        let leaders = self.leaders();
        let sign = |margin: f64| hundredths(margin).signum();
        let ahead = self.margin().map_or(0, sign);
        let judges = |with: Option<i64>| {
            let side = |judge: &VerdictJudge| leaders.and_then(|it| judge.margin(it)).map(sign);
            let own = self.heard().filter(|judge| with.is_none() || side(judge) == with);
            own.map(&who).collect::<BTreeSet<_>>().len()
        };
        let is_of_few = ahead != 0 && judges(Some(ahead)) <= judges(Some(-ahead)).max(1);
        let is_of_turned = ahead == 0 && !self.turns().is_empty();
        judges(None) == 1 || is_of_few || is_of_turned || self.reading_difference().is_some()
    }

    /// Whether exactly one judge has somebody ahead. Of several, that one alone decides, if there is a margin at all.
    pub fn only_one_has_a_lead(&self) -> bool {
        let margins = self.heard().filter_map(|judge| judge.margin(self.leaders()?));
        margins.filter(|margin| hundredths(*margin) != 0).count() == 1
    }

    /// Whether who is ahead may depend on which judge one asks, or on which of its readings.
    pub fn is_doubtful(&self) -> bool {
        self.split().is_some() || self.reading_difference().is_some()
    }

    /// That the totals do not have the one ahead who is so by the margin, which decides, because of judges whose margin counts as
    /// 0: `The totals point the other way, Ben ahead by 0.64, but margins decide.` Nothing where they do, by however much.
    pub fn totals_differ<'v>(&'v self, name: impl Fn(&'v str) -> &'v str) -> Option<String> {
        let [one, other] = self.leaders().filter(|_| !self.turns().is_empty())?;
        let means = self.means();
        let totals = lead(&means, one, other);
        let margin = hundredths(self.margin()?);
        let of = told_if(means.len() != 2, || format!(" of {}", name(other)));
        let by = format!("{:.2}", totals as f64 / 100.0);
        let one = name(one);
        let told = match (totals, margin) {
            (0, _) => "The totals have nobody ahead".to_owned(),
            (_, ..0) => format!("The totals point the other way, {one} ahead{of} by {by}"),
            (_, 0..) => format!("By the totals, {one} would be ahead{of} by {by}"),
        };
        (totals.signum() != margin.signum()).then(|| format!("{told}, but margins decide."))
    }

    /// The verdict of some of its judges alone.
    pub fn of_those(&self, counts: impl FnMut(&VerdictJudge) -> bool) -> Self {
        let mut verdict = self.clone();
        verdict.judges.retain(counts);
        verdict
    }

    /// The judge that speaks for the verdict, with its reading: the first judge who agrees with it, otherwise the first. Those who may be
    /// partial speak only where no other does.
    pub fn spoken(
        &self,
        is_partial: impl Fn(&VerdictJudge) -> bool,
    ) -> Option<(&VerdictJudge, &Reading)> {
        // Of several that are equal, the first.
        let rank = |judge: &&VerdictJudge| is_partial(judge);
        let agreeing = self.heard().filter(|judge| self.has_assent_of(judge));
        let judge = agreeing.min_by_key(rank).or_else(|| self.heard().min_by_key(rank))?;
        let reading = judge.shown(self.leaders()).first().copied()?;
        Some((judge, reading))
    }

    /// Whether a judge has the same side ahead, or as little of one.
    pub fn has_assent_of(&self, judge: &VerdictJudge) -> bool {
        let side = hundredths(self.margin().unwrap_or_default()).signum();
        let margin = self.leaders().and_then(|leaders| judge.margin(leaders));
        margin.is_some_and(|margin| hundredths(margin).signum() == side)
    }
}

/// How far one total is above another, in hundredths: totals are compared at two decimals.
fn lead(totals: &BTreeMap<String, f64>, one: &str, other: &str) -> i64 {
    let total = |id: &str| totals.get(id).copied().unwrap_or_default();
    hundredths(total(one)) - hundredths(total(other))
}

fn in_points(hundredths: i64) -> f64 {
    hundredths as f64 / 100.0
}

/// The mean of each key's values.
pub fn means(all: impl Iterator<Item = (impl Into<String>, f64)>) -> BTreeMap<String, f64> {
    let mut values: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (key, value) in all {
        values.entry(key.into()).or_default().push(value);
    }
    let mean = |(key, values): (String, Vec<f64>)| Some((key, mean(&values)?));
    values.into_iter().filter_map(mean).collect()
}

/// The mean of some values; none of none.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| rounded(values.iter().sum::<f64>() / values.len() as f64))
}

/// A score at two decimals, as a whole number; halves are rounded away from 0, whatever binary dust is in them.
pub fn hundredths(score: f64) -> i64 {
    rounded(score * 100.0).round() as i64
}

/// To six decimals, so that sums of weights carry no binary dust.
pub fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Judge, ReadingStatus, Rubric, TokenCount, of_score};

    /// A reading that gives these totals to contestants `a`, `b`…; an invalid one if there are none.
    fn reading(totals: &[f64]) -> Reading {
        let ids = ["a", "b", "c"].map(str::to_owned);
        let given = ids.iter().cloned().zip(totals.iter().copied());
        Reading {
            call: String::new(),
            model: None,
            order: ids[..totals.len().max(2)].to_vec(),
            status: match totals {
                [] => ReadingStatus::Invalid,
                _ => ReadingStatus::Valid,
            },
            scores: BTreeMap::new(),
            totals: given.collect(),
            marks: BTreeMap::new(),
            reason: String::new(),
            reasons: BTreeMap::new(),
            summary: None,
            cause: None,
            read_as: Vec::new(),
            prompt_digest: None,
            template_digest: None,
            seed: None,
            attempts: 1,
            tokens: TokenCount::default(),
            rounded: BTreeMap::new(),
            of_panel: None,
        }
    }

    /// A verdict of judges with these readings.
    fn verdict(judges: &[&[&[f64]]]) -> Verdict {
        let judge = |(n, readings): (usize, &&[&[f64]])| VerdictJudge {
            judge: Judge { kind: "model".to_owned(), id: format!("judge_{}", n + 1), model: None },
            readings: readings.iter().map(|totals| reading(totals)).collect(),
            seat: None,
        };
        Verdict {
            source: "own".to_owned(),
            rubric: Rubric {
                name: String::new(),
                version: String::new(),
                digest: String::new(),
                scale: None,
            },
            judges: judges.iter().enumerate().map(judge).collect(),
            winner: None,
            winner_reason: None,
            judging: None,
        }
    }

    fn ahead(judges: &[&[&[f64]]]) -> (Option<Winner>, Option<f64>) {
        let verdict = verdict(judges);
        (verdict.ahead(), verdict.margin())
    }

    fn won(by: &str, margin: f64) -> (Option<Winner>, Option<f64>) {
        (Some(Winner::Side(by.to_owned())), Some(margin))
    }

    const DRAWN: (Option<Winner>, Option<f64>) = (Some(Winner::Draw), Some(0.0));

    #[test]
    fn o1_the_sign_of_the_mean_margin_at_two_decimals_decides() {
        assert_eq!(ahead(&[&[&[7.01, 7.0]]]), won("a", 0.01));
        assert_eq!(ahead(&[&[&[7.004, 7.0]]]), DRAWN);
        assert_eq!(ahead(&[&[&[6.0, 7.0]]]), won("b", 1.0));
        assert_eq!(ahead(&[&[&[9.0, 2.0]], &[&[2.0, 9.0]]]), DRAWN);
        assert_eq!(ahead(&[&[&[]]]), (None, None));
        assert_eq!(ahead(&[]), (None, None));
    }

    #[test]
    fn o1_a_verdict_is_weak_if_it_rests_on_one_judge_or_on_readings_that_differ() {
        let turned: &[&[f64]] = &[&[8.0, 5.0], &[5.0, 8.0]];
        let [a, b, level]: [&[&[f64]]; 3] = [&[&[8.0, 5.0]], &[&[5.0, 8.0]], &[&[6.0, 6.0]]];
        let judges = |all: &[&[&[f64]]], who: fn(&VerdictJudge) -> &str| verdict(all).is_weak(who);
        type Totals<'t> = &'t [&'t [&'t [f64]]];
        let cases: [(Totals<'_>, bool, bool); 9] = [
            (&[a], true, true),
            (&[a, a], false, true),
            (&[a, level], true, true),
            (&[a, a, b], false, true),
            (&[level, level], false, true),
            (&[turned, turned], true, true),
            (&[turned, level], true, true),
            (&[turned, a, a], false, true),
            (&[a, b], false, true),
        ];
        for (all, apart, as_one) in cases {
            assert_eq!(judges(all, |judge| &judge.judge.id), apart, "{all:?}");
            assert_eq!(judges(all, |_| "one model"), as_one, "{all:?}");
        }
        let first_two = |judge: &VerdictJudge| if judge.judge.id == "judge_3" { "b" } else { "a" };
        assert!(judges(&[a, a, b], first_two), "a model on each side");
    }

    #[test]
    fn o1_a_score_is_of_the_one_that_its_key_names_or_of_the_only_one() {
        let scores =
            |all: &[(&str, f64)]| all.iter().map(|(key, s)| (key.to_string(), *s)).collect();
        let two = Reading {
            scores: scores(&[("a.clarity", 8.0), ("b.clarity", 5.0)]),
            ..reading(&[8.0, 5.0])
        };
        assert_eq!(Vec::from_iter(two.scores_of("b")), [("clarity", 5.0)]);
        let order = vec!["a".to_owned()];
        let alone = Reading { order, scores: scores(&[("clarity", 7.0)]), ..two };
        assert_eq!(Vec::from_iter(alone.scores_of("a")), [("clarity", 7.0)]);
        assert_eq!(alone.scores_of("b").count(), 0);
        let keys = ["a.clarity", "clarity"].map(of_score);
        assert_eq!(keys, [(Some("a"), "clarity"), (None, "clarity")]);
    }

    #[test]
    fn o1_a_half_hundredth_counts_as_a_whole_one_whatever_its_binary_form() {
        assert_eq!(ahead(&[&[&[7.15, 7.0]], &[&[8.0, 7.0]]]), won("a", 0.58));
        assert_eq!(ahead(&[&[&[7.75, 7.0]], &[&[8.0, 7.0]]]), won("a", 0.88));
    }

    #[test]
    fn o1_the_margin_is_the_difference_of_the_totals_as_shown() {
        // 3.75 and 3.625, which is shown as 3.63; 7.9 and 7.575, shown as 7.58.
        assert_eq!(ahead(&[&[&[3.75, 3.6]], &[&[3.75, 3.65]]]), won("a", 0.12));
        assert_eq!(ahead(&[&[&[7.9, 7.6]], &[&[7.9, 7.55]]]), won("a", 0.32));
        // What is shown as equal is a draw, and nothing else is.
        assert_eq!(ahead(&[&[&[7.004, 6.995]]]), DRAWN);
        assert_eq!(ahead(&[&[&[7.006, 7.002]]]), won("a", 0.01));
    }

    #[test]
    fn o1_each_judge_counts_once_however_many_of_its_readings_are_valid() {
        let verdict = verdict(&[&[&[9.0, 3.0], &[7.0, 5.0]], &[&[], &[4.0, 6.0]]]);
        let means = BTreeMap::from([("a".to_owned(), 6.0), ("b".to_owned(), 5.0)]);
        assert_eq!(verdict.means(), means);
        assert_eq!(verdict.margin(), Some(1.0), "the mean of 4 and -2");
    }

    #[test]
    fn o1_who_changes_sides_has_no_margin_and_may_turn_the_winner() {
        assert_eq!(ahead(&[&[&[9.0, 3.0], &[5.0, 6.0]]]), DRAWN, "whatever the means");
        assert_eq!(ahead(&[&[&[9.0, 3.0], &[6.0, 6.0]]]), DRAWN);
        // By totals a is ahead, by those who held to a side b.
        let judges: &[&[&[f64]]] = &[&[&[9.0, 3.0], &[5.0, 6.0]], &[&[6.0, 7.0], &[6.0, 7.0]]];
        let verdict = verdict(judges);
        assert_eq!(verdict.leaders(), Some(["a", "b"]));
        assert_eq!(verdict.margin(), Some(-0.5));
        assert_eq!(verdict.ahead(), Some(Winner::Side("b".to_owned())));
        let [(judge, OrderEffect::First)] = verdict.turns()[..] else { panic!("one judge") };
        assert_eq!(judge.shown(verdict.leaders()).len(), 2);
        let (_, spoken) = verdict.spoken(|_| false).expect("a reading");
        assert_eq!(spoken.totals["b"], 7.0, "of the judge who agrees");
    }

    #[test]
    fn o1_a_judge_who_may_be_partial_speaks_only_where_no_other_agrees() {
        let judges: &[&[&[f64]]] = &[&[&[8.0, 3.0]], &[&[4.0, 6.0]], &[&[7.0, 5.0]]];
        let verdict = verdict(judges);
        let total = |partial: &[&str]| {
            let is_partial = |judge: &VerdictJudge| partial.contains(&&*judge.judge.id);
            verdict.spoken(is_partial).expect("a reading").1.totals["a"]
        };
        assert_eq!(total(&[]), 8.0);
        assert_eq!(total(&["judge_1"]), 7.0);
        assert_eq!(total(&["judge_1", "judge_3"]), 8.0, "the other disagrees");
    }

    #[test]
    fn o1_some_judges_alone_are_aggregated_as_all_are() {
        let turned: &[&[f64]] = &[&[7.3, 7.0], &[7.0, 7.4]];
        let judges: &[&[&[f64]]] = &[&[&[7.45, 6.5]], turned, &[&[6.7, 7.85]]];
        let verdict = verdict(judges);
        assert_eq!(verdict.ahead(), Some(Winner::Side("b".to_owned())));
        assert_eq!(verdict.margin(), Some(0.07));
        let others = verdict.of_those(|judge| judge.judge.id != "judge_3");
        assert_eq!(others.ahead(), Some(Winner::Side("a".to_owned())));
        assert_eq!(others.margin(), Some(0.48), "the one who turned counts as 0");
        let nobody = verdict.of_those(|_| false);
        assert_eq!(nobody.ahead(), None);
    }

    #[test]
    fn o1_totals_are_told_only_where_they_have_another_ahead_than_margins() {
        let turned: &[&[f64]] = &[&[9.0, 3.0], &[5.0, 6.0]];
        for (other, told) in [
            ([7.0, 6.0], None),
            ([6.0, 6.0], Some("By the totals, a would be ahead by 1.25, but margins decide.")),
        ] {
            let judges: &[&[&[f64]]] = &[turned, &[&other, &other]];
            let differ = verdict(judges).totals_differ(|id| id);
            assert_eq!(differ.as_deref(), told, "{other:?}");
        }
    }

    #[test]
    fn o1_of_three_only_the_best_against_the_second_is_a_pick() {
        let judges: &[&[&[f64]]] = &[&[&[8.0, 7.0, 1.0], &[8.0, 7.0, 9.0]]];
        assert_eq!(ahead(judges), won("a", 1.0));
        assert_eq!(ahead(&[&[&[7.0, 5.0, 7.0]]]), DRAWN);
    }

    #[test]
    fn o1_halves_of_a_hundredth_are_rounded_away_from_zero_whatever_their_bits() {
        for (score, told) in [(0.575, 58), (0.875, 88), (-0.575, -58), (0.574, 57)] {
            assert_eq!(hundredths(score), told, "{score}");
        }
    }
}
