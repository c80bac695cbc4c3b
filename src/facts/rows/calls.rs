//! A row of calls: the model, what they were for, and of each its tokens and its time.

use serde::de::{Deserializer, Error, SeqAccess};
use serde::ser::{Serialize, SerializeSeq, Serializer};

use super::Cells;
use crate::facts::Call;

pub(in crate::facts) fn serialize<S: Serializer>(all: &[Call], to: S) -> Result<S::Ok, S::Error> {
    let alike = |a: &Call, b: &Call| (a.model, a.purpose) == (b.model, b.purpose);
    to.collect_seq(all.chunk_by(alike).map(Row))
}

pub(in crate::facts) fn deserialize<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Box<[Call]>, D::Error> {
    super::read(from)
}

struct Row<'a>(&'a [Call]);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut row = to.serialize_seq(None)?;
        if let Some(first) = self.0.first() {
            row.serialize_element(&first.model)?;
            row.serialize_element(&first.purpose)?;
        }
        for call in self.0 {
            row.serialize_element(&call.tokens)?;
            row.serialize_element(&call.ms)?;
        }
        row.end()
    }
}

impl Cells for Call {
    fn read_row<'de, A: SeqAccess<'de>>(mut row: A, to: &mut Vec<Self>) -> Result<(), A::Error> {
        let missing = || A::Error::custom("a row of calls without a model, a purpose or a time");
        let model = row.next_element()?.ok_or_else(missing)?;
        let purpose = row.next_element()?.ok_or_else(missing)?;
        while let Some(tokens) = row.next_element()? {
            let ms = row.next_element()?.ok_or_else(missing)?;
            to.push(Self { model, purpose, tokens, ms });
        }
        Ok(())
    }
}
