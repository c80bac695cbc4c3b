//! The mock server as a program: prints its address and serves until killed.

use clap::Parser;
use mock_ollama::{Answer, Card, Faults, Machine, MockOllama};
use std::fs::File;
use std::io::{self, Write};
use std::num::ParseFloatError;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

/// An Ollama server without models: replies are drawn from each call's seed, in the shape its format asks for.
///
/// Without an option of the machine's it answers at once, however many ask.
#[derive(Parser)]
struct Options {
    /// The port of 127.0.0.1; 0 takes one that is free
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// An installed model, with the size of its file and the seconds it takes to load, as in `llama3:8b:4.7GB@30`; llama3
    /// and mistral without any
    #[arg(long, value_name = "NAME[:SIZE][@SECONDS]", value_parser = card)]
    model: Vec<Card>,
    /// Chunks of each reply, by default one a word
    #[arg(long)]
    chunks: Option<usize>,
    /// Send all that need not wait in one write
    #[arg(long)]
    one_write: bool,
    /// About how many sentences of nine words a reply has, where no format asks for another shape
    #[arg(long)]
    sentences: Option<u64>,
    /// Draw replies from model, messages and seed, not from the seed alone
    #[arg(long)]
    by_request: bool,
    /// Writes a JSON line for each chat, embedding and load when it ends: its times on the machine, model, slot, load, what
    /// was evicted, prompt and reply and how much of the prompt its slot held
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    #[command(flatten)]
    machine: MachineOptions,
    #[command(flatten)]
    faults: FaultOptions,
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
    /// Main memory in which a model keeps prompts that lost their slot, as in 8GB; 0 keeps none
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    prompt_cache: Option<u64>,
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
    #[arg(long, conflicts_with = "leaps")]
    scale: Option<f64>,
    /// Report of durations what they take really, for clients that compare them with their own clock
    #[arg(long, requires = "scale")]
    real_durations: bool,
    /// The clock stands while the client may be at work, and leaps to the next moment anybody waits for as soon as so many
    /// requests are in flight, or after some quiet: only for clients whose own clock does not matter
    #[arg(long, value_name = "IN FLIGHT")]
    leaps: Option<usize>,
    /// How long such quiet lasts, in real milliseconds
    #[arg(long, value_name = "MS", default_value_t = 50)]
    quiet: u64,
}

#[derive(clap::Args)]
#[command(next_help_heading = "Faults")]
struct FaultOptions {
    /// From which faults are drawn
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    fault_seed: u64,
    /// The share of chats refused with 503
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    busy: f64,
    /// The share of chats that fall silent after two chunks
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    stalls: f64,
    /// The share of chats whose runner dies after two chunks
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    crashes: f64,
    /// Real seconds after which the whole server dies, again and again, more or less
    #[arg(long, value_name = "SECONDS")]
    dies_after: Option<f64>,
    /// Real seconds for which it then is dead
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    dead_for: f64,
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
    if let Some(sentences) = options.sentences {
        reply = reply.sentences(sentences);
    }
    if options.by_request {
        reply = reply.by_request();
    }
    let mut builder = MockOllama::builder().port(options.port).without_log();
    if let Some(path) = options.log {
        builder = builder.log_to(File::create(path)?);
    }
    if !options.model.is_empty() {
        builder = builder.models(options.model);
    }
    if let Some(machine) = options.machine.machine() {
        builder = builder.machine(machine);
    }
    let server = builder.start();
    let faults = options.faults.faults();
    server.script(move |call| faults.answer(call, reply.clone()));
    writeln!(io::stdout(), "{}", server.url())?;
    options.faults.live(&server);
    Ok(())
}

impl FaultOptions {
    fn faults(&self) -> Faults {
        Faults {
            seed: self.fault_seed,
            busy: self.busy,
            stalls: self.stalls,
            crashes: self.crashes,
        }
    }

    /// Serves until killed, dying in between if that is asked for.
    fn live(&self, server: &MockOllama) {
        let Some(life) = self.dies_after else {
            loop {
                thread::park();
            }
        };
        let (life, death) = [life, self.dead_for].map(Duration::from_secs_f64).into();
        for (alive, dead) in self.faults().lives(life, death) {
            thread::sleep(alive);
            server.stop();
            thread::sleep(dead);
            server.resume();
        }
    }
}

impl MachineOptions {
    /// One with what was asked for, if anything was.
    fn machine(&self) -> Option<Machine> {
        let settings = [
            self.parallel.map(setting(Machine::parallel)),
            self.max_loaded.map(setting(Machine::max_loaded)),
            self.max_queue.map(setting(Machine::max_queue)),
            self.keep_alive.map(Duration::from_secs).map(setting(Machine::keep_alive)),
            self.memory.map(setting(Machine::memory)),
            self.prompt_cache.map(setting(Machine::prompt_cache)),
            self.load_speed.map(|it| it as f64).map(setting(Machine::load_speed)),
            self.prompt_speed.map(setting(Machine::prompt_speed)),
            self.reply_speed.map(setting(Machine::reply_speed)),
            self.scale.map(setting(Machine::scale)),
            self.real_durations.then(|| Box::new(Machine::real_durations) as Setting),
            self.leaps.map(|in_flight| {
                let quiet = Duration::from_millis(self.quiet);
                Box::new(move |machine: Machine| machine.leaps(in_flight, quiet)) as Setting
            }),
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
    let (text, load) = match text.rsplit_once('@') {
        Some((text, seconds)) => (text, Some(seconds.parse()?)),
        None => (text, None),
    };
    let card = match text.rsplit_once(':') {
        Some((name, size)) if size.ends_with("GB") || size.ends_with("MB") => {
            Card::new(name).size(bytes(size)?)
        }
        _ => Card::new(text),
    };
    let load = load.map(Duration::from_secs_f64);
    Ok(match load {
        Some(time) => card.load_time(time),
        None => card,
    })
}

/// Reads `4.7GB`, `800MB` or a number of bytes.
fn bytes(text: &str) -> Result<u64, ParseFloatError> {
    let (number, unit) = match text.len().checked_sub(2).map(|at| text.split_at_checked(at)) {
        Some(Some((number, "GB"))) => (number, 1e9),
        Some(Some((number, "MB"))) => (number, 1e6),
        _ => (text, 1.0),
    };
    Ok((number.parse::<f64>()? * unit) as u64)
}
