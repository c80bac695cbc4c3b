//! Scores and calls as rows of `facts.json`: neighbours that share something are one array, which begins with it. Most of a debate's
//! numbers are theirs, and statistics of many debates take as long as parsing these.

pub(super) mod calls;
pub(super) mod scores;

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};

/// Something that rows hold several of.
trait Cells: Sized {
    /// Reads one row, and adds what it holds.
    fn read_row<'de, A: SeqAccess<'de>>(row: A, to: &mut Vec<Self>) -> Result<(), A::Error>;
}

/// Reads an array of rows.
fn read<'de, T: Cells, D: Deserializer<'de>>(from: D) -> Result<Box<[T]>, D::Error> {
    from.deserialize_seq(Rows(PhantomData))
}

struct Rows<T>(PhantomData<T>);

impl<'de, T: Cells> Visitor<'de> for Rows<T> {
    type Value = Box<[T]>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while rows.next_element_seed(Row(&mut all))?.is_some() {}
        Ok(all.into())
    }
}

struct Row<'a, T>(&'a mut Vec<T>);

impl<'de, T: Cells> DeserializeSeed<'de> for Row<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de, T: Cells> Visitor<'de> for Row<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a row")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, row: A) -> Result<(), A::Error> {
        T::read_row(row, self.0)
    }
}
