//! The settings of a knockout debate (rows K1, K2, K5, K6, K8), its participants, and what the rest of the program needs to
//! know about it.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::job::audience::AudienceSettings;
use crate::job::cast::{self, CLERK, ParticipantDefaults, Role};
use crate::job::criteria::{self, Criteria, Scale};
use crate::job::job_text::JobText;
use crate::job::participant::Participant;
use crate::job::settings_macro::{section, settings};
use crate::job::shape::{choice, derived, nullable, whole};
use crate::job::tree::Data;
use crate::job::{Format, Profile};

/// Who speaks first in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Start {
    /// Position X, in every round.
    X,
    /// Position Y, in every round.
    Y,
    /// X in odd rounds, Y in even ones.
    #[serde(rename = "alternate")]
    Alternate,
}

/// The id of the participant who stays.
pub(super) const X: &str = "position_x";
/// The role of those who debate in turn, and the name of their side.
pub(super) const TEAM: &str = "position_y";
/// The id of the participant who comments.
pub(super) const COMMENTATOR: &str = "commentator";

/// The scale of a ballot.
pub const SCALE: Scale = (1, 5);

settings! {
    /// When a Y agent is replaced.
    pub struct Rotation {
        /// Negative votes that replace the debater; by default a majority of the judges
        threshold: u32 = 2, derived(whole(1..=20));
        /// Maximum replacements per debate
        limit: u32 = 3, whole(0..=20);
    }
}

settings! {
    /// The settings of a knockout debate.
    pub struct Knockout {
        /// Exchanges between the sides
        rounds: u32 = 6, whole(1..=100);
        /// Who speaks first in a round: X, Y, or alternate (X in odd rounds)
        starting_position: Start = Start::X, choice::<Start>();
        /// Simulated speaking time per statement, in seconds, at 3.75 tokens per second
        time_limit_seconds: u32 = 300, whole(5..=36_000);
        /// Maximum tokens per statement
        max_statement_tokens: u32 = 800, whole(16..=100_000);
        /// Target model time per round, in seconds; statements are shortened to meet it, based on the measured speed
        enforce_round_seconds: Option<u32> = None, nullable(whole(5..=36_000));
        /// Criteria that judges score from 1 to 5; the ones listed replace all defaults
        criteria: Criteria = default_criteria(), criteria::shape(SCALE, default_criteria());
        /// When the debating Y is replaced
        rotation: Rotation = Rotation::default(), section::<Rotation>();
        /// Votes by people on each round in `rebut view --voters`; null for none
        #[serde(default, skip_serializing_if = "Option::is_none")]
        audience: Option<AudienceSettings> = None, nullable(section::<AudienceSettings>());
    }
}

/// The criteria of the source, with its weights. The guides ask for nothing that debaters cannot or should not give, such as
/// evidence beyond the background or fine words.
pub fn default_criteria() -> Criteria {
    let rows = [
        (
            "argument_strength",
            0.4,
            "No substantial arguments or reasons",
            "Some valid points, but thinly supported",
            "Strong arguments, each supported by reasons or known facts",
        ),
        (
            "relevance",
            0.2,
            "Arguments mostly off-topic or tangential",
            "Arguments somewhat related to the debate topic",
            "Arguments directly address the central question",
        ),
        (
            "persuasiveness",
            0.3,
            "Would move no fair reader",
            "Some main points convince, others do not",
            "Would move a fair reader on the whole question",
        ),
        (
            "clarity",
            0.1,
            "Confusing or poorly structured arguments",
            "Reasonably clear but some disorganization",
            "Exceptionally clear, well-organized arguments",
        ),
    ];
    let mut criteria = criteria::built_in(SCALE, &rows);
    for (name, between) in BETWEEN {
        if let Some(criterion) = criteria.get_mut(name) {
            let marks = ["2", "4"].map(str::to_owned).into_iter();
            criterion.guide.extend(marks.zip(between.map(str::to_owned)));
        }
    }
    criteria
}

/// The meaning of the scores that the source leaves out: 2 and 4.
const BETWEEN: [(&str, [&str; 2]); 4] = [
    (
        "argument_strength",
        ["Points are stated but hardly supported", "Good arguments, most of them supported"],
    ),
    ("relevance", ["Long digressions from the question", "On the question, with small detours"]),
    ("persuasiveness", ["A few points convince, most do not", "Persuasive on most points"]),
    ("clarity", ["Hard to follow in places", "Clear, with a small lapse"]),
];

/// The participants.
const ROLES: &[Role] = &[
    Role::one("x", "Team X: stays throughout the debate", |_, _| {
        ParticipantDefaults::new(X, "X").with_position("For the motion").with_persona("advocate")
    }),
    Role {
        follows_first: true,
        ..Role::list(
            "y",
            "Team Y (2–20): one debates, the rest judge. The first entry starts; the others inherit its position and persona",
            4,
            2..=20,
            |i, _| {
                ParticipantDefaults::new(format!("{TEAM}_{}", i + 1), format!("Y-{}", i + 1))
                    .with_position("Against the motion")
                    .with_persona("advocate")
            },
        )
    },
    CLERK,
    cast::judges(
        0,
        "Neutral judges who decide between X and the team at the end, each in both orders; without them, there is no winner",
    ),
    Role::optional(
        COMMENTATOR,
        "Comments on each round for readers; not shown to participants. `{}` for one with the defaults",
        |_, _| ParticipantDefaults::new(COMMENTATOR, "Commentator"),
    ),
];

const PROFILE: Profile = Profile {
    alone: "Run one knockout without a job file: one debater against a team that judges and replaces its own",
    arguing: &[X, TEAM],
    team: Some(TEAM),
    rotates: true,
    ballot_scale: Some(SCALE),
    headlines: &[("rotations", "{} rotations per debate")],
    calls: &[
        ("ballot", "getting the ballot of {name}"),
        ("comment", "{name} comments"),
        ("narrative", "{name} tells the debate"),
    ],
    cast,
    ..Profile::new("knockout", "One X against several Y who judge and replace each other")
};

impl Format for Knockout {
    const PROFILE: &'static Profile = &PROFILE;
    const ROLES: &'static [Role] = ROLES;

    fn read(job: &JobText<'_>, cast: &[Participant]) -> Self {
        let ys = cast.iter().filter(|p| p.role() == TEAM);
        let judges = ys.count().saturating_sub(1) as u32;
        let given = job
            .node
            .get("rotation")
            .and_then(|node| node.get("threshold"))
            .filter(|node| !matches!(node.data, Data::Null));
        let audience = job.section("audience");
        let mut settings = job.group(&Knockout {
            rotation: Rotation { threshold: judges / 2 + 1, ..Rotation::default() },
            audience: audience.map(|_| AudienceSettings::default()),
            ..Knockout::default()
        });
        if let Some(audience) = &mut settings.audience {
            let of_all = judges.div_ceil(2) + 1;
            audience.threshold = given.map_or(of_all, |_| settings.rotation.threshold);
        }
        if let Some(node) = given.filter(|_| settings.rotation.threshold > judges) {
            let threshold = settings.rotation.threshold;
            let cause =
                format!("`rotation.threshold` is {threshold}, but only {judges} judge a round");
            let remedy = "lower it, or list more participants under `y`";
            job.report(&node.place, cause, remedy);
        }
        settings
    }

    fn most_rounds(&self) -> u32 {
        self.rounds
    }

    fn judging_role(&self) -> Option<&'static str> {
        Some(TEAM)
    }
}

/// Members of the team against the motion.
const MEMBERS: usize = 4;

fn cast([yes, mut no]: [Value; 2]) -> Vec<(&'static str, Value)> {
    no["name"] = json!("Con-1");
    let others = (2..=MEMBERS).map(|n| json!({"name": format!("Con-{n}")}));
    let team = std::iter::once(no).chain(others).collect();
    vec![("x", yes), ("y", team)]
}
