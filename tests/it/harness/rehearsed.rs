//! A debate of the repository, rehearsed with its script at a time that never changes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::DateTime;
use rebut::clock::Clock;
use rebut::job::{Draft, Overrides};
use rebut::plan::{Plan, cells};
use rebut::run::debate::{self, RunContext};
use rebut::store::layout::OutputDir;
use rebut::templates::Templates;
use rebut::trace::Trace;

/// 2026-11-21 20:00 UTC, in seconds.
const BEGUN: i64 = 1_795_291_200;

/// A debate that was rehearsed.
pub(crate) struct Rehearsed {
    pub(crate) plan: Plan,
    pub(crate) trace: Box<Trace>,
    /// Its directory.
    pub(crate) dir: PathBuf,
}

/// Rehearses the first debate of a job in the repository, in an output directory.
pub(crate) fn rehearsed(job: &str, output: &Path) -> Rehearsed {
    let job = Path::new(env!("CARGO_MANIFEST_DIR")).join(job);
    let templates = Templates::load(None).expect("templates");
    let draft = Draft::open(&job, &Overrides::default(), &templates).expect("a job");
    let job = draft.with_script(None).read(&templates, |_, _| {});
    let plan = cells::debates(&job.expect("a script"), &templates, true).next().expect("a debate");
    let output = OutputDir::at(output);
    output.prepare().expect("an output directory");
    let clock = Clock::fixed(DateTime::from_timestamp(BEGUN, 0).expect("a time"));
    let stage = RunContext::new(&output, templates, clock, Duration::ZERO);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let end = runtime.block_on(debate::run(&stage, &plan, None));
    let debate::End::Committed { path, trace, .. } = end else {
        panic!("{end:?}");
    };
    Rehearsed { plan, trace, dir: path }
}
