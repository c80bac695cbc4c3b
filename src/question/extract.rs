//! The answer in a reply. A reply with no value that the question allows, or with several, has no answer: nothing is guessed.

use std::collections::BTreeSet;

use super::answer::GivenAnswer;
use super::explicit::{marked, without_denials, without_tex};
use super::grade::folded;
use super::known::Kind;
use super::number::Exact;
use super::posed::Posed;
use crate::text::plain_words;

/// The longest text that is an answer, in characters.
const LONGEST: usize = 200;
/// Words that begin a reason behind an answer.
const REASONS: [&str; 6] = ["because", "since", "as", "for", "due", "given"];

/// The answer that a reply gives, if it gives one.
pub fn extract(posed: &Posed, reply: &str) -> Option<GivenAnswer> {
    let reply = &without_tex(reply.trim());
    let read = |text: &str| match posed.question.kind {
        Kind::Choice => choice(posed, text),
        Kind::Number => number(text),
        Kind::Text => text_answer(text),
    };
    let marked = marked(reply);
    if marked.is_empty() {
        // An object without its answer was cut off: its reasons are none.
        return read(reply).filter(|_| !reply.starts_with('{'));
    }
    let said: Vec<Option<GivenAnswer>> =
        marked.into_iter().map(|text| read(first_sentence(posed, text))).collect();
    let first = said.first()?.clone()?;
    // A reply that calls two things its answer has none.
    said.iter().all(|other| other.as_ref() == Some(&first)).then_some(first)
}

/// What is said of an answer ends with its sentence; a text may be an abbreviation.
fn first_sentence<'t>(posed: &Posed, text: &'t str) -> &'t str {
    match posed.question.kind {
        Kind::Text => text,
        Kind::Choice | Kind::Number => text.split(". ").next().unwrap_or(text),
    }
}

fn choice(posed: &Posed, text: &str) -> Option<GivenAnswer> {
    if is_ambiguous(posed, text) {
        return None;
    }
    let found = named(posed, text).or_else(|| leading_letter(posed, text));
    let text = without_denials(text);
    let found = found.or_else(|| only_letter(posed, &text));
    found.or_else(|| only_text(posed, &text)).map(GivenAnswer::Choice)
}

/// The choice of a letter alone, as a reply in the shape that was asked for has it.
pub fn lettered(posed: &Posed, text: &str) -> Option<GivenAnswer> {
    let choice = place(posed, only_character(text)?);
    let is_choice = posed.question.kind == Kind::Choice;
    choice.filter(|_| is_choice).map(GivenAnswer::Choice)
}

/// The character that a text consists of.
pub(super) fn only_character(text: &str) -> Option<char> {
    let mut all = text.chars();
    all.next().filter(|_| all.next().is_none())
}

/// The choice whose letter a text is, in either case and with any signs around it.
fn by_letter(posed: &Posed, text: &str) -> Option<usize> {
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    place(posed, only_character(bare)?.to_ascii_uppercase())
}

/// The choices in whose words a text is.
fn by_words(posed: &Posed, text: &str) -> BTreeSet<usize> {
    let plain = folded(text);
    let same = posed.options().filter(|(.., words)| folded(words) == plain);
    same.map(|(_, at, _)| at).collect()
}

/// Whether a text is the letter of one choice and the words of another.
fn is_ambiguous(posed: &Posed, text: &str) -> bool {
    let letter = by_letter(posed, text);
    letter.is_some_and(|letter| by_words(posed, text).iter().any(|at| *at != letter))
}

/// A text that is a choice, as its letter or in its words, and nothing else.
fn named(posed: &Posed, text: &str) -> Option<usize> {
    // Two choices in the same words are told apart by their letters alone.
    only(by_words(posed, text)).or_else(|| by_letter(posed, text))
}

/// `B) because A…`: a letter at the beginning, set off from what follows. With another letter set off the same way, there is
/// none.
fn leading_letter(posed: &Posed, text: &str) -> Option<usize> {
    let text = text.trim_start_matches(|c: char| "*_`\"'( [".contains(c));
    let (first, rest) = (text.chars().next()?, text.get(1..)?);
    let at = place(posed, first)?;
    let dashes = [" -", " –", " —"];
    let set_off = rest.starts_with([')', ']', '.', ':', '*', ',', '\n', '"', '`', ';'])
        || dashes.iter().any(|dash| rest.starts_with(dash))
        || begins_reason(rest);
    let others = set_off_letters(posed, rest);
    (set_off && others.is_empty() && !adds_another(posed, rest)).then_some(at)
}

/// Letters that are set off as choices are: `(C)`, `C)`, and `C.` or `C:` at the beginning of a line.
fn set_off_letters(posed: &Posed, text: &str) -> BTreeSet<usize> {
    let chars: Vec<char> = text.chars().collect();
    let is_apart = |at: usize| at == 0 || !chars[at - 1].is_alphanumeric();
    let letters = chars.iter().enumerate();
    let begins = |at: usize| {
        at > 0 && chars[..at].iter().rev().find(|c| !" *_".contains(**c)) == Some(&'\n')
    };
    let is_off = |at: usize| match chars.get(at + 1) {
        Some(')') => true,
        Some('.' | ':') => begins(at),
        _ => false,
    };
    let closed = letters.filter(|(at, _)| is_apart(*at) && is_off(*at));
    closed.filter_map(|(_, letter)| place(posed, *letter)).collect()
}

/// Whether another letter follows at once: `A or B`, `A, C`.
fn adds_another(posed: &Posed, rest: &str) -> bool {
    let mut words =
        plain_words(rest).skip_while(|word| ["or", "and", "maybe", "also"].contains(word));
    let letter = words.next().and_then(only_character);
    letter.is_some_and(|letter| place(posed, letter).is_some())
}

fn place(posed: &Posed, letter: char) -> Option<usize> {
    let mut options = posed.options();
    options.find(|(known, ..)| *known == letter).map(|(_, at, _)| at)
}

fn begins_reason(rest: &str) -> bool {
    let first = plain_words(rest).next().map(str::to_lowercase);
    rest.starts_with([' ', ',', '.', ';', ':', '\n', '-', '—', '–'])
        && first.is_some_and(|word| REASONS.contains(&word.as_str()))
}

/// The only capital letter of a choice that stands as its own word.
fn only_letter(posed: &Posed, text: &str) -> Option<usize> {
    let words: Vec<&str> = plain_words(text).collect();
    let alone = |(at, word): (usize, &&str)| {
        let letter = only_character(word)?;
        let goes_on = words.get(at + 1).is_some_and(|next| goes_on(next));
        let is_a_word = ['A', 'I'].contains(&letter) && goes_on;
        place(posed, letter).filter(|_| !is_a_word)
    };
    let mut found: BTreeSet<usize> = words.iter().enumerate().filter_map(alone).collect();
    found.extend(set_off_letters(posed, text));
    only(found)
}

/// Whether a word continues a sentence in which `A` or `I` is a word: `A city`, `I know`.
fn goes_on(word: &str) -> bool {
    let joins = ["or", "and", "but", "not", "is", "so"];
    word.starts_with(char::is_lowercase) && !joins.contains(&word) && !REASONS.contains(&word)
}

/// The only choice whose words are in the text; of choices within each other the longest.
fn only_text(posed: &Posed, text: &str) -> Option<usize> {
    let text = format!(" {} ", folded(text));
    let words = |choice: &str| format!(" {} ", folded(choice));
    let options: Vec<(usize, String)> = posed.options().map(|(_, at, c)| (at, words(c))).collect();
    let stands = |choice: &str| !choice.trim().is_empty() && text.contains(choice);
    let found: Vec<&(usize, String)> = options.iter().filter(|(_, c)| stands(c)).collect();
    let is_within_another =
        |choice: &str| found.iter().any(|(_, o)| o != choice && o.contains(choice));
    let whole = found.iter().filter(|(_, choice)| !is_within_another(choice));
    only(whole.map(|(at, _)| *at).collect())
}

fn only(found: BTreeSet<usize>) -> Option<usize> {
    let mut found = found.into_iter();
    found.next().filter(|_| found.next().is_none())
}

fn number(text: &str) -> Option<GivenAnswer> {
    let text = text.trim().trim_matches(|c: char| "*_`\"' ".contains(c));
    let whole = Exact::parse(text.trim_end_matches(['.', '!']));
    let exact =
        whole.or_else(|| leading_number(text)).or_else(|| only_number(&without_denials(text)));
    exact.map(|exact| GivenAnswer::Number(exact.to_string()))
}

/// A number at the beginning with a reason behind it.
fn leading_number(text: &str) -> Option<Exact> {
    let end = text.find(|c: char| c.is_alphabetic() || c == '(' || c == '=' || c == '\n')?;
    let (number, rest) = text.split_at(end);
    let alone = rest.starts_with(['\n', '(']) && runs(rest).next().is_none();
    let reason = alone || begins_reason(&format!(" {rest}"));
    let number = number.trim().trim_end_matches([',', '.', ';', ':', '-', '—', '–']);
    reason.then(|| Exact::parse(number))?
}

/// The only number in a text, however often it is there.
fn only_number(text: &str) -> Option<Exact> {
    let mut found = runs(text).map(Exact::parse);
    let first = found.next()??;
    found.all(|other| other == Some(first)).then_some(first)
}

/// The runs of characters in a text that stand together and hold a digit.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    let part = |c: char| c.is_alphanumeric() || ".,/−-–½¼¾⅓⅔⅕⅛⅜⅝'⁄$€£%".contains(c);
    let words = text.split(move |c| !part(c));
    let bare = words.map(|word| word.trim_end_matches(['.', ',', '-', '/', '\'', '–']));
    bare.filter(|word| word.contains(|c: char| c.is_numeric()))
        // `x2` and `H2O` are names.
        .filter(|word| !word.starts_with(|c: char| c.is_alphabetic()))
}

fn text_answer(text: &str) -> Option<GivenAnswer> {
    let mut lines =
        text.lines().map(|line| line.trim().trim_matches(|c: char| "*_`\"' ".contains(c)));
    let first = lines.find(|line| !line.is_empty())?;
    let fits = first.chars().count() <= LONGEST && !folded(first).is_empty();
    fits.then(|| GivenAnswer::Text(first.trim_end_matches('.').to_owned()))
}
