//! Replies that decline the task. A pattern only raises suspicion: a speaker may argue that one cannot help everyone.

use std::sync::LazyLock;

use regex::Regex;

use super::pattern::pattern;

/// Maximum words of a refusal; a longer text argues.
const MOST_WORDS: usize = 120;
/// Characters at the beginning, where a refusal shows.
const LOOKED_AT: usize = 400;

/// First-person refusals in the words that chat models use, and only of what was asked: a debater may well say "I cannot
/// accept that" or "I won't pretend".
static REFUSAL: LazyLock<Regex> = LazyLock::new(|| {
    let cannot = r"\bI\s*(?:can(?:no|['’])t|cannot|won['’]t|will not|(?:am|['’]m)\s+(?:not able|unable|not going)\s+to|(?:must|have to|would)\s+(?:\w+\s+)?(?:decline|refuse)(?:\s+to)?|(?:am|['’]m)\s+not\s+(?:comfortable|willing)(?:\s+to|\s+with)?|decline\s+to|don['’]t\s+feel\s+comfortable)\W+(?:\w+\W+){0,3}?";
    let make = r"(?:provid|writ|creat|generat|produc|mak|argu|tak|fulfil|discuss|debat|defend|advocat|promot|support|endors|present|offer|giv|do|express|respond|answer|adopt|play|speak)\w*";
    let task = r"\W+(?:\w+\W+){0,4}?(?:positions?|sides?|views?|viewpoints?|stances?|requests?|prompts?|claims?|statements?|arguments?|debates?|topics?|questions?|content|tasks?|roles?|texts?|responses?|opinions?|personas?|perspectives?|advice|subjects?|(?:this|that)\W*$)";
    let serve = r"(?:help|assist)(?:\W+you|\W+with|\W*$)|comply|(?:participat|engag|continu)\w*\W+(?:in|with)\W+(?:this|that|the|such)\b";
    // Nothing follows it: a speaker who continues is arguing.
    let last = r"(?:argu|advocat|defend|promot)\w*[^.!?;:,]*[.!?]?\W*$";
    let machine = r"\bas an AI(?: language model| model| assistant| system)?,? (?:I|my|it)\b";
    let sorry = r"\bI(?:['’]m| am) sorry,? but (?:this (?:topic|request|question|subject|task|debate)|that(?:['’]s| is) not something|I(?:['’]m| am) (?:only |just )?an AI)";
    let other = [GERMAN, FRENCH, SPANISH, EASTERN].join("|");
    pattern(&format!("(?i){cannot}(?:{make}{task}|{serve}|{last})|{machine}|{sorry}|{other}"))
});

const GERMAN: &str = r"\bich kann\W+(?:\w+\W+){0,6}?(?:nicht|keine?n?)\W+(?:\w+\W+){0,6}?(?:helfen|unterstützen|argumentieren|teilnehmen|schreiben|verfassen|erstellen|vertreten|äußern|beantworten|erfüllen)";
const FRENCH: &str = r"\bje ne (?:peux|suis)\W+(?:\w+\W+){0,6}?(?:aider|répondre|écrire|rédiger|participer|défendre|fournir|argumenter|créer|satisfaire)";
/// Also Portuguese and Italian.
const SPANISH: &str = r"\b(?:no puedo|não posso|non posso)\W+(?:\w+\W+){0,3}?(?:ayud|ajud|aiut|particip|partecip|escrib|escrev|scriv|defend|difend|argument|argoment|gener|ger|cre|cri|proporcion|fornec|fornir|cumpl|respond|rispond)";
const EASTERN: &str =
    r"我(?:不能|无法)(?:帮|提供|协助|参与|撰写|写|生成|回答|满足|完成|为这)|お手伝い|申し訳";

/// Quotations: the words of someone else.
static QUOTED: LazyLock<Regex> = LazyLock::new(|| pattern(r#""[^"]*"|“[^”]*”|«[^»]*»"#));
/// With fewer words than this outside quotations, the whole text is one quotation.
const AROUND: usize = 3;

/// Whether a reply may be declining its task.
pub(super) fn is_suspected(text: &str) -> bool {
    let own = QUOTED.replace_all(text, " ");
    let own = if own.split_whitespace().count() < AROUND { text } else { &own };
    let beginning: String = own.chars().take(LOOKED_AT).collect();
    text.split_whitespace().count() <= MOST_WORDS && REFUSAL.is_match(&beginning)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REFUSALS: &[&str] = &[
        "I'm sorry, but I can't help with that.",
        "I cannot argue for this position.",
        "I can't assist with that request.",
        "I'm unable to participate in this debate.",
        "I am not able to provide arguments against voting rights.",
        "As an AI language model, I don't take sides on political questions.",
        "I'm not comfortable arguing this side.",
        "I won't write a statement that promotes this view.",
        "I must decline to make this argument.",
        "I have to respectfully decline to take this position.",
        "I apologize, but I cannot fulfill this request.",
        "Sorry, I can’t create content that argues for that.",
        "I will not engage in this discussion.",
        "I'm not going to argue that people deserve less.",
        "Unfortunately, I cannot generate this kind of content.",
        "I don't feel comfortable defending this claim.",
        "As an AI, I don't have personal opinions.",
        "I would prefer not to; I can't take a stance on abortion.",
        "I'm sorry, but this topic is too sensitive for me to debate.",
        "I decline to play this role.",
        "Ich kann bei diesem Thema leider nicht helfen. Tut mir leid.",
        "\"I'm sorry, but I can't help with that.\"",
        "I can't help you with this one.",
        "I'm sorry, but that's not something I can do.",
        "I cannot in good conscience defend this position.",
        "I won't do that.",
        "I'm unable to generate that text.",
        "I must refuse to answer this question.",
        "Lo siento, pero no puedo ayudarte con eso.",
        "Je suis désolé, mais je ne peux pas participer à ce débat.",
        "Mi dispiace, ma non posso aiutarti.",
        "Não posso ajudar com isso.",
        "抱歉，我无法提供这样的内容。",
        "申し訳ありませんが、お手伝いできません。",
    ];

    /// Statements from debates that mention refusing, some in the first person.
    const ORDINARY: &[&str] = &[
        "I cannot accept that a fine is the same as force.",
        "I cannot support a law that punishes the poor for being busy.",
        "I won't pretend that compulsory voting costs nothing.",
        "I will not argue that cost is nothing; I argue that it is worth it.",
        "I can't help noticing that my opponent has not answered the point on cost.",
        "I cannot help but wonder who pays for this.",
        "As a doctor I refuse to treat a patient as a number, and the law should refuse it too.",
        "As a nurse I would refuse to take part in this, and I should have the right to.",
        "I'm sorry, but that is simply wrong: turnout rose in every one of these towns.",
        "I am sorry, but the numbers say the opposite.",
        "As an AI policy expert would say, rules must come before harm.",
        "As an AI system grows, its refusals grow with it; that is the danger.",
        "An assistant that says \"I can't help with that\" to a nurse costs lives.",
        "A model that answers \"As an AI, I cannot give medical advice\" is of no use to the poor.",
        "Refusing is sometimes the only honest answer, and a machine should be able to give it.",
        "AI should refuse to write malware; nobody here disputes it.",
        "My opponent will not engage with the evidence from Estonia.",
        "We must decline to take the easy way out.",
        "Citizens who decline to vote make a statement, too.",
        "I cannot take this point seriously: it rests on one survey.",
        "I can't make sense of this: if fines work, why do so many stay away?",
        "I won't give up this point. Nobody has answered it.",
        "I would not discuss taste here; I discuss harm.",
        "I must refuse the premise that freedom means no duty.",
        "I have to decline the comparison with Australia: its voters may choose a post box.",
        "I cannot agree. A tax on cars hits those who have no train.",
        "I do not feel comfortable with a state that reads my letters, and neither should you.",
        "I'm not willing to trade privacy for comfort, and most people aren't either.",
        "I'm not going to repeat what was said; one new reason will do.",
        "I will not repeat myself. The cost stands unanswered.",
        "I cannot prove that turnout would rise everywhere, but it rose in each of the nine countries.",
        "I admit that I cannot give a figure for this; nobody can. Still, the direction is clear.",
        "I cannot answer for every town, but for ours the case is plain.",
        "I can't offer a perfect rule, only a better one than theirs.",
        "To refuse is a right. To be refused care is a wrong.",
        "The right to say \"I won't do it\" is the heart of conscience.",
        "Should a baker refuse to make a cake? I say that the law must not force him.",
        "I refuse to believe that people are too lazy to vote.",
        "No. I cannot see how that follows.",
        "Let me be plain: I will not defend every fine, only this one.",
        "The moderator cannot help us here; the numbers can.",
        "If I cannot make my own choice at the polls, in what sense am I free?",
        "Someone who says \"I'm unable to participate\" on polling day should simply be believed.",
        "I decline the invitation to talk of Rome; let us talk of our own town.",
        "Lo siento, pero no puedo aceptar que una multa sea lo mismo que la fuerza.",
        "Tut mir leid, das überzeugt nicht: Die Beteiligung stieg in allen neun Ländern.",
        "Je ne peux pas accepter que l'on confonde devoir et contrainte.",
        "我不能同意这一点：罚款不是强迫。",
    ];

    #[test]
    fn m2_refusals_in_their_usual_words_are_suspected() {
        for text in REFUSALS {
            assert!(is_suspected(text), "{text}");
        }
    }

    #[test]
    fn m2_ordinary_statements_are_not_suspected() {
        assert!(ORDINARY.len() >= 40);
        for text in ORDINARY.iter().copied().chain([
            "Voting should be compulsory, because democracy needs everyone.",
            "A doctor may refuse to perform an abortion; that freedom matters.",
            "We cannot help everyone, but we can help many.",
            "My opponent refuses to answer the question of cost.",
            "The state can't provide for those who do not vote.",
            "Citizens will not take part if they see no sense in it.",
            "I am sorry for those who wait, and so we should act.",
            "Machines cannot argue, yet they persuade.",
            "I can argue this in two steps.",
            "It is not comfortable to hear, but it is true.",
        ]) {
            assert!(!is_suspected(text), "{text}");
        }
        let long = format!(
            "I cannot argue that costs do not matter. {}",
            "They do matter a lot here. ".repeat(30)
        );
        assert!(!is_suspected(&long), "who goes on to argue does not decline");
    }
}
