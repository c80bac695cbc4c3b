//! The team: who is debating, who has debated, and the effects of votes (rows K6, K7, K11).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::settings::{Knockout, TEAM, X};
use super::votes::{counts, mean_total, threshold, with_audience};
use crate::event::{Ballot, Outcome, Rotation, means};
use crate::floor::Floor;
use crate::formats::outcome_phrases;
use crate::job::participant::Participant;
use crate::plan::Plan;
use crate::text;

/// A mean total below this turns a tied vote against the debater.
pub(super) const TIE_BREAK: f64 = 3.0;
/// Maximum rounds with split votes, in which the debater stayed, that the clerk is told of.
const SPLIT: usize = 3;
/// Up to so many who were voted out are named in the outcome's line.
const NAMED: usize = 4;

/// The team during a debate.
#[derive(Debug)]
pub(super) struct Bench<'a> {
    plan: &'a Plan,
    pub(super) settings: &'a Knockout,
    /// The ids of its members, in the order of the job.
    ys: Vec<&'a str>,
    pub(super) debater: &'a str,
    /// The result of each round's votes, with the judges' ballots.
    past: Vec<(Rotation, Vec<Ballot>)>,
}

/// Whether the votes are against the debater.
pub(super) fn voted_out(keeps: u32, negatives: u32, mean: Option<f64>, threshold: u32) -> bool {
    negatives >= threshold
        || (keeps + negatives > 0
            && negatives >= keeps
            && mean.is_some_and(|mean| mean < TIE_BREAK))
}

impl<'a> Bench<'a> {
    pub(super) fn of(plan: &'a Plan, settings: &'a Knockout) -> Self {
        let ys: Vec<&str> =
            plan.participants.iter().filter(|p| p.role() == TEAM).map(|p| p.id.as_str()).collect();
        Self { plan, settings, debater: ys[0], ys, past: Vec::new() }
    }

    /// The members who are not debating, in the order of the job.
    pub(super) fn judges(&self) -> Vec<&'a Participant> {
        let others = self.ys.iter().filter(|id| **id != self.debater);
        others.filter_map(|id| self.plan.participant(id)).collect()
    }

    /// Counts the votes. If they require it, draws the next debater from the members who have not debated.
    pub(super) fn decide(&self, floor: &Floor, round: u32, ballots: &[Ballot]) -> Rotation {
        let [keeps, negatives, abstentions] = counts(ballots);
        let voted_out = self.is_voted_out(ballots);
        let eligible = self.eligible();
        let obstacle = self.obstacle(round);
        let rotated = voted_out && obstacle.is_none();
        let purpose = format!("next debater after round {round}");
        let drawn = || eligible[floor.draw(&purpose, eligible.len())];
        let next = if rotated { drawn() } else { self.debater };
        let mut rotation = Rotation {
            round,
            debater: self.debater.to_owned(),
            next: next.to_owned(),
            voted_out,
            out_since: self.out_since(),
            rotated,
            by_lot: rotated && eligible.len() > 1,
            on_position: obstacle.is_some(),
            keeps,
            negatives,
            abstentions,
            mean_total: mean_total(ballots),
            reason: String::new(),
        };
        rotation.reason = self.reason(&rotation, obstacle, ballots, of_debater(floor, &rotation));
        rotation
    }

    /// Whether these ballots vote the debater out, who cannot be out already.
    pub(super) fn is_voted_out(&self, ballots: &[Ballot]) -> bool {
        let [keeps, negatives, _] = counts(ballots);
        let threshold = threshold(self.settings, ballots);
        self.out_since().is_none() && voted_out(keeps, negatives, mean_total(ballots), threshold)
    }

    /// The round after which the debater was voted out and nobody came in: it goes on without the seat.
    pub(super) fn out_since(&self) -> Option<u32> {
        let mut past = self.past.iter().map(|(past, _)| past);
        past.find(|past| past.voted_out && !past.rotated).map(|past| past.round)
    }

    fn has_debated(&self, id: &str) -> bool {
        id == self.debater || self.past.iter().any(|(past, _)| past.debater == id)
    }

    /// The members who have not debated.
    fn eligible(&self) -> Vec<&'a str> {
        self.ys.iter().copied().filter(|id| !self.has_debated(id)).collect()
    }

    /// The names of those who could come in after a round.
    pub(super) fn could_come_in(&self, round: u32) -> Vec<&str> {
        let eligible = self.eligible().into_iter().filter(|_| self.obstacle(round).is_none());
        eligible.map(|id| self.plan.name_of(id)).collect()
    }

    /// What prevents a rotation after a round.
    fn obstacle(&self, round: u32) -> Option<&'static str> {
        let rotations = self.past.iter().filter(|(past, _)| past.rotated).count();
        if round == self.settings.rounds {
            Some("it was the last round")
        } else if self.eligible().is_empty() {
            Some("everyone on that side has debated")
        } else if rotations >= self.settings.rotation.limit as usize {
            Some("the limit of rotations is reached")
        } else {
            None
        }
    }

    /// The vote against each debater who was voted out, whether replaced or not.
    fn knockouts(&self) -> Vec<&Rotation> {
        self.past.iter().map(|(past, _)| past).filter(|past| past.voted_out).collect()
    }

    /// The debater at the end, unless voted out.
    fn standing(&self) -> Option<&str> {
        self.out_since().is_none().then_some(self.debater)
    }

    fn reason(
        &self,
        r: &Rotation,
        obstacle: Option<&str>,
        ballots: &[Ballot],
        position: &str,
    ) -> String {
        let threshold = threshold(self.settings, ballots);
        let score = r.score();
        let name = self.plan.name_of(&r.debater);
        let tie = if r.is_tie() { ", a tie" } else { "" };
        let audience = with_audience(ballots, r);
        let against = r.votes_with(name, position, audience) + tie;
        let decides = r.is_up_to_scores() && r.out_since.is_none();
        let why = match (r.voted_out, score) {
            _ if !r.is_judged() => "the round was not judged".to_owned(),
            (true, _) if r.negatives >= threshold => {
                let verb = if threshold == 1 { "is" } else { "are" };
                format!("{against}, and {threshold} {verb} enough")
            }
            (true, Some(score)) => format!("{against}, and {score} is below {TIE_BREAK}"),
            (false, Some(score)) if decides => {
                format!("{against}, and {score} is not below {TIE_BREAK}")
            }
            _ => against,
        };
        match (obstacle, r.out_since) {
            (_, Some(round)) => {
                format!("{why}, which changes nothing: {name} was voted out after round {round}")
            }
            (Some(obstacle), _) if r.voted_out => {
                format!("{why}; nobody comes in, because {obstacle}")
            }
            _ => why,
        }
    }

    /// Takes in a round's result.
    pub(super) fn close_round(&mut self, rotation: Rotation, judges: Vec<Ballot>) {
        let next = self.ys.iter().find(|id| **id == rotation.next);
        self.debater = next.unwrap_or(&self.debater);
        self.past.push((rotation, judges));
    }

    /// The result of the votes on the last round that was closed.
    pub(super) fn last_votes(&self) -> Option<&Rotation> {
        self.past.last().map(|(rotation, _)| rotation)
    }

    /// What the debater's side wrote about the last round, objections first: on the debater, or on the predecessor of one who has
    /// just come in and may have voted, too.
    pub(super) fn team_said(&self) -> Option<Value> {
        let (rotation, ballots) = self.past.last()?;
        let reasons = self.reasons(ballots);
        let left = rotation.rotated.then(|| self.plan.name_of(&rotation.debater));
        (!reasons.is_empty())
            .then(|| json!({"round": rotation.round, "left": left, "reasons": reasons}))
    }

    /// The rounds with votes against their debater, in order, with the reasons of either camp: all after which one was voted out,
    /// and the newest after which one stayed.
    pub(super) fn contested(&self, floor: &Floor) -> Vec<Value> {
        let is_split = |past: &Rotation| past.negatives > 0 && past.keeps_seat();
        let newer = |n: u32| {
            let later = self.past.iter().filter(|(past, _)| past.round > n);
            later.filter(|(past, _)| is_split(past)).count()
        };
        let is_told =
            |past: &Rotation| past.voted_out || is_split(past) && newer(past.round) < SPLIT;
        let told = self.past.iter().filter(|(past, _)| is_told(past));
        told.map(|past| self.voted(floor, past)).collect()
    }

    fn voted(&self, floor: &Floor, (past, ballots): &(Rotation, Vec<Ballot>)) -> Value {
        let name = self.plan.name_of(&past.debater);
        json!({
            "name": name,
            "round": past.round,
            "out": past.voted_out,
            "votes": past.votes_and_cause(name, of_debater(floor, past)),
            "voters": self.reasons(ballots),
        })
    }

    /// The reasons of valid ballots, those against the debater first.
    fn reasons(&self, ballots: &[Ballot]) -> Vec<Value> {
        let mut valid: Vec<&Ballot> = ballots.iter().filter(|it| it.keep.is_some()).collect();
        valid.sort_by_key(|ballot| ballot.keep);
        let reason = |ballot: &Ballot| {
            let said = text::one_line(&ballot.reading.reason);
            let name = self.plan.name_of(&ballot.by.id);
            let row =
                json!({"id": ballot.by.id, "name": name, "vote": ballot.vote(), "text": said});
            (!said.is_empty()).then_some(row)
        };
        valid.into_iter().filter_map(reason).collect()
    }

    /// Each debater's mean over its judged rounds of the ballots' mean total (row O2).
    fn points(&self) -> BTreeMap<String, f64> {
        let totals = self.past.iter().filter_map(|(past, ballots)| {
            let total = mean_total(ballots)?;
            Some((past.debater.as_str(), total))
        });
        means(totals)
    }

    /// The number of rounds in which each debater was not voted out.
    fn survived(&self) -> BTreeMap<&str, u32> {
        let mut survived: BTreeMap<&str, u32> = BTreeMap::new();
        for (past, _) in &self.past {
            *survived.entry(&past.debater).or_default() += u32::from(past.keeps_seat());
        }
        survived
    }

    /// Who stands at the end, and how that came about.
    pub(super) fn outcome(&self) -> Outcome {
        let knockouts = self.knockouts();
        let mut points = self.points();
        points.insert(X.to_owned(), knockouts.len() as f64);
        Outcome {
            line: self.line(),
            decided_by: self.decided_by(),
            points,
            facts: self.facts(),
            details: Map::from_iter([
                ("standing".to_owned(), json!(self.standing())),
                ("knockouts".to_owned(), json!(knockouts)),
                ("rounds_survived".to_owned(), json!(self.survived())),
            ]),
            ..Outcome::default()
        }
    }

    /// Who fell and who stands: `mistral (Ben) was voted out after round 1; qwen3 (Ann) debated to the end`. Who wins is none of
    /// it, so X, whom nobody can vote out, is not named either.
    pub(super) fn line(&self) -> String {
        if let [.., last] = self.knockouts()[..]
            && self.knockouts().len() == self.ys.len()
        {
            return self.all_fell(last);
        }
        let stood = match self.standing() {
            Some(standing) => format!("{} debated to the end", self.named(standing)),
            None => "nobody stood for the team at the end".to_owned(),
        };
        format!("{}; {stood}", self.fell())
    }

    /// `both of the team's debaters were voted out by their own side, mistral (Ben) after the last round`.
    fn all_fell(&self, last: &Rotation) -> String {
        let all = match self.ys.len() {
            2 => "both".to_owned(),
            3 => "all three".to_owned(),
            4 => "all four".to_owned(),
            n => format!("all {n}"),
        };
        let when = match last.round {
            round if round == self.settings.rounds => "the last round".to_owned(),
            round => format!("round {round}"),
        };
        let last = self.named(&last.debater);
        format!(
            "{all} of the team's debaters were voted out by their own side, {last} after {when}"
        )
    }

    /// A participant's model with its name.
    fn named(&self, id: &str) -> String {
        outcome_phrases::model_of(self.plan, id)
    }

    /// Who was voted out, and of one when; of many, how many were.
    fn fell(&self) -> String {
        let knockouts = self.knockouts();
        let names = knockouts.iter().map(|r| self.named(&r.debater));
        match knockouts[..] {
            [] => "nobody was voted out".to_owned(),
            [only] => {
                format!("{} was voted out after round {}", self.named(&only.debater), only.round)
            }
            _ if knockouts.len() <= NAMED => {
                format!("{} were voted out", text::joined(names, "and"))
            }
            _ => format!("{} were voted out", knockouts.len()),
        }
    }

    fn decided_by(&self) -> String {
        let sentence = |r: &Rotation| {
            let then = || format!(" {} came in{}.", self.plan.name_of(&r.next), r.lot());
            let then = text::told_if(r.rotated, then);
            let (name, round) = (self.plan.name_of(&r.debater), r.round);
            let votes = match (r.voted_out, self.knockouts().len()) {
                // The outcome's line says the rest.
                (true, 1) => format!("The vote on {name}"),
                (true, _) => format!("{name} was voted out after round {round}"),
                (false, _) => format!("{name} kept the seat after round {round}"),
            };
            format!("{votes}: {}.{then}", r.reason)
        };
        let unjudged = self.plan.judges().is_empty().then(|| {
            format!("Nobody judged {} against the team, so nobody wins.", self.plan.name_of(X))
        });
        // A tie that only put off what came later decided nothing.
        let falls = |r: &Rotation| self.knockouts().iter().any(|out| out.debater == r.debater);
        let is_told = |r: &&Rotation| r.voted_out || r.is_tie() && r.keeps_seat() && !falls(r);
        let told = self.past.iter().map(|(past, _)| past).filter(is_told);
        text::separated(told.map(sentence).chain(unjudged), " ")
    }

    fn facts(&self) -> Vec<(String, String)> {
        let name = |id: &str| self.plan.name_of(id).to_owned();
        let (rounds, knockouts) = (self.survived(), self.knockouts());
        let debated = self.ys.iter().filter(|id| self.has_debated(id));
        let survived = debated.clone().map(|id| {
            let rounds = rounds.get(id).copied().unwrap_or(0);
            format!("{} {rounds}", name(id))
        });
        let points = self.points();
        let points = debated.filter_map(|id| points.get_key_value(*id));
        let fell = |r: &&Rotation| format!("{} (after round {})", name(&r.debater), r.round);
        let voted_out = text::if_any(text::separated(knockouts.iter().map(fell), ", "));
        let rounds_held = text::count(self.settings.rounds, "round");
        let standing = self.standing().map_or("nobody".to_owned(), name);
        let facts = [
            ("Standing at the end", standing),
            ("Voted out", voted_out.unwrap_or_else(|| "nobody".to_owned())),
            (
                &format!("Debaters voted out against {} in {rounds_held}", name(X)),
                knockouts.len().to_string(),
            ),
            ("Rounds survived", text::separated(survived, ", ")),
            ("Mean score per round", outcome_phrases::scored(self.plan, points)),
        ];
        facts.map(|(name, value)| (name.to_owned(), value)).into()
    }
}

/// What the votes on a round call the debater's position. They are cast before the clerk notes what was given up in it.
pub(super) fn of_debater(floor: &Floor, past: &Rotation) -> &'static str {
    let said = floor.statements();
    let until = said.iter().find(|s| s.round == past.round).map_or(0, |s| s.n - 1);
    let is_own = |by: &str| floor.plan().argue_alike(by, &past.debater);
    floor.flow().position_in_words(is_own, until)
}

#[cfg(test)]
mod tests {
    use crate::properties::properties;
    use proptest::prelude::*;

    use super::voted_out;

    #[test]
    fn k7_votes_decide_and_scores_break_ties() {
        assert!(voted_out(1, 2, Some(4.0), 2), "a majority against rotates whatever the scores");
        assert!(!voted_out(2, 1, Some(1.0), 2), "a majority for keeps whatever the scores");
        assert!(voted_out(1, 1, Some(2.99), 2), "an even vote with a low mean rotates");
        assert!(!voted_out(1, 1, Some(3.0), 2), "an even vote with a mean of 3.0 keeps");
        assert!(voted_out(0, 1, Some(2.0), 2), "one negative vote alone with a low mean rotates");
        assert!(!voted_out(0, 0, None, 2), "no valid ballot keeps");
        assert!(!voted_out(0, 1, Some(3.5), 2), "one negative vote alone with a fair mean keeps");
    }

    proptest! {
        #![proptest_config(properties(256))]
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
