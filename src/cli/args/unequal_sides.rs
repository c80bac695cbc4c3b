//! What keeps two who take turns from debating on equal terms, as far as settings tell: said before a run, while it can be changed.

use crate::job::Settings;

/// That nobody is told which side to argue, and that one has a turn more, and with it the last word.
pub(super) fn told(settings: &Settings) -> Vec<String> {
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
