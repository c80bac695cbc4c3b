//! Whose verdicts count: those of the debates' own judges, or a panel's in their place.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use super::panels::short_id;
use super::read::Corpus;
use crate::event::Vote;
use crate::facts::panels::{PanelFacts, PanelSeat, SeatReading};
use crate::facts::{ComparedFacts, Facts, Kind, Reading, Score, Text, Winner};
use crate::id;
use crate::trace::DEBATE_ARM;
use statistics::groups::tally;

/// The debates' own judges, as a source of verdicts.
pub(crate) const OWN: &str = "own";
/// People, as a source of verdicts.
pub(super) const PEOPLE: &str = "human";

/// A source of verdicts in words: `people`, `own judges`, `panel house`; any other as it is.
pub fn in_words(source: &str) -> String {
    match source {
        PEOPLE => "people".to_owned(),
        OWN => "own judges".to_owned(),
        _ => source.replacen("panel:", "panel ", 1),
    }
}

/// The same in a sentence: `people`, `the debates' own judges`, `the panel house`.
pub(super) fn in_sentence(source: &str) -> String {
    match source {
        OWN => "the debates' own judges".to_owned(),
        _ if source.starts_with("panel:") => format!("the {}", in_words(source)),
        _ => in_words(source),
    }
}

/// Whose verdicts count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Verdicts {
    /// Those of the debates' own judges.
    #[default]
    Own,
    /// A panel's, by its name and the beginning of its id: another panel of the same name asked others, or something else.
    Panel {
        /// The name.
        name: String,
        /// What the id begins with; empty for any.
        id: String,
    },
    /// What most people say who read the debates on label sheets.
    Human,
}

impl FromStr for Verdicts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == OWN => Ok(Self::Own),
            None if text == PEOPLE => Ok(Self::Human),
            Some(("panel", named)) if !named.is_empty() => {
                let with_id = named.rsplit_once('@').filter(|(_, id)| id::may_be(id));
                let (name, id) = with_id.unwrap_or((named, ""));
                let [name, id] = [name, id].map(str::to_owned);
                Ok(Self::Panel { name, id })
            }
            _ => Err("use own, human, panel:NAME or panel:NAME@ID".to_owned()),
        }
    }
}

impl fmt::Display for Verdicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own => f.write_str(OWN),
            Self::Human => f.write_str(PEOPLE),
            Self::Panel { name, id } if id.is_empty() => write!(f, "panel:{name}"),
            Self::Panel { name, id } => write!(f, "panel:{name}@{id}"),
        }
    }
}

impl Verdicts {
    /// The panels that these verdicts could be of, each under a name of its own, with their numbers of debates: several if panels of
    /// one name differ.
    pub fn panels<'c>(&self, debates: impl Iterator<Item = &'c Facts>) -> Vec<(Self, usize)> {
        let Self::Panel { name, id } = self else { return Vec::new() };
        let ids = |facts: &'c Facts| {
            let own = facts.panels.iter().filter(|it| it.is_of(name, id));
            own.map(|it| &*it.id).collect::<BTreeSet<&str>>()
        };
        let each = tally(debates.flat_map(ids)).into_iter();
        let named = |id: &str| Self::Panel { name: name.clone(), id: short_id(id).to_owned() };
        each.map(|(id, debates)| (named(id), debates)).collect()
    }

    /// Puts these verdicts in the place of the debates' own. Debates without one are set aside, unless an answer is what counts of
    /// them; returns how many.
    pub fn choose(&self, corpus: &mut Corpus) -> usize {
        let without = corpus.debates.extract_if(.., |debate| {
            let facts = &mut debate.facts;
            let has_verdict = match self {
                Self::Own => true,
                Self::Panel { name, id } => put_panel(facts, name, id).is_some(),
                Self::Human => put_people(facts).is_some(),
            };
            !has_verdict && debate.facts.answer.is_none()
        });
        let before = corpus.aside.len();
        corpus.aside.extend(without);
        corpus.aside.len() - before
    }
}

/// Takes for the winner whom most people have ahead. They give no scores, and those of judges do not count.
fn put_people(facts: &mut Facts) -> Option<()> {
    let labels = facts.labels.as_ref()?;
    if labels.answers {
        put_comparison(facts, ComparedFacts::by_people(labels.winner()?));
        return Some(());
    }
    let side = |place: usize| {
        let side = &labels.candidates[place];
        let is_team = side.iter().any(|place| facts.is_of_team(*place));
        if is_team { Some(Winner::Team) } else { side.first().copied().map(Winner::Person) }
    };
    let winner = match labels.winner()? {
        Vote::P => side(0)?,
        Vote::Q => side(1)?,
        Vote::Tie => Winner::Draw,
    };
    (facts.winner, facts.weak) = (Some(winner), None);
    facts.has_winner = true;
    (facts.readings, facts.scores) = (Box::default(), Box::default());
    Some(())
}

/// Takes a comparison for that of the debate's own judges. That of a control has no first answer.
fn put_comparison(facts: &mut Facts, compared: ComparedFacts) {
    let arm = facts.open.as_ref().map(|open| &*open.arm);
    if arm == Some(DEBATE_ARM) {
        facts.comparison = Some(compared);
    }
}

/// Takes a panel's winner, readings and scores for the debate's own; of two answers, which is better: what a debate's judges score
/// is the final one alone, which no panel does. What judges of a team's rounds gave does not count either.
fn put_panel(facts: &mut Facts, name: &str, id: &str) -> Option<()> {
    let panel = &facts.panel(name, id)?.clone();
    if let Some(compared) = panel.compared() {
        put_comparison(facts, compared);
        return Some(());
    }
    (facts.winner, facts.weak) = (panel.winner, None);
    facts.has_winner = true;
    facts.criteria.clone_from(&panel.criteria);
    facts.scale = panel.scale;
    facts.rubric = Some(panel.id.clone());
    let voting = panel.seats.iter().filter(|seat| seat.may_vote());
    let first: Vec<(&PanelSeat, &SeatReading)> = voting
        .flat_map(|seat| seat.readings.iter().map(move |it| (seat, it)))
        .filter(|(_, reading)| reading.repeat == 1)
        .collect();
    let readings = first.iter().map(|(seat, it)| reading(panel, seat, it));
    facts.readings = readings.collect();
    let each = (0..).zip(&first);
    facts.scores = each.flat_map(|(number, (_, it))| scores(panel, number, it)).collect();
    Some(())
}

fn reading(panel: &PanelFacts, seat: &PanelSeat, it: &SeatReading) -> Reading {
    let [p, q] = &panel.candidates;
    let first = usize::from(it.first);
    let order = [[p, q], [q, p]][first];
    Reading {
        kind: Kind::Verdict,
        round: 0,
        judge: Text::from(&*format!("{}/{}", panel.name, seat.judge)),
        model: Some(seat.model.clone()),
        status: it.status,
        generous: it.generous,
        keep: None,
        order: order.into_iter().flatten().copied().collect(),
        tokens: None,
        totals: it.totals.map(|totals| [totals[first], totals[1 - first]]),
    }
}

/// What a reading gave to both; nothing if one of them is a team, whose scores are nobody's.
fn scores(panel: &PanelFacts, reading: u16, it: &SeatReading) -> Vec<Score> {
    let ([p], [q]) = (&*panel.candidates[0], &*panel.candidates[1]) else { return Vec::new() };
    let score = |about: u8, criterion, value| Score { reading, about, criterion, value };
    let totals = it
        .totals
        .into_iter()
        .flat_map(|[of_p, of_q]| [score(*p, None, of_p), score(*q, None, of_q)]);
    let each = it.scores.iter().flat_map(|s| {
        let criterion = Some(s.criterion);
        [score(*p, criterion, s.p), score(*q, criterion, s.q)]
    });
    totals.chain(each).collect()
}
