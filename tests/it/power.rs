//! A power cut, which a kill is not: what was not synced is gone. From the fault injector's log of a run, the worst that the
//! rules allow is put together for every moment: of each file what was last synced, of each directory the names that it
//! had when it was last synced. From there `rebut` must go on.

use std::collections::BTreeMap;
use std::path::Path;

use crate::fault_injector::Line;
use crate::harness::{TINY_JOB, blanked, each, with_job};

/// A file or directory: what a reader sees, and what a power cut leaves.
#[derive(Default)]
struct Node {
    is_dir: bool,
    seen: Content,
    on_disk: Content,
}

/// A file has bytes, a directory names, each with the node that it stands for.
#[derive(Default, Clone)]
struct Content {
    bytes: Vec<u8>,
    names: BTreeMap<String, usize>,
}

/// A disk, put together from a log. Node 0 is the output directory.
struct Disk {
    nodes: Vec<Node>,
}

impl Disk {
    fn new() -> Self {
        let root = Node { is_dir: true, ..Node::default() };
        Self { nodes: vec![root] }
    }

    /// Does what a line says was done.
    fn take(&mut self, line: &Line) {
        let path = if line.path.starts_with('/') { "" } else { &line.path };
        match line.what.as_str() {
            "mkdir" | "create" => self.make(path, line.what == "mkdir"),
            "write" => {
                let node = self.find(path);
                self.nodes[node].seen.bytes.extend(unescaped(&line.rest));
            }
            "fsync" | "fdatasync" => {
                let node = self.find(path);
                self.nodes[node].on_disk = self.nodes[node].seen.clone();
            }
            "syncfs" => {
                for node in &mut self.nodes {
                    node.on_disk = node.seen.clone();
                }
            }
            "rename" => {
                let (holder, name) = self.place(&line.from);
                let node = self.nodes[holder].seen.names.remove(&name).expect("a name");
                let (holder, name) = self.place(path);
                self.nodes[holder].seen.names.insert(name, node);
            }
            "unlink" => {
                let (holder, name) = self.place(path);
                self.nodes[holder].seen.names.remove(&name);
            }
            "ftruncate" => {
                let node = self.find(path);
                self.nodes[node].seen.bytes.clear();
            }
            other => panic!("{other}"),
        }
    }

    fn make(&mut self, path: &str, is_dir: bool) {
        if path.is_empty() {
            return;
        }
        let (holder, name) = self.place(path);
        let new = self.nodes.len();
        let node = *self.nodes[holder].seen.names.entry(name).or_insert(new);
        if node == new {
            self.nodes.push(Node { is_dir, ..Node::default() });
        }
    }

    /// The node that readers find at a path.
    fn find(&self, path: &str) -> usize {
        let parts = path.split('/').filter(|part| !part.is_empty());
        parts.fold(0, |node, part| self.nodes[node].seen.names[part])
    }

    /// The directory that holds a path, and the name in it.
    fn place(&self, path: &str) -> (usize, String) {
        let (holder, name) = path.rsplit_once('/').unwrap_or(("", path));
        (self.find(holder), name.to_owned())
    }

    /// What a power cut leaves of a node.
    fn left(&self, node: usize) -> Left {
        let node = &self.nodes[node];
        if !node.is_dir {
            return Left::File(node.on_disk.bytes.clone());
        }
        let names = node.on_disk.names.iter();
        Left::Directory(names.map(|(name, node)| (name.clone(), self.left(*node))).collect())
    }
}

/// What a power cut leaves of a file or directory.
#[derive(PartialEq)]
enum Left {
    File(Vec<u8>),
    Directory(BTreeMap<String, Left>),
}

impl Left {
    fn write(&self, path: &Path) {
        match self {
            Self::File(bytes) => std::fs::write(path, bytes).expect("a file"),
            Self::Directory(names) => {
                std::fs::create_dir_all(path).expect("a directory");
                names.iter().for_each(|(name, left)| left.write(&path.join(name)));
            }
        }
    }
}

/// The bytes that the fault injector shows in ASCII.
fn unescaped(shown: &str) -> Vec<u8> {
    let inner = shown.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let mut shown = inner.expect("quotes").bytes();
    let mut bytes = Vec::new();
    while let Some(byte) = shown.next() {
        let escape = (byte == b'\\').then(|| shown.next().expect("an escape"));
        bytes.push(match escape {
            None => byte,
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'x') => {
                let mut digit = || char::from(shown.next().expect("a digit")).to_digit(16);
                let (high, low) = (digit().expect("a digit"), digit().expect("a digit"));
                (16 * high + low) as u8
            }
            Some(other) => other,
        });
    }
    bytes
}

/// What a power cut would leave at some moments of a run, and how many calls had been sent at the last of them.
struct Moment {
    left: Left,
    sent: usize,
}

/// The moments at which an operation had just been done; those in a row that leave the same are one.
fn moments(seen: &[Line]) -> Vec<Moment> {
    let (mut disk, mut sent) = (Disk::new(), 0);
    let (mut begun, mut moments) = (BTreeMap::new(), Vec::<Moment>::new());
    for line in seen {
        sent += usize::from(line.rest.starts_with("\"POST /api/chat"));
        if line.n > 0 && line.begins {
            begun.insert(line.n, line);
        } else if line.n > 0 && !line.rest.starts_with("= -") {
            disk.take(begun[&line.n]);
            let left = disk.left(0);
            moments.pop_if(|last| last.left == left);
            moments.push(Moment { left, sent });
        }
    }
    moments
}

#[test]
fn a5_after_a_power_cut_at_any_moment_it_goes_on_and_ends_equal() {
    let whole = with_job(TINY_JOB);
    let ended = whole.run_injected(&["job.yaml", "--concurrency", "1"], "");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let expected = blanked(&whole.debates()[0]);
    let needed = whole.server.chats().len();
    let moments = moments(&whole.seen());
    assert!(moments.len() > 15, "{} moments", moments.len());
    each(&moments, |moment| {
        let place = with_job(TINY_JOB);
        moment.left.write(&place.path().join("output"));
        let committed = place.debates();
        assert!(committed.iter().all(|debate| blanked(debate) == expected));
        place.run_exits(0, &["job.yaml"]);
        let debates = place.debates();
        assert!(debates.len() == 1 && blanked(&debates[0]) == expected);
        // The call in flight, and those whose replies were being written: of three ballots the last, and the two before it.
        let again = (moment.sent + place.server.chats().len()).saturating_sub(needed);
        assert!(again <= 3, "{again} calls were asked again");
    });
}
