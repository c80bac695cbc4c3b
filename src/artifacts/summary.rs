//! `summary.md`: what it came to and how sure that is, the story, what decided it, how the arguments ended, scores, the
//! course, and what did not go as asked. Each thing is told once.

mod dialectic_story;
pub(super) mod exchanges;
mod length;
pub(super) mod meaning;
pub(super) mod problems;
pub(super) mod story;

use serde_json::{Value, json};

use super::arguments::{self, dialectic_ledger};
use super::artifact::{Artifact, rendered};
use super::context::with;
use super::judgments::verdict::verdict;
use super::judgments::{ballots, decided, labels, panels, self_judging};
use super::statement_place::message_name;
use super::{index, known_answer, other_participants, query, stances, statement_place, who_argued};
use crate::event::Winner;
use crate::job::background::Background;
use crate::templates::{TemplateError, Templates};
use crate::text;
use crate::trace::Trace;

/// The summary, with the targets of its links at its end: a text full of paths is hard to read.
pub(super) fn summary(
    trace: &Trace,
    told: &Value,
    templates: &Templates,
) -> Result<Artifact, TemplateError> {
    let mut file = rendered("summary.md", "artifacts/summary.md.j2", templates, told)?;
    let links = links(trace, &file.content);
    file.content.push_str(&links);
    Ok(file)
}

/// Titles of its sections, as the template has them.
pub(super) const STORY: &str = "In short";
pub(super) const ARGUMENTS: &str = "How the arguments ended";
pub(super) const COURSE: &str = "The course";
pub(super) const PROBLEMS: &str = "Problems";
/// How the title of the one with the answer begins.
pub(super) const ANSWER: &str = "Answer by ";

/// What the templates of summary and page show.
pub(super) fn context(trace: &Trace) -> Value {
    let (rounds, apart) = exchanges::shown(trace);
    with(
        trace,
        json!({
            "query": query::of(trace),
            "ratings": trace.labels.iter().filter(|label| label.name == "rating").collect::<Vec<_>>(),
            "people": labels::line(trace),
            "meaning": meaning::sentences(trace),
            "answer": answer(trace),
            "answers": known_answer::given(trace),
            "who": who_argued::lines(trace),
            "also": other_participants::line(trace),
            "given": given(trace, BACKGROUND),
            "judged_by": who_argued::judged_by(trace),
            "in_short": story::shown(trace),
            "summed_up": summed_up(trace),
            "decided_title": decided_title(trace),
            "what_decided": decided::lead(trace),
            "rounds_won": decided::rounds(trace),
            "arguments": arguments::ended(trace),
            "clerk": who_argued::clerk(trace),
            "compared": dialectic_ledger::compared(trace),
            "ledger": dialectic_ledger::rows(trace),
            "panels": panels::shown(trace),
            "verdicts": trace.own_verdicts().map(|v| verdict(trace, v)).collect::<Vec<_>>(),
            "ballots": ballots::shown(trace),
            "stances": stances::shown(trace),
            "interjections": apart,
            "claims": exchanges::claims(trace),
            "course": rounds.iter().filter(|line| line.is_told()).collect::<Vec<_>>(),
            "rounds": rounds,
            "trouble": problems::shown(trace),
            "own_judges": self_judging::notes(trace),
            "holds": holds(trace),
        }),
    )
}

/// What the summary has, in words for links to it: `the story, the judges' reasons, how the arguments ended, scores`.
pub(super) fn holds(trace: &Trace) -> String {
    let has_answer = statement_place::answer(trace).is_some();
    let is_judged = trace.own_verdicts().next().is_some();
    let parts = [
        (has_answer, "the answer"),
        (!has_answer, "the story"),
        (!trace.stances.is_empty(), "the stances and their reasons"),
        (is_judged, "the judges' reasons"),
        (!trace.ballots.is_empty(), "the votes and their reasons"),
        (!trace.flow.points.is_empty(), "how the arguments ended"),
        (is_judged || !trace.ballots.is_empty(), "scores"),
    ];
    let held = parts.into_iter().filter(|(is_there, _)| *is_there);
    text::separated(held.map(|(_, words)| words), ", ")
}

/// What stands over the judges' reasons: on a single answer, they decide nothing.
fn decided_title(trace: &Trace) -> &'static str {
    let is_answer = answer(trace).is_some();
    let is_draw = trace.outcome.as_ref().is_some_and(|it| it.winner == Some(Winner::Draw));
    let judges = trace.own_verdicts().flat_map(|verdict| &verdict.judges);
    match (is_answer, judges.count()) {
        (false, 0) if !trace.ballots.is_empty() => "Why the team voted so",
        (false, 1..) if is_draw => "Why it was a draw",
        (false, _) | (true, 0) => "What decided it",
        (true, 1) => "What the judge said",
        (true, _) => "What the judges said",
    }
}

/// Characters of the background, of all texts and lists together.
const BACKGROUND: usize = 400;
/// Characters below which the beginning of a text or a fact says nothing.
const LEAST_BACKGROUND: usize = 60;

/// What participants were given, which a reader might take for their claims: the background, texts and lists of facts under their
/// names; the rules; how each was described. Of each, so many characters.
pub(super) fn given(trace: &Trace, most: usize) -> Vec<(String, Vec<String>)> {
    let pieces: Vec<Background> =
        serde_json::from_value(trace.plan.background.clone()).unwrap_or_default();
    let mut room = most;
    let said = pieces.iter().flat_map(|piece| match piece {
        Background::Text(said) => vec![match in_list(said) {
            Some(list) => listed(&list, &mut room),
            None => (begun(said, &mut room), Vec::new()),
        }],
        Background::Facts(lists) => lists.iter().map(|list| listed(list, &mut room)).collect(),
    });
    let mut given: Vec<(String, Vec<String>)> = said.collect();
    let described = trace.participants.iter().filter_map(|p| {
        let description = p.sampling.get("description")?.as_str()?;
        (!description.is_empty()).then(|| format!("{}: {description}", p.name))
    });
    let lists = [("rules", trace.plan.rules.clone()), ("descriptions", described.collect())];
    let lists = lists.into_iter().filter(|(_, all)| !all.is_empty());
    given.extend(lists.map(|(name, all)| listed(&(name.to_owned(), all), &mut { most })));
    given
}

/// As much of a text as fits.
fn begun(said: &str, room: &mut usize) -> String {
    if *room < LEAST_BACKGROUND {
        return "A text in metadata.md".to_owned();
    }
    let whole = text::unmarked(said);
    let begun = text::beginning(&whole, *room);
    *room = room.saturating_sub(begun.chars().count());
    if begun == whole {
        begun
    } else {
        format!("{} {} (whole in metadata.md)", begun.trim_end_matches('…'), text::LEFT_OUT)
    }
}

/// A text that is a list, under a heading or none, as the name of a list and its facts.
fn in_list(said: &str) -> Option<(String, Vec<String>)> {
    let mut lines = said.lines().filter(|line| !line.trim().is_empty()).peekable();
    let title = lines.next_if(|line| line.starts_with('#')).unwrap_or("Background");
    let mut facts: Vec<String> = Vec::new();
    for line in lines {
        match (line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")), facts.last_mut()) {
            (Some(fact), _) => facts.push(text::unmarked(fact)),
            (None, Some(last)) if line.starts_with(' ') => {
                *last = format!("{last} {}", line.trim());
            }
            _ => return None,
        }
    }
    (facts.len() > 1).then(|| (text::unmarked(title), facts))
}

/// A list's name with as many of its facts as fit, the first shortened if need be, and how many more there are.
fn listed((name, facts): &(String, Vec<String>), room: &mut usize) -> (String, Vec<String>) {
    let mut told: Vec<String> = Vec::new();
    for fact in facts {
        let mut fact = text::one_line(fact);
        if told.is_empty() && *room >= LEAST_BACKGROUND {
            fact = text::shorten(&fact, *room);
        }
        let Some(left) = room.checked_sub(fact.chars().count()) else { break };
        *room = left;
        told.push(fact);
    }
    let more = facts.len() - told.len();
    let words = if told.is_empty() {
        format!("{more} in metadata.md")
    } else {
        format!("and {more} more in metadata.md")
    };
    told.extend((more > 0).then_some(words));
    (format!("{}:", text::capitalised(&name.replace('_', " "))), told)
}

/// The targets of the statements that a text names in brackets.
fn links(trace: &Trace, text: &str) -> String {
    let is_named = |name: &str| text.contains(&format!("[{name}]"));
    let statements = trace.statements.iter().map(|s| {
        let target = format!("messages/{}.md", message_name(trace, s));
        (statement_place::number(s.n), target)
    });
    let named = statements.filter(|(name, _)| is_named(name));
    let lines = named.map(|(name, target)| format!("\n[{name}]: {target}"));
    match lines.collect::<String>() {
        none if none.is_empty() => none,
        lines => lines + "\n",
    }
}

/// The most characters of how somebody's own summary ends.
const ENDING: usize = 400;

/// The debate's answer, whole: it is the outcome.
fn answer(trace: &Trace) -> Option<Value> {
    let s = statement_place::answer(trace)?;
    let title = format!("{ANSWER}{}", story::with_model(trace, &s.by));
    Some(
        json!({"title": title, "text": statement_place::untitled(&s.text), "note": index::note(trace, s), "n": statement_place::number(s.n)}),
    )
}

/// Where somebody summed the debate up at more length than a story has, with how that ends: what stayed open comes last.
fn summed_up(trace: &Trace) -> Option<Value> {
    let s = statement_place::final_text(trace).filter(|s| statement_place::is_summary(s))?;
    let is_told = story::summary(trace).is_some();
    let ends = (!s.cut).then(|| ending(&s.text));
    (!is_told).then(
        || json!({"name": trace.name_of(&s.by), "n": statement_place::number(s.n), "ends": ends}),
    )
}

/// How a summary ends: its last paragraph, or of one alone its last sentence.
fn ending(said: &str) -> String {
    let paragraphs = said.split("\n\n").filter(|it| !it.trim().is_empty());
    let last = match paragraphs.collect::<Vec<_>>()[..] {
        [_, .., last] => text::unmarked(last),
        _ => text::split_sentences(said).pop().unwrap_or_default(),
    };
    text::beginning(&last, ENDING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a9_all_of_a_background_share_its_room() {
        let list = ("facts".to_owned(), vec!["word ".repeat(100), "f".repeat(80)]);
        let mut room = BACKGROUND;
        let (_, told) = listed(&list, &mut room);
        assert!(told[0].starts_with("word word") && told[0].chars().count() <= BACKGROUND);
        assert_eq!(told[1..], ["and 1 more in metadata.md"]);
        assert_eq!(listed(&list, &mut room).1, ["2 in metadata.md"]);
        let text = "# Sandholm\n\n- It has a *wall*,\n  raised in 1994.\n- It is old.\n";
        let facts = ["It has a wall, raised in 1994.", "It is old."].map(str::to_owned);
        assert_eq!(in_list(text), Some(("Sandholm".to_owned(), facts.to_vec())));
        assert_eq!(in_list("It is old.\n- It has a wall.\n- And more."), None);
        for (text, ends) in [("It is so. ", "so. […]"), ("and so it is ", "and so […]")] {
            let told = begun(&text.repeat(20), &mut 60);
            assert!(told.ends_with(&format!("{ends} (whole in metadata.md)")), "{told}");
        }
    }
}
