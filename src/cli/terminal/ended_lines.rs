//! The line of a debate that has ended, for other programs and for people.

use std::path::PathBuf;

use super::color::Paint;
use super::screen;
use crate::artifacts::batch::{elsewhere, stopped};
use crate::plan::Plan;
use crate::run::debate::End;
use crate::text;

/// `done`, id, topic, outcome and index. Nothing for debates that were
/// skipped or not begun.
pub(super) fn fields(plan: &Plan, end: &End) -> Option<[String; 5]> {
    let (word, line, path) = match end {
        End::Committed { trace, path } => {
            let line = trace.line().unwrap_or_default();
            (trace.status.word(), line, path.join("index.md"))
        }
        End::Parked(cause) | End::Outdated(cause) | End::Stuck(cause) | End::Unfit(cause) => {
            ("unfinished", cause.clone(), PathBuf::new())
        }
        End::Stopped(by) => ("unfinished", stopped(*by), PathBuf::new()),
        End::Unmatched(why) => ("not started", why.to_string(), PathBuf::new()),
        End::Elsewhere(holder) => ("unfinished", elsewhere(holder), PathBuf::new()),
        _ => return None,
    };
    let path = path.to_string_lossy();
    Some([word, plan.short_id(), &plan.topic, &line, &path].map(text::one_line))
}

/// These separated by tabs, with what tells the debate from others of its job behind its topic.
pub(super) fn for_programs([word, id, topic, line, path]: &[String; 5], label: &str) -> String {
    let label = text::told_if(!label.is_empty(), || format!(" ({label})"));
    format!("{word}\t{id}\t{topic}{label}\t{line}\t{path}")
}

/// The same for a terminal, in lines that fit, with what tells the debate from others in place of its topic.
pub(super) fn for_people([word, id, _, line, _]: &[String; 5], mark: &str, width: usize) -> String {
    screen::result([word, id, mark, line], width, Paint::on(&std::io::stdout())).join("\n")
}

/// The same of a single debate, with its path below. Why it is unfinished stands only there where the causes at the end do not
/// say so.
pub(super) fn alone(fields: &[String; 5], has_causes: bool, width: usize) -> String {
    let [word, id, topic, line, path] = fields.each_ref().map(String::as_str);
    let line = if path.is_empty() && has_causes { "" } else { line };
    let mut lines = screen::result([word, id, topic, line], width, Paint::on(&std::io::stdout()));
    lines.extend((!path.is_empty()).then(|| format!("  {path}")));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j8_on_a_terminal_the_line_of_a_debate_fits_and_a_single_one_has_its_path_below() {
        let topic = "Should cities ban private cars from their centres?";
        let path = "output/d/index.md";
        let fields = ["done", "51f6a7a57cb2", topic, "Commuter stands", path].map(str::to_owned);
        let short = "done        51f6a7a57cb2  x.model=llama3  Commuter stands";
        assert_eq!(for_people(&fields, "x.model=llama3", 80), short);
        for (width, topic) in [(80, topic), (50, "Should cities ban priva…")] {
            let told = format!("done        51f6a7a57cb2  {topic}\n  Commuter stands\n  {path}");
            assert_eq!(alone(&fields, true, width), told);
        }
        let left = ["unfinished", "51f6a7a57cb2", topic, "no model", ""].map(str::to_owned);
        let line = format!("unfinished  51f6a7a57cb2  {topic}");
        assert_eq!(alone(&left, true, 80), line);
        assert_eq!(alone(&left, false, 80), format!("{line}\n  no model"));
    }
}
