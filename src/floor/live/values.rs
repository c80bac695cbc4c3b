//! What watchers see of a structured statement while it arrives: its texts, not its keys.

/// The string values of a reply that arrives in pieces, each on a line of its own. Text outside of an object is none.
#[derive(Debug, Default)]
pub(super) struct Values {
    /// The brackets that are open.
    open: Vec<char>,
    /// Whether the next string is a key.
    key: bool,
    state: State,
    /// Whether a value has begun.
    begun: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Between,
    Within,
    Escaped,
    /// So many hexadecimal digits of a character, and their value.
    Code(u32, u32),
}

impl Values {
    /// Takes in a piece; what it adds to the values.
    pub(super) fn take(&mut self, piece: &str) -> String {
        piece.chars().filter_map(|c| self.next(c)).collect()
    }

    fn next(&mut self, c: char) -> Option<char> {
        match self.state {
            State::Between => return self.between(c),
            State::Within if c == '"' => self.state = State::Between,
            State::Within if c == '\\' => self.state = State::Escaped,
            State::Within => return self.said(c),
            State::Escaped if c == 'u' => self.state = State::Code(0, 0),
            State::Escaped => {
                self.state = State::Within;
                return self.said(if "nrtbf".contains(c) { ' ' } else { c });
            }
            State::Code(digits, value) => {
                let value = value * 16 + c.to_digit(16).unwrap_or(0);
                self.state = State::Code(digits + 1, value);
                if digits == 3 {
                    self.state = State::Within;
                    return self.said(char::from_u32(value)?);
                }
            }
        }
        None
    }

    fn said(&self, c: char) -> Option<char> {
        (!self.key).then_some(c)
    }

    /// A character outside of strings; a value begins on a new line.
    fn between(&mut self, c: char) -> Option<char> {
        match c {
            '{' | '[' => self.open.push(c),
            '}' | ']' => drop(self.open.pop()),
            '"' if !self.open.is_empty() => {
                self.state = State::Within;
                let further = !self.key && self.begun;
                self.begun |= !self.key;
                return further.then_some('\n');
            }
            _ => {}
        }
        if "{[}],:".contains(c) {
            self.key = matches!(c, '{' | ',') && self.open.last() == Some(&'{');
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Values;

    #[test]
    fn m4_the_texts_of_a_structured_statement_are_seen_as_they_arrive() {
        let reply = r#"Here it is: {"new": [{"attack": "edge_case", "fault": "It \"breaks\"\nat \u00e9, {so}."}], "list": ["a", "b"], "quality": 7}"#;
        for size in [1, 2, 7, 1000] {
            let mut values = Values::default();
            let pieces: Vec<char> = reply.chars().collect();
            let pieces = pieces.chunks(size).map(|piece| piece.iter().collect());
            let seen: String = pieces.map(|piece: String| values.take(&piece)).collect();
            assert_eq!(seen, "edge_case\nIt \"breaks\" at é, {so}.\na\nb", "{size}");
        }
    }
}
