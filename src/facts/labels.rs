//! People's answers on label sheets, as statistics need them.

use serde::Deserialize;
use serde_tuple::Serialize_tuple;

use super::text::Text;
use crate::event::{Preference, Vote, Votes};
use crate::panel::candidates::two_answers;
use crate::trace::{Label, Trace};

/// What people said of one debate.
#[derive(Debug, Clone, PartialEq, Serialize_tuple, Deserialize)]
pub struct LabelFacts {
    /// The places of the two sides in `people`: of a team, of all in it; of answers, none.
    pub candidates: [Box<[u8]>; 2],
    /// Whether two answers were compared, and no sides.
    pub answers: bool,
    /// What was said, in the order in which it came.
    pub said: Box<[Said]>,
}

/// What one person said, one time.
#[derive(Debug, Clone, PartialEq, Serialize_tuple, Deserialize)]
pub struct Said {
    /// Who, by a code.
    pub rater: Text,
    /// The label sheet.
    pub sheet: Text,
    /// Which time the debate stood on it, from 1.
    pub repeat: u32,
    /// The chance with which it was drawn; `None` where it was picked.
    pub chance: Option<f64>,
    /// Who is ahead; `None` where the person cannot say.
    pub vote: Option<Vote>,
    /// What it was drawn from; `None` if debates were named.
    pub frame: Option<DrawnFrom>,
}

/// The debates that some were drawn from.
#[derive(Debug, Clone, PartialEq, Serialize_tuple, Deserialize)]
pub struct DrawnFrom {
    /// Their number.
    pub debates: u64,
    /// The options that restricted them, such as `--where format=duel`.
    pub options: Text,
}

impl LabelFacts {
    /// Each person's vote: the first time counts.
    pub fn votes(&self) -> Vec<(&Text, Vote)> {
        let mut votes: Vec<(&Text, Vote)> = Vec::new();
        for said in self.said.iter().filter(|said| said.repeat == 1) {
            let known = votes.iter().any(|(rater, _)| **rater == said.rater);
            if let Some(vote) = said.vote.filter(|_| !known) {
                votes.push((&said.rater, vote));
            }
        }
        votes
    }

    /// Whom people have ahead: a side with more votes than the other and than there are ties; `None` where nobody can say.
    pub fn winner(&self) -> Option<Vote> {
        Votes::count(self.votes().into_iter().map(|(_, vote)| vote)).winner(1).0
    }

    /// The largest chance with which it was drawn; `None` where it was only picked.
    pub fn chance(&self) -> Option<f64> {
        self.said.iter().filter_map(|said| said.chance).max_by(f64::total_cmp)
    }

    /// Whether all in it can be: what was not made from a trace just now may hold anything.
    pub(super) fn is_sound(&self, people: usize) -> bool {
        let person = |place: &u8| usize::from(*place) < people;
        let chance = |said: &Said| said.chance.is_none_or(|chance| chance > 0.0 && chance <= 1.0);
        self.candidates.iter().flatten().all(person) && self.said.iter().all(chance)
    }
}

/// What people said of a debate. `places` gives the places of a participant or a team.
pub(super) fn of<R>(
    trace: &Trace<R>,
    places: impl Fn(&str) -> Option<Box<[u8]>>,
) -> Option<LabelFacts> {
    let answers = two_answers(trace).is_some();
    let mut all = trace.preferences().peekable();
    let (_, first) = all.peek()?;
    let [p, q] = &first.candidates;
    Some(LabelFacts {
        candidates: if answers { <[_; 2]>::default() } else { [places(p)?, places(q)?] },
        answers,
        said: all.map(|(label, own)| said(label, own)).collect(),
    })
}

fn said(label: &Label, own: &Preference) -> Said {
    let value = label.value.as_str();
    let [p, q] = own.candidates.each_ref().map(|side| Some(side.as_str()));
    let vote = match value {
        value if value == p => Some(Vote::P),
        value if value == q => Some(Vote::Q),
        Some("tie" | "both_bad") => Some(Vote::Tie),
        _ => None,
    };
    Said {
        rater: (*own.rater).into(),
        sheet: (*own.sheet).into(),
        repeat: own.repeat,
        chance: own.sampling.probability.filter(|chance| *chance > 0.0 && *chance <= 1.0),
        vote,
        frame: own
            .sampling
            .frame
            .as_ref()
            .map(|frame| DrawnFrom { debates: frame.debates, options: (*frame.options).into() }),
    }
}
