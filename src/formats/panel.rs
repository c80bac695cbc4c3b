//! The judges of a whole debate: each scores every contestant on every criterion; totals, means and winner are ours.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::words;
use crate::call_id::{CallId, CallStage};
use crate::digest;
use crate::event::{EventKind, Reading, ReadingStatus, Rubric, Verdict, VerdictJudge, rounded};
use crate::floor::{Answer, Floor, Halt, Question, object};
use crate::job::criteria::{Criteria, Scale};
use crate::job::participant::Participant;
use crate::plan::Plan;
use crate::text;

/// What judges are asked.
pub(super) struct Panel<'a> {
    /// Who judges.
    pub(super) judges: &'a [&'a Participant],
    /// Who is judged, by id, in the order of the job.
    pub(super) contestants: &'a [&'a str],
    /// What is scored.
    pub(super) criteria: &'a Criteria,
    /// The least and the most of a score.
    pub(super) scale: Scale,
    /// The template of the task. It finds the contestants in this judge's order as `contestants`.
    pub(super) template: &'a str,
    /// What else the template may use.
    pub(super) context: Value,
    /// Whether the judges see no more than their task: what they judge stands in it.
    pub(super) blind: bool,
    /// The key of the reasons; it stands before `scores` in the alphabet.
    pub(super) reason: &'a str,
    /// Further keys of the reply with their schemas; they stand behind `scores` in the alphabet.
    pub(super) more: Value,
}

/// What the judges found.
pub(super) struct Decision {
    pub(super) verdict: Verdict,
    /// The judges' replies, in their order.
    pub(super) answers: Vec<Answer>,
}

/// A judge, the contestants in the order in which it sees them, and the call's name.
struct Asked<'a> {
    judge: &'a Participant,
    order: Vec<&'a str>,
    call: CallId,
}

impl Panel<'_> {
    /// Asks all judges at once, puts the verdict into the debate, and says who has the larger mean total (row O1). A debate
    /// without one valid judge falls short of its verdict.
    pub(super) async fn decide(&self, floor: &Floor) -> Result<Decision, Halt> {
        let asked: Vec<Asked<'_>> = (0..self.judges.len())
            .map(|n| self.asked(floor, n))
            .collect();
        let questions: Vec<Question<'_>> = asked.iter().map(|a| self.question(floor, a)).collect();
        let answers = floor.poll_finally(&questions).await?;
        let judges = asked
            .iter()
            .zip(&answers)
            .map(|(asked, answer)| VerdictJudge {
                judge: answer.judge(asked.judge),
                readings: vec![self.reading(answer, asked)],
            });
        let judges: Vec<VerdictJudge> = judges.collect();
        let verdict = self.verdict(floor, judges);
        floor.emit(EventKind::Verdict(verdict.clone()), None, None);
        if verdict.means().is_empty() {
            let calls: Vec<String> = asked.iter().map(|asked| asked.call.to_string()).collect();
            let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
            floor.fall_short(&calls, "no judge gave a valid verdict".to_owned())?;
        }
        Ok(Decision { verdict, answers })
    }

    /// Whoever the first judge reads first is drawn; each further judge begins with the next contestant, so that what order
    /// is worth cancels out in the means as far as the number of judges allows.
    fn asked(&self, floor: &Floor, number: usize) -> Asked<'_> {
        let judge = self.judges[number];
        let order = floor.draw_order("reading order", number, self.contestants);
        let call = CallId::new(CallStage::End, "verdict", &judge.id);
        Asked { judge, order, call }
    }

    fn question<'q>(&'q self, floor: &Floor, asked: &'q Asked<'_>) -> Question<'q> {
        let plan = floor.plan();
        let mut context = self.context.clone();
        context["contestants"] = asked
            .order
            .iter()
            .map(|id| json!(plan.participant(id)))
            .collect();
        Question {
            call: asked.call.clone(),
            by: &asked.judge.id,
            template: self.template,
            context,
            blind: self.blind,
            schema: self.schema(&asked.order),
        }
    }

    /// The shape of a reply, reasons first in declared and in alphabetical order.
    fn schema(&self, order: &[&str]) -> Value {
        let score = json!({"type": "integer", "minimum": self.scale.0, "maximum": self.scale.1});
        let names = self.criteria.keys();
        let criteria: Map<String, Value> =
            names.map(|name| (name.clone(), score.clone())).collect();
        let each = object(Value::Object(criteria));
        let scores = match order {
            [_] => each,
            several => {
                let by_contestant = several.iter().map(|id| ((*id).to_owned(), each.clone()));
                object(Value::Object(by_contestant.collect()))
            }
        };
        let reason = json!({"type": "string", "minLength": 8, "maxLength": 900});
        let mut properties = Map::from_iter([
            (self.reason.to_owned(), reason),
            ("scores".to_owned(), scores),
        ]);
        properties.extend(self.more.as_object().cloned().unwrap_or_default());
        object(Value::Object(properties))
    }

    fn reading(&self, answer: &Answer, asked: &Asked<'_>) -> Reading {
        let order = asked.order.as_slice();
        let ids = order.iter().map(|id| (*id).to_owned()).collect();
        let blank = answer.reading(ids, self.reason);
        if answer.status != ReadingStatus::Valid {
            return blank;
        }
        let (mut scores, mut totals) = (BTreeMap::new(), BTreeMap::new());
        for id in order {
            let (given, prefix) = match order {
                [_] => (&answer.value["scores"], String::new()),
                _ => (&answer.value["scores"][*id], format!("{id}.")),
            };
            let score = |name: &String| given[name].as_f64().unwrap_or_default();
            let weighted = self.criteria.iter().map(|(name, c)| c.weight * score(name));
            totals.insert((*id).to_owned(), rounded(weighted.sum()));
            let named = self
                .criteria
                .keys()
                .map(|name| (format!("{prefix}{name}"), score(name)));
            scores.extend(named);
        }
        let marks = answer.value.as_object().into_iter().flatten();
        let marks = marks.filter_map(|(key, value)| Some((key.clone(), value.as_bool()?)));
        Reading {
            marks: marks.collect(),
            scores,
            totals,
            ..blank
        }
    }

    fn verdict(&self, floor: &Floor, judges: Vec<VerdictJudge>) -> Verdict {
        let text = json!({"template": floor.template_digest(self.template), "criteria": self.criteria, "scale": self.scale});
        let rubric = Rubric {
            name: floor.plan().format.name().to_owned(),
            version: "1".to_owned(),
            digest: digest::of_json(&text),
            scale: Some(self.scale),
        };
        let mut verdict = Verdict {
            source: "own".to_owned(),
            rubric,
            judges,
            winner: None,
            winner_reason: None,
        };
        if self.contestants.len() > 1 {
            verdict.winner = winner(&verdict.means());
            verdict.winner_reason = verdict.winner.as_ref().map(|_| "totals".to_owned());
        }
        verdict
    }
}

/// Who has the larger mean at two decimals, `draw` where two are as large, nobody without means (row O1).
fn winner(means: &BTreeMap<String, f64>) -> Option<String> {
    let best = means.values().map(hundredths).max()?;
    let mut first = means.iter().filter(|(_, mean)| hundredths(mean) == best);
    let (id, _) = first.next()?;
    Some(if first.next().is_some() {
        "draw".to_owned()
    } else {
        id.clone()
    })
}

/// Below this margin a winner is ahead only narrowly, on a scale of ten.
const NARROW: f64 = 0.5;

/// A verdict in one line: `mistral (Ann) beats llama3 (Ben), 7.40 to 6.10`, `A draw between llama3 (Ann) and mistral (Ben),
/// 6.00 to 6.00`; of more than two, `mistral (Ann) wins with 7.40, ahead of llama3 (Ben) 6.10 and qwen3 (Cy) 5.00`.
pub(super) fn line(plan: &Plan, winner: &str, means: &BTreeMap<String, f64>) -> String {
    let mut ranked: Vec<(String, f64)> = means
        .iter()
        .map(|(id, mean)| (words::model_of(plan, id), *mean))
        .collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    match (winner, ranked.as_slice()) {
        ("draw", [(one, a), (other, b)]) => {
            format!("A draw between {one} and {other}, {a:.2} to {b:.2}")
        }
        ("draw", ranked) => draw_of_several(ranked),
        (_, [(one, a), (other, b)]) => {
            format!("{one} {}beats {other}, {a:.2} to {b:.2}", narrowly(a - b))
        }
        (_, [(one, a), rest @ ..]) => {
            let next = rest.first().map_or(*a, |(_, mean)| *mean);
            format!(
                "{one} wins with {a:.2}, {}ahead of {}",
                narrowly(a - next),
                scored(rest)
            )
        }
        (_, []) => words::NO_WINNER.to_owned(),
    }
}

/// `A draw of Ann and Ben with 7.40, ahead of Cy 5.00`.
fn draw_of_several(ranked: &[(String, f64)]) -> String {
    let best = ranked.first().map_or(0.0, |(_, mean)| *mean);
    let leading = |(_, mean): &&(String, f64)| hundredths(mean) == hundredths(&best);
    let first: Vec<&str> = ranked
        .iter()
        .filter(leading)
        .map(|(name, _)| name.as_str())
        .collect();
    let rest = &ranked[first.len()..];
    let behind = match rest {
        [] => String::new(),
        rest => format!(", ahead of {}", scored(rest)),
    };
    format!(
        "A draw between {} with {best:.2}{behind}",
        text::joined(&first, "and")
    )
}

fn scored(all: &[(String, f64)]) -> String {
    let all: Vec<String> = all
        .iter()
        .map(|(name, mean)| format!("{name} {mean:.2}"))
        .collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    text::joined(&all, "and")
}

fn narrowly(margin: f64) -> &'static str {
    if hundredths(&margin) < hundredths(&NARROW) {
        "narrowly "
    } else {
        ""
    }
}

/// Totals are compared at two decimals.
fn hundredths(mean: &f64) -> i64 {
    (mean * 100.0).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o1_the_larger_mean_wins_at_two_decimals_and_equal_ones_draw() {
        let winner = |a: f64, b: f64| winner(&[("a".to_owned(), a), ("b".to_owned(), b)].into());
        assert_eq!(winner(7.01, 7.0).as_deref(), Some("a"));
        assert_eq!(winner(7.004, 7.0).as_deref(), Some("draw"));
        assert_eq!(winner(6.0, 7.0).as_deref(), Some("b"));
        assert_eq!(super::winner(&BTreeMap::new()), None);
    }
}
