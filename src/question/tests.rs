//! A hundred replies and what they answer (row C4), and the layouts of files.

// A table is data.
#![allow(clippy::too_many_lines)]

use serde_json::{Value, json};

use super::*;

fn posed(kind: Kind, choices: &[&str]) -> Posed {
    let question = Question {
        id: "q1".to_owned(),
        set: QuestionSet { name: "s".to_owned(), digest: "d".to_owned() },
        cluster: None,
        kind,
        text: "Which?".to_owned(),
        choices: choices.iter().map(|choice| (*choice).to_owned()).collect(),
        expected: Expected::default(),
    };
    Posed::new(question, false, 1)
}

/// The letter, number or text that is read; `-` for none.
fn read_as(posed: &Posed, reply: &str) -> String {
    match extract(posed, reply) {
        Some(GivenAnswer::Choice(at)) => char::from(b'A' + at as u8).to_string(),
        Some(GivenAnswer::Number(text) | GivenAnswer::Text(text)) => text,
        None => "-".to_owned(),
    }
}

#[track_caller]
fn all_read(posed: &Posed, table: &[(&str, &str)]) -> usize {
    let wrong: Vec<String> = table
        .iter()
        .filter(|(reply, wanted)| read_as(posed, reply) != *wanted)
        .map(|(reply, wanted)| format!("{reply:?}: {} instead of {wanted}", read_as(posed, reply)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    table.len()
}

#[test]
fn c4_a_hundred_replies_are_read_or_refused() {
    let cities = posed(Kind::Choice, &["Paris", "Lyon", "Nice", "Aix-en-Provence"]);
    let read = all_read(
        &cities,
        &[
            ("B", "B"),
            ("b", "B"),
            ("B.", "B"),
            ("(B)", "B"),
            ("**B**", "B"),
            ("`C`", "C"),
            ("B)", "B"),
            (" D \n", "D"),
            ("B) because A is too large", "B"),
            ("B) because A…", "B"),
            ("B) Lyon", "B"),
            ("B: Lyon", "B"),
            ("B. Lyon", "B"),
            ("B - Lyon", "B"),
            ("B, since it is south of A", "B"),
            ("B because of its size", "B"),
            ("A because it is the capital", "A"),
            ("A is right", "A"),
            ("The answer is B", "B"),
            ("The answer is (B).", "B"),
            ("The answer is: B", "B"),
            ("Answer: B", "B"),
            ("answer: b", "B"),
            ("Final answer: **C**", "C"),
            ("The correct answer is A) Paris", "A"),
            ("The correct choice is D", "D"),
            ("the best option is: B", "B"),
            ("\\boxed{B}", "B"),
            ("\\boxed{\\text{B}}", "B"),
            ("Thinking of A and C.\n#### B", "B"),
            ("{\"answer\": \"B\"}", "B"),
            ("{\"answer\": \"B) Lyon\"}", "B"),
            ("Lyon", "B"),
            ("lyon.", "B"),
            ("It is Lyon.", "B"),
            ("The Lyon one", "B"),
            ("I choose Aix-en-Provence", "D"),
            ("Option C", "C"),
            ("I would say C.", "C"),
            ("It is A.", "A"),
            ("C, not B", "C"),
            ("A is incorrect, C is right", "C"),
            ("B is wrong.", "-"),
            ("A. Paris is old.\nB. Lyon is not.\nSo B.", "-"),
            ("The answer isn't B", "-"),
            ("Lyon is a city. A town.", "B"),
            ("", "-"),
            ("A or B", "-"),
            ("A, B", "-"),
            ("B and C", "-"),
            ("(A) or (C)", "-"),
            ("A) and B)", "-"),
            ("Paris or Lyon", "-"),
            ("E", "-"),
            ("I do not know", "-"),
            ("The answer is A. No, the answer is B.", "-"),
            ("Answer: A\nAnswer: B", "-"),
            ("Answer: B\nAnswer: B", "B"),
            ("none of these", "-"),
            ("all", "-"),
            ("A city", "-"),
            ("Marseille", "-"),
        ],
    );
    let numbers = posed(Kind::Choice, &["1", "2", "12"]);
    let more = all_read(
        &numbers,
        &[
            ("2", "B"),
            ("12", "C"),
            ("2, not 1", "B"),
            ("B", "B"),
            ("It is 12.", "C"),
            ("1 or 2", "-"),
        ],
    );
    let signs = posed(Kind::Choice, &["-1", "2", "1.5"]);
    let more = more + all_read(&signs, &[("−1", "A"), ("1", "-"), ("1.5", "C"), ("15", "-")]);
    let blood = posed(Kind::Choice, &["AB", "A", "B", "O"]);
    let more = more + all_read(&blood, &[("B", "-"), ("O", "D"), ("AB", "A")]);
    assert_eq!(lettered(&blood, "B"), Some(GivenAnswer::Choice(1)));
    let number = posed(Kind::Number, &[]);
    let counted = all_read(
        &number,
        &[
            ("42", "42"),
            ("42.", "42"),
            ("1,234.50", "1234.5"),
            ("1.234,50", "1234.5"),
            ("−3", "-3"),
            ("-3", "-3"),
            ("½", "0.5"),
            ("1/2", "0.5"),
            ("3 1/2", "3.5"),
            ("123456", "123456"),
            ("123459", "123459"),
            ("2, not 1", "2"),
            ("not 1 but 2", "2"),
            ("The answer is 42.", "42"),
            ("Answer: 1,000", "1000"),
            ("answer = 7", "7"),
            ("6 × 7 = 42, so the answer is 42", "42"),
            ("So we get 3 + 4.\n#### 7", "7"),
            ("\\boxed{7}", "7"),
            ("{\"answer\": 7}", "7"),
            ("{\"answer\": \"7\"}", "7"),
            ("$1,234.50", "1234.5"),
            ("15%", "15"),
            ("42 apples", "42"),
            ("It takes 42 minutes.", "42"),
            ("42 because 6 × 7 is 42", "42"),
            ("\\boxed{\\frac{1}{2}}", "0.5"),
            ("5 is too low; it is 7", "7"),
            ("15\n+27\n42", "-"),
            ("2 (or 3)", "-"),
            ("{\"because\": \"6 × 7 is 42", "-"),
            ("{\"because\": \"so\", \"final_answer\": \"42", "42"),
            ("**42**", "42"),
            ("2e3", "2000"),
            ("0.10", "0.1"),
            ("7 and again 7", "7"),
            ("2 or 3", "-"),
            ("between 2 and 3", "-"),
            ("", "-"),
            ("many", "-"),
            ("forty-two", "-"),
            ("#### 7\n#### 8", "-"),
            ("1/0", "-"),
            ("12,34,5", "-"),
            ("The answer is 2 or 3", "-"),
            ("H2O", "-"),
        ],
    );
    let text = posed(Kind::Text, &[]);
    let said = all_read(
        &text,
        &[
            ("Paris", "Paris"),
            ("\"Paris\"", "Paris"),
            ("The answer is Paris.", "Paris"),
            ("**Paris**", "Paris"),
            ("Answer: the Seine", "the Seine"),
            ("", "-"),
            ("…", "-"),
        ],
    );
    assert!(read + more + counted + said >= 100, "{}", read + more + counted + said);
}

#[test]
fn c4_answers_are_graded_exactly() {
    let with = |kind, value: &str, accept: &[&str], tolerance: Option<&str>| {
        let mut posed = posed(kind, &[]);
        posed.question.expected = Expected {
            choice: None,
            value: Some(value.to_owned()),
            accept: accept.iter().map(|text| (*text).to_owned()).collect(),
            tolerance: tolerance.map(str::to_owned),
        };
        posed
    };
    let number = |text: &str| GivenAnswer::Number(text.to_owned());
    let said = |text: &str| GivenAnswer::Text(text.to_owned());
    assert!(!grade(&with(Kind::Number, "123456", &[], None), &number("123459")));
    assert!(grade(&with(Kind::Number, "1,234.50", &[], None), &number("1234.5")));
    assert!(grade(&with(Kind::Number, "0.5", &[], None), &number("1/2")));
    assert!(grade(&with(Kind::Number, "3.14", &[], Some("0.01")), &number("3.15")));
    assert!(!grade(&with(Kind::Number, "3.14", &[], Some("0.01")), &number("3.16")));
    assert!(grade(&with(Kind::Text, "the Seine", &["La Seine"], None), &said("Seine.")));
    assert!(grade(&with(Kind::Text, "the Seine", &["La Seine"], None), &said("la seine")));
    assert!(!grade(&with(Kind::Text, "the Seine", &[], None), &said("the Rhine")));
}

fn questions(name: &str, source: &str, layout: Layout) -> Vec<Question> {
    let (questions, faults) = read(name, source, layout, &Columns::default());
    assert!(faults.is_empty(), "{faults:?}");
    questions.into_iter().map(|(_, question)| question).collect()
}

fn told(question: &Question) -> Value {
    json!([
        question.id,
        question.kind,
        question.text,
        question.choices,
        question.expected.choice,
        question.expected.value
    ])
}

#[test]
fn c4_layouts_are_told_apart_by_their_first_row() {
    let cases = [
        (
            "r.jsonl",
            r#"{"id":"a","question":"Which?","choices":["x","y"],"answer":"y"}"#,
            json!(["a", "choice", "Which?", ["x", "y"], 1, null]),
        ),
        (
            "r.jsonl",
            r#"{"question":"How many?","answer":"1,000"}"#,
            json!(["q1", "number", "How many?", [], null, "1,000"]),
        ),
        (
            "r.jsonl",
            r#"{"question":"Who?","answer":"Ada"}"#,
            json!(["q1", "text", "Who?", [], null, "Ada"]),
        ),
        (
            "r.jsonl",
            r#"{"question":"Which?","choices":["x","y"],"answer":0}"#,
            json!(["q1", "choice", "Which?", ["x", "y"], 0, null]),
        ),
        (
            "r.csv",
            "id,question,choices,answer\na,Which?,x|y,B\n",
            json!(["a", "choice", "Which?", ["x", "y"], 1, null]),
        ),
        (
            "i.jsonl",
            r#"{"input":"Which?","choices":["x","y"],"target":"B","id":7}"#,
            json!(["7", "choice", "Which?", ["x", "y"], 1, null]),
        ),
        (
            "i.jsonl",
            r#"{"input":[{"role":"user","content":"Who?"}],"target":["Ada","Ada L."]}"#,
            json!(["q1", "text", "Who?", [], null, "Ada"]),
        ),
        (
            "m.json",
            r#"[{"example_id":"e","inputs":["Which?\n\n A) x\n B) y"],"context":null,"references":["B) y"]}]"#,
            json!(["e", "choice", "Which?", ["x", "y"], 1, null]),
        ),
        (
            "m.jsonl",
            r#"{"exampleId":"e","input":"How many?","context":null,"references":["so\n#### 12"]}"#,
            json!(["e", "number", "How many?", [], null, "12"]),
        ),
        (
            "g.jsonl",
            r#"{"question":"How many?","answer":"6*7\n#### 42"}"#,
            json!(["q1", "number", "How many?", [], null, "42"]),
        ),
        (
            "u.csv",
            "Which?,x,y,z,w,C\n",
            json!(["q1", "choice", "Which?", ["x", "y", "z", "w"], 2, null]),
        ),
    ];
    for (name, source, wanted) in cases {
        let read = questions(name, source, Layout::Auto);
        assert_eq!(told(&read[0]), wanted, "{source}");
    }
}

#[test]
fn c4_of_a_file_that_is_all_wrong_the_first_faults_are_told_and_the_rest_counted() {
    let source = "question,answer\n".to_owned() + &"one,two,three\n".repeat(5_000);
    let (_, faults) = read("x.csv", &source, Layout::Auto, &Columns::default());
    let told: Vec<Fault> = faults.into_iter().collect();
    assert_eq!(told.len(), 21);
    assert_eq!((told[0].line, &*told[20].cause), (2, "and 4980 more"));
}

#[test]
fn c4_of_many_repeated_questions_the_first_are_told_and_the_rest_counted() {
    let source = "question,answer\n".to_owned() + &"Who?,Ada\n".repeat(26);
    let (_, faults) = read("x.csv", &source, Layout::Auto, &Columns::default());
    let told: Vec<Fault> = faults.into_iter().collect();
    assert_eq!((told.len(), &*told[20].cause), (21, "and 5 more"));
}

#[test]
fn c4_entries_of_a_list_are_told_with_their_lines() {
    let source = "[\n  {\"question\": \"a, [b]\\\" {\", \"answer\": \"x\"},\n\n  7,\n  {\"question\": \"c\"}]\n";
    let (read, faults) = read("x.json", source, Layout::Auto, &Columns::default());
    assert_eq!(read[0].0, 2);
    let lines: Vec<usize> = faults.into_iter().map(|fault| fault.line).collect();
    assert_eq!(lines, [4, 5]);
}

#[test]
fn c4_faults_name_their_lines() {
    let source = "\u{feff}{\"question\":\"Who?\",\"answer\":\"Ada\"}\r\n\r\n{\"question\":\"Who?\",\"answer\":\"Ada\"}\r\nno\r\n{\"question\":\"What?\"}\r\n{\"question\":\"X?\",\"choices\":[\"a\"],\"answer\":\"a\"}\r\n";
    let (_, faults) = read("x.jsonl", source, Layout::Auto, &Columns::default());
    let lines: Vec<(usize, String)> =
        faults.into_iter().map(|fault| (fault.line, fault.cause)).collect();
    let lines: Vec<(usize, &str)> = lines.iter().map(|(line, cause)| (*line, &**cause)).collect();
    assert_eq!(
        lines,
        [
            (3, "this question is the same as on line 1"),
            (4, "this line is not JSON: expected ident"),
            (5, "there is no answer"),
            (6, "there is only one choice"),
        ]
    );
}

#[test]
fn c4_columns_of_other_names_are_found() {
    let columns = [("question", "prompt"), ("answer", "key")]
        .map(|(ours, own)| (ours.to_owned(), vec![own.to_owned()]));
    let mut columns = Columns::from(columns);
    columns.insert("choices".to_owned(), vec!["w".to_owned(), "r".to_owned()]);
    let (read, faults) =
        read("x.csv", "prompt,w,r,key\n\"Which, then?\",no,yes,yes\n", Layout::Auto, &columns);
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(told(&read[0].1), json!(["q1", "choice", "Which, then?", ["no", "yes"], 1, null]));
}

#[test]
fn c4_orders_and_sides_vary_with_question_and_seed() {
    let mut posed = posed(Kind::Choice, &["a", "b", "c", "d"]);
    posed.question.expected.choice = Some(2);
    let (mut orders, mut distractors, mut sides) = (vec![], vec![], vec![]);
    for seed in 0..60 {
        let drawn = Posed::new(posed.question.clone(), true, seed);
        let mut sorted = drawn.shown.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 3]);
        orders.push(drawn.shown[0]);
        let [correct, distractor] = drawn.correct_and_distractor(seed).expect("two");
        assert!(correct == 2 && distractor != 2);
        distractors.push(distractor);
        sides.push(drawn.first_side(seed));
    }
    for (drawn, kinds) in [(&mut orders, 4), (&mut distractors, 3), (&mut sides, 2)] {
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn.len(), kinds);
    }
}

#[test]
fn c3_the_most_frequent_of_some_answers_is_correct_with_the_chance_of_the_lot() {
    let (right, wrong) = (GivenAnswer::Choice(0), GivenAnswer::Choice(1));
    let answers = |pattern: &str| {
        let each = pattern.chars().map(|it| match it {
            'r' => (right.clone(), true),
            _ => (wrong.clone(), false),
        });
        each.collect::<Vec<_>>()
    };
    for (pattern, chance) in [("", 0.0), ("r", 1.0), ("rw", 0.5), ("rwr", 1.0), ("rww", 0.0)] {
        let said = answers(pattern);
        let said = said.iter().map(|(answer, correct)| (answer, *correct));
        assert_eq!(plurality_correct(said), chance, "{pattern}");
    }
}
