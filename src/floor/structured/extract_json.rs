//! Finding the JSON object in a reply: models without a grammar surround it with fences, thoughts and prose, and write JSON
//! the way people do.

use serde_json::{Map, Value};

/// Bytes of a reply in which an object is looked for; nothing after them can be a judgment.
const LOOKED_AT: usize = 64 * 1024;
/// Characters before a fault in JSON that are quoted.
const BEFORE: usize = 40;
/// Maximum number of braces tried.
const TRIED: usize = 64;

/// What was done to a reply to make sense of it.
pub(super) type Steps = std::collections::BTreeSet<&'static str>;

/// A reply's object as it was written.
#[derive(Debug)]
pub(super) struct Extracted {
    pub(super) object: Map<String, Value>,
    pub(super) steps: Steps,
}

/// Why there is no object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Missing {
    /// No brace opens an object.
    NoObject,
    /// An object begins but does not end.
    Unfinished,
    /// The text between braces is not JSON: what is wrong, and where.
    Broken(String),
}

/// The whole characters that are looked at.
fn looked_at(spoken: &str) -> &str {
    let end = spoken.char_indices().map(|(at, _)| at).find(|at| *at > LOOKED_AT - 4);
    end.map_or(spoken, |end| &spoken[..end])
}

/// The first object in a reply that has one of these keys, or else the first object.
pub(super) fn object(reply: &str, keys: &[&String]) -> Result<Extracted, Missing> {
    let text = looked_at(reply);
    let (mut first, mut missing, mut from) = (None, Missing::NoObject, 0);
    for _ in 0..TRIED {
        let Some(start) = text[from..].find('{').map(|at| from + at) else {
            break;
        };
        from = start + 1;
        let Some(candidate) = Candidate::at(text, start) else {
            missing = Missing::Unfinished;
            continue;
        };
        let object: Map<String, Value> = match serde_json::from_str(&candidate.json) {
            Ok(object) => object,
            Err(error) => {
                // What is wrong within a broken object is the same fault once more.
                if !matches!(missing, Missing::Broken(_)) {
                    missing = Missing::Broken(fault(&candidate.json, &error));
                }
                continue;
            }
        };
        from = candidate.end;
        let wanted = keys.iter().any(|key| object.contains_key(*key));
        let mut found = Extracted { steps: candidate.steps(text, start), object };
        if wanted {
            found.take_parts(&text[from..]);
            return Ok(found);
        }
        // An object inside a broken or unfinished one is a part of that.
        if missing == Missing::NoObject {
            first.get_or_insert(found);
        }
    }
    first.ok_or(missing)
}

/// What is wrong in a text that is not JSON, and behind which words: `a , or a } is missing after “the word "”`. A quotation mark
/// in a text that is not escaped is the usual cause, and is named where it may be.
fn fault(json: &str, error: &serde_json::Error) -> String {
    let mut line_starts = json.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some(start)
    });
    let start = line_starts.nth(error.line().saturating_sub(1));
    let end = start.unwrap_or_default() + error.column().saturating_sub(1);
    let before = json.get(..end).unwrap_or_default().trim_end();
    let skipped = before.chars().count().saturating_sub(BEFORE);
    let tail: String = before.chars().skip(skipped).collect();
    // A tail that begins within a word begins with the next one, if that leaves most of it.
    let whole =
        tail.split_once(' ').filter(|_| skipped > 0).filter(|(cut, rest)| cut.len() < rest.len());
    let words = whole.map_or(&*tail, |(_, rest)| rest);
    let told = error.to_string();
    let what = plain(told.split(" at line ").next().unwrap_or_default());
    let hint = if before.ends_with('"') { "; within a text, write \\\" for each \"" } else { "" };
    format!("{what} after “{words}”{hint}")
}

/// A parser's message in words that a small model understands.
fn plain(told: &str) -> &'static str {
    match told {
        "expected `,` or `}`" => "a , or a } is missing",
        "expected `,` or `]`" => "a , or a ] is missing",
        "expected `:`" => "a : is missing",
        "key must be a string" => "a key in quotation marks is missing",
        "expected value" | "expected ident" => "a value is missing or has no quotation marks",
        "trailing comma" => "there is a , too many",
        "invalid escape" => "there is a wrong \\ (write \\\\ for each)",
        _ if told.starts_with("control character") => {
            "a text has a line break (write \\n for each)"
        }
        _ => "something is wrong",
    }
}

impl Extracted {
    /// Takes in objects that follow directly and share no key with this one: some models write one object per key.
    fn take_parts(&mut self, behind: &str) {
        let mut rest = behind;
        while let Some(start) = next_part(rest) {
            let Some(candidate) = Candidate::at(rest, start) else {
                return;
            };
            let Ok(Value::Object(part)) = serde_json::from_str(&candidate.json) else {
                return;
            };
            if part.keys().any(|key| self.object.contains_key(key)) {
                return;
            }
            self.object.extend(part);
            self.steps.insert("parts");
            rest = &rest[candidate.end..];
        }
    }
}

/// Where the next object begins, if only space or a comma precedes it.
fn next_part(text: &str) -> Option<usize> {
    let start = text.find('{')?;
    let between = text[..start].trim_matches(|c: char| c.is_whitespace() || c == ',');
    between.is_empty().then_some(start)
}

/// The text from a brace to its closing brace, as JSON.
struct Candidate {
    json: String,
    end: usize,
    mended: bool,
}

impl Candidate {
    /// Escapes line ends within strings, and drops commas before a closing bracket.
    fn at(text: &str, start: usize) -> Option<Self> {
        let (mut json, mut depth, mut mended) = (String::new(), 0_u32, false);
        let (mut in_string, mut escaped) = (false, false);
        for (at, c) in text[start..].char_indices() {
            if in_string {
                mended |= c.is_control();
                match c {
                    '\n' if !escaped => json.push_str("\\n"),
                    c if c.is_control() => json.push(' '),
                    c => json.push(c),
                }
                (in_string, escaped) = (c != '"' || escaped, c == '\\' && !escaped);
                continue;
            }
            match c {
                '"' => in_string = true,
                '{' | '[' => depth += 1,
                '}' | ']' => {
                    depth -= 1;
                    let length = json.trim_end().len();
                    if json.trim_end().ends_with(',') {
                        json.truncate(length - 1);
                        mended = true;
                    }
                }
                _ => {}
            }
            json.push(c);
            if depth == 0 {
                let end = start + at + 1;
                return Some(Self { json, end, mended });
            }
        }
        None
    }

    /// What was done to extract it.
    fn steps(&self, text: &str, start: usize) -> Steps {
        let mut steps = Steps::new();
        let (before, behind) = (&text[..start], &text[self.end..]);
        if before.contains("```") {
            steps.insert("fenced");
        }
        let bare = |text: &str| text.replace("```json", "").replace("```", "");
        if !bare(before).trim().is_empty() || !bare(behind).trim().is_empty() {
            steps.insert("prose");
        }
        if self.mended {
            steps.insert("mended");
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(reply: &str) -> Result<(String, Vec<&'static str>), Missing> {
        let key = "a".to_owned();
        let found = object(reply, &[&key])?;
        let steps = found.steps.into_iter().collect();
        Ok((Value::Object(found.object).to_string(), steps))
    }

    #[test]
    fn m4_the_object_is_found_wherever_a_model_puts_it() {
        for (reply, steps) in [
            ("{\"a\":1}", vec![]),
            ("```json\n{\"a\":1}\n```", vec!["fenced"]),
            ("```\n{\"a\":1}\n```\nI hope this helps!", vec!["fenced", "prose"]),
            ("Here is my ballot: {\"a\":1}", vec!["prose"]),
            ("The shape is {\"b\": 0}. So: {\"a\":1}", vec!["prose"]),
            ("Set {a} aside. {\"a\":1}", vec!["prose"]),
            ("{\"a\":1,}", vec!["mended"]),
        ] {
            assert_eq!(read(reply), Ok(("{\"a\":1}".to_owned(), steps)), "{reply}");
        }
        let (object, steps) =
            read("{\"a\": 1}\n{\"b\": 2},\n{\"c\": 3}\n{\"a\": 4}").expect("an object");
        assert_eq!(object, "{\"a\":1,\"b\":2,\"c\":3}");
        assert_eq!(steps, ["parts", "prose"]);
        let (object, steps) = read("{\"a\": \"one\ntwo \\\"three\\\" }\"}").expect("an object");
        assert_eq!(object, "{\"a\":\"one\\ntwo \\\"three\\\" }\"}");
        assert_eq!(steps, ["mended"]);
    }

    #[test]
    fn m4_what_is_no_object_is_told_apart() {
        assert_eq!(read("I liked it."), Err(Missing::NoObject));
        assert_eq!(read("{\"a\": [1, 2"), Err(Missing::Unfinished));
        let broken = |reply: &str| match read(reply) {
            Err(Missing::Broken(fault)) => fault,
            other => panic!("{other:?}"),
        };
        assert_eq!(broken("{a: 1}"), "a key in quotation marks is missing after “{”");
        let unescaped = "{\"b\":\n\"He said \"no\" twice\", \"c\": {\"d\": 1}}";
        assert_eq!(
            broken(unescaped),
            "a , or a } is missing after “{\"b\":\n\"He said \"”; within a text, write \\\" for each \""
        );
        let long = format!("{{\"a\": [{}2 3]}}", "1, ".repeat(40));
        let words = format!("{}2", "1, ".repeat(12));
        assert_eq!(broken(&long), format!("a , or a ] is missing after “{words}”"));
    }

    #[test]
    fn m4_a_reply_full_of_braces_is_given_up_soon() {
        assert_eq!(read(&"{".repeat(1 << 20)), Err(Missing::Unfinished));
    }
}
