//! The settings of control runs, made from those of the debates that they control (row C3).

use serde_json::{Value, json};

use super::matching::{Arm, Matching};
use super::participant::Participant;
use super::settings::{ControlSettings, Settings};

/// The settings of a control on the question of these debates; `Err` says why there is none.
pub(super) fn control(
    arm: Arm,
    matching: &Matching,
    debates: Vec<Settings>,
) -> Result<Settings, String> {
    let mut settings = debates
        .first()
        .cloned()
        .ok_or("there is no debate to control")?;
    let format = match arm {
        Arm::Consultancy => consultancy(&mut settings)?,
        _ => sampled(arm, matching, &mut settings),
    };
    settings.format = serde_json::from_value(format).map_err(|e| e.to_string())?;
    settings.control = Some(Box::new(ControlSettings {
        arm,
        matching: matching.clone(),
        debates,
    }));
    Ok(settings)
}

/// Those who take samples, without positions and personas, and the format in which they do.
fn sampled(arm: Arm, matching: &Matching, settings: &mut Settings) -> Value {
    let profile = settings.format.profile();
    let arguing: Vec<Participant> = settings
        .participants
        .iter()
        .filter(|p| profile.argues(p))
        .cloned()
        .collect();
    let answering = answering(settings);
    let voters = match arm {
        Arm::Vote => arguing,
        // It samples as statements are sampled: at the temperature of judgments all samples would be alike.
        _ => answering
            .into_iter()
            .map(|judge| Participant {
                temperature: arguing
                    .first()
                    .map_or(judge.temperature, |first| first.temperature),
                ..judge
            })
            .collect(),
    };
    let voter = |(at, voter): (usize, Participant)| Participant {
        id: format!("voter_{}", at + 1),
        name: format!("Voter-{}", at + 1),
        position: String::new(),
        persona: None,
        description: String::new(),
        judging_temperature: None,
        ..voter
    };
    settings.participants = voters.into_iter().enumerate().map(voter).collect();
    forget_sides(settings);
    let most = if arm == Arm::Single {
        1
    } else {
        matching.max_samples
    };
    json!({"vote": {"max_samples": most}})
}

/// A participant that answers for the debate: its first judge, else whoever writes its answer, else the first who argues.
fn answering(settings: &Settings) -> Option<Participant> {
    let profile = settings.format.profile();
    let all = || settings.participants.iter();
    let judge = all().find(|p| p.role() == "judge");
    let other = || {
        all()
            .find(|p| profile.answers(p))
            .or_else(|| all().find(|p| profile.argues(p)))
    };
    judge.or_else(other).cloned()
}

/// The first who argues, as a consultant, and the judges.
fn consultancy(settings: &mut Settings) -> Result<Value, String> {
    let profile = settings.format.profile();
    let mut participants = Vec::new();
    let mut arguing = settings.participants.iter().filter(|p| profile.argues(p));
    let consultant = arguing.next().ok_or("nobody argues in this format")?;
    let judges = settings.participants.iter().filter(|p| p.role() == "judge");
    participants.push(Participant {
        id: "consultant".to_owned(),
        ..consultant.clone()
    });
    participants.extend(judges.cloned());
    if participants.len() == 1 {
        return Err("`consultancy` needs `judges`, who answer".to_owned());
    }
    let turns = settings.format.most_rounds().div_ceil(2).max(1);
    let clerk = settings.participants.iter().find(|p| p.id == "clerk");
    participants.extend(clerk.cloned());
    settings.participants = participants;
    forget_sides(settings);
    Ok(json!({"consultancy": {"statements": turns}}))
}

fn forget_sides(settings: &mut Settings) {
    if let Some(posed) = &mut settings.question {
        posed.assigned.clear();
    }
}
