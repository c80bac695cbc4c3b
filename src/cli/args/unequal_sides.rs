//! What keeps two who take turns from debating on equal terms, as far as a plan tells: said before a run, while it can be changed.

use crate::job::participant::Participant;
use crate::plan::Plan;
use crate::text;

/// A warning for each.
pub(in crate::cli) fn warnings(plan: &Plan) -> Vec<String> {
    let profile = plan.format.profile;
    let sides = plan.participants.iter().filter(|p| profile.argues(p)).collect::<Vec<_>>();
    match sides.as_slice() {
        [first, second] if profile.turn.is_some() => {
            // About a question with a known answer, both may argue for the same.
            let idle = without_position([first, second]).filter(|_| plan.posed.is_none());
            idle.into_iter().chain(odd(plan.format.most_rounds, [first, second])).collect()
        }
        _ => Vec::new(),
    }
}

/// Who is not told which side to argue.
fn without_position(sides: [&Participant; 2]) -> Option<String> {
    let lacking = sides.into_iter().filter(|p| p.position.is_empty());
    let names: Vec<&str> = lacking.map(|p| p.name.as_str()).collect();
    let verb = if names.len() == 1 { "has" } else { "have" };
    let who = text::if_any(text::joined(names, "and"))?;
    Some(format!(
        "{who} {verb} no position, so no prompt says which side to argue: set one, such as `position: The answer is yes`"
    ))
}

/// Who has a turn more, and with it the last word.
fn odd(rounds: u32, [first, second]: [&Participant; 2]) -> Option<String> {
    let (more, fewer) = (rounds.div_ceil(2), rounds / 2);
    (more > fewer).then(|| {
        let [first, second] = [first, second].map(|p| &p.name);
        format!("with {rounds} rounds, {first} has {more} turns and {second} {fewer}: use an even number")
    })
}
