//! The deadlines of one call, and reading the reply within them. Only words, said or thought, are a sign of life: blank lines
//! and empty chunks could arrive forever.

use std::future::{Future, poll_fn};
use std::task::Poll;
use std::time::Duration;

use futures_util::{Stream, StreamExt};
use tokio::time::Instant;

use super::super::stall_tolerant::StallTolerantLimit;
use super::super::{CallError, Fault, OnChunk, Reply, Request, Result};
use super::client::Ollama;
use super::stream::Assembly;
use crate::job::models::model_name::same_on_server;

/// The deadlines of one call.
pub(super) struct Deadlines<'a> {
    client: &'a Ollama,
    model: &'a str,
    /// For the first token, then for each further one.
    silence: StallTolerantLimit,
    /// The first token's limit has passed once, while the model was being loaded.
    extended: bool,
    /// Something has come of the reply, be it nothing that says a word: the model is loaded.
    answers: bool,
    /// For the whole reply, from its first token on.
    speech: Option<StallTolerantLimit>,
    /// Tokens that came, and that may come.
    tokens: u64,
    most: u64,
}

impl Ollama {
    /// Starts the clock for a call whose reply has at most `most` tokens.
    pub(super) fn deadlines<'a>(&'a self, model: &'a str, most: u64) -> Deadlines<'a> {
        Deadlines {
            client: self,
            model,
            silence: StallTolerantLimit::new(self.limits.first_token),
            extended: false,
            answers: false,
            speech: None,
            tokens: 0,
            most,
        }
    }

    /// Reads a streamed reply to its end.
    pub(super) async fn listen<B: AsRef<[u8]>>(
        &self,
        request: &Request,
        body: impl Stream<Item = Result<B, reqwest::Error>>,
        mut deadlines: Deadlines<'_>,
        on_chunk: OnChunk<'_>,
    ) -> Result<Reply> {
        let mut body = std::pin::pin!(body);
        let mut assembly = Assembly::new(&request.model, request.num_predict, &self.secret);
        loop {
            let bytes = match deadlines.next(body.next()).await? {
                None => return assembly.finish(),
                Some(Err(e)) => return Err(self.broke_off(assembly.said(), &e)),
                Some(Ok(bytes)) => bytes,
            };
            deadlines.answers = true;
            let (parts, began) = (assembly.parts, Instant::now());
            let whole = assembly.push(bytes.as_ref(), on_chunk)?;
            if assembly.parts > parts {
                deadlines.heard(assembly.tokens());
            }
            deadlines.read_for(began.elapsed())?;
            if let Some(reply) = whole {
                deadlines.ends();
                return Ok(reply);
            }
        }
    }

    /// Whether the server is there and does not list the model as loaded, as is so while it is being loaded. Where it, or a proxy
    /// before it, keeps the list to itself, any model may be that has not answered yet.
    async fn is_loading(&self, model: &str) -> bool {
        let loaded = self.loaded().await;
        loaded.map_or_else(
            |error| is_an_answer(error.fault) && !self.paces.knows(model),
            |all| !all.iter().any(|one| same_on_server(&one.name, model)),
        )
    }
}

/// Whether somebody answered, be it with an error.
fn is_an_answer(fault: Fault) -> bool {
    !matches!(fault, Fault::NoConnection | Fault::BrokenStream | Fault::Timeout | Fault::OutOfFiles)
}

impl Deadlines<'_> {
    /// Waits for what must come before the first token. Where the limit passes and the model is not loaded yet, it waits
    /// as long once more: to leave would abort the load, and the next request would begin it again.
    pub(super) async fn first<F: Future>(&mut self, coming: F) -> Result<F::Output> {
        let mut coming = std::pin::pin!(coming);
        loop {
            if let Some(come) = self.silence.wait(&mut coming).await {
                return Ok(come);
            }
            if self.answers || !self.client.is_loading(self.model).await {
                return Err(self.no_first_token());
            }
            if self.extended {
                let (model, seconds) = (self.model, self.waited());
                let message =
                    format!("{model} was not loaded within {seconds} s (--first-token-timeout)");
                return Err(CallError::new(Fault::LoadFailed, message));
            }
            self.extended = true;
            self.silence = StallTolerantLimit::new(self.client.limits.first_token);
        }
    }

    /// How many seconds the first token may take until now.
    fn waited(&self) -> f64 {
        let limit = self.client.limits.first_token;
        limit.saturating_mul(1 + u32::from(self.extended)).as_secs_f64()
    }

    /// Waits for what comes next of the reply. What is there already needs no timer.
    async fn next<F: Future>(&mut self, coming: F) -> Result<F::Output> {
        let mut coming = std::pin::pin!(coming);
        let there = poll_fn(|context| Poll::Ready(coming.as_mut().poll(context)));
        if let Poll::Ready(come) = there.await {
            return Ok(come);
        }
        let Some(speech) = &mut self.speech else { return self.first(coming).await };
        match speech.wait(self.silence.wait(coming)).await {
            Some(Some(come)) => Ok(come),
            Some(None) => Err(went_silent(self.silence.limit())),
            None => Err(too_slow(speech.limit(), self.tokens, self.most)),
        }
    }

    /// So long went into reading what came.
    fn read_for(&mut self, took: Duration) -> Result<()> {
        self.silence.worked(took);
        if let Some(speech) = &mut self.speech {
            speech.worked(took);
            if speech.is_over() {
                return Err(too_slow(speech.limit(), self.tokens, self.most));
            }
        }
        match (self.silence.is_over(), &self.speech) {
            (false, _) => Ok(()),
            (true, None) => Err(self.no_first_token()),
            (true, Some(_)) => Err(went_silent(self.silence.limit())),
        }
    }

    fn no_first_token(&self) -> CallError {
        let seconds = self.waited();
        let message = format!("no first token within {seconds} s (--first-token-timeout)");
        CallError::new(Fault::Timeout, message)
    }

    /// The model said or thought something; so many tokens have come.
    fn heard(&mut self, tokens: u64) {
        let idle = self.client.limits.idle;
        let paces = &self.client.paces;
        self.silence = StallTolerantLimit::new(idle);
        self.speech.get_or_insert_with(|| {
            StallTolerantLimit::new(paces.most(self.model, self.most, idle))
        });
        self.tokens = tokens;
    }

    /// The reply is there: how slowly it came says how long another may take.
    fn ends(&self) {
        if let Some(speech) = &self.speech {
            let behind_first = self.tokens.saturating_sub(1);
            self.client.paces.note(self.model, behind_first, speech.spent());
        }
    }
}

/// Nothing came for so long.
pub(super) fn went_silent(limit: Duration) -> CallError {
    let seconds = limit.as_secs_f64();
    let message = format!("the reply went silent for {seconds} s (--idle-timeout)");
    CallError::new(Fault::Timeout, message)
}

fn too_slow(limit: Duration, tokens: u64, most: u64) -> CallError {
    let seconds = limit.as_secs_f64();
    CallError::new(
        Fault::Timeout,
        format!(
            "the reply was not done after {seconds:.0} s, with {tokens} of at most {most} tokens; raise --idle-timeout to allow more time"
        ),
    )
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use tokio::time::sleep;

    use super::super::errors::classify;
    use super::super::ollama_host::Host;
    use super::super::secret::Secret;
    use super::*;
    use crate::model::contexts::Contexts;
    use crate::model::server::Limits;
    use crate::model::{Chunk, DoneReason};

    fn client() -> Ollama {
        let limits = Limits {
            connect: Duration::from_millis(1),
            first_token: Duration::from_secs(60),
            idle: Duration::from_secs(12),
        };
        // Nobody listens there: no model is being loaded.
        let host = Host::parse("http://127.0.0.1:9").unwrap();
        Ollama::new(host, None, limits, Contexts::default()).unwrap()
    }

    fn request(num_predict: u32) -> Request {
        Request {
            call: "c".to_owned(),
            attempt: 1,
            model: "m".to_owned(),
            num_predict,
            seed: 1,
            ..Request::default()
        }
    }

    fn line(content: &str, done: bool) -> String {
        format!("{{\"message\":{{\"content\":\"{content}\"}},\"done\":{done}}}\n")
    }

    /// Reads what comes so: each item after this many seconds. What came of it, and in how many seconds.
    async fn heard(
        client: &Ollama,
        num_predict: u32,
        items: impl Iterator<Item = (u64, String)>,
    ) -> (Result<Reply>, u64) {
        let request = request(num_predict);
        let body = stream::iter(items).then(|(seconds, item)| async move {
            sleep(Duration::from_secs(seconds)).await;
            Ok(item)
        });
        let deadlines = client.deadlines("m", u64::from(num_predict));
        let began = Instant::now();
        let heard = client.listen(&request, body, deadlines, &|_: Chunk<'_>| {}).await;
        (heard, began.elapsed().as_secs())
    }

    fn timeout(heard: Result<Reply>) -> String {
        let error = heard.unwrap_err();
        assert_eq!(error.fault, Fault::Timeout, "{error}");
        error.message
    }

    #[tokio::test(start_paused = true)]
    async fn a1_blank_lines_and_empty_chunks_are_no_sign_of_life() {
        for nothing in ["\n".to_owned(), line("", false), "{\"message\":{},\"x\":1}\n".into()] {
            let (client, endless) = (client(), || std::iter::repeat((1, nothing.clone())));
            let (before, after) = heard(&client, 800, endless()).await;
            assert_eq!(timeout(before), "no first token within 60 s (--first-token-timeout)");
            assert!((60..=63).contains(&after), "{after}");
            let begun = std::iter::once((0, line("one ", false)));
            let (between, after) = heard(&client, 800, begun.chain(endless())).await;
            assert_eq!(timeout(between), "the reply went silent for 12 s (--idle-timeout)");
            assert_eq!(after, 12);
        }
    }

    #[test]
    fn m2_whoever_answers_with_no_list_of_loaded_models_says_nothing_of_a_load() {
        for status in [301, 401, 403, 404, 405, 429, 500, 502, 503] {
            let error = classify(status, "http://gpu/api/ps", b"hidden", &Secret::default());
            assert!(is_an_answer(error.fault), "{error}");
        }
        assert!(is_an_answer(client().not_ollama().fault), "such as a page with status 200");
        assert!(![Fault::NoConnection, Fault::Timeout].into_iter().any(is_an_answer));
    }

    #[tokio::test(start_paused = true)]
    async fn a1_a_reply_may_take_long_as_long_as_it_says_something() {
        let client = client();
        let words = (0..100).map(|_| (10, line("word ", false)));
        let last = std::iter::once((10, line("", true)));
        let (reply, after) = heard(&client, 1000, words.chain(last)).await;
        assert_eq!((reply.unwrap().done_reason, after), (DoneReason::Stop, 1010));
    }

    #[tokio::test(start_paused = true)]
    async fn a1_a_reply_that_trickles_is_given_up_in_the_end() {
        let client = client();
        let trickle = || std::iter::repeat((11, line("a", false)));
        let (before, after) = heard(&client, 400, trickle()).await;
        let message = "the reply was not done after 400 s, with 11 of at most 400 tokens; raise --idle-timeout to allow more time";
        assert_eq!((timeout(before).as_str(), after), (message, 411));
        let words = (0..100).map(|_| (2, line("word ", false)));
        let last = std::iter::once((0, line("", true)));
        heard(&client, 400, words.chain(last)).await.0.unwrap();
        let (measured, _) = heard(&client, 1000, trickle()).await;
        assert!(timeout(measured).starts_with("the reply was not done after 40000 s"));
    }

    #[tokio::test(start_paused = true)]
    async fn a1_a_reply_that_goes_on_beyond_its_limit_is_ended_there() {
        let client = client();
        let tokens = std::iter::repeat((0, line("word ", false)));
        let (reply, _) = heard(&client, 100, tokens).await;
        let reply = reply.unwrap();
        let tokens = reply.tokens.reply;
        assert_eq!((reply.done_reason, tokens), (DoneReason::Overrun, 158));
        assert_eq!(reply.text, "word ".repeat(158));
        let letters = (0..400).map(|_| (0, line("a", false)));
        let last = std::iter::once((0, line("", true)));
        let (reply, _) = heard(&client, 120, letters.chain(last)).await;
        assert_eq!(reply.unwrap().done_reason, DoneReason::Stop, "400 letters are 115 tokens");
    }
}
