//! Comparing the first answer with the final one (row T5). Each judge compares them blind and in both orders, so that readers
//! learn whether the debate helped.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::call_id::{CallId, CallStage};
use crate::event::{BetterAnswer, Judge, ReadingStatus, Statement};
use crate::floor::{Answer, Floor, Question, Result, object};
use crate::text::{self, answer_parts, room_for};

/// The answers that a judge can give.
const ANSWERS: [&str; 3] = ["text_1", "text_2", "equal"];

/// The judges' comparison of the two answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    better: BetterAnswer,
    /// Each judge's comparison.
    pub judges: Vec<Compared>,
}

/// One judge's comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// The judge.
    #[serde(flatten)]
    pub judge: Judge,
    /// The better answer; `None` without a valid reading.
    better: Option<BetterAnswer>,
    /// Whether the two orders led to different answers. If so, neither counts as better.
    pub changed_with_the_order: bool,
    /// The judge's comparisons, one per order.
    pub readings: Vec<Reading>,
}

/// One comparison in one order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The call.
    #[serde(default)]
    pub call: String,
    /// The answers in the order shown.
    pub order: [BetterAnswer; 2],
    status: ReadingStatus,
    /// The better answer; `None` if the reading is not valid.
    pub better: Option<BetterAnswer>,
    /// The reason.
    pub reason: String,
    cause: Option<String>,
    /// How the reply had to be read, as keywords.
    #[serde(default)]
    pub read_as: Vec<String>,
}

/// The two orders.
const ORDERS: [[BetterAnswer; 2]; 2] =
    [[BetterAnswer::First, BetterAnswer::Final], [BetterAnswer::Final, BetterAnswer::First]];

/// Asks the judges, who see neither the debate nor which answer is which. `None` without a valid reading.
pub(super) async fn compare(
    floor: &Floor,
    first: &Statement,
    last: &Statement,
) -> Result<Option<Comparison>> {
    let judges = floor.plan().judges();
    let schema = object(json!({
        "because": {"type": "string", "minLength": 8, "maxLength": room_for(60)},
        "better": {"type": "string", "enum": ANSWERS},
    }));
    let text = |which: &BetterAnswer| {
        let whole = if *which == BetterAnswer::First { &first.text } else { &last.text };
        answer_parts::plain(whole)
    };
    let asked = judges.iter().flat_map(|judge| ORDERS.map(|order| (judge, order)));
    let questions: Vec<Question<'_>> = asked
        .map(|(judge, order)| Question {
            call: called(&judge.id, order),
            by: &judge.id,
            template: "prompts/dialectic/compare.md.j2",
            context: json!({"texts": order.iter().map(text).collect::<Vec<_>>()}),
            blind: true,
            schema: schema.clone(),
        })
        .collect();
    let answers = floor.poll(&questions).await?;
    let pairs = judges.iter().zip(answers.chunks(ORDERS.len()));
    let judges = pairs.map(|(judge, pair)| Compared::of(pair[0].judge(judge), pair));
    Ok(Comparison::of(judges.collect()))
}

fn called(judge: &str, order: [BetterAnswer; 2]) -> CallId {
    let call = CallId::new(CallStage::End, "compare", judge);
    if order == ORDERS[0] { call } else { call.reversed() }
}

impl Reading {
    fn of(answer: &Answer, order: [BetterAnswer; 2]) -> Self {
        let better = match answer.value["better"].as_str() {
            Some("text_1") => Some(order[0]),
            Some("text_2") => Some(order[1]),
            Some(_) => Some(BetterAnswer::Equal),
            None => None,
        };
        let reason = answer.value["because"].as_str();
        Self {
            call: answer.reading.call.clone(),
            order,
            status: answer.reading.status,
            better,
            reason: reason.unwrap_or_default().to_owned(),
            cause: answer.reading.cause.clone(),
            read_as: answer.reading.read_as.clone(),
        }
    }
}

impl Compared {
    fn of(judge: Judge, answers: &[Answer]) -> Self {
        let readings: Vec<Reading> =
            answers.iter().zip(ORDERS).map(|(answer, order)| Reading::of(answer, order)).collect();
        let mut said = readings.iter().filter_map(|reading| reading.better);
        let first = said.next();
        let changed = said.any(|better| Some(better) != first);
        Self {
            judge,
            better: if changed { Some(BetterAnswer::Equal) } else { first },
            changed_with_the_order: changed,
            readings,
        }
    }
}

/// The number of judges with this answer.
fn votes(judges: &[Compared], better: BetterAnswer) -> usize {
    judges.iter().filter(|judge| judge.better == Some(better)).count()
}

impl Comparison {
    fn of(judges: Vec<Compared>) -> Option<Self> {
        let said = |better: BetterAnswer| votes(&judges, better);
        let better = match said(BetterAnswer::First).cmp(&said(BetterAnswer::Final)) {
            Ordering::Less => BetterAnswer::Final,
            Ordering::Equal => BetterAnswer::Equal,
            Ordering::Greater => BetterAnswer::First,
        };
        let any = judges.iter().any(|judge| judge.better.is_some());
        any.then_some(Self { better, judges })
    }

    /// `2 of 3 judges prefer the final answer; the other's preference changed with the order`.
    pub fn words(&self) -> String {
        let better = self.better.words();
        let judges = self.judges.iter();
        let valid = judges.clone().filter(|judge| judge.better.is_some());
        let changed = judges.filter(|judge| judge.changed_with_the_order);
        let (valid, changed) = (valid.count(), changed.count());
        let prefer = votes(&self.judges, self.better);
        let also = match changed {
            0 => String::new(),
            1 if prefer + 1 == valid => {
                "; the other's preference changed with the order".to_owned()
            }
            n => format!("; the preference of {n} changed with the order"),
        };
        let all = if valid == 2 { "both judges".to_owned() } else { format!("all {valid} judges") };
        let judges = text::count(valid, "judge");
        // An even split is no judge's own answer, so no judge agrees with it.
        match (prefer, valid) {
            (_, 1) if changed == 1 => {
                "the only judge's preference changed with the order and counts for neither answer"
                    .to_owned()
            }
            (_, n) if changed == n => {
                format!(
                    "the preferences of {all} changed with the order and count for neither answer"
                )
            }
            (0, _) => format!("{judges} split evenly{also}"),
            (1, 1) => format!("the only judge prefers {better}"),
            (1, _) => format!("1 of {judges} prefers {better}{also}"),
            (n, _) if n == valid => format!("{all} prefer {better}{also}"),
            (n, _) => format!("{n} of {judges} prefer {better}{also}"),
        }
    }
}
