//! Replies that only repeat what was asked: the task, the rules, the request to try again. They are told when they come; those
//! in a journal were kept, and stay.

use std::collections::HashSet;

use crate::model::{CallError, Fault, Reply, Request, Result, Role};
use crate::text;

/// Words of an echo; fewer may be what anybody says.
const LEAST: usize = 10;
/// Words that are looked for together.
const RUN: usize = 5;

/// Runs that are looked for first.
const FEW: usize = 8;

/// What a prompt has that is not ours, such as what others said: to repeat that is no echo.
pub(super) type Theirs<'a> = &'a (dyn Fn() -> String + Sync);

/// A reply, unless it is an echo. A reply in a form is known by that.
pub(super) fn checked(reply: Reply, request: &Request, theirs: Theirs<'_>) -> Result<Reply> {
    if request.schema.is_none() && is_echo(&reply.text, request, theirs) {
        return Err(CallError::new(Fault::EchoingReply, "the reply repeats what was asked"));
    }
    Ok(reply)
}

/// Whether nine tenths of a text are in its prompt, word by word, and it begins with words of ours or has more of them than of
/// others.
fn is_echo(said: &str, request: &Request, theirs: Theirs<'_>) -> bool {
    let said = text::spaced(said);
    let words: Vec<&str> = said.split_whitespace().collect();
    if words.len() < LEAST {
        return false;
    }
    let asked = request.messages.iter().filter(|message| message.role != Role::Assistant);
    let sent: String = asked.map(|message| text::spaced(&message.content)).collect();
    let runs: Vec<&[&str]> = words.windows(RUN).collect();
    // Hardly any reply is one, and a few runs tell.
    let few = runs.iter().step_by(runs.len() / FEW + 1).map(|run| format!(" {} ", run.join(" ")));
    let (told, not_told): (Vec<String>, Vec<String>) = few.partition(|run| sent.contains(run));
    if told.len() < not_told.len() {
        return false;
    }
    let sent = Runs::of(&sent);
    if runs.iter().filter(|run| !sent.has(run)).nth(runs.len() / 10).is_some() {
        return false;
    }
    let theirs = text::spaced(&theirs());
    let theirs = Runs::of(&theirs);
    let ours: Vec<&&[&str]> = runs.iter().filter(|run| sent.has(run) && !theirs.has(run)).collect();
    2 * ours.len() > runs.len() || ours.first() == runs.first().as_ref()
}

/// Every [`RUN`] words of a text, to look up: replies and prompts may be long.
struct Runs<'t>(HashSet<Vec<&'t str>>);

impl<'t> Runs<'t> {
    fn of(text: &'t str) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        Self(words.windows(RUN).map(<[&str]>::to_vec).collect())
    }

    fn has(&self, run: &[&str]) -> bool {
        self.0.contains(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Message;

    #[test]
    fn m2_only_what_is_ours_in_a_prompt_is_echoed() {
        let message = |role, content: &str| Message { role, content: content.to_owned() };
        let said = "Zoos keep animals that the wild has lost, and every child who sees one remembers it for years.";
        let position =
            "Zoos should stay open for as long as the wild is not safe for those they keep";
        let task = format!(
            "Open the debate. Now make your case, in your own words, for this position: {position}"
        );
        let user = format!(
            "# The record of the debate so far\n\n[Keeper]\n{said}\n\n# Your task\n\n{task}"
        );
        let remedy = "That reply was not taken: it says again what was said. Do the same task again, without that fault.";
        let own =
            "Nobody has shown in this debate that a park serves an animal better than a zoo does.";
        let request = Request {
            messages: vec![
                message(
                    Role::System,
                    "Each side speaks once in every round, and no claim goes without a reason.",
                ),
                message(Role::User, &user),
                message(Role::Assistant, own),
                message(Role::User, remedy),
            ],
            ..Request::default()
        };
        let is_echo = |reply: &str| is_echo(reply, &request, &|| format!("{said}\n{position}"));
        let cut: String = user.chars().take(120).collect();
        for echo in [
            &*task,
            &*user,
            &*cut,
            remedy,
            "**Each side speaks once in every round,** and no claim goes without a reason!",
            "Keeper: now make your case, in your own words, for this position: Zoos should stay open",
        ] {
            assert!(is_echo(echo), "{echo}");
        }
        for reply in [
            said,
            own,
            position,
            "",
            "Now make your case, in your own words.",
            &*format!("Keeper says: “{said}” I ask in turn what such a child will remember."),
            &*format!("{said} {position}"),
            "Each side speaks once in every round, so this is my one chance to say why parks are better.",
        ] {
            assert!(!is_echo(reply), "{reply}");
        }
    }
}
