//! Faults of a file: the first ones in words, the rest counted, since a large file may be all wrong.

/// Faults that are told.
const MOST_TOLD: usize = 20;

/// What is wrong with a file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// The cause.
    pub cause: String,
    /// What to do about it.
    pub remedy: String,
}

/// The faults of a file.
#[derive(Debug, Default)]
pub struct Faults {
    told: Vec<Fault>,
    more: usize,
}

impl Faults {
    /// Notes another.
    pub fn add(&mut self, line: usize, cause: impl Into<String>, remedy: impl Into<String>) {
        if self.told.len() == MOST_TOLD {
            self.more += 1;
            return;
        }
        let (cause, remedy) = (cause.into(), remedy.into());
        self.told.push(Fault { line, cause, remedy });
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.told.is_empty()
    }
}

impl IntoIterator for Faults {
    type Item = Fault;
    type IntoIter = std::vec::IntoIter<Fault>;

    /// Those that are told by line, and how many more there are.
    fn into_iter(mut self) -> Self::IntoIter {
        self.told.sort_by_key(|fault| fault.line);
        if let Some(last) = self.told.last().filter(|_| self.more > 0) {
            self.told.push(Fault {
                line: last.line,
                cause: format!("and {} more", self.more),
                remedy: "fix those above first".to_owned(),
            });
        }
        self.told.into_iter()
    }
}
