//! The line of a debate that has ended, for other programs and for people.

use std::path::PathBuf;

use super::color::Paint;
use super::screen;
use crate::artifacts::batch::{elsewhere, stopped};
use crate::plan::Plan;
use crate::run::debate::End;
use crate::text;

/// `done`, id, topic, outcome and index, separated by tabs for other programs. Nothing for debates that were
/// skipped or not begun.
pub(super) fn fields(plan: &Plan, end: &End) -> Option<[String; 5]> {
    let (word, line, path) = match end {
        End::Committed { trace, path } => {
            let line = trace.line().unwrap_or_default().to_owned();
            (trace.status.word(), line, path.join("index.md"))
        }
        End::Parked(cause) | End::Stuck(cause) | End::Unfit(cause) => {
            ("unfinished", cause.clone(), PathBuf::new())
        }
        End::Stopped(by) => ("unfinished", stopped(*by), PathBuf::new()),
        End::Unmatched(why) => ("not started", why.to_string(), PathBuf::new()),
        End::Elsewhere(holder) => ("unfinished", elsewhere(holder), PathBuf::new()),
        _ => return None,
    };
    let path = path.to_string_lossy();
    let fields = [word, plan.short_id(), &plan.topic, &line, &path];
    Some(fields.map(text::one_line))
}

/// The same for a terminal, where a line must fit; a single debate has its outcome and its path below.
pub(super) fn for_people(
    [word, id, topic, line, path]: &[String; 5],
    alone: bool,
    width: usize,
) -> String {
    let paint = Paint::on(&std::io::stdout());
    if !alone || path.is_empty() {
        return screen::result([word, id, topic, line], width, paint);
    }
    let mut lines = vec![screen::row(word, &[id, topic], width, paint)];
    lines.extend(text::lines::wrapped(line, "  ", "  ", width));
    lines.push(format!("  {path}"));
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
        let short = "done        51f6a7a57cb2  Should cities b…  Commuter stands";
        assert_eq!(for_people(&fields, false, 80), short);
        for (width, topic) in [(80, topic), (50, "Should cities ban priva…")] {
            let alone = format!("done        51f6a7a57cb2  {topic}\n  Commuter stands\n  {path}");
            assert_eq!(for_people(&fields, true, width), alone);
        }
    }
}
