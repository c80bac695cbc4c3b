//! The prompt a model reads, and what happens to one that is longer than the context.

use crate::checks::Refusal;
use crate::needs::{self, Needs};
use crate::reply::{Draft, estimate};
use crate::{Answer, Call};

/// The messages of a request, oldest first, and their tokens.
pub(crate) struct Prompt<'a> {
    messages: Vec<(&'a str, &'a str)>,
    pub(crate) tokens: u64,
    /// The script says how many tokens they are.
    told: bool,
}

impl<'a> Prompt<'a> {
    pub(crate) fn new(call: &'a Call, answer: &Answer) -> Self {
        let messages = call.prompt();
        let told = answer.tokens.map(|(prompt, _)| prompt);
        Self { tokens: told.unwrap_or_else(|| tokens(&messages)), told: told.is_some(), messages }
    }

    /// As text whose beginning can be compared with that of another prompt.
    pub(crate) fn render(&self) -> String {
        let line = |(role, content): &(&str, &str)| format!("{role}: {content}\n");
        self.messages.iter().map(line).collect()
    }

    /// Fits the prompt and then the reply into the context, as the request allows.
    pub(crate) fn fit(
        &mut self,
        call: &Call,
        needs: &Needs,
        draft: &mut Draft,
    ) -> Result<(), Refusal> {
        let context = needs.load.num_ctx;
        if call.body["truncate"] == false {
            self.refuse_from(context)?;
        } else {
            self.drop_oldest(context);
            self.cut_middle(call, needs)?;
        }
        let room = context.saturating_sub(self.tokens);
        if !needs.load.shift {
            draft.cut(room);
        }
        let asked = call
            .option("num_predict")
            .and_then(needs::integer)
            .and_then(|it| u64::try_from(it).ok());
        draft.cut(asked.unwrap_or(u64::MAX).min(10 * context));
        Ok(())
    }

    fn refuse_from(&self, context: u64) -> Result<(), Refusal> {
        if self.tokens >= context {
            return Err(Answer::context_exceeded(self.tokens, context).into());
        }
        Ok(())
    }

    /// Drops the oldest messages that are neither system's nor the last, as long as the prompt is too long.
    fn drop_oldest(&mut self, context: u64) {
        while !self.told && self.tokens > context {
            let droppable = self.messages.iter().rev().skip(1).rev();
            let oldest = droppable.clone().position(|(role, _)| *role != "system");
            let Some(oldest) = oldest else { return };
            self.messages.remove(oldest);
            self.tokens = tokens(&self.messages);
        }
    }

    /// What is still too long loses its middle where Ollama renders the prompt, and is refused elsewhere.
    fn cut_middle(&mut self, call: &Call, needs: &Needs) -> Result<(), Refusal> {
        let context = needs.load.num_ctx;
        if needs.card.native {
            return self.refuse_from(context);
        }
        if self.tokens > context && !needs.load.shift {
            return Err(Answer::prompt_too_long().into());
        }
        if self.tokens > context {
            let keep = call
                .option("num_keep")
                .and_then(needs::integer)
                .unwrap_or(4)
                .max(0)
                .unsigned_abs()
                .min(context);
            self.tokens = context - (context - keep) / 2;
        }
        Ok(())
    }
}

fn tokens(messages: &[(&str, &str)]) -> u64 {
    let contents: Vec<&str> = messages.iter().map(|(_, content)| *content).collect();
    estimate(&contents.join("\n"))
}
