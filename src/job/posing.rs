//! What a question makes of a cell's settings: what is debated, and who argues for which choice.

use super::cell::Assignment;
use super::participant::Participant;
use super::problem::{Place, Problems};
use super::settings::Settings;
use super::subject;
use super::subjects_file::{Assign, SubjectsFile, swap_of};
use crate::question::Posed;

/// Poses the cell's question, if it has one.
pub(super) fn pose(
    settings: &mut Settings,
    file: &SubjectsFile,
    cell: &[Assignment],
    problems: &Problems,
) {
    let Some(question) = file.question_of(cell) else {
        return;
    };
    let seed = settings.general.seed;
    let mut posed = Posed::new(question.clone(), file.shuffle, seed);
    if file.assign == Some(Assign::CorrectVsDistractor) {
        let place = file.assign_place.as_ref().unwrap_or(&Place::START);
        assign(settings, &mut posed, swap_of(cell), place, problems);
    }
    (settings.topic, settings.query) = subject::of_question(&posed);
    settings.question = Some(posed);
}

/// Gives each of two sides the choice that it argues for.
fn assign(
    settings: &mut Settings,
    posed: &mut Posed,
    swap: usize,
    place: &Place,
    problems: &Problems,
) {
    let profile = settings.format.profile();
    let side = |p: &Participant| profile.side(p).map(str::to_owned);
    let mut sides: Vec<String> = settings.participants.iter().filter_map(side).collect();
    sides.dedup();
    let seed = settings.general.seed;
    let (Some(choices), [_, _]) = (posed.correct_and_distractor(seed), sides.as_slice()) else {
        let cause = format!(
            "`assign` needs two sides, and this {} has {}",
            profile.name,
            sides.len()
        );
        problems.add(
            place,
            cause,
            "choose a format in which two sides argue, such as duel",
        );
        return;
    };
    let first = (posed.first_side(seed) + swap) % 2;
    for participant in &mut settings.participants {
        let of = side(participant).and_then(|own| sides.iter().position(|side| *side == own));
        if let Some(of) = of {
            let choice = choices[usize::from(of != first)];
            participant.position = posed.position(choice);
            posed.assigned.insert(participant.id.clone(), choice);
        }
    }
}
