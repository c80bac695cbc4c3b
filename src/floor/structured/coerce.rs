//! Converting a reply's object to the requested structure: generous if the meaning is clear to a reader, strict where it
//! counts. A score that is missing or off its scale and a word that is not one of the options are never guessed.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::{Map, Value};

use super::extract_json::Steps;
use super::words::{
    id_in, is_meant, is_word_for_reason, number_before_words, number_in, plain, readings,
};
use crate::event::{LOOPS, SHORTENED, SPELT};
use crate::text::{self, mentions};

/// Factor by which a text may exceed its bound if no grammar enforced it: the reason a model gives is worth more than the
/// room it takes.
const LENIENT: usize = 2;
/// So many words may stand for the definition that they begin.
const A_BEGINNING: usize = 3;
/// A value with a smaller bound is not a text but a code, such as `A12 partial B3`: it may end anywhere.
const A_TEXT: usize = 20;

/// Brings values into shape, and notes the steps it took.
pub(super) struct Shaper<'n> {
    /// Ids with the names used for them.
    pub(super) names: &'n [(String, String)],
    /// What options stand for, as the prompt defines them.
    pub(super) meanings: &'n BTreeMap<String, String>,
    pub(super) steps: Steps,
    /// Scores before they were rounded: `agent_a.clarity`, of one contestant alone `clarity`; of a skeptic's draft `quality`.
    pub(super) rounded: BTreeMap<String, f64>,
}

/// The place of an entry in a list, before its number.
const ENTRY: &str = "entry ";

/// The place of a value in a reply.
#[derive(Debug, Clone, Copy)]
struct Place<'p> {
    above: Option<&'p Place<'p>>,
    key: &'p str,
}

impl<'p> Place<'p> {
    /// The keys that lead to it.
    fn keys(&self) -> Vec<&'p str> {
        let mut keys = self.above.map(Place::keys).unwrap_or_default();
        keys.push(self.key);
        keys
    }
}

impl Shaper<'_> {
    /// The object in the schema's shape; `Err` tells the model in words what to fix.
    pub(super) fn shape(
        &mut self,
        schema: &Value,
        object: Map<String, Value>,
    ) -> Result<Value, String> {
        let object = self.unwrapped(schema, object);
        self.object(schema, &Value::Object(object), None)
    }

    /// The inner object, if the outer one holds nothing else: `{"ballot": {…}}`.
    fn unwrapped(&mut self, schema: &Value, object: Map<String, Value>) -> Map<String, Value> {
        let known = |key: &String| self.key_of(schema, key).is_some();
        let inner = object.values().next().and_then(Value::as_object);
        match inner {
            Some(inner) if object.len() == 1 && !object.keys().any(known) => {
                let inner = inner.clone();
                self.steps.insert("wrapped");
                inner
            }
            _ => object,
        }
    }

    fn value(&mut self, schema: &Value, value: &Value, place: Place<'_>) -> Result<Value, String> {
        match schema["type"].as_str() {
            Some("object") => self.object(schema, value, Some(place)),
            Some("array") => self.array(schema, value, place),
            Some("integer") => self.integer(schema, value, place),
            Some("boolean") => self.boolean(value, place),
            _ if schema["enum"].is_array() => self.option(schema, value, place),
            _ => self.prose(schema, value, place),
        }
    }

    fn object(
        &mut self,
        schema: &Value,
        value: &Value,
        place: Option<Place<'_>>,
    ) -> Result<Value, String> {
        let fields =
            value.as_object().ok_or_else(|| format!("{} must be a JSON object", shown(place)))?;
        let (mut found, mut others) = (Map::new(), Vec::new());
        for (key, inner) in fields {
            match self.key_of(schema, key) {
                Some((own, step)) => {
                    self.steps.extend(step);
                    found.entry(own).or_insert_with(|| inner.clone());
                }
                None => others.push((key, inner)),
            }
        }
        self.take_synonyms(schema, &others, &mut found);
        let mut shaped = Map::new();
        for (key, inner) in properties(schema) {
            let below = Place { above: place.as_ref(), key };
            let value = match found.get(key).filter(|value| !value.is_null()) {
                Some(value) => {
                    let read = self.value(inner, value, below);
                    read.or_else(|complaint| self.dropped(inner).ok_or(complaint))?
                }
                None if !inner["default"].is_null() => {
                    self.steps.insert("left_out");
                    inner["default"].clone()
                }
                None if has_twin(schema, inner) => return Err(missing(below)),
                None => self.flat(inner, value, below)?,
            };
            shaped.insert(key.clone(), value);
        }
        Ok(Value::Object(shaped))
    }

    /// What stands for a word that cannot be read, if it may be missing and nothing then takes its place: no reason to ask again.
    fn dropped(&mut self, schema: &Value) -> Option<Value> {
        let is_spare = schema["enum"].is_array() && schema["default"] == "";
        is_spare.then(|| {
            self.steps.insert("dropped");
            schema["default"].clone()
        })
    }

    /// Takes prose under another word for its key if nothing else can be meant: `reason` for `because`.
    fn take_synonyms(
        &mut self,
        schema: &Value,
        others: &[(&String, &Value)],
        found: &mut Map<String, Value>,
    ) {
        let missing: Vec<&String> = properties(schema)
            .map(|(own, _)| own)
            .filter(|own| is_word_for_reason(own) && !found.contains_key(*own))
            .collect();
        let words: Vec<_> = others.iter().filter(|(key, _)| is_word_for_reason(key)).collect();
        // An empty list says nothing, such as that of moves where none can be made.
        let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
        let mut unknown = others.iter().filter(|(_, value)| !is_empty(value)).count();
        if let ([own], [(_, value)]) = (missing.as_slice(), words.as_slice()) {
            found.insert((*own).clone(), (*value).clone());
            self.steps.insert(SPELT);
            unknown = unknown.saturating_sub(1);
        }
        if unknown > 0 {
            self.steps.insert("extra_keys");
        }
    }

    /// An object that is missing because its keys are one level higher.
    fn flat(&mut self, schema: &Value, above: &Value, place: Place<'_>) -> Result<Value, String> {
        if schema["type"] != "object" {
            return Err(missing(place));
        }
        let fields = above.as_object().ok_or_else(|| missing(place))?;
        let known = |key: &String| self.key_of(schema, key).is_some();
        if !fields.keys().any(known) {
            return Err(missing(place));
        }
        self.steps.insert("flat");
        self.object(schema, above, Some(place))
    }

    /// The property that a reply's key means, and the step it took to see that.
    fn key_of(&self, schema: &Value, key: &str) -> Option<(String, Option<&'static str>)> {
        let known = || properties(schema).map(|(own, _)| own.as_str());
        if known().any(|own| own == key) {
            return Some((key.to_owned(), None));
        }
        let (own, step) = self.meant(known(), key)?;
        Some((own.to_owned(), Some(step)))
    }

    /// Which of several ids a word means, and the step it took to see that: the id spelt differently; else another word or a name
    /// for it, which a role or the id in brackets may follow (`Ann (Against)`), or what it stands for. `None` if two ids remain
    /// possible.
    fn meant<'o>(
        &self,
        options: impl Iterator<Item = &'o str>,
        word: &str,
    ) -> Option<(&'o str, &'static str)> {
        let options: Vec<&str> = options.collect();
        if let Some(own) = options.iter().find(|own| plain(own) == plain(word)) {
            return Some((own, SPELT));
        }
        if let Some(own) = only(&options, |own| self.is_defined_as(own, word)) {
            return Some((own, "defined"));
        }
        let means = |own: &str, part: &str| is_meant(own, part) || self.is_name_of(part, own);
        let meant = only(&options, |own| readings(word).any(|part| means(own, part)));
        match meant {
            Some(own) => Some((own, if is_meant(own, word) { SPELT } else { "named" })),
            None => Some((only(&options, |own| self.begins_definition(own, word))?, "defined")),
        }
    }

    /// Whether a word is what an option stands for: `Keep it as it is.`, also `keep: Keep it as it is.`
    fn is_defined_as(&self, option: &str, word: &str) -> bool {
        let meaning = self.meanings.get(option).map(|meaning| plain(meaning));
        let said = plain(word);
        meaning.is_some_and(|it| said == it || said.strip_prefix(&plain(option)) == Some(&*it))
    }

    /// Whether what an option stands for begins with this, which is long enough to be no other word.
    fn begins_definition(&self, option: &str, word: &str) -> bool {
        let meaning = self.meanings.get(option).map(|meaning| plain(meaning));
        let is_long = word.split_whitespace().nth(A_BEGINNING - 1).is_some();
        is_long && meaning.is_some_and(|meaning| meaning.starts_with(&plain(word)))
    }

    fn is_name_of(&self, word: &str, id: &str) -> bool {
        self.names.iter().any(|(own, name)| own == id && plain(name) == plain(word))
    }

    fn array(&mut self, schema: &Value, value: &Value, place: Place<'_>) -> Result<Value, String> {
        let items = match value {
            Value::Array(items) => items.clone(),
            one => {
                self.steps.insert("listed");
                // Of codes, one text may hold all.
                let (_, length) = bounds(&schema["items"], ["minLength", "maxLength"]);
                let codes = one.as_str().filter(|_| length < A_TEXT);
                let split = |text: &str| text.split([',', ';', '\n']).map(Value::from).collect();
                codes.map_or_else(|| vec![one.clone()], split)
            }
        };
        let (least, most) = bounds(schema, ["minItems", "maxItems"]);
        if items.len() < least {
            let entries = if least == 1 { "entry" } else { "entries" };
            let place = shown(Some(place));
            return Err(format!("{place} must have at least {least} {entries}"));
        }
        if items.len() > most {
            self.steps.insert("too_many");
        }
        let items = items.iter().take(most);
        if is_of_numbers(schema) {
            return Ok(items.filter_map(|item| self.cited(item)).collect());
        }
        let above = Some(&place);
        let item = |(n, item): (usize, &Value)| {
            let id = id_in(&item["id"]).map(|id| format!(" (id {id})"));
            let key = &format!("{ENTRY}{n}{}", id.unwrap_or_default());
            self.value(&schema["items"], item, Place { above, key })
        };
        (1..).zip(items).map(item).collect()
    }

    /// A number that refers to something. It affects no score, so one that cannot be read is dropped.
    fn cited(&mut self, value: &Value) -> Option<Value> {
        let number = match value {
            Value::String(text) => {
                self.steps.insert("number_in_text");
                number_before_words(text)
            }
            other => other.as_u64(),
        };
        if number.is_none() {
            self.steps.insert("dropped");
        }
        number.map(Value::from)
    }

    /// A whole number on its scale. Fractions are rounded, half to even; `7/10` is 7 if 10 is the maximum.
    fn integer(
        &mut self,
        schema: &Value,
        value: &Value,
        place: Place<'_>,
    ) -> Result<Value, String> {
        let least = schema["minimum"].as_f64().unwrap_or(0.0);
        let most = schema["maximum"].as_f64().unwrap_or(f64::MAX);
        let what = format!("a whole number from {least} to {most}");
        let wanted = || must_be(place, &what, value);
        let given = match value {
            // An id is no amount: `S5` is as good, and `2/9` are two.
            Value::String(_) if place.key == "id" => {
                self.steps.insert("number_in_text");
                id_in(value).map(|id| id as f64)
            }
            _ => self.number(value, most),
        };
        let given = given.ok_or_else(wanted)?;
        if !(least..=most).contains(&given) {
            return Err(wanted());
        }
        if given.fract() != 0.0 {
            self.steps.insert("rounded");
            match place.keys().as_slice() {
                ["scores", key @ ..] => self.rounded.insert(key.join("."), given),
                ["quality"] => self.rounded.insert("quality".to_owned(), given),
                _ => None,
            };
        }
        Ok(Value::from(given.round_ties_even() as i64))
    }

    fn number(&mut self, value: &Value, most: f64) -> Option<f64> {
        match value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => {
                self.steps.insert("number_in_text");
                number_in(text, most)
            }
            Value::Object(fields) => {
                self.steps.insert("wrapped");
                let keys = ["score", "value", "rating"];
                let inner = keys.iter().find_map(|key| fields.get(*key))?;
                inner.as_f64()
            }
            _ => None,
        }
    }

    fn boolean(&mut self, value: &Value, place: Place<'_>) -> Result<Value, String> {
        let word = value.as_str().map(plain);
        let said = match (value, word.as_deref()) {
            (Value::Bool(said), _) => Some(*said),
            (_, Some("true" | "yes")) => Some(true),
            (_, Some("false" | "no")) => Some(false),
            _ => None,
        };
        if !value.is_boolean() {
            self.steps.insert("yes_or_no");
        }
        said.map(Value::Bool).ok_or_else(|| must_be(place, "true or false", value))
    }

    /// One of several words: the word itself, a different spelling, or a name for an id.
    fn option(&mut self, schema: &Value, value: &Value, place: Place<'_>) -> Result<Value, String> {
        let options: Vec<&str> =
            schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let what = format!("one of {}", options.join(", "));
        let wanted = || must_be(place, &what, value);
        let word = value.as_str().ok_or_else(wanted)?;
        if options.contains(&word) {
            return Ok(value.clone());
        }
        let (option, step) = self.meant(options.iter().copied(), word).ok_or_else(wanted)?;
        self.steps.insert(step);
        Ok(Value::from(option))
    }

    /// Text. If it exceeds its bound, no grammar limited it, and it stays whole up to [`LENIENT`] times the bound. If it is
    /// longer still, it ends at its last whole sentence, marked; so does a text that reaches the bound exactly, since a grammar
    /// stops there in the middle of a word.
    ///
    /// Ids of participants in it, which models take from the keys of the reply, become names.
    fn prose(&mut self, schema: &Value, value: &Value, place: Place<'_>) -> Result<Value, String> {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Array(parts) if parts.iter().all(Value::is_string) => {
                self.steps.insert("joined");
                let parts: Vec<&str> = parts.iter().filter_map(Value::as_str).collect();
                parts.join(" ")
            }
            _ => return Err(format!("{} must be text", shown(Some(place)))),
        };
        let (least, most) = bounds(schema, ["minLength", "maxLength"]);
        let length = text.trim().chars().count();
        if length < least {
            return Err(match length {
                0 => format!("{} is empty", shown(Some(place))),
                _ => must_be(place, "a sentence", value),
            });
        }
        if text::has_loop(&text) {
            return Err(format!("{} {LOOPS}", shown(Some(place))));
        }
        let named = self.by_name(&text);
        if named != text {
            self.steps.insert("renamed");
        }
        let bounded = self.bounded(&named, most);
        Ok(Value::from(text::without_hidden(&bounded)))
    }

    /// A text with names in place of ids, but for ids that are words, too, as `judge` or `x` would be.
    fn by_name(&self, text: &str) -> String {
        let ids = self.names.iter();
        let told = ids.filter(|(id, _)| id.contains('_') && text.contains(id.as_str()));
        let ids: Vec<_> = told
            .filter_map(|(id, name)| {
                let pattern = Regex::new(&format!(r"\b{}\b", regex::escape(id)));
                Some((pattern.ok()?, name))
            })
            .collect();
        ids.iter().fold(text.to_owned(), |text, (id, name)| mentions::renamed(&text, id, name))
    }

    fn bounded(&mut self, text: &str, most: usize) -> String {
        let text = text.trim();
        let length = text.chars().count();
        let ends = || text::cut_at_sentence(text) == Some(text);
        let fits = length <= most.saturating_mul(LENIENT);
        let is_code = most < A_TEXT;
        if fits && (length != most || is_code || ends()) {
            return text.to_owned();
        }
        // What is left of a code says nothing.
        self.steps.insert(if is_code { "dropped" } else { SHORTENED });
        let head: String = text.chars().take(most).collect();
        // A grammar stops at the bound in the middle of a word, so a text of exactly that length loses its last word.
        let within = most.min(length.saturating_sub(1));
        match text::cut_at_sentence(&head).filter(|_| !is_code) {
            Some(whole) => format!("{whole} {}", text::LEFT_OUT),
            None => text::shorten(text, within),
        }
    }
}

/// The only one of several options that fits.
fn only<'o>(options: &[&'o str], fits: impl Fn(&str) -> bool) -> Option<&'o str> {
    let mut fitting = options.iter().copied().filter(|own| fits(own));
    fitting.next().filter(|_| fitting.next().is_none())
}

/// Whether a list holds whole numbers: positions in a list of ours.
fn is_of_numbers(schema: &Value) -> bool {
    schema["items"]["type"] == "integer"
}

fn missing(place: Place<'_>) -> String {
    format!("{} is missing", shown(Some(place)))
}

/// Whether another property has the same keys, as each contestant's scores do: then it is unknown whose they are.
fn has_twin(schema: &Value, property: &Value) -> bool {
    let same = |(_, other): &(&String, &Value)| other["properties"] == property["properties"];
    property["properties"].is_object() && properties(schema).filter(same).count() > 1
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["properties"].as_object().into_iter().flatten()
}

/// What is wrong with a value that must be something else.
fn must_be(place: Place<'_>, what: &str, value: &Value) -> String {
    let value = text::shorten(&value.to_string(), 40);
    format!("{} must be {what}, not {value}", shown(Some(place)))
}

/// The minimum and maximum that a schema sets under these keys.
fn bounds(schema: &Value, [least, most]: [&str; 2]) -> (usize, usize) {
    let bound = |key: &str| schema[key].as_u64().map(|bound| bound as usize);
    (bound(least).unwrap_or(0), bound(most).unwrap_or(usize::MAX))
}

/// A place in words: `the score of clarity for agent_a`, `` `reason` ``, `` `new.severity` in entry 2 ``.
fn shown(place: Option<Place<'_>>) -> String {
    let keys = place.map(|place| place.keys()).unwrap_or_default();
    match keys.as_slice() {
        [] => "the reply".to_owned(),
        ["scores", criterion] => format!("the score of {criterion}"),
        ["scores", whose, criterion] => format!("the score of {criterion} for {whose}"),
        keys => {
            let (entries, names): (Vec<&str>, Vec<&str>) =
                keys.iter().partition(|key| key.starts_with(ENTRY));
            let name = names.join(".");
            match entries.last() {
                Some(entry) if keys.ends_with(&[entry]) => format!("{entry} of `{name}`"),
                Some(entry) => format!("`{name}` in {entry}"),
                None => format!("`{name}`"),
            }
        }
    }
}

#[cfg(test)]
mod tests;
