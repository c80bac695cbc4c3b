//! The options that restricted what people's debates were drawn from, as labels record them.

use std::fmt;
use std::str::FromStr;

use crate::facts::Facts;
use crate::stats::key::{Filter, FilterError, chosen};

const WHERE: &str = "--where ";
const REHEARSALS: &str = "--include-rehearsals";

/// The options of a sample.
#[derive(Debug)]
pub(crate) struct Options {
    /// Which debates it could have.
    pub(crate) filters: Vec<Filter>,
    /// Whether rehearsals were among them.
    rehearsals: bool,
}

impl FromStr for Options {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, FilterError> {
        let without = text.replace(REHEARSALS, "");
        let filters = without.split(WHERE).map(str::trim).filter(|text| !text.is_empty());
        Ok(Self {
            filters: filters.map(str::parse).collect::<Result<_, _>>()?,
            rehearsals: text.contains(REHEARSALS),
        })
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let filters = self.filters.iter();
        let all = filters
            .map(|filter| format!("{WHERE}{filter}"))
            .chain(self.rehearsals.then(|| REHEARSALS.to_owned()));
        f.write_str(&all.collect::<Vec<_>>().join(" "))
    }
}

impl Options {
    /// Whether the sample could have a debate.
    pub(super) fn hold(&self, facts: &Facts) -> bool {
        (self.rehearsals || !facts.rehearsal) && chosen(facts, &self.filters)
    }
}
