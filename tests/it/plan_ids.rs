//! Row J9a: ids of debates that were planned once and must never be planned as others. A rerun of somebody's job would
//! otherwise play every finished debate again.

use std::path::Path;

use rebut::plan::{self, cells};
use rebut::templates::Templates;

use crate::harness::{loaded_job, read};

/// Four debates in each format, with settings on and off their defaults.
const JOBS: [&str; 5] = ["knockout", "moderated", "duel", "roundtable", "dialectic"];

#[test]
fn j9a_twenty_ids_of_plan_version_2_are_what_they_were() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plan-ids");
    let templates = Templates::load(None).expect("the built-in templates");
    let ids_of = |name: &str| {
        let path = folder.join(format!("{name}.yaml"));
        let job = loaded_job(&path, &templates).unwrap_or_else(|problems| panic!("{problems:?}"));
        cells::debates(&job, &templates, false)
            .map(|plan| format!("{name} {}\n", plan.id))
            .collect::<String>()
    };
    let now: String = JOBS.map(ids_of).concat();
    assert_eq!(plan::VERSION, 2);
    if std::env::var_os("SNAPSHOTS").is_some_and(|how| how == "overwrite") {
        std::fs::write(folder.join("ids.txt"), &now).expect("a snapshot");
    }
    assert_eq!(now, read(&folder.join("ids.txt")));
}
