//! A run that goes on while a test watches it.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr};

use mock_ollama::Gate;

use super::{Ended, Place, ended, good, is, trace_in};

/// A run whose stderr is read as it comes.
pub(crate) struct Run {
    child: Child,
    stderr: BufReader<ChildStderr>,
    said: String,
}

impl Run {
    pub(crate) fn over(mut child: Child) -> Self {
        let stderr = BufReader::new(child.stderr.take().expect("stderr"));
        let said = String::new();
        Self { child, stderr, said }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal, as `-TERM`.
    #[cfg(unix)]
    pub(crate) fn signal(&self, name: &str) {
        let mut kill = std::process::Command::new("kill");
        let sent = kill.args([name, &self.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()));
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().expect("a kill");
        self.child.wait().expect("an end");
    }

    /// Reads on until a line says it; returns all that was said by then.
    pub(crate) fn hears(&mut self, wanted: &str) -> &str {
        let mut line = String::new();
        while !line.contains(wanted) {
            line.clear();
            let read = self.stderr.read_line(&mut line).expect("a line");
            assert!(read > 0, "`{wanted}` is not said: {}", self.said);
            self.said += &line;
        }
        &self.said
    }

    /// Reads stdout until it says that, and no further.
    pub(crate) fn prints(&mut self, wanted: &str) {
        let mut stdout = BufReader::new(self.child.stdout.take().expect("stdout"));
        let mut line = String::new();
        while !line.contains(wanted) {
            line.clear();
            assert!(stdout.read_line(&mut line).expect("a line") > 0);
        }
        // What follows is not looked at: it must not fill the pipe.
        std::thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink()));
    }

    /// How it ended, and all that it said.
    pub(crate) fn ends(mut self) -> Ended {
        self.stderr.read_to_string(&mut self.said).expect("text");
        let output = self.child.wait_with_output().expect("the run ends");
        let stderr = self.said;
        Ended { stderr, ..ended(&output) }
    }
}

impl Place {
    /// `rebut run`, started.
    pub(crate) fn start(&self, args: &[&str]) -> Run {
        Run::over(self.spawn(args))
    }

    /// A run whose replies wait until the gate opens, once it has asked for so many.
    pub(crate) fn start_held(&self, args: &[&str], calls: usize) -> (Gate, Run) {
        let gate = Gate::new();
        let (held, before) = (gate.clone(), self.server.chats().len());
        self.server.script(move |call| good(call).after(held.clone()));
        let run = self.start(args);
        self.server.wait_for_chats(before + calls);
        (gate, run)
    }

    /// Lets the server hold back every clerk's reply until the gate opens.
    pub(crate) fn hold_clerks(&self) -> Gate {
        let gate = Gate::new();
        let held = gate.clone();
        self.reply_by(move |call| {
            is(call, "round-*/clerk").then(|| good(call).after(held.clone()))
        });
        gate
    }

    /// The same for every ballot.
    pub(crate) fn hold_ballots(&self) -> Gate {
        let gate = Gate::new();
        let held = gate.clone();
        self.reply_by(move |call| {
            is(call, "round-*/ballot/*").then(|| good(call).after(held.clone()))
        });
        gate
    }

    /// Waits until so many clerks were asked.
    pub(crate) fn wait_for_clerks(&self, count: usize) {
        self.server.wait_until(|calls| {
            let clerks = calls.iter().filter(|call| is(call, "round-*/clerk"));
            clerks.count() >= count
        });
    }

    /// How the debates in `output` ended, in order.
    pub(crate) fn statuses(&self) -> Vec<String> {
        let debates = self.debates().into_iter();
        let status = |trace: serde_json::Value| trace["status"].as_str().map(str::to_owned);
        debates.filter_map(|it| status(trace_in(&it))).collect()
    }
}
