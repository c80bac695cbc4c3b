//! The name of a call, such as `round-2/ballot/position_y_3`. It is printed and parsed here and nowhere else.

use std::fmt;

/// When in a debate a call is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallStage {
    /// `opening`.
    Opening,
    /// `round-2`.
    Round(u32),
    /// `extra-1`: turns beyond the rounds.
    Extra(u32),
    /// `statement-7`: about one statement.
    Statement(u32),
    /// `closing`.
    Closing,
    /// `final`: once everyone has spoken, before the end.
    Final,
    /// `end`.
    End,
    /// `verdict`: a panel reads a debate that is over.
    Verdict,
}

/// The name of a call, unique in its debate: the seed of the call and its place in the journal follow from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallId {
    /// When it is made.
    pub stage: CallStage,
    /// What is asked for, such as `ballot`.
    pub kind: String,
    /// Whether it is asked about the same things in the reverse order.
    reversed: bool,
    /// Whether it is asked again, with other seeds.
    again: bool,
    /// The participant who is asked; the clerk's notes name nobody.
    pub by: Option<String>,
    /// What the clerk is asked about an attempt, and which one.
    aside: Option<(Aside, u32)>,
}

/// Behind the kind of a call in the reverse order.
const REVERSED: &str = "-reversed";
/// Behind these of a call that is made again.
const AGAIN: &str = "-again";

/// What the clerk may be asked about a reply before it is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aside {
    /// Whether it declines the task.
    Refusal,
    /// Whether what our measures found in it is so.
    Doubt,
}

impl Aside {
    const ALL: [(Self, &'static str); 2] = [(Self::Refusal, "refusal"), (Self::Doubt, "doubt")];

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(aside, _)| *aside == self).map_or("", |(_, name)| name)
    }

    /// Reads `refusal-2`.
    fn parse(part: &str) -> Option<(Self, u32)> {
        let (word, attempt) = part.split_once('-')?;
        let (aside, _) = Self::ALL.iter().find(|(_, name)| *name == word)?;
        Some((*aside, attempt.parse().ok()?))
    }
}

impl CallId {
    /// A call at a stage, by a participant.
    pub fn new(stage: CallStage, kind: impl Into<String>, by: &str) -> Self {
        let (kind, by) = (kind.into(), Some(by.to_owned()));
        Self { stage, kind, reversed: false, again: false, by, aside: None }
    }

    /// The clerk's notes on the exchange that ended at a stage.
    pub fn clerk(stage: CallStage) -> Self {
        Self { by: None, ..Self::new(stage, "clerk", "") }
    }

    /// The same call again, with other seeds.
    #[must_use]
    pub fn again(mut self) -> Self {
        self.again = true;
        self
    }

    /// The same call about the same things in the reverse order.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.reversed = true;
        self
    }

    /// What it asks of several, in either order: `round-2/ballot`.
    pub fn matter(&self) -> String {
        format!("{}/{}", self.stage, Self { reversed: false, ..self.clone() }.task())
    }

    /// The middle of its name: `ballot`, `verdict-reversed`.
    pub fn task(&self) -> String {
        let [reversed, again] = [(self.reversed, REVERSED), (self.again, AGAIN)]
            .map(|(is_so, mark)| if is_so { mark } else { "" });
        format!("{}{reversed}{again}", self.kind)
    }

    /// What the clerk is asked about an attempt of this call.
    #[must_use]
    pub fn about(mut self, aside: Aside, attempt: u32) -> Self {
        self.aside = Some((aside, attempt));
        self
    }

    /// What the clerk is asked about another call's reply, if this asks that.
    pub fn aside(&self) -> Option<Aside> {
        self.aside.map(|(aside, _)| aside)
    }

    /// The attempt of another call whose reply this asks about, if it does.
    pub fn about_attempt(&self) -> Option<u32> {
        self.aside.map(|(_, attempt)| attempt)
    }

    /// Who is asked: the clerk for notes, and about another call's reply.
    pub fn asked(&self) -> &str {
        self.by.as_deref().filter(|_| self.aside.is_none()).unwrap_or("clerk")
    }

    /// The name of the call that a question about one of its attempts goes with; any other name as it is.
    pub fn principal(name: &str) -> &str {
        let asides = Aside::ALL.iter().map(|(_, aside)| format!("/{aside}-"));
        asides.filter_map(|aside| name.find(&aside)).min().map_or(name, |at| &name[..at])
    }

    /// Reads a name; `None` if this program gives no such name.
    pub fn parse(name: &str) -> Option<Self> {
        let mut parts = name.split('/');
        let (stage, task) = (CallStage::parse(parts.next()?)?, parts.next()?);
        let once = task.strip_suffix(AGAIN).unwrap_or(task);
        let kind = once.strip_suffix(REVERSED).unwrap_or(once);
        let id = Self {
            stage,
            kind: kind.to_owned(),
            reversed: kind != once,
            again: once != task,
            by: parts.next().map(str::to_owned),
            aside: match parts.next() {
                Some(part) => Some(Aside::parse(part)?),
                None => None,
            },
        };
        parts.next().is_none().then_some(id)
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.stage, self.task())?;
        if let Some(by) = &self.by {
            write!(f, "/{by}")?;
        }
        match self.aside {
            Some((aside, attempt)) => write!(f, "/{}-{attempt}", aside.name()),
            None => Ok(()),
        }
    }
}

impl CallStage {
    fn parse(name: &str) -> Option<Self> {
        let n = name.split_once('-').and_then(|(_, n)| n.parse().ok()).unwrap_or_default();
        let numbered = [Self::Round(n), Self::Extra(n), Self::Statement(n)];
        let once = [Self::Opening, Self::Closing, Self::Final, Self::End, Self::Verdict];
        let mut stages = once.into_iter().chain(numbered);
        stages.find(|stage| stage.to_string() == name)
    }
}

impl fmt::Display for CallStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opening => f.write_str("opening"),
            Self::Round(n) => write!(f, "round-{n}"),
            Self::Extra(n) => write!(f, "extra-{n}"),
            Self::Statement(n) => write!(f, "statement-{n}"),
            Self::Closing => f.write_str("closing"),
            Self::Final => f.write_str("final"),
            Self::End => f.write_str("end"),
            Self::Verdict => f.write_str("verdict"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_reads_as_it_is_printed() {
        for name in [
            "round-2/ballot/position_y_3",
            "round-2/ballot-again/position_y_3",
            "round-1/clerk",
            "round-0/stance/ann",
            "round-1/statement/position_x/refusal-2",
            "round-3/statement/agent_a/doubt-1",
            "statement-7/fact_check/fact_checker",
            "extra-1/statement/ann",
            "opening/statement/advocate_1",
            "closing/statement/advocate_1",
            "final/stance/ann",
            "end/verdict/judge_1",
            "end/verdict-reversed-again/judge_1",
        ] {
            let id = CallId::parse(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(id.to_string(), name);
        }
    }

    #[test]
    fn a_call_in_the_reverse_order_is_of_the_same_kind_and_matter() {
        let id = CallId::new(CallStage::End, "verdict", "judge_1");
        let reversed = CallId::parse("end/verdict-reversed/judge_1").unwrap();
        assert_eq!(reversed, id.clone().reversed());
        assert_eq!((reversed.kind.as_str(), &*reversed.task()), ("verdict", "verdict-reversed"));
        assert_eq!([reversed.matter(), id.matter()], ["end/verdict"; 2]);
        assert_eq!(reversed.again().matter(), "end/verdict-again");
    }

    #[test]
    fn a_question_about_an_attempt_goes_with_its_call() {
        let id = CallId::new(CallStage::Round(1), "statement", "ann");
        let about = id.clone().about(Aside::Refusal, 2).to_string();
        assert_eq!(CallId::principal(&about), id.to_string());
        assert_eq!(CallId::principal("round-1/clerk"), "round-1/clerk");
    }

    #[test]
    fn other_names_are_none() {
        for name in [
            "",
            "retrieval",
            "model/llama3:8b",
            "round/x/y",
            "round-x/y/z",
            "end-1/y/z",
            "opening-x/y/z",
            "round-1/a/b/c",
            "round-1/a/b/refusal-1/d",
        ] {
            assert_eq!(CallId::parse(name), None, "{name}");
        }
    }
}
