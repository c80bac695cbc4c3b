//! Demands without a question mark: `I ask Ann to name its size`, `Ann, tell us who paid`.

/// Words that may stand before an address or a first person.
const JOINING: [&str; 9] =
    ["so", "but", "and", "then", "now", "here", "therefore", "thus", "again"];
/// Words that may stand between a first person and its verb.
const BETWEEN: [&str; 11] =
    ["now", "again", "also", "would", "must", "therefore", "still", "want", "like", "only", "to"];
/// Verbs that put a demand to whom they name, with `to`.
const DEMANDING: [&str; 5] = ["ask", "invite", "challenge", "urge", "request"];
/// What may also follow whom somebody asks.
const ASKED: [&str; 9] = ["what", "who", "which", "how", "why", "when", "where", "whether", "for"];
/// Words of a name at most.
const NAME: usize = 5;

/// Whether a sentence demands something of somebody whom `names` knows: as an order to whom it addresses, or in the first person.
/// In doubt it does not: it would be put to an opponent as a question. Of other languages only questions with a mark are known.
pub(super) fn demands(sentence: &str, names: &impl Fn(&str) -> bool) -> bool {
    orders(sentence, names) || asks(&words(sentence), names)
}

/// `Ann, please tell us who paid`, `Tell us, Ann, who paid`.
fn orders(sentence: &str, names: &impl Fn(&str) -> bool) -> bool {
    let mut parts = sentence.split(',').map(words);
    let Some(first) = parts.next() else {
        return false;
    };
    if is_order(&first) {
        parts.any(|part| is_name(&part, names))
    } else {
        is_name(&first, names) && parts.next().is_some_and(|next| is_order(&next))
    }
}

fn is_order(words: &[&str]) -> bool {
    let words = without(words, &["please", "again"]);
    match words.first().map(|word| plain(word)).as_deref() {
        Some("tell" | "show") => words.get(1).is_some_and(|word| is_one(word, &["me", "us"])),
        Some("name" | "explain") => words.len() > 1,
        _ => false,
    }
}

/// Whether words are nothing but a name.
fn is_name(words: &[&str], names: &impl Fn(&str) -> bool) -> bool {
    let words = without(words, &["the"]);
    name_at_beginning(words, names) == Some(words.len())
}

/// `I ask Ann to name its size`; not `as I ask my students, Ann`, nor `I challenge Ann's figure`.
fn asks(words: &[&str], names: &impl Fn(&str) -> bool) -> bool {
    let begins = |at: usize| {
        let before = at.checked_sub(1).map(|before| words[before]);
        before.is_none_or(|it| is_one(it, &JOINING) || it.ends_with([',', ';', ':', '–', '—']))
    };
    let is_person = |at: &usize| is_one(words[*at], &["i", "we"]) && begins(*at);
    (0..words.len()).filter(is_person).any(|at| is_put(without(&words[at + 1..], &BETWEEN), names))
}

/// Whether a demanding verb is followed by a name and what is demanded.
fn is_put(words: &[&str], names: &impl Fn(&str) -> bool) -> bool {
    let Some((verb, rest)) = words.split_first().filter(|(verb, _)| is_one(verb, &DEMANDING))
    else {
        return false;
    };
    let rest = without(rest, &["the"]);
    name_at_beginning(rest, names)
        .and_then(|name| rest.get(name))
        .is_some_and(|next| is_one(next, &["to"]) || is_one(verb, &["ask"]) && is_one(next, &ASKED))
}

/// How many words the name has with which words begin.
fn name_at_beginning(words: &[&str], names: &impl Fn(&str) -> bool) -> Option<usize> {
    let is_named = |of: &[&str]| names(&of.join(" "));
    let name = (1..=words.len().min(NAME)).find(|count| is_named(&words[..*count]))?;
    (name == 1 || !is_named(&words[1..name])).then_some(name)
}

fn words(said: &str) -> Vec<&str> {
    said.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).collect()
}

/// Words without those at the beginning that only join or are one of `more`.
fn without<'a, 'w>(mut words: &'a [&'w str], more: &[&str]) -> &'a [&'w str] {
    while let [first, rest @ ..] = words
        && (is_one(first, &JOINING) || is_one(first, more))
    {
        words = rest;
    }
    words
}

fn is_one(word: &str, known: &[&str]) -> bool {
    known.contains(&plain(word).as_str())
}

fn plain(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::demands;

    #[test]
    fn m7_only_an_order_or_a_first_person_that_names_somebody_demands() {
        let names = |text: &str| {
            let text = format!(" {} ", text.replace(|c: char| !c.is_alphanumeric(), " "));
            [" Ann ", " Chief physician "].iter().any(|name| text.contains(name))
        };
        for demand in [
            "I ask Ann to name its size.",
            "So I would ask the Chief physician why it closed.",
            "If it fails, we urge Ann to say so.",
            "Ann, please tell us who paid.",
            "> And Ann, tell us\nwho paid.",
            "Chief physician, name one ward.",
            "Tell us, Ann, who paid.",
            "Explain this, Ann.",
        ] {
            assert!(demands(demand, &names), "{demand}");
        }
        for none in [
            "Ann did not say why isolates already tested tell us too little.",
            "As I tell my students, Ann is wrong.",
            "As I ask my students, Ann is wrong.",
            "The FDA's request was met, Ann.",
            "I challenge Ann's figure.",
            "I challenge Ann where she counts trams.",
            "When I ask Ann to count, she is silent.",
            "I do not ask Ann to pay.",
            "I ask you to weigh what Ann said.",
            "They ask Ann to pay.",
            "Tell that to the tenants, Ann.",
            "Ann has shown one case, and tell us too little.",
            "I ask who paid.",
        ] {
            assert!(!demands(none, &names), "{none}");
        }
    }
}
