//! Names that judges do not see: those of participants and of models, in the copy that they read.

use super::record::side_of;
use crate::event::Side;
use crate::job::model_name::canonical;
use crate::job::participant::role_of;
use crate::text;
use crate::text::overlap::is_stop_word;
use crate::trace::Trace;

/// What a model is called where one is named.
const A_MODEL: &str = "the model";
/// What a side is called where labels are not given out yet.
const A_SIDE: &str = "one side";

/// Replaces names by whole words. Names of models go by letters in either case, those of people as they are written or in capitals:
/// `Will` is no `will`, and a side that is called `For` stays what it is.
pub struct Mask(Vec<Name>);

struct Name {
    characters: Vec<char>,
    instead: String,
    folds: bool,
}

impl Mask {
    /// For a debate, with what each side is called.
    pub fn of(trace: &Trace, labels: &[(String, String)]) -> Self {
        let mut names = Vec::new();
        for person in &trace.participants {
            let side = side_of(trace, &person.id);
            let label = labels.iter().find(|(id, _)| id == side);
            let instead = match (label, person.contestant) {
                (Some((_, label)), _) => label.clone(),
                (None, true) => A_SIDE.to_owned(),
                (None, false) => text::capitalised(&role_of(&person.id).replace('_', " ")),
            };
            let names_nobody = is_stop_word(&person.name);
            for name in [
                person.name.clone(),
                person.name.to_uppercase(),
                person.id.clone(),
            ] {
                if !names_nobody || name == person.id {
                    names.push(Name::new(&name, &instead, false));
                }
            }
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
                }
                None => {
                    masked.push(characters[at]);
                    at += 1;
                }
            }
        }
        (masked, count)
    }

    /// Whether a word stands in a text as a whole one, in letters of either case.
    pub(super) fn has_word(text: &str, word: &str) -> bool {
        let characters: Vec<char> = text.chars().collect();
        let word = Name::new(word, "", true);
        (0..characters.len()).any(|at| word.stands_at(&characters, at))
    }
}

impl Name {
    fn new(name: &str, instead: &str, folds: bool) -> Self {
        Self {
            characters: name.trim().chars().collect(),
            instead: instead.to_owned(),
            folds,
        }
    }

    fn stands_at(&self, text: &[char], at: usize) -> bool {
        let end = at + self.characters.len();
        let is_open = |i: usize| {
            text.get(i)
                .is_none_or(|c| !c.is_alphanumeric() && *c != '_')
        };
        let same = |(a, b): (&char, &char)| match self.folds {
            true => a.to_lowercase().eq(b.to_lowercase()),
            false => a == b,
        };
        let Some(here) = text.get(at..end) else {
            return false;
        };
        (at == 0 || is_open(at - 1)) && is_open(end) && here.iter().zip(&self.characters).all(same)
    }

    fn changes(&self, text: &[char], at: usize) -> bool {
        let here: String = text[at..at + self.characters.len()].iter().collect();
        here != self.instead
    }
}

/// Every name of every model of a debate: whole, and without tag and publisher.
fn models(trace: &Trace) -> Vec<String> {
    let used = trace.participants.iter().flat_map(|person| &person.models);
    let cards = trace.models.iter().map(|model| model.name.as_str());
    let names = used.map(|model| model.name.as_str()).chain(cards);
    let forms = names.flat_map(|name| {
        let whole = canonical(name);
        let own = whole.rsplit('/').next().unwrap_or(whole);
        let bare = own.split(':').next().unwrap_or(own);
        [name, whole, own, bare].map(str::to_owned)
    });
    let mut forms: Vec<String> = forms.collect();
    forms.sort();
    forms.dedup();
    forms
}

/// Words that name no order and no merit.
const POOL: [&str; 10] = [
    "Alder", "Aspen", "Birch", "Cedar", "Larch", "Linden", "Maple", "Poplar", "Spruce", "Yew",
];

/// What the first and the second side of a reading are called: two words from a pool, from a drawn one on, that stand nowhere in
/// the texts.
pub(super) fn labels<'t>(drawn: u64, texts: impl Iterator<Item = &'t str> + Clone) -> [String; 2] {
    let from = (drawn % POOL.len() as u64) as usize;
    let pool = POOL.iter().cycle().skip(from).take(POOL.len());
    let unused = |word: &&&str| !texts.clone().any(|text| Mask::has_word(text, word));
    // Where a debate names all trees, two of them have to do.
    let free = pool.clone().filter(unused).chain(pool.clone());
    let mut words = free.map(|word| (*word).to_owned());
    let first = words.next().unwrap_or_default();
    let second = words.find(|word| *word != first).unwrap_or_default();
    [first, second]
}

/// Who is called what, by a reading's order.
pub(super) fn given(
    order: [Side; 2],
    labels: &[String; 2],
    participant: impl Fn(Side) -> String,
) -> Vec<(String, String)> {
    let each = order.iter().zip(labels);
    each.map(|(side, label)| (participant(*side), label.clone()))
        .collect()
}
