//! Who sits on a panel for one debate: judges that are no debater's kin vote; substitutes take the seats of the others.

use super::kin::Kin;
use crate::event::{Recusal, SeatStatus};
use crate::job::panel::{Panel, Recused};
use crate::job::participant::Participant;

/// A judge's seat before anything is read.
#[derive(Debug, Clone, PartialEq)]
pub struct Seated<'a> {
    /// Who.
    pub judge: &'a Participant,
    /// Its model.
    pub kin: Kin,
    /// Whether it votes, is asked, or neither.
    pub status: SeatStatus,
    /// Why it does not vote.
    pub recusal: Option<Recusal>,
}

impl Seated<'_> {
    /// Whether it is asked.
    pub fn is_asked(&self) -> bool {
        self.status != SeatStatus::Recused
    }
}

/// A debater's model: whose, and what it is.
pub type Debater = (String, Kin);

/// The seats of a panel, judges first. `kin` says what a judge's model is.
pub fn seats<'a>(
    panel: &'a Panel,
    debaters: &[Debater],
    kin: impl Fn(&Participant) -> Kin,
) -> Vec<Seated<'a>> {
    let seat = |judge: &'a Participant| seated(panel, debaters, judge, kin(judge));
    let mut seats: Vec<Seated<'a>> = panel.judges.iter().map(&seat).collect();
    let empty = seats.iter().filter(|seat| seat.recusal.is_some()).count();
    let substitutes = panel.substitutes.iter().map(seat);
    let eligible = substitutes.filter(|seat| seat.recusal.is_none());
    let taking: Vec<Seated<'a>> = eligible.take(empty).collect();
    seats.extend(taking);
    seats
}

fn seated<'a>(panel: &Panel, debaters: &[Debater], judge: &'a Participant, kin: Kin) -> Seated<'a> {
    let recuse = panel.settings.recuse;
    let each = debaters.iter();
    let close = each.filter_map(|(id, with)| kin.recusal(id, with, recuse.by));
    // The gravest is told.
    let recusal = close.min_by_key(|recusal| recusal.reason as u8);
    let status = match (&recusal, recuse.treated) {
        (None, _) => SeatStatus::Voting,
        (Some(_), Recused::Shadow) => SeatStatus::Shadow,
        (Some(_), Recused::Drop) => SeatStatus::Recused,
    };
    Seated {
        judge,
        kin,
        status,
        recusal,
    }
}
