//! Colours: on a terminal, unless `--color` or `NO_COLOR` says otherwise.

use std::hash::{BuildHasher, RandomState};
use std::io::IsTerminal;
use std::sync::{LazyLock, OnceLock};

use clap::ValueEnum;

use crate::text::visible;

/// When to use colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum When {
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

/// What stands for the beginning of a colour's code until a text is printed ([`shown`]): it differs in every process, so that no
/// text from elsewhere can have it.
static MARK: LazyLock<String> =
    LazyLock::new(|| format!("\u{1b}{:016x}:", RandomState::new().hash_one("colour")));

/// A text as a terminal gets it: with the colours of [`Paint`], and everything else visible. Nothing is printed for people
/// otherwise, since what comes from files may act on a terminal.
pub(in crate::cli) fn shown(text: &str) -> String {
    let mut parts = text.split(MARK.as_str());
    let first = visible(parts.next().unwrap_or_default());
    let rest = parts.map(|part| {
        let (code, text) = part.split_once('m').unwrap_or((part, ""));
        format!("\u{1b}[{code}m{}", visible(text))
    });
    std::iter::once(first).chain(rest).collect()
}

/// Sets the value of `--color`, once.
pub(in crate::cli) fn choose(when: When) {
    // A second call could only bring the same value.
    let _ = CHOSEN.set(when);
}

/// Colours text that is then printed, or leaves it unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) struct Paint(bool);

impl Paint {
    #[cfg(test)]
    pub(in crate::cli) const PLAIN: Self = Self(false);
    #[cfg(test)]
    pub(in crate::cli) const COLORED: Self = Self(true);

    /// For output to this stream.
    pub(in crate::cli) fn on(stream: &impl IsTerminal) -> Self {
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
    pub(in crate::cli) fn status(self, word: &str, text: &str) -> String {
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
    pub(in crate::cli) fn dim(self, text: &str) -> String {
        self.with("2", text)
    }

    /// More important text.
    pub(in crate::cli) fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.0 { format!("{mark}{code}m{text}{mark}0m", mark = *MARK) } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e2_only_our_own_colours_act_on_a_terminal() {
        let hostile = "a\u{1b}[2J\u{1b}[31mb\u{9b}0m\u{1b}]0;x\u{7}\u{202e}";
        let inert = "a\u{fffd}[2J\u{fffd}[31mb\u{fffd}0m\u{fffd}]0;x\u{fffd}\u{fffd}";
        assert_eq!(shown(hostile), inert);
        let painted = format!("1 {}\n2", Paint::COLORED.status("failed", hostile));
        assert_eq!(shown(&painted), format!("1 \u{1b}[31m{inert}\u{1b}[0m\n2"));
        assert_eq!(shown(&Paint::PLAIN.bold("a\tb\n")), "a\tb\n");
    }
}
