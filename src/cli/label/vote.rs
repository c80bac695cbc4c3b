//! `rebut label vote`: labels debates in the terminal.

use std::io::{self, BufRead};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use super::sampled::{SampleArgs, Sampled};
use crate::cli::args::templates::TemplatesArg;
use crate::cli::process::failure::Failure;
use crate::cli::terminal::print;
use crate::clock::Clock;
use crate::labels::answers::{self, Answer, Value};
use crate::labels::page::{Shown, shown};
use crate::labels::sheet::Item;
use crate::store::labels::{self, Given};
use crate::store::lists;
use crate::templates::Templates;
use crate::text;
use crate::trace::Trace;

/// The answer that quits.
const QUIT: &str = "q";

/// Read debates blind in this terminal and choose the side that is ahead
///
/// Type a key and Enter. Each answer is saved at once; run it again to continue with the next debate, even if others have finished since.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    sample: SampleArgs,
    /// Your code, stored with your labels
    #[arg(long, value_name = "CODE", default_value = "me", value_parser = rater)]
    rater: String,
    #[command(flatten)]
    templates: TemplatesArg,
}

fn rater(code: &str) -> Result<String, String> {
    answers::rater(code).map(str::to_owned)
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let templates = args.templates.load()?;
    let voting = Voting {
        sampled: args.sample.continue_or_draw(&args.rater)?,
        rater: &args.rater,
        templates,
        clock: Clock::system(),
    };
    let answered = voting.ask()?;
    if answered > 0 {
        lists::rebuild(&voting.sampled.output, &voting.templates)?;
    }
    print::told(&format!("{} added", text::count(answered, "label")));
    Ok(ExitCode::SUCCESS)
}

struct Voting<'a> {
    sampled: Sampled,
    rater: &'a str,
    templates: Templates,
    clock: Clock,
}

impl Voting<'_> {
    /// Asks about debates without an answer until none is left or the person quits.
    fn ask(&self) -> Result<u64, Failure> {
        let items = (1..).zip(&self.sampled.sheet.items);
        let mut answered = 0;
        for (n, item) in items {
            let Some((dir, trace)) = self.open(n, item)? else { continue };
            self.show(n, &shown(&trace, item)?);
            let shown_at = Instant::now();
            let Some(value) = read_value()? else { break };
            let seconds = u32::try_from(shown_at.elapsed().as_secs()).ok();
            let answer = Answer {
                sheet: self.sampled.sheet.id.clone(),
                rater: self.rater.to_owned(),
                item: n,
                value,
                seconds,
                at: Some(self.clock.now()),
            };
            let given = self.give(dir, item, &answer)?;
            answered += given.added;
            tell_left(&given);
        }
        Ok(answered)
    }

    /// The debate of an item that can still be answered: it is here, as it was, and without an answer.
    fn open(&self, n: u32, item: &Item) -> Result<Option<(&Path, Trace)>, Failure> {
        let Some(dir) = self.sampled.dir(item) else { return Ok(None) };
        let trace = Trace::in_dir(dir)?;
        let sheet = &self.sampled.sheet.id;
        let is_answered = trace
            .preferences()
            .any(|(_, own)| own.sheet == *sheet && own.item == n && own.rater == self.rater);
        let is_open = !is_answered && trace.digest_of_record() == item.record_digest;
        Ok(is_open.then_some((dir, trace)))
    }

    fn show(&self, n: u32, debate: &Shown) {
        let of = self.sampled.sheet.items.len();
        let sides = debate.sides.iter().zip(1..).map(|(side, n)| match side.position.as_str() {
            "" => format!("{n}: {}", side.label),
            position => format!("{n}: {}, {position}", side.label),
        });
        let said = debate.said.iter().map(|said| {
            let text = text::indented(&said.text);
            let place = text::told_if(!said.place.is_empty(), || format!(", {}", said.place));
            format!("── {}{place}\n\n{text}", said.label)
        });
        let head = format!("━━ {n} of {of}: {}", text::one_line(&debate.topic));
        let mut parts = vec![head, sides.collect::<Vec<_>>().join("\n")];
        parts.extend(said);
        print::read(&parts.join("\n\n"), |_, line| line);
        let means = if debate.answers { "that answer is better" } else { "that side is ahead" };
        let question = debate.question();
        print::told(&format!(
            "{question} 1 or 2: {means}; 0: tie; 9: both are bad; 8: cannot say; q: quit"
        ));
    }

    fn give(&self, dir: &Path, item: &Item, answer: &Answer) -> Result<Given, Failure> {
        let (sampled, now) = (&self.sampled, self.clock.now());
        let label = answers::label(&sampled.sheet, item, answer, "terminal", now);
        let with = (&self.templates, &self.clock);
        Ok(labels::give(&sampled.output, dir, &[label], with)?)
    }
}

/// Reports why an answer was not added.
fn tell_left(given: &Given) {
    if given.stale > 0 {
        print::err("skipped: the debate has changed since it was shown");
    }
    if given.known > 0 {
        print::err("skipped: there is a later answer");
    }
}

/// The answer typed; none if the person quits or input ends.
fn read_value() -> Result<Option<Value>, Failure> {
    let mut lines = io::stdin().lock().lines();
    loop {
        let Some(line) = lines.next().transpose()? else { return Ok(None) };
        match line.trim() {
            QUIT => return Ok(None),
            key => match Value::of_key(key) {
                Some(value) => return Ok(Some(value)),
                None => print::err("type 1, 2, 0, 9, 8 or q, then Enter"),
            },
        }
    }
}
