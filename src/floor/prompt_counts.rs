//! Prompts that a server may have cut short. It does so silently, but then counts too few tokens: a longer prompt has more.

use std::collections::HashMap;

/// Few texts average more characters per token.
const MOST_CHARS_PER_TOKEN: usize = 8;
/// How much of a shorter prompt's tokens a longer one should have at least: JSON takes more than prose.
const LEAST: f64 = 0.5;

/// The prompts counted so far, by model: characters and tokens.
#[derive(Debug, Default)]
pub(super) struct PromptCounts(HashMap<String, Vec<(usize, u64)>>);

impl PromptCounts {
    /// Takes in a count of a prompt; if it is too small beside those of shorter prompts, the least that it should be.
    pub(super) fn take(&mut self, model: &str, characters: usize, tokens: u64) -> Option<u64> {
        if tokens == 0 {
            return None;
        }
        let known = self.0.entry(model.to_owned()).or_default();
        let shorter = known.iter().filter(|(length, _)| *length <= characters);
        let least = shorter
            .map(|(length, tokens)| {
                let more = (characters - length) / MOST_CHARS_PER_TOKEN;
                (*tokens as f64 * LEAST) as u64 + more as u64
            })
            .max()
            .unwrap_or_default();
        known.push((characters, tokens));
        (tokens < least).then_some(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m3b_a_longer_prompt_has_more_tokens_unless_it_was_cut() {
        let mut counts = PromptCounts::default();
        for (characters, tokens) in [(1500, 430), (2400, 600), (2300, 520), (9000, 2000)] {
            assert_eq!(counts.take("m", characters, tokens), None, "{characters}");
        }
        assert_eq!(counts.take("other", 9000, 500), None, "another tokenizer");
        assert_eq!(counts.take("m", 9500, 0), None, "not counted");
        assert_eq!(counts.take("m", 9800, 500), Some(1252));
    }

    #[test]
    fn m3b_a_server_that_cuts_every_prompt_is_found_out() {
        let mut counts = PromptCounts::default();
        let counted: Vec<_> =
            [1500, 2000, 2600, 3300, 4200].map(|n| (n, (n as u64 / 4).min(500))).into();
        let found = counted.iter().filter_map(|(n, tokens)| counts.take("m", *n, *tokens));
        assert_eq!(found.count(), 1);
    }
}
