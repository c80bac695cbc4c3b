//! Corpora with planted truths, and what the shipped statistics say of them: facts, findings, sentences. Tests run a few of each
//! trial, `cargo bench --bench verdicts` as many as its seeds say.

use std::path::PathBuf;

use chrono::{DateTime, TimeDelta};
use rebut::event::{ReadingStatus, Status};
use rebut::facts::{Facts, Kind, Person, Private, Reading, Score, Stint, Text, Winner};
use rebut::stats::findings::Findings;
use rebut::stats::key::Filter;
use rebut::stats::read::{Corpus, Debate};
use rebut::stats::{Place, Question, findings};

/// What a rate must be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Must {
    /// At most this share.
    AtMost(f64),
    /// At least this share.
    AtLeast(f64),
    /// A share between the two.
    Between(f64, f64),
}

/// One experiment: what is planted, and whether a corpus shows something.
pub(crate) struct Trial {
    /// What is planted and looked for.
    pub(crate) name: &'static str,
    /// How often it may or must be found.
    pub(crate) must: Must,
    /// Whether it is found in the corpus of a seed; `None` where the corpus says nothing of it.
    pub(crate) found: fn(u64) -> Option<bool>,
}

use Must::{AtLeast, AtMost, Between};

/// Sizes of clusters of which one has most of the cases.
pub(crate) const ONE_LARGE: [usize; 9] = [40, 2, 2, 2, 2, 2, 2, 2, 2];

/// The same, two of 22.
pub(crate) fn two_large() -> Vec<usize> {
    [vec![20; 2], vec![1; 20]].concat()
}

/// All experiments.
pub(crate) static TRIALS: [Trial; 30] = [
    trial("two equal models, seats swapped: any false sentence", AtMost(0.06), |seed| {
        says_falsely(&World::default(), seed)
    }),
    trial("three equal models, seats swapped: any false sentence", AtMost(0.06), |seed| {
        says_falsely(&World { models: THREE.to_vec(), ..World::default() }, seed)
    }),
    trial("equal models, 12 topics of unequal size: any false sentence", AtMost(0.06), |seed| {
        says_falsely(&World { topics: 12, unequal: true, ..World::default() }, seed)
    }),
    trial(
        "equal models, their families judge, scales of judges differ: any false sentence",
        AtMost(0.06),
        |seed| says_falsely(&families(0.0), seed),
    ),
    trial(
        "a better family, its judge on the widest scale: any false caution",
        AtMost(0.06),
        |seed| {
            let world = World {
                judges: vec!["granite-3", "phi-4", "gemma-2"],
                better: [1.0, 0.0],
                ..families(0.0)
            };
            Some(has_any(&world.findings(seed).cautions, &EFFECTS))
        },
    ),
    trial("two equal models, winners without scores: any false sentence", AtMost(0.06), |seed| {
        says_falsely(&World { unscored: true, ..World::default() }, seed)
    }),
    trial("three equal models, seats swapped: any verdict", AtMost(0.06), |seed| {
        let models = THREE.to_vec();
        verdict(&World { models, ..World::default() }, seed)
    }),
    trial("equal models, fixed seats, the first worth 0.6: any verdict", AtMost(0.06), |seed| {
        verdict(&World { swapped: false, seat: 0.6, ..World::default() }, seed)
    }),
    trial("equal models, seats swapped, the first worth 0.6: any verdict", AtMost(0.06), |seed| {
        verdict(&World { seat: 0.6, ..World::default() }, seed)
    }),
    trial("equal models, each with a persona, one worth 0.6: any verdict", AtMost(0.06), |seed| {
        verdict(&World { personas: Personas::OfModels, persona: 0.6, ..World::default() }, seed)
    }),
    trial(
        "as the shipped tournament, scores fall by half of how far the opponent is better: the equal two are told apart",
        AtMost(0.06),
        |seed| contrast(seed, 0.0),
    ),
    trial(
        "the same, a tenth of the debates missing: the equal two are told apart",
        AtMost(0.06),
        |seed| contrast(seed, 0.1),
    ),
    trial(
        "equal models that judge, each 0.6 above for itself: any verdict",
        AtMost(0.06),
        |seed| verdict(&World { judges: TWO.to_vec(), own: 0.6, ..World::default() }, seed),
    ),
    trial(
        "equal models, a judge favours its family, which is one of them, by 0.8: any verdict",
        AtMost(0.06),
        |seed| {
            verdict(&World { judges: vec!["llama-9", "phi-4"], own: 0.8, ..World::default() }, seed)
        },
    ),
    trial(
        "equal models in knockouts, ballots of their own, one lenient by 0.6: any verdict",
        AtMost(0.06),
        ballots,
    ),
    trial(
        "equal models, a judge lenient by 0.6 absent for one: any verdict",
        AtMost(0.06),
        |seed| {
            verdict(&World { alone: true, lenient: 0.6, absent: true, ..World::default() }, seed)
        },
    ),
    trial(
        "one of three pairs differs by what is detectable: found after Holm's correction",
        Between(0.78, 0.82),
        detectable,
    ),
    trial("a model better by 1.0: it leads, and its scores are told", AtLeast(0.95), better),
    trial(
        "a longer model is better by 0.8, length counts for nothing: any false caution",
        AtMost(0.06),
        |seed| {
            let world = World { better: [0.8, 0.0], wordy: 0.8, ..World::default() };
            Some(has_any(&world.findings(seed).cautions, &EFFECTS))
        },
    ),
    trial("judges that give 0.12 to the first read, in both orders: told", AtLeast(0.95), slight),
    trial(
        "two judges with opposite preferences for the first read: both told",
        AtLeast(0.95),
        opposite,
    ),
    trial("a judge that favours its family by 0.8: told", AtLeast(0.95), |seed| {
        told(&families(0.8), seed, "prefers its own family")
    }),
    trial("judges that give 0.9 for a text of twice the length: told", AtLeast(0.95), |seed| {
        told(&World { length: 1.3, ..World::default() }, seed, "twice the length")
    }),
    trial(
        "a model that writes longer where only length counts: its lead at equal length holds 0",
        AtLeast(0.92),
        |seed| {
            let world = World { length: 1.0, wordy: 0.4, ..World::default() };
            let board = &world.findings(seed).leaderboards.strengths[0];
            let lead = board.lead_equal_length.clone()?;
            Some(lead.low? <= 0.0 && lead.high? >= 0.0)
        },
    ),
    trial(
        "judges that agree on the level of debates and toss coins for the side: told",
        AtLeast(0.95),
        |seed| told(&levels(1.5, 0.0), seed, "agree too little on who is better"),
    ),
    trial(
        "equal models that take turns with personas, one worth 0.6: any verdict",
        AtMost(0.06),
        |seed| verdict(&in_turn(0.0, 0.6), seed),
    ),
    trial(
        "a model that writes longer where only length counts: its score at equal length is not shown to differ",
        AtLeast(0.92),
        |seed| {
            let pair = &wordy().findings(seed).comparisons[0].pairs[0];
            let left = pair.at_equal_length.clone()?.difference;
            Some(left.low? <= 0.0 && left.high? >= 0.0)
        },
    ),
    trial(
        "survival after three rounds, topics vary by 1.0 in log-odds: the interval holds it",
        Between(0.93, 0.97),
        survival,
    ),
    trial(
        "shares of 90%, alike on each topic and equal in the corpus: the interval holds them",
        AtLeast(0.9),
        constant,
    ),
    trial("any corpus: rank and verdict agree on who is first", AtLeast(1.0), agree),
];

pub(crate) const fn trial(name: &'static str, must: Must, found: fn(u64) -> Option<bool>) -> Trial {
    Trial { name, must, found }
}

const TWO: [&str; 2] = ["llama-8", "mistral-7"];
const THREE: [&str; 3] = ["llama-8", "mistral-7", "qwen-9"];
const PANEL: [&str; 3] = ["gemma-2", "granite-3", "phi-4"];

/// Random numbers that are the same everywhere.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        let mut dice = Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
        dice.bits();
        dice
    }

    /// Steele, Lea and Flood's splitmix64.
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn normal(&mut self, sd: f64) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        sd * radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// Which personas debaters have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Personas {
    /// One of each seat.
    OfSeats,
    /// One of each model.
    OfModels,
    /// They take turns on each seat, with four meetings of each two, as `rebut new tournament` has it.
    InTurn,
}

/// What duels are like. Texts are worth 5 on average; a topic, how it suits a model and chance have standard deviations of 0.5,
/// 0.4 and 0.7, and a judge's own noise 0.4: effects are on the same scale.
#[derive(Debug, Clone)]
pub(crate) struct World {
    models: Vec<&'static str>,
    judges: Vec<&'static str>,
    topics: usize,
    /// Whether topics have one to eight times as many debates.
    unequal: bool,
    /// Whether each two meet in both seats.
    swapped: bool,
    /// Whether judges' scores are not known, only who won.
    unscored: bool,
    /// Whether each model debates itself instead.
    alone: bool,
    personas: Personas,
    /// What the first seat is worth.
    seat: f64,
    /// What the first persona is worth.
    persona: f64,
    /// What the first model is worth, and the second.
    better: [f64; 2],
    /// How far scores fall in view of an opponent that is worth 1 more.
    contrast: f64,
    /// What judges give above to their own family.
    own: f64,
    /// How much topics differ, as a standard deviation.
    levels: f64,
    /// How much of what sides differ by judges see.
    seen: f64,
    /// By how much the scales of judges differ: each spreads its scores so much wider than the one before.
    wider: f64,
    /// How much the last judge gives above the others.
    lenient: f64,
    /// Whether it gives the first model no valid judgment.
    absent: bool,
    /// What the first judge gives whom it reads first, and the second whom it reads last.
    first_read: f64,
    /// What judges give for a text e times as long.
    pub(crate) length: f64,
    /// How much longer the first model writes, as a logarithm.
    wordy: f64,
}

impl Default for World {
    fn default() -> Self {
        Self {
            models: TWO.to_vec(),
            judges: PANEL.to_vec(),
            topics: 40,
            unequal: false,
            swapped: true,
            unscored: false,
            alone: false,
            personas: Personas::OfSeats,
            seat: 0.0,
            persona: 0.0,
            better: [0.0; 2],
            contrast: 0.0,
            own: 0.0,
            levels: 0.5,
            seen: 1.0,
            wider: 0.0,
            lenient: 0.0,
            absent: false,
            first_read: 0.0,
            length: 0.0,
            wordy: 0.0,
        }
    }
}

/// Three models, of which a judge's family is one.
pub(crate) fn families(favour: f64) -> World {
    World {
        models: vec!["gemma-9", "llama-8", "mistral-7"],
        own: favour,
        wider: 0.3,
        ..World::default()
    }
}

/// Two models of which the first writes 2.2 times as long, which is all that counts.
pub(crate) fn wordy() -> World {
    World { length: 1.0, wordy: 0.8, ..World::default() }
}

/// Two models that take turns with what the first seat, and what the first persona, is worth.
pub(crate) fn in_turn(seat: f64, persona: f64) -> World {
    World { personas: Personas::InTurn, seat, persona, ..World::default() }
}

/// Two models on topics that vary so much, and judges who see so much of what sides differ by.
pub(crate) fn levels(levels: f64, seen: f64) -> World {
    World { levels, seen, ..World::default() }
}

impl World {
    pub(crate) fn debates(&self, seed: u64) -> Vec<Facts> {
        let mut dice = Dice::new(seed);
        let mut all = Vec::new();
        for topic in 0..self.topics {
            let level = dice.normal(self.levels);
            let suits: Vec<f64> = self.models.iter().map(|_| dice.normal(0.4)).collect();
            let times = if self.unequal { 1 + 7 * usize::from(topic % 4 == 0) } else { 1 };
            for (meeting, [a, b]) in self.meetings().repeat(times) {
                let worth = [a, b].map(|m| level + self.seen * suits[m]);
                let places = (all.len(), topic, meeting);
                all.push(self.duel(&mut dice, places, [a, b], worth));
            }
        }
        all
    }

    /// Who meets whom on a topic, by places in `models`, each with its number among the meetings of the two.
    fn meetings(&self) -> Vec<(usize, [usize; 2])> {
        let count = self.models.len();
        if self.alone {
            return (0..count).map(|model| (0, [model, model])).collect();
        }
        let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b]));
        let both = |[a, b]: [usize; 2]| {
            let seats = match (self.swapped, self.personas) {
                (false, _) => vec![[a, b]; 2],
                (true, Personas::InTurn) => vec![[a, b], [a, b], [b, a], [b, a]],
                (true, _) => vec![[a, b], [b, a]],
            };
            seats.into_iter().enumerate()
        };
        pairs.flat_map(both).collect()
    }

    fn duel(
        &self,
        dice: &mut Dice,
        (n, topic, meeting): (usize, usize, usize),
        who: [usize; 2],
        worth: [f64; 2],
    ) -> Facts {
        let mut facts = blank("duel", n, topic);
        let tokens = [0, 1].map(|seat| {
            let longer = if who[seat] == 0 { self.wordy } else { 0.0 };
            300.0 * (longer + dice.normal(0.5)).exp()
        });
        let personas = |seat: usize| match self.personas {
            Personas::OfSeats => seat,
            Personas::OfModels => usize::from(who[seat] > 0),
            Personas::InTurn => (seat + meeting) % 2,
        };
        let better = |seat: usize| self.better.get(who[seat]).copied().unwrap_or(0.0);
        let worth = [0, 1].map(|seat| {
            let better = better(seat) - self.contrast * better(1 - seat);
            let of_seat = if seat == 0 { self.seat } else { 0.0 };
            let persona = if personas(seat) == 0 { self.persona } else { 0.0 };
            let length = self.length * (tokens[seat] / 300.0_f64).ln();
            let seen = better + of_seat + persona + length + dice.normal(0.7);
            5.0 + worth[seat] + self.seen * seen
        });
        let person = |seat: usize| {
            let (id, name) = [("agent_a", "A"), ("agent_b", "B")][seat];
            Person {
                persona: Some(["scientist", "philosopher"][personas(seat)].into()),
                tokens: tokens[seat] as u64,
                first: seat == 0,
                last: seat == 1,
                ..somebody(id, name, self.models[who[seat]])
            }
        };
        facts.people = [person(0), person(1)].into();
        facts.private.cell = [0, 1]
            .map(|seat| cell(["agent_a.model", "agent_b.model"][seat], self.models[who[seat]]))
            .into();
        if self.personas == Personas::InTurn {
            let meeting = ("meeting".into(), meeting.to_string().as_str().into());
            facts.private.cell = facts.private.cell.iter().cloned().chain([meeting]).collect();
        }
        self.judge(dice, &mut facts, worth);
        facts.winner = winner(&facts);
        if self.unscored {
            facts.scores = [].into();
        }
        facts
    }

    fn judge(&self, dice: &mut Dice, facts: &mut Facts, worth: [f64; 2]) {
        let (mut readings, mut scores) = (Vec::new(), Vec::new());
        let first_model = self.models[0];
        for (number, judge) in self.judges.iter().enumerate() {
            let last = number + 1 == self.judges.len();
            let silent =
                self.absent && last && facts.people[0].model.as_deref() == Some(first_model);
            let taste = [0, 1].map(|_| dice.normal(0.4));
            for order in [[0, 1], [1, 0]] {
                let status = if silent { ReadingStatus::Invalid } else { ReadingStatus::Valid };
                let mut reading = reading(Kind::Verdict, judge, &order, status);
                if silent {
                    readings.push(reading);
                    continue;
                }
                let totals = order.map(|place| {
                    let seat = usize::from(place);
                    let model = facts.people[seat].model.as_deref();
                    let own = model.is_some_and(|model| family(judge) == family(model));
                    let read_first = if order[0] == place { 1.0 } else { -1.0 };
                    let order_worth =
                        [self.first_read, -self.first_read].get(number).copied().unwrap_or(0.0);
                    let given = (worth[seat] - 5.0) * (1.0 + self.wider * number as f64)
                        + 5.0
                        + taste[seat]
                        + if own { self.own } else { 0.0 }
                        + if last { self.lenient } else { 0.0 }
                        + read_first * order_worth
                        + dice.normal(0.2);
                    given.clamp(0.0, 10.0)
                });
                reading.totals = (!self.unscored).then_some(totals);
                scores.extend(order.into_iter().zip(totals).map(|(about, value)| Score {
                    reading: readings.len() as u16,
                    about,
                    criterion: None,
                    value,
                }));
                readings.push(reading);
            }
        }
        facts.readings = readings.into();
        facts.scores = scores.into();
    }

    fn findings(&self, seed: u64) -> Findings {
        found(self.debates(seed))
    }
}

fn family(model: &str) -> &str {
    model.split('-').next().unwrap_or_default()
}

fn cell(path: &str, model: &str) -> (Text, Text) {
    (path.into(), format!("\"{model}\"").as_str().into())
}

fn reading(kind: Kind, judge: &str, order: &[u8], status: ReadingStatus) -> Reading {
    Reading {
        kind,
        round: u32::from(kind == Kind::Ballot),
        judge: judge.into(),
        model: Some(judge.into()),
        status,
        generous: false,
        keep: None,
        order: order.into(),
        tokens: None,
        totals: None,
    }
}

pub(crate) fn somebody(id: &str, name: &str, model: &str) -> Person {
    Person {
        id: id.into(),
        name: name.into(),
        position: "".into(),
        persona: None,
        model: Some(model.into()),
        contestant: true,
        first: false,
        last: false,
        statements: 4,
        fallbacks: 0,
        emergencies: 0,
        cuts: 0,
        declined: 0,
        tokens: 400,
        points: None,
        argued: None,
    }
}

fn private() -> Private {
    let job = "planted".into();
    Private { cause: None, job, tags: [].into(), cell: [].into(), settings: "".into() }
}

/// A debate in which nothing happened.
pub(crate) fn blank(format: &str, n: usize, topic: usize) -> Facts {
    Facts {
        panels: [].into(),
        labels: None,
        id: format!("{n:064x}").into(),
        status: Status::Done,
        private: private(),
        rehearsal: false,
        plan: "2".into(),
        format: format.into(),
        topic: format!("Topic {topic}?").as_str().into(),
        repetition: 1,
        seed: 1,
        started_at: DateTime::UNIX_EPOCH + TimeDelta::minutes(n as i64),
        people: [].into(),
        digests: [].into(),
        ancestors: [].into(),
        criteria: [].into(),
        scale: Some((0, 10)).filter(|_| format == "duel"),
        rubric: None,
        readings: [].into(),
        scores: [].into(),
        line: None,
        has_winner: format == "duel",
        winner: None,
        own_winner: None,
        weak: None,
        rounds: 4,
        rounds_ms: [].into(),
        rotations: 0,
        stints: [].into(),
        leading: [].into(),
        consensus: None,
        early: None,
        auto_score: None,
        open: None,
        comparison: None,
        quality_score: None,
        audience: None,
        rating: None,
        answer: None,
        used: [].into(),
        gaps: [].into(),
        calls: [].into(),
        model_ms: 1_000,
        wall_ms: Some(1_000),
        incidents: [].into(),
        read_as: [].into(),
    }
}

/// Who has the higher mean total at two decimals.
fn winner(facts: &Facts) -> Option<Winner> {
    let sum = |place: u8| -> f64 {
        let own = facts.scores.iter().filter(|score| score.about == place);
        own.map(|score| score.value).sum()
    };
    let rounded = [0, 1].map(|place| (sum(place) * 100.0 / 6.0).round());
    Some(match rounded[0].total_cmp(&rounded[1]) {
        std::cmp::Ordering::Greater => Winner::Person(0),
        std::cmp::Ordering::Less => Winner::Person(1),
        std::cmp::Ordering::Equal => Winner::Draw,
    })
}

/// What the shipped statistics find.
pub(crate) fn found(debates: Vec<Facts>) -> Findings {
    found_of(&corpus(debates), Vec::new())
}

/// Debates as they are read.
pub(crate) fn corpus(debates: Vec<Facts>) -> Corpus {
    let debates = debates
        .into_iter()
        .enumerate()
        .map(|(n, facts)| Debate { dir: PathBuf::from(format!("{n:04}")), facts: Box::new(facts) });
    Corpus { debates: debates.collect(), ..Corpus::default() }
}

/// What the shipped statistics find of the debates that pass.
pub(crate) fn found_of(corpus: &Corpus, filters: Vec<Filter>) -> Findings {
    let question = Question {
        // All debates together.
        breakdowns: vec![Vec::new()],
        filters,
        verdicts: rebut::stats::verdicts::Verdicts::Own,
        rehearsals: false,
        seed: 1,
        command: "rebut stats".to_owned(),
        asked_at: DateTime::UNIX_EPOCH,
    };
    findings(corpus, &question, |path| Place { path: path.display().to_string(), page: false })
}

/// Words of sentences that claim a difference between models.
const VERDICTS: [&str; 4] = [" leads ", " scores ", "ahead of", "Shown to be weaker"];
/// Words of sentences that claim an effect on judges or debates, none of which is planted where models are equal.
const EFFECTS: [&str; 4] =
    ["the side named", "own family by", "twice the length", "the first speaker has"];

fn has_any(sentences: &[String], words: &[&str]) -> bool {
    let holds = |sentence: &String| words.iter().any(|word| sentence.contains(word));
    sentences.iter().any(holds)
}

fn has_verdict(found: &Findings) -> bool {
    has_any(&found.headlines, &VERDICTS)
}

/// Whether the scores of two equal models differ, both of which met a better one, with a share of all debates missing.
fn contrast(seed: u64, missing: f64) -> Option<bool> {
    let world = World {
        models: THREE.to_vec(),
        personas: Personas::InTurn,
        better: [1.0, 0.0],
        contrast: 0.5,
        ..World::default()
    };
    let mut dice = Dice::new(!seed);
    let mut debates = world.debates(seed);
    debates.retain(|_| dice.uniform() >= missing);
    let found = found(debates);
    let mut pairs = found.comparisons.iter().flat_map(|it| &it.pairs);
    let equal = pairs.find(|pair| [&*pair.a, &*pair.b] == THREE[1..])?;
    Some(equal.clear)
}

fn verdict(world: &World, seed: u64) -> Option<bool> {
    Some(has_verdict(&world.findings(seed)))
}

/// Judges agree by more than 0.667 in all these worlds.
fn says_falsely(world: &World, seed: u64) -> Option<bool> {
    let found = world.findings(seed);
    let caution =
        has_any(&found.cautions, &EFFECTS) || has_any(&found.cautions, &["agree too little"]);
    Some(has_verdict(&found) || caution)
}

fn told(world: &World, seed: u64, words: &str) -> Option<bool> {
    Some(has_any(&world.findings(seed).cautions, &[words]))
}

/// Knockouts of two models in both roles, whose debaters are judged by their own team.
fn ballots(seed: u64) -> Option<bool> {
    let mut dice = Dice::new(seed);
    let mut all = Vec::new();
    for topic in 0..40 {
        let level = dice.normal(0.3);
        for [x, y] in [[0, 1], [1, 0]] {
            let mut facts = blank("knockout", all.len(), topic);
            let ids = ["position_x", "position_y_1", "position_y_2"];
            let models = [TWO[x], TWO[y], TWO[y]];
            facts.people = [0, 1, 2].map(|at| somebody(ids[at], ids[at], models[at])).into();
            let lenient = if y == 0 { 0.6 } else { 0.0 };
            facts.readings = [reading(Kind::Ballot, TWO[y], &[1], ReadingStatus::Valid)].into();
            let value = (3.0 + level + lenient + dice.normal(0.5)).clamp(1.0, 5.0);
            facts.scores = [Score { reading: 0, about: 1, criterion: None, value }].into();
            facts.private.cell = [cell("x.model", TWO[x]), cell("y.model", TWO[y])].into();
            all.push(facts);
        }
    }
    Some(has_verdict(&found(all)))
}

/// On each of 40 topics each of three models debates itself. The first is better and the second worse than the third by half of what
/// is planted.
fn detectable(seed: u64) -> Option<bool> {
    let world = |better| World { models: THREE.to_vec(), alone: true, better, ..World::default() };
    let planted = smallest();
    let found = world([planted / 2.0, -planted / 2.0]).findings(seed);
    let pairs = &found.comparisons[0].pairs;
    let pair = pairs.iter().find(|pair| pair.a == TWO[0] && pair.b == TWO[1])?;
    Some(pair.clear)
}

/// What the report calls detectable, over corpora of equal models whose seeds no trial takes.
fn smallest() -> f64 {
    static SMALLEST: std::sync::OnceLock<f64> = std::sync::OnceLock::new();
    *SMALLEST.get_or_init(|| {
        let world = World { models: THREE.to_vec(), alone: true, ..World::default() };
        let of = |seed: u64| -> Vec<f64> {
            let found = world.findings(u64::MAX - seed);
            let pairs = found.comparisons[0].pairs.iter();
            pairs.filter_map(|pair| Some(pair.found.detectable?.powi(2))).collect()
        };
        let squares: Vec<f64> = (0..24).flat_map(of).collect();
        (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
    })
}

fn better(seed: u64) -> Option<bool> {
    let world = World { better: [1.0, 0.0], ..World::default() };
    let found = world.findings(seed);
    let leads = found.headlines[0].starts_with("llama-8 leads mistral-7 by ");
    Some(leads && has_any(&found.headlines, &["llama-8 scores "]))
}

/// Two judges that hardly prefer a slot, each another one.
fn slight(seed: u64) -> Option<bool> {
    let world = World { first_read: 0.06, ..World::default() };
    let found = world.findings(seed);
    let told = "gemma-2 as a judge of duel debates favours the side named first, by 0.";
    Some(has_any(&found.cautions, &[told]))
}

fn opposite(seed: u64) -> Option<bool> {
    let world = World { first_read: 0.4, ..World::default() };
    let found = world.findings(seed);
    let both = PANEL[..2].iter().all(|judge| {
        let words = format!("{judge} as a judge of duel debates favours the side named");
        has_any(&found.cautions, &[&words])
    });
    Some(both)
}

/// Knockouts of ten stints on each of 40 topics; a stint ends with a chance of 0.25 a round, which its topic shifts by 1.0 in log-odds.
fn survival(seed: u64) -> Option<bool> {
    let mut dice = Dice::new(seed);
    let mut all = Vec::new();
    for topic in 0..40 {
        let odds = (dice.normal(1.0) - 3.0_f64.ln()).exp();
        for _ in 0..10 {
            let ends = |dice: &mut Dice| dice.uniform() * (1.0 + odds) < odds;
            let last = (1..=6).find(|_| ends(&mut dice));
            let mut facts = blank("knockout", all.len(), topic);
            facts.people = [somebody("position_y_1", "Y-1", TWO[0])].into();
            facts.stints =
                [Stint { who: 0, rounds: last.unwrap_or(6), ended: last.is_some() }].into();
            all.push(facts);
        }
    }
    let steps = found(all).survival?.steps;
    let third = steps.iter().find(|step| step.round == 3)?;
    // The mean of (1 - p)³ over topics.
    let at = |z: f64| (1.0 + (z - 3.0_f64.ln()).exp()).powi(-3);
    let grid = || (-600..=600).map(|step| f64::from(step) / 100.0);
    let density = |z: f64| (-z * z / 2.0).exp();
    let truth = grid().map(|z| at(z) * density(z)).sum::<f64>() / grid().map(density).sum::<f64>();
    Some(third.low? <= truth && truth <= third.high?)
}

/// Ten topics with ten debates each, of which those of a topic are all done or all degraded, done with a chance of 0.9.
fn constant(seed: u64) -> Option<bool> {
    let mut dice = Dice::new(seed);
    let done: Vec<bool> = (0..10).map(|_| dice.uniform() < 0.9).collect();
    if done.contains(&false) {
        return None;
    }
    let found = found((0..100).map(|n| blank("duel", n, n % 10)).collect());
    let measures = &found.breakdowns[0].groups[0].measures;
    let done = &measures.iter().find(|measure| measure.name == "done")?.estimate;
    Some(done.low? <= 0.9 && 0.9 <= done.high?)
}

/// Models that differ by nothing to much: the first sentence says that one leads where somebody is surely above the second, and
/// only there.
fn agree(seed: u64) -> Option<bool> {
    let better = (seed % 10) as f64 / 10.0;
    let world = World { models: THREE.to_vec(), better: [better, 0.0], ..World::default() };
    let found = world.findings(seed);
    let second = &found.leaderboards.strengths[0].rows[1].rating;
    let leads = found.headlines[0].contains(" leads ");
    let level = found.headlines[0].starts_with("No model is shown to be ");
    Some(leads != level && leads == (second.rank_best? > 1))
}
