//! What keeps a debate from showing what it is held for, as far as settings tell: said before a run, while it can be changed.

use crate::job::Settings;
use crate::job::participant::Participant;
use crate::text;

/// That two sides argue for the same, that two who take turns are on unequal terms, and what the format doubts.
pub(super) fn told(settings: &Settings) -> Vec<String> {
    let doubt = settings.format.doubt(&settings.participants);
    same_position(settings).into_iter().chain(unequal_turns(settings)).chain(doubt).collect()
}

/// That two sides share a position. About a question with a known answer, both may argue for the same.
fn same_position(settings: &Settings) -> Option<String> {
    let profile = settings.format.profile;
    let sides = settings.participants.iter().filter(|p| profile.argues_position(p));
    let mut seen: Vec<&Participant> = Vec::new();
    let mut same = None;
    for side in sides.filter(|_| settings.question.is_none()) {
        let is_same = |other: &&&Participant| {
            profile.side(other) != profile.side(side)
                && text::folded_topic(&other.position) == text::folded_topic(&side.position)
        };
        same = same.or_else(|| Some((*seen.iter().find(is_same)?, side)));
        seen.push(side);
    }
    let (one, other) = same?;
    let [one, other, position] = [&one.name, &other.name, &one.position];
    Some(format!(
        "{one} and {other} argue for the same position, \"{position}\": give one of them another `position`"
    ))
}

/// That nobody is told which side to argue, and that one has a turn more, and with it the last word.
fn unequal_turns(settings: &Settings) -> Vec<String> {
    let (profile, rounds) = (settings.format.profile, settings.format.most_rounds);
    let sides = settings.participants.iter().filter(|p| profile.argues(p)).collect::<Vec<_>>();
    let ([first, second], Some(_)) = (&sides[..], profile.turn) else { return Vec::new() };
    let has_position = sides.iter().any(|side| !side.position.is_empty());
    let [first, second] = [first, second].map(|side| &side.name);
    // About a question with a known answer, both may argue for the same.
    let idle = (!has_position && settings.question.is_none()).then(|| {
        format!("neither {first} nor {second} has a position, so neither is told which side to argue: give both a `position`, such as `The answer is yes`")
    });
    let odd = (rounds % 2 == 1).then(|| {
        format!(
            "with {rounds} rounds, {first} gets one turn more than {second}: use an even number"
        )
    });
    idle.into_iter().chain(odd).collect()
}
