//! The settings of a moderated debate (rows D1 to D6), its participants, and what the rest of the program needs to know
//! about it.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::job::cast::{self, CLERK, ParticipantDefaults, Role};
use crate::job::criteria::{self, Criteria, Scale};
use crate::job::job_text::JobText;
use crate::job::participant::Participant;
use crate::job::settings_macro::settings;
use crate::job::shape::{choice, flag, nullable, whole};
use crate::job::{Format, Profile};

/// The role of the participants who argue.
const ADVOCATE: &str = "position_advocate";
/// The id of the participant who leads the debate.
pub(super) const MODERATOR: &str = "moderator";
/// The id of the participant who checks claims.
pub(super) const FACT_CHECKER: &str = "fact_checker";

/// The scale for advocates.
pub const SCALE: Scale = (0, 10);

/// The style of a debate (row D3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// Strict order, formal language; breaches of rules are interrupted.
    Formal,
    /// A conversation: a rebuttal may be passed.
    Casual,
    /// Each side also states the best point of another.
    Educational,
    /// The moderator names the winner of each round; breaches of rules are interrupted.
    Competitive,
}

impl Style {
    /// Whether the moderator interrupts breaches of rules by default.
    fn enforces_rules(self) -> bool {
        matches!(self, Style::Formal | Style::Competitive)
    }
}

settings! {
    /// The settings of a moderated debate.
    pub struct Moderated {
        /// Style of the debate: formal (breaches of rules are interrupted), casual (rebuttals may be passed), educational (each side states another's best point), competitive (rounds have winners)
        style: Style = Style::Formal, choice::<Style>();
        /// Rounds; in each, every side argues and is rebutted
        round_count: u32 = 3, whole(1..=100);
        /// Whether the moderator may end the rounds early
        may_end_early: bool = false, flag();
        /// Whether speakers are interrupted. By default, the moderator interrupts breaches of rules in formal and competitive debates, and the fact checker, if there is one, interrupts false claims in any style
        interruptions: Option<bool> = None, nullable(flag());
        /// Whether closing statements are written independently, so that nobody can answer another's or have the last word
        blind_closings: bool = true, flag();
        /// Whether the advocates are scored at the end; without scores, there is no winner
        scoring: bool = true, flag();
        /// Criteria that judges score from 0 to 10; the ones listed replace all defaults
        criteria: Criteria = default_criteria(), criteria::shape(SCALE, default_criteria());
        /// Whether each judge is asked twice, with the sides named in both orders, so that neither side gains by being named first
        both_orders: bool = true, flag();
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
    /// Whether the moderator checks for broken rules and interrupts.
    pub fn enforces_rules(&self) -> bool {
        self.interruptions.unwrap_or_else(|| self.style.enforces_rules())
    }

    /// Whether claims that the fact checker finds false are interrupted.
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
            "Unclear or contradictory reasoning",
            "Mostly clear reasoning with gaps",
            "Clear and sound reasoning throughout",
        ),
        (
            "evidence_quality",
            0.25,
            "No evidence or examples",
            "Some evidence, but vague or not to the point",
            "Relevant and credible evidence and examples",
        ),
        (
            "responsiveness",
            0.2,
            "Does not address opposing arguments",
            "Addresses some opposing arguments",
            "Directly addresses the strongest opposing arguments",
        ),
        ("persuasiveness", 0.15, "Not convincing", "Convincing in parts", "Convincing as a whole"),
        (
            "rule_adherence",
            0.15,
            "Breaks rules or ignores the format",
            "Keeps to most rules",
            "Keeps to the format and every rule",
        ),
    ];
    criteria::built_in(SCALE, &rows)
}

/// The participants.
const ROLES: &[Role] = &[
    Role::list(
        "advocates",
        "The sides (2–8), in speaking order; each is rebutted by the next",
        2,
        2..=8,
        |i, _| {
            let letter = char::from(b'A' + u8::try_from(i % 26).unwrap_or_default());
            let position = match i {
                0 => "For the motion",
                1 => "Against the motion",
                _ => "",
            };
            let id = format!("{ADVOCATE}_{}", i + 1);
            ParticipantDefaults::new(id, format!("Advocate {letter}"))
                .with_position(position)
                .with_persona("advocate")
        },
    ),
    Role::one(
        MODERATOR,
        "Leads the debate, enforces the rules and sums up; scores it if no judges are listed",
        |_, _| ParticipantDefaults::new(MODERATOR, "Moderator").with_persona("moderator"),
    ),
    Role::optional(
        FACT_CHECKER,
        "Checks the claims of each statement; false ones are interrupted. `{}` for one with the defaults",
        |_, _| ParticipantDefaults::new(FACT_CHECKER, "Fact checker").with_persona("fact-checker"),
    ),
    cast::judges(0, "Score the advocates at the end; by default, the moderator does"),
    CLERK,
];

const PROFILE: Profile = Profile {
    alone: "Run one moderated debate without a job file: two sides, led and scored by a moderator",
    arguing: &[ADVOCATE],
    has_winner: true,
    labelled: &["argument", "rebuttal", "answer"],
    calls: &[
        ("rebuttal", "{name}'s turn"),
        ("reply", "{name}'s turn"),
        ("interjection", "{name} interrupts {speaker}"),
        ("check", "{name} checks statement {statement}"),
        ("fact_check", "{name} checks the claims of statement {statement}"),
        ("ruling", "{name} rules on the round"),
        ("summary", "{name} sums up"),
    ],
    cast: |sides| vec![("advocates", json!(sides))],
    ..Profile::new(
        "moderated",
        "Advocates under a moderator: openings, arguments and rebuttals, closings, scores",
    )
};

impl Format for Moderated {
    const PROFILE: &'static Profile = &PROFILE;
    const ROLES: &'static [Role] = ROLES;

    fn read(job: &JobText<'_>, cast: &[Participant]) -> Self {
        let advocates = cast.iter().filter(|p| p.role() == ADVOCATE);
        for (advocate, entry) in advocates.zip(job.entries("advocates", 0)) {
            if advocate.position.is_empty() {
                let cause = format!("{} has no position", advocate.name);
                let remedy = "give the advocate a position, such as `position: Only for adults`";
                job.report(&entry.node.place, cause, remedy);
            }
        }
        let settings: Moderated = job.group(&Moderated::default());
        if !settings.scoring && job.node.get("judges").is_some() {
            let cause = "`judges` are listed, but `scoring` is false";
            job.report(job.place_of("scoring"), cause, "set `scoring` to true, or remove `judges`");
        }
        settings
    }

    fn most_rounds(&self) -> u32 {
        self.round_count
    }

    fn judging_role(&self) -> Option<&'static str> {
        self.scoring.then_some(MODERATOR)
    }
}
