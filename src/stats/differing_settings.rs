//! Settings in which debates differ that are counted together (row S3).

use std::collections::BTreeMap;

use super::counted_debates::View;
use crate::facts::Facts;
use crate::text::{capitalised, count, first_of, separated};

/// So many settings are named, and so many values of one.
const NAMED: usize = 4;
/// What a caveat on scores tells already.
const CRITERIA: &str = "criteria";

/// The value of a setting in debates that do not have it.
const NOT_SET: &str = "not set";

/// How many debates have each value of a setting.
type Values<'c> = BTreeMap<&'c str, usize>;

/// A sentence for each format whose debates differ in settings, other than those that the matrix assigned.
pub(super) fn cautions(view: &View<'_>) -> Vec<String> {
    view.formats().into_iter().filter_map(|format| of_format(view, format)).collect()
}

fn of_format(view: &View<'_>, format: &str) -> Option<String> {
    let mut all: BTreeMap<&str, Values<'_>> = BTreeMap::new();
    let debates: Vec<&Facts> =
        view.ended(format).map(|(_, facts)| facts).filter(|facts| !facts.is_control()).collect();
    for facts in &debates {
        let own = facts.settings().filter(|(name, _)| !assigns(facts, name));
        for (name, value) in own {
            *all.entry(name).or_default().entry(value).or_default() += 1;
        }
    }
    for (name, values) in &mut all {
        let without = without(&debates, name, values);
        values.extend((without > 0).then_some((NOT_SET, without)));
    }
    all.retain(|name, values| values.len() > 1 && *name != CRITERIA);
    let first = *all.keys().next()?;
    Some(format!(
        "{} debates that are counted together differ in settings: {}. See `rebut stats --by setting.{first}`.",
        capitalised(format),
        first_of(all.iter().map(told), NAMED)
    ))
}

/// How many debates do not have a setting that others have.
fn without(debates: &[&Facts], setting: &str, values: &Values<'_>) -> usize {
    if values.values().sum::<usize>() == debates.len() {
        return 0;
    }
    let lacks = |facts: &&&Facts| {
        let has = facts.settings().any(|(name, _)| name == setting);
        !has && !assigns(facts, setting)
    };
    debates.iter().filter(lacks).count()
}

/// Whether the matrix assigned a setting: then debates differ in it on purpose.
fn assigns(facts: &Facts, setting: &str) -> bool {
    let last = |path: &str| path.rsplit('.').next().map(str::to_owned);
    let (own, within) = (last(setting), format!("\"{setting}\":"));
    facts.private.cell.iter().any(|(path, value)| last(path) == own || value.contains(&within))
}

/// `max rounds (4 in 48 debates, 6 in 24 debates)`: of each value how many debates; of values that have no short words, or of many, only their number.
fn told((name, values): (&&str, &Values<'_>)) -> String {
    let mut each: Vec<(&str, usize)> = values.iter().map(|(value, n)| (*value, *n)).collect();
    if each.len() > NAMED || each.iter().any(|(value, _)| value.starts_with('#')) {
        return format!("{} ({} values)", name.replace('_', " "), each.len());
    }
    each.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let each = each.iter().map(|(value, n)| format!("{value} in {}", count(*n, "debate")));
    format!("{} ({})", name.replace('_', " "), separated(each, ", "))
}
