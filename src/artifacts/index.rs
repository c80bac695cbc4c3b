//! `index.md`: what the debate was and one line a message, small enough for a model with a small context.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::arguments::{self, dialectic_ledger, map};
use super::artifact::{Artifact, rendered};
use super::context::with;
use super::judgments::self_judging;
use super::statement_place::{self, message_name};
use super::summary::{self, meaning, problems};
use super::{
    front, gist, interruptions, known_answer, positions, query, quotes, stances, who_argued,
};
use crate::event::{BY_CLERK, Incident, IncidentKind, Origin, Rejection, RoundNotes, Statement};
use crate::templates::{TemplateError, Templates};
use crate::text;
use crate::trace::Trace;

/// The tokens below which an index stays, by estimate.
pub(super) const MOST_TOKENS: u64 = 3000;

/// Up to so many messages, each has its own line and link.
const ALL_LISTED: usize = 100;
/// A claim as it stands.
const WHOLE: usize = usize::MAX;
/// The most characters of how an answer begins.
const ANSWER: usize = 300;
/// The least characters of where somebody stood in the end.
const STANCE: usize = 80;
/// Of more, the newest have, at most so many, and those that the arguments turn on.
const NEWEST_LISTED: usize = 40;

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Detail {
    /// The longest claim, in characters; 0 for none.
    gist: usize,
    /// Whether the map of arguments is drawn.
    map: bool,
    /// How many of the first rounds are folded.
    folded: usize,
    /// Whether each folded round has a line with a link; if not, one line stands for all.
    linked: bool,
}

/// From all there is to the least, each step shorter than the one before. The map is left out before a claim is shortened,
/// claims are shortened before any message loses its line, and rounds are folded before the newest lose their claims.
fn steps(trace: &Trace) -> impl Iterator<Item = Detail> {
    let first = least_folded(trace);
    let rounds = trace.rounds.len();
    let step = move |folded, linked, (gist, map)| Detail { gist, map, folded, linked };
    let all = [(WHOLE, true)].into_iter();
    let bare = [WHOLE, 110, 80, 60, 40, 25, 0].map(|gist| (gist, false));
    let whole = all.chain(bare).map(move |how| step(first, true, how));
    let further = (first + 1..=rounds.max(1))
        .filter(move |folded| *folded <= rounds)
        .flat_map(move |folded| [(40, false), (0, false)].map(|how| step(folded, true, how)));
    let least = [40, 0].map(move |gist| step(rounds, false, (gist, false)));
    whole.chain(further).chain(least)
}

/// How many rounds are folded in any case, because there are too many messages to list them all.
fn least_folded(trace: &Trace) -> usize {
    if trace.statements.len() <= ALL_LISTED {
        return 0;
    }
    let listed = |folded: usize| {
        let last = trace.rounds[..folded].last().map(|notes| notes.round);
        let is_listed =
            |s: &&Statement| statement_place::filed_under(trace, s).is_none_or(|n| Some(n) > last);
        trace.statements.iter().filter(is_listed).count()
    };
    let mut all = 1..=trace.rounds.len();
    all.find(|folded| listed(*folded) <= NEWEST_LISTED).unwrap_or(trace.rounds.len())
}

/// The index in as much detail as fits, and where rounds are folded in it, the list of all messages.
pub(super) fn index(
    trace: &Trace,
    path: &str,
    templates: &Templates,
    others: &[Artifact],
) -> Result<Vec<Artifact>, TemplateError> {
    let mut is_folded = false;
    let front = front::text(&front::of(trace, path));
    let mut artifact = Artifact::new("", String::new());
    for detail in steps(trace) {
        let context = context(trace, detail, others);
        artifact = rendered("index.md", "artifacts/index.md.j2", templates, &context)?;
        // Not by the template: the front matter says which debate this is, whatever a user's template shows.
        artifact.content.insert_str(0, &format!("{front}\n"));
        is_folded = detail.folded > 0;
        if text::estimate_tokens(&artifact.content) < MOST_TOKENS {
            break;
        }
    }
    let list = is_folded.then(|| list(trace, templates)).transpose()?;
    Ok([artifact].into_iter().chain(list).collect())
}

/// `messages/index.md`: every message with its claim, under the heading of its round.
fn list(trace: &Trace, templates: &Templates) -> Result<Artifact, TemplateError> {
    let mut under = None;
    let lines: Vec<Value> = trace.statements.iter().map(|s| {
        let heading = match statement_place::filed_under(trace, s) {
            Some(round) => format!("Round {round}"),
            None => statement_place::phase_of(trace, s).title(),
        };
        let is_new = under.replace(heading.clone()) != Some(heading.clone());
        let line = message(trace, s, WHOLE);
        json!({"heading": is_new.then_some(heading), "message": line, "file": format!("{}.md", message_name(trace, s))})
    }).collect();
    let (path, context) = ("messages/index.md", with(trace, json!({"lines": lines})));
    rendered(path, "artifacts/messages.md.j2", templates, &context)
}

/// How many messages each participant has, with announcements that are ours, and how many of these hold notes or a ruling.
fn messages_by(trace: &Trace) -> Value {
    let of = |id: &str| {
        let own = trace.statements.iter().filter(|s| s.by == id);
        let quoting = own.clone().filter(|s| quotes::quoted(trace, s).is_some());
        json!({"all": own.count(), "quoting": quoting.count()})
    };
    trace.participants.iter().map(|p| (p.id.clone(), of(&p.id))).collect()
}

fn context(trace: &Trace, detail: Detail, others: &[Artifact]) -> Value {
    let folded = &trace.rounds[..detail.folded];
    with(
        trace,
        json!({
            "query": query::in_index(trace),
            "messages": messages(trace, detail, folded),
            "sizes": sizes(others),
            "map": (detail.map && arguments::by_clerk(trace)).then(|| map::map(trace)),
            "rounds": trace.rounds_held(),
            "folded": folded.first().zip(folded.last()).map(|(first, last)| (first.round, last.round)),
            "transcript": trace.plan.output["transcript"],
            "became_of": trace.contestants().map(|p| (p.id.clone(), json!(positions::became(trace, &[p.id.as_str()])))).collect::<Value>(),
            "judged_by": who_argued::judged_by(trace),
            "given": known_answer::given(trace).is_some(),
            "told_apart": who_argued::told_apart(trace),
            "messages_by": messages_by(trace),
            "answered_by": who_argued::answered_by(trace),
            // Where room is scarce, the summary says the rest.
            "meaning": match detail.gist {
                WHOLE => meaning::sentences(trace),
                _ => Vec::new(),
            },
            "answer": answer(trace),
            "stances": stances(trace, detail.gist),
            "own_judges": self_judging::notes(trace),
            "problems": problems::shown(trace).is_some(),
            "holds": summary::holds(trace),
        }),
    )
}

/// Where everyone stood in the end and why; where room is scarce, as far as there is any.
fn stances(trace: &Trace, most: usize) -> Vec<String> {
    let lines =
        stances::lines(trace).into_iter().map(|line| text::shorten(&line, most.max(STANCE)));
    lines.filter(|_| most > 0).collect()
}

/// How the debate's answer begins, where the outcome is another than that.
fn answer(trace: &Trace) -> Option<Value> {
    let s = statement_place::answer(trace)?;
    let said = statement_place::by_parts(&s.text).swap_remove(0);
    let first = text::first_sentence(&said, ANSWER);
    let begins = text::beginning(&text::unmarked(&said), ANSWER);
    let outcome = &trace.outcome.as_ref()?.line;
    // An outcome that begins with the answer shortens it more.
    let shortened = outcome.split_once('…');
    let is_told = text::behind(outcome, &first).is_some()
        || shortened.is_some_and(|(said, _)| !said.is_empty() && begins.starts_with(said));
    let file = format!("messages/{}.md", message_name(trace, s));
    (!is_told).then(|| json!({"by": trace.name_of(&s.by), "begins": begins, "file": file}))
}

/// A line per message; of folded rounds, one line each or one for all, where the first of their messages stood, and a line
/// for each message that the arguments turn on.
fn messages(trace: &Trace, detail: Detail, folded: &[RoundNotes]) -> Vec<Value> {
    let last = folded.last().map(|notes| notes.round);
    let round =
        |s: &Statement| statement_place::filed_under(trace, s).filter(|round| Some(*round) <= last);
    let group = |s: &Statement| round(s).map(|round| if detail.linked { round } else { 0 });
    let turning = arguments::turning(trace);
    let mut lines = Vec::new();
    let mut told = BTreeSet::new();
    for s in &trace.statements {
        match group(s) {
            None => lines.push(message(trace, s, detail.gist)),
            Some(new) if told.insert(new) => {
                let all = trace.statements.iter().filter(|s| group(s) == Some(new));
                lines.push(json!({
                    "folded_from": s.n,
                    "folded_to": all.map(|s| s.n).max(),
                    "round": detail.linked.then_some(new),
                }));
            }
            Some(_) => {}
        }
        if group(s).is_some() && turning.contains(&s.n) {
            lines.push(message(trace, s, detail.gist));
        }
    }
    lines
}

/// The length of other files in tokens, so that a reader with little room can choose. None of a file in which times stand:
/// it would differ between debates that are equal (row J8).
fn sizes(others: &[Artifact]) -> Value {
    let timeless = others.iter().filter(|file| file.path != "metadata.md");
    let size = |file: &Artifact| {
        let name = file.path.trim_end_matches(".md").to_owned();
        (name, json!(text::estimate_tokens(&file.content)))
    };
    Value::Object(timeless.map(size).collect())
}

fn message(trace: &Trace, s: &Statement, gist: usize) -> Value {
    json!({
        "n": format!("{:03}", s.n),
        "file": format!("messages/{}.md", message_name(trace, s)),
        "round": statement_place::round_of(trace, s),
        "phase": s.phase.words(),
        "name": trace.name_of(&s.by),
        "gist": (gist > 0).then(|| text::shorten(&said(trace, s), gist)),
        "tokens": s.tokens,
        "note": caution(trace, s),
    })
}

/// What a reader must know of a message before trusting it, in one line: of itself, and whether it was interrupted.
pub(super) fn caution(trace: &Trace, s: &Statement) -> Option<String> {
    text::if_any(text::separated(
        notes(trace, s).into_iter().chain(interruptions::of(trace, s)),
        ", ",
    ))
}

/// What a message says, in a line: of a critique, behind what it came to.
fn said(trace: &Trace, s: &Statement) -> String {
    let gist = gist::gist(trace, s);
    let Some(came_to) = dialectic_ledger::came_to(trace, s) else { return gist };
    let came_to = Some(text::sentence(came_to)).filter(|_| came_to != gist);
    let said = came_to.into_iter().chain([gist]).map(|said| text::capitalised(&said));
    text::separated(said, " ")
}

/// What it is about a message itself, in one line.
pub(super) fn note(trace: &Trace, s: &Statement) -> Option<String> {
    text::if_any(notes(trace, s).join(", "))
}

/// What a reader must know of a message before trusting it.
pub(super) fn notes(trace: &Trace, s: &Statement) -> Vec<String> {
    let origin = match s.origin {
        Origin::Emergency => Some("emergency reply, no model spoke".to_owned()),
        Origin::Fallback => Some("from a fallback model".to_owned()),
        Origin::Model | Origin::Template | Origin::Debate => None,
    };
    let cut = if origin.is_some() { "cut" } else { "cut at the limit" };
    let cut = s.cut.then(|| cut.to_owned());
    let is_of_it = |it: &Incident| it.kind == IncidentKind::BreaksOff && it.call == s.call;
    let lacks_end = s.call.is_some() && trace.incidents.iter().any(is_of_it);
    let how = if s.breaks_off { "breaks off in mid-sentence" } else { "ends without a full stop" };
    let broke_off = (s.breaks_off || lacks_end).then(|| how.to_owned());
    let objections = (!s.objections.is_empty()).then(|| {
        let all = s.objections.join("; ");
        format!("kept although {}", text::shorten(&all, 160))
    });
    let voices = (!s.voices.is_empty())
        .then(|| format!("has lines in the name of {}", text::joined(&s.voices, "and")));
    let all = [origin, cut, broke_off, objections, voices, rejected(trace, s)];
    all.into_iter().flatten().collect()
}

/// Characters of why replies were discarded.
const REJECTED: usize = 120;

/// The replies before the one that was taken: `first reply discarded: it says again what was said`; measurements, and what the clerk
/// says of it, stand in `metadata.md`.
pub(super) fn rejected(trace: &Trace, s: &Statement) -> Option<String> {
    let all: Vec<&Rejection> =
        trace.rejections.iter().filter(|it| s.call.as_ref() == Some(&it.call)).collect();
    let found = |reason: &String| {
        let found = reason.split_once(BY_CLERK).or_else(|| reason.split_once(" ("));
        found.map_or(reason.clone(), |(found, _)| found.to_owned())
    };
    let reasons = all.iter().flat_map(|rejection| &rejection.reasons);
    // What the reply that was taken has as well is told of that.
    let why = reasons.filter(|reason| !s.objections.contains(reason)).map(found);
    let which = match all.len() {
        0 => return None,
        1 => "first reply".to_owned(),
        n => format!("{n} replies"),
    };
    let why = text::if_any(text::joined(text::distinct(why), "and"));
    let why = why.map_or_else(String::new, |why| format!(": {why}"));
    Some(text::shorten(&format!("{which} discarded{why}"), REJECTED))
}
