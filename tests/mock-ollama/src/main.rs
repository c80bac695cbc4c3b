//! The mock server as a program: prints its address and serves until killed.

use clap::Parser;
use mock_ollama::{Answer, Card, Machine, MockOllama};
use std::io::{self, Write};
use std::num::ParseFloatError;
use std::thread;
use std::time::Duration;

/// An Ollama server without models: replies are drawn from each call's seed, in the shape its format asks for.
///
/// Without an option of the machine's it answers at once, however many ask. It keeps no log.
#[derive(Parser)]
struct Options {
    /// The port of 127.0.0.1; 0 takes one that is free
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// An installed model, with the size of its file, as in `llama3:8b:4.7GB`; llama3 and mistral without any
    #[arg(long, value_name = "NAME[:SIZE]", value_parser = card)]
    model: Vec<Card>,
    /// Chunks of each reply, by default one a word
    #[arg(long)]
    chunks: Option<usize>,
    /// Send all that need not wait in one write
    #[arg(long)]
    one_write: bool,
    #[command(flatten)]
    machine: MachineOptions,
}

#[derive(clap::Args)]
#[command(next_help_heading = "Machine")]
struct MachineOptions {
    /// `OLLAMA_NUM_PARALLEL`
    #[arg(long)]
    parallel: Option<usize>,
    /// `OLLAMA_MAX_LOADED_MODELS`
    #[arg(long)]
    max_loaded: Option<usize>,
    /// `OLLAMA_MAX_QUEUE`
    #[arg(long)]
    max_queue: Option<usize>,
    /// `OLLAMA_KEEP_ALIVE`, in seconds
    #[arg(long, value_name = "SECONDS")]
    keep_alive: Option<u64>,
    /// Video memory, as in 24GB
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    memory: Option<u64>,
    /// What is loaded in a second, as in 2GB
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    load_speed: Option<u64>,
    /// Prompt tokens read in a second
    #[arg(long, value_name = "TOKENS")]
    prompt_speed: Option<f64>,
    /// Reply tokens written in a second
    #[arg(long, value_name = "TOKENS")]
    reply_speed: Option<f64>,
    /// Real seconds for each of the machine's: with 0.0167 its hour passes in a minute
    #[arg(long)]
    scale: Option<f64>,
}

fn main() -> io::Result<()> {
    let options = Options::parse();
    let mut reply = Answer::shaped();
    if let Some(chunks) = options.chunks {
        reply = reply.chunks(chunks);
    }
    if options.one_write {
        reply = reply.one_write();
    }
    let mut builder = MockOllama::builder()
        .port(options.port)
        .reply(reply)
        .without_log();
    if !options.model.is_empty() {
        builder = builder.models(options.model);
    }
    if let Some(machine) = options.machine.machine() {
        builder = builder.machine(machine);
    }
    let server = builder.start();
    writeln!(io::stdout(), "{}", server.url())?;
    loop {
        thread::park();
    }
}

impl MachineOptions {
    /// One with what was asked for, if anything was.
    fn machine(&self) -> Option<Machine> {
        let settings = [
            self.parallel.map(setting(Machine::parallel)),
            self.max_loaded.map(setting(Machine::max_loaded)),
            self.max_queue.map(setting(Machine::max_queue)),
            self.keep_alive
                .map(Duration::from_secs)
                .map(setting(Machine::keep_alive)),
            self.memory.map(setting(Machine::memory)),
            self.load_speed
                .map(|it| it as f64)
                .map(setting(Machine::load_speed)),
            self.prompt_speed.map(setting(Machine::prompt_speed)),
            self.reply_speed.map(setting(Machine::reply_speed)),
            self.scale.map(setting(Machine::scale)),
        ];
        let asked: Vec<Setting> = settings.into_iter().flatten().collect();
        let machine = Machine::new();
        (!asked.is_empty()).then(|| asked.into_iter().fold(machine, |machine, set| set(machine)))
    }
}

type Setting = Box<dyn FnOnce(Machine) -> Machine>;

fn setting<T: 'static>(set: fn(Machine, T) -> Machine) -> impl Fn(T) -> Setting {
    move |value| Box::new(move |machine| set(machine, value))
}

fn card(text: &str) -> Result<Card, ParseFloatError> {
    match text.rsplit_once(':') {
        Some((name, size)) if size.ends_with("GB") || size.ends_with("MB") => {
            Ok(Card::new(name).size(bytes(size)?))
        }
        _ => Ok(Card::new(text)),
    }
}

/// Reads `4.7GB`, `800MB` or a number of bytes.
fn bytes(text: &str) -> Result<u64, ParseFloatError> {
    let (number, unit) = match text
        .len()
        .checked_sub(2)
        .map(|at| text.split_at_checked(at))
    {
        Some(Some((number, "GB"))) => (number, 1e9),
        Some(Some((number, "MB"))) => (number, 1e6),
        _ => (text, 1.0),
    };
    Ok((number.parse::<f64>()? * unit) as u64)
}
