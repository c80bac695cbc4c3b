//! What judges were asked about: rounds or whole debates.

use crate::facts::{Kind, Reading};
use crate::stats::counted_debates::View;

/// How a format's judges are asked: on each round, or on the whole debate. What they answer to one is never mixed with the other.
#[derive(Clone, Copy)]
pub(super) struct Instrument<'c> {
    pub(super) format: &'c str,
    pub(super) kind: Kind,
}

impl<'c> Instrument<'c> {
    /// Those that debates were judged by.
    pub(super) fn all(view: &View<'c>) -> impl Iterator<Item = Self> {
        let formats = view.formats().into_iter();
        let both = [Kind::Ballot, Kind::Verdict];
        let all = formats.flat_map(move |format| both.map(|kind| Self { format, kind }));
        all.filter(|it| it.readings(view).next().is_some())
    }

    /// Its readings, with their debates.
    pub(super) fn readings<'v>(
        self,
        view: &View<'v>,
    ) -> impl Iterator<Item = (usize, &'v Reading)> {
        let debates = view.of_format(self.format);
        let all = debates.flat_map(|(debate, f)| f.readings.iter().map(move |it| (debate, it)));
        all.filter(move |(_, reading)| reading.kind == self.kind)
    }
}
