//! Applying a question to a cell's settings: the topic, and the choices that participants argue for.

use super::keys::Assign;
use super::subject;
use super::subjects_file::{SubjectsFile, swap_of};
use crate::job::arms::Arm;
use crate::job::controls;
use crate::job::matrix::cell::Assignment;
use crate::job::participant::Participant;
use crate::job::problem::{Place, Problems};
use crate::job::settings::Settings;
use crate::question::{Posed, Question};

/// The settings of a cell, with its question posed if it has one; of a control, those of its debates made into its own.
pub(in crate::job) fn pose(
    settings: Settings,
    file: &SubjectsFile,
    cell: &[Assignment],
    problems: &Problems,
) -> Settings {
    let posing = file.question_of(cell).map(|question| Posing { file, question, problems });
    let swap = swap_of(cell);
    let debate = |swap| match &posing {
        Some(posing) => posing.debate(settings.clone(), swap),
        None => settings.clone(),
    };
    let Some(arm) = file.arm_of(cell) else { return debate(swap) };
    let swaps = 0..=usize::from(file.settings.swap);
    match controls::control(arm, &file.settings.r#match, swaps.map(debate).collect()) {
        Ok(mut control) => {
            if let (Arm::Consultancy, Some(posing)) = (arm, &posing) {
                posing.consult(&mut control);
            }
            control
        }
        Err(cause) => {
            let place = cell.last().map_or(Place::START, |a| a.place.clone());
            problems.add(&place, cause, "remove the arm, or change the job");
            settings
        }
    }
}

struct Posing<'a> {
    file: &'a SubjectsFile,
    question: &'a Question,
    problems: &'a Problems,
}

impl Posing<'_> {
    /// A debate on the question, with one of the two assignments of sides.
    fn debate(&self, mut settings: Settings, swap: usize) -> Settings {
        let seed = settings.general.seed;
        let said = &self.file.settings;
        let shuffle = said.questions.as_ref().is_some_and(|file| file.shuffle);
        let mut posed = Posed::new(self.question.clone(), shuffle, seed);
        if said.assign == Some(Assign::CorrectVsDistractor) {
            self.assign(&mut settings, &mut posed, swap);
        }
        (settings.topic, settings.query) = subject::of_question(&posed);
        settings.question = Some(posed);
        settings
    }

    /// Gives each of two sides the choice that it argues for.
    fn assign(&self, settings: &mut Settings, posed: &mut Posed, swap: usize) {
        let profile = settings.format.profile;
        let side = |p: &Participant| profile.side(p).map(str::to_owned);
        let mut sides: Vec<String> = settings.participants.iter().filter_map(side).collect();
        sides.dedup();
        let seed = settings.general.seed;
        let (Some(choices), [_, _]) = (posed.correct_and_distractor(seed), sides.as_slice()) else {
            let (name, sides) = (profile.name, sides.len());
            let cause = format!("`assign` needs two sides, and this {name} has {sides}");
            let place = self.file.assign_place.as_ref().unwrap_or(&Place::START);
            self.problems.add(place, cause, "choose a format with two sides, such as duel");
            return;
        };
        let first = (posed.first_side(seed) + swap) % 2;
        for participant in &mut settings.participants {
            let of = side(participant).and_then(|own| sides.iter().position(|side| *side == own));
            if let Some(of) = of {
                argue_for(participant, posed, choices[usize::from(of != first)]);
            }
        }
    }

    /// Gives a consultant the choice that it argues for: the correct one on half of the questions.
    fn consult(&self, settings: &mut Settings) {
        let seed = settings.general.seed;
        let Some(posed) = &mut settings.question else { return };
        let choices = posed.correct_and_distractor(seed);
        let consultant = settings.participants.first_mut();
        if let (Some([correct, distractor]), Some(consultant)) = (choices, consultant) {
            let choice = if self.file.consults_truly(self.question) { correct } else { distractor };
            argue_for(consultant, posed, choice);
        }
    }
}

fn argue_for(participant: &mut Participant, posed: &mut Posed, choice: usize) {
    participant.position = posed.position(choice);
    posed.assigned.insert(participant.id.clone(), choice);
}
