//! The rehearsed clerk's notes on answers: moves on points of its list.

use serde_json::{Value, json};

use super::dice::Dice;

/// One answer in this many concedes the point; of the others, half are partial.
const CONCEDED_ONE_IN: u64 = 8;

/// Puts moves into a clerk's reply: each statement answers a point of someone else, the newest as often as any.
pub(super) fn put_moves(reply: &mut Value, task: &str, dice: &Dice) {
    let listed: Vec<(&str, &str)> = task.lines().filter_map(listed).collect();
    let speakers: Vec<(&str, &str)> = task.lines().filter_map(speaker).collect();
    for (place, (key, by)) in speakers.iter().enumerate() {
        let others = listed.iter().filter(|(_, own)| own != by).map(|(id, _)| *id);
        let earlier = (place > 0).then_some("1.1");
        let options: Vec<&str> = others.chain(earlier).collect();
        let moves = match options.len() as u64 {
            0 => Vec::new(),
            several => {
                let at = options[dice.roll(&format!("{key} at"), several) as usize];
                vec![format!("{at} {}", how(dice, key, place + 1))]
            }
        };
        if let Some(on) = reply.pointer_mut(&format!("/{key}/on")) {
            *on = json!(moves);
        }
    }
}

fn how(dice: &Dice, key: &str, place: usize) -> String {
    match dice.roll(&format!("{key} how"), CONCEDED_ONE_IN) {
        0 => "grant".to_owned(),
        n if n % 2 == 0 => format!("part {place}.1"),
        _ => format!("full {place}.1"),
    }
}

/// `- A1 (Ann, answered): …`
fn listed(line: &str) -> Option<(&str, &str)> {
    let (id, rest) = line.strip_prefix("- ")?.split_once(" (")?;
    let (by, _) = rest.split_once("): ")?;
    let is_id = id.len() > 1 && id[1..].bytes().all(|b| b.is_ascii_digit()) && !id.starts_with('Q');
    is_id.then_some((id, by.split(", ").next().unwrap_or(by)))
}

/// `- "statement_1": the statement of Ann that begins …`
fn speaker(line: &str) -> Option<(&str, &str)> {
    let (key, rest) = line.strip_prefix("- \"")?.split_once("\": the statement of ")?;
    Some((key, rest.split_once(" that begins ")?.0))
}
