//! Row E2 on a terminal: the real binary on a pseudo-terminal of a size, whose lines are looked at as they were drawn.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use mock_ollama::{Answer, Gate};
use regex::Regex;
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use unicode_width::UnicodeWidthStr;

use crate::harness::{Place, TINY_JOB, good, has, has_all, lacks, list, name_of, with_job};

/// A program on a terminal.
struct Terminal {
    master: File,
    seen: Vec<u8>,
}

impl Terminal {
    /// Starts a command on a terminal of this size.
    fn start(
        place: &Place,
        mut command: Command,
        columns: u16,
        rows: u16,
    ) -> (Self, std::process::Child) {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).expect("a terminal");
        unlockpt(&master).expect("a terminal");
        let name = ptsname(&master, Vec::new()).expect("a name");
        let flags = OFlags::RDWR | OFlags::NOCTTY;
        let slave = rustix::fs::open(name, flags, Mode::empty()).expect("a terminal");
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&slave, size).expect("a size");
        let twin = slave.try_clone().expect("a terminal");
        command.stdout(Stdio::from(slave)).stderr(Stdio::from(twin));
        command.env("TERM", "xterm-256color");
        let child = place.spawn_command(command);
        let master = File::from(master);
        let seen = Vec::new();
        (Self { master, seen }, child)
    }

    /// Reads on until that was drawn.
    fn shows(&mut self, wanted: &str) {
        while !self.text().contains(wanted) {
            assert!(self.more(), "`{wanted}` is not shown:\n{}", self.text());
        }
    }

    fn more(&mut self) -> bool {
        let mut part = [0; 4096];
        // Where nobody has the terminal open any more, reading fails.
        let read = self.master.read(&mut part).unwrap_or(0);
        self.seen.extend(&part[..read]);
        read > 0
    }

    /// Everything that was drawn, to the end.
    fn end(mut self) -> String {
        while self.more() {}
        self.text()
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.seen).into_owned()
    }
}

/// The lines that were drawn, without what moves the cursor or colours.
fn lines(drawn: &str) -> Vec<String> {
    let acts = Regex::new("\u{1b}\\[[0-9;?]*[A-Za-z]").expect("a pattern");
    let plain = acts.replace_all(drawn, "");
    let lines = plain.split(['\n', '\r']).map(str::trim_end);
    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// A row of what moves: it is drawn to the terminal's edge without a line's end, and the next one follows.
const ROW: &str = r"^(the server fails calls to |debate +format|[0-9a-f]{12} |… and \d+ more *$|[\d,]+ of [\d,]+ debates? ended|[\d,]+( of about [\d,]+)? calls? in )";

/// What stays whole, since it is there to be copied.
const WHOLE: [&str; 3] = ["next  ", "next: ", "summary: "];

/// Whether every line fits: no row goes on in the next one.
fn fits(drawn: &str, columns: usize) {
    let row = Regex::new(ROW).expect("a pattern");
    let lines =
        lines(drawn).into_iter().filter(|line| !WHOLE.iter().any(|it| line.starts_with(it)));
    for line in lines.filter(|line| line.width() > columns) {
        for part in parts(&line, columns) {
            assert!(row.is_match(&part), "{columns} columns: {part:?} in {line}");
        }
    }
}

/// A line as a terminal breaks it.
fn parts(line: &str, columns: usize) -> Vec<String> {
    let (mut parts, mut used) = (vec![String::new()], 0);
    for c in line.chars() {
        let wide = c.to_string().width();
        if used + wide > columns {
            parts.push(String::new());
            used = 0;
        }
        used += wide;
        parts.last_mut().expect("a part").push(c);
    }
    parts
}

/// Long topics of wide and narrow characters.
fn many(place: &Place) {
    let topic = "Should 都市 ban private cars from their centres, and when, and who is to pay for what replaces them?";
    let settings = "rounds: 1\nallow_explicit: true\nrepeat: 24\n";
    place.write("job.yaml", &format!("topic: {topic}\n{settings}"));
}

#[test]
fn e2_with_many_debates_open_and_faults_no_line_is_wider_than_the_terminal() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let place = Place::new();
        many(&place);
        let gate = Gate::new();
        let (held, calls) = (gate.clone(), AtomicUsize::new(0));
        place.server.script(move |call| match calls.fetch_add(1, Ordering::SeqCst) {
            0..2 => good(call).after(held.clone()),
            // That is told in a long line.
            5 => Answer::status(
                503,
                "server busy, please try again. maximum pending requests exceeded",
            ),
            n if n % 7 == 0 => Answer::text(""),
            n if n % 11 == 0 => Answer::status(
                500,
                "the model runner has unexpectedly stopped, and says so at length",
            ),
            _ => good(call),
        });
        let args = ["run", "--retry-delay", "1ms", "job.yaml", "--max-debates", "24"];
        let (mut terminal, mut child) =
            Terminal::start(&place, place.command(&args), columns, rows);
        terminal.shows("24 in progress");
        terminal.shows("waiting: ");
        gate.open();
        let drawn = terminal.end();
        child.wait().expect("an end");
        fits(&drawn, columns.into());
        assert_eq!(drawn.contains("… and 10 more"), rows == 24, "{drawn}");
        assert!(drawn.contains("waiting for the server with llama3: "), "{drawn}");
        let end = lines(&drawn).join("\n");
        has_all(&end, &["\ntime      ", "\ncalls     ", "\ntokens    ", " in prompts, "]);
    }
}

#[test]
fn e2_while_a_server_fails_the_table_says_so() {
    let place = Place::new();
    many(&place);
    place.server.script(|_| Answer::busy());
    let args = ["run", "job.yaml", "--max-debates", "24"];
    let (mut terminal, mut child) = Terminal::start(&place, place.command(&args), 80, 24);
    terminal.shows("the server fails calls to llama3 (for ");
    place.server.script(good);
    let drawn = terminal.end();
    child.wait().expect("an end");
    fits(&drawn, 80);
}

#[cfg(unix)]
#[test]
fn e2_debates_unfinished_for_one_cause_have_one_line_on_a_terminal() {
    let place = Place::new();
    many(&place);
    let gate = Gate::new();
    let held = gate.clone();
    place.server.script(move |call| good(call).after(held.clone()));
    let args = ["run", "job.yaml", "--max-debates", "6"];
    let (mut terminal, mut child) = Terminal::start(&place, place.command(&args), 100, 30);
    terminal.shows("6 in progress");
    let mut kill = Command::new("kill");
    let sent = kill.args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    terminal.shows("stopping after the calls in flight");
    gate.open();
    let drawn = terminal.end();
    child.wait().expect("an end");
    let lines = lines(&drawn);
    let told: Vec<&String> = lines.iter().filter(|it| it.starts_with("unfinished  ")).collect();
    let cause = "unfinished   6 debates: stopped before the end by an interrupt (";
    assert!(told.len() == 1 && told[0].starts_with(cause), "{drawn}");
    let words = lines.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, words) = words.split_once("unfinished 6 debates: ").expect("what was left");
    let left = list(&place.path().join("output/.rebut/running"));
    let is_named = |path: &&PathBuf| words.contains(&name_of(path)[..12]);
    assert_eq!((left.len(), left.iter().filter(is_named).count()), (6, 5), "{drawn}");
    has(words, " and 1 more)");
    let counted = lines.iter().filter(|it| it.contains(" of 24 debates ended"));
    let wrong: Vec<&String> = counted.filter(|it| !it.starts_with("0 of ")).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn e2_a_terminal_that_is_frozen_holds_up_no_debate() {
    let place = Place::new();
    many(&place);
    let args = ["run", "job.yaml"];
    let (terminal, mut child) = Terminal::start(&place, place.command(&args), 80, 24);
    while place.debates().len() < 24 {}
    let drawn = terminal.end();
    child.wait().expect("an end");
    has_all(&drawn, &["24 done", "all debates: "]);
}

/// What a command draws on a terminal of 60 columns.
fn drawn(place: &Place, args: &[&str], color: bool) -> String {
    let mut command = place.command(args);
    if color {
        command.env_remove("NO_COLOR");
    }
    let (terminal, mut child) = Terminal::start(place, command, 60, 24);
    let drawn = terminal.end();
    child.wait().expect("an end");
    drawn
}

#[test]
fn e2_what_is_read_on_a_terminal_is_broken_between_words_and_coloured_there_only() {
    let topic = "Should cities ban private cars from their centres, and who is to pay for that?";
    let place = with_job(&format!("topic: {topic}\nrounds: 1\nallow_explicit: true\nrepeat: 2\n"));
    place.run_exits(0, &["job.yaml"]);
    let colours = Regex::new("\u{1b}\\[[0-9;]*m").expect("a pattern");
    for args in [
        &["show", "last"][..],
        &["stats"],
        &["check", "job.yaml"],
        &["doctor", "job.yaml"],
        &["status"],
    ] {
        let plain = drawn(&place, args, false);
        let is_prose = |line: &String| line.contains(' ') && !line.contains("output/");
        let wide: Vec<String> =
            lines(&plain).into_iter().filter(is_prose).filter(|line| line.width() > 60).collect();
        assert!(wide.is_empty(), "{args:?}: {wide:#?}");
        assert!(!colours.is_match(&plain), "{args:?}: {plain:?}");
        assert!(colours.is_match(&drawn(&place, args, true)), "{args:?}");
        let piped = place.rebut(args).stdout;
        assert!(!piped.contains('\u{1b}'), "{args:?}");
    }
    let check = place.rebut(&["check", "job.yaml"]).stdout;
    assert!(check.starts_with("done\t"), "{check}");
    let brief = lines(&drawn(&place, &["show", "last", "--budget", "400"], false));
    assert!(brief.len() > 9 && brief.iter().all(|line| line.width() <= 60), "{brief:#?}");
    let complaint = lines(&drawn(&place, &["show", "nobody"], false));
    assert!(complaint.len() > 2, "{complaint:#?}");
    let widest = complaint.iter().map(|line| line.width()).max();
    assert!(widest <= Some(60), "{complaint:#?}");
}

#[test]
fn j8_a_result_on_a_terminal_names_the_models() {
    let place = with_job(
        "format: duel\ntopic: Should zoos be closed?\nrounds: 2\nallow_explicit: true\na: {model: llama3}\nb: {model: mistral}\n",
    );
    let args = ["run", "job.yaml"];
    let (terminal, mut child) = Terminal::start(&place, place.command(&args), 80, 24);
    let drawn = lines(&terminal.end());
    child.wait().expect("an end");
    let at = drawn.iter().position(|line| line.starts_with("done  "));
    let result = drawn[at.expect("a result")..].join("\n");
    let outcome = place.trace()["outcome"]["line"].clone().as_str().expect("a line").to_owned();
    assert!(outcome.contains("llama3") && outcome.contains("mistral"));
    lacks(&drawn.join("\n"), &["Winner  ", "\n1 done"]);
    assert!(outcome.len() > 60, "too long for the line of a debate");
    has_all(&result.replace("\n  ", " "), &[&outcome]);
    assert!(!result.contains('\t'), "{result}");
}

#[test]
fn n_a_debate_that_resumes_says_so_on_a_terminal() {
    let place = with_job(TINY_JOB);
    place.killed_after(2, &[], good);
    let args = ["run", "job.yaml"];
    let (terminal, mut child) = Terminal::start(&place, place.command(&args), 120, 24);
    let drawn = lines(&terminal.end()).join("\n");
    child.wait().expect("an end");
    has_all(&drawn, &["round 1 of 1, resumed"]);
}
