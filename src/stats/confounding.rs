//! Whether a comparison of two is confounded by other differences: seats, turns, positions, personas, judges (row S3).

use std::collections::{BTreeMap, BTreeSet};

use super::findings::{Coincidence, Confounded, Trait};
use super::key::Key;
use crate::facts::{Facts, Person};
use crate::job::participant::role_of;
use crate::text::{count, shell};

/// Where the fit allows for an effect, at least so much of it must be shared by the two.
const FITTED: f64 = 0.5;
/// Elsewhere so much, less what chance makes of as many debates.
const UNFITTED: f64 = 0.9;

/// What goes with where someone sits.
const OF_SEATS: [Trait; 4] = [Trait::Seat, Trait::Turn, Trait::Position, Trait::Persona];

/// Weights that differ by less are equal.
const ROUNDING: f64 = 1e-9;

/// How a sentence begins on some who are not compared, beside others who are.
pub(super) const NOT_ALL: &str = "Not every debate counts for strengths";

/// What would settle what seats, turns, positions and personas hide.
const SWAP: &str = "a job in which they swap, as `rebut new tournament` writes it";

/// What would settle it if two met different opponents.
const EVERY_OTHER: &str =
    "a job in which every model meets every other, as `rebut new tournament` writes it";

/// What comes first where debates are missing that were planned.
fn finish([ended, planned]: [usize; 2]) -> String {
    let planned = count(planned, "planned debate");
    format!(
        "{ended} of {planned} have ended, so finish the job (`rebut run`), which may settle it; otherwise"
    )
}

/// What settles it where one of several jobs is as it should be.
fn alone(job: &str) -> String {
    let filter = shell::quoted(&format!("job={job}"));
    format!("`--where {filter}`, which counts that job without the others")
}

impl Trait {
    /// What is said of two whom it tells apart.
    pub(super) fn of_two(self) -> String {
        let [what, _] = self.words();
        format!("the two {what}")
    }

    /// What is said of two whom it tells apart, and what would settle who is stronger.
    fn words(self) -> [&'static str; 2] {
        match self {
            Self::Seat => ["did not swap seats often enough", SWAP],
            Self::Turn => ["did not speak first equally often", SWAP],
            Self::Position => ["did not argue for the same positions equally often", SWAP],
            Self::Persona => ["did not have the same personas equally often", SWAP],
            Self::Opponents => ["did not meet the same opponents", EVERY_OTHER],
            Self::OwnJudges => {
                ["were judged by at least one of them", "judges on models that do not debate"]
            }
            Self::OwnBallots => [
                "were judged by at least one of them",
                "none for scores, which are the debaters' own ballots; neutral `judges` name a winner, and strengths compare models by that",
            ],
            Self::RelatedJudges => [
                "had a judge of the family of one of them only",
                "judges of other families; a panel can read the same debates (`rebut judge`, then `--verdicts`)",
            ],
            Self::Heard => [
                "were not judged by the same judges",
                "asking again for missing judgments (the command that ran the debates, with `--retry degraded`)",
            ],
        }
    }

    /// Its own key, if debates can be grouped by it.
    pub(super) fn key(self) -> Option<Key> {
        match self {
            Self::Turn => Some(Key::Order),
            Self::Position => Some(Key::Position),
            Self::Persona => Some(Key::Persona),
            Self::Seat
            | Self::Opponents
            | Self::OwnJudges
            | Self::OwnBallots
            | Self::RelatedJudges
            | Self::Heard => None,
        }
    }
}

/// What is in the way of telling two apart, and how often.
pub(super) fn clause(confounded: &Confounded) -> String {
    let [what, _] = confounded.by.words();
    let debates = count(confounded.debates.len(), "debate");
    let (a, b) = (&confounded.a, &confounded.b);
    format!("{a} and {b} {what} in {debates}")
}

/// The same of several, of which the first is named, with what would settle it.
pub(super) fn sentence<'c>(
    begins: &str,
    all: impl IntoIterator<Item = &'c Confounded>,
) -> Option<String> {
    let all: Vec<&Confounded> = all.into_iter().collect();
    let first = all.iter().max_by_key(|c| c.debates.len())?;
    let more = match all.len() - 1 {
        0 => String::new(),
        1 => ", nor is 1 other pair comparable".to_owned(),
        n => format!(", nor are {} comparable", count(n, "other pair")),
    };
    let own = first.by.words()[1];
    let remedy = match (&first.job, first.progress) {
        (Some(job), _) if own == SWAP => alone(job),
        (_, Some(progress)) if matches!(own, SWAP | EVERY_OTHER) => {
            format!("{}, {own}", finish(progress))
        }
        _ => own.to_owned(),
    };
    let clause = clause(first);
    Some(format!("{begins}: {clause}{more}. Remedy: {remedy}."))
}

/// Someone in a debate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seat<'c> {
    pub(super) facts: &'c Facts,
    pub(super) person: &'c Person,
}

impl<'c> Seat<'c> {
    /// The tokens spoken on it: by those of a team together.
    pub(super) fn tokens(&self) -> u64 {
        let own = self.id();
        let people = self.facts.people.iter().filter(|person| {
            let seat = Seat { person, ..*self };
            seat.id() == own
        });
        people.map(|person| person.tokens).sum()
    }

    /// Its value of a trait.
    fn value(&self, of: Trait) -> &'c str {
        of.key().map_or(self.id(), |key| key.of_person(self.person).unwrap_or_default())
    }

    /// Its value of a trait, none for a position that does not recur.
    fn value_among(&self, of: Trait, recurring: &BTreeSet<&str>) -> &'c str {
        match of {
            Trait::Position if !recurring.contains(&*self.person.position) => "",
            _ => self.value(of),
        }
    }

    /// The models of those who did not share the seat, in order, one of a pair as `None`.
    pub(super) fn opponents(&self, pair: [&str; 2]) -> Vec<Option<&'c str>> {
        let seat = |person| Seat { person, ..*self };
        let others =
            self.facts.judged_or_arguing().filter(|(_, person)| seat(person).id() != self.id());
        let model = |person: &'c Person| person.model.as_deref().unwrap_or_default();
        let named = |model| (!pair.contains(&model)).then_some(model);
        let mut models: Vec<_> = others.map(|(_, person)| named(model(person))).collect();
        models.sort_unstable();
        models
    }

    /// The seat: those of a team share one.
    fn id(&self) -> &'c str {
        let team = self.facts.profile().team;
        let role = role_of(&self.person.id);
        if team == Some(role) { role } else { &self.person.id }
    }
}

/// Where two who are compared sat: of each its seats with their weights.
#[derive(Debug, Default)]
pub(super) struct Seats<'c>([Vec<(Seat<'c>, f64)>; 2]);

/// By seat and value: the weight of each of the two.
type Weights<'c, V> = BTreeMap<&'c str, BTreeMap<V, [f64; 2]>>;

impl<'c> Seats<'c> {
    /// Adds where one of the two (0 or 1) sat; all seats together have the weight 1.
    pub(super) fn add(&mut self, side: usize, seats: impl ExactSizeIterator<Item = Seat<'c>>) {
        let weight = 1.0 / seats.len() as f64;
        self.0[side].extend(seats.map(|seat| (seat, weight)));
    }

    /// What tells two models apart; `fitted` says that effects of seats and turns are fitted.
    pub(super) fn confounder(&self, fitted: bool) -> Option<Trait> {
        let chance = self.least_shared();
        let least = |of: Trait| match of {
            Trait::Seat | Trait::Turn if fitted => FITTED,
            _ => chance,
        };
        let recurring = self.recurring_positions();
        OF_SEATS.into_iter().find(|of| {
            shared(&self.weights(*of, |seat| seat.value_among(*of, &recurring))) < least(*of)
        })
    }

    /// What the first of the two always, or mostly, had of a trait, whatever its seat, where they share too little of it.
    pub(super) fn mark_of_first(&self, of: Trait) -> Option<Coincidence> {
        let recurring = self.recurring_positions();
        let mut values: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
        for (side, seats) in self.0.iter().enumerate() {
            for (seat, weight) in seats {
                let value = seat.value_among(of, &recurring);
                values.entry(value).or_default()[side] += weight;
            }
        }
        let all = self.0[0].len() as f64;
        let surplus = |both: &[f64; 2]| both[0] - both[1];
        let own = values.iter();
        let (value, [most, _]) = own.max_by(|a, b| surplus(a.1).total_cmp(&surplus(b.1)))?;
        let is_shared = shared(&[("", values.clone())].into()) >= self.least_shared();
        let is_most = *most > all / 2.0;
        (!is_shared && is_most && !value.is_empty()).then(|| Coincidence {
            by: of,
            value: (*value).to_owned(),
            always: all - most < ROUNDING,
        })
    }

    /// That the two met opponents too different for scores that are given in view of them.
    pub(super) fn other_opponents(&self, pair: [&str; 2]) -> Option<Trait> {
        let weights = self.weights(Trait::Opponents, |seat| seat.opponents(pair));
        (shared(&weights) < self.least_shared()).then_some(Trait::Opponents)
    }

    /// How much of a trait two must share whose effect is not fitted.
    fn least_shared(&self) -> f64 {
        let debates = self.0.iter().map(Vec::len).min().unwrap_or(0) as f64;
        (UNFITTED - 1.0 / debates.sqrt()).max(FITTED)
    }

    /// Whether each seat, turn, position and persona had the same weight for both, so that effects of these cancel out.
    pub(super) fn are_balanced(&self) -> bool {
        OF_SEATS.into_iter().all(|of| self.is_alike(|seat| seat.value(of)))
    }

    /// Whether both of a pair of models met the same others, and each other, equally often.
    pub(super) fn have_same_opponents(&self, pair: [&str; 2]) -> bool {
        self.is_alike(|seat| seat.opponents(pair))
    }

    /// Whether each value of a trait has the same weight for both.
    fn is_alike<V: Ord>(&self, value: impl Fn(&Seat<'c>) -> V) -> bool {
        let mut surplus: BTreeMap<V, f64> = BTreeMap::new();
        for (seats, sign) in self.0.iter().zip([1.0, -1.0]) {
            for (seat, weight) in seats {
                *surplus.entry(value(seat)).or_default() += sign * weight;
            }
        }
        surplus.values().all(|surplus| surplus.abs() < ROUNDING)
    }

    /// Positions that are argued for on more than one topic: what is argued for on one only goes with its seat.
    fn recurring_positions(&self) -> BTreeSet<&'c str> {
        let mut topics: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (seat, _) in self.0.iter().flatten() {
            let on = topics.entry(&seat.person.position).or_default();
            on.insert(&seat.facts.topic);
        }
        let recurring = topics.into_iter().filter(|(_, on)| on.len() > 1);
        recurring.map(|(position, _)| position).collect()
    }

    /// The weights of a trait's values within each seat; of seats among each other.
    fn weights<V: Ord>(&self, of: Trait, value: impl Fn(&Seat<'c>) -> V) -> Weights<'c, V> {
        let mut weights = Weights::new();
        for (side, seats) in self.0.iter().enumerate() {
            for (seat, weight) in seats {
                let is_of_seat = !matches!(of, Trait::Seat | Trait::Opponents);
                let within = if is_of_seat { seat.id() } else { "" };
                let values = weights.entry(within).or_default();
                values.entry(value(seat)).or_default()[side] += weight;
            }
        }
        weights
    }
}

/// How much of a trait two share, from 0 to 1: of each value the smaller of their two shares. Seats count as far as both took them.
fn shared<V>(weights: &Weights<'_, V>) -> f64 {
    let sum = |values: &BTreeMap<V, [f64; 2]>, side: usize| -> f64 {
        values.values().map(|both| both[side]).sum()
    };
    let (mut found, mut possible) = (0.0, 0.0);
    for values in weights.values() {
        let sums = [sum(values, 0), sum(values, 1)];
        let taken = sums[0].min(sums[1]);
        let alike = values.values().map(|both| (both[0] / sums[0]).min(both[1] / sums[1]));
        if taken > 0.0 {
            found += taken * alike.sum::<f64>();
            possible += taken;
        }
    }
    if possible > 0.0 { found / possible } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s3_where_planned_debates_are_missing_the_job_is_to_be_finished_first() {
        let remedy = |by, progress| {
            let found =
                Confounded { progress, ..Confounded::new(["llama3", "mistral"], by, vec![1, 2]) };
            let sentence = sentence(NOT_ALL, [&found]).expect("a sentence");
            let (_, remedy) = sentence.split_once("Remedy: ").expect("a remedy");
            remedy.to_owned()
        };
        let swap = "a job in which they swap, as `rebut new tournament` writes it.";
        assert_eq!(remedy(Trait::Seat, None), swap);
        assert_eq!(
            remedy(Trait::Seat, Some([5, 40])),
            format!(
                "5 of 40 planned debates have ended, so finish the job (`rebut run`), which may settle it; otherwise, {swap}"
            )
        );
        let job = Some("a tour".to_owned());
        let spoilt =
            Confounded { job, ..Confounded::new(["llama3", "mistral"], Trait::Position, vec![1]) };
        let told = sentence(NOT_ALL, [&spoilt]).expect("a sentence");
        assert!(
            told.ends_with("equally often in 1 debate. Remedy: `--where 'job=a tour'`, which counts that job without the others."),
            "{told}"
        );
        assert_eq!(
            remedy(Trait::OwnJudges, Some([5, 40])),
            "judges on models that do not debate.",
            "more debates settle nothing"
        );
    }
}
