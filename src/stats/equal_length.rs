//! How far two models' scores are apart at equal length of their texts.

use std::collections::BTreeMap;

use super::counted_debates::View;
use super::findings::AtEqualLength;
use super::judging::texts;
use statistics::slope::{Point, slope, slope_beside};

/// In debates whose contestants are judged side by side; `None` elsewhere, and without lengths.
pub(super) fn at_equal_length(
    view: &View<'_>,
    pair: [&str; 2],
    debates: &[usize],
) -> Option<AtEqualLength> {
    let points = points(view, pair, debates);
    let lengths: Vec<Point> = points.iter().map(|(p, length)| Point { y: *length, ..*p }).collect();
    Some(AtEqualLength {
        times_as_long: slope(&lengths).value?.exp(),
        difference: slope_beside(&points),
    })
}

/// A point for each score, beside the length of its text; x says whether it is of the first of the two, who are of one kind.
fn points(view: &View<'_>, pair: [&str; 2], debates: &[usize]) -> Vec<(Point, f64)> {
    let mut models: BTreeMap<&str, usize> = pair.map(|model| (model, 0)).into();
    let mut groups: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    let mut points = Vec::new();
    for debate in debates.iter().map(|number| number - 1) {
        let facts = view.debates[debate];
        let profile = facts.profile();
        let is_weighed = profile.has_winner && profile.team.is_none();
        for text in texts(facts).filter(|_| is_weighed) {
            let model = text.person.model.as_deref().unwrap_or_default();
            let (next, another) = (groups.len(), models.len());
            let group = groups.entry((debate, &*text.reading.judge));
            let point = Point {
                cluster: view.cluster(debate),
                group: *group.or_insert(next),
                kind: *models.entry(model).or_insert(another),
                x: f64::from(model == pair[0]),
                y: text.total,
            };
            points.push((point, text.length));
        }
    }
    points
}
