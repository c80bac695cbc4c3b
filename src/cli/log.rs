//! Log lines for each stage of a debate (row E2).

use std::collections::HashMap;

use crate::event::{
    Ballot, Complete, Event, FactCheck, Incident, ReadingStatus, Retrieval, Rotation, Statement,
    Verdict, VerdictJudge, What,
};
use crate::plan::Plan;

/// What the log knows of a debate.
pub(super) struct Debate {
    short_id: String,
    format: &'static str,
    names: HashMap<String, String>,
    turns: HashMap<String, u32>,
}

impl Debate {
    pub(super) fn of(plan: &Plan) -> Self {
        let names = plan
            .participants
            .iter()
            .map(|p| (p.id.clone(), p.name.clone()))
            .collect();
        Self {
            short_id: plan.short_id().to_owned(),
            format: plan.format.name(),
            names,
            turns: HashMap::new(),
        }
    }

    fn name<'a>(&'a self, id: &'a str) -> &'a str {
        self.names.get(id).map_or(id, String::as_str)
    }

    /// What a call that begins is for, in a few words.
    pub(super) fn doing(&self, event: &Event) -> String {
        let role = event.metadata.role.as_deref().unwrap_or_default();
        let call = event.metadata.call.as_deref().unwrap_or_default();
        match call.split('/').nth(1) {
            Some("statement" | "rebuttal" | "reply") => format!("{} speaks", self.name(role)),
            Some("interjection") => format!("{} interrupts", self.name(role)),
            Some("ruling") => format!("{} rules on the round", self.name(role)),
            Some("ballot") => "the judges vote".to_owned(),
            Some("clerk") => "the clerk takes notes".to_owned(),
            Some("comment") => format!("{} comments", self.name(role)),
            Some("check" | "fact_check") => format!("{} checks", self.name(role)),
            Some("stance") => format!("{} takes a stance", self.name(role)),
            Some("verdict") => "the judges decide".to_owned(),
            Some("summary" | "answer" | "synthesis") => format!("{} sums up", self.name(role)),
            _ => call.to_owned(),
        }
    }

    /// The lines of an event.
    pub(super) fn lines(&mut self, event: &Event) -> Vec<String> {
        let text = match &event.what {
            What::DebateStart(_) => vec![format!(
                "Starting {} debate with {}",
                self.format,
                self.agents()
            )],
            What::RoundStart { .. } => vec![format!("=== ROUND {} ===", event.round.unwrap_or(0))],
            What::CallStart { .. } => self.call_start(event).into_iter().collect(),
            What::Statement(statement) => vec![self.statement(statement)],
            What::Comment(comment) => vec![format!(
                "Comment on round {}: {}",
                comment.round, comment.text
            )],
            What::Ballot(ballot) => vec![self.ballot(ballot)],
            What::Rotation(rotation) => vec![self.rotation(rotation)],
            What::Interjection(i) => vec![format!(
                "{} interrupts {}: {}",
                self.name(&i.by.id),
                self.name(&i.speaker),
                i.point
            )],
            What::FactCheck(check) => vec![self.fact_check(check)],
            What::Stance(stance) => vec![format!(
                "{} stands at: {}",
                self.name(&stance.by.id),
                stance.stance.as_deref().unwrap_or("no valid stance")
            )],
            What::Rejection(rejection) => vec![format!(
                "A reply of {} is not taken: {}",
                self.name(&rejection.by),
                rejection.reasons.join("; ")
            )],
            What::Verdict(verdict) => vec![self.verdict(verdict)],
            What::Summary(notes) => {
                vec![format!("Round {} in short: {}", notes.round, notes.summary)]
            }
            What::Retrieval(retrieval) => vec![self.retrieval(retrieval)],
            What::Incident(Incident { kind, message, .. }) => vec![format!("{kind}: {message}")],
            What::Complete(complete) => vec![self.complete(complete)],
            What::Memory(_)
            | What::StatementChunk { .. }
            | What::ProposerChunk(_)
            | What::SkepticChunk(_)
            | What::SynthesisStart(_)
            | What::SynthesisChunk(_)
            | What::CallEnd { .. } => Vec::new(),
        };
        let level = if matches!(event.what, What::Incident(_)) {
            "WARN"
        } else {
            "INFO"
        };
        text.iter()
            .map(|line| format!("{level} {} - {line}", self.short_id))
            .collect()
    }

    fn agents(&self) -> String {
        let mut names: Vec<String> = self
            .names
            .iter()
            .map(|(id, name)| format!("{name} ({id})"))
            .collect();
        names.sort();
        names.join(", ")
    }

    fn call_start(&self, event: &Event) -> Option<String> {
        let attempt = event
            .metadata
            .attempt
            .filter(|n| *n > 1)
            .map(|n| format!(", attempt {n}"))
            .unwrap_or_default();
        let model = event.metadata.model.as_deref().unwrap_or("?");
        let role = event.metadata.role.as_deref()?;
        let turn = self.turns.get(role).copied().unwrap_or(0) + 1;
        let call = event.metadata.call.as_deref()?;
        let place = place(event.round, call);
        match call.split('/').nth(1) {
            Some("statement" | "rebuttal" | "reply") => Some(format!(
                "{place}: {}'s turn (turn #{turn}, {model}{attempt})",
                self.name(role)
            )),
            Some("ballot") => Some(format!(
                "{place}: getting the ballot of {} ({model}{attempt})",
                self.name(role)
            )),
            _ => Some(format!(
                "{place}: asking {} ({model}{attempt})",
                self.name(role)
            )),
        }
    }

    fn statement(&mut self, statement: &Statement) -> String {
        let turn = self.turns.entry(statement.by.clone()).or_default();
        *turn += 1;
        let turn = *turn;
        match &statement.model {
            None if statement.by == "moderator" => format!("Moderator: {}", statement.phase),
            _ => format!(
                "{} completed turn {turn} ({} tokens{})",
                self.name(&statement.by),
                statement.tokens,
                if statement.cut { ", cut" } else { "" }
            ),
        }
    }

    fn ballot(&self, ballot: &Ballot) -> String {
        let total = ballot
            .reading
            .totals
            .get(&ballot.about)
            .copied()
            .unwrap_or(0.0);
        match ballot.keep {
            Some(keep) => format!(
                "{} votes to {} {} ({total:.2})",
                self.name(&ballot.by.id),
                if keep { "keep" } else { "replace" },
                self.name(&ballot.about)
            ),
            None => format!("{} cast no valid ballot", self.name(&ballot.by.id)),
        }
    }

    fn fact_check(&self, check: &FactCheck) -> String {
        let claims = check.claims.iter();
        let found: Vec<String> = claims
            .map(|c| format!("{} ({})", c.claim, c.verdict))
            .collect();
        let by = self.name(&check.by.id);
        if found.is_empty() {
            return format!("{by} checked statement {}: no claim to judge", check.about);
        }
        format!(
            "{by} checked statement {}: {}",
            check.about,
            found.join("; ")
        )
    }

    fn verdict(&self, verdict: &Verdict) -> String {
        let valid = |judge: &&VerdictJudge| {
            let mut readings = judge.readings.iter();
            readings.any(|reading| reading.status == ReadingStatus::Valid)
        };
        let judges = verdict.judges.iter().filter(valid).count();
        let winner = match verdict.winner.as_deref() {
            None => String::new(),
            Some("draw") => ": a draw".to_owned(),
            Some(id) => format!(": {} wins", self.name(id)),
        };
        let all = verdict.judges.len();
        format!("Verdict of {judges} of {all} judges{winner}")
    }

    fn rotation(&self, rotation: &Rotation) -> String {
        if rotation.rotated {
            return format!(
                "Rotation after round {}: {} out, {} in ({})",
                rotation.round,
                self.name(&rotation.debater),
                self.name(&rotation.next),
                rotation.reason
            );
        }
        format!(
            "No rotation after round {}: {} ({})",
            rotation.round,
            self.name(&rotation.debater),
            rotation.reason
        )
    }

    fn retrieval(&self, retrieval: &Retrieval) -> String {
        if let Some(cause) = &retrieval.cause {
            return format!("Nothing retrieved: {cause}");
        }
        let near: Vec<String> = retrieval
            .found
            .iter()
            .filter(|it| retrieval.used.contains(&it.template))
            .map(|it| format!("{} ({:.2})", it.title, it.similarity))
            .collect();
        format!("Retrieved {}", near.join(", "))
    }

    fn complete(&self, complete: &Complete) -> String {
        let line = complete
            .outcome
            .as_ref()
            .map(|outcome| outcome.line.as_str())
            .or(complete.cause.as_deref())
            .unwrap_or_default();
        let mut turns: Vec<String> = self
            .turns
            .iter()
            .filter(|(id, _)| *id != "moderator")
            .map(|(id, n)| format!("{}: {n}", self.name(id)))
            .collect();
        turns.sort();
        format!(
            "Debate {}: {line}. Participation: {}",
            complete.status.word(),
            turns.join(", ")
        )
    }
}

/// Where in the debate a call is made, by its round or else by its name.
fn place(round: Option<u32>, call: &str) -> String {
    let part = call.split('/').next().unwrap_or_default();
    match (round, part) {
        (Some(round), _) => format!("Round {round}"),
        (None, "opening") => "Opening".to_owned(),
        (None, "closing") => "Closing".to_owned(),
        (None, part) if part.starts_with("statement-") => {
            part.replacen("statement-", "Statement ", 1)
        }
        (None, _) => "After the rounds".to_owned(),
    }
}
