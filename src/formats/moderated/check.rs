//! Checks of a statement for false claims (row D5), then for broken rules (row D4), with at most one finding.

use serde::Serialize;
use serde_json::{Value, json};

use super::doubts;
use super::rules::all_rules;
use super::session::Session;
use super::settings::{FACT_CHECKER, MODERATOR};
use crate::call_id::{CallId, CallStage};
use crate::event::{Claim, EventKind, FactCheck, InterjectionCause, Judge, Reading, Statement};
use crate::floor::{Answer, Question, Result, line, object};
use crate::job::participant::Participant;
use crate::text;

/// Maximum claims of a statement that are checked.
const CLAIMS: u32 = 3;
/// Characters of a statement's beginning, and of its end, which identify it to the checker.
const QUOTED: usize = 60;
/// Minimum letters of the words that show whether a claim was made.
const LONGER_WORD: usize = 4;
/// The possible verdicts on a claim.
pub(super) const VERDICTS: [&str; 3] = [Claim::TRUE, Claim::FALSE, "unproven"];

/// A reason to interrupt a speaker.
pub(super) struct Finding<'a> {
    /// The id of the participant who found it and speaks up.
    pub(super) by: &'a str,
    pub(super) cause: InterjectionCause,
    /// The broken rule or the first false claim.
    pub(super) fault: Fault,
    /// Further false claims of the statement.
    pub(super) also: Vec<Fault>,
    pub(super) judge: Judge,
    /// The judgment, whose reason is the reason for the finding.
    pub(super) reading: Reading,
}

/// A broken rule or a false claim, with the reason why it is one.
#[derive(Serialize)]
pub(super) struct Fault {
    pub(super) point: String,
    reason: String,
}

/// The finding against a statement, if any. Facts are checked first, and rules only where nobody is to be interrupted for a
/// false claim: whether something was invented, the fact checker knows better. A check that cannot be used finds nothing.
pub(super) async fn statement(
    session: &mut Session<'_>,
    statement: &Statement,
) -> Result<Option<Finding<'static>>> {
    let plan = session.floor.plan();
    let checker = plan.participant(FACT_CHECKER);
    let moderator = plan.participant(MODERATOR).filter(|_| session.settings.enforces_rules());
    if let Some(by) = checker {
        let answer = session.floor.ask(&fact_question(session, statement)).await?;
        let found = facts_found(session, statement, by, &answer);
        if found.is_some() {
            return Ok(found);
        }
    }
    let Some(by) = moderator else { return Ok(None) };
    let answer = session.floor.ask(&rules_question(session, statement)).await?;
    Ok(rules_found(session, statement, by, &answer))
}

/// Puts a fact check into the debate, and returns the false claims to correct, if any.
fn facts_found(
    session: &mut Session<'_>,
    statement: &Statement,
    checker: &Participant,
    answer: &Answer,
) -> Option<Finding<'static>> {
    let check = FactCheck {
        round: statement.round,
        about: statement.n,
        by: answer.judge(checker),
        claims: noted(claims(&answer.value), &statement.text),
        reading: reading(answer, statement, String::new()),
    };
    let finding = false_claims(&check).filter(|_| session.settings.corrects_claims());
    let (event, model) = (EventKind::FactCheck(check.clone()), check.by.model.as_deref());
    session.floor.emit(event, Some(FACT_CHECKER), model);
    session.checks.push(check);
    finding
}

fn fact_question(session: &Session<'_>, statement: &Statement) -> Question<'static> {
    let stage = CallStage::Statement(statement.n);
    let line =
        |words: u32| json!({"type": "string", "minLength": 8, "maxLength": text::room_for(words)});
    let claim = object(json!({
        "claim": line(25),
        "reason": line(30),
        "verdict": {"type": "string", "enum": VERDICTS},
    }));
    Question {
        call: CallId::new(stage, "fact_check", FACT_CHECKER),
        by: FACT_CHECKER,
        template: "prompts/moderated/fact_check.md.j2",
        context: about(session, statement, json!({"claims": CLAIMS})),
        blind: false,
        schema: object(json!({
            "claims": {"type": "array", "items": claim, "minItems": 0, "maxItems": CLAIMS},
        })),
    }
}

/// Adds to a check's task which statement it is about, since later statements may follow it in the record.
fn about(session: &Session<'_>, statement: &Statement, mut context: Value) -> Value {
    context["speaker"] = json!(session.advocate(&statement.by));
    context["begins"] = json!(text::shorten(&statement.text, QUOTED));
    context["ends"] = json!(text::ending(text::without_mark(&statement.text), QUOTED));
    context["kind"] = json!(match statement.phase.name() {
        kind @ ("opening" | "closing") => format!("{kind} statement"),
        kind => format!("last {kind}"),
    });
    context
}

/// The claims that are clearly false, if any.
fn false_claims(check: &FactCheck) -> Option<Finding<'static>> {
    let is_false = |claim: &&Claim| claim.is_false() && claim.note.is_none();
    let mut faults = check
        .claims
        .iter()
        .filter(is_false)
        .map(|claim| Fault { point: claim.claim.clone(), reason: claim.reason.clone() });
    let fault = faults.next()?;
    Some(Finding {
        by: FACT_CHECKER,
        cause: InterjectionCause::Fact,
        judge: check.by.clone(),
        reading: Reading { reason: fault.reason.clone(), ..check.reading.clone() },
        also: faults.collect(),
        fault,
    })
}

/// The claims, with the reason if a false one is only noted: small models list a claim twice with different verdicts, or list
/// one that nobody made.
fn noted(claims: Vec<Claim>, statement: &str) -> Vec<Claim> {
    let note = |claim: &Claim| {
        let mut same = claims.iter().filter(|other| other.claim == claim.claim);
        if !same.all(Claim::is_false) {
            Some("it was also called otherwise")
        } else if !was_made(&claim.claim, statement) {
            Some("few of its words are in the statement")
        } else {
            None
        }
    };
    let noted = |claim: &Claim| Claim {
        note: note(claim).filter(|_| claim.is_false()).map(str::to_owned),
        ..claim.clone()
    };
    claims.iter().map(noted).collect()
}

/// Whether at least half of a claim's longer words are in the statement. A script without ASCII letters passes.
fn was_made(claim: &str, statement: &str) -> bool {
    let (claim, statement) = (claim.to_lowercase(), statement.to_lowercase());
    let words = claim.split(|c: char| !c.is_ascii_alphanumeric());
    let (known, unknown): (Vec<&str>, Vec<&str>) =
        words.filter(|word| word.len() >= LONGER_WORD).partition(|word| statement.contains(word));
    known.len() >= unknown.len()
}

/// The claims in a reply, each once.
fn claims(value: &Value) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    for value in value["claims"].as_array().into_iter().flatten() {
        let claim = Claim {
            claim: line(&value["claim"]),
            reason: line(&value["reason"]),
            verdict: line(&value["verdict"]),
            note: None,
        };
        let known = |c: &Claim| c.claim == claim.claim && c.verdict == claim.verdict;
        if !claims.iter().any(known) {
            claims.push(claim);
        }
    }
    claims
}

fn rules_question<'q>(session: &Session<'_>, statement: &Statement) -> Question<'q> {
    let rules = all_rules(session.floor);
    Question {
        call: CallId::new(CallStage::Statement(statement.n), "check", MODERATOR),
        by: MODERATOR,
        template: "prompts/moderated/check.md.j2",
        context: about(
            session,
            statement,
            json!({
                "all_rules": rules,
                "of_the_job": !session.floor.plan().rules.is_empty(),
                "checked": doubts::about(session, statement.n),
            }),
        ),
        blind: false,
        schema: object(json!({
            "because": {"type": "string", "minLength": 8, "maxLength": text::room_for(30)},
            "breach": {"type": "boolean"},
            "rule": {"type": "integer", "minimum": 0, "maximum": rules.len()},
        })),
    }
}

fn rules_found(
    session: &Session<'_>,
    statement: &Statement,
    moderator: &Participant,
    answer: &Answer,
) -> Option<Finding<'static>> {
    let rules = all_rules(session.floor);
    let broken = answer.value["breach"].as_bool().unwrap_or(false);
    let number = answer.value["rule"].as_f64().unwrap_or_default() as usize;
    let rule = number.checked_sub(1).and_then(|at| rules.get(at));
    let because = line(&answer.value["because"]);
    rule.filter(|_| broken).map(|rule| Finding {
        by: MODERATOR,
        cause: InterjectionCause::Rule,
        fault: Fault { point: (*rule).to_owned(), reason: because.clone() },
        also: Vec::new(),
        judge: answer.judge(moderator),
        reading: reading(answer, statement, because),
    })
}

fn reading(answer: &Answer, about: &Statement, reason: String) -> Reading {
    Reading { reason, ..answer.reading(vec![about.by.clone()], "") }
}

#[cfg(test)]
mod tests {
    use super::was_made;

    #[test]
    fn d5_a_claim_was_made_if_half_of_its_longer_words_were_said() {
        let said = "In Australia voting has been compulsory since 1924, and turnout is high.";
        assert!(was_made("Voting is compulsory in Australia.", said));
        assert!(was_made("Turnout in Australia fell.", said));
        assert!(!was_made("The claim is a list of three sentences.", said));
        assert!(was_made("澳大利亚实行强制投票", "澳大利亚的投票是强制的"));
    }
}
