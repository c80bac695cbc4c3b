//! A batch: all debates that a command names, so many begun at a time.

use super::debate::{End, Stage};
use super::schedule::Course;
use crate::event::Status;
use crate::model::contexts::Contexts;
use crate::plan::Plan;
use crate::servers::OnNotice;
use crate::stop::Stop;
use crate::store::error::StoreError;
use crate::store::finished::Finished;
use crate::store::{lists, replace, retry};
use crate::text;

/// How many directories that cannot be read are named.
const UNREADABLE: usize = 10;

/// What became of one debate of the batch.
#[derive(Debug)]
pub enum Fate {
    /// It was finished before.
    Skipped(Status),
    /// It ran, as far as it came.
    Ran(End),
    /// There was no server for it, or it was not its turn before the stop.
    NotBegun,
}

/// Hears of each debate as its fate is known.
pub type OnFate<'a> = &'a mut (dyn FnMut(&Plan, &Fate) + Send);

/// What was added to a batch since it was last asked for.
#[derive(Debug, Default)]
pub struct Added {
    /// The debates of jobs that were added.
    pub plans: Vec<Plan>,
    /// Whether there is a job file that may still be being written: it is worth looking again.
    pub more: bool,
}

/// A batch's totals.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Totals {
    /// Debates that were finished before.
    pub skipped: usize,
    /// Debates that another process finished in the meantime.
    pub shared: usize,
    /// Debates that are done, skipped ones included.
    pub done: usize,
    /// Degraded ones, skipped ones included.
    pub degraded: usize,
    /// Failed ones, skipped ones included.
    pub failed: usize,
    /// Unfinished for a cause.
    pub parked: usize,
    /// Debates that another job of the command names too.
    pub repeated: usize,
    /// Unfinished because the run was stopped.
    pub stopped: usize,
    /// Debates that were not begun.
    pub not_begun: usize,
}

impl Totals {
    pub(super) fn count(&mut self, fate: &Fate) {
        match fate {
            Fate::Skipped(status) => {
                self.skipped += 1;
                self.finished(*status);
            }
            Fate::Ran(End::Published { status, .. }) => self.finished(*status),
            Fate::Ran(End::Finished(status)) => {
                self.shared += 1;
                self.finished(*status);
            }
            Fate::Ran(End::Parked(_)) => self.parked += 1,
            Fate::Ran(End::Stopped | End::Elsewhere(_) | End::Short(_)) => self.stopped += 1,
            Fate::NotBegun => self.not_begun += 1,
        }
    }

    fn finished(&mut self, status: Status) {
        match status {
            Status::Done => self.done += 1,
            Status::Degraded => self.degraded += 1,
            Status::Failed => self.failed += 1,
        }
    }

    /// Debates that are not finished.
    pub fn left(&self) -> usize {
        self.parked + self.stopped + self.not_begun
    }

    /// Whether every debate is done.
    pub fn all_done(&self) -> bool {
        self.degraded + self.failed + self.left() == 0
    }
}

/// How a batch runs.
pub struct Batch {
    /// What its debates stand on.
    pub stage: Stage,
    /// Debates begun at a time, without those that wait for servers which are not there.
    pub max_open: usize,
    /// Debates begun at a time, with those: for so many there are files.
    pub most_open: usize,
    /// With how much context models are loaded.
    pub contexts: Contexts,
    /// What the user is told.
    pub tell: OnNotice,
    /// Asks to stop.
    pub stop: Stop,
}

impl Batch {
    /// Runs the debates in order, each at most once, then those that `added` brings in.
    ///
    /// # Errors
    /// Where the output directory cannot be read or written, or is gone. What is wrong with one debate is that debate's fate.
    pub async fn run(
        &self,
        plans: impl Iterator<Item = Plan> + Send,
        mut added: impl FnMut() -> Added + Send,
        on_fate: OnFate<'_>,
    ) -> Result<Totals, StoreError> {
        let finished = Finished::of(&self.stage.output)?;
        let state = self.stage.output.hold()?;
        let mut course = Course::new(self, Box::new(plans), finished, state, on_fate);
        course.run(&mut added).await?;
        let unreadable = self.list();
        if !unreadable.is_empty() {
            let shown = text::some_of(&unreadable, UNREADABLE);
            (self.tell)(&format!(
                "not listed, since neither index.md nor trace.json can be read: {shown}"
            ));
        }
        Ok(course.totals())
    }

    /// Rewrites the lists; the directories that do not say what they are. What is wrong with the lists ends no debate;
    /// `rebut index` makes them anew at any time.
    pub(super) fn list(&self) -> Vec<String> {
        match lists::rebuild(&self.stage.output, &self.stage.templates) {
            Ok(listed) => {
                let unreadable = listed.unreadable.iter();
                unreadable.map(|path| path.display().to_string()).collect()
            }
            Err(error) => {
                (self.tell)(&format!("the lists could not be written: {error}"));
                Vec::new()
            }
        }
    }

    /// Puts back what a replacement that was cut off left; to be called before anything else.
    pub fn put_back(&self) -> Result<(), StoreError> {
        for path in replace::put_back(&self.stage.output, &self.stage.clock)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            (self.tell)(&format!("put back {name}: its replacement was cut off"));
        }
        Ok(())
    }

    /// Goes back in finished debates of these states (row J10b), in all before the first goes on, so that a run that is
    /// stopped in between goes on with the same command without `--retry`.
    pub fn reopen(
        &self,
        plans: impl Iterator<Item = Plan>,
        states: &[Status],
    ) -> Result<(), StoreError> {
        let output = &self.stage.output;
        let finished = Finished::of(output)?;
        let mut count = 0;
        for plan in plans {
            let Some(found) = finished
                .get(&plan.id)
                .filter(|f| states.contains(&f.status))
            else {
                continue;
            };
            let reopened = match output.claim(&plan.id, &self.stage.holder) {
                Ok(Ok(_claim)) => retry::reopen(output, &plan.id, &found, &self.stage.clock)
                    .map_err(|e| e.to_string()),
                // Who holds the claim is at work on it.
                Ok(Err(_)) => continue,
                Err(error) => Err(error.to_string()),
            };
            match reopened {
                Ok(()) => count += 1,
                Err(error) => (self.tell)(&format!("{} is not retried: {error}", plan.short_id())),
            }
        }
        (self.tell)(&match count {
            0 => "there is nothing to retry".to_owned(),
            n => format!("going back in {}", text::count(n, "finished debate")),
        });
        Ok(())
    }

    /// Sets finished and begun debates aside, all before the first begins, so that a run that is stopped in between goes
    /// on with the same command without `--restart`.
    pub fn set_aside(&self, plans: impl Iterator<Item = Plan>) -> Result<(), StoreError> {
        let (output, clock) = (&self.stage.output, &self.stage.clock);
        let finished = Finished::of(output)?;
        for plan in plans {
            let found = finished.get(&plan.id).map(|found| found.path);
            let _claim = match output.claim(&plan.id, &self.stage.holder) {
                Ok(Ok(claim)) => claim,
                Ok(Err(holder)) => {
                    let id = plan.id.clone();
                    return Err(StoreError::Claimed { id, holder });
                }
                // That is this debate's own trouble, and told as such when it is begun.
                Err(_) => continue,
            };
            replace::set_debate_aside(output, &plan.id, found.as_deref(), clock)?;
        }
        Ok(())
    }
}
