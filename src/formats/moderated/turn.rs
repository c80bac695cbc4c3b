//! Turns: who speaks when, what is asked of them, and what is done about what they said (rows D1 to D3).

use serde_json::{Value, json};

use super::table::{Table, is_pass};
use super::{check, interruption};
use crate::call_id::{CallId, CallStage};
use crate::event::Statement;
use crate::floor::{Demand, Halt, Speech};
use crate::formats::moderated::settings::{Moderated, Style};

/// What a statement that concedes something must hold, in small letters.
const CONCESSION: &str = "best point";

/// What a turn is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Opening,
    Argument,
    Rebuttal,
    Closing,
    /// To the interruption of the statement of this number.
    Answer(u32),
}

impl Part {
    /// Its name in traces and prompts.
    pub(super) fn phase(self) -> &'static str {
        match self {
            Part::Opening => "opening",
            Part::Argument => "argument",
            Part::Rebuttal => "rebuttal",
            Part::Closing => "closing",
            Part::Answer(_) => "answer",
        }
    }

    fn most_tokens(self, settings: &Moderated) -> u32 {
        match self {
            Part::Opening => settings.opening_max_tokens,
            Part::Closing => settings.closing_max_tokens,
            Part::Argument | Part::Rebuttal | Part::Answer(_) => settings.argument_max_tokens,
        }
    }
}

/// One turn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn<'a> {
    pub(super) part: Part,
    /// The speaker.
    pub(super) by: &'a str,
    /// Who rebuts the speaker, or is rebutted.
    pub(super) other: &'a str,
    pub(super) round: u32,
    pub(super) focus: &'a str,
}

impl Turn<'_> {
    fn call(&self) -> CallId {
        let (stage, kind) = match self.part {
            Part::Opening => (CallStage::Opening, "statement"),
            Part::Closing => (CallStage::Closing, "statement"),
            Part::Rebuttal => (CallStage::Round(self.round), "rebuttal"),
            Part::Argument => (CallStage::Round(self.round), "statement"),
            Part::Answer(to) => (CallStage::Statement(to), "reply"),
        };
        CallId::new(stage, kind, self.by)
    }
}

/// What an educational debate has against a text: that it concedes nothing.
fn concedes(text: &str, other: &str) -> Vec<String> {
    let found = text.to_lowercase().contains(CONCESSION);
    let missing =
        || format!("it lacks a sentence that begins with: The {CONCESSION} of {other} is");
    (!found).then(missing).into_iter().collect()
}

impl Table<'_> {
    /// A turn of every advocate outside of rounds.
    pub(super) async fn each(&mut self, part: Part) -> Result<(), Halt> {
        for (by, other) in self.turns().collect::<Vec<_>>() {
            self.take(Turn {
                part,
                by,
                other,
                round: 0,
                focus: "",
            })
            .await?;
        }
        Ok(())
    }

    /// The turns of a round: each argues, and the next one rebuts.
    pub(super) async fn exchange(&mut self, round: u32, focus: &str) -> Result<(), Halt> {
        for (a, b) in self.turns().collect::<Vec<_>>() {
            let argument = Turn {
                part: Part::Argument,
                by: a,
                other: b,
                round,
                focus,
            };
            self.take(argument).await?;
            let rebuttal = Turn {
                part: Part::Rebuttal,
                by: b,
                other: a,
                ..argument
            };
            self.take(rebuttal).await?;
        }
        Ok(())
    }

    /// One turn; if what is said calls for an interruption, that and the speaker's answer.
    async fn take(&mut self, turn: Turn<'_>) -> Result<(), Halt> {
        let statement = self.speak(turn, json!({})).await?;
        if !statement.was_heard() || is_pass(self.settings, &statement) {
            return Ok(());
        }
        match check::statement(self, &statement).await? {
            Some(finding) => interruption::make(self, turn, &statement, finding).await,
            None => Ok(()),
        }
    }

    /// A statement of the turn's part; `more` is what its prompt may use beside what every turn's may.
    pub(super) async fn speak(&mut self, turn: Turn<'_>, more: Value) -> Result<Statement, Halt> {
        let other = self.name(turn.other);
        let objections = |text: &str| concedes(text, &other);
        let wanted = self.wants_concession(turn);
        let mut context = self.context(turn, wanted);
        if let (Value::Object(all), Value::Object(more)) = (&mut context, more) {
            all.extend(more);
        }
        let template = "prompts/moderated/statement.md.j2";
        let speech = Speech {
            most_tokens: turn.part.most_tokens(self.settings),
            // The words that are looked for are English.
            demand: (wanted && self.floor.plan().is_in_english()).then_some(Demand {
                again: 1,
                objections: &objections,
            }),
            ..Speech::new(turn.call(), turn.by, turn.part.phase(), template, context)
        };
        let statement = self.floor.speak(speech).await?;
        self.said.push(statement.clone());
        Ok(statement)
    }

    /// In an educational debate whoever argues or closes states the best point of a side that has been heard.
    fn wants_concession(&self, turn: Turn<'_>) -> bool {
        self.settings.style == Style::Educational
            && matches!(turn.part, Part::Argument | Part::Closing)
            && self.has_spoken(turn.other)
    }

    fn context(&self, turn: Turn<'_>, concession: bool) -> Value {
        let others: Vec<&str> = self
            .advocates
            .iter()
            .copied()
            .filter(|id| *id != turn.by)
            .collect();
        let mut arguments = self
            .said
            .iter()
            .rev()
            .filter(|s| s.phase == Part::Argument.phase());
        let rebutted = arguments.find(|s| s.by == turn.other);
        json!({
            "part": turn.part.phase(),
            "opponents": self.named(&others),
            "other": self.advocate(turn.other),
            "other_heard": rebutted.is_some_and(Statement::was_heard),
            "round": turn.round,
            "rounds": self.settings.round_count,
            "focus": turn.focus,
            "concession": concession.then_some(CONCESSION),
            "may_pass": self.settings.style == Style::Casual && turn.part == Part::Rebuttal,
        })
    }
}
