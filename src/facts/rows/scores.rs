//! A row of scores: the judgment, who was scored, the weighted total, and a score by each criterion; `null` where there is none.

use serde::de::{Deserializer, Error, SeqAccess};
use serde::ser::{Serialize, SerializeSeq, Serializer};

use super::Cells;
use crate::facts::Score;

pub(in crate::facts) fn serialize<S: Serializer>(all: &[Score], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(all.chunk_by(goes_on).map(Row))
}

pub(in crate::facts) fn deserialize<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Box<[Score]>, D::Error> {
    super::read(from)
}

/// Whether a score stands in the row of the one before it, in a later column.
fn goes_on(before: &Score, next: &Score) -> bool {
    (before.reading, before.about) == (next.reading, next.about) && column(before) < column(next)
}

/// The column of a score: the total is in the first.
fn column(score: &Score) -> usize {
    score.criterion.map_or(0, |place| usize::from(place) + 1)
}

struct Row<'a>(&'a [Score]);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut row = to.serialize_seq(None)?;
        let mut scores = self.0.iter().peekable();
        if let Some(first) = scores.peek() {
            row.serialize_element(&first.reading)?;
            row.serialize_element(&first.about)?;
        }
        for at in 0.. {
            let Some(next) = scores.peek() else { break };
            let here = (column(next) == at).then_some(next.value);
            row.serialize_element(&here)?;
            scores.next_if(|_| here.is_some());
        }
        row.end()
    }
}

impl Cells for Score {
    fn read_row<'de, A: SeqAccess<'de>>(mut row: A, to: &mut Vec<Self>) -> Result<(), A::Error> {
        let missing = || A::Error::custom("a row of scores without its judgment or person");
        let reading = row.next_element()?.ok_or_else(missing)?;
        let about = row.next_element()?.ok_or_else(missing)?;
        let mut column = 0_usize;
        while let Some(value) = row.next_element()? {
            let criterion =
                column.checked_sub(1).map(u8::try_from).transpose().map_err(A::Error::custom)?;
            to.extend(Option::map(value, |value| Self { reading, about, criterion, value }));
            column += 1;
        }
        Ok(())
    }
}
