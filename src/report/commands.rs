//! The commands that have what a report has no room for.

use crate::stats::findings::Findings;
use crate::text::{one_line, shell};

/// Conditions that choose exactly a list's debates on the command line, keys and values of `--where`; none if no
/// conditions do.
pub(crate) type Conditions<'a> = &'a [(&'a str, &'a str)];

fn condition(filter: &str) -> String {
    format!(" --where {}", shell::quoted(filter))
}

/// The commands that have what a report has no room for.
#[derive(Debug, Clone)]
pub(crate) struct Commands {
    /// What chooses the debates of a report on the command line, behind a directory.
    chosen: String,
}

impl Commands {
    pub(crate) fn new(findings: &Findings) -> Self {
        let rehearsals = if findings.counts.rehearsals == 0 { "" } else { " --include-rehearsals" };
        let filters: String =
            findings.provenance.filters.iter().map(|filter| condition(filter)).collect();
        Self { chosen: one_line(&format!("DIR{rehearsals}{filters}")) }
    }

    /// All of it, as JSON.
    pub(crate) fn everything(&self) -> String {
        format!("rebut report {} -o report.json", self.chosen)
    }

    /// All groups by some keys.
    pub(crate) fn groups(&self, by: &[String]) -> String {
        let by = shell::quoted(&by.join(","));
        let chosen = &self.chosen;
        one_line(&format!("rebut stats {chosen} --by {by} --format csv"))
    }

    /// The debates that these conditions choose too; without one, all.
    pub(crate) fn debates(&self, conditions: Conditions<'_>) -> String {
        let conditions: String =
            conditions.iter().map(|(key, value)| condition(&format!("{key}={value}"))).collect();
        let chosen = &self.chosen;
        one_line(&format!("rebut export {chosen} --to csv{conditions}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s5_a_command_is_safe_to_paste() {
        let commands = Commands { chosen: "DIR".to_owned() };
        assert_eq!(
            commands.debates(&[("model", "a:1b"), ("topic", "it's; rm")]),
            r"rebut export DIR --to csv --where model=a:1b --where 'topic=it'\''s; rm'"
        );
        assert_eq!(
            commands.groups(&["tag.a b; rm".to_owned(), "model".to_owned()]),
            "rebut stats DIR --by 'tag.a b; rm,model' --format csv"
        );
    }
}
