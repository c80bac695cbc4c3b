//! Counts of links that tell which directories have none below them.

use super::*;

#[test]
fn s1_a_count_of_links_that_a_directory_belies_is_not_believed() {
    let dir = tempfile::tempdir().expect("a directory");
    let below = dir.path().join("below");
    fs::create_dir(&below).expect("a directory");
    assert!(CountsDirs::shown_by(&below, 0).is_none(), "empty ones tell nothing");
    assert!(CountsDirs::shown_by(dir.path(), 7).is_none());
}

#[test]
fn s1_only_the_directory_of_messages_saves_the_listing() {
    let dir = tempfile::tempdir().expect("a directory");
    let made = |path: &str| fs::create_dir_all(dir.path().join(path)).expect("a directory");
    made("debate/messages");
    made("other/directory");
    made("two/messages");
    made("two/directory");
    made("deep/messages/directory");
    let Some(counts) = CountsDirs::shown_by(dir.path(), 4) else {
        return; // This file system does not count.
    };
    let none_below = |name: &str| counts.none_below(&dir.path().join(name));
    assert!(none_below("debate") && none_below("debate/messages"));
    let listed = ["other", "two", "deep", "none"];
    assert_eq!(listed.map(none_below), [false; 4]);
}
