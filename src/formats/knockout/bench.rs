//! Who debates, who has debated, and what votes change (rows K6, K7, K11).

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::roles::{TEAM, X, name};
use super::votes::{by_lot, counts, mean_total, threshold, with_audience, without_a_ballot};
use crate::event::{Ballot, Outcome, Rotation, rounded};
use crate::floor::Floor;
use crate::formats::knockout::settings::{Knockout, Rotation as Rule};
use crate::formats::words;
use crate::job::audience::AudienceSettings;
use crate::job::participant::Participant;
use crate::plan::Plan;
use crate::text;

/// A mean total below this tips an even vote against the debater.
const TIE_BREAK: f64 = 3.0;

/// The Y side during a debate.
#[derive(Debug, Clone)]
pub(super) struct Bench {
    ys: Vec<String>,
    debater: usize,
    debated: Vec<bool>,
    rule: Rule,
    audience: Option<AudienceSettings>,
    rounds: u32,
    /// How often somebody came in.
    rotations: u32,
    /// The vote that each debater fell by, replaced or not.
    knockouts: Vec<Rotation>,
    /// The ballots' mean total of each judged round of a debater.
    totals: BTreeMap<String, Vec<f64>>,
    /// The last round's ballots, and what they came to.
    last: Option<(Rotation, Vec<Ballot>)>,
    survived: BTreeMap<String, u32>,
}

/// What votes say about the debater.
pub(super) fn voted_out(keeps: u32, negatives: u32, mean: Option<f64>, threshold: u32) -> bool {
    negatives >= threshold
        || (keeps + negatives > 0
            && negatives >= keeps
            && mean.is_some_and(|mean| mean < TIE_BREAK))
}

impl Bench {
    pub(super) fn of(plan: &Plan, settings: &Knockout) -> Self {
        let ys: Vec<String> = plan
            .participants
            .iter()
            .filter(|p| p.role() == TEAM)
            .map(|p| p.id.clone())
            .collect();
        let mut debated = vec![false; ys.len()];
        debated[0] = true;
        let (rule, rounds) = (settings.rotation.clone(), settings.rounds);
        let audience = settings.audience.clone();
        Self {
            ys,
            debater: 0,
            debated,
            rule,
            audience,
            rounds,
            rotations: 0,
            knockouts: Vec::new(),
            totals: BTreeMap::new(),
            last: None,
            survived: BTreeMap::new(),
        }
    }

    pub(super) fn debater(&self) -> &str {
        &self.ys[self.debater]
    }

    /// Every Y who does not debate, in the order of the job.
    pub(super) fn judges<'p>(&self, plan: &'p Plan) -> Vec<&'p Participant> {
        self.ys
            .iter()
            .filter(|id| *id != self.debater())
            .filter_map(|id| plan.participant(id))
            .collect()
    }

    /// Counts the votes and, where they demand it, draws the next debater from those who have not debated.
    pub(super) fn decide(&self, floor: &Floor, round: u32, ballots: &[Ballot]) -> Rotation {
        let [keeps, negatives, abstentions] = counts(ballots);
        let mean_total = mean_total(ballots);
        let out = self.is_voted_out(ballots);
        let eligible = self.eligible();
        let obstacle = self.obstacle(round);
        let rotated = out && obstacle.is_none();
        let next = if rotated {
            eligible[floor.draw(&format!("next debater after round {round}"), eligible.len())]
        } else {
            self.debater
        };
        let mut rotation = Rotation {
            round,
            debater: self.debater().to_owned(),
            next: self.ys[next].clone(),
            voted_out: out,
            rotated,
            by_lot: rotated && eligible.len() > 1,
            keeps,
            negatives,
            abstentions,
            mean_total,
            reason: String::new(),
        };
        rotation.reason = self.reason(&rotation, obstacle, ballots);
        rotation
    }

    /// Whether these ballots vote the debater out.
    pub(super) fn is_voted_out(&self, ballots: &[Ballot]) -> bool {
        let [keeps, negatives, _] = counts(ballots);
        voted_out(
            keeps,
            negatives,
            mean_total(ballots),
            self.threshold(ballots),
        )
    }

    fn threshold(&self, ballots: &[Ballot]) -> u32 {
        threshold(self.audience.as_ref(), self.rule.threshold, ballots)
    }

    /// Those who have not debated.
    fn eligible(&self) -> Vec<usize> {
        (0..self.ys.len()).filter(|&i| !self.debated[i]).collect()
    }

    /// Whoever could come in after a round, by name.
    pub(super) fn could_come_in<'p>(&self, plan: &'p Plan, round: u32) -> Vec<&'p str> {
        if self.obstacle(round).is_some() {
            return Vec::new();
        }
        let eligible = self.eligible().into_iter();
        let found = eligible.filter_map(|i| plan.participant(&self.ys[i]));
        found.map(|p| p.name.as_str()).collect()
    }

    /// What stands in the way of a rotation.
    pub(super) fn obstacle(&self, round: u32) -> Option<&'static str> {
        match () {
            () if round == self.rounds => Some("it was the last round"),
            () if self.eligible().is_empty() => Some("everyone on that side has debated"),
            () if self.rotations >= self.rule.limit => Some("the limit of rotations is reached"),
            () => None,
        }
    }

    fn is_knocked_out(&self, id: &str) -> bool {
        self.knockouts.iter().any(|r| r.debater == id)
    }

    /// Who debates at the end without having been voted out.
    fn standing(&self) -> Option<&str> {
        let debater = self.debater();
        (!self.is_knocked_out(debater)).then_some(debater)
    }

    fn reason(&self, r: &Rotation, obstacle: Option<&str>, ballots: &[Ballot]) -> String {
        let threshold = self.threshold(ballots);
        let mean = r
            .mean_total
            .map_or("none".to_owned(), |mean| format!("{mean:.2}"));
        let against = format!(
            "{} of {} voted to replace",
            r.negatives,
            r.keeps + r.negatives
        );
        let against = against + with_audience(ballots) + &without_a_ballot(r);
        let why = match (r.voted_out, r.negatives >= threshold) {
            _ if r.keeps + r.negatives + r.abstentions == 0 => {
                "the round was not judged".to_owned()
            }
            (true, true) => format!("{against}, and {threshold} are enough"),
            (true, false) => {
                format!("{against}, and the mean score of {mean} is below {TIE_BREAK:.1}")
            }
            (false, _) => format!("{against}, {threshold} would be needed (mean score {mean})"),
        };
        match obstacle {
            Some(obstacle) if r.voted_out => format!("{why}; nobody comes in, because {obstacle}"),
            _ => why,
        }
    }

    /// Takes a round's result into account.
    pub(super) fn close_round(&mut self, rotation: &Rotation, ballots: &[Ballot]) {
        self.last = Some((rotation.clone(), ballots.to_vec()));
        let totals = self.totals.entry(rotation.debater.clone()).or_default();
        totals.extend(mean_total(ballots));
        if rotation.voted_out && !self.is_knocked_out(&rotation.debater) {
            self.knockouts.push(rotation.clone());
        }
        let stands = !self.is_knocked_out(&rotation.debater);
        *self.survived.entry(rotation.debater.clone()).or_default() += u32::from(stands);
        if rotation.rotated {
            self.rotations += 1;
            self.debater = self
                .ys
                .iter()
                .position(|id| *id == rotation.next)
                .unwrap_or(self.debater);
            self.debated[self.debater] = true;
        }
    }

    /// What the debater's own team had against it after the last round; of one who left, if somebody else debates now.
    pub(super) fn team_said(&self, plan: &Plan) -> Option<Value> {
        let (rotation, ballots) = self.last.as_ref()?;
        let against = ballots.iter().filter(|ballot| ballot.keep == Some(false));
        let reason = |ballot: &Ballot| json!({"name": plan.name_of(&ballot.by.id), "text": text::one_line(&ballot.reading.reason)});
        let reasons: Vec<Value> = against.map(reason).collect();
        let left = rotation.rotated.then(|| plan.name_of(&rotation.debater));
        (!reasons.is_empty())
            .then(|| json!({"round": rotation.round, "left": left, "reasons": reasons}))
    }

    /// Each debater's mean over its judged rounds of the ballots' mean total (row O2).
    fn points(&self) -> BTreeMap<String, f64> {
        let judged = self.totals.iter().filter(|(_, totals)| !totals.is_empty());
        let mean = |totals: &[f64]| rounded(totals.iter().sum::<f64>() / totals.len() as f64);
        judged
            .map(|(id, totals)| (id.clone(), mean(totals)))
            .collect()
    }

    /// Who stands and how it came to that.
    pub(super) fn outcome(&self, floor: &Floor) -> Outcome {
        let mut points = self.points();
        points.insert(X.to_owned(), self.knockouts.len() as f64);
        Outcome {
            line: self.line(floor.plan()),
            decided_by: self.decided_by(floor),
            points,
            facts: self.facts(floor),
            details: json!({"standing": self.standing(), "knockouts": self.knockouts, "rounds_survived": self.survived})
                .as_object()
                .cloned()
                .unwrap_or_default(),
            ..Outcome::default()
        }
    }

    fn line(&self, plan: &Plan) -> String {
        let knocked = match self.knockouts.len() {
            0 => "nobody knocked out".to_owned(),
            n => format!("{n} knocked out"),
        };
        let debater = words::with_model(plan, self.debater());
        match self.standing() {
            Some(_) => format!("{debater} kept the seat to the end, {knocked}"),
            None if self.knockouts.len() == self.ys.len() => {
                format!(
                    "{} outlasted the whole team, {knocked}",
                    words::with_model(plan, X)
                )
            }
            None => format!("{debater} was voted out {}, {knocked}", self.last_fell()),
        }
    }

    /// When the debater who was not replaced was voted out.
    fn last_fell(&self) -> &'static str {
        match self.knockouts.last() {
            Some(last) if last.round == self.rounds => "in the last round",
            _ if self.eligible().is_empty() => "with nobody to come in",
            _ => "at the limit of rotations",
        }
    }

    fn decided_by(&self, floor: &Floor) -> String {
        let sentence = |r: &Rotation| {
            let then = match r.rotated {
                true => format!(" {} came in{}.", name(floor, &r.next), by_lot(r)),
                false => String::new(),
            };
            format!(
                "{} was knocked out after round {}: {}.{then}",
                name(floor, &r.debater),
                r.round,
                r.reason,
            )
        };
        let nobody_wins = match floor.plan().judges().is_empty() {
            true => ", and nobody wins: nobody judged X against the team",
            false => "",
        };
        let nobody_wins = nobody_wins.replace('X', name(floor, X));
        let last = match self.standing() {
            Some(_) => format!("Round {} was the last planned{nobody_wins}.", self.rounds),
            None => "Nobody of the team kept the seat.".to_owned(),
        };
        self.knockouts
            .iter()
            .map(sentence)
            .chain([last])
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn facts(&self, floor: &Floor) -> Vec<(String, String)> {
        let all = self.ys.iter().zip(&self.debated);
        let debated = all.filter_map(|(id, debated)| debated.then_some(id));
        let survived = |id: &String| {
            let rounds = self.survived.get(id).copied().unwrap_or(0);
            format!("{} {rounds}", name(floor, id))
        };
        let survived: Vec<String> = debated.clone().map(survived).collect();
        let points = self.points();
        let points = debated.filter_map(|id| points.get_key_value(id));
        let knockouts = text::count(self.knockouts.len() as u64, "knockout");
        let rounds = text::count(self.rounds, "round");
        let facts = [
            (
                "Standing at the end",
                self.standing()
                    .map_or("nobody", |id| name(floor, id))
                    .to_owned(),
            ),
            ("Knocked out", self.knocked_out(floor)),
            (
                &format!("Record of {}", name(floor, X)),
                format!("{knockouts} in {rounds}"),
            ),
            ("Rounds survived", survived.join(", ")),
            ("Mean points per round", words::scored(floor.plan(), points)),
        ];
        facts.map(|(name, value)| (name.to_owned(), value)).into()
    }

    fn knocked_out(&self, floor: &Floor) -> String {
        if self.knockouts.is_empty() {
            return "nobody".to_owned();
        }
        let one = |r: &Rotation| format!("{} (round {})", name(floor, &r.debater), r.round);
        let all: Vec<String> = self.knockouts.iter().map(one).collect();
        all.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::voted_out;

    #[test]
    fn k7_votes_decide_and_scores_break_ties() {
        assert!(
            voted_out(1, 2, Some(4.0), 2),
            "a majority against rotates whatever the scores"
        );
        assert!(
            !voted_out(2, 1, Some(1.0), 2),
            "a majority for keeps whatever the scores"
        );
        assert!(
            voted_out(1, 1, Some(2.99), 2),
            "an even vote with a low mean rotates"
        );
        assert!(
            !voted_out(1, 1, Some(3.0), 2),
            "an even vote with a mean of 3.0 keeps"
        );
        assert!(
            voted_out(0, 1, Some(2.0), 2),
            "one negative vote alone with a low mean rotates"
        );
        assert!(!voted_out(0, 0, None, 2), "no valid ballot keeps");
        assert!(
            !voted_out(0, 1, Some(3.5), 2),
            "one negative vote alone with a fair mean keeps"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            rng_seed: proptest::test_runner::RngSeed::Fixed(1),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]
        #[test]
        fn k7_another_negative_vote_or_a_lower_score_never_saves_a_debater(
            keeps in 0_u32..8, negatives in 0_u32..8, mean in 1.0_f64..5.0, lower in 0.0_f64..2.0, threshold in 1_u32..8,
        ) {
            let out = voted_out(keeps, negatives, Some(mean), threshold);
            prop_assert!(!out || voted_out(keeps, negatives + 1, Some(mean), threshold));
            prop_assert!(!out || voted_out(keeps, negatives, Some(mean - lower), threshold));
            prop_assert!(!(negatives == 0 && out), "nobody is voted out without a negative vote");
        }
    }
}
