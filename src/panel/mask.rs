//! Masking the names of participants and models in the copy that judges read.

use std::collections::BTreeSet;

use super::candidates::side_of;
use super::recusal::by_name;
use crate::event::DebateAnswer;
use crate::job::background::Background;
use crate::job::models::model_name::canonical;
use crate::job::participant::role_of;
use crate::job::profile_of;
use crate::text;
use crate::text::overlap::is_stop_word;
use crate::trace::{Trace, TraceParticipant};

/// What a model is called if one is named.
const A_MODEL: &str = "the model";
/// What a side is called where labels are not given out yet.
const A_SIDE: &str = "one side";
/// What those who took part are called where answers are compared.
const SOMEONE: &str = "someone";

/// Replaces names by whole words. Names of models go by letters in either case, those of people as they are written or in capitals:
/// `Will` is no `will`, and a side that is called `For` stays what it is.
pub struct Mask(Vec<Name>);

struct Name {
    characters: Vec<char>,
    instead: String,
    folds: bool,
    /// Whether it is a plural that the debate uses as a word, too (`residents`): at the beginning of a sentence, a label instead
    /// would turn people into the opponent.
    is_word: bool,
}

impl Mask {
    /// For a debate, with what each side is called.
    pub fn of(trace: &Trace, labels: &[(&str, &String)]) -> Self {
        let mut names = Vec::new();
        let has_sides = profile_of(&trace.format).two_answers.is_none();
        let spoke = |id: &str| trace.statements.iter().any(|said| said.by == id);
        for person in &trace.participants {
            // An answer can only name those who spoke before.
            if !has_sides && !spoke(&person.id) {
                continue;
            }
            let side = side_of(trace, &person.id);
            let label = labels.iter().find(|(id, _)| *id == side);
            let instead = match (label, person.contestant) {
                _ if !has_sides => SOMEONE.to_owned(),
                (Some((_, label)), _) => (*label).clone(),
                (None, true) => A_SIDE.to_owned(),
                (None, false) => text::capitalised(&role_of(&person.id).replace('_', " ")),
            };
            for name in forms_of(trace, person) {
                let is_word = name.ends_with('s') && is_a_word(trace, &name);
                names.push(Name { is_word, ..Name::new(&name, &instead, false) });
            }
        }
        for name in others(trace).iter().flat_map(|name| names_of(trace, name)) {
            names.push(Name::new(&name, SOMEONE, false));
        }
        for model in models(trace) {
            names.push(Name::new(&model, A_MODEL, true));
        }
        // A name within a longer one is the longer one.
        names.retain(|name| !name.characters.is_empty());
        names.sort_by_key(|name| std::cmp::Reverse(name.characters.len()));
        Self(names)
    }

    /// What is debated, whoever is called what.
    pub fn topic(trace: &Trace) -> String {
        Self::of(trace, &[]).apply(trace.question()).0
    }

    /// What both sides knew, without names. Replacements in it are not counted.
    pub fn background(trace: &Trace) -> Vec<Background> {
        let mask = Self::of(trace, &[]);
        let pieces: Vec<Background> =
            serde_json::from_value(trace.plan.background.clone()).unwrap_or_default();
        let masked = |piece: &Background| piece.map_texts(|text| mask.apply(text).0);
        pieces.iter().map(masked).collect()
    }

    /// A text without the names, and how many were replaced.
    pub fn apply(&self, text: &str) -> (String, u32) {
        let characters: Vec<char> = text.chars().collect();
        let (mut masked, mut count, mut at) = (String::new(), 0, 0);
        while at < characters.len() {
            match self.0.iter().find(|name| name.stands_at(&characters, at)) {
                Some(name) => {
                    masked.push_str(&name.instead);
                    count += u32::from(name.changes(&characters, at));
                    at += name.characters.len();
                    if name.is_possessive(&characters, at) {
                        masked.push_str("'s");
                        at += 1;
                    }
                }
                None => {
                    masked.push(characters[at]);
                    at += 1;
                }
            }
        }
        (masked, count)
    }
}

impl Name {
    fn new(name: &str, instead: &str, folds: bool) -> Self {
        let characters = name.trim().chars().collect();
        Self { characters, instead: instead.to_owned(), folds, is_word: false }
    }

    /// Whether what ends here is in the possessive, as in `Residents' plan`: what stands instead may need another ending.
    fn is_possessive(&self, text: &[char], end: usize) -> bool {
        let next = |at: usize| text.get(end + at).copied();
        matches!(next(0), Some('\'' | '’'))
            && next(1) == Some(' ')
            && next(2).is_some_and(char::is_lowercase)
            && self.characters.last() == Some(&'s')
            && !self.instead.ends_with('s')
    }

    fn stands_in(&self, text: &str) -> bool {
        let characters: Vec<char> = text.chars().collect();
        (0..characters.len()).any(|at| self.stands_at(&characters, at))
    }

    fn stands_at(&self, text: &[char], at: usize) -> bool {
        let end = at + self.characters.len();
        let is_open = |i: usize| text.get(i).is_none_or(|c| !c.is_alphanumeric() && *c != '_');
        let same = |(a, b): (&char, &char)| {
            if self.folds { a.to_lowercase().eq(b.to_lowercase()) } else { a == b }
        };
        let Some(here) = text.get(at..end) else { return false };
        (at == 0 || is_open(at - 1))
            && is_open(end)
            && here.iter().zip(&self.characters).all(same)
            && !(self.is_word && begins_sentence(text, at))
    }

    fn changes(&self, text: &[char], at: usize) -> bool {
        let here: String = text[at..at + self.characters.len()].iter().collect();
        here != self.instead
    }
}

/// Whether a sentence, a line or a quotation begins here.
fn begins_sentence(text: &[char], at: usize) -> bool {
    let before = text[..at].iter().rev().find(|c| **c != ' ');
    before.is_none_or(|c| "\n.!?…:\"“‘(*#>-".contains(*c))
}

/// What someone is called: by name, or by id. Where answers are compared, an id that is a plain word (`skeptic`) stays.
fn forms_of(trace: &Trace, person: &TraceParticipant) -> Vec<String> {
    let is_word = person.id.chars().all(char::is_alphabetic);
    let stays = is_word && profile_of(&trace.format).two_answers.is_some();
    let id = (!stays).then(|| person.id.clone());
    names_of(trace, &person.name).into_iter().chain(id).collect()
}

/// The whole name, and the parts of a name of several words; each also in capitals. Plain words name nobody.
fn names_of(trace: &Trace, name: &str) -> Vec<String> {
    let parts = name
        .split_whitespace()
        .filter(|part| *part != name && is_a_name(trace, part))
        .flat_map(|name| [name.to_owned(), name.to_uppercase()]);
    whole(name).chain(parts).collect()
}

/// A whole name, also in capitals; none if it is a plain word.
fn whole(name: &str) -> impl Iterator<Item = String> {
    let name = Some(name).filter(|name| !is_stop_word(name));
    let forms = name.map(|name| [name.to_owned(), name.to_uppercase()]);
    forms.into_iter().flatten()
}

/// The debate's answer that is compared, of a control.
fn compared(trace: &Trace) -> Option<&DebateAnswer> {
    trace.plan.budget.as_ref()?.allotted.answer.as_ref()
}

/// The names of those who took part in the debate that a control is compared with.
fn others(trace: &Trace) -> &[String] {
    compared(trace).map_or(&[], |answer| &answer.names)
}

/// Whether a part of a name is one by itself: `Jane` of `Jane Austen`. `Free` of `Free Trader` is a word that the debate uses.
fn is_a_name(trace: &Trace, part: &str) -> bool {
    let is_written_so = part.chars().count() > 2
        && part.chars().all(char::is_alphabetic)
        && part.starts_with(char::is_uppercase)
        && !is_stop_word(part);
    is_written_so && !is_a_word(trace, part)
}

/// Whether the debate also uses a name as a word, without its capital: `residents`.
fn is_a_word(trace: &Trace, name: &str) -> bool {
    let lower = name.to_lowercase();
    let word = Name::new(&lower, "", false);
    let said = trace.statements.iter().map(|said| said.text.as_str());
    lower != name && said.chain([trace.question()]).any(|text| word.stands_in(text))
}

/// Families of models whose names are no words of a debate.
const FAMILIES: [&str; 12] = [
    "chatgpt", "claude", "deepseek", "gemma", "gpt", "llama", "mistral", "mixtral", "olmo", "phi",
    "qwen", "vicuna",
];

/// Every name of every model of a debate: whole, and without tag and publisher; and what its family is called.
fn models(trace: &Trace) -> BTreeSet<String> {
    let used = trace.participants.iter().flat_map(|person| &person.models);
    let cards = trace.models.iter().map(|model| model.name.as_str());
    let others = compared(trace).into_iter().flat_map(|it| &it.models);
    let cards = cards.chain(others.map(|model| model.name.as_str()));
    let names = used.map(|model| model.name.as_str()).chain(cards);
    let forms = names.flat_map(|name| {
        let whole = canonical(name);
        let own = whole.rsplit('/').next().unwrap_or(whole);
        let bare = own.split(':').next().unwrap_or(own);
        let family = by_name(name).map(|family| family.to_lowercase());
        let family = family.filter(|family| FAMILIES.contains(&family.as_str()));
        [name, whole, own, bare].map(str::to_owned).into_iter().chain(family)
    });
    forms.collect()
}

/// Words that name no order and no merit.
const POOL: [&str; 10] =
    ["Alder", "Aspen", "Birch", "Cedar", "Larch", "Linden", "Maple", "Poplar", "Spruce", "Yew"];

/// What the first and the second side of a reading are called: two words from a pool, from a drawn one on, that stand nowhere in
/// the texts.
pub(super) fn labels<'t>(drawn: u64, texts: impl Iterator<Item = &'t str> + Clone) -> [String; 2] {
    let from = (drawn % POOL.len() as u64) as usize;
    let pool = POOL.iter().cycle().skip(from).take(POOL.len());
    let unused = |word: &&&str| {
        let name = Name::new(word, "", true);
        !texts.clone().any(|text| name.stands_in(text))
    };
    // Where a debate names all trees, two of them have to do.
    let free = pool.clone().filter(unused).chain(pool.clone());
    let mut words = free.map(|word| (*word).to_owned());
    let first = words.next().unwrap_or_default();
    let second = words.find(|word| *word != first).unwrap_or_default();
    [first, second]
}
