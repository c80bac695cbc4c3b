//! Strings and maps that are borrowed from the bytes they are read from. `Option<Cow<str>>`, and `Cow<str>` as the key of a map,
//! are read as copies.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

use crate::job::model_name::canonical;

/// A string: a copy only where JSON escapes something in it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Str<'a>(Cow<'a, str>);

impl Deref for Str<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Str<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_str(StrVisitor).map(Self)
    }
}

/// The name of a model, read as its canonical one: traces from before names were canonical hold both of a model's names.
pub(super) struct ModelName<'a>(Str<'a>);

impl Deref for ModelName<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        canonical(&self.0)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for ModelName<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Str::deserialize(from).map(Self)
    }
}

struct StrVisitor;

impl<'de> Visitor<'de> for StrVisitor {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

/// A map, in order of its keys; of a key that comes twice the last counts.
pub(super) struct Map<'a, V>(Vec<(Str<'a>, V)>);

impl<V> Map<'_, V> {
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &V)> {
        self.0.iter().map(|(key, value)| (&**key, value))
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|(key, _)| key)
    }

    pub(super) fn get(&self, key: &str) -> Option<&V> {
        let found = self.iter().find(|(known, _)| *known == key);
        found.map(|(_, value)| value)
    }
}

impl<'de: 'a, 'a, V: Deserialize<'de>> Deserialize<'de> for Map<'a, V> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(MapVisitor(PhantomData))
    }
}

struct MapVisitor<'a, V>(PhantomData<Map<'a, V>>);

impl<'de: 'a, 'a, V: Deserialize<'de>> Visitor<'de> for MapVisitor<'a, V> {
    type Value = Map<'a, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pairs: Vec<(Str<'a>, V)> = Vec::new();
        let mut sorted = true;
        while let Some(pair) = map.next_entry::<Str<'a>, V>()? {
            sorted &= pairs.last().is_none_or(|(last, _)| *last < pair.0);
            pairs.push(pair);
        }
        if !sorted {
            pairs.reverse();
            pairs.sort_by(|(a, _), (b, _)| a.cmp(b));
            pairs.dedup_by(|(a, _), (b, _)| a == b);
        }
        Ok(Map(pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_borrowed_wherever_they_stand_and_the_last_of_equal_keys_counts() {
        let json = r#"{"b": "x", "a": null, "b": "y", "c": "\n"}"#;
        let map: Map<'_, Option<Str<'_>>> = serde_json::from_str(json).unwrap();
        assert!(map.keys().eq(["a", "b", "c"]));
        assert_eq!(map.get("b").unwrap().as_deref(), Some("y"));
        let borrowed = |text: &Str<'_>| matches!(text.0, Cow::Borrowed(_));
        assert!(map.0.iter().all(|(key, _)| borrowed(key)));
        assert!(map.get("b").unwrap().as_ref().is_some_and(borrowed));
        assert_eq!(map.get("c").unwrap().as_deref(), Some("\n"));
    }
}
