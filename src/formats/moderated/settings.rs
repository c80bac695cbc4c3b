//! The settings of a moderated debate (rows D1 to D6).

use serde::{Deserialize, Serialize};

use crate::job::cast::{self, named, with_persona};
use crate::job::criteria::{self, Criteria, Scale};
use crate::job::keys::Keys;
use crate::job::participant::{self, Library, Participant};
use crate::job::setting::settings;
use crate::job::shape::{choice, flag, nullable, whole};

/// An advocate is scored from 0 to 10.
pub const SCALE: Scale = (0, 10);

/// The most advocates.
const ADVOCATES: usize = 8;

/// How a debate is led (row D3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// Strict order, formal language, breaches of rules are interrupted.
    Formal,
    /// A conversation: a rebuttal may be passed.
    Casual,
    /// Each side also states the best point of another.
    Educational,
    /// The moderator names the winner of each round; breaches of rules are interrupted.
    Competitive,
}

impl Style {
    /// Whether the moderator interrupts breaches of rules where the job does not say.
    fn enforces_rules(self) -> bool {
        matches!(self, Style::Formal | Style::Competitive)
    }
}

settings! {
    /// The settings of a moderated debate.
    pub struct Moderated {
        /// How the debate is led: formal (breaches are interrupted), casual (rebuttals may be passed), educational (each side states another's best point), competitive (rounds have winners)
        style: Style = Style::Formal, choice::<Style>();
        /// Rounds; in each, every side argues and is rebutted
        round_count: u32 = 3, whole(1..=100);
        /// Whether the moderator may end the rounds early
        may_end_early: bool = false, flag();
        /// Whether speakers are interrupted. By default, the moderator interrupts breaches of rules in formal and competitive debates, and the fact checker, if there is one, interrupts false claims in any style
        interruptions: Option<bool> = None, nullable(flag());
        /// Whether the advocates are scored at the end; without scores nobody wins
        scoring: bool = true, flag();
        /// What judges score, from 0 to 10; those listed replace all of the defaults
        criteria: Criteria = default_criteria(), criteria::shape(SCALE, default_criteria());
        /// Maximum tokens per opening statement
        opening_max_tokens: u32 = 300, whole(16..=100_000);
        /// Maximum tokens per argument, rebuttal, or answer to an interruption
        argument_max_tokens: u32 = 250, whole(16..=100_000);
        /// Maximum tokens per closing statement
        closing_max_tokens: u32 = 350, whole(16..=100_000);
        /// Maximum tokens per interruption
        interjection_max_tokens: u32 = 100, whole(16..=100_000);
        /// Maximum tokens per round summary
        round_summary_max_tokens: u32 = 150, whole(16..=100_000);
        /// Maximum tokens of the summary of the debate
        summary_max_tokens: u32 = 400, whole(16..=100_000);
    }
}

impl Moderated {
    /// Whether the moderator looks for broken rules, and interrupts where one is.
    pub fn enforces_rules(&self) -> bool {
        self.interruptions
            .unwrap_or_else(|| self.style.enforces_rules())
    }

    /// Whether a claim that the fact checker finds false is interrupted.
    pub fn corrects_claims(&self) -> bool {
        self.interruptions.unwrap_or(true)
    }
}

/// The criteria of the source, with its weights and descriptions.
fn default_criteria() -> Criteria {
    let rows = [
        (
            "logical_coherence",
            0.25,
            [
                "Unclear or contradictory reasoning",
                "Mostly clear reasoning with gaps",
                "Clear and sound reasoning throughout",
            ],
        ),
        (
            "evidence_quality",
            0.25,
            [
                "No evidence or examples",
                "Some evidence, but vague or not to the point",
                "Relevant and credible evidence and examples",
            ],
        ),
        (
            "responsiveness",
            0.2,
            [
                "Does not address the other side",
                "Addresses some of the other side's arguments",
                "Directly addresses the other side's strongest arguments",
            ],
        ),
        (
            "persuasiveness",
            0.15,
            [
                "Not convincing",
                "Convincing in parts",
                "Convincing as a whole",
            ],
        ),
        (
            "rule_adherence",
            0.15,
            [
                "Breaks rules or ignores the format",
                "Keeps to most rules",
                "Keeps to the format and every rule",
            ],
        ),
    ];
    criteria::built_in(SCALE, &rows)
}

/// Reads who takes part and the settings. `defaults` holds model and sampling.
pub(crate) fn read(
    keys: &mut Keys<'_>,
    defaults: &Participant,
    library: Library<'_>,
) -> (Vec<Participant>, Moderated) {
    let mut participants = read_advocates(keys, defaults, library);
    let mut seats: Vec<_> = cast::seats("advocates", participants.len()).collect();
    let of_role = |keys: &Keys<'_>, id: &str, name: &str, persona: &str| {
        let persona = library.persona_of_role(persona, keys.place(), keys.problems);
        with_persona(named(defaults, id, name, ""), persona.as_ref())
    };

    let base = of_role(keys, "moderator", "Moderator", "moderator");
    let doc =
        "Leads the debate, enforces the rules and sums up; scores it where no judges are listed";
    participants.push(cast::one(keys, "moderator", doc, &base, library));
    seats.extend(cast::seat("moderator"));

    let base = of_role(keys, "fact_checker", "Fact checker", "fact-checker");
    let doc = "Checks the claims of each statement; a false one is interrupted. `{}` for one with the defaults";
    let checker = keys.optional_section("fact_checker", doc, |keys| {
        participant::read(keys, &base, library)
    });
    seats.extend(cast::seat("fact_checker").take(usize::from(checker.is_some())));
    participants.extend(checker);

    let doc = "Score the advocates in the end; without this key, the moderator does";
    let judges = cast::judges(keys, 0, doc, defaults, library);
    seats.extend(cast::seats("judges", judges.len()));
    participants.extend(judges);

    cast::check_names(keys, &participants, &seats);
    participants.push(cast::clerk(keys, defaults, library));
    let settings = keys.group(&Moderated::default());
    check_judges(keys, &settings);
    (participants, settings)
}

/// Judges who have nothing to score are a mistake.
fn check_judges(keys: &Keys<'_>, settings: &Moderated) {
    if settings.scoring || !keys.has("judges") {
        return;
    }
    let cause = "`judges` are listed, but `scoring` is false";
    let remedy = "set `scoring` to true, or leave out `judges`";
    keys.problems.add(keys.place_of("scoring"), cause, remedy);
}

fn read_advocates(
    keys: &mut Keys<'_>,
    defaults: &Participant,
    library: Library<'_>,
) -> Vec<Participant> {
    let persona = library.default_persona(keys.place(), keys.problems);
    let doc = "The sides, two or more; they speak in this order, and each is rebutted by the next";
    keys.sections("advocates", 2, 2..=ADVOCATES, doc, |i, keys| {
        let id = format!("position_advocate_{}", i + 1);
        let letter = char::from(b'A' + u8::try_from(i % 26).unwrap_or_default());
        let position = ["For the motion", "Against the motion"]
            .get(i)
            .copied()
            .unwrap_or_default();
        let base = named(defaults, &id, &format!("Advocate {letter}"), position);
        let advocate = participant::read(keys, &with_persona(base, persona.as_ref()), library);
        if advocate.position.is_empty() {
            let cause = format!("{} has no position", advocate.name);
            let remedy = "say what the advocate stands for, such as `position: Only for adults`";
            keys.problems.add(keys.place(), cause, remedy);
        }
        advocate
    })
}
