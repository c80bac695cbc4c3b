//! The drawing primitives of all charts: an inline SVG of lines, rectangles, marks and texts, coloured only by classes.
//!
//! A fluid drawing counts x in per cent of its width, so that it fits a phone and a sheet of paper while its texts
//! keep their size; a fixed one counts pixels, in a scrolling box.

use super::escape::escaped;
use crate::text;

/// A drawing in progress.
#[derive(Debug)]
pub(crate) struct Svg {
    body: String,
    unit: &'static str,
    class: &'static str,
}

/// What a drawing is called and what it shows, for those who do not see it.
#[derive(Debug, Clone)]
pub(crate) struct Label {
    /// Its id, of its own on the page.
    pub id: String,
    /// Its name.
    pub title: String,
    /// What it shows, in a sentence or two.
    pub desc: String,
}

/// Where a text stands with regard to its x.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// Behind it.
    Start,
    /// Behind a mark at it.
    Beside,
    /// Behind the column of ranks.
    BesideRanks,
    /// Around it.
    Middle,
    /// Before it.
    End,
}

/// A mark of a value. Shapes tell apart what colours do, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A point estimate.
    Disc,
    /// A second value, such as a high percentile.
    Square,
    /// Something to compare with.
    Diamond,
}

impl Svg {
    /// A drawing as wide as its place.
    pub(crate) fn fluid() -> Self {
        Self { body: String::new(), unit: "%", class: "fluid" }
    }

    /// The same in rows: where there is room, the style sets their names and values beside the marks.
    pub(crate) fn rows() -> Self {
        Self { class: "rows", ..Self::fluid() }
    }

    /// A drawing in pixels.
    pub(crate) fn fixed() -> Self {
        Self { body: String::new(), unit: "", class: "fixed" }
    }

    /// A line from one point to another.
    pub(crate) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let (x1, x2) = (self.x(from.0), self.x(to.0));
        let (y1, y2) = (short(from.1), short(to.1));
        self.add(&format!(r#"<line class="{class}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>"#));
    }

    /// Lines of one class as one element, of a fixed drawing.
    pub(crate) fn lines(&mut self, class: &str, lines: impl Iterator<Item = [(f64, f64); 2]>) {
        let path: String = lines
            .map(|[from, to]| {
                let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(short);
                format!("M{x1} {y1}L{x2} {y2}")
            })
            .collect();
        self.add(&format!(r#"<path class="{class}" d="{path}"/>"#));
    }

    /// A rectangle from its upper left corner.
    pub(crate) fn rect(&mut self, class: &str, at: (f64, f64), size: (f64, f64)) {
        let (x, width) = (self.x(at.0), self.x(size.0.max(0.0)));
        let (y, height) = (short(at.1), short(size.1.max(0.0)));
        self.add(&format!(
            r#"<rect class="{class}" x="{x}" y="{y}" width="{width}" height="{height}"/>"#
        ));
    }

    /// A text on its base line.
    pub(crate) fn text(&mut self, class: &str, at: (f64, f64), anchor: Anchor, text: &str) {
        self.titled(class, at, anchor, text, usize::MAX);
    }

    /// A text of at most `max` characters; what was longer is whole in its tooltip.
    pub(crate) fn titled(
        &mut self,
        class: &str,
        at: (f64, f64),
        anchor: Anchor,
        text: &str,
        max: usize,
    ) {
        let (x, y) = (self.x(at.0), short(at.1));
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Beside => r#" dx="9""#,
            Anchor::BesideRanks => r#" dx="42""#,
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        let whole = text::one_line(text);
        let cut = clipped(&whole, max);
        let title = (cut != whole).then(|| format!("<title>{}</title>", escaped(&whole)));
        self.add(&format!(
            r#"<text class="{class}" x="{x}" y="{y}"{anchor}>{}{}</text>"#,
            title.unwrap_or_default(),
            escaped(&cut)
        ));
    }

    /// A mark around a point.
    pub(crate) fn mark(&mut self, class: &str, at: (f64, f64), shape: Shape) {
        let (x, y) = (self.x(at.0), short(at.1));
        let mark = match shape {
            Shape::Disc => format!(r#"<circle class="{class}" cx="{x}" cy="{y}" r="5"/>"#),
            Shape::Square => inner(&x, &y, class, "M-4-4H4V4H-4Z"),
            Shape::Diamond => inner(&x, &y, class, "M0-6L5 0L0 6L-5 0Z"),
        };
        self.add(&mark);
    }

    /// The whole drawing. `width` in pixels is for fixed drawings.
    pub(crate) fn finish(self, label: &Label, width: Option<f64>, height: f64) -> String {
        let (id, class, height) = (&label.id, self.class, short(height));
        let size = match width.map(short) {
            Some(width) => {
                format!(r#"width="{width}" height="{height}" viewBox="0 0 {width} {height}""#)
            }
            None => format!(r#"width="100%" height="{height}""#),
        };
        format!(
            r#"<svg class="{class}" role="img" aria-labelledby="{id}-t {id}-d" {size}><title id="{id}-t">{}</title><desc id="{id}-d">{}</desc>{}</svg>"#,
            escaped(&text::one_line(&label.title)),
            escaped(&text::one_line(&label.desc)),
            self.body
        )
    }

    fn x(&self, x: f64) -> String {
        format!("{}{}", short(x), self.unit)
    }

    fn add(&mut self, element: &str) {
        self.body.push_str(element);
    }
}

fn inner(x: &str, y: &str, class: &str, path: &str) -> String {
    format!(r#"<svg class="at" x="{x}" y="{y}"><path class="{class}" d="{path}"/></svg>"#)
}

/// A text's first characters, with an ellipsis where some are omitted. Names are cut inside words: they may have one only.
pub(crate) fn clipped(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let head: String = text.chars().take(max.saturating_sub(1)).collect();
    format!("{}…", head.trim_end())
}

/// A coordinate with at most two decimals.
fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0" } else { text }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s5_a_long_name_is_cut_and_whole_in_its_tooltip() {
        let mut svg = Svg::fluid();
        svg.titled("name", (0.0, 12.0), Anchor::Start, "a<b>cdefgh", 6);
        assert_eq!(
            svg.body,
            r#"<text class="name" x="0%" y="12"><title>a&lt;b&gt;cdefgh</title>a&lt;b&gt;c…</text>"#
        );
    }

    #[test]
    fn s5_a_drawing_says_what_it_shows() {
        let label =
            Label { id: "c".to_owned(), title: "A & B".to_owned(), desc: "\"x\"".to_owned() };
        assert_eq!(
            Svg::fixed().finish(&label, Some(40.0), 10.5),
            r#"<svg class="fixed" role="img" aria-labelledby="c-t c-d" width="40" height="10.5" viewBox="0 0 40 10.5"><title id="c-t">A &amp; B</title><desc id="c-d">&quot;x&quot;</desc></svg>"#
        );
    }
}
