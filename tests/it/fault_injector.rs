//! Runs of the real binary under the fault injector (`tests/fault-injector`): what it does to its output directory, in order, and kills
//! and faults at one operation.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use crate::harness::{Ended, Place, end_of, read};

/// A line of the fault injector's log.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    /// Place among the operations on files, from 1; 0 for sockets.
    pub(crate) n: usize,
    /// Whether the operation begins here, or has ended.
    pub(crate) begins: bool,
    /// `write`, `fsync`, `rename`, `send`…
    pub(crate) what: String,
    /// Below the output directory, absolute where it is that directory itself; of a rename the new one.
    pub(crate) path: String,
    /// What a rename renames.
    pub(crate) from: String,
    /// What is written, as the fault injector shows it, or the result.
    pub(crate) rest: String,
}

impl Line {
    /// Ways to kill at this operation, with what makes the injector do it: before it, after it, in the middle of a write.
    pub(crate) fn kills(&self) -> impl Iterator<Item = (&'static str, String)> {
        let parts: &[&str] = match (self.n, self.begins, self.what.as_str()) {
            (0, ..) | (_, false, _) => &[],
            (_, _, "write") => &["before", "half", "after"],
            _ => &["before", "after"],
        };
        let n = self.n;
        parts.iter().map(move |part| (*part, format!("kill {part} {n}")))
    }
}

/// Ways to kill at some operations: before each, in the middle of each write, and after those whose next is none of them. After
/// any other it is as before the next.
pub(crate) fn kills_among(lines: &[&Line]) -> Vec<String> {
    let numbers: BTreeSet<usize> = lines.iter().map(|line| line.n).collect();
    let kills = lines.iter().flat_map(|line| {
        let has_next = numbers.contains(&(line.n + 1));
        let kills = line.kills();
        kills.filter(move |(part, _)| *part != "after" || !has_next)
    });
    kills.map(|(_, act)| act).collect()
}

/// The library, which Cargo puts beside the tests because it is one of their dependencies.
fn library() -> PathBuf {
    let tests = std::env::current_exe().expect("a path");
    let library = tests.with_file_name("libfault_injector.so");
    assert!(library.is_file(), "{} is not built", library.display());
    library
}

impl Place {
    /// Runs a command under the fault injector to its end, whatever that is.
    pub(crate) fn injected(&self, args: &[&str], act: &str) -> Ended {
        let mut command = self.command(args);
        self.inject(&mut command, act);
        end_of(&mut command)
    }

    /// Every way to kill the command that ran here under the fault injector that leaves something else, as what makes it do so.
    pub(crate) fn kills(&self) -> Vec<String> {
        let seen = self.seen();
        kills_among(&seen.iter().collect::<Vec<_>>())
    }

    /// `rebut run` that cannot open some files, as `INJECT_READ` names them.
    pub(crate) fn run_unread(&self, args: &[&str], refused: &str) -> Ended {
        let mut command = self.command(&[&["run", "--retry-delay", "1ms"], args].concat());
        self.inject(&mut command, "");
        end_of(command.env("INJECT_READ", refused))
    }

    /// Puts a command that is not started yet under the fault injector.
    pub(crate) fn inject(&self, command: &mut Command, act: &str) {
        let here = self.path().canonicalize().expect("a directory");
        command
            .env("LD_PRELOAD", library())
            .env("INJECT_ROOT", here.join("output"))
            // What a run says of itself and of its debates for those who look on, as time passes; nothing rests on it.
            .env("INJECT_EXCEPT", ".state:/live/")
            .env("INJECT_LOG", here.join("injector.log"));
        if !act.is_empty() {
            command.env("INJECT_ACT", act);
        }
    }

    /// The same for `rebut run`, as [`Place::run`] runs it.
    pub(crate) fn run_injected(&self, args: &[&str], act: &str) -> Ended {
        self.injected(&[&["run", "--retry-delay", "1ms"], args].concat(), act)
    }

    /// What the fault injector has seen since it was last asked.
    pub(crate) fn seen(&self) -> Vec<Line> {
        let log = self.path().join("injector.log");
        let here = self.path().canonicalize().expect("a directory");
        let below = format!("{}/", here.join("output").display());
        let text = read(&log).replace(&below, "");
        std::fs::remove_file(&log).expect("the log can be removed");
        text.lines().map(line).collect()
    }
}

fn line(text: &str) -> Line {
    let mut words = text.splitn(4, ' ');
    let mut word = || words.next().unwrap_or_default();
    let (n, sign, what, mut rest) = (word(), word(), word(), word());
    let n = n.parse().unwrap_or_else(|_| panic!("{text}"));
    let mut from = "";
    if what == "rename" {
        (from, rest) = rest.split_once(" to ").expect("a rename has two paths");
    }
    let (path, rest) = if n == 0 { ("", rest) } else { rest.split_once(' ').expect("a path ends") };
    Line {
        n,
        begins: sign == ">",
        what: what.to_owned(),
        path: path.to_owned(),
        from: from.to_owned(),
        rest: rest.to_owned(),
    }
}

impl Line {
    /// How many bytes came in through a socket.
    pub(crate) fn received(&self) -> Option<usize> {
        let came = self.what == "recv";
        came.then(|| self.rest.strip_prefix("= ")?.parse().ok())?
    }

    /// What is done to what kind of file, without the names that differ from run to run.
    pub(crate) fn kind(&self) -> String {
        let parts: Vec<&str> = self.path.split('/').collect();
        let place = match parts[..] {
            ["", ..] => "output".to_owned(),
            [".rebut", state] => format!(".rebut/{state}"),
            [".rebut", state, ..] => format!(".rebut/{state}/…"),
            [day] if day.starts_with("20") => "day".to_owned(),
            [_, name] if name.starts_with("index") => "list".to_owned(),
            [_, _] => "debate".to_owned(),
            _ => "list".to_owned(),
        };
        format!("{} {place}", self.what)
    }
}
