//! Rows A8 and N: text that tries to act on every place it is written to stays text, whoever wrote it.
//!
//! A file in `tests/hostile` is named after what is hostile in it; what cannot be seen stands there as `\u{…}`. One batch
//! debates them all: each text is name, position, topic, rule… of a job, and whatever a model or its server may say.

use std::path::{Path, PathBuf};

use proptest::prelude::{ProptestConfig, Strategy, any};
use proptest::sample::select;
use proptest::test_runner::{RngSeed, TestCaseError, TestRunner};
use proptest::{collection, prop_oneof};
use rebut::templates::{block, inline};

use crate::harness::{list, read};
use crate::markdown::structure;

/// What the others are compared with.
const HARMLESS: &str = "Plain words and nothing else.";

/// What arbitrary texts are made of: everything that opens, closes or joins something somewhere.
const PIECES: [&str; 60] = [
    " ", "  ", "\n", "\n\n", "\t", "\r\n", "\r", "a", "b c", "1.", "2)", "-", "--", "---", "- ", "+ ", "* ", "*", "**", "_", "__",
    "=", "===", "#", "# ", "## ", ">", "> ", "|", "| ", "|-|", ":-:", ": ", "`", "```", "~~~", "~~", "[", "]", "](", "]: ", "[^1]",
    "(x)", "!", "<", "<b>", "<!--", "-->", "&lt;", "&#35;", "\\", "://", "http", "www.", "\"", "'", "{{", "%}", "\u{1b}[1m",
    "\u{2028}",
];

/// Places of our templates in which a value stands on one line.
const LINES: [&str; 8] = [
    "# VALUE\n\nnext\n",
    "## 3. VALUE (VALUE), round 2\n\nnext\n",
    "VALUE: VALUE\n\nnext\n",
    "**Outcome:** VALUE. See [x](x.md).\n\n- VALUE\n- VALUE\n\nnext\n",
    "- **VALUE**: VALUE (VALUE)\n- [001](x.md) round 1, **VALUE**: VALUE (4)\n",
    "1. VALUE. VALUE\n2. VALUE. VALUE\n",
    "> **Failed.** VALUE\n\n# next\n",
    "| VALUE | b |\n|---|---|\n| VALUE | VALUE |\n| c: VALUE | d |\n\nnext\n",
];

/// The texts of `tests/hostile` by name, and some that are too large for a file.
fn corpus() -> Vec<(String, String)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile");
    let named = |path: PathBuf| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let written = read(&path);
        (name, unescaped(written.strip_suffix('\n').expect("a line end")))
    };
    let mut texts: Vec<(String, String)> = list(&dir).into_iter().map(named).collect();
    let numbered = |what: &str| (0..3000).map(|n| format!("{what} {n}")).collect::<Vec<_>>();
    texts.push(("many-lines".to_owned(), numbered("# line").join("\n")));
    texts.push(("long-line".to_owned(), numbered("word").join("|")));
    texts
}

/// A text with its `\u{…}` replaced by the characters they name.
fn unescaped(text: &str) -> String {
    let mut parts = text.split("\\u{");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, rest) = part.split_once('}').expect("a closing brace");
        let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
        whole.push(c.expect("a character's number"));
        whole.push_str(rest);
    }
    whole
}

/// Characters that act on a terminal or turn the order of what is read.
fn acts_on_terminals(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let ends_lines = matches!(c, '\u{2028}' | '\u{2029}');
    turns || ends_lines || (c.is_control() && !matches!(c, '\n' | '\t'))
}

fn assert_tame(what: &str, text: &str) {
    if let Some(at) = text.find(acts_on_terminals) {
        let start = text[..at].char_indices().rev().nth(60).map_or(0, |(i, _)| i);
        panic!("{what} holds {:?} behind {:?}", text[at..].chars().next(), &text[start..at]);
    }
}

/// What is wrong with a text where our templates print it, if anything.
fn fault_in_templates(text: &str) -> Option<String> {
    let line = LINES.iter().find_map(|place| {
        let [found, wanted] = [text, HARMLESS].map(|value| place.replace("VALUE", &inline(value)));
        difference(&found, &wanted, false)
    });
    let read_again = structure(&inline(text), false).text;
    let altered = (seen(&read_again) != seen(text)).then(|| format!("{text:?} is read as {read_again:?}"));
    line.or(altered).or_else(|| {
        let [found, wanted] =
            [text, HARMLESS].map(|value| format!("# Name\n\n{}\n\n## Thoughts\n\n{0}\n\n---\n\n[x](x.md)\n", block(value)));
        difference(&found, &wanted, true)
    })
}

/// The characters of a text that can be seen.
fn seen(text: &str) -> String {
    let is_seen = |c: &char| !c.is_whitespace() && *c != '\u{fffd}' && !rebut::text::acts(*c);
    text.chars().filter(is_seen).collect()
}

/// How the structure of two Markdown texts differs, if it does.
fn difference(found: &str, wanted: &str, prose: bool) -> Option<String> {
    let [a, b] = [found, wanted].map(|text| structure(text, prose).marks);
    let autolink = found.contains("://") || found.to_lowercase().contains("www.");
    (a != b || autolink).then(|| {
        let at = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
        format!("{:?} where {:?} belongs in\n{found}", a.get(at), b.get(at))
    })
}

#[test]
fn a8_no_corpus_text_is_markup_where_templates_print_it() {
    let faults: Vec<String> = corpus()
        .iter()
        .filter_map(|(name, text)| Some(format!("{name}: {}", fault_in_templates(text)?)))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn a8_no_arbitrary_text_is_markup_where_templates_print_it() {
    let tried = property(2000, |text: &String| match fault_in_templates(text) {
        Some(fault) => Err(TestCaseError::fail(fault)),
        None => Ok(()),
    });
    assert!(tried.is_ok(), "{}", tried.unwrap_err());
}

fn property(cases: u32, holds: impl Fn(&String) -> Result<(), TestCaseError>) -> Result<(), String> {
    let config = ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..ProptestConfig::default()
    };
    TestRunner::new(config)
        .run(&any_text(), |text| holds(&text))
        .map_err(|e| e.to_string())
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => select(PIECES.as_slice()).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from)
    ];
    collection::vec(piece, 1..24)
        .prop_map(|pieces| pieces.concat())
        .prop_filter("a name is never empty", |text| !text.trim().is_empty())
}
