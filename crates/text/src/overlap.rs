//! Whether a reply is on topic: how many of its words occur in the topic and in earlier turns.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::words::words;

/// Replies of at least this coherence count as on topic by default.
///
/// Measured by `tests/it/text_measures.rs`, with nothing given but the topic and the turns before. At or above:
///
/// | threshold | 0.05 | 0.10 | **0.15** | 0.20 | 0.30 | 0.70 |
/// |---|---|---|---|---|---|---|
/// | 57 on-topic replies of a small model | 100% | 100% | **98%** | 96% | 82% | 11% |
/// | 1776 judgments of text about something else | 19% | 9% | **4%** | 2% | 1% | 0% |
///
/// The off-topic text that passes shares its vocabulary with the topic (rights of voters, rights of animals). What the
/// measure cannot see: a terse reply in words of its own, never naming the topic, falls below (18 of 24 such passages),
/// and a reply that names the topic but says nothing about it passes (2 of 7). A background gives it more words to know.
pub const COHERENCE: f64 = 0.15;

/// How many characters of a word count, in place of a stemmer for each language: `policy` and `policies`, `freie` and
/// `freien` are one term.
const STEM: usize = 5;

/// Words that say nothing about the topic of a text.
static STOP_WORDS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let lines = include_str!("stop_words.txt").lines();
    lines.filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect()
});

/// Whether a word says nothing about a topic, such as `for`.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word.to_lowercase().as_str())
}

/// The words that a debate is about: those of its topic, of its background and positions, of its accepted turns.
#[derive(Debug, Clone)]
pub struct Keywords {
    topic: Terms,
    background: Terms,
    turns: Terms,
}

/// Terms, each with how many times it was counted.
type Terms = BTreeMap<String, u32>;

impl Keywords {
    /// The words of a topic and of its background, to which the positions belong.
    pub fn new<'a>(topic: &str, background: impl IntoIterator<Item = &'a str>) -> Self {
        let mut keywords =
            Self { topic: terms(topic), background: Terms::new(), turns: Terms::new() };
        for text in background {
            count_once(&mut keywords.background, text);
        }
        keywords
    }

    /// Adds the words of an accepted turn; what several turns say weighs more.
    pub fn add(&mut self, turn: &str) {
        count_once(&mut self.turns, turn);
    }

    /// How much a reply is on topic, from 0 to 1: `1 − (1 − t)(1 − b)(1 − a)`, where t, b and a are the cosines between
    /// the terms of the reply and those of the topic, of the background and of the accepted turns; a term weighs the
    /// square root of how often it is there. A cosine does not grow with length: a short reply passes as well as
    /// a long one, and one word of the topic does not carry a long text about something else. Where there is no
    /// keyword, nothing can be told, and the answer is 1.
    ///
    /// A term is the start of a word that is no stop word. The stop words are English; in other languages the small
    /// words count too, which makes the measure more lenient, not stricter. Where a script sets no spaces, a term is
    /// a pair of neighbouring characters.
    pub fn coherence(&self, reply: &str) -> f64 {
        if self.groups().iter().all(|group| group.is_empty()) {
            return 1.0;
        }
        let reply = terms(reply);
        let apart = self.groups().map(|group| 1.0 - cosine(&reply, group));
        1.0 - apart.iter().product::<f64>()
    }

    fn groups(&self) -> [&Terms; 3] {
        [&self.topic, &self.background, &self.turns]
    }
}

/// Counts each term of a text once.
fn count_once(counted: &mut Terms, text: &str) {
    for term in terms(text).into_keys() {
        *counted.entry(term).or_default() += 1;
    }
}

/// The terms of a text and how often each is there.
pub fn terms(text: &str) -> Terms {
    let mut terms = Terms::new();
    let words = words(text);
    let spaced = words.iter().filter(|word| !is_spaceless(word));
    let single = spaced.filter(|word| !STOP_WORDS.contains(word.as_str()));
    let pairs = words.windows(2).filter(|pair| is_telling(pair));
    let single = single.map(|word| stem(word));
    for term in single.chain(pairs.map(<[String]>::concat)) {
        *terms.entry(term).or_default() += 1;
    }
    terms
}

/// The first characters of a word, without the `s` of a plural or a genitive.
fn stem(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    let singular = word.strip_suffix('s').filter(|rest| rest.len() > 2 && !rest.ends_with('s'));
    singular.unwrap_or(word).chars().take(STEM).collect()
}

/// Whether two neighbouring characters of a script without spaces may name something; Hiragana alone is grammar.
fn is_telling(pair: &[String]) -> bool {
    let hiragana = |word: &String| word.starts_with(|c| matches!(c, '\u{3040}'..='\u{309f}'));
    pair.iter().all(|word| is_spaceless(word)) && !pair.iter().all(hiragana)
}

/// Whether a word is one character of a script that sets no spaces: Thai, Lao, Burmese, Khmer, Hiragana, Han.
fn is_spaceless(word: &str) -> bool {
    word.starts_with(|c| {
        matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
            | '\u{3040}'..='\u{309f}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}')
    })
}

/// The cosine of the angle between two lists of terms, each term weighing the square root of its count.
fn cosine(a: &Terms, b: &Terms) -> f64 {
    let norm = |terms: &Terms| f64::from(terms.values().sum::<u32>()).sqrt();
    let shared = a.iter().filter_map(|(term, n)| Some((n, b.get(term)?)));
    let product: f64 = shared.map(|(n, m)| (f64::from(*n) * f64::from(*m)).sqrt()).sum();
    if product == 0.0 { 0.0 } else { (product / (norm(a) * norm(b))).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ON: bool = true;
    const OFF: bool = false;

    #[test]
    fn u2b_short_replies_pass_and_one_stray_word_does_not_carry_a_long_text() {
        let keywords = Keywords::new("Should governments put a price on carbon emissions?", []);
        let score = |reply: &str| keywords.coherence(reply);
        assert!(score("No: a carbon price hurts the poor.") >= COHERENCE);
        let stray = "Melt the butter, soften the onions, stir in rice and wine, add stock, salt, pepper, cheese, \
            parsley and lemon, whatever the price, and serve at once in deep warm bowls with crusty bread.";
        assert!(score(stray) < COHERENCE, "{}", score(stray));
        assert_eq!(score("I'm sorry, I can't help with that."), 0.0);
        assert_eq!(score("I agree with my opponent."), 0.0);
    }

    #[test]
    fn u2b_repeating_a_text_does_not_change_its_coherence() {
        let keywords = Keywords::new("Do humans have free will?", []);
        let reply = "Neurons decide, and free humans report. ";
        let (once, often) = (keywords.coherence(reply), keywords.coherence(&reply.repeat(9)));
        assert!((once - often).abs() < 1e-12, "{once} {often}");
    }

    #[test]
    fn u2b_background_positions_and_accepted_turns_count_too() {
        let reply = "Libet's subjects pressed a button.";
        let mut keywords = Keywords::new("Do humans have free will?", []);
        assert_eq!(keywords.coherence(reply), 0.0);
        keywords.add("Libet measured it.");
        assert!(keywords.coherence(reply) > COHERENCE);
        let keywords = Keywords::new("Do humans have free will?", ["Libet", "Compatibilist"]);
        assert!(keywords.coherence(reply) > COHERENCE);
    }

    #[test]
    fn u2b_without_a_keyword_nothing_is_off_topic() {
        assert_eq!(Keywords::new("To be or not to be?", []).coherence("Whatever."), 1.0);
    }

    /// Topics with a reply to each, and whether it is on topic.
    const REPLIES: &[(&str, &str, bool)] = &[
        (
            "Haben Menschen einen freien Willen?",
            "Der freie Wille ist eine Täuschung des Gehirns.",
            ON,
        ),
        (
            "Haben Menschen einen freien Willen?",
            "Die Zwiebeln schälen, hacken und in Butter dünsten.",
            OFF,
        ),
        ("Следует ли ввести налог на выбросы?", "Налоги на выбросы снижают загрязнение.", ON),
        ("Следует ли ввести налог на выбросы?", "Завтра ожидается дождь и сильный ветер.", OFF),
        ("人間に自由意志はあるか", "自由意志は脳の活動にすぎない。", ON),
        ("人間に自由意志はあるか", "明日は雨が降るでしょう。", OFF),
        ("动物应该享有法律权利吗", "动物能感受痛苦，所以法律应当保护它们。", ON),
        ("动物应该享有法律权利吗", "先把洋葱切碎，再放入锅中炒香。", OFF),
        ("क्या पशुओं को अधिकार मिलने चाहिए?", "पशुओं के अधिकार न्याय का प्रश्न हैं।", ON),
        ("हमें कर बढ़ाना चाहिए?", "कल भारी बारिश होगी।", OFF),
        ("هل للحيوانات حقوق قانونية؟", "للحيوانات حقوق لأنها تتألم.", ON),
        ("สัตว์ควรมีสิทธิตามกฎหมายหรือไม่", "สัตว์มีความรู้สึกจึงควรมีสิทธิ", ON),
    ];

    #[test]
    fn u2b_other_languages_and_scripts_are_judged_too() {
        for (topic, reply, expected) in REPLIES {
            let score = Keywords::new(topic, []).coherence(reply);
            assert_eq!(score >= COHERENCE, *expected, "{topic} / {reply}: {score}");
        }
    }
}
