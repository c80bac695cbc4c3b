//! The judges of a whole debate. Each scores every contestant on every criterion, in one order or in both; totals, means and
//! the winner are computed here.

mod cited_statements;
pub(super) mod verdict_in_words;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use self::cited_statements::Turns;
use crate::call_id::{CallId, CallStage};
use crate::digest;
use crate::event::{EventKind, IncidentKind, Reading, Reason, Rubric, Verdict, VerdictJudge};
use crate::floor::{Answer, Floor, Question, Result, object};
use crate::job::criteria::{Criteria, Scale};
use crate::job::participant::Participant;
use crate::plan::Plan;
use crate::text::{self, room_for};

/// Maximum characters of the reasons on one of several contestants.
const REASON: u32 = room_for(60);
/// Maximum characters of the reasons if there is only one contestant.
const REASONS: u32 = room_for(90);

/// What the judges are asked.
pub(super) struct OwnJudges<'a> {
    /// The judges.
    pub(super) judges: &'a [&'a Participant],
    /// The ids of the contestants, in the order of the job: participants, or a team.
    pub(super) contestants: &'a [&'a str],
    /// The criteria to score.
    pub(super) criteria: &'a Criteria,
    /// The lowest and highest score.
    pub(super) scale: Scale,
    /// Whether each judge reads in both orders.
    pub(super) both_orders: bool,
    /// The template of the task. It gets the contestants in the order of the reading as `contestants`, each with its `turns`.
    pub(super) template: &'a str,
    /// Further values for the template.
    pub(super) context: Value,
    /// Whether the judges see only their task, which contains what they judge.
    pub(super) blind: bool,
    /// The key of the reasons, by contestant if there are several. It must sort before `scores`.
    pub(super) reason: &'a str,
    /// Further keys of the reply with their schemas. They must sort after `scores`.
    pub(super) more: Value,
}

/// Which of two contestants had the last turn, and which had none left to answer it, for the template of the task; nothing where
/// that turn was no argument.
pub(super) fn last_word(floor: &Floor, contestants: [&str; 2]) -> Option<Value> {
    let plan = floor.plan();
    let is_own = |id: &&str| contestants.contains(id);
    let statements = floor.statements();
    let turns = statements.iter().filter(|s| plan.side_of(&s.by).is_some_and(|side| is_own(&side)));
    let last = turns.clone().next_back()?;
    let by = plan.side_of(&last.by)?;
    let silent = contestants.into_iter().find(|id| *id != by)?;
    let mut since = turns.filter(|s| s.was_heard()).skip_while(|s| plan.side_of(&s.by) != Some(by));
    let answered_nothing = since.all(|s| plan.side_of(&s.by) == Some(by));
    last.was_heard().then(|| {
        json!({"by": plan.name_of(by), "silent": plan.name_of(silent), "answered_nothing": answered_nothing})
    })
}

impl OwnJudges<'_> {
    /// Asks all judges in parallel, puts the verdict into the debate and determines the winner (row O1). Without a valid judge,
    /// the verdict is a shortfall of the debate.
    pub(super) async fn decide(&self, floor: &Floor) -> Result<Verdict> {
        let turns = Turns::of(floor, self.contestants, self.blind);
        let twice = self.both_orders && self.contestants.len() > 1;
        let judges = self.judges.iter().copied().enumerate();
        let asked: Vec<Asked<'_>> =
            judges.flat_map(|judge| readings(floor, judge, self.contestants, twice)).collect();
        let questions: Vec<Question<'_>> =
            asked.iter().map(|a| self.question(floor, &turns, a)).collect();
        floor.show_to_judges(true);
        let answers = floor.poll_finally(&questions).await;
        floor.show_to_judges(false);
        let answers = answers?;
        let per_judge = if twice { 2 } else { 1 };
        let judges = asked.chunks(per_judge).zip(answers.chunks(per_judge));
        let judges = judges.map(|(asked, answers)| self.judge(floor, &turns, asked, answers));
        let verdict = self.verdict(floor, judges.collect());
        floor.emit(EventKind::Verdict(verdict.clone()), None, None);
        if verdict.heard().next().is_none() {
            let calls = answers.iter().map(|answer| answer.reading.call.as_str());
            floor.fall_short(calls, "no judge gave a valid verdict".to_owned())?;
        }
        Ok(verdict)
    }

    fn question<'q>(&'q self, floor: &Floor, turns: &Turns, asked: &'q Asked<'_>) -> Question<'q> {
        let contestant = |id: &&str| {
            let mut shown = shown(floor.plan(), id);
            shown["turns"] = json!(turns.by(id));
            shown
        };
        let mut context = self.context.clone();
        context["contestants"] = asked.order.iter().map(contestant).collect();
        Question {
            call: asked.call.clone(),
            by: &asked.judge.id,
            template: self.template,
            context,
            blind: self.blind,
            schema: self.schema(turns, &asked.order),
        }
    }

    /// The schema of a reply. Reasons come first, in declared and in alphabetical order.
    fn schema(&self, turns: &Turns, order: &[&str]) -> Value {
        let scores = scores(self.criteria, self.scale);
        let reason = |most: u32| json!({"type": "string", "minLength": 8, "maxLength": most});
        let (reasons, scores) = match order {
            [_] => (reason(REASONS), scores),
            several => (
                by_contestant(several, |id| turns.cited(id, reason(REASON))),
                by_contestant(several, |_| scores.clone()),
            ),
        };
        let mut properties =
            Map::from_iter([(self.reason.to_owned(), reasons), ("scores".to_owned(), scores)]);
        properties.extend(self.more.as_object().cloned().unwrap_or_default());
        object(Value::Object(properties))
    }

    /// A judge with its readings. Its model is that of the first valid reading.
    fn judge(
        &self,
        floor: &Floor,
        turns: &Turns,
        asked: &[Asked<'_>],
        answers: &[Answer],
    ) -> VerdictJudge {
        let read = asked.iter().zip(answers);
        let readings: Vec<Reading> =
            read.map(|(asked, answer)| self.reading(floor, turns, answer, asked)).collect();
        let used = readings.iter().position(Reading::is_valid).unwrap_or(0);
        VerdictJudge { judge: answers[used].judge(asked[used].judge), readings, seat: None }
    }

    fn reading(&self, floor: &Floor, turns: &Turns, answer: &Answer, asked: &Asked<'_>) -> Reading {
        let order = asked.order.as_slice();
        let ids = order.iter().map(|id| (*id).to_owned()).collect();
        let mut reading = answer.reading(ids, self.reason);
        if !reading.is_valid() {
            return reading;
        }
        for id in order {
            let given = match order {
                [_] => &answer.value["scores"],
                _ => &answer.value["scores"][*id],
            };
            reading.score(self.criteria, id, |name| given[name].as_f64());
        }
        let given = answer.value.as_object().into_iter().flatten();
        let marks = given.filter_map(|(key, value)| Some((key.clone(), value.as_bool()?)));
        let summary = answer.value["summary"].as_str().map(text::one_line);
        Reading {
            marks: marks.collect(),
            summary: summary.map(|said| turns.by_number(&said, &answer.value[self.reason])),
            reasons: self.reasons(floor, turns, answer, asked),
            ..reading
        }
    }

    /// The reasons by contestant, if there are several, without citations of statements that are not that contestant's.
    fn reasons(
        &self,
        floor: &Floor,
        turns: &Turns,
        answer: &Answer,
        Asked { judge, order, .. }: &Asked<'_>,
    ) -> BTreeMap<String, Reason> {
        let given = &answer.value[self.reason];
        let each = order.iter().filter(|_| order.len() > 1).map(|id| {
            let (reason, others) = turns.checked(id, given);
            if !others.is_empty() {
                let [judge, first, name] =
                    [&*judge.id, order[0], *id].map(|id| floor.plan().name_of(id));
                let first = self.both_orders.then_some(first);
                let message = cited_statements::left_out(judge, first, name, &others);
                floor.report(IncidentKind::Citation, Some(&answer.reading.call), None, message);
            }
            ((*id).to_owned(), reason)
        });
        each.collect()
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
            judging: None,
        };
        verdict.winner = verdict.ahead();
        verdict.winner_reason = verdict.winner.as_ref().map(|_| "margins".to_owned());
        verdict
    }
}

/// A contestant as templates show it: a participant, or a team with its first member's position.
fn shown(plan: &Plan, id: &str) -> Value {
    let mut members = plan.participants.iter().filter(|p| p.role() == id);
    match (plan.participant(id), members.next()) {
        (None, Some(first)) if plan.is_team(id) => {
            json!({"id": id, "name": plan.name_of(id), "position": first.position})
        }
        (participant, _) => json!(participant),
    }
}

/// The schema of scores by criterion.
pub(super) fn scores(criteria: &Criteria, (least, most): Scale) -> Value {
    let score = json!({"type": "integer", "minimum": least, "maximum": most});
    object(criteria.keys().map(|name| (name.clone(), score.clone())).collect())
}

/// An object with a property per contestant.
fn by_contestant(order: &[&str], shape: impl Fn(&str) -> Value) -> Value {
    object(order.iter().map(|id| ((*id).to_owned(), shape(id))).collect())
}

/// A judge, the contestants in the order in which it sees them, and the call.
struct Asked<'a> {
    judge: &'a Participant,
    order: Vec<&'a str>,
    call: CallId,
}

/// The readings of a judge with its number. The first contestant of the first judge is drawn, and each further judge begins with
/// the next one, so that the effect of the order cancels out in the means as far as the number of judges allows. A second
/// reading is in reverse order.
fn readings<'a>(
    floor: &Floor,
    (number, judge): (usize, &'a Participant),
    contestants: &[&'a str],
    twice: bool,
) -> Vec<Asked<'a>> {
    let order = floor.draw_order("reading order", number, contestants);
    let call = CallId::new(CallStage::End, "verdict", &judge.id);
    let again = twice.then(|| Asked {
        judge,
        order: order.iter().rev().copied().collect(),
        call: call.clone().reversed(),
    });
    let first = Asked { judge, order, call };
    [first].into_iter().chain(again).collect()
}
