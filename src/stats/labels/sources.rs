//! Whose verdicts are compared with people's: the debates' own, panels', and those of panels' judges.

use std::collections::BTreeSet;
use std::fmt;

use crate::event::Vote;
use crate::facts::panels::PanelFacts;
use crate::facts::{Facts, Winner};
use crate::stats::counted_debates::View;
use crate::stats::panels::shown;
use crate::stats::verdicts::OWN;

/// A source of verdicts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// The debates' own outcomes.
    Own,
    /// A panel.
    Panel(Panel),
    /// A judge of a panel, by panel and model.
    Judge(Panel, String),
}

/// A panel, by its name and id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Panel {
    name: String,
    id: String,
    shown: String,
}

impl Panel {
    fn on<'f>(&self, facts: &'f Facts) -> Option<&'f PanelFacts> {
        facts.panel(&self.name, &self.id)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own => f.write_str(OWN),
            Self::Panel(panel) => write!(f, "panel:{}", panel.shown),
            Self::Judge(panel, model) => write!(f, "panel:{}/{model}", panel.shown),
        }
    }
}

impl Source {
    /// All that the debates have, single judges among them if wanted.
    pub(super) fn all(view: &View<'_>, judges: bool) -> Vec<Self> {
        let panels = || view.all().flat_map(|(_, facts)| &facts.panels);
        let known: BTreeSet<[&str; 2]> = panels().map(|it| [&*it.name, &*it.id]).collect();
        let known: Vec<[&str; 2]> = known.into_iter().collect();
        let mut all = BTreeSet::from([Self::Own]);
        for found in panels() {
            let panel = Panel {
                name: found.name.to_string(),
                id: found.id.to_string(),
                shown: shown([&found.name, &found.id], &known),
            };
            let seats = found.seats.iter().filter(|_| judges);
            all.extend(seats.map(|seat| Self::Judge(panel.clone(), seat.model.to_string())));
            all.insert(Self::Panel(panel));
        }
        all.into_iter().collect()
    }

    /// Whom it has ahead, under the keys of the debate's labels or, without labels, of the plan's order.
    pub(super) fn vote(&self, facts: &Facts) -> Option<Vote> {
        match self {
            Self::Own => match facts.own_comparison() {
                Some(compared) => compared.ahead(),
                None => won(facts, facts.own_winner?),
            },
            Self::Panel(panel) => {
                let panel = panel.on(facts)?;
                if panel.answers { panel.ahead } else { won(facts, panel.winner?) }
            }
            Self::Judge(panel, model) => {
                let mut seats = panel.on(facts)?.seats.iter();
                seats.find(|seat| *seat.model == **model)?.counted_vote()
            }
        }
    }
}

/// The places of a debate's two sides, in the order of the plan; `None` where answers are compared.
pub(super) fn sides(facts: &Facts) -> Option<[Vec<u8>; 2]> {
    if facts.profile().two_answers.is_some() {
        return None;
    }
    if let Some(labels) = &facts.labels {
        return Some(labels.candidates.each_ref().map(|side| side.to_vec()));
    }
    let mut sides: Vec<(bool, Vec<u8>)> = Vec::new();
    for (place, _) in facts.contestants() {
        let is_team = facts.is_of_team(place);
        match sides.iter_mut().find(|(team, _)| *team && is_team) {
            Some((_, side)) => side.push(place),
            None => sides.push((is_team, vec![place])),
        }
    }
    let [p, q] = <[(bool, Vec<u8>); 2]>::try_from(sides).ok()?;
    Some([p.1, q.1])
}

fn won(facts: &Facts, winner: Winner) -> Option<Vote> {
    let [p, q] = sides(facts)?;
    let is = |side: &[u8]| match winner {
        Winner::Person(place) => side.contains(&place),
        Winner::Team => side.iter().any(|place| facts.is_of_team(*place)),
        Winner::Draw => false,
    };
    match (is(&p), is(&q), winner) {
        (_, _, Winner::Draw) => Some(Vote::Tie),
        (true, false, _) => Some(Vote::P),
        (false, true, _) => Some(Vote::Q),
        _ => None,
    }
}
