//! The measures of repetition and of coherence, against Python's `difflib` and on real text.

use std::path::{Path, PathBuf};

use rebut::text::overlap::{COHERENCE, Keywords};
use rebut::text::similarity::similarity;

use crate::harness::{list, read, say};

fn fixture(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(path)
}

#[test]
fn u2a_the_ratio_is_that_of_python_to_the_last_bit() {
    let pairs: Vec<(String, String, f64)> =
        serde_json::from_str(&read(&fixture("similarity/pairs.json"))).expect("pairs");
    assert!(pairs.len() > 200);
    for (new, earlier, ratio) in pairs {
        let ours = similarity(&new, &earlier);
        assert_eq!(ours.to_bits(), ratio.to_bits(), "{ours}: {new} / {earlier}");
    }
}

/// The labelled texts of a file.
fn texts(path: &Path) -> Vec<(String, String)> {
    let file = read(path);
    let texts = file.split("=== ").skip(1).map(|block| {
        let (label, text) = block.split_once('\n').expect("a label and a text");
        (label.to_owned(), text.trim().to_owned())
    });
    texts.collect()
}

/// A topic and the texts about it.
struct Debate {
    name: String,
    topic: String,
    texts: Vec<(String, String)>,
}

impl Debate {
    fn all() -> Vec<Self> {
        let files = list(&fixture("coherence/debates")).into_iter();
        let debates = files.map(|path| {
            let mut texts = texts(&path);
            let name = path.file_stem().expect("a name").to_string_lossy();
            Debate { name: name.into_owned(), topic: texts.remove(0).1, texts }
        });
        debates.collect()
    }

    fn text(&self, label: &str) -> &str {
        let found = self.texts.iter().find(|(other, _)| other == label);
        &found.expect("the text").1
    }

    fn keywords(&self, turns: &[&str]) -> Keywords {
        let mut keywords = Keywords::new(&self.topic, []);
        turns.iter().for_each(|turn| keywords.add(turn));
        keywords
    }

    fn chain(&self) -> Vec<&(String, String)> {
        let chain = |text: &&(String, String)| text.0.starts_with("chain");
        self.texts.iter().filter(chain).collect()
    }

    /// The turns of the model's own debate that kept to the topic.
    fn accepted(&self) -> Vec<&str> {
        let chain = self.chain().into_iter();
        let kept = chain.filter(|(label, _)| !label.contains("drift"));
        kept.map(|(_, text)| text.as_str()).collect()
    }

    /// What was said before an off-topic text is judged: nothing, one turn, two turns, a whole debate.
    fn contexts(&self) -> Vec<Keywords> {
        let (a, b) = (self.text("human a"), self.text("human b"));
        let mut contexts = vec![
            self.keywords(&[]),
            self.keywords(&[a]),
            self.keywords(&[b]),
            self.keywords(&[a, b]),
        ];
        if !self.chain().is_empty() {
            contexts.push(self.keywords(&self.accepted()));
        }
        contexts
    }
}

/// Scores, each with the name of what was judged.
type Scores = Vec<(f64, String)>;

/// The replies of the model that are on topic, and those that drifted, each judged in its place in its debate.
fn replies_of_the_model() -> (Scores, Scores) {
    let (mut on, mut drifted) = (Vec::new(), Vec::new());
    for debate in Debate::all() {
        for (label, turns) in [
            ("model a opens", vec![]),
            ("model b opens", vec![]),
            ("model b answers a", vec![debate.text("human a")]),
            ("model a answers b", vec![debate.text("human b")]),
        ] {
            let score = debate.keywords(&turns).coherence(debate.text(label));
            on.push((score, format!("{}: {label}", debate.name)));
        }
        let mut keywords = debate.keywords(&[]);
        for (label, text) in debate.chain() {
            let score = (keywords.coherence(text), format!("{}: {label}", debate.name));
            if label.contains("drift") {
                drifted.push(score);
            } else {
                on.push(score);
                keywords.add(text);
            }
        }
    }
    (on, drifted)
}

/// The passages by hand, as openings and as answers.
fn passages_by_hand() -> Scores {
    let mut scores = Vec::new();
    for debate in Debate::all() {
        let (a, b) = (debate.text("human a"), debate.text("human b"));
        let model = debate.text("model b opens");
        for (place, text, turns) in
            [("opens", a, vec![]), ("answers", b, vec![a]), ("answers the model", a, vec![model])]
        {
            let score = debate.keywords(&turns).coherence(text);
            scores.push((score, format!("{}: by hand, {place}", debate.name)));
        }
    }
    scores
}

/// The texts about other things, and replies to other topics, judged in every debate and context.
fn off_topic() -> Scores {
    let debates = Debate::all();
    let foreign = texts(&fixture("coherence/off-topic.txt"));
    let mut scores = Vec::new();
    for debate in &debates {
        for (at, keywords) in debate.contexts().into_iter().enumerate() {
            let score = |name: &str, text: &str| {
                (keywords.coherence(text), format!("{} in context {at}: {name}", debate.name))
            };
            scores.extend(foreign.iter().map(|(name, text)| score(name, text)));
            for other in debates.iter().filter(|other| other.name != debate.name) {
                for label in ["human a", "human b", "model a opens", "model a answers b"] {
                    scores.push(score(&format!("{} {label}", other.name), other.text(label)));
                }
            }
        }
    }
    scores
}

/// What the default threshold rejects.
fn below(scores: &Scores) -> Vec<&str> {
    let rejected = scores.iter().filter(|(score, _)| *score < COHERENCE);
    rejected.map(|(_, name)| name.as_str()).collect()
}

fn share_from(scores: &Scores, threshold: f64) -> f64 {
    let from = scores.iter().filter(|(score, _)| *score >= threshold);
    from.count() as f64 / scores.len() as f64
}

/// A group on one line: quantiles, then the share at or above each threshold.
fn line(name: &str, scores: &Scores) -> String {
    let mut sorted: Vec<f64> = scores.iter().map(|(score, _)| *score).collect();
    sorted.sort_by(f64::total_cmp);
    let quantile = |q: f64| format!("{:.3}", sorted[(q * (sorted.len() - 1) as f64) as usize]);
    let quantiles = [0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0].map(quantile).join(" ");
    let share = |t| format!("{t}: {:.1}%", 100.0 * share_from(scores, t));
    let shares = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.7].map(share).join(", ");
    format!("{name} ({}): {quantiles}; {shares}", sorted.len())
}

#[test]
fn u2b_the_default_threshold_tells_real_replies_from_off_topic_text() {
    let (on, drifted) = replies_of_the_model();
    let off = off_topic();
    let table = [
        line("on topic", &on),
        line("by hand", &passages_by_hand()),
        line("drifted", &drifted),
        line("off topic", &off),
    ]
    .join("\n");
    say(&table);
    assert_eq!(below(&on), ["voting: model b opens"], "{table}");
    assert!(share_from(&on, COHERENCE) >= 0.95, "{table}");
    assert!(share_from(&off, COHERENCE) <= 0.05, "{table}");
}
