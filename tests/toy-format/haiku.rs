//! A format in one file: poets take turns with a haiku each, and who wrote more lines wins.

use std::collections::BTreeMap;

use rebut::call_id::{CallId, CallStage};
use rebut::event::{Event, Outcome, Phase, RoundNotes, Statement, Winner};
use rebut::floor::{Floor, Halt, Speech};
use rebut::formats::Play;
use rebut::job::cast::{CLERK, ParticipantDefaults, Role};
use rebut::job::settings_macro::SettingsGroup;
use rebut::job::shape::{Key, whole};
use rebut::job::{Format, Profile};
use rebut::plan::Plan;
use rebut::trace::Trace;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What its statements are.
const HAIKU: Phase = Phase::new("haiku");

const PROFILE: Profile = Profile {
    arguing: &["poet"],
    has_winner: true,
    headlines: &[("rounds", "{} haiku from each poet")],
    calls: &[("haiku", "{name} counts syllables")],
    templates: &[
        (
            "prompts/haiku/system.md.j2",
            "Poets write on: {{ topic }}\n{% include \"prompts/setting.md.j2\" %}",
        ),
        ("prompts/haiku/haiku.md.j2", "Write a haiku."),
        ("jobs/haiku.yaml", "format: haiku\ntopic: The sea at night\n"),
    ],
    ..Profile::new("haiku", "Poets who write haiku in turn")
};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Haiku {
    rounds: u32,
}

impl Default for Haiku {
    fn default() -> Self {
        Self { rounds: 2 }
    }
}

impl SettingsGroup for Haiku {
    fn keys(&self) -> Vec<Key> {
        vec![Key::new("rounds", "Haiku per poet", whole(1..=9), self.rounds)]
    }
}

impl Format for Haiku {
    const PROFILE: &'static Profile = &PROFILE;
    const ROLES: &'static [Role] = &[
        Role::list("poets", "Who writes", 2, 2..=5, |i, _| {
            ParticipantDefaults::new(format!("poet_{}", i + 1), format!("Poet-{}", i + 1))
        }),
        CLERK,
    ];

    fn most_rounds(&self) -> u32 {
        self.rounds
    }
}

impl Play for Haiku {
    async fn run(&self, floor: &Floor) -> Result<Outcome, Halt> {
        let plan = floor.plan();
        let poets: Vec<&str> =
            plan.participants.iter().filter(|p| PROFILE.argues(p)).map(|p| p.id.as_str()).collect();
        floor.open("prompts/haiku/system.md.j2", &json!({})).await?;
        let mut points = BTreeMap::new();
        for round in 1..=self.rounds {
            floor.begin_round(round, &poets);
            let mut said = Vec::new();
            for by in &poets {
                let call = CallId::new(CallStage::Round(round), "haiku", by);
                let template = "prompts/haiku/haiku.md.j2";
                let haiku = Speech::new(call, by, HAIKU, template, json!({"round": round}));
                said.push(floor.speak(haiku).await?);
            }
            for haiku in &said {
                *points.entry(haiku.by.clone()).or_default() += haiku.tokens as f64;
            }
            let said: Vec<&Statement> = said.iter().collect();
            let notes = floor.note(CallStage::Round(round), &said).await?;
            floor.close_round(RoundNotes {
                round,
                summary: notes.summary,
                ..RoundNotes::default()
            });
        }
        let winner = points
            .iter()
            .max_by(|a, b| f64::total_cmp(a.1, b.1))
            .map(|(id, _)| id.clone())
            .unwrap_or_default();
        Ok(Outcome {
            line: format!("{} wrote most", plan.name_of(&winner)),
            winner: Some(Winner::Side(winner)),
            points,
            ..Outcome::default()
        })
    }

    fn source_record(&self, _plan: &Plan, events: &[Event], _trace: &Trace) -> Value {
        json!({"format": "haiku", "events": events.len()})
    }
}
