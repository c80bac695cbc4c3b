//! What viewers see of a structured statement while it arrives: its texts, not its keys and codes.

use serde_json::Value;

/// The string values of a reply that arrives in pieces, each on its own line, without those for which its schema lists the
/// words. A line break within a value is shown as a blank; text outside an object is skipped.
#[derive(Debug, Default)]
pub(super) struct Values {
    /// The brackets that are open.
    open: Vec<char>,
    /// Whether the next string is a key.
    key: bool,
    /// The last key.
    name: String,
    /// Whether its value is a word from a list.
    is_code: bool,
    state: State,
    /// The first half of a character that is written as two codes.
    half: Option<u16>,
    /// Whether a value has begun.
    begun: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Between,
    Within,
    Escaped,
    /// The number of hexadecimal digits read of a code, and their value.
    Code(u32, u32),
}

impl Values {
    /// Takes a piece and returns the text that it adds to the values.
    pub(super) fn take(&mut self, piece: &str, schema: &Value) -> String {
        let mut said = String::new();
        piece.chars().for_each(|c| self.next(c, schema, &mut said));
        said
    }

    fn next(&mut self, c: char, schema: &Value, said: &mut String) {
        match self.state {
            State::Between => self.between(c, schema, said),
            State::Within if c == '\\' => self.state = State::Escaped,
            State::Within if c == '"' => {
                self.end_half(said);
                self.state = State::Between;
            }
            State::Within => self.say(c, said),
            State::Escaped if c == 'u' => self.state = State::Code(0, 0),
            State::Escaped => {
                self.state = State::Within;
                self.say(if "nrtbf".contains(c) { ' ' } else { c }, said);
            }
            State::Code(digits, value) => match c.to_digit(16) {
                Some(digit) if digits < 3 => {
                    self.state = State::Code(digits + 1, value * 16 + digit);
                }
                Some(digit) => {
                    self.state = State::Within;
                    self.code((value * 16 + digit) as u16, said);
                }
                // Not a code after all: the character may end the string.
                None => {
                    self.state = State::Within;
                    self.say(char::REPLACEMENT_CHARACTER, said);
                    self.next(c, schema, said);
                }
            },
        }
    }

    /// A code is a character, or half of one.
    fn code(&mut self, code: u16, said: &mut String) {
        let whole = self.half.and_then(|half| char::decode_utf16([half, code]).next()?.ok());
        match (whole, code) {
            (Some(whole), _) => {
                self.half = None;
                self.say(whole, said);
            }
            (None, 0xD800..=0xDBFF) => {
                self.end_half(said);
                self.half = Some(code);
            }
            (None, _) => {
                let alone = char::from_u32(code.into());
                self.say(alone.unwrap_or(char::REPLACEMENT_CHARACTER), said);
            }
        }
    }

    fn say(&mut self, c: char, said: &mut String) {
        self.end_half(said);
        if self.key {
            self.name.push(c);
        } else if !self.is_code {
            said.push(if c.is_control() { ' ' } else { c });
        }
    }

    /// Replaces a first half that is not followed by a second one.
    fn end_half(&mut self, said: &mut String) {
        if self.half.take().is_some() && !self.key && !self.is_code {
            said.push(char::REPLACEMENT_CHARACTER);
        }
    }

    /// A character outside strings. Each value begins on a new line.
    fn between(&mut self, c: char, schema: &Value, said: &mut String) {
        match c {
            '{' | '[' => self.open.push(c),
            '}' | ']' => drop(self.open.pop()),
            '"' if !self.open.is_empty() => {
                self.state = State::Within;
                if self.key {
                    self.name.clear();
                    return;
                }
                self.is_code = is_code(schema, &self.name);
                let further = !self.is_code && self.begun;
                self.begun |= !self.is_code;
                said.extend(further.then_some('\n'));
                return;
            }
            _ => {}
        }
        if "{[}],:".contains(c) {
            self.key = matches!(c, '{' | ',') && self.open.last() == Some(&'{');
        }
    }
}

/// Whether a schema lists the words that a key may have.
fn is_code(schema: &Value, key: &str) -> bool {
    let properties = schema["properties"].as_object();
    let mut within = properties.into_iter().flat_map(|all| all.values()).chain(schema.get("items"));
    schema["properties"][key].get("enum").is_some() || within.any(|it| is_code(it, key))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Values;

    /// What is shown of a reply, whatever the size of its pieces.
    fn seen(reply: &str) -> String {
        let attack = json!({"properties": {"attack": {"enum": ["edge_case"]}}});
        let schema = json!({"properties": {"new": {"items": attack}}});
        let all = |size: usize| -> String {
            let mut values = Values::default();
            let pieces: Vec<char> = reply.chars().collect();
            let pieces = pieces.chunks(size).map(|piece| piece.iter().collect());
            pieces.map(|piece: String| values.take(&piece, &schema)).collect()
        };
        let whole = all(1000);
        for size in [1, 2, 3, 7] {
            assert_eq!(all(size), whole, "{size}");
        }
        whole
    }

    #[test]
    fn m4_escapes_of_a_structured_statement_are_decoded() {
        for (reply, expected) in [
            (r#"{"a": "\u00e9\u4f60"}"#, "é你"),
            (r#"{"a": "Well \ud83d\ude00!"}"#, "Well 😀!"),
            (r#"{"a": "\uD83D\uDE00\ud83d\ude01"}"#, "😀😁"),
            (r#"{"a": "half \ud83d", "b": "\ude00 half"}"#, "half \u{fffd}\n\u{fffd} half"),
            (r#"{"a": "\ud83d\ud83d\ude00"}"#, "\u{fffd}😀"),
            (r#"{"a": "\ud83dx"}"#, "\u{fffd}x"),
            (r#"{"a": "C:\\new \/ \"so\""}"#, r#"C:\new / "so""#),
            (r#"{"a": "one\ntwo\tthree\u000afour"}"#, "one two three four"),
            (r#"{"a": "no \u12", "b": "code"}"#, "no \u{fffd}\ncode"),
            (r#"{"k\ud83d": "key", "\"k\"": "s"}"#, "key\ns"),
        ] {
            assert_eq!(seen(reply), expected, "{reply}");
        }
    }

    #[test]
    fn m4_the_texts_of_a_structured_statement_are_seen_as_they_arrive() {
        let reply = r#"Here it is: {"new": [{"attack": "edge_case", "fault": "It \"breaks\"\nat \u00e9, {so}."}], "list": ["a", "b"], "quality": 7}"#;
        let expected = "It \"breaks\" at é, {so}.\na\nb";
        assert_eq!(seen(reply), expected);
    }
}
