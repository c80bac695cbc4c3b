//! What `rebut stats --format json` found, looked up.

use serde_json::Value;

/// The 97.5th percentile of Student's distribution of one degree: what two topics leave.
pub(crate) const T1: f64 = 12.706_204_736_174_7;

/// Groups by name, the parts of a name between bars.
pub(crate) fn groups(found: &Value) -> Vec<(String, &Value)> {
    let all = found["breakdowns"][0]["groups"].as_array().expect("groups");
    let name = |group: &Value| {
        let parts: Vec<&str> =
            group["key"].as_array().expect("a key").iter().filter_map(Value::as_str).collect();
        parts.join("|")
    };
    all.iter().map(|group| (name(group), group)).collect()
}

/// The group of a name.
pub(crate) fn group<'f>(found: &'f Value, name: &str) -> &'f Value {
    let all = groups(found);
    let (_, group) = all
        .iter()
        .find(|(known, _)| known == name)
        .unwrap_or_else(|| panic!("no {name} in {all:?}"));
    group
}

/// The measure of a name in the group of all debates.
pub(crate) fn of_all<'f>(found: &'f Value, name: &str) -> &'f Value {
    measure(group(found, ""), name)
}

/// A group's measure; `null` where it has none of this name.
pub(crate) fn measure<'g>(group: &'g Value, name: &str) -> &'g Value {
    let all = group["measures"].as_array().expect("measures");
    all.iter().find(|measure| measure["name"] == name).unwrap_or(&Value::Null)
}

/// The value, the observations and the topics of a measure.
pub(crate) fn told(measure: &Value) -> (Option<f64>, u64, u64) {
    let count =
        |key: &str| measure[key].as_u64().unwrap_or_else(|| panic!("no {key} in {measure}"));
    (measure["value"].as_f64(), count("n"), count("clusters"))
}

/// Sees the values of measures with their observations and topics: group, measure, the three.
#[track_caller]
pub(crate) fn tells(found: &Value, expected: &[(&str, &str, f64, u64, u64)]) {
    for (name, of, value, n, topics) in expected {
        let found = told(measure(group(found, name), of));
        assert_eq!(found, (Some(*value), *n, *topics), "{of} of {name}");
    }
}

/// Of each item of a list, what it has at paths that stand between blanks: one value, or a list of several.
pub(crate) fn columns(list: &Value, paths: &str) -> Value {
    let row = |item: &Value| -> Value {
        let at = |path| item.pointer(&format!("/{path}")).cloned();
        let mut all = paths.split(' ').map(|path| at(path).unwrap_or_default());
        if paths.contains(' ') { all.collect() } else { all.next().unwrap_or_default() }
    };
    list.as_array().expect("a list").iter().map(row).collect()
}

#[track_caller]
pub(crate) fn close(found: &Value, expected: f64) {
    let number = found.as_f64().unwrap_or_else(|| panic!("{found} is no number"));
    assert!(
        (number - expected).abs() <= 1e-9 * expected.abs().max(1.0),
        "{number}, not {expected}"
    );
}

/// A line of a table on the terminal with one blank between its words.
pub(crate) fn squeezed(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}
