//! What a critique says (row T3): its issues, how earlier points stand, the skeptic's score and signal.
//!
//! A line that begins with a mark is a point; list markers, emphasis and numbers may stand before the mark. A mark with
//! nothing behind it heads a list: each of the list's items is a point. The numbers of issues are ours, not the skeptic's.

use serde::{Deserialize, Serialize};

use super::lines::{is_decoration, is_variation, number, numbers, plain, word};
use crate::text;

/// Characters of a point that are kept.
const MOST_CHARACTERS: usize = 600;
/// The signal, without its mark.
const SIGNAL: &str = "ready for synthesis";
/// What stands before a stated score.
const SCORE: &str = "quality score";
/// Words that say only how grave a point is, how it stands or that it is one.
const LABELS: [&str; 13] = [
    "critical",
    "major",
    "minor",
    "issue",
    "issues",
    "point",
    "points",
    "problem",
    "problems",
    "resolved",
    "unresolved",
    "partially",
    "partly",
];

/// The attack strategies, each with the words that name it. Longer words may begin with these.
const STRATEGIES: [(&str, &[&str]); 8] = [
    ("hidden_assumption", &["hidden assumption"]),
    ("counter_example", &["counter example", "counterexample"]),
    ("logical_gap", &["logical gap"]),
    ("weak_evidence", &["weak evidence"]),
    ("alternative_explanation", &["alternative explanation"]),
    ("edge_case", &["edge case"]),
    (
        "overgeneralisation",
        &[
            "overgeneralisation",
            "overgeneralization",
            "over generalisation",
            "over generalization",
        ],
    ),
    ("practical_consequence", &["practical consequence"]),
];

/// How grave an issue is; graver ones come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Severity {
    /// 🔴
    Critical,
    /// 🟡
    Major,
    /// 🟢
    Minor,
}

/// How an earlier point stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Resolution {
    /// ✅
    Resolved,
    /// ⚠️
    Partial,
    /// ❌
    Unresolved,
}

/// What a line begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Issue(Severity),
    Settled(Resolution),
}

/// An issue that a critique raises.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Issue {
    pub(super) severity: Severity,
    pub(super) strategy: Option<&'static str>,
    pub(super) text: String,
}

/// What a critique says.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Critique {
    /// New issues, in order.
    pub(super) issues: Vec<Issue>,
    /// How earlier points stand, by the numbers that the skeptic was shown.
    pub(super) settled: Vec<(u32, Resolution)>,
    /// Lines that settle something without saying which point.
    pub(super) unnumbered: u32,
    /// Whether any line begins with a mark.
    pub(super) marked: bool,
    /// Whether it raises a critical issue, or shows the mark of one with an earlier point that is not resolved.
    pub(super) critical: bool,
    /// Whether the skeptic gave the signal.
    pub(super) ready: bool,
    /// The last score it states.
    pub(super) score: Option<f64>,
}

/// Reads a critique.
pub(super) fn read(text: &str) -> Critique {
    let mut critique = Critique::default();
    let mut points = Points::default();
    for line in text.lines() {
        if is_signal(line) {
            critique.ready = true;
            points.end();
        } else if let Some(score) = score(line) {
            critique.score = score.or(critique.score);
            points.end();
        } else {
            points.take(line);
        }
    }
    critique.marked = !points.found.is_empty();
    points.found.iter().for_each(|found| critique.add(found));
    critique
}

impl Critique {
    fn raise(&mut self, severity: Severity, text: &str) {
        let text = text::shorten(&text.replace("**", ""), MOST_CHARACTERS);
        if text.is_empty() || is_nothing(&text) {
            return;
        }
        self.critical |= severity == Severity::Critical;
        self.issues.push(Issue {
            severity,
            strategy: strategy(&text),
            text: without_strategy(&text).to_owned(),
        });
    }

    fn add(&mut self, found: &Found) {
        match found.mark {
            Mark::Issue(severity) => self.raise(severity, &found.text),
            Mark::Settled(resolution) => {
                let settled = found.numbers.iter().map(|n| (*n, resolution));
                self.settled.extend(settled);
                let says = !found.text.is_empty() && !is_nothing(&found.text);
                self.unnumbered += u32::from(found.numbers.is_empty() && says);
                self.critical |= resolution != Resolution::Resolved && found.text.contains('🔴');
            }
        }
    }
}

/// Words with which a line says that there is no point, beside those that name points.
const NOTHING: [&str; 22] = [
    "none",
    "nothing",
    "no",
    "n",
    "a",
    "new",
    "further",
    "other",
    "more",
    "to",
    "add",
    "found",
    "identified",
    "raised",
    "remain",
    "remains",
    "remaining",
    "left",
    "at",
    "all",
    "so",
    "far",
];

/// Whether a text says that there is no point and nothing else: `None.`, `No critical issues remain`.
fn is_nothing(text: &str) -> bool {
    let folded = text.to_lowercase();
    let words = || {
        folded
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
    };
    let first = words().next().unwrap_or_default();
    let denies = ["none", "nothing", "no", "n"].contains(&first);
    denies && words().all(|word| NOTHING.contains(&word) || LABELS.contains(&word))
}

/// A point as its lines say it.
#[derive(Debug)]
struct Found {
    mark: Mark,
    numbers: Vec<u32>,
    text: String,
}

/// Points while the lines of a critique are read.
#[derive(Debug, Default)]
struct Points {
    found: Vec<Found>,
    /// The mark of a line that heads a list.
    section: Option<Mark>,
    /// Whether the next line may go on with the last point.
    open: bool,
}

impl Points {
    fn end(&mut self) {
        (self.section, self.open) = (None, false);
    }

    fn take(&mut self, line: &str) {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            self.open = false;
        } else if let Some((mark, before, behind)) = marked(trimmed) {
            let found = found(mark, before, behind);
            let heads = found.text.is_empty() && found.numbers.is_empty();
            self.section = heads.then_some(mark);
            self.push(found);
        } else if trimmed.starts_with('#') {
            self.end();
        } else if let Some(mark) = self.section.filter(|_| is_item(trimmed)) {
            let (before, behind) = number(trimmed);
            self.push(found(mark, before, behind));
        } else {
            self.go_on(trimmed);
        }
    }

    fn push(&mut self, found: Found) {
        self.found.push(found);
        self.open = true;
    }

    /// A further line of the last point; a mark that stood alone takes it even behind a blank line.
    fn go_on(&mut self, line: &str) {
        let heads = self.section.is_some();
        let last = self.found.last_mut();
        if let Some(last) = last.filter(|last| self.open || (heads && last.text.is_empty())) {
            last.text.push(' ');
            last.text.push_str(line);
            self.open = true;
        }
    }
}

fn found(mark: Mark, before: Option<u32>, behind: &str) -> Found {
    let after = match mark {
        Mark::Issue(_) => Vec::new(),
        Mark::Settled(_) => numbers(behind),
    };
    let numbers = match mark {
        Mark::Settled(_) if after.is_empty() => before.into_iter().collect(),
        _ => after,
    };
    let text = unlabelled(plain(behind)).trim().to_owned();
    Found {
        mark,
        numbers,
        text,
    }
}

/// The mark that a line begins with, the number before it, and what stands behind it. Of several marks one that settles
/// a point counts, else the first.
fn marked(line: &str) -> Option<(Mark, Option<u32>, &str)> {
    let (before, mut rest) = match number(line) {
        (None, _) => (None, line),
        numbered => numbered,
    };
    let mut marks = Vec::new();
    while let Some(mark) = plain(rest).chars().next().and_then(mark_of) {
        marks.push(mark);
        rest = plain(rest);
        rest = &rest[rest.chars().next().map_or(0, char::len_utf8)..];
    }
    let settles = |mark: &&Mark| matches!(mark, Mark::Settled(_));
    let mark = marks.iter().find(settles).or(marks.first())?;
    Some((*mark, before, rest))
}

fn mark_of(c: char) -> Option<Mark> {
    Some(match c {
        '🔴' => Mark::Issue(Severity::Critical),
        '🟡' => Mark::Issue(Severity::Major),
        '🟢' => Mark::Issue(Severity::Minor),
        '✅' => Mark::Settled(Resolution::Resolved),
        '⚠' => Mark::Settled(Resolution::Partial),
        '❌' => Mark::Settled(Resolution::Unresolved),
        _ => return None,
    })
}

/// Whether a line is an item of a list.
fn is_item(line: &str) -> bool {
    let (digits, after) = word(line);
    let numbered = digits.parse::<u32>().is_ok() && after.starts_with(['.', ')']);
    numbered
        || ["- ", "* ", "+ ", "• "]
            .iter()
            .any(|marker| line.starts_with(marker))
}

/// An issue's text without a label such as `Critical issue 1:`.
fn unlabelled(text: &str) -> &str {
    let (mut kept, mut rest) = (text, text);
    loop {
        let (first, after) = word(rest);
        let label = LABELS.iter().any(|label| first.eq_ignore_ascii_case(label));
        if !label && first.parse::<u32>().is_err() {
            return kept;
        }
        let next = plain(after);
        let gap = &after[..after.len() - next.len()];
        let parts = gap.len() > 1 && gap.chars().any(|c| !c.is_whitespace());
        if parts || next.is_empty() {
            kept = next;
        }
        rest = next;
    }
}

/// A text's words in lower case, each behind one blank.
fn folded(text: &str) -> String {
    let parts = text.split(|c: char| !c.is_alphanumeric());
    let words = parts.filter(|part| !part.is_empty());
    words
        .map(|word| format!(" {}", word.to_lowercase()))
        .collect()
}

/// A text that begins with a strategy and a colon or dash, without these.
fn without_strategy(text: &str) -> &str {
    let Some((head, tail)) = text.split_once([':', '–', '—']) else {
        return text;
    };
    let head = folded(head);
    let mut names = STRATEGIES.iter().flat_map(|(_, names)| *names);
    if names.any(|name| head.trim_start() == *name) && !plain(tail).is_empty() {
        plain(tail)
    } else {
        text
    }
}

/// The strategy that a text names first.
fn strategy(text: &str) -> Option<&'static str> {
    let folded = folded(text);
    let place = |names: &[&str]| {
        let places = names
            .iter()
            .filter_map(|name| folded.find(&format!(" {name}")));
        places.min()
    };
    let named = STRATEGIES
        .iter()
        .filter_map(|(strategy, names)| Some((place(names)?, *strategy)));
    named.min().map(|(_, strategy)| strategy)
}

/// Whether a line consists of the signal: the phrase with its mark, emphasis and a list marker allowed. A sentence that
/// mentions it, or a quotation, is none.
fn is_signal(line: &str) -> bool {
    let around = |c: char| c.is_whitespace() || is_variation(c) || "*_#-+•.!".contains(c);
    let bare = line.trim_matches(around);
    let without = bare.trim_matches(|c| c == '✅' || around(c));
    let words: Vec<&str> = without.split_whitespace().collect();
    bare.len() > without.len() && bare.contains('✅') && words.join(" ").to_lowercase() == SIGNAL
}

/// The score that a line states, where it states one; one that is off the scale of 1 to 10 is none.
fn score(line: &str) -> Option<Option<f64>> {
    let folded = line.to_lowercase();
    let at = folded.find(SCORE)?;
    let mut rest = behind_decoration(&folded[at + SCORE.len()..]);
    while let ("is" | "of" | "now", after) = word(rest) {
        rest = behind_decoration(after);
    }
    let end = rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',')));
    let (digits, after) = rest.split_at(end.unwrap_or(rest.len()));
    let digits = digits.trim_end_matches(['.', ',']).replace(',', ".");
    let value: f64 = digits.parse().ok()?;
    let fits = (1.0..=10.0).contains(&value) && is_of_ten(after);
    Some(fits.then_some(value))
}

fn behind_decoration(text: &str) -> &str {
    text.trim_start_matches(|c| is_decoration(c) || c == '=')
}

/// Whether what follows a number leaves it on a scale of ten.
fn is_of_ten(after: &str) -> bool {
    let after = after.trim_start_matches(|c: char| c.is_whitespace() || c == '*');
    let whole = after
        .strip_prefix('/')
        .map(|rest| word(rest.trim_start()).0);
    !after.starts_with('%') && whole.is_none_or(|whole| whole == "10")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    fn issues(text: &str) -> Vec<(Severity, Option<&'static str>, String)> {
        let all = read(text).issues.into_iter();
        all.map(|issue| (issue.severity, issue.strategy, issue.text))
            .collect()
    }

    #[test]
    fn t3_a_line_that_begins_with_a_mark_is_a_point() {
        let gap = Some("logical_gap");
        for line in [
            "🔴 logical_gap: a step is missing",
            "- 🔴 **1. Logical gap** – a step is missing",
            "1. 🔴 Logical Gap: a step is missing",
            "**🔴 CRITICAL: LOGICAL-GAP: a step is missing**",
            "> ### 🔴 Critical issue 1: logical gap: a step is missing",
            "| 🔴 | logical gap: a step is missing",
            "🔴\u{fe0f} Critical – logical_gap: a step\nis missing",
        ] {
            let expected = (Severity::Critical, gap, "a step is missing".to_owned());
            assert_eq!(issues(line), [expected], "{line}");
        }
        for line in [
            "There is no 🔴 left.",
            "The 🔴 mark stands for critical points.",
            "🔴 Critical issues: none.",
            "🟡 No major points remain.",
            "🟢",
        ] {
            assert_eq!(issues(line), [], "{line}");
        }
    }

    #[test]
    fn t3_a_text_keeps_what_is_no_label() {
        for (line, expected) in [
            (
                "🟡 50 % of cities are smaller",
                "50 % of cities are smaller",
            ),
            ("🟡 Major cities are left out", "Major cities are left out"),
            ("🟡 Point 3 of it is wrong", "Point 3 of it is wrong"),
            ("🟡 1.5 million is too much", "1.5 million is too much"),
            ("🟡 an edge case: zero riders", "an edge case: zero riders"),
        ] {
            let found = issues(line);
            assert_eq!(found[0].2, expected);
        }
    }

    #[test]
    fn t3_every_strategy_is_known_by_its_words() {
        for (text, expected) in [
            ("hidden_assumption", "hidden_assumption"),
            ("Hidden assumptions", "hidden_assumption"),
            ("COUNTER-EXAMPLE", "counter_example"),
            ("Counterexample", "counter_example"),
            ("logical gap", "logical_gap"),
            ("Weak evidence", "weak_evidence"),
            ("alternative-explanation", "alternative_explanation"),
            ("edge_cases", "edge_case"),
            ("Overgeneralization", "overgeneralisation"),
            ("over-generalisation", "overgeneralisation"),
            ("Practical consequences", "practical_consequence"),
        ] {
            assert_eq!(strategy(&format!("{text}: so it is")), Some(expected));
        }
        assert_eq!(strategy("it is a knowledge case"), None);
        assert_eq!(
            strategy("weak evidence for a logical gap"),
            Some("weak_evidence")
        );
    }

    #[test]
    fn t3_a_mark_alone_heads_a_list() {
        let text = "### 🔴 Critical issues\n\n- Edge case: nobody rides.\n- It is too dear.\n\n### 🟡 Major\n1. Weak evidence: none is given.\n\n### Praise\n- It is clear.";
        let found = issues(text);
        let texts: Vec<(Severity, &str)> = found.iter().map(|i| (i.0, i.2.as_str())).collect();
        assert_eq!(
            texts,
            [
                (Severity::Critical, "nobody rides."),
                (Severity::Critical, "It is too dear."),
                (Severity::Major, "none is given."),
            ]
        );
    }

    #[test]
    fn t3_resolutions_name_points_with_and_without_a_variation_selector() {
        use Resolution::{Partial, Resolved, Unresolved};
        for (line, expected) in [
            ("✅ 1: done", vec![(1, Resolved)]),
            ("- **✅ RESOLVED** (2): done", vec![(2, Resolved)]),
            ("⚠️ 3 is better", vec![(3, Partial)]),
            ("⚠ 3 is better", vec![(3, Partial)]),
            ("⚠️ PARTIALLY RESOLVED – Point 4", vec![(4, Partial)]),
            ("5. ❌ not addressed", vec![(5, Unresolved)]),
            (
                "✅ 1, 2 and 3",
                vec![(1, Resolved), (2, Resolved), (3, Resolved)],
            ),
            ("🔴 ❌ 6: still wrong", vec![(6, Unresolved)]),
            (
                "✅ Resolved\n- 7: yes\n- Point 8",
                vec![(7, Resolved), (8, Resolved)],
            ),
        ] {
            let found = read(line);
            assert_eq!(found.settled, expected, "{line}");
            assert!(found.marked && found.issues.is_empty(), "{line}");
        }
        assert_eq!(read("✅ the first one is settled").unnumbered, 1);
    }

    #[test]
    fn t4_a_critical_mark_counts_but_where_its_point_is_resolved() {
        for (text, critical) in [
            ("🔴 a step is missing", true),
            ("❌ 1 🔴: nothing changed", true),
            ("⚠️ 1 (🔴): a little better", true),
            ("✅ 1 🔴: it is settled now", false),
            ("🟡 a word is unclear\nNo 🔴 is left.", false),
            ("🔴 Critical: none\n🟢 a typing error", false),
        ] {
            assert_eq!(read(text).critical, critical, "{text}");
        }
    }

    #[test]
    fn t4_the_signal_is_a_line_of_its_own_with_its_mark() {
        for line in [
            "Ready for Synthesis ✅",
            "**Ready for Synthesis ✅**",
            "- ready  for SYNTHESIS ✅.",
            "✅ Ready for Synthesis",
            "### Ready for Synthesis ✅\u{fe0f}",
            "__Ready for Synthesis__ ✅",
        ] {
            let found = read(&format!("🟢 a word is unclear\n{line}"));
            assert!(found.ready, "{line}");
            assert_eq!((found.issues.len(), found.settled.len()), (1, 0), "{line}");
        }
        for line in [
            "not Ready for Synthesis ✅",
            "Ready for Synthesis",
            "Ready for Synthesis ❌",
            "\"Ready for Synthesis ✅\"",
            "`Ready for Synthesis ✅`",
            "> Ready for Synthesis ✅",
            "I cannot write Ready for Synthesis ✅ yet.",
            "If you give it 8 or more, write \"Ready for Synthesis ✅\" on a last line of its own.",
            "✅",
        ] {
            assert!(!read(line).ready, "{line}");
        }
    }

    #[test]
    fn t4_the_last_stated_score_on_the_scale_counts() {
        for (text, expected) in [
            ("Quality score: 7/10", Some(7.0)),
            ("**Quality Score:** 7.5 / 10", Some(7.5)),
            ("- quality score = 6,5", Some(6.5)),
            ("The quality score is now 8.", Some(8.0)),
            ("Quality score: 4/10\nQuality score: 5/10", Some(5.0)),
            ("Quality score: 6/10\nQuality score: 60/100", Some(6.0)),
            ("Quality score: 11/10", None),
            ("Quality score: 0/10", None),
            ("Quality score: 8/100", None),
            ("Quality score: 9%", None),
            ("Quality score: N/10", None),
            ("Score: 7/10", None),
        ] {
            assert_eq!(read(text).score, expected, "{text}");
        }
    }

    #[test]
    fn t3_a_point_that_begins_with_a_denial_is_a_point() {
        for text in [
            "Nothing supports the 40 % figure.",
            "None of the causes is shown.",
            "No major source is cited.",
            "No critical risk is costed.",
        ] {
            let critique = read(&format!("🔴 {text}"));
            assert!(critique.critical && critique.issues.len() == 1, "{text}");
        }
        for text in [
            "None.",
            "Critical: none",
            "No critical issues remain.",
            "N/A",
            "Nothing new to add",
        ] {
            let critique = read(&format!("🔴 {text}"));
            assert!(!critique.critical && critique.issues.is_empty(), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            rng_seed: proptest::test_runner::RngSeed::Fixed(1),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]
        #[test]
        fn t3_whatever_a_skeptic_writes_is_read_and_what_follows_moves_no_number(
            parts in prop::collection::vec(select(vec![
                "🔴", "🟡", "🟢", "✅", "⚠️", "⚠", "❌", "\u{fe0f}", " ", "\n", "\n\n", "- ", "1. ", "**", "#", ":", "12",
                "logical gap", "critical", "none", "Quality score", "7/10", "Ready for Synthesis ✅", "and", ",", "é",
            ]), 0..40),
            more in "\\PC{0,40}",
        ) {
            let text = parts.concat();
            let all = read(&text);
            let longer = read(&format!("{text}\n\n🟢 {more}"));
            prop_assert!(longer.issues.len() >= all.issues.len());
            let begin = &longer.issues[..all.issues.len()];
            // A mark that stands alone may take what follows; nothing else changes.
            let same = begin.iter().zip(&all.issues).filter(|(a, b)| a == b).count();
            prop_assert_eq!(same, all.issues.len());
            prop_assert_eq!(&longer.settled[..all.settled.len()], &all.settled[..]);
            prop_assert!(all.marked || all.issues.is_empty() && all.settled.is_empty());
        }
    }
}
