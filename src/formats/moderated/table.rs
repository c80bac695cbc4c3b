//! Turns at the table: who speaks when, what is asked of them, and how an interruption is made and answered
//! (rows D1 to D4).

use serde_json::{Value, json};

use super::check::{self, Finding};
use crate::event::{Interjection, Origin, Statement, What};
use crate::floor::{Demand, Floor, Halt, Speech};
use crate::job::moderated::{Moderated, Style};
use crate::job::participant::Participant;

/// What a statement that concedes something must hold, in small letters.
const CONCESSION: &str = "best point";
/// What an advocate writes who passes a rebuttal.
const PASS: &str = "PASS";

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
    fn phase(self) -> &'static str {
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
    fn call(&self) -> String {
        match self.part {
            Part::Opening => format!("opening/statement/{}", self.by),
            Part::Closing => format!("closing/statement/{}", self.by),
            Part::Rebuttal => format!("round-{}/rebuttal/{}", self.round, self.by),
            Part::Argument => format!("round-{}/statement/{}", self.round, self.by),
            Part::Answer(to) => format!("statement-{to}/reply/{}", self.by),
        }
    }
}

/// The advocates, and what they have said.
pub(super) struct Table<'a> {
    pub(super) floor: &'a Floor,
    pub(super) settings: &'a Moderated,
    /// Their ids, in the order of the job.
    pub(super) advocates: Vec<&'a str>,
    said: Vec<Statement>,
}

/// An emergency reply is no argument: nobody checks, answers or judges it (row M2).
pub(super) fn was_heard(statement: &Statement) -> bool {
    statement.origin != Origin::Emergency
}

/// Whether a rebuttal was passed. Nothing else may be in the reply.
pub(super) fn is_pass(settings: &Moderated, statement: &Statement) -> bool {
    let word = statement.text.trim_matches(|c: char| !c.is_alphanumeric());
    settings.style == Style::Casual && statement.phase == Part::Rebuttal.phase() && word == PASS
}

/// What an educational debate has against a text: that it concedes nothing.
fn concedes(text: &str, other: &str) -> Vec<String> {
    let found = text.to_lowercase().contains(CONCESSION);
    let missing =
        || format!("it lacks a sentence that begins with: The {CONCESSION} of {other} is");
    (!found).then(missing).into_iter().collect()
}

impl<'a> Table<'a> {
    pub(super) fn of(floor: &'a Floor, settings: &'a Moderated) -> Self {
        let all = floor.plan().participants.iter();
        let advocates = all.filter(|p| p.is_contestant()).map(|p| p.id.as_str());
        Self {
            floor,
            settings,
            advocates: advocates.collect(),
            said: Vec::new(),
        }
    }

    pub(super) fn advocate(&self, id: &str) -> Option<&'a Participant> {
        self.floor.plan().participant(id)
    }

    pub(super) fn name(&self, id: &str) -> String {
        self.advocate(id)
            .map_or_else(|| id.to_owned(), |p| p.name.clone())
    }

    pub(super) fn named(&self, ids: &[&str]) -> Value {
        ids.iter().map(|id| json!(self.advocate(id))).collect()
    }

    /// Who argues and who rebuts, in the order of a round.
    pub(super) fn turns(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let next = self.advocates.iter().cycle().skip(1);
        self.advocates.iter().zip(next).map(|(a, b)| (*a, *b))
    }

    /// The speakers of a round, in order.
    pub(super) fn order(&self) -> Vec<&'a str> {
        self.turns().flat_map(|(a, b)| [a, b]).collect()
    }

    /// What advocates said in a round.
    pub(super) fn said_in(&self, round: u32) -> Vec<&Statement> {
        self.said.iter().filter(|s| s.round == round).collect()
    }

    /// The round of what an advocate said.
    pub(super) fn round_of(&self, n: u32) -> Option<u32> {
        self.said.iter().find(|s| s.n == n).map(|s| s.round)
    }

    /// What stands for each speaker's round in the clerk's notes: the first that can be noted.
    pub(super) fn noted<'s>(&self, said: &[&'s Statement]) -> Vec<&'s Statement> {
        let notable = |s: &Statement| was_heard(s) && !is_pass(self.settings, s);
        let of = |id: &&str| {
            let mut own = said.iter().copied().filter(|s| s.by == *id);
            let first = own.clone().next();
            own.find(|s| notable(s)).or(first)
        };
        self.advocates.iter().filter_map(of).collect()
    }

    /// Whether a model has spoken for an advocate.
    pub(super) fn has_spoken(&self, id: &str) -> bool {
        self.said.iter().any(|s| s.by == id && was_heard(s))
    }

    /// The numbers of the rebuttals that were passed.
    pub(super) fn passes(&self) -> Vec<u32> {
        let passes = self.said.iter().filter(|s| is_pass(self.settings, s));
        passes.map(|s| s.n).collect()
    }

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
        if !was_heard(&statement) || is_pass(self.settings, &statement) {
            return Ok(());
        }
        match check::statement(self, &statement).await? {
            Some(finding) => self.interrupt(turn, &statement, finding).await,
            None => Ok(()),
        }
    }

    async fn speak(&mut self, turn: Turn<'_>, more: Value) -> Result<Statement, Halt> {
        let other = self.name(turn.other);
        let objections = |text: &str| concedes(text, &other);
        let wanted = self.wants_concession(turn);
        let mut context = self.context(turn, wanted);
        if let (Value::Object(all), Value::Object(more)) = (&mut context, more) {
            all.extend(more);
        }
        let speech = Speech {
            call: turn.call(),
            by: turn.by,
            phase: turn.part.phase(),
            most_tokens: turn.part.most_tokens(self.settings),
            seconds: None,
            round_seconds: None,
            demand: wanted.then_some(Demand {
                again: 1,
                objections: &objections,
            }),
            template: "prompts/moderated/statement.md.j2",
            context,
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
            "other_heard": rebutted.is_some_and(was_heard),
            "round": turn.round,
            "rounds": self.settings.round_count,
            "focus": turn.focus,
            "concession": concession.then_some(CONCESSION),
            "may_pass": self.settings.style == Style::Casual && turn.part == Part::Rebuttal,
        })
    }

    async fn interrupt(
        &mut self,
        turn: Turn<'_>,
        statement: &Statement,
        finding: Finding<'_>,
    ) -> Result<(), Halt> {
        let speech = Speech {
            call: format!("statement-{}/interjection/{}", statement.n, finding.by),
            by: finding.by,
            phase: "interjection",
            most_tokens: self.settings.interjection_max_tokens,
            seconds: None,
            round_seconds: None,
            demand: None,
            template: "prompts/moderated/interjection.md.j2",
            context: json!({
                "speaker": self.advocate(turn.by),
                "cause": finding.cause,
                "point": finding.point,
                "reason": finding.reading.reason,
            }),
        };
        let spoken = self.floor.speak(speech).await?;
        if !was_heard(&spoken) {
            return Ok(());
        }
        let by = finding.by;
        let cause = finding.cause;
        let interjection = Interjection {
            about: statement.n,
            speaker: turn.by.to_owned(),
            statement: spoken.n,
            cause,
            point: finding.point,
            by: finding.judge,
            reading: finding.reading,
        };
        self.floor.emit(
            What::Interjection(interjection),
            Some(by),
            spoken.model.as_deref(),
        );
        let answer = Turn {
            part: Part::Answer(statement.n),
            ..turn
        };
        let more = json!({"interrupter": self.advocate(by), "cause": cause});
        self.speak(answer, more).await?;
        Ok(())
    }
}
