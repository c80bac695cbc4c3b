//! Turns: the kinds of statements requested (rows D1 to D3).

use crate::call_id::{CallId, CallStage};
use crate::event::Phase;
use crate::formats::moderated::settings::Moderated;

/// The purpose of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TurnKind {
    Opening,
    Argument,
    Rebuttal,
    Closing,
    /// The answer to the interruption of the statement with this number.
    Answer(u32),
}

impl TurnKind {
    /// Its name in traces and prompts.
    pub(super) fn phase(self) -> Phase {
        match self {
            TurnKind::Opening => Phase::OPENING,
            TurnKind::Argument => Phase::ARGUMENT,
            TurnKind::Rebuttal => Phase::REBUTTAL,
            TurnKind::Closing => Phase::CLOSING,
            TurnKind::Answer(_) => Phase::ANSWER,
        }
    }

    pub(super) fn most_tokens(self, settings: &Moderated) -> u32 {
        match self {
            TurnKind::Opening => settings.opening_max_tokens,
            TurnKind::Closing => settings.closing_max_tokens,
            TurnKind::Argument | TurnKind::Rebuttal | TurnKind::Answer(_) => {
                settings.argument_max_tokens
            }
        }
    }
}

/// One turn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn<'a> {
    pub(super) kind: TurnKind,
    /// The speaker.
    pub(super) by: &'a str,
    /// The participant who rebuts the speaker or is rebutted.
    pub(super) other: &'a str,
    pub(super) round: u32,
    pub(super) focus: &'a str,
}

impl<'a> Turn<'a> {
    /// A turn outside rounds, given the speaker and the participant who rebuts the speaker or is rebutted.
    pub(super) fn outside(kind: TurnKind, (by, other): (&'a str, &'a str)) -> Self {
        Self { kind, by, other, round: 0, focus: "" }
    }

    pub(super) fn call(&self) -> CallId {
        let (stage, name) = match self.kind {
            TurnKind::Opening => (CallStage::Opening, "statement"),
            TurnKind::Closing => (CallStage::Closing, "statement"),
            TurnKind::Rebuttal => (CallStage::Round(self.round), "rebuttal"),
            TurnKind::Argument => (CallStage::Round(self.round), "statement"),
            TurnKind::Answer(to) => (CallStage::Statement(to), "reply"),
        };
        CallId::new(stage, name, self.by)
    }
}
