//! A chart as a standalone SVG file: with its title, caption, legend, and colours for paper.

use crate::html::escape::escaped;
use crate::report::document::{Chart, Figure, Key};
use crate::text::lines::wrapped;

/// Colours and type, without variables: not every program that reads SVG knows those.
const STYLE: &str = include_str!("figure.css");
/// Pixels of a drawing that takes the width it is given.
const WIDTH: f64 = 720.0;
/// Pixels that texts have at least.
const LEAST_WIDTH: f64 = 480.0;
/// Pixels around everything.
const MARGIN: f64 = 24.0;
/// Pixels of a line of text.
const LINE: f64 = 18.0;
/// Pixels between parts.
const GAP: f64 = 14.0;
/// Characters of a line per pixel of the drawing.
const CHARS_PER_PIXEL: f64 = 0.145;

/// A chart of a figure as a file.
pub(super) fn svg(figure: &Figure, chart: &Chart, source: &str) -> String {
    let (width, height) = size(&chart.svg);
    let mut page = Page::new(width.max(LEAST_WIDTH));
    page.texts("title", &title(figure, chart));
    page.chart(&chart.svg, width, height);
    page.texts("caption", &figure.caption);
    figure.keys.iter().for_each(|key| page.key(key));
    page.y += GAP;
    page.texts("source", source);
    page.finish()
}

/// The title with what it shows; of a chart among several its own.
fn title(figure: &Figure, chart: &Chart) -> String {
    match (&chart.title, &figure.finding) {
        (Some(title), _) => title.clone(),
        (None, Some(finding)) => format!("{}: {finding}", figure.title),
        (None, None) => figure.title.clone(),
    }
}

/// A drawing's width and height in pixels.
fn size(svg: &str) -> (f64, f64) {
    let number = |name: &str| {
        let (_, rest) = svg.split_once(&format!(" {name}=\""))?;
        rest.split_once('"')?.0.parse().ok()
    };
    let height = number("height").unwrap_or(0.0);
    (number("width").unwrap_or(WIDTH), height)
}

/// Parts below each other.
struct Page {
    body: String,
    width: f64,
    y: f64,
}

impl Page {
    fn new(width: f64) -> Self {
        Self { body: String::new(), width, y: MARGIN }
    }

    /// A paragraph.
    fn texts(&mut self, class: &str, text: &str) {
        let chars = (self.width * CHARS_PER_PIXEL) as usize;
        for line in wrapped(text, "", "", chars) {
            self.text(class, MARGIN, &line);
        }
        self.y += GAP;
    }

    /// A line of text at the next base line.
    fn text(&mut self, class: &str, x: f64, line: &str) {
        self.y += LINE;
        let (y, line) = (self.y, escaped(line));
        let text = format!(r#"<text class="{class}" x="{x}" y="{y}">{line}</text>"#);
        self.add(&text);
    }

    /// The drawing in its own box, in which it takes the width it is given.
    fn chart(&mut self, svg: &str, width: f64, height: f64) {
        let (x, y) = (MARGIN, self.y);
        let chart =
            format!(r#"<svg x="{x}" y="{y}" width="{width}" height="{height}">{svg}</svg>"#);
        self.add(&chart);
        self.y += height + GAP;
    }

    /// What a mark means; some meanings have no mark.
    fn key(&mut self, key: &Key) {
        let (class, mark) = (key.class, self.y + LINE - 11.0);
        let indent = if class == "bare" { 0.0 } else { LINE };
        if indent > 0.0 {
            self.add(&format!(
                r#"<rect class="key {class}" x="{MARGIN}" y="{mark}" width="12" height="12"/>"#
            ));
        }
        self.text("caption", MARGIN + indent, &key.text);
    }

    fn finish(self) -> String {
        let (width, height) = (self.width + 2.0 * MARGIN, self.y + MARGIN);
        let body = self.body;
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"><style>{STYLE}</style><rect class="paper" width="{width}" height="{height}"/>{body}</svg>
"#
        )
    }

    fn add(&mut self, element: &str) {
        self.body.push_str(element);
    }
}
