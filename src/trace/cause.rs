//! Why a debate is not `done`, in words that many debates share, so that a batch can group by them.

use super::Trace;
use crate::event::{CUT_OFF, Call, Incident, IncidentKind, LOOPS, Purpose, REPLY, Status};
use crate::model::Fault;
use crate::model::reply_fault::thinking_remedy;
use crate::{id, text};

/// Characters of a cause.
const LONGEST: usize = 160;
/// Characters of a server's words in it.
const LONGEST_WORDS: usize = 100;
const STATEMENT: &str = "statement";
/// What helps if a server refuses all requests with a schema.
const REFUSES_JSON: &str = "; its server answers text but refuses JSON (`format`): use another server, or another model for judges and clerk";
/// Behind the number of causes that a trace's `cause` leaves out.
pub const SEE_INCIDENTS: &str = "more, see the incidents in metadata.md";
/// Hexadecimal digits from which on a word is taken for an id.
const ID_DIGITS: usize = 8;

/// What a debate fell short of.
#[derive(Debug, PartialEq, Eq)]
pub struct SharedCause {
    /// What it fell short of first, by which debates are grouped.
    pub first: String,
    /// The same, and that there was something else, if there was.
    pub told: String,
}

impl From<String> for SharedCause {
    fn from(told: String) -> Self {
        Self { first: told.clone(), told }
    }
}

impl Trace {
    /// What the debate fell short of; `None` where it is done.
    pub fn shared_cause(&self) -> Option<SharedCause> {
        if self.status == Status::Done {
            return None;
        }
        let cause = self.cause.as_deref().unwrap_or("no cause is given");
        let made = Made { calls: &self.calls, incidents: &self.incidents };
        Some(made.shortfalls(cause).unwrap_or_else(|| shared(cause).into()))
    }
}

/// The calls of a debate, and what happened in them.
struct Made<'t> {
    calls: &'t [Call],
    incidents: &'t [Incident],
}

impl Made<'_> {
    /// The first shortfall with a call; how many others there are would not be shared.
    fn shortfalls(&self, cause: &str) -> Option<SharedCause> {
        let all = self
            .incidents
            .iter()
            .filter(|it| it.is_shortfall())
            .filter_map(|it| Some((it, self.last_attempt(it)?)));
        let (incidents, calls): (Vec<_>, Vec<_>) = all.unzip();
        let all = incidents.iter().zip(calls);
        let told = text::distinct(all.map(|(it, call)| self.in_words(it, call)));
        let (said, remedy) = told.first()?;
        let first = format!("{said}{remedy}");
        Some(if told.len() > 1 || tells_more(cause, &incidents) {
            let told = format!("{said}, among other problems{remedy}");
            SharedCause { first, told }
        } else {
            first.into()
        })
    }

    /// The last attempt of the call that an incident concerns.
    fn last_attempt(&self, incident: &Incident) -> Option<&Call> {
        let name = incident.call.as_deref()?;
        self.calls.iter().rev().find(|call| call.call == name)
    }

    /// `llama3 gave no usable statement (timeout)`; of a request that the server refused, in the server's words; of a text that was
    /// kept, that it was. What helps is apart.
    fn in_words(&self, incident: &Incident, call: &Call) -> (String, &'static str) {
        let is_kept = incident.kind == IncidentKind::Missing && call.outcome == REPLY;
        if is_kept && wanted(call) == STATEMENT {
            let model = &call.model;
            return (format!("{model}'s final text was kept although parts are missing"), "");
        }
        let refusal =
            (call.fault() == Some(Fault::BadRequest)).then(|| self.refusal(call)).flatten();
        let refused = refusal.as_ref().map(|words| format!("bad request: {words}"));
        let why = refused.unwrap_or_else(|| self.why(call));
        let is_refused_form = refusal.is_some() && wanted(call) != STATEMENT;
        let remedy =
            if is_refused_form && self.refuses_json(&call.model) { REFUSES_JSON } else { "" };
        let (model, wanted) = (&call.model, wanted(call));
        (text::shorten(&format!("{model} gave no usable {wanted} ({why})"), LONGEST), remedy)
    }

    /// What the server said when it refused a request, which is about what was asked, hence the same in other debates.
    fn refusal(&self, call: &Call) -> Option<String> {
        let told = format!("{}: {} (", call.model, Fault::BadRequest.words());
        let is_its = |incident: &&Incident| incident.call.as_deref() == Some(&call.call);
        let mut its = self.incidents.iter().filter(is_its);
        let words = its.find_map(|incident| incident.message.strip_prefix(&told))?;
        let (words, _) = words.rsplit_once(')')?;
        Some(text::shorten(&text::one_line(words), LONGEST_WORDS))
    }

    fn why(&self, call: &Call) -> String {
        match call.fault() {
            None if call.outcome == REPLY => self.unusable(call).to_owned(),
            Some(Fault::UnrequestedThinking) => {
                let in_form = wanted(call) != STATEMENT;
                format!("only unrequested thinking: {}", thinking_remedy(in_form))
            }
            _ => call.outcome.replace('_', " "),
        }
    }

    /// Why the last reply was unusable, as far as other debates share that.
    fn unusable(&self, call: &Call) -> &'static str {
        let says_why = [IncidentKind::Repair, IncidentKind::Invalid];
        let its = |it: &&Incident| it.call.as_deref() == Some(&call.call);
        let mut its = self.incidents.iter().filter(its).filter(|it| says_why.contains(&it.kind));
        match its.next_back().map_or("", |it| &it.message) {
            said if said.contains(LOOPS) => {
                "its replies ran into a loop; another model may do better"
            }
            said if said.contains(CUT_OFF) => "its reply was cut off",
            _ => "its reply was not in the requested form",
        }
    }

    /// Whether a model gave statements here, while its server refused everything else that was asked of it.
    fn refuses_json(&self, model: &str) -> bool {
        let its = || self.calls.iter().filter(|call| call.model == model);
        let is_text = |call: &&Call| wanted(call) == STATEMENT;
        let mut others = its().filter(|call| !is_text(call));
        its().filter(is_text).any(|call| call.outcome == REPLY)
            && others.all(|call| call.fault() == Some(Fault::BadRequest))
    }
}

/// Whether a debate's cause has a reason that none of these incidents has.
fn tells_more(cause: &str, incidents: &[&Incident]) -> bool {
    let messages: Vec<String> = incidents.iter().map(|it| text::one_line(&it.message)).collect();
    let is_theirs = |part: &str| {
        let part = part.trim_end_matches('…');
        messages.iter().any(|message| message.contains(part))
    };
    let cause = text::one_line(cause);
    let mut parts = cause.split("; ");
    parts.any(|part| !part.ends_with(SEE_INCIDENTS) && !is_theirs(part))
}

/// What a call was to bring.
fn wanted(call: &Call) -> &'static str {
    match call.purpose() {
        Some(Purpose::Speak | Purpose::Comment) => STATEMENT,
        Some(Purpose::Judge) => "judgment",
        Some(Purpose::Clerk) => "notes",
        _ => "reply",
    }
}

/// A cause without what is of one debate only: the ids in it, and the names in paths that have one. Digests of models stay.
pub fn shared(cause: &str) -> String {
    let line = text::one_line(cause);
    let mut before = "";
    let words = line.split(' ').map(|word| match std::mem::replace(&mut before, word) {
        "digest" | "(digest" => word.to_owned(),
        _ => shared_word(word),
    });
    briefly(&text::separated(words, " "))
}

/// A cause in a line that is not long. What it says to do at its end stays whole: half a command may do more than the whole one.
pub fn briefly(cause: &str) -> String {
    let line = text::one_line(cause);
    let ends = [". ", "; ", ": "].into_iter().filter_map(|end| Some(line.rfind(end)? + end.len()));
    let (said, to_do) = line.split_at(ends.max().unwrap_or_default());
    let length = to_do.chars().count();
    if length > LONGEST || !to_do.contains("--") {
        return text::shorten(&line, LONGEST);
    }
    let said = text::shorten(said.trim_end(), LONGEST.saturating_sub(length).max(LONGEST / 2));
    format!("{said} {to_do}").trim_start().to_owned()
}

/// A word without the ids in it. A path ends with the name that has one: the files below it differ too.
fn shared_word(word: &str) -> String {
    let (path, end) = word.split_at(word.trim_end_matches([':', ',', ';', '.']).len());
    let mut names: Vec<&str> = path.split('/').collect();
    if let Some(at) = names.iter().position(|name| has_id(name)) {
        names.truncate(at + 1);
    }
    text::separated(names.into_iter().map(shared_name), "/") + end
}

fn shared_name(name: &str) -> String {
    let core = name.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    if has_id(name) { name.replace(core, "…") } else { name.to_owned() }
}

fn has_id(name: &str) -> bool {
    name.split(|c: char| !c.is_ascii_alphanumeric()).any(is_id)
}

/// Whether a word is the beginning of an id, and no date or number.
fn is_id(word: &str) -> bool {
    let is_hex = word.bytes().all(|b| b.is_ascii_hexdigit());
    let has_letter = word.bytes().any(|b| b.is_ascii_alphabetic());
    is_hex && word.len() >= if has_letter { ID_DIGITS } else { id::SHORT }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b3_a_cause_is_shared_by_debates_that_differ_in_their_ids_only() {
        let cause = |id: &str| format!("start the debate over with --restart --only {id}.");
        let one = shared(&cause("0123456789ab"));
        assert_eq!(one, shared(&cause("ba9876543210")));
        assert_eq!(one, "start the debate over with --restart --only ….");
        assert_eq!(shared("gave up after 10m"), "gave up after 10m");
        let damaged = "a/way/to/output/.rebut/running/0123456789ab.jsonl: the journal is damaged here: its checksum does not match. \
            Restore a sound copy of that file, or start the debate over with --restart --only 0123456789ab";
        let told = "a/way/to/output/.rebut/running/…: the journal is damaged here: its checksum… Restore a sound copy of that file, \
            or start the debate over with --restart --only …";
        assert_eq!(shared(damaged), told);
        assert_eq!(briefly(told), told);
        assert!(shared(&"ab--cd ".repeat(99)).chars().count() <= LONGEST);
        let weights =
            "other weights for llama3 (digest bbbbbbbbbbbb) than before (digest 0123456789ab)";
        assert_eq!(shared(weights), weights);
        let full = |path: &str| shared(&format!("cannot write output/{path}: it is full"));
        let one = full("2026-11-21/2026-11-21T23-10-26_abortion_858e7c0ec29e/index.md");
        assert_eq!(one, "cannot write output/2026-11-21/…: it is full");
        let other = full("2026-11-21/2026-11-21T23-11-07_abortion_0123456789ab/trace.json");
        assert_eq!(one, other);
    }

    fn call(purpose: &str, outcome: &str) -> Call {
        Call {
            call: format!("a/{purpose}"),
            model: "llama3".to_owned(),
            purpose: purpose.to_owned(),
            outcome: outcome.to_owned(),
            ..Call::default()
        }
    }

    fn short(kind: IncidentKind, call: &Call, message: &str) -> Incident {
        Incident {
            kind,
            call: Some(call.call.clone()),
            attempt: None,
            message: message.to_owned(),
            at: call.at,
        }
    }

    #[test]
    fn b3_a_call_without_a_usable_reply_is_told_by_model_purpose_and_fault() {
        let nothing = Made { calls: &[], incidents: &[] };
        let in_words = |call: &Call| {
            let missing = short(IncidentKind::Missing, call, "it is missing");
            nothing.in_words(&missing, call)
        };
        let (told, _) = in_words(&call("speak", "empty_reply"));
        assert_eq!(told, "llama3 gave no usable statement (empty reply)");
        let (told, _) = in_words(&call("speak", "unrequested_thinking"));
        let wanted = "llama3 gave no usable statement (only unrequested thinking: set `think: true` with `thinking_tokens`, or \
            use another model)";
        assert_eq!(told, wanted);
        let (told, _) = in_words(&call("judge", REPLY));
        let wanted = "llama3 gave no usable judgment (its reply was not in the requested form)";
        assert_eq!(told, wanted);
        let judgment = call("judge", REPLY);
        for (said, why) in [(LOOPS, "ran into a loop; another model may"), (CUT_OFF, "cut off")] {
            let before = short(IncidentKind::Repair, &judgment, "`winner` is missing");
            let invalid = short(IncidentKind::Invalid, &judgment, &format!("`summary` {said}"));
            let told = |incidents: &[Incident]| {
                let made = Made { calls: &[], incidents };
                made.in_words(&invalid, &judgment).0
            };
            let missing = short(IncidentKind::Missing, &judgment, "no verdict");
            let in_order = told(&[before.clone(), invalid.clone(), missing]);
            assert!(in_order.contains(why), "{in_order}");
            let other = told(&[invalid.clone(), before]);
            assert!(other.contains("not in the requested form"), "{other}");
        }
        let (told, _) = in_words(&call("speak", REPLY));
        assert_eq!(told, "llama3's final text was kept although parts are missing");
    }

    #[test]
    fn b3_where_several_things_went_wrong_the_first_is_not_told_as_all() {
        let calls = [call("speak", "empty_reply"), call("judge", REPLY)];
        let missing = |call: &Call| short(IncidentKind::Missing, call, "it is missing; why");
        let told = |incidents: &[Incident], cause: &str| {
            let made = Made { calls: &calls, incidents };
            made.shortfalls(cause)
        };
        let first = "llama3 gave no usable statement (empty reply)".to_owned();
        let several = Some(SharedCause {
            first: first.clone(),
            told: format!("{first}, among other problems"),
        });
        assert_eq!(told(&[], "it is missing; why"), None);
        let same = [missing(&calls[0]), missing(&calls[0])];
        let same = |cause: &str| told(&same, cause);
        assert_eq!(same("it is missing; why"), Some(first.clone().into()));
        let listed = format!("it is miss…; it is missing; why; and 3 {SEE_INCIDENTS}");
        assert_eq!(same(&listed), Some(first.into()));
        let both = [missing(&calls[0]), missing(&calls[1])];
        assert_eq!(told(&both, "it is missing; why"), several);
        let unheard = "it is missing; why; Ann was never heard, so nobody is judged";
        assert_eq!(same(unheard), several, "a reason that no incident has");
        let unseen = "Ann could not be shown each side's newest statement";
        let context = short(IncidentKind::Context, &calls[1], unseen);
        let cause = format!("it is missing; why; {unseen}");
        assert_eq!(told(&[missing(&calls[0]), context], &cause), several);
    }

    #[test]
    fn b3_a_refusal_is_told_in_the_servers_words_and_one_of_json_with_what_helps() {
        const BAD_REQUEST: &str = "bad_request";
        let refused = call("judge", BAD_REQUEST);
        let said = "llama3: bad request (the server answered 400: no grammars (yet)); nothing is left to try";
        let gave_up = Incident {
            kind: IncidentKind::GaveUp,
            call: Some(refused.call.clone()),
            attempt: Some(1),
            message: said.to_owned(),
            at: refused.at,
        };
        let told = |statement: &str, notes: &str| {
            let made = Made {
                calls: &[call("speak", statement), call("clerk", notes), refused.clone()],
                incidents: std::slice::from_ref(&gave_up),
            };
            made.in_words(&gave_up, &refused)
        };
        let cause = "llama3 gave no usable judgment (bad request: the server answered 400: no grammars (yet))";
        let alone = |cause: &str| (cause.to_owned(), "");
        let refuses = (cause.to_owned(), REFUSES_JSON);
        assert_eq!(told(REPLY, BAD_REQUEST), refuses);
        assert_eq!(told(REPLY, REPLY), alone(cause));
        assert_eq!(told(BAD_REQUEST, BAD_REQUEST), alone(cause));

        let missing = Incident {
            kind: IncidentKind::Missing,
            message: "it is missing".to_owned(),
            ..gave_up.clone()
        };
        let made = Made {
            calls: &[call("speak", REPLY), refused.clone()],
            incidents: &[gave_up, missing],
        };
        let several = SharedCause {
            first: format!("{cause}{REFUSES_JSON}"),
            told: format!("{cause}, among other problems{REFUSES_JSON}"),
        };
        let told = made.shortfalls("it is missing; Ann was never heard");
        assert_eq!(told, Some(several));
    }
}
