//! Log lines for each stage of a debate (row E2).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::artifacts::call_words::{self, SPEAKS};
use crate::call_id::{CallId, CallStage};
use crate::event::{
    Ballot, Complete, Event, EventKind, FactCheck, Incident, Interjection, InterjectionCause,
    Notes, Phase, Reading, Retrieval, Rotation, RoundNotes, Stance, Statement, Verdict,
    VerdictJudge, VoteWindow, Winner,
};
use crate::job::Profile;
use crate::plan::Plan;
use crate::text;

/// The log's state of a debate.
pub(in crate::cli) struct Debate {
    short_id: String,
    profile: &'static Profile,
    names: HashMap<String, String>,
    /// Contestants: only they have turns.
    contestants: BTreeSet<String>,
    /// The number of participants asked for a stance.
    specialists: usize,
    turns: HashMap<String, u32>,
    /// The speaker of each statement.
    speakers: HashMap<u32, String>,
    /// The last stance of each participant.
    stances: BTreeMap<String, String>,
    /// Whether stances were taken since the last count.
    untold: usize,
    /// Whether the rounds have begun.
    begun: bool,
    /// Whether the whole debate was judged.
    is_judged: bool,
}

/// A stage of a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Stage {
    /// Before the first round.
    Before,
    /// In a round; round 0 precedes the numbered rounds.
    Round(u32),
    /// After the last round.
    After,
}

impl Debate {
    pub(in crate::cli) fn new(plan: &Plan) -> Self {
        let all = &plan.participants;
        let ids = all.iter().map(|p| p.id.as_str()).chain(plan.format.profile.team);
        let names = ids.map(|id| (id.to_owned(), plan.name_of(id).to_owned()));
        let contestants = all.iter().filter(|p| plan.format.profile.argues(p));
        let specialists = all.iter().filter(|p| p.role() == "specialist");
        Self {
            short_id: plan.short_id().to_owned(),
            profile: plan.format.profile,
            names: names.collect(),
            contestants: contestants.map(|p| p.id.clone()).collect(),
            specialists: specialists.count(),
            turns: HashMap::new(),
            speakers: HashMap::new(),
            stances: BTreeMap::new(),
            untold: 0,
            begun: false,
            is_judged: false,
        }
    }

    /// The displayed name of an id.
    pub(in crate::cli) fn name<'a>(&'a self, id: &'a str) -> &'a str {
        match self.names.get(id) {
            Some(name) => name,
            None if id == "moderator" => self.profile.announced_by,
            None => id,
        }
    }

    /// The stage at which an event occurs.
    pub(in crate::cli) fn stage(&self, event: &Event) -> Stage {
        let at_end = call_of(event).is_some_and(|call| call.stage == CallStage::End);
        match event.round {
            _ if at_end => Stage::After,
            Some(round) => Stage::Round(round),
            None if self.begun => Stage::After,
            None => Stage::Before,
        }
    }

    /// The purpose of a call that begins, in a few words.
    pub(in crate::cli) fn doing(&self, event: &Event) -> String {
        let role = event.metadata.role.as_deref().unwrap_or_default();
        let (name, call) = (self.name(role), call_of(event));
        let number = match call.as_ref().map(|call| call.stage) {
            Some(CallStage::Statement(number)) => number,
            _ => 0,
        };
        let (statement, speaker) = (number.to_string(), self.speaker(number));
        let by = call.as_ref().and_then(|call| call.by.as_deref());
        let values = [
            ("name", name),
            ("by", by.map_or("the speaker", |by| self.name(by))),
            ("statement", &statement),
            ("speaker", speaker),
        ];
        call_words::filled(self.words(call.as_ref()), &values)
    }

    /// The purpose of a call, in the words of its format or of all formats.
    fn words(&self, call: Option<&CallId>) -> &'static str {
        call_words::purpose(self.profile, call)
    }

    fn speaker(&self, statement: u32) -> &str {
        let by = self.speakers.get(&statement);
        by.map_or("the speaker", |by| self.name(by))
    }

    /// The text on an event.
    pub(in crate::cli) fn told(&mut self, event: &Event) -> Vec<String> {
        match &event.kind {
            EventKind::Stance(stance) => self.stance(stance, event.round),
            EventKind::Summary(notes) => self.summary(notes),
            EventKind::Verdict(verdict) => self.verdict(verdict),
            EventKind::Complete(complete) => self.complete(complete),
            _ => self.line(event).into_iter().collect(),
        }
    }

    /// The lines of an event.
    pub(in crate::cli) fn lines(&mut self, event: &Event) -> Vec<String> {
        let told = self.told(event).into_iter();
        let level = if let EventKind::Incident(_) = event.kind { "WARN" } else { "INFO" };
        told.map(|line| format!("{level} {} - {line}", self.short_id)).collect()
    }

    /// The line of an event with at most one.
    fn line(&mut self, event: &Event) -> Option<String> {
        Some(match &event.kind {
            EventKind::DebateStart(_) => {
                let format = self.profile.name;
                format!("Starting {format} debate with {}", self.agents())
            }
            EventKind::RoundStart { .. } => {
                self.begun = true;
                round_name(event.round.unwrap_or(0))
            }
            EventKind::CallStart { .. } => return self.call_start(event),
            EventKind::Statement(statement) => self.statement(statement),
            EventKind::Comment(comment) => {
                format!("Comment on round {}: {}", comment.round, comment.text)
            }
            EventKind::AudienceOpen(window) => return voting(window),
            EventKind::Audience(vote) => {
                format!("The audience on round {}: {}", vote.round, vote.words())
            }
            EventKind::Ballot(ballot) if ballot.by.is_audience() => return None,
            EventKind::Ballot(ballot) => self.ballot(ballot),
            EventKind::Rotation(rotation) => self.rotation(rotation),
            EventKind::Interjection(i) => interruption(i),
            EventKind::FactCheck(check) => self.fact_check(check),
            EventKind::Rejection(rejection) => {
                let (by, reasons) = (self.name(&rejection.by), rejection.reasons.join("; "));
                format!("An earlier reply of {by} was rejected: {reasons}")
            }
            EventKind::Notes(notes) => noted(notes),
            EventKind::Retrieval(retrieval) => self.retrieval(retrieval),
            EventKind::Incident(Incident { kind, message, .. }) => format!("{kind}: {message}"),
            _ => return None,
        })
    }

    fn agents(&self) -> String {
        sorted(self.names.iter().map(|(id, name)| format!("{name} ({id})")))
    }

    fn call_start(&self, event: &Event) -> Option<String> {
        let attempt = event.metadata.attempt.unwrap_or(1);
        let attempt = text::told_if(attempt > 1, || format!(", attempt {attempt}"));
        let model = event.metadata.model.as_deref().unwrap_or("?");
        let role = event.metadata.role.as_deref()?;
        event.metadata.call.as_ref()?;
        let call = call_of(event);
        let place = place(self.stage(event), call.as_ref());
        if self.words(call.as_ref()) != SPEAKS {
            return Some(format!("{place}: {} ({model}{attempt})", self.doing(event)));
        }
        let turn = self.turns.get(role).copied().unwrap_or(0) + 1;
        let turn = format!("turn #{turn}, {model}{attempt}");
        Some(format!("{place}: {}'s turn ({turn})", self.name(role)))
    }

    fn statement(&mut self, statement: &Statement) -> String {
        let by = statement.by.clone();
        self.speakers.insert(statement.n, by.clone());
        let name = self.name(&by).to_owned();
        let ends = match statement {
            Statement { cut: true, .. } => ", cut",
            Statement { breaks_off: true, .. } => ", breaks off",
            _ => "",
        };
        let tokens = format!("({}{ends})", text::count(statement.tokens, "token"));
        if statement.model.is_none() && by == "moderator" {
            let by = self.profile.announced_by;
            return format!("{by}: {}", statement.phase.name());
        }
        if statement.phase == Phase::INTERJECTION {
            let before = self.speaker(statement.n.saturating_sub(1));
            return format!("{name} interrupts {before} {tokens}");
        }
        if !self.contestants.contains(&by) {
            return format!("{name}: {} {tokens}", statement.phase.words());
        }
        let turn = self.turns.entry(by).or_default();
        *turn += 1;
        format!("{name} completed turn {turn} {tokens}")
    }

    fn stance(&mut self, stance: &Stance, round: Option<u32>) -> Vec<String> {
        let word = stance.stance.as_deref().unwrap_or("no valid stance");
        let id = &stance.by.id;
        let mut lines = vec![format!("{} {}", self.name(id), self.standing(stance, word))];
        self.stances.insert(id.clone(), word.to_owned());
        self.untold += 1;
        if self.untold >= self.specialists {
            lines.extend(self.tally(round));
        }
        lines
    }

    fn standing(&self, stance: &Stance, word: &str) -> String {
        let Some(from) = &stance.moved_from else { return format!("takes the stance: {word}") };
        let whose = stance.moved_by.as_ref().map(|id| format!(", crediting {}", self.name(id)));
        format!("moves from {from} to {word}{}", whose.unwrap_or_default())
    }

    /// The count of stances, if one was taken since the last count.
    fn tally(&mut self, round: Option<u32>) -> Option<String> {
        if std::mem::take(&mut self.untold) == 0 {
            return None;
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for stance in self.stances.values() {
            *counts.entry(stance).or_default() += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| Reverse(*count));
        let counts = text::separated(counts.iter().map(|(s, n)| format!("{s} {n}")), ", ");
        let when = round.map_or_else(|| "at the end".to_owned(), |n| format!("after round {n}"));
        Some(format!("Stances {when}: {counts}"))
    }

    fn summary(&mut self, notes: &RoundNotes) -> Vec<String> {
        let round = round_name(notes.round);
        let mut lines: Vec<String> = self.tally(Some(notes.round)).into_iter().collect();
        if !notes.summary.is_empty() {
            lines.push(format!("{round} in short: {}", notes.summary));
        }
        if !notes.headline.is_empty() {
            lines.push(format!("{round}: {}", notes.headline));
        }
        lines
    }

    fn ballot(&self, ballot: &Ballot) -> String {
        let total = ballot.reading.totals.get(&ballot.about).copied().unwrap_or_default();
        let total = text::fixed(total, 2);
        let (by, about) = (self.name(&ballot.by.id), self.name(&ballot.about));
        match ballot.vote() {
            Some(vote) => format!("{by} votes on {about}: {vote} ({total})"),
            None => format!("{by} cast no valid ballot"),
        }
    }

    fn fact_check(&self, check: &FactCheck) -> String {
        let claims = check.claims.iter();
        let found = claims.map(|c| format!("{} ({})", text::shorten(&c.claim, 100), c.verdict));
        let found = text::if_any(text::separated(found, "; "));
        let found = found.unwrap_or_else(|| "no claim to judge".to_owned());
        let by = self.name(&check.by.id);
        format!("{by} checked statement {}: {found}", check.about)
    }

    /// What each judge gave, and what it comes to.
    fn verdict(&mut self, verdict: &Verdict) -> Vec<String> {
        self.is_judged = true;
        let mut lines: Vec<String> =
            verdict.heard().map(|judge| self.judged(verdict, judge)).collect();
        let winner = match &verdict.winner {
            None => String::new(),
            Some(Winner::Draw) => ": a draw".to_owned(),
            Some(Winner::Side(id)) => format!(": {} wins", self.name(id)),
        };
        let (heard, all) = (lines.len(), text::count(verdict.judges.len(), "judge"));
        lines.push(format!("Verdict of {heard} of {all}{winner}"));
        lines
    }

    /// `Judge-1: Ann 4.20, Ben 3.90, then Ann 3.50, Ben 4.20; preferred whichever side was named first`
    fn judged(&self, verdict: &Verdict, judge: &VerdictJudge) -> String {
        let total =
            |(id, total): (&String, &f64)| format!("{} {}", self.name(id), text::fixed(*total, 2));
        let given = |reading: &Reading| text::separated(reading.totals.iter().map(total), ", ");
        let given = text::separated(judge.valid().map(given), ", then ");
        let turn = verdict.leaders().and_then(|leaders| judge.turn(leaders));
        let turned = turn.map(|turn| format!("; {}", turn.words()));
        format!("{}: {given}{}", self.name(&judge.judge.id), turned.unwrap_or_default())
    }

    fn rotation(&self, rotation: &Rotation) -> String {
        let (debater, next) = (self.name(&rotation.debater), self.name(&rotation.next));
        let (round, reason) = (rotation.round, &rotation.reason);
        if rotation.rotated {
            let lot = rotation.lot();
            format!("Rotation after round {round}: {debater} out, {next} in{lot} ({reason})")
        } else if rotation.voted_out {
            // The reason says why nobody comes in.
            format!("{debater} voted out after round {round} ({reason})")
        } else {
            format!("No rotation after round {round}: {debater} ({reason})")
        }
    }

    fn retrieval(&self, retrieval: &Retrieval) -> String {
        if let Some(cause) = &retrieval.cause {
            return format!("Nothing retrieved: {cause}");
        }
        let found = retrieval.found.iter();
        let used = found.filter(|it| retrieval.used.contains(&it.template));
        let near = used.map(|it| format!("{} ({:.2})", it.title, it.similarity));
        format!("Retrieved {}", text::separated(near, ", "))
    }

    fn complete(&mut self, complete: &Complete) -> Vec<String> {
        let mut lines: Vec<String> = self.tally(None).into_iter().collect();
        let outcome = complete.outcome.as_ref();
        let line = outcome
            .map(|outcome| outcome.line.as_str())
            .or(complete.cause.as_deref())
            .unwrap_or_default();
        let turns = self.turns.iter();
        let turns = sorted(turns.map(|(id, n)| format!("{} {n}", self.name(id))));
        let status = complete.status.word();
        lines.push(format!("Debate {status}: {line}. Turns: {turns}"));
        let decided_by = outcome.map_or("", |outcome| outcome.decided_by.as_str());
        // What judges gave is told before.
        if !decided_by.is_empty() && !self.is_judged {
            let decided_by = text::shorten(&text::one_line(decided_by), DECIDED_BY);
            lines.push(format!("Decided by: {decided_by}"));
        }
        lines
    }
}

/// Characters of the deciding factor in its line.
const DECIDED_BY: usize = 300;

fn sorted(parts: impl Iterator<Item = String>) -> String {
    let mut parts: Vec<String> = parts.collect();
    parts.sort();
    parts.join(", ")
}

/// The call of an event.
fn call_of(event: &Event) -> Option<CallId> {
    CallId::parse(event.metadata.call.as_deref()?)
}

fn noted(notes: &Notes) -> String {
    let points: usize = notes.statements.iter().map(|s| s.points.len()).sum();
    let moves = notes.statements.iter().flat_map(|s| &s.moves);
    let replies = moves.filter(|step| !step.how.is_own()).count();
    let (points, word) =
        (text::count(points, "new point"), if replies == 1 { "reply" } else { "replies" });
    format!("Notes: {points}, {replies} {word}")
}

/// Announces the end of voting, if there are voters.
fn voting(window: &VoteWindow) -> Option<String> {
    let (round, until) = (window.round, window.closes_at.format("%H:%M:%S"));
    let there = text::count(window.present, "voter");
    (window.closes_at > window.opened_at).then(|| {
        format!("The audience can vote on round {round} until {until} UTC; {there} present")
    })
}

fn interruption(interjection: &Interjection) -> String {
    let cause = match interjection.cause {
        InterjectionCause::Rule => "Broken rule",
        InterjectionCause::Fact if !interjection.also.is_empty() => "False claims",
        InterjectionCause::Fact => "False claim",
    };
    format!("{cause}: {}", interjection.points())
}

fn round_name(round: u32) -> String {
    if round == 0 { "Initial round".to_owned() } else { format!("Round {round}") }
}

/// The stage of a call, in words.
fn place(stage: Stage, call: Option<&CallId>) -> String {
    match (stage, call.map(|call| call.stage)) {
        (Stage::Round(round), _) => round_name(round),
        (_, Some(CallStage::Opening)) => "Opening".to_owned(),
        (_, Some(CallStage::Closing)) => "Closing".to_owned(),
        (Stage::Before, _) => "Before the rounds".to_owned(),
        (Stage::After, _) => "After the rounds".to_owned(),
    }
}
