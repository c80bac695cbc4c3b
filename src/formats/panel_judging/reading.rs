//! One reading: the request to a judge, and the result of its reply. Keys are positional and in alphabetical order because
//! servers sort them: so criteria are answered in the order in which they were asked for.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::task::{Task, Template};
use crate::call_id::CallId;
use crate::event::{PanelReading, Reading, Side, Vote, rounded};
use crate::floor::{Answer, Question, object};
use crate::job::criteria::SCALE_OF_TWO;
use crate::panel::reading_order::ReadingSlot;
use crate::panel::seats::Seated;
use crate::panel::shown_record::ShownRecord;
use crate::text;

/// Maximum characters of a reason.
const REASON: u32 = 400;
/// Characters of a prompt apart from the statements and criteria.
const AROUND: usize = 3_000;

/// A reading requested of a judge.
pub(super) struct Asked<'a> {
    task: &'a Task,
    pub(super) seat: &'a Seated<'a>,
    turn: ReadingSlot,
    call: CallId,
    labels: [String; 2],
    context: Value,
    /// Why the judge can't be asked; `None` if it can.
    too_long: Option<String>,
}

impl<'a> Asked<'a> {
    pub(super) fn new(
        task: &'a Task,
        shown: &ShownRecord<'_>,
        seat: &'a Seated<'a>,
        turn: ReadingSlot,
        call: CallId,
    ) -> Self {
        let record = shown.record(turn.order);
        let said: usize = record.iter().map(|s| s.text.chars().count() + 40).sum();
        let context = json!({
            "sides": shown.sides(turn.order),
            "record": record,
            "chronological": shown.is_chronological(),
            "scale": SCALE_OF_TWO,
            "criteria": criteria(task, &turn),
        });
        let mut asked =
            Self { task, seat, turn, call, labels: shown.labels.clone(), context, too_long: None };
        asked.too_long = asked.too_long(said);
        asked
    }

    /// Why the record is too long for the judge, if it is. The judge is then not asked: a server would silently cut the prompt.
    fn too_long(&self, said: usize) -> Option<String> {
        let characters = said + AROUND + self.context["criteria"].to_string().chars().count();
        let prompt = (characters as f64 / text::CHARS_PER_TOKEN) as u64;
        let reply = self.turn.criteria.len() as u64 * u64::from(REASON) / 2;
        let (needed, window) = (prompt + reply, self.seat.judge.context_window);
        (needed > u64::from(window) * 95 / 100).then(|| {
            format!(
                "the record takes about {needed} tokens with a reply, and the judge's context_window is {window}: raise it"
            )
        })
    }

    /// Whether the judge is asked.
    pub(super) fn is_put(&self) -> bool {
        self.too_long.is_none()
    }

    pub(super) fn question(&self) -> Option<Question<'_>> {
        self.is_put().then(|| Question {
            call: self.call.clone(),
            by: &self.seat.judge.id,
            template: self.task.template(Template::Verdict),
            context: self.context.clone(),
            blind: true,
            schema: self.schema(),
        })
    }

    fn schema(&self) -> Value {
        let (least, most) = SCALE_OF_TWO;
        let score = json!({"type": "integer", "minimum": least, "maximum": most});
        let reason = json!({"type": "string", "minLength": 8, "maxLength": REASON});
        let mut properties = Map::new();
        for n in 1..=self.turn.criteria.len() {
            properties.insert(format!("c{n}_reason"), reason.clone());
            properties.insert(format!("c{n}_score_1"), score.clone());
            properties.insert(format!("c{n}_score_2"), score.clone());
        }
        object(Value::Object(properties))
    }

    /// The reading in the judge's answer; without an answer, the reason for that.
    pub(super) fn reading(&self, answer: Option<&Answer>) -> Reading {
        let ids = self.turn.order.map(|side| self.task.participant(side).to_owned());
        let mut reading = match answer {
            Some(answer) => answer.reading(ids.to_vec(), ""),
            None => Reading {
                call: self.call.to_string(),
                order: ids.to_vec(),
                cause: self.too_long.clone(),
                ..Reading::default()
            },
        };
        if let Some(given) = answer.filter(|_| reading.is_valid()) {
            reading.reason = self.reasons(&given.value);
            for (slot, id) in (1..).zip(&ids) {
                let score = |name: &str| self.score(&given.value, slot, name);
                reading.score(self.task.criteria(), id, score);
            }
        }
        let margin = self.margin(&reading.totals);
        let tie_within = self.task.panel.settings.rule.tie_within;
        let labels = self.turn.order.into_iter().zip(self.labels.clone());
        reading.of_panel = Some(PanelReading {
            repeat: self.turn.repeat,
            labels: labels.collect(),
            criteria: self.turn.criteria.clone(),
            margin,
            pick: margin.map(|margin| Vote::of(margin, tie_within)),
        });
        reading
    }

    fn margin(&self, totals: &BTreeMap<String, f64>) -> Option<f64> {
        let [p, q] = Side::BOTH.map(|side| totals.get(self.task.participant(side)));
        Some(rounded(p? - q?))
    }

    /// The score of the side in a slot for a criterion, by the keys of the reply.
    fn score(&self, value: &Value, slot: usize, name: &str) -> Option<f64> {
        let at = self.turn.criteria.iter().position(|own| own == name)?;
        value[format!("c{}_score_{slot}", at + 1)].as_f64()
    }

    /// The reasons as one text, each after its criterion.
    fn reasons(&self, value: &Value) -> String {
        let each = (1..).zip(&self.turn.criteria).map(|(n, name)| {
            let reason = value[format!("c{n}_reason")].as_str().unwrap_or_default();
            format!("{}: {}", text::capitalised(&name.replace('_', " ")), text::one_line(reason))
        });
        text::separated(each, " ")
    }
}

/// The criteria in the order of a reading, with the meaning of their scores.
fn criteria(task: &Task, turn: &ReadingSlot) -> Value {
    let known = task.criteria();
    let shown = |name: &String| {
        let mut guide: Vec<_> = known.get(name).map(|it| &it.guide).into_iter().flatten().collect();
        guide.sort_by_key(|(score, _)| score.parse::<u8>().unwrap_or_default());
        json!({"name": name, "guide": guide})
    };
    turn.criteria.iter().map(shown).collect()
}
