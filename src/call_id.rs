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
}

/// The name of a call, unique in its debate: the seed of the call and its place in the journal follow from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallId {
    /// When it is made.
    pub stage: CallStage,
    /// What is asked for, such as `ballot`.
    pub kind: String,
    /// The participant who is asked; the clerk's notes on a round name nobody.
    pub by: Option<String>,
    /// The attempt that the clerk checks for a refusal.
    refusal: Option<u32>,
}

impl CallId {
    /// A call at a stage, by a participant.
    pub fn new(stage: CallStage, kind: impl Into<String>, by: &str) -> Self {
        Self {
            stage,
            kind: kind.into(),
            by: Some(by.to_owned()),
            refusal: None,
        }
    }

    /// The clerk's notes on a round.
    pub fn clerk(round: u32) -> Self {
        Self {
            by: None,
            ..Self::new(CallStage::Round(round), "clerk", "")
        }
    }

    /// The same call again, with other seeds.
    #[must_use]
    pub fn again(self) -> Self {
        Self {
            kind: self.kind + "-again",
            ..self
        }
    }

    /// The question whether an attempt of this call declines its task.
    #[must_use]
    pub fn refusal(self, attempt: u32) -> Self {
        Self {
            refusal: Some(attempt),
            ..self
        }
    }

    /// Reads a name; `None` if this program gives no such name.
    pub fn parse(name: &str) -> Option<Self> {
        let mut parts = name.split('/');
        let id = Self {
            stage: CallStage::parse(parts.next()?)?,
            kind: parts.next()?.to_owned(),
            by: parts.next().map(str::to_owned),
            refusal: match parts.next() {
                Some(part) => Some(part.strip_prefix("refusal-")?.parse().ok()?),
                None => None,
            },
        };
        parts.next().is_none().then_some(id)
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.stage, self.kind)?;
        if let Some(by) = &self.by {
            write!(f, "/{by}")?;
        }
        match self.refusal {
            Some(attempt) => write!(f, "/refusal-{attempt}"),
            None => Ok(()),
        }
    }
}

impl CallStage {
    fn parse(name: &str) -> Option<Self> {
        let number = name.split_once('-').and_then(|(_, n)| n.parse().ok());
        let n = number.unwrap_or_default();
        let numbered = [Self::Round(n), Self::Extra(n), Self::Statement(n)];
        let once = [Self::Opening, Self::Closing, Self::Final, Self::End];
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
            "statement-7/fact_check/fact_checker",
            "extra-1/statement/ann",
            "opening/statement/advocate_1",
            "closing/statement/advocate_1",
            "final/stance/ann",
            "end/verdict/judge_1",
        ] {
            let id = CallId::parse(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(id.to_string(), name);
        }
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
