//! A setting is stated once: field, meaning, default and shape. Its reader, the schema and the guide's tables are derived from it.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::shape::{Key, Shape};

/// Settings that stand in one mapping.
pub trait SettingsGroup: Clone + Serialize + DeserializeOwned {
    /// Their keys, with these values as defaults.
    fn keys(&self) -> Vec<Key>;

    /// These settings, but for those that are given.
    ///
    /// # Errors
    /// If a key's shape allows a value that its field cannot hold.
    fn with(&self, given: &Map<String, Value>) -> serde_json::Result<Self> {
        let mut all = json!(self);
        put(&mut all, &self.keys(), given);
        serde_json::from_value(all)
    }
}

/// The shape of a mapping of such settings.
pub(crate) fn section<T: SettingsGroup + Default>() -> Shape {
    Shape::Section(T::default().keys())
}

/// Puts given values over those that are there: a mapping of known keys is merged, anything else replaced.
fn put(all: &mut Value, keys: &[Key], given: &Map<String, Value>) {
    for key in keys {
        let Some(value) = given.get(&*key.name) else { continue };
        match (key.shape.plain(), value, &mut all[&*key.name]) {
            (Shape::Section(keys), Value::Object(given), all @ Value::Object(_)) => {
                put(all, keys, given);
            }
            (_, value, all) => *all = value.clone(),
        }
    }
}

/// States optional keys of a mapping, without defaults: `/// doc`, then `name: shape;`.
macro_rules! keys {
    ($(#[doc = $doc:literal] $name:ident: $shape:expr;)*) => {
        vec![$($crate::job::shape::Key::new(stringify!($name), $doc.trim(), $shape, ()),)*]
    };
}

/// States a group of settings: `/// doc`, then `field: Type = default, shape;`. A field without a shape is not a key of a job; a key
/// that is a word of Rust is a field such as `r#match`.
macro_rules! settings {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $(
                #[doc = $doc:literal]
                $(#[$attribute:meta])*
                $field:ident: $type:ty = $default:expr $(, $shape:expr)?;
            )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        pub struct $name {
            $(
                #[doc = $doc]
                $(#[$attribute])*
                pub $field: $type,
            )*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $crate::job::settings_macro::SettingsGroup for $name {
            fn keys(&self) -> Vec<$crate::job::shape::Key> {
                vec![$($(
                    $crate::job::shape::Key::new(
                        stringify!($field).trim_start_matches("r#"), $doc.trim(), $shape, &self.$field,
                    ),
                )?)*]
            }
        }
    };
}

pub(crate) use {keys, settings};
