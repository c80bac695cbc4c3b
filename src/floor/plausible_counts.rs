//! A server's counts are believed only if they are plausible. Some servers report −1 as 2^64 − 1, and a prompt counted in
//! millions of tokens would leave no room for the record from then on.

use super::call::Attempted;
use crate::journal::ReplyEntry;
use crate::model::{Durations, Reply, Request, Tokens};

/// Tokens that a server's template may add to a prompt, or its parser may drop from a reply.
const UNSEEN: u64 = 1024;

/// The result of an attempt without its implausible counts, and a description of these.
pub(super) fn plausible(attempted: Attempted, request: &Request) -> (Attempted, Option<String>) {
    let Ok(entry) = attempted else {
        return (attempted, None);
    };
    let (reply, doubt) = believed(entry.reply, request);
    (Ok(ReplyEntry { reply, ..entry }), doubt)
}

/// The reply with 0 in place of implausible counts, and a description of these.
pub(super) fn believed(reply: Reply, asked: &Request) -> (Reply, Option<String>) {
    let said = reply.text.len() + reply.thinking.as_ref().map_or(0, String::len);
    let most_reply = (said as u64).max(asked.num_predict.into()) + UNSEEN;
    // No token is shorter than a byte.
    let prompt_bytes: usize = asked.messages.iter().map(|m| m.content.len()).sum();
    let most_prompt = prompt_bytes as u64 + UNSEEN;
    let mut doubts = Vec::new();
    let mut count = |what: &str, value: u64, most: u64| {
        if value <= most {
            return value;
        }
        doubts.push(format!("{what}: {value}, at most {most} are possible"));
        0
    };
    let tokens = Tokens {
        prompt: count("tokens of the prompt", reply.tokens.prompt, most_prompt),
        reply: count("tokens of the reply", reply.tokens.reply, most_reply),
    };
    let longest = reply.ns.longest();
    let ns = Durations {
        load: count("nanoseconds of loading", reply.ns.load, longest),
        prompt: count("nanoseconds of reading", reply.ns.prompt, longest),
        reply: count("nanoseconds of replying", reply.ns.reply, longest),
        ..reply.ns
    };
    let reply = Reply { tokens, ns, ..reply };
    let told =
        || format!("the server's counts cannot be right and are left out ({})", doubts.join("; "));
    let doubt = (!doubts.is_empty()).then(told);
    (reply, doubt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{DoneReason, Message, Role};

    fn reply(tokens: Tokens, ns: Durations) -> Reply {
        Reply {
            text: "Forty bytes of text stand in this reply.".to_owned(),
            thinking: None,
            done_reason: DoneReason::Stop,
            tokens,
            ns,
            by_other: None,
            calls_tool: false,
        }
    }

    fn asked() -> Request {
        let prompt = Message { role: Role::User, content: "x".repeat(3000) };
        Request { messages: vec![prompt], num_predict: 200, ..Request::default() }
    }

    #[test]
    fn m3b_counts_that_can_be_are_believed() {
        let tokens = Tokens { prompt: 3900, reply: 1200 };
        let ns = Durations {
            load: 1,
            prompt: 2,
            reply: Durations::default().longest(),
            ..Durations::default()
        };
        let given = reply(tokens, ns);
        assert_eq!(believed(given.clone(), &asked()), (given, None));
    }

    #[test]
    fn m3b_counts_that_cannot_be_are_left_out_and_named() {
        let tokens = Tokens { prompt: 50_000_000, reply: u64::MAX };
        let ns = Durations { load: u64::MAX, prompt: 2, reply: 3, ..Durations::default() };
        let (kept, doubt) = believed(reply(tokens, ns), &asked());
        assert_eq!(kept.tokens, Tokens::default());
        assert_eq!((kept.ns.load, kept.ns.prompt, kept.ns.reply), (0, 2, 3));
        assert_eq!(
            doubt.expect("a doubt"),
            "the server's counts cannot be right and are left out (tokens of the prompt: 50000000, at most 4024 are possible; \
             tokens of the reply: 18446744073709551615, at most 1224 are possible; \
             nanoseconds of loading: 18446744073709551615, at most 2592000000000000 are possible)"
        );
    }

    #[test]
    fn m3b_no_part_of_a_call_takes_longer_than_the_call() {
        let (second, day) = (1_000_000_000, 86_400_000_000_000);
        let said =
            |reply| Durations { load: second, prompt: 2 * second, reply, ..Durations::default() };
        let tokens = Tokens::default();
        let heard = |ns: Durations, hours: u64| {
            let took = std::time::Duration::from_secs(hours * 3600);
            believed(reply(tokens, ns.of_call(took)), &asked())
        };
        assert_eq!(heard(said(day), 24).1, None);
        let (kept, doubt) = heard(said(20 * day), 1);
        assert_eq!((kept.ns.load, kept.ns.prompt, kept.ns.reply), (second, 2 * second, 0));
        assert_eq!(
            doubt.expect("a doubt"),
            "the server's counts cannot be right and are left out (nanoseconds of replying: 1728000000000000, at most \
             7200000000000 are possible)"
        );
        let journal = serde_json::to_string(&said(20 * day).of_call(std::time::Duration::ZERO));
        let journal: Durations = serde_json::from_str(&journal.unwrap()).unwrap();
        assert_eq!(journal.longest(), 3600 * second, "on resume it is known");
    }
}
