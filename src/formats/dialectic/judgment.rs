//! The score of the final answer (row T6): each judge's score, and the total.

use serde_json::json;

use super::super::own_judges::OwnJudges;
use super::settings::{Dialectic, SCALE, SYNTHESIZER};
use crate::event::{AutoScore, Reading, Score, Statement, Verdict};
use crate::floor::{Floor, Result};

/// The key under which a judge says whether the answer would be a good training example.
const FINETUNE: &str = "would_benefit_from_finetune";

/// Asks the judges to score the final answer; `None` without a valid score. They see only the question and the answer, so
/// that the skeptic's score does not sway them.
pub(super) async fn score(
    floor: &Floor,
    settings: &Dialectic,
    answer: &Statement,
) -> Result<Option<AutoScore>> {
    let judges = floor.plan().judges();
    let judges = OwnJudges {
        judges: &judges,
        contestants: &[SYNTHESIZER],
        criteria: &settings.criteria,
        scale: SCALE,
        both_orders: false,
        template: "prompts/dialectic/score.md.j2",
        context: json!({"answer": answer.text}),
        blind: true,
        reason: "justification",
        more: json!({FINETUNE: {"type": "boolean"}}),
    };
    Ok(of(&judges.decide(floor).await?, |id| floor.plan().name_of(id)))
}

fn of<'v>(verdict: &'v Verdict, name: impl Fn(&'v str) -> &'v str) -> Option<AutoScore> {
    let Score { total, breakdown } = verdict.scores().remove(SYNTHESIZER)?;
    let says_so = |reading: &&Reading| reading.marks.get(FINETUNE) == Some(&true);
    let yes = verdict.valid().filter(says_so).count();
    Some(AutoScore {
        score: total,
        breakdown,
        judges: verdict.heard().count(),
        justification: justification(verdict, name),
        would_benefit_from_finetune: yes * 2 > verdict.valid().count(),
    })
}

fn justification<'v>(verdict: &'v Verdict, name: impl Fn(&'v str) -> &'v str) -> String {
    let judges = verdict.judges.iter();
    let reasons = judges.filter_map(|judge| {
        let reason = &judge.valid().next()?.reason;
        Some(match verdict.judges.len() {
            1 => reason.clone(),
            _ => format!("{}: {reason}", name(&judge.judge.id)),
        })
    });
    reasons.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::event::{Judge, ReadingStatus, Rubric, VerdictJudge};

    /// A verdict of judges with these scores for correctness and depth, and their word on whether training would help.
    fn verdict(given: &[Option<(f64, f64, bool)>]) -> Verdict {
        let reading = |given: &Option<(f64, f64, bool)>| Reading {
            order: vec![SYNTHESIZER.to_owned()],
            status: given.map_or(ReadingStatus::Invalid, |_| ReadingStatus::Valid),
            scores: given.map_or_else(BTreeMap::new, |(correctness, depth, _)| {
                BTreeMap::from([("correctness".into(), correctness), ("depth".into(), depth)])
            }),
            totals: given.map_or_else(BTreeMap::new, |(correctness, depth, _)| {
                BTreeMap::from([(SYNTHESIZER.into(), correctness * 0.75 + depth * 0.25)])
            }),
            marks: given.map_or_else(BTreeMap::new, |(_, _, mark)| {
                BTreeMap::from([(FINETUNE.into(), mark)])
            }),
            reason: "It holds.".to_owned(),
            ..Reading::default()
        };
        let judge = |(n, given): (usize, &Option<(f64, f64, bool)>)| VerdictJudge {
            judge: Judge { kind: "model".to_owned(), id: format!("judge_{}", n + 1), model: None },
            readings: vec![reading(given)],
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
            judges: given.iter().enumerate().map(judge).collect(),
            winner: None,
            winner_reason: None,
            judging: None,
        }
    }

    fn score(given: &[Option<(f64, f64, bool)>]) -> Option<AutoScore> {
        of(&verdict(given), |id| id)
    }

    #[test]
    fn t6_the_score_is_the_mean_over_valid_judges_and_so_is_each_criterion() {
        let score = score(&[Some((8.0, 4.0, false)), None, Some((5.0, 5.0, false))]).unwrap();
        assert_eq!(score.score, 6.0);
        assert_eq!(score.breakdown["correctness"], 6.5);
        assert_eq!(score.breakdown["depth"], 4.5);
        assert_eq!(score.justification, "judge_1: It holds.\njudge_3: It holds.");
    }

    #[test]
    fn t6_it_is_a_good_example_where_more_than_half_of_the_valid_judges_say_so() {
        let said = |marks: &[Option<bool>]| {
            let given: Vec<_> = marks.iter().map(|mark| mark.map(|m| (5.0, 5.0, m))).collect();
            score(&given).map(|score| score.would_benefit_from_finetune)
        };
        assert_eq!(said(&[Some(true), Some(true), Some(false)]), Some(true));
        assert_eq!(said(&[Some(true), Some(false)]), Some(false));
        assert_eq!(said(&[Some(true), None, None]), Some(true));
        assert_eq!(said(&[None, None]), None);
    }
}
