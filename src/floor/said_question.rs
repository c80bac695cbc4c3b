//! The question that a statement asks, verbatim: the clerk only says whether there is one.

use crate::event::Statement;
use crate::job::participant::Participant;
use crate::plan::Plan;
use crate::text::{self, mentions, overlap::is_stop_word};

/// Maximum characters of a question.
const MOST: usize = 300;
/// Maximum characters of a question with the sentence before it.
const WITH_CONTEXT: usize = 240;
/// Maximum questions of a statement that are looked at, the last.
const LOOKED_AT: usize = 20;
/// Words with a meaning that may stand before one that refers to a sentence before: behind more, it mostly refers to these.
const NAMING: usize = 3;
/// Words for what a sentence before names. Of other languages a question stands alone.
const REFERRING: [&str; 14] = [
    "it", "they", "them", "this", "these", "those", "he", "she", "him", "her", "two", "both",
    "either", "neither",
];
/// Words behind which `that` refers, as it does where nothing stands before it; behind others, it mostly joins two clauses.
const BEFORE_THAT: [&str; 14] =
    ["", "do", "does", "did", "is", "was", "would", "can", "of", "for", "with", "in", "to", "at"];

/// How demands in the first person begin.
const ASKING: [&str; 6] =
    ["I ask ", "So I ask ", "I would ask ", "I invite ", "I challenge ", "I urge "];
/// How orders go on behind the name of whom they are for.
const ORDERS: [&str; 3] = ["tell ", "show ", "name "];
/// Maximum words before what is demanded: a name.
const NAME: usize = 5;

/// Words with which a speaker goes on to press a question rather than to answer it.
const PRESSING: [&str; 13] = [
    "you", "your", "ask", "question", "answer", "answered", "tell", "opponent", "nobody", "never",
    "say", "says", "said",
];

/// What a statement asks of someone, unless it is the debate's own question; without a question mark, what it demands. Where there
/// are several to ask, of several questions the last that names `of`, or anybody if that is nobody in particular. Without a clerk's
/// word that it asks something, as for `of`, none that it answers itself, as far as its English tells.
pub(super) fn asked(
    plan: &Plan,
    statement: &Statement,
    of: Option<&Participant>,
) -> Option<String> {
    let profile = plan.format.profile;
    let argue = || plan.participants.iter().filter(|p| profile.argues(p) && p.id != statement.by);
    let names_another = |text: &str| argue().any(|p| names(plan, text, &p.name));
    let several = text::distinct(argue().filter_map(|p| profile.side(p))).len() > 1;
    let names_it =
        |text: &str| of.map_or_else(|| names_another(text), |p| names(plan, text, &p.name));
    let is_meant = |text: &str| several && names_it(text);
    let said = text::without_mark(&statement.text);
    let keeps_all = of.is_none() || !plan.is_in_english();
    let question = question(said, several, keeps_all, names_another, is_meant);
    let question = question.or_else(|| demanded(said, &names_another))?;
    (!question.contains(&plan.topic)).then_some(question)
}

/// Whether a text names a participant.
pub(super) fn names(plan: &Plan, text: &str, name: &str) -> bool {
    mentions::names(text, name, everyone(plan))
}

/// The names of all participants.
pub(super) fn everyone(plan: &Plan) -> impl Iterator<Item = &str> + Clone {
    plan.participants.iter().map(|other| other.name.as_str())
}

/// A text's last question that is meant, or else its last, without what only announces it; that stays where it names one of several
/// who may be asked. Small clerks say of nearly every statement that it asks something, so that the words must show it.
fn question(
    statement: &str,
    many: bool,
    is_noted: bool,
    names: impl Fn(&str) -> bool,
    is_meant: impl Fn(&str) -> bool,
) -> Option<String> {
    let ends = statement.rmatch_indices(['?', '？']).take(LOOKED_AT);
    let ending = |end| {
        let asked = ending_at(statement, end, many, &names)?;
        (is_noted || !answers_itself(&asked, &statement[end..], &names)).then_some(asked)
    };
    let mut all = ends.filter_map(|(end, _)| ending(end)).peekable();
    let last = all.peek().cloned();
    all.find(|question| is_meant(question)).or(last)
}

/// Whether a speaker plainly goes on to answer its own question, behind which `rest` begins: a statement follows in its paragraph,
/// and neither of them names anybody or presses for an answer.
fn answers_itself(asked: &str, rest: &str, names: &impl Fn(&str) -> bool) -> bool {
    let paragraph = rest.split("\n\n").next().unwrap_or_default();
    let behind = paragraph.trim_start_matches(|c: char| !c.is_alphanumeric());
    let mut next = text::split_sentences(behind).into_iter();
    let said = next.find(|next| !next.contains(['?', '？'])).map(|next| format!("{asked} {next}"));
    let presses =
        |said: &str| text::plain_words(&said.to_lowercase()).any(|it| PRESSING.contains(&it));
    said.is_some_and(|said| !names(&said) && !presses(&said))
}

/// The last demand of a text, such as `I ask Ann to name its size.`
fn demanded(said: &str, names_another: &impl Fn(&str) -> bool) -> Option<String> {
    let mut sentences = text::split_sentences(said);
    let at = sentences.iter().rposition(|it| demands(it, names_another))?;
    let demand = sentences.swap_remove(at);
    Some(closed(&text::shorten(demand.trim_start_matches(is_mark), MOST), None))
}

/// Whether a sentence is `I ask Ann to name its size` or `Ann, tell us who paid`. In doubt it is no demand, since it would be put to
/// an opponent as a question. Of other languages only questions with a mark are known.
fn demands(sentence: &str, names: &impl Fn(&str) -> bool) -> bool {
    let said = sentence.trim_start_matches(is_mark);
    let is_name = |who: &str| who.split_whitespace().count() <= NAME && names(who);
    let asked = ASKING.iter().find_map(|begins| said.strip_prefix(begins)?.split_once(" to "));
    let orders = |what: &str| {
        let what = what.trim_start().trim_start_matches("please ");
        ORDERS.iter().any(|begins| what.starts_with(begins))
    };
    let ordered = said.split_once(',').filter(|(_, what)| orders(what));
    asked.or(ordered).is_some_and(|(who, _)| is_name(who))
}

/// The question whose mark stands at `end`.
fn ending_at(said: &str, end: usize, many: bool, names: &impl Fn(&str) -> bool) -> Option<String> {
    let (before, rest) = said.split_at(end);
    // A full stop within a number does not end a sentence, nor does a single line break.
    let ends = [". ", ".\n", "! ", "!\n", "? ", "?\n", "\n\n", "。", "！", "？"];
    let begins =
        ends.iter().filter_map(|end| Some(before.rfind(end)? + end.len())).max().unwrap_or(0);
    let whole = text::one_line(before[begins..].trim_matches(is_mark));
    let lead = whole.split_once(": ");
    let behind_lead = lead.filter(|(lead, _)| announces(lead) && !(many && names(lead)));
    let asked = format!("{}?", behind_lead.map_or(whole.as_str(), |(_, asked)| asked));
    if !asked.contains(char::is_alphanumeric) {
        return None;
    }
    // What says itself that it is a question, or for whom, can be understood alone.
    let stands_alone = lead.is_some_and(|(lead, _)| announces(lead) || names(lead));
    let context = if stands_alone { None } else { with_context(&before[..begins], &asked) };
    let told = context.unwrap_or_else(|| text::shorten(&asked, MOST));
    let told = closed(&told, rest.chars().nth(1));
    let told = if behind_lead.is_some() { text::capitalised(&told) } else { told };
    match demand_behind(rest, names).filter(|_| !stands_alone && !names(&told)) {
        Some(demand) => Some(text::shorten(&format!("{told} {demand}"), MOST)),
        None => Some(told),
    }
}

/// A demand behind a question and before the next, which says whom it is for: `Who pays? Ann, tell me that.`
fn demand_behind(rest: &str, names: &impl Fn(&str) -> bool) -> Option<String> {
    let paragraph = rest.split("\n\n").next()?.trim_start_matches(['?', '？']);
    let until = paragraph.find(['?', '？']);
    let said = paragraph[..until.unwrap_or(paragraph.len())].rsplit_once(['.', '!']);
    demanded(&format!("{}.", said?.0), names)
}

/// Whether what stands before a colon only announces a question: `So my question`, `Nobody answered, so I say it again`.
fn announces(lead: &str) -> bool {
    let lead = lead.to_lowercase();
    let words: Vec<&str> = text::plain_words(&lead).collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(word));
    let of_own = has(&["i", "me", "my"]) && has(&["question", "questions", "ask", "say"]);
    of_own || words.last().is_some_and(|last| last.starts_with("question"))
}

/// A text without half a pair of quotation marks: with the mark that stands behind it, if that closes what it quotes, or else
/// without its last one.
fn closed(said: &str, behind: Option<char>) -> String {
    let marks = |said: &str| said.matches(text::is_quotation_mark).count();
    if marks(said).is_multiple_of(2) {
        return said.to_owned();
    }
    match behind.filter(|next| text::is_quotation_mark(*next)) {
        Some(next) => text::unquoted(&format!("{said}{next}")).to_owned(),
        None => {
            let (before, after) = said.rsplit_once(text::is_quotation_mark).unwrap_or_default();
            format!("{before}{after}").trim_start_matches(is_mark).to_owned()
        }
    }
}

/// A question that cannot be understood alone, behind the sentence of its paragraph that stands before it.
fn with_context(before: &str, asked: &str) -> Option<String> {
    let paragraph = before.rsplit("\n\n").next().filter(|_| refers_back(asked))?;
    let context = text::split_sentences(paragraph).pop()?;
    let whole = format!("{} {asked}", context.trim_start_matches(is_mark));
    let is_short = whole.chars().count() <= WITH_CONTEXT;
    (is_short && !context.contains('?')).then_some(whole)
}

/// Whether a question is one word, or has one that means something before it: none of `Is it fair to charge them?` does.
fn refers_back(asked: &str) -> bool {
    let asked = asked.to_lowercase();
    let words: Vec<&str> = text::plain_words(&asked).collect();
    let naming = words.iter().enumerate().filter(|(_, word)| !is_stop_word(word));
    let until = naming.map(|(place, _)| place).nth(NAMING).unwrap_or(words.len());
    let before = |place: usize| place.checked_sub(1).map_or("", |before| words[before]);
    let announces =
        |place: usize| words[place..].iter().any(|it| ["that", "to", "if"].contains(it));
    let dangles = words.contains(&"then") && !words.contains(&"if");
    let refers = |place: usize| match (before(place), words[place]) {
        ("is" | "was", "it") if announces(place) => false,
        (before, "that") => BEFORE_THAT.contains(&before),
        (_, word) => REFERRING.contains(&word),
    };
    words.len() == 1 || dangles || (0..until).any(refers)
}

/// Whether a character at a sentence's edge belongs to marks around it.
fn is_mark(c: char) -> bool {
    c.is_whitespace() || "*_>-".contains(c)
}

#[cfg(test)]
mod tests {
    use super::{demanded, question};

    #[test]
    fn m7_the_last_question_is_quoted() {
        let names = |text: &str| ["Ann", "Y-1"].iter().any(|name| text.contains(name));
        for (text, expected) in [
            ("I say so. Who pays for it? Nobody.", Some("I say so. Who pays for it?")),
            ("Fares fell. Is it fair that drivers pay?", Some("Is it fair that drivers pay?")),
            (
                "Fares fell. If trams and buses run late, who takes them home?",
                Some("If trams and buses run late, who takes them home?"),
            ),
            ("A corner is kept open.\n\nWho stands in it?", Some("Who stands in it?")),
            (
                "Breaks stay calm. A corner is kept open for the older ones. Who stands in it?",
                Some("A corner is kept open for the older ones. Who stands in it?"),
            ),
            (
                "I think she does. Y-1, if you would let people stay away, whom do you expect to speak for them?",
                Some(
                    "Y-1, if you would let people stay away, whom do you expect to speak for them?",
                ),
            ),
            ("Why? And who\npays for it?", Some("And who pays for it?")),
            ("Fine. My question: who pays?", Some("Who pays?")),
            ("My question to Ann: who pays?", Some("My question to Ann: who pays?")),
            (
                "Trees die. So let me ask you two things: who pays, and when?",
                Some("Who pays, and when?"),
            ),
            ("Fine. Would 3.5 percent be enough?", Some("Would 3.5 percent be enough?")),
            ("He asked: \"who pays?\"", Some("He asked: \"who pays?\"")),
            ("Fine. \"Who\", I ask Ann, \"pays?\" Nobody.", Some("\"Who\", I ask Ann, \"pays?\"")),
            ("Fine. “Who pays?” Nobody.", Some("Who pays?")),
            ("Fine. \"Who pays? Nobody.\"", Some("Who pays?")),
            ("Gut. «Wer zahlt? Niemand.»", Some("Wer zahlt?")),
            ("\"**Who pays?**\"", Some("Who pays?")),
            (
                "Yes. \"Fares\" fell, so I say \"why? Tell me.\"",
                Some("\"Fares\" fell, so I say why?"),
            ),
            (
                "Ann asked for a car park and now calls it unneeded. Which of the two holds?",
                Some("Ann asked for a car park and now calls it unneeded. Which of the two holds?"),
            ),
            ("Fares fell. Why?", Some("Fares fell. Why?")),
            ("Nobody pays.", None),
            ("?", None),
        ] {
            assert_eq!(question(text, true, true, names, |_| false).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn m7_whom_a_question_is_for_is_left_out_where_only_one_side_can_be_meant() {
        let names_ann = |text: &str| text.contains("Ann");
        let asked = |text: &str| question(text, false, true, names_ann, |_| false);
        assert_eq!(asked("It is July. So I ask Ann: who pays?").as_deref(), Some("Who pays?"));
        for kept in [
            "Two things: who pays, Ann, and when?",
            "Ann says one thing: who pays?",
            "Is that fair? I ask Ann to name its size.",
        ] {
            assert_eq!(asked(kept).as_deref(), Some(kept));
        }
    }

    #[test]
    fn m7_a_question_stands_with_the_sentence_before_it_only_where_it_needs_that() {
        let names = |text: &str| text.contains("Ann");
        for (text, expected) in [
            (
                "It needs it most. So my question: if queues cost time, why is it fairer?",
                Some("If queues cost time, why is it fairer?"),
            ),
            (
                "None does. But Ann must help us: which study is this?",
                Some("But Ann must help us: which study is this?"),
            ),
            (
                "Nobody answered, so I say it again: who pays for a machine?",
                Some("Who pays for a machine?"),
            ),
            (
                "If it dies in June, I have no water. Who rents us a machine then?",
                Some("If it dies in June, I have no water. Who rents us a machine then?"),
            ),
            (
                "A bill frightens a child. What does that child do with a bill?",
                Some("A bill frightens a child. What does that child do with a bill?"),
            ),
            ("Buses cost more. Is that fair?", Some("Buses cost more. Is that fair?")),
            (
                "Fares fell. How do we know that buses made fares fall?",
                Some("How do we know that buses made fares fall?"),
            ),
            ("If it dies, who pays then?", Some("If it dies, who pays then?")),
            ("It lasts. Ann, who pays for it?", Some("It lasts. Ann, who pays for it?")),
        ] {
            assert_eq!(question(text, true, true, names, |_| false).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn m7_of_several_questions_the_last_to_somebody_is_quoted() {
        let names_ann = |text: &str| text.contains("Ann");
        for (text, expected) in [
            ("Ann, who pays? Who gains? And why?", "Ann, who pays?"),
            (
                "Is it strong enough? Nobody said. Ann, please tell me that. Who pays?",
                "Is it strong enough? Ann, please tell me that.",
            ),
            ("Is it strong enough? Ann, tell me, who pays?", "Ann, tell me, who pays?"),
            ("Is it cheap? Nobody knows. Who pays?", "Who pays?"),
        ] {
            assert_eq!(
                question(text, true, true, names_ann, names_ann).as_deref(),
                Some(expected),
                "{text}"
            );
        }
        assert!(question(&"?".repeat(100_000), true, true, names_ann, names_ann).is_none());
    }

    #[test]
    fn m7_a_question_that_its_speaker_answers_at_once_is_put_only_where_the_clerk_notes_one() {
        let names_ann = |text: &str| text.contains("Ann");
        let asked = |text: &str, is_noted| question(text, false, is_noted, names_ann, |_| false);
        for (text, put) in [
            ("Fares fell. But what does a ride cost? The first one costs nothing.", None),
            ("So what decides it? What is left of either side? First, the price does.", None),
            (
                "Who pays? A town does. Then who gains?\n\nTwo things are left.",
                Some("Then who gains?"),
            ),
            ("Who counts the votes? \"Why not machines?\" Machines fail.", None),
            ("Who pays? Ann did not say.", Some("Who pays?")),
            ("Ann, who pays? A town does.", Some("Ann, who pays?")),
            ("Who pays? That is my question.", Some("Who pays?")),
            ("Who pays? My opponent never says.", Some("Who pays?")),
            ("Who pays? Nobody here has said.", Some("Who pays?")),
            ("What would you pay? A fare is dear.", Some("What would you pay?")),
            ("Who pays?\n\nA town does.", Some("Who pays?")),
        ] {
            let read = asked(text, false);
            assert_eq!(read.as_deref().map(|it| it.rsplit(". ").next()), put.map(Some), "{text}");
            assert!(asked(text, true).is_some(), "{text}");
        }
    }

    #[test]
    fn m7_a_demand_without_a_question_mark_is_quoted() {
        let names_ann = |sentence: &str| sentence.contains("Ann");
        for (text, expected) in [
            (
                "So it is. I ask Ann to name its size, of 3.5 at least. That is all.",
                Some("I ask Ann to name its size, of 3.5 at least."),
            ),
            ("Fares fell.\n\n> Ann, tell us\nwho paid. I wait.", Some("Ann, tell us who paid.")),
            ("I ask who paid.", None),
            ("Ann did not say why isolates already tested tell us too little.", None),
            ("As I tell my students, Ann is wrong. I challenge Ann's figure.", None),
            ("I ask you to weigh it. Ann has shown one case, and tell us too little.", None),
            ("Ann has shown one case, the condor.", None),
            ("Ann, who pays? Name him, Ann.", Some("Ann, who pays?")),
            ("…", None),
            ("", None),
        ] {
            let asked = question(text, true, true, names_ann, names_ann);
            let told = asked.or_else(|| demanded(text, &names_ann));
            assert_eq!(told.as_deref(), expected, "{text}");
        }
    }
}
