//! A reply cut to its limit and cleaned: the part of it that goes on the transcript.

use std::collections::BTreeMap;

use serde_json::Value;

use super::clean::clean;
use crate::floor::speaker_labels::voices;
use crate::floor::structured::Shaped;
use crate::job::participant::Participant;
use crate::model::{DoneReason, Reply};
use crate::plan::Plan;
use crate::text;
use crate::text::CUT_MARK;

/// No tokenizer averages more characters of prose per token. A reply with more than this per token it was allowed is over its
/// allowance, whatever the server counted.
const MOST_CHARS_PER_TOKEN: f64 = 16.0;

/// The limit in characters per token if there is only an estimate. Prose has four to five in most languages written with
/// letters, and a statement within its limit must not be cut.
const USUAL_CHARS_PER_TOKEN: f64 = 6.0;

/// The accepted part of a reply, and what to report about it.
#[derive(Debug, Clone, Default)]
pub(in crate::floor) struct Kept {
    pub(super) text: String,
    /// Whether more was said than allowed. If so, the text ends at its last whole sentence.
    pub(super) cut: bool,
    /// Whether its model ended it in mid-sentence.
    pub(super) breaks_off: bool,
    /// Whether it only lacks a full stop, of which prompts say nothing.
    pub(super) lacks_end: bool,
    /// Tokens spoken.
    pub(super) tokens: u64,
    pub(super) tokens_estimated: bool,
    /// Labels, headings and the like that were removed.
    pub(super) removed: Vec<String>,
    /// Names of others for whom some of its lines speak.
    pub(super) voices: Vec<String>,
    /// The format's objections to it.
    pub(super) objections: Vec<String>,
    /// What was done to read it, if it was asked for in a form.
    pub(super) read_as: Vec<String>,
    /// Numbers before they were rounded.
    pub(super) rounded: BTreeMap<String, f64>,
    /// The value in that form; `null` if there is none.
    pub(super) value: Value,
}

impl Kept {
    /// A reply in the requested form, put into words.
    pub(super) fn in_form(shaped: Shaped, text: String, by: &Participant, plan: &Plan) -> Self {
        Self {
            tokens: text::estimate_tokens(&text),
            tokens_estimated: true,
            voices: voices_in(&text, by, plan),
            read_as: shaped.read_as,
            rounded: shaped.rounded,
            value: shaped.value,
            text,
            ..Self::default()
        }
    }

    /// The accepted part of a reply that may have `most` tokens.
    pub(super) fn new(reply: &Reply, most: u32, by: &Participant, plan: &Plan) -> Self {
        let (allowed, beyond) = within(reply, most);
        let cut = beyond || reply.done_reason != DoneReason::Stop;
        // Hidden characters are removed first, so that none precedes a label.
        let allowed = text::without_hidden(allowed);
        let cleaned = clean(&allowed, &[&by.name, &by.id]);
        let whole = cleaned.text;
        let kept = if cut { text::cut_at_sentence(whole).unwrap_or(whole) } else { whole };
        let shortened = kept.len() < allowed.trim().len();
        let breaks_off = !cut && text::breaks_off(kept);
        Self {
            cut,
            breaks_off,
            lacks_end: !cut && !breaks_off && text::lacks_end(kept),
            tokens: spoken_tokens(reply, allowed.trim(), kept),
            tokens_estimated: shortened || reply.thinking.is_some() || reply.tokens.reply == 0,
            removed: cleaned.removed.into_iter().map(str::to_owned).collect(),
            voices: voices_in(kept, by, plan),
            text: kept.to_owned(),
            ..Self::default()
        }
    }

    /// The text as the transcript has it.
    pub(super) fn shown(&self) -> String {
        if self.cut { format!("{}\n\n{CUT_MARK}", self.text) } else { self.text.clone() }
    }
}

/// The others for whom an arguing speaker's text has lines. A speaker who does not argue may list others when summing up.
fn voices_in(text: &str, by: &Participant, plan: &Plan) -> Vec<String> {
    if !plan.format.profile.argues(by) {
        return Vec::new();
    }
    let others = plan.participants.iter().filter(|p| p.id != by.id);
    let names: Vec<&str> = others.map(|p| p.name.as_str()).collect();
    let voices = voices(text, &names).into_iter();
    voices.map(str::to_owned).collect()
}

/// The part of a reply that its allowance covers, and whether more was said. Servers may overrun the limit they were given,
/// and tokens that a model did not use for thinking are not an allowance for speech.
fn within(reply: &Reply, most: u32) -> (&str, bool) {
    let characters = (f64::from(most) * chars_per_token(reply, most)) as usize;
    let end = reply.text.char_indices().nth(characters);
    end.map_or((&reply.text, false), |(at, _)| (&reply.text[..at], true))
}

/// Characters that one token of a reply may stand for: by the server's count if that covers only what was said, otherwise
/// estimated.
fn chars_per_token(reply: &Reply, most: u32) -> f64 {
    let counted = reply.tokens.reply > 0;
    if counted && reply.tokens.reply <= u64::from(most) {
        return MOST_CHARS_PER_TOKEN;
    }
    if reply.thinking.is_some() || !counted {
        return USUAL_CHARS_PER_TOKEN;
    }
    let counted = reply.text.chars().count() as f64 / reply.tokens.reply as f64;
    counted.min(MOST_CHARS_PER_TOKEN)
}

/// Tokens spoken: the server's count for the text kept, or an estimate if the model also thought or nothing was counted.
fn spoken_tokens(reply: &Reply, whole: &str, kept: &str) -> u64 {
    if reply.thinking.is_some() || reply.tokens.reply == 0 {
        return text::estimate_tokens(kept);
    }
    let all = reply.text.trim().chars().count().max(whole.chars().count());
    let share = kept.chars().count() as f64 / all.max(1) as f64;
    (reply.tokens.reply as f64 * share).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Durations, Tokens};

    fn reply(text: &str, tokens: u64) -> Reply {
        Reply {
            text: text.to_owned(),
            thinking: None,
            done_reason: DoneReason::Stop,
            tokens: Tokens { prompt: 1, reply: tokens },
            ns: Durations::default(),
            by_other: None,
            calls_tool: false,
        }
    }

    #[test]
    fn k8b_a_reply_longer_than_its_allowance_is_cut_whatever_the_server_says_of_it() {
        let long = "It is so. ".repeat(600);
        for (counted, least, most) in [(3000, 350, 420), (200, 3000, 3210), (0, 1100, 1210)] {
            let reply = reply(&long, counted);
            let (allowed, beyond) = within(&reply, 200);
            let length = allowed.chars().count();
            assert!(beyond && (least..=most).contains(&length), "{counted}: {length}");
        }
        assert!(!within(&reply(&"word ".repeat(180), 200), 200).1);
        let thought =
            Reply { thinking: Some("So.".to_owned()), ..reply(&"Enough. ".repeat(110), 190) };
        assert!(!within(&thought, 200).1, "thoughts and words took less");
    }
}
