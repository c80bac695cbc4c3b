//! The digest of the record that is judged, and the judgments in a trace.

use serde_json::json;

use super::{Label, Trace, TraceParticipant};
use crate::digest;
use crate::event::{Judging, Preference, Statement, Verdict, VerdictJudge};
use crate::job::models::model_name::{canonical, same_model};

impl<R> Trace<R> {
    /// The digest of what a panel reads: what is debated, who argues for what, and what they said. Verdicts rest on it.
    pub fn digest_of_record(&self) -> String {
        let said = |s: &Statement| json!([s.n, s.phase, s.round, s.by, s.text, s.origin]);
        let person = |p: &TraceParticipant| json!([p.id, p.name, p.position, p.contestant]);
        let record = json!({
            "topic": self.question(),
            "participants": self.participants.iter().map(person).collect::<Vec<_>>(),
            "statements": self.statements.iter().map(said).collect::<Vec<_>>(),
        });
        format!("sha256:{}", digest::of_json(&record))
    }

    /// The digest of what was said and answered, whatever panels and keys come later. Controls are matched to it.
    pub fn digest_of_answered(&self) -> String {
        let answers: Vec<_> =
            self.answers.iter().map(|answer| (&answer.raw, &answer.value)).collect();
        let record = json!([self.id, self.digest_of_record(), answers]);
        format!("sha256:{}", digest::of_json(&record))
    }

    /// The verdicts of the debate's own judges.
    pub fn own_verdicts(&self) -> impl Iterator<Item = &Verdict> {
        self.verdicts.iter().filter(|verdict| verdict.is_own())
    }

    /// The verdict of its own judges by which somebody won, or all drew.
    pub fn deciding_verdict(&self) -> Option<&Verdict> {
        let is_decided = self.outcome.as_ref().is_some_and(|outcome| outcome.winner.is_some());
        self.own_verdicts().next().filter(|_| is_decided)
    }

    /// Whether that verdict is weak evidence, where seats of one model are one judge.
    pub fn is_weak(&self) -> Option<bool> {
        Some(self.deciding_verdict()?.is_weak(|judge| self.weights_of(judge)))
    }

    /// The weights that judged, or without them the model's name, without a model the judge's id.
    fn weights_of<'t>(&'t self, judge: &'t VerdictJudge) -> &'t str {
        let mut models = judge.valid().filter_map(|reading| reading.model(&judge.judge));
        let Some(model) = models.next() else { return &judge.judge.id };
        let card = self.models.iter().find(|it| same_model(&it.name, model));
        card.and_then(|it| it.card.digest.as_deref()).unwrap_or(canonical(model))
    }

    /// The verdicts of panels that read it afterwards, with what is known of their judgings.
    pub fn panel_verdicts(&self) -> impl Iterator<Item = (&Verdict, &Judging)> {
        self.verdicts.iter().filter_map(|verdict| Some((verdict, verdict.judging.as_ref()?)))
    }

    /// What people said of it on label sheets.
    pub fn preferences(&self) -> impl Iterator<Item = (&Label, &Preference)> {
        self.labels.iter().filter_map(|label| Some((label, label.preference.as_ref()?)))
    }

    /// What is debated: the whole query if there is one, otherwise the motion.
    pub fn question(&self) -> &str {
        self.plan.query.as_deref().unwrap_or(&self.topic)
    }
}
