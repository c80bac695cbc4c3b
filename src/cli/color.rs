//! Colours: on a terminal, unless `--color` or `NO_COLOR` says otherwise.

use std::io::IsTerminal;
use std::sync::OnceLock;

use clap::ValueEnum;

/// When to use colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum When {
    /// On a terminal unless NO_COLOR is set
    #[default]
    Auto,
    /// Even in files and pipes
    Always,
    /// No colours
    Never,
}

/// The value of `--color`.
static CHOSEN: OnceLock<When> = OnceLock::new();

/// Sets the value of `--color`, once.
pub(super) fn choose(when: When) {
    // A second call could only bring the same value.
    let _ = CHOSEN.set(when);
}

/// Colours text, or leaves it unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Paint(bool);

impl Paint {
    #[cfg(test)]
    pub(super) const PLAIN: Self = Self(false);
    #[cfg(test)]
    pub(super) const COLORED: Self = Self(true);

    /// For output to this stream.
    pub(super) fn on(stream: &impl IsTerminal) -> Self {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self(match CHOSEN.get().copied().unwrap_or_default() {
            When::Always => true,
            When::Never => false,
            When::Auto => stream.is_terminal() && !is_set("NO_COLOR") && !is_dumb,
        })
    }

    /// By status: green if all is well, yellow if something is missing, red if it failed, magenta if
    /// unfinished.
    pub(super) fn status(self, word: &str, text: &str) -> String {
        let code = match word {
            "done" | "ok" => "32",
            "degraded" | "short" => "33",
            "failed" | "fails" | "lacks" => "31",
            "unfinished" | "to resume" | "to rebuild" | "to restart" | "to retry" => "35",
            "note" => "2",
            _ => return text.to_owned(),
        };
        self.with(code, text)
    }

    /// Less important text.
    pub(super) fn dim(self, text: &str) -> String {
        self.with("2", text)
    }

    /// More important text.
    pub(super) fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    fn with(self, code: &str, text: &str) -> String {
        match self.0 {
            true => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            false => text.to_owned(),
        }
    }
}
