//! The request to a speaker in a turn (rows D1 to D3).

use serde_json::{Value, json};

use super::doubts;
use super::session::Session;
use super::turn::{Turn, TurnKind};
use crate::event::Statement;
use crate::floor::{Demand, Result, Speech};
use crate::formats::moderated::settings::Style;

/// The words that a statement with a concession must contain, in lower case.
const CONCESSION: &str = "best point";

/// The objection of an educational debate to a text that concedes nothing.
fn concedes(text: &str, other: &str) -> Vec<String> {
    let found = text.to_lowercase().contains(CONCESSION);
    let missing =
        || format!("it lacks a sentence that begins with: The {CONCESSION} of {other} is");
    (!found).then(missing).into_iter().collect()
}

impl Session<'_> {
    /// A statement of the turn's kind. `more` has values for its prompt besides those of every turn.
    pub(super) async fn speak(&mut self, turn: Turn<'_>, more: Value) -> Result<Statement> {
        let other = self.floor.plan().name_of(turn.other);
        let objections = |text: &str| concedes(text, other);
        let speech = self.speech(turn, more, &objections);
        let statement = self.floor.speak(speech).await?;
        self.said.push(statement.clone());
        Ok(statement)
    }

    /// Statements of several turns made from the same record: no speaker has read another's.
    pub(super) async fn speak_blind(&mut self, turns: &[Turn<'_>]) -> Result<Vec<Statement>> {
        let plan = self.floor.plan();
        let others = turns.iter().map(|turn| plan.name_of(turn.other));
        let objections: Vec<_> =
            others.map(|other| move |text: &str| concedes(text, other)).collect();
        let speeches: Vec<Speech<'_>> = turns
            .iter()
            .zip(&objections)
            .map(|(turn, objections)| self.speech(*turn, json!({}), objections))
            .collect();
        let statements = self.floor.speak_blind(&speeches).await?;
        self.said.extend(statements.iter().cloned());
        Ok(statements)
    }

    fn speech<'s>(
        &self,
        turn: Turn<'s>,
        more: Value,
        objections: &'s (dyn Fn(&str) -> Vec<String> + Sync),
    ) -> Speech<'s> {
        let wanted = self.wants_concession(turn);
        let mut context = self.context(turn, wanted);
        if let (Value::Object(all), Value::Object(more)) = (&mut context, more) {
            all.extend(more);
        }
        let template = "prompts/moderated/statement.md.j2";
        Speech {
            most_tokens: turn.kind.most_tokens(self.settings),
            // The words looked for are English.
            demand: (wanted && self.floor.plan().is_in_english()).then(|| Demand::once(objections)),
            ..Speech::new(turn.call(), turn.by, turn.kind.phase(), template, context)
        }
    }

    /// In an educational debate, a speaker who argues or closes states the best point of a side that has been heard.
    fn wants_concession(&self, turn: Turn<'_>) -> bool {
        self.settings.style == Style::Educational
            && matches!(turn.kind, TurnKind::Argument | TurnKind::Closing)
            && self.has_spoken(turn.other)
    }

    fn context(&self, turn: Turn<'_>, concession: bool) -> Value {
        let others: Vec<&str> =
            self.advocates.iter().copied().filter(|id| *id != turn.by).collect();
        let argued = |s: &&Statement| s.by == turn.other && s.phase == TurnKind::Argument.phase();
        let rebutted = self.said.iter().rfind(argued);
        json!({
            "part": turn.kind.phase(),
            "opponents": self.named(&others),
            "other": self.advocate(turn.other),
            "other_heard": rebutted.is_some_and(Statement::was_heard),
            "round": turn.round,
            "rounds": self.settings.round_count,
            "focus": turn.focus,
            "doubted": doubts::shown(self, Some(turn.by), self.last_turn(turn.by)),
            "concession": concession.then_some(CONCESSION),
            "may_pass": self.settings.style == Style::Casual && turn.kind == TurnKind::Rebuttal,
        })
    }
}
