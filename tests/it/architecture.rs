//! The layers: a module uses only what stands above it in `src/lib.rs`, and no file uses one that uses it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use sources::Sources;

use crate::harness::{list, read};

mod sources;

/// The list of formats is asked here for what the layers below the floor need of each: its settings and its name.
const LISTS_FORMATS: &[&str] = &["job/format_registry.rs"];

/// What may read the time of day; the last one measures how long a call takes, and dates an answer without a date whose server names a
/// time to wait for.
const READ_THE_CLOCK: &[&str] = &["clock.rs", "cli", "model/ollama/call_time.rs"];

/// What has times that no file has, or only a cache of ours.
const KEEP_TIMES: &[&str] = &["facts.rs", "labels/answers.rs", "stats.rs", "store/clean.rs"];

fn layers() -> Vec<String> {
    let map = read(&source().join("lib.rs"));
    map.lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        .map(str::to_owned)
        .collect()
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn files_below(dir: &Path) -> Vec<PathBuf> {
    list(dir)
        .into_iter()
        .flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] })
        .collect()
}

/// A file without the items that only tests have. An item ends, as rustfmt writes it, at the indentation at which it began.
fn without_tests(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let (mut lines, mut code) = (text.lines(), String::new());
    while let Some(line) = lines.next() {
        if line.trim_start() != "#[cfg(test)]" {
            code += line;
            code.push('\n');
            continue;
        }
        let ends = |it: &&str| indent(it) == indent(line) && it.ends_with([';', '}', ',']);
        lines.by_ref().find(ends);
    }
    code
}

/// The modules that a file names as `crate::module`, outside its tests.
fn used(text: &str) -> Vec<String> {
    let code: String = without_tests(text)
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n");
    let names = code.split("crate::").skip(1).flat_map(|rest| match rest.strip_prefix('{') {
        Some(group) => first_level(group),
        None => vec![rest.to_owned()],
    });
    names
        .map(|name| name.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect())
        .collect()
}

/// The parts of `a, b::{c, d}, e}` that stand before its closing brace: `a`, `b::{c, d}`, `e`.
fn first_level(group: &str) -> Vec<String> {
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for c in group.chars() {
        match c {
            '}' if depth == 0 => break,
            ',' if depth == 0 => parts.push(String::new()),
            _ => parts.last_mut().expect("there is a part").push(c),
        }
        depth += i32::from(c == '{') - i32::from(c == '}');
    }
    parts.iter().map(|part| part.trim().to_owned()).collect()
}

fn upward_arrows(layers: &[String], module: &str, text: &str) -> Vec<String> {
    let place = |name: &str| layers.iter().position(|layer| layer == name);
    let own = place(module).expect("every module is in lib.rs");
    used(text).into_iter().filter(|name| place(name).is_some_and(|other| other > own)).collect()
}

#[test]
fn no_module_uses_one_that_stands_below_it() {
    let layers = layers();
    for path in files_below(&source()) {
        let below = path.strip_prefix(source()).expect("below src");
        let module = below
            .components()
            .next()
            .expect("a part")
            .as_os_str()
            .to_string_lossy()
            .replace(".rs", "");
        if matches!(module.as_str(), "lib" | "main") {
            continue;
        }
        let mut arrows = upward_arrows(&layers, &module, &read(&path));
        if LISTS_FORMATS.contains(&below.to_string_lossy().as_ref()) {
            arrows.retain(|arrow| arrow != "formats");
        }
        assert!(
            arrows.is_empty(),
            "{} uses {arrows:?}, which stand below it in src/lib.rs",
            below.display()
        );
    }
}

#[test]
fn an_arrow_against_the_layers_is_found() {
    let layers = ["job", "floor", "cli"].map(str::to_owned);
    assert_eq!(
        upward_arrows(&layers, "floor", "use crate::{job::{A, B}, cli};\n// crate::cli"),
        ["cli"]
    );
    assert_eq!(upward_arrows(&layers, "job", "fn f() { crate::floor::g() }"), ["floor"]);
    assert!(upward_arrows(&layers, "cli", "use crate::floor::Floor;\nuse crate::job;").is_empty());
    let after_a_test = "#[cfg(test)]\nmod tests {\n    use crate::cli;\n}\nuse crate::floor;";
    assert_eq!(upward_arrows(&layers, "job", after_a_test), ["floor"]);
}

#[test]
fn only_the_command_line_prints_and_nothing_else_reads_the_clock() {
    for path in files_below(&source()) {
        let below = path.strip_prefix(source()).expect("below src").to_string_lossy().into_owned();
        let code = without_tests(&read(&path));
        assert!(!code.contains("print!(") && !code.contains("println!("), "{below} prints");
        let clocks = ["Utc::now", "Local::now", "SystemTime::now"];
        let reads_clock = clocks.iter().any(|clock| code.contains(clock));
        let may = READ_THE_CLOCK.iter().any(|it| below.starts_with(it));
        assert!(!reads_clock || may, "{below} reads the clock");
    }
}

#[test]
fn every_time_in_a_file_is_written_with_three_digits() {
    let is_time = |line: &str| line.starts_with("pub ") && line.contains("DateTime<Utc>");
    let mut seen = 0;
    for path in files_below(&source()) {
        let below = path.strip_prefix(source()).expect("below src").to_string_lossy().into_owned();
        let text = read(&path);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for field in lines.windows(3).filter(|it| is_time(it[2]) && it[2].ends_with(',')) {
            let is_ours = field.concat().contains("crate::clock::serialize");
            assert!(is_ours || KEEP_TIMES.contains(&&*below), "{below}: {}", field[2]);
            seen += usize::from(is_ours);
        }
    }
    assert!(seen > 20, "{seen}");
}

/// The files that can reach themselves, each with the others in its circle.
fn circles(arrows: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<Vec<String>> {
    let reached: BTreeMap<_, _> = arrows.keys().map(|file| (file, reach(arrows, file))).collect();
    let circle_of = |file: &String| {
        let others = reached[file].iter().copied();
        let back = others.filter(|&other| reached.get(other).is_some_and(|it| it.contains(file)));
        back.cloned().collect::<Vec<_>>()
    };
    let circles = arrows.keys().map(circle_of);
    circles.filter(|circle| circle.len() > 1).collect()
}

/// The files that a file uses, directly or through others.
fn reach<'a>(
    arrows: &'a BTreeMap<String, BTreeSet<String>>,
    from: &'a String,
) -> BTreeSet<&'a String> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(file) = open.pop() {
        let next = arrows.get(file).into_iter().flatten();
        open.extend(next.filter(|&to| reached.insert(to)));
    }
    reached
}

#[test]
fn no_file_uses_one_that_uses_it() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    let others = ["scheduler", "statistics", "text"].map(|name| crates.join(name).join("src"));
    for root in others.into_iter().chain([source()]) {
        let circles = circles(&Sources::read(&root).arrows());
        assert!(circles.is_empty(), "{}: {circles:#?}", root.display());
    }
}

#[test]
fn a_circle_between_files_is_found_and_passing_on_a_name_is_none() {
    let passed_on = Sources::made_up([
        ("", "mod a;"),
        ("a", "mod b; mod c; pub use c::C; use b::B; fn f(_: B) {}"),
        ("a::b", "use super::C; pub struct B(C);"),
        ("a::c", "pub struct C; #[cfg(test)] mod tests { use super::super::b::B; }"),
    ]);
    assert_eq!(circles(&passed_on.arrows()), BTreeSet::new());
    let circle = Sources::made_up([
        ("", "mod a;"),
        ("a", "mod b; mod c; pub struct A; fn f() { b::g() }"),
        ("a::b", "use super::c; pub fn g() { c::h() }"),
        ("a::c", "pub fn h() { let _: crate::a::A; }"),
    ]);
    let files = ["a", "a/b", "a/c"].map(str::to_owned).to_vec();
    assert_eq!(circles(&circle.arrows()), BTreeSet::from([files]));
}
