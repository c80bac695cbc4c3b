//! A question as posed to a debate.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answer::GivenAnswer;
use super::known::{Kind, Question};
use crate::digest;

/// A question, the order in which its choices are shown, and their assignment to participants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Posed {
    /// The question.
    #[serde(flatten)]
    pub question: Question,
    /// The choices in the order shown, as A, B…: indices into `choices`.
    pub shown: Vec<usize>,
    /// The choice that each participant argues for, by id, if the job assigns choices.
    pub assigned: BTreeMap<String, usize>,
}

impl Posed {
    /// A question with its choices in the order of the file or, with `shuffle`, in a drawn one.
    pub fn new(question: Question, shuffle: bool, seed: u64) -> Self {
        let mut shown: Vec<usize> = (0..question.choices.len()).collect();
        if shuffle {
            for last in (1..shown.len()).rev() {
                shown.swap(last, draw(&question, seed, &format!("shown/{last}"), last + 1));
            }
        }
        Self { question, shown, assigned: BTreeMap::new() }
    }

    /// The correct choice and a drawn one of the others; `None` for questions of another kind.
    pub fn correct_and_distractor(&self, seed: u64) -> Option<[usize; 2]> {
        let correct = self.question.expected.choice?;
        let others = self.question.choices.len().checked_sub(1)?;
        let drawn = draw(&self.question, seed, "distractor", others);
        Some([correct, drawn + usize::from(drawn >= correct)])
    }

    /// Which of two sides argues for the correct choice first; the swapped debate has the other.
    pub fn first_side(&self, seed: u64) -> usize {
        draw(&self.question, seed, "side", 2)
    }

    /// The letters under which its choices are shown.
    pub fn letters(&self) -> Vec<char> {
        ('A'..='Z').take(self.shown.len()).collect()
    }

    /// The choices as they are shown, with their letters and places in the file.
    pub fn options(&self) -> impl Iterator<Item = (char, usize, &str)> {
        ('A'..='Z').zip(&self.shown).filter_map(|(letter, at)| {
            Some((letter, *at, self.question.choices.get(*at)?.as_str()))
        })
    }

    /// The question with its choices, as a prompt has it.
    pub fn text(&self) -> String {
        let options: String =
            self.options().map(|(letter, _, text)| format!("\n{letter}) {text}")).collect();
        match options.as_str() {
            "" => self.question.text.clone(),
            options => format!("{}\n{options}", self.question.text),
        }
    }

    /// An answer in words.
    pub fn said(&self, answer: &GivenAnswer) -> String {
        match answer {
            GivenAnswer::Choice(choice) => self.option(*choice),
            GivenAnswer::Number(text) | GivenAnswer::Text(text) => text.clone(),
        }
    }

    /// A choice with its letter.
    fn option(&self, choice: usize) -> String {
        let found = self.options().find(|(_, at, _)| *at == choice);
        found.map_or_else(String::new, |(letter, _, text)| format!("{letter}) {text}"))
    }

    /// The position of whoever argues for a choice.
    pub fn position(&self, choice: usize) -> String {
        format!("The answer is {}", self.option(choice))
    }

    /// What of it distinguishes a debate: the text is in its topic, and what is assigned in the positions.
    pub fn identity(&self) -> Value {
        let choices: Vec<&str> = self.options().map(|(_, _, text)| text).collect();
        json!({"kind": self.question.kind, "choices": choices})
    }

    /// What a reply must hold: one of the letters, or a short text.
    pub fn schema(&self) -> Value {
        match self.question.kind {
            Kind::Choice => json!({"type": "string", "enum": self.letters()}),
            Kind::Number | Kind::Text => {
                json!({"type": "string", "minLength": 1, "maxLength": 200})
            }
        }
    }
}

/// A number below `sides`, from the seed and the question alone: debates of other models draw alike.
fn draw(question: &Question, seed: u64, what: &str, sides: usize) -> usize {
    let named = format!("question/{}/{}/{what}", question.id, question.text);
    (digest::derive(seed, &named) % sides.max(1) as u64) as usize
}
