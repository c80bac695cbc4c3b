//! A viewer, and a client that sends what it is told to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::harness::{Ended, Place, Run, list, name_of};

/// A viewer that serves a place's output directory.
pub(super) struct Viewer {
    run: Run,
    pub(super) port: u16,
    /// The address that it printed.
    pub(super) printed: String,
    /// Further lines that it printed, where they were asked for.
    pub(super) links: Vec<String>,
}

/// An answer.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

/// What an answer that is broken off has in place of a status.
const BROKEN: u16 = 0;

impl Viewer {
    pub(super) fn over(place: &Place, args: &[&str]) -> Self {
        let with_port = ["view", "output", "--listen", "127.0.0.1:0"];
        let is_elsewhere = args.contains(&"--listen");
        let start = if is_elsewhere { &with_port[..2] } else { &with_port[..] };
        Self::started(place, place.command(&[start, args].concat()), 0)
    }

    /// One whose first line is read, and so many more.
    pub(super) fn started(place: &Place, mut command: Command, more: usize) -> Self {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = place.spawn_command(command);
        let mut printed = String::new();
        let mut stdout = BufReader::new(child.stdout.take().expect("stdout"));
        stdout.read_line(&mut printed).expect("a line");
        let lines = stdout.lines().take(more);
        let links = lines.map(|line| line.expect("a line")).collect();
        Self {
            run: Run::over(child),
            port: port_of(&printed),
            printed: printed.trim().to_owned(),
            links,
        }
    }

    pub(super) fn kill(self) {
        self.run.kill();
    }

    /// Asks it to end, and waits until it has.
    pub(super) fn ends(self) -> Ended {
        self.run.signal("-TERM");
        self.run.ends()
    }

    pub(super) fn connect(&self) -> TcpStream {
        connect(self.port)
    }

    pub(super) fn get(&self, path: &str) -> Reply {
        self.get_with(path, "")
    }

    /// The same with further lines of the head.
    pub(super) fn get_with(&self, path: &str, lines: &str) -> Reply {
        self.send(&format!(
            "GET {path} HTTP/1.1\r\nHost: localhost:{}\r\n{lines}Connection: close\r\n\r\n",
            self.port
        ))
    }

    pub(super) fn send(&self, request: &str) -> Reply {
        let mut stream = self.connect();
        // It may answer and close before it has read all.
        let _ = stream.write_all(request.as_bytes());
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        Reply::parse(&String::from_utf8_lossy(&bytes))
    }

    /// The page, which is there.
    pub(super) fn page(&self, path: &str) -> String {
        let reply = self.get(path);
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        reply.body
    }

    pub(super) fn stream(&self, path: &str, lines: &str) -> Events {
        let mut stream = self.connect();
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n");
        stream.write_all(request.as_bytes()).expect("a request");
        Events::over(stream)
    }
}

pub(super) fn port_of(address: &str) -> u16 {
    let port = address.split("//").nth(1).and_then(|host| host.split(['/', '?']).next());
    let port = port.and_then(|host| host.rsplit(':').next()?.trim().parse().ok());
    port.unwrap_or_else(|| panic!("no address: {address}"))
}

pub(super) fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    // Only what hangs waits for so long.
    stream.set_read_timeout(Some(Duration::from_secs(300))).expect("a time");
    stream
}

impl Reply {
    fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Self { status: status.unwrap_or(BROKEN), head: head.to_lowercase(), body: body.to_owned() }
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// A stream of events.
pub(super) struct Events {
    pub(super) status: u16,
    pub(super) head: String,
    reader: BufReader<TcpStream>,
    /// Bytes of a chunk of the transfer that are left.
    text: String,
}

/// An event as a browser takes it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sent {
    pub(super) name: String,
    pub(super) id: Option<String>,
    pub(super) data: String,
}

impl Sent {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap_or_else(|e| panic!("{e}: {}", self.data))
    }
}

impl Events {
    fn over(stream: TcpStream) -> Self {
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).expect("a head") > 0 {}
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Self {
            status: status.unwrap_or(BROKEN),
            head: head.to_lowercase(),
            reader,
            text: String::new(),
        }
    }

    /// The next event; `None` once the stream has ended.
    pub(super) fn next(&mut self) -> Option<Sent> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                match event(&block) {
                    Some(event) => return Some(event),
                    None => continue,
                }
            }
            let more = self.chunk()?;
            self.text.push_str(&more);
        }
    }

    /// The events up to one of this name.
    pub(super) fn until(&mut self, name: &str) -> Vec<Sent> {
        let mut all = Vec::new();
        while let Some(event) = self.next() {
            let is_it = event.name == name;
            all.push(event);
            if is_it {
                return all;
            }
        }
        panic!("no `{name}` came: {all:?}");
    }

    /// The events up to the end of the stream.
    pub(super) fn rest(&mut self) -> Vec<Sent> {
        std::iter::from_fn(|| self.next()).collect()
    }

    /// A chunk of the transfer.
    fn chunk(&mut self) -> Option<String> {
        let mut line = String::new();
        self.reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let length = usize::from_str_radix(line.trim(), 16).ok().filter(|length| *length > 0)?;
        let mut bytes = vec![0; length + 2];
        self.reader.read_exact(&mut bytes).ok()?;
        bytes.truncate(length);
        Some(String::from_utf8(bytes).expect("text"))
    }
}

/// An event by the rules of the HTML standard: any of the three line ends ends a field.
fn event(block: &str) -> Option<Sent> {
    let block = block.replace("\r\n", "\n").replace('\r', "\n");
    let (mut name, mut id, mut data) = (String::new(), None, Vec::new());
    for line in block.lines() {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => name = value.to_owned(),
            "id" => id = Some(value.to_owned()),
            "data" => data.push(value),
            _ => {}
        }
    }
    let data = data.join("\n");
    (!data.is_empty()).then_some(Sent { name, id, data })
}

/// Twelve digits of the debate that has a live file.
pub(super) fn running(place: &Place) -> String {
    loop {
        let files = list(&place.path().join("output/.rebut/live"));
        // Before its first line is whole, nobody knows whose it is.
        let has_begun =
            |path: &&PathBuf| std::fs::read(path).is_ok_and(|text| text.contains(&b'\n'));
        let names = files.iter().filter(has_begun).map(|path| name_of(path));
        let mut ids = names.filter_map(|name| Some(name.strip_suffix(".jsonl")?.to_owned()));
        if let Some(id) = ids.next() {
            return id;
        }
    }
}

/// Lets runs think that somebody looks on, whenever they begin.
pub(super) fn look_on(place: &Place) {
    let watched = place.write("output/.rebut/live/watched", "");
    let file = std::fs::File::options().append(true).open(watched).expect("a file");
    let far = SystemTime::now() + Duration::from_secs(1 << 30);
    file.set_modified(far).expect("a time");
}
