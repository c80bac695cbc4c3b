//! Whether judges run on the models they judge, or have the persona of one side: they may favour it.

use crate::job::models::model_name::same_model;
use crate::job::participant::Participant;
use crate::plan::Plan;
use crate::text;

/// How far a judge shares its model with those who debate before it. The larger, the more it may distort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sharing {
    /// With none of them.
    None,
    /// With all of them: it can favour nobody, but may miss what they all miss.
    All,
    /// With some and not with others: it may favour those.
    Some,
}

impl Sharing {
    /// From whether each of those who debate, the judge itself omitted, is on the judge's model.
    pub fn among(each: impl IntoIterator<Item = bool>) -> Self {
        let (mut same, mut other) = (false, false);
        for is_same in each {
            same |= is_same;
            other |= !is_same;
        }
        match (same, other) {
            (false, _) => Sharing::None,
            (true, false) => Sharing::All,
            (true, true) => Sharing::Some,
        }
    }
}

/// Everyone who judges in a planned debate, and how far its model is shared. Names decide: what stands behind them is not
/// known before the debate.
pub fn planned(plan: &Plan) -> Vec<(&Participant, Sharing)> {
    let (judges, format) = (plan.who_judges().into_iter(), plan.format.profile);
    let sharing = |judge: &Participant| {
        let heard = plan
            .participants
            .iter()
            .filter(|p| (format.argues(p) || format.answers(p)) && p.id != judge.id);
        Sharing::among(heard.map(|p| same_model(&p.model, &judge.model)))
    };
    judges.map(|judge| (judge, sharing(judge))).collect()
}

/// A name and a persona.
pub type Persona<'a> = (&'a str, Option<&'a str>);

/// The judges with the persona of some who debate but not of all: `Judge-2 has the same persona as Ann (engineer) …`.
pub fn like_minded<'a>(
    judges: impl IntoIterator<Item = Persona<'a>>,
    debaters: &[Persona<'a>],
) -> Vec<String> {
    let told = |(judge, own): Persona<'a>| {
        let persona = own?;
        let same = debaters.iter().filter(|(_, its)| *its == own).map(|(name, _)| *name);
        let sharing = Sharing::among(debaters.iter().map(|(_, its)| *its == own));
        (sharing == Sharing::Some).then(|| {
            format!(
                "{judge} has the same persona as {} ({persona}) and may favour that side",
                text::joined(same, "and")
            )
        })
    };
    judges.into_iter().filter_map(told).collect()
}

/// What is to be distrusted where a team has two members.
pub const ONE_VOTER: &str = "the team has two members, so a single teammate decides each vote";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s4_some_is_neither_all_nor_none() {
        assert_eq!(Sharing::among([]), Sharing::None);
        assert_eq!(Sharing::among([false, false]), Sharing::None);
        assert_eq!(Sharing::among([true]), Sharing::All);
        assert_eq!(Sharing::among([true, true]), Sharing::All);
        assert_eq!(Sharing::among([false, true]), Sharing::Some);
        assert!(Sharing::Some > Sharing::All && Sharing::All > Sharing::None);
    }
}
