//! A critique in words, for the record, with the marks of its source: 🔴 🟡 🟢 for new points, ✅ ⚠️ ❌ for earlier ones.

use super::mark::Resolution;
use super::said::{Critique, Issue, Settled};
use crate::text;

/// What follows the mark if the skeptic did not call the answer ready.
const UNSAID: &str =
    " (by its score and its open points; the skeptic did not call the answer ready)";

impl Critique {
    /// The critique as text. Its new points are numbered from `first`, `critical` has the numbers of the critical earlier
    /// points, and `ready` says whether the debate can go on to its synthesis. If it can and the skeptic did not say so, the
    /// text tells that.
    pub(in crate::formats::dialectic) fn text(
        &self,
        first: u32,
        critical: &[u32],
        ready: bool,
    ) -> String {
        let earlier = self.settled.iter().map(|it| settled(it, critical));
        let new = (first..).zip(&self.issues).map(|(n, it)| issue(n, it));
        let score = self.score.map(|score| format!("Quality score: {score}/10"));
        let unsaid = if self.signalled { "" } else { UNSAID };
        let mark = ready.then(|| format!("Ready for Synthesis ✅{unsaid}"));
        let parts =
            [earlier.collect(), new.collect(), score.into_iter().chain(mark).collect::<Vec<_>>()];
        let parts = parts.iter().filter(|part| !part.is_empty());
        parts.map(|part| part.join("\n")).collect::<Vec<_>>().join("\n\n")
    }
}

fn settled(it: &Settled, critical: &[u32]) -> String {
    let open = it.resolution != Resolution::Resolved;
    let grave = if open && critical.contains(&it.n) { " 🔴" } else { "" };
    let head = format!("{} {}{grave}", it.resolution.mark(), it.n);
    if it.words.is_empty() { head } else { format!("{head}: {}", it.words) }
}

fn issue(n: u32, it: &Issue) -> String {
    let mark = it.severity.mark();
    let attack = it.attack().unwrap_or_default();
    let claim = it.claim.iter().map(|claim| format!(" “{claim}” –"));
    let mend = it.mend.iter().map(|mend| format!(" To fix it: {mend}"));
    let (claim, mend): (String, String) = (claim.collect(), mend.collect());
    format!("{mark} **{n}. {}:**{claim} {}{mend}", text::capitalised(&attack), it.text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Critique, in_form, read};
    use super::UNSAID;

    fn critique() -> Critique {
        in_form(
            &json!({
                "earlier": [
                    {"id": 1, "remains": "The budget is there now.", "status": "resolved"},
                    {"id": 2, "remains": "One year is too short.", "status": "partial"},
                    {"id": 3, "remains": "Nothing was said of it.", "status": "unresolved"},
                ],
                "new": [
                    {"attack": "logical_gap", "claim": "\"It follows.\"", "fault": "It does not.", "mend": "Show the step.", "severity": "critical"},
                    {"attack": "edge_case", "claim": "everyone gains.", "fault": "Not those who walk.", "mend": "Name them.", "severity": "minor"},
                ],
                "quality": 6,
                "ready": true,
            }),
            "It  follows. **Everyone** gains.",
        )
    }

    #[test]
    fn t3_a_structured_critique_is_put_into_words_with_the_marks_of_its_source() {
        let lines = [
            "✅ 1: The budget is there now.",
            "⚠️ 2 🔴: One year is too short.",
            "❌ 3: Nothing was said of it.",
            "",
            "🔴 **4. Logical gap:** “It follows.” – It does not. To fix it: Show the step.",
            "🟢 **5. Edge case:** “everyone gains.” – Not those who walk. To fix it: Name them.",
            "",
            "Quality score: 6/10",
        ];
        assert_eq!(critique().text(4, &[1, 2], false), lines.join("\n"));
        let ready = critique().text(4, &[1, 2], true);
        assert_eq!(ready, lines.join("\n") + "\nReady for Synthesis ✅");
        let modest = Critique { signalled: false, ..critique() }.text(4, &[1, 2], true);
        assert_eq!(modest, format!("{ready}{UNSAID}"));
    }

    #[test]
    fn t3_the_reader_of_prose_finds_the_same_points_in_these_words() {
        let (meant, found) = (critique(), read(&critique().text(4, &[], true)));
        let kinds = |critique: &Critique| -> Vec<_> {
            let issues = critique.issues.iter();
            issues.map(|it| (it.severity, it.strategy.clone())).collect()
        };
        assert_eq!(kinds(&found), kinds(&meant));
        assert_eq!(found.settled, meant.settled);
        assert_eq!((found.score, found.signalled), (meant.score, true));
    }
}
