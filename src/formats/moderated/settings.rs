//! The settings of a moderated debate (rows D1 to D6).

use serde::{Deserialize, Serialize};

use crate::job::cast::{self, named, with_persona};
use crate::job::criteria::{self, Criteria, Scale};
use crate::job::keys::Keys;
use crate::job::participant::{self, Library, Participant};

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

/// The settings of a moderated debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Moderated {
    /// How the debate is led.
    pub style: Style,
    /// Rounds, in each of which every side argues and is rebutted.
    pub round_count: u32,
    /// Whether the moderator may end the rounds before the last.
    pub may_end_early: bool,
    /// Whether speakers are interrupted; `None` for what the style says.
    pub interruptions: Option<bool>,
    /// Whether the advocates are scored in the end.
    pub scoring: bool,
    /// What is scored, by name.
    pub criteria: Criteria,
    /// The most tokens of an opening statement.
    pub opening_max_tokens: u32,
    /// The most tokens of an argument, a rebuttal, or an answer to an interruption.
    pub argument_max_tokens: u32,
    /// The most tokens of a closing statement.
    pub closing_max_tokens: u32,
    /// The most tokens of an interruption.
    pub interjection_max_tokens: u32,
    /// The most tokens of the summary of a round.
    pub round_summary_max_tokens: u32,
    /// The most tokens of the summary of the debate.
    pub summary_max_tokens: u32,
}

impl Default for Moderated {
    fn default() -> Self {
        Self {
            style: Style::Formal,
            round_count: 3,
            may_end_early: false,
            interruptions: None,
            scoring: true,
            criteria: default_criteria(),
            opening_max_tokens: 300,
            argument_max_tokens: 250,
            closing_max_tokens: 350,
            interjection_max_tokens: 100,
            round_summary_max_tokens: 150,
            summary_max_tokens: 400,
        }
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
pub fn read(
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
    let settings = read_settings(keys);
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

fn read_settings(keys: &mut Keys<'_>) -> Moderated {
    let defaults = Moderated::default();
    let styles = [
        ("formal", Style::Formal),
        ("casual", Style::Casual),
        ("educational", Style::Educational),
        ("competitive", Style::Competitive),
    ];
    let style = keys.choice(
        "style",
        &styles,
        "How the debate is led: formal (breaches are interrupted), casual (a rebuttal may be passed), educational (each side states another's best point), competitive (rounds have winners)",
    );
    let doc = "Rounds, in each of which every side argues and is rebutted";
    let round_count = keys.whole("round_count", defaults.round_count.into(), 1..=100, doc) as u32;
    let doc = "Whether the moderator may end the rounds before the last";
    let may_end_early = keys.flag("may_end_early", defaults.may_end_early, doc);
    let doc = "Whether speakers are interrupted. By default the moderator interrupts broken rules in formal and competitive debates, and the fact checker, where there is one, false claims in any";
    let interruptions = keys.optional_flag("interruptions", doc);
    let doc = "Whether the advocates are scored in the end; without scores nobody wins";
    let scoring = keys.flag("scoring", defaults.scoring, doc);
    let criteria = criteria::read(keys, defaults.criteria.clone(), SCALE);
    Moderated {
        style,
        round_count,
        may_end_early,
        interruptions,
        scoring,
        criteria,
        ..read_caps(keys, &defaults)
    }
}

fn read_caps(keys: &mut Keys<'_>, defaults: &Moderated) -> Moderated {
    let mut cap = |key: &str, default: u32, what: &str| {
        let doc = format!("The most tokens of {what}");
        keys.whole(key, default.into(), 16..=100_000, &doc) as u32
    };
    Moderated {
        opening_max_tokens: cap(
            "opening_max_tokens",
            defaults.opening_max_tokens,
            "an opening statement",
        ),
        argument_max_tokens: cap(
            "argument_max_tokens",
            defaults.argument_max_tokens,
            "an argument, a rebuttal, or an answer to an interruption",
        ),
        closing_max_tokens: cap(
            "closing_max_tokens",
            defaults.closing_max_tokens,
            "a closing statement",
        ),
        interjection_max_tokens: cap(
            "interjection_max_tokens",
            defaults.interjection_max_tokens,
            "an interruption",
        ),
        round_summary_max_tokens: cap(
            "round_summary_max_tokens",
            defaults.round_summary_max_tokens,
            "the summary of a round",
        ),
        summary_max_tokens: cap(
            "summary_max_tokens",
            defaults.summary_max_tokens,
            "the summary of the debate",
        ),
        ..defaults.clone()
    }
}
