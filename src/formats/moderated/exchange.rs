//! The order of speakers, and the reactions to statements (rows D1 to D3).

use serde_json::json;

use super::session::{Session, is_pass};
use super::turn::{Turn, TurnKind};
use super::{check, interruption};
use crate::event::Statement;
use crate::floor::Result;

impl Session<'_> {
    /// A turn of every advocate outside rounds.
    pub(super) async fn each(&mut self, kind: TurnKind) -> Result<()> {
        for pair in self.turns().collect::<Vec<_>>() {
            self.take(Turn::outside(kind, pair)).await?;
        }
        Ok(())
    }

    /// The turns of a round: each advocate argues, and the next one rebuts.
    pub(super) async fn exchange(&mut self, round: u32, focus: &str) -> Result<()> {
        for (a, b) in self.turns().collect::<Vec<_>>() {
            let turns = [(TurnKind::Argument, (a, b)), (TurnKind::Rebuttal, (b, a))];
            for (kind, pair) in turns {
                let turn = Turn { round, focus, ..Turn::outside(kind, pair) };
                self.take(turn).await?;
            }
        }
        Ok(())
    }

    /// The closing statements. Nobody answers them, so all are written from the same record; otherwise the last speaker would
    /// have the last word on the others.
    pub(super) async fn close(&mut self) -> Result<()> {
        if !self.settings.blind_closings {
            return self.each(TurnKind::Closing).await;
        }
        let turns: Vec<Turn<'_>> =
            self.turns().map(|pair| Turn::outside(TurnKind::Closing, pair)).collect();
        let statements = self.speak_blind(&turns).await?;
        for (turn, statement) in turns.into_iter().zip(&statements) {
            self.examine(turn, statement).await?;
        }
        Ok(())
    }

    /// One turn; if the statement calls for it, also an interruption and the speaker's answer.
    async fn take(&mut self, turn: Turn<'_>) -> Result<()> {
        let statement = self.speak(turn, json!({})).await?;
        self.examine(turn, &statement).await
    }

    /// Checks a statement; if it calls for an interruption, also that and the speaker's answer.
    async fn examine(&mut self, turn: Turn<'_>, statement: &Statement) -> Result<()> {
        if !statement.was_heard() || is_pass(self.settings, statement) {
            return Ok(());
        }
        match check::statement(self, statement).await? {
            Some(finding) => interruption::make(self, turn, statement, finding).await,
            None => Ok(()),
        }
    }
}
