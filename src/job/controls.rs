//! The settings of control runs, made from those of the debates that they control (row C3).

use serde_json::{Value, json};

use super::arms::{Arm, Matching};
use super::participant::Participant;
use super::settings::{ControlSettings, Settings};

/// The settings of a control on the question or topic of these debates; `Err` says why there is none.
pub(super) fn control(
    arm: Arm,
    matching: &Matching,
    debates: Vec<Settings>,
) -> Result<Settings, String> {
    let first = debates.first().cloned();
    let mut settings = first.ok_or("there is no debate to control")?;
    let format = match arm {
        Arm::Consultancy => consultancy(&mut settings)?,
        Arm::Compare => alone(matching, &mut settings)?,
        _ => sampled(arm, matching, &mut settings),
    };
    settings.format = serde_json::from_value(format).map_err(|e| e.to_string())?;
    settings.control = Some(Box::new(ControlSettings { arm, matching: matching.clone(), debates }));
    Ok(settings)
}

/// Those who take samples, without positions and personas, and the format in which they do.
fn sampled(arm: Arm, matching: &Matching, settings: &mut Settings) -> Value {
    let profile = settings.format.profile;
    let all = settings.participants.iter();
    let mut arguing = all.filter(|p| profile.argues(p)).cloned();
    let voters: Vec<Participant> = match arm {
        Arm::Vote => arguing.collect(),
        _ => {
            let mut judge = answering(settings);
            // It samples as statements are sampled: at the temperature of judgments all samples would be alike.
            if let (Some(judge), Some(first)) = (&mut judge, arguing.next()) {
                judge.temperature = first.temperature;
            }
            judge.into_iter().collect()
        }
    };
    let voter = |(at, voter): (usize, Participant)| {
        let (id, name) = (format!("voter_{}", at + 1), format!("Voter-{}", at + 1));
        without_part(id, name, voter)
    };
    settings.participants = voters.into_iter().enumerate().map(voter).collect();
    forget_sides(settings);
    let most = if arm == Arm::Single { 1 } else { matching.max_samples };
    json!({"vote": {"max_samples": most}})
}

/// A participant under another name, without its part in the debate.
fn without_part(id: String, name: String, participant: Participant) -> Participant {
    Participant {
        id,
        name,
        position: String::new(),
        persona: None,
        description: String::new(),
        judging_temperature: None,
        ..participant
    }
}

/// The id of the model that answers a debate's query alone, to be compared with it.
pub const WRITER: &str = "writer_1";

/// Who writes the debate's answer, alone.
fn alone(matching: &Matching, settings: &mut Settings) -> Result<Value, String> {
    let profile = settings.format.profile;
    let mut all = settings.participants.iter();
    let writer =
        all.find(|p| profile.answers(p)).cloned().ok_or("this format ends with no answer")?;
    let name = "Writer-1".to_owned();
    settings.participants = vec![without_part(WRITER.to_owned(), name, writer)];
    Ok(json!({"compare": {"max_drafts": matching.max_samples}}))
}

/// A participant that answers for the debate: its first judge, otherwise whoever writes its answer, otherwise the first who argues.
fn answering(settings: &Settings) -> Option<Participant> {
    let profile = settings.format.profile;
    let all = || settings.participants.iter();
    let judge = all().find(|p| p.role() == "judge");
    let found = judge
        .or_else(|| all().find(|p| profile.answers(p)))
        .or_else(|| all().find(|p| profile.argues(p)));
    found.cloned()
}

/// The first who argues, as a consultant, and the judges.
fn consultancy(settings: &mut Settings) -> Result<Value, String> {
    let profile = settings.format.profile;
    let all = || settings.participants.iter();
    let consultant = all().find(|p| profile.argues(p));
    let mut participants = vec![Participant {
        id: "consultant".to_owned(),
        ..consultant.ok_or("nobody argues in this format")?.clone()
    }];
    participants.extend(all().filter(|p| p.role() == "judge").cloned());
    if participants.len() == 1 {
        return Err("`consultancy` needs `judges` to answer".to_owned());
    }
    participants.extend(all().find(|p| p.id == "clerk").cloned());
    let turns = settings.format.most_rounds.div_ceil(2).max(1);
    settings.participants = participants;
    forget_sides(settings);
    Ok(json!({"consultancy": {"statements": turns}}))
}

fn forget_sides(settings: &mut Settings) {
    if let Some(posed) = &mut settings.question {
        posed.assigned.clear();
    }
}
