//! The report as people get it (row S5): a page, Markdown and JSON with the same numbers, whatever the findings hold.

mod sample;

use std::path::PathBuf;

use rebut::report;
use rebut::stats::findings::Findings;
use rebut::templates::Templates;

fn templates() -> Templates {
    Templates::load(None).expect("built-in templates")
}

fn html(findings: &Findings) -> String {
    report::html(findings, &templates()).expect("a page")
}

fn markdown(findings: &Findings) -> String {
    report::markdown(findings, &templates()).expect("Markdown")
}

/// Where `tests/report/look.mjs` finds pages to look at.
fn pages() -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("report");
    std::fs::create_dir_all(&dir).expect("a directory");
    dir
}

#[test]
fn s5_pages_to_look_at_are_written() {
    let samples = [("rich", sample::rich(300)), ("empty", sample::empty())];
    for (name, findings) in samples {
        let write = |ending: &str, text: String| {
            std::fs::write(pages().join(format!("{name}.{ending}")), text).expect("a file");
        };
        write("html", html(&findings));
        write("md", markdown(&findings));
        write("json", report::json(&findings));
    }
}
