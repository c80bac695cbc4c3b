//! What happens at which operation.

/// One fault of a run.
pub(crate) struct Act {
    when: When,
    n: usize,
    /// Whether it happens at every operation from the nth on.
    on: bool,
}

/// What happens at an operation.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum When {
    /// The program is killed before it.
    Before,
    /// The program is killed when a part of it is done.
    Half,
    /// The program is killed when it is done.
    After,
    /// The program is killed when it has received so many bytes from sockets.
    Received,
    /// The operation is not done and fails with this error.
    Fail(i32),
}

impl Act {
    /// Reads `INJECT_ACT`; what it does not say right is a mistake in a test, and ends the program.
    pub(crate) fn parse(text: &str) -> Self {
        let words: Vec<&str> = text.split(' ').collect();
        let (when, on, n) = match words[..] {
            ["kill", "before", n] => (When::Before, false, n),
            ["kill", "half", n] => (When::Half, false, n),
            ["kill", "after", n] => (When::After, false, n),
            ["kill", "received", n] => (When::Received, false, n),
            ["fail", error, n] => (When::Fail(errno(error)), false, n),
            ["fail", error, "from", n] => (When::Fail(errno(error)), true, n),
            _ => panic!("INJECT_ACT={text}"),
        };
        let n = n.parse().expect("INJECT_ACT ends in a number");
        Self { when, n, on }
    }

    /// What happens at the nth operation on a file.
    pub(crate) fn at(&self, n: usize) -> Option<When> {
        let due = n == self.n || (self.on && n > self.n);
        (due && self.when != When::Received).then_some(self.when)
    }

    /// Whether the program is killed when so many bytes have come in, after so many before.
    pub(crate) fn within(&self, before: usize, now: usize) -> bool {
        self.when == When::Received && before < self.n && self.n <= now
    }
}

/// Openings of files that fail.
pub(crate) struct Refusal {
    pub(crate) errno: i32,
    pub(crate) most: usize,
    part: String,
}

impl Refusal {
    /// Reads `INJECT_READ`, as strictly.
    pub(crate) fn parse(text: &str) -> Self {
        let words: Vec<&str> = text.splitn(3, ' ').collect();
        let [error, most, part] = words[..] else { panic!("INJECT_READ={text}") };
        Self {
            errno: errno(error),
            most: most.parse().expect("INJECT_READ has a number"),
            part: part.to_owned(),
        }
    }

    /// Whether it means this path.
    pub(crate) fn means(&self, path: &[u8]) -> bool {
        String::from_utf8_lossy(path).contains(&self.part)
    }
}

fn errno(name: &str) -> i32 {
    match name {
        "ENOSPC" => libc::ENOSPC,
        "EIO" => libc::EIO,
        "EMFILE" => libc::EMFILE,
        _ => panic!("INJECT_ACT: {name}"),
    }
}
