//! The course of a debate: its beginning, its parts and its end.

use serde_json::Value;

use super::halt::Result;
use super::transcript::Section;
use super::{Floor, cards};
use crate::event::{Complete, DebateStart, EventKind, Outcome, RoundNotes};
use crate::job::script::{self, Script};

impl Floor {
    /// Begins the debate: reads the models' cards, and renders the system text with which every prompt begins.
    pub async fn open(&self, system_template: &str, context: &Value) -> Result<()> {
        self.address(system_template, context)?;
        let header = &self.calls.header;
        let start = DebateStart {
            plan: Box::new(self.plan().clone()),
            models: cards::read(self).await?,
            inputs: header.inputs.clone(),
            rebut: header.rebut.clone(),
        };
        self.emit(EventKind::DebateStart(start), None, None);
        Ok(())
    }

    /// Renders the system text with which every prompt begins from now on.
    pub fn address(&self, system_template: &str, context: &Value) -> Result<()> {
        self.prompts.lock().system = self.render(system_template, context)?;
        Ok(())
    }

    /// Begins a round. The estimates of token counts and speeds take in what the last round showed.
    pub fn begin_round(&self, round: u32, speakers: &[&str]) {
        self.log.set_round(Some(round));
        self.prompts.lock().begin(Section::Round(round));
        let speeds = self.ledger.lock().speeds();
        let now = self.log.now();
        self.pace.lock().begin_round(speeds, now);
        let speakers = speakers.iter().map(|id| (*id).to_owned()).collect();
        self.emit(EventKind::RoundStart { speakers }, None, None);
    }

    /// Begins a part of the debate that is not a round, such as the closing statements. Its title is a heading in prompts.
    pub fn begin_phase(&self, title: &str) {
        self.log.set_round(None);
        let section = Section::Phase(title.to_owned());
        self.prompts.lock().begin(section);
    }

    /// Ends a round with its notes.
    pub fn close_round(&self, mut notes: RoundNotes) {
        let now = self.log.now();
        {
            let pace = self.pace.lock();
            (notes.model_ms, notes.wall_ms) = (pace.model_ms(), pace.wall_ms(now));
        }
        self.prompts.lock().close_round();
        self.emit(EventKind::Summary(notes), Some("clerk"), None);
    }

    /// Puts a change of the cast on the transcript. Prompts keep it even when its round is folded.
    pub fn note_change(&self, round: u32, change: String) {
        self.prompts.lock().transcript.changes.push((round, change));
    }

    /// Ends the debate with its outcome.
    pub fn conclude(&self, outcome: Outcome) {
        let end = self.ledger.lock().concluded(outcome);
        self.complete(end);
    }

    /// Ends the debate as failed.
    pub fn fail(&self, cause: String) {
        let end = self.ledger.lock().failed(cause);
        self.complete(end);
    }

    fn complete(&self, end: Complete) {
        self.log.set_round(None);
        let made_up = self.made_up(&end);
        self.emit(EventKind::Complete(Complete { made_up, ..end }), None, None);
    }

    /// Replies that a rehearsal's script lacks; `None` without a script.
    fn made_up(&self, end: &Complete) -> Option<u32> {
        let script = self.source(script::IN_SNAPSHOT)?;
        let asked = end.calls.iter().map(|call| (call.call.as_str(), call.attempt));
        let script = Script::of_snapshot(script);
        Some(script.lacks(&self.plan().topic, asked))
    }
}
