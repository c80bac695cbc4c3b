//! The content of prompts: the system text, then the transcript, then the task, so that prompts share their beginning. Also
//! decides which part of the transcript fits (row M3c).

use super::attempts::Attempts;
use super::call::{Ask, Prepared};
use super::prompt_budget::{Budget, Room};
use super::prompt_counts::PromptCounts;
use super::transcript::{Folded, Said, Section, Transcript, Unit, View};
use crate::event::Notes;
use crate::flow::Sheet;
use crate::model::{Message, Role};
use crate::plan::Plan;

/// Characters of an unusable reply that are shown to the model again: most are whole, since what is cut from a JSON object
/// would have to be made up anew.
const REPAIRED: usize = 4000;
/// The mark where that ends one.
const CUT_HERE: &str = "… [cut here]";
/// Characters for the headings around transcript and task, with a few to spare.
const HEADINGS: usize = 200;

/// What the prompts of one debate are made from.
#[derive(Default)]
pub(super) struct Prompts {
    pub(super) system: String,
    pub(super) transcript: Transcript,
    pub(super) sheet: Sheet,
    pub(super) budget: Budget,
    pub(super) counts: PromptCounts,
    section: Section,
    /// The notes on a round that has not ended.
    noted: Option<Folded>,
    /// The part of the debate noted last.
    noted_in: Section,
    /// Whether anyone has argued since.
    is_behind: bool,
    /// Compactions not reported yet.
    pub(super) pending: Vec<Compaction>,
}

/// What was left out of a call's prompt.
pub(super) struct Compaction {
    pub(super) call: String,
    pub(super) message: String,
}

impl Prompts {
    /// The prompts of a debate in which nothing has been said.
    pub(super) fn new(plan: &Plan) -> Self {
        let mut prompts = Self { sheet: Sheet::new(plan), ..Self::default() };
        if plan.format.profile.turn.is_some() {
            prompts.transcript.unit = Unit::Turn;
        }
        prompts
    }

    /// Begins a part of the debate. The estimates of token counts take in what the last part showed.
    pub(super) fn begin(&mut self, section: Section) {
        self.section = section;
        self.budget.begin_round();
    }

    /// Adds the notes on an exchange. The notes on a round can replace its statements once it is over.
    pub(super) fn note(&mut self, notes: &Notes) {
        let last = notes.statements.last().map_or(0, |last| last.n);
        self.noted_in = self.section.clone();
        self.is_behind = false;
        if let Section::Round(round) = self.section {
            self.noted = Some(Folded {
                round,
                summary: notes.summary.clone(),
                statements: notes.statements.iter().map(|noted| noted.n).collect(),
                flow: self.sheet.flow_after(last),
            });
        }
    }

    /// Ends a round. From now on, its notes can replace its statements.
    pub(super) fn close_round(&mut self) {
        if let Some(notes) = self.noted.take() {
            self.transcript.add_notes(notes);
        }
    }

    /// Adds what was said to the current part of the debate.
    pub(super) fn add(&mut self, said: Said<'_>) {
        self.is_behind |= said.side.is_some();
        self.transcript.add(self.section.clone(), said);
    }

    /// How far the notes go, in words, if they do not cover the latest arguments.
    pub(super) fn noted_until(&self) -> Option<String> {
        let words = self.noted_in.words(self.transcript.unit);
        words.filter(|_| self.is_behind)
    }

    /// Settles how much of the transcript a call shows.
    pub(super) fn settle_view(&mut self, ask: &Ask<'_>) -> View {
        if ask.blind {
            return View::default();
        }
        let room = self.room(ask, 0);
        let choice = self.budget.choose(&self.transcript, room);
        if choice.changed {
            let message = self.transcript.describe(choice.view);
            self.note_compaction(ask, message);
        }
        if choice.tight {
            let message = "even the shortest form of the record may not fit into the context";
            self.note_compaction(ask, message.to_owned());
        }
        choice.view
    }

    /// Notes a compaction. Calls made together that leave out the same report it once.
    fn note_compaction(&mut self, ask: &Ask<'_>, message: String) {
        if self.pending.iter().all(|known| known.message != message) {
            let call = ask.call.to_string();
            self.pending.push(Compaction { call, message });
        }
    }

    /// The view of the transcript for an attempt. It is shorter than settled if the server found the prompt too long, or if a
    /// reply to be repaired takes up the room.
    pub(super) fn view_for(&self, prepared: &Prepared<'_>, attempts: &Attempts) -> View {
        if prepared.ask.blind {
            return View::default();
        }
        let repair = attempts.repair.as_ref().map_or(0, |(reply, remedy)| {
            let told = remedy.chars().count() + prepared.language.chars().count();
            shown_again(reply).chars().count() + told
        });
        let room = self.room(&prepared.ask, repair);
        let around = room.around - repair;
        let fits = repair == 0 || self.budget.fits(&self.transcript, prepared.view, room);
        if attempts.share >= 1.0 && fits {
            return prepared.view;
        }
        let whole = around + self.transcript.text(prepared.view).chars().count();
        let kept = whole.saturating_sub(repair) as f64 / whole.max(1) as f64;
        let share = attempts.share * kept;
        Budget::squeeze(&self.transcript, prepared.view, around, share)
    }

    /// The messages of an attempt. A repair also shows the reply and what is wrong with it.
    pub(super) fn messages(
        &self,
        prepared: &Prepared<'_>,
        view: View,
        attempts: &Attempts,
    ) -> Vec<Message> {
        let record = if prepared.ask.blind {
            String::new()
        } else {
            let record = self.transcript.text(view);
            format!("# The record of the debate so far\n\n{record}\n\n")
        };
        let user = format!("{record}# Your task\n\n{}", prepared.ask.task);
        let message = |role, content| Message { role, content };
        let mut messages =
            vec![message(Role::System, self.system.clone()), message(Role::User, user)];
        if let Some((reply, remedy)) = &attempts.repair {
            let told = remedy.clone() + &prepared.language;
            messages.push(message(Role::Assistant, shown_again(reply)));
            messages.push(message(Role::User, told));
        }
        messages
    }

    /// What a call's prompt must fit into, with this many characters of a repair.
    fn room<'a>(&self, ask: &'a Ask<'_>, repair: usize) -> Room<'a> {
        let task = ask.task.chars().count().max(ask.longest_task);
        Room {
            model: &ask.by.model,
            context: ask.by.context_window,
            reply: ask.num_predict(),
            around: self.system.chars().count() + task + HEADINGS + repair,
            last: ask.last,
        }
    }
}

/// A reply as its model is shown it again.
fn shown_again(reply: &str) -> String {
    let end = reply.char_indices().nth(REPAIRED);
    end.map_or_else(|| reply.to_owned(), |(at, _)| format!("{}{CUT_HERE}", &reply[..at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m4_a_reply_that_is_shown_again_in_part_says_where_it_was_cut() {
        let fits = "ü".repeat(REPAIRED);
        assert_eq!(shown_again(&fits), fits);
        assert_eq!(shown_again(&(fits.clone() + "ü")), fits + "… [cut here]");
    }
}
