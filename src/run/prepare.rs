//! Before a batch: repairs after a kill, then `--restart` or `--retry` for all debates before the first one runs. So a run that
//! is stopped can be resumed with the same command without these flags.

use super::batch::Batch;
use crate::event::Status;
use crate::files;
use crate::plan::Plan;
use crate::store::error::{Result, StoreError};
use crate::store::finished::FinishedDebates;
use crate::store::{reopen, replace};
use crate::text;

impl Batch {
    /// Puts back directories whose replacement was interrupted. This comes before everything else.
    pub(crate) fn put_back(&self) -> Result<()> {
        for path in replace::put_back(&self.context.output, &self.context.clock)? {
            let name = files::name_of(&path);
            (self.notify)(&format!("restored {name}: its replacement had been interrupted"));
        }
        Ok(())
    }

    /// Reopens the finished debates with one of these statuses (row J10b).
    pub(crate) fn reopen(
        &self,
        plans: impl Iterator<Item = Plan>,
        statuses: &[Status],
    ) -> Result<()> {
        let finished = FinishedDebates::list(&self.context.output)?;
        let mut count = 0;
        for plan in plans {
            let debate = finished.get(&plan.id)?;
            let Some(debate) = debate.filter(|it| statuses.contains(&it.status)) else { continue };
            let claim = self.context.output.claim(&plan.id, &self.context.holder);
            let reopened = match claim {
                Ok(Ok(_claim)) => {
                    reopen::before_first_gap(&self.context.output, &debate, &self.context.clock)
                }
                // Another process is working on it.
                Ok(Err(_)) => continue,
                Err(error) => Err(error.into()),
            };
            match reopened {
                Ok(()) => count += 1,
                Err(error) => self.not_retried(&plan, &error),
            }
        }
        (self.notify)(&match count {
            0 => "nothing to retry".to_owned(),
            n => format!("retrying {}", text::count(n, "finished debate")),
        });
        Ok(())
    }

    fn not_retried(&self, plan: &Plan, error: &StoreError) {
        let hint = match error {
            StoreError::NoJournal(_) => "; start the debate over with --restart",
            _ => "",
        };
        (self.notify)(&format!("not retrying {}: {error}{hint}", plan.short_id()));
    }

    /// Sets the debates aside, so that they start over; none of them if another process writes to one.
    pub(crate) fn set_aside<P: Iterator<Item = Plan>>(&self, plans: impl Fn() -> P) -> Result<()> {
        self.all_free(plans())?;
        let (output, clock) = (&self.context.output, &self.context.clock);
        let finished = FinishedDebates::list(output)?;
        for plan in plans() {
            let directory = finished.get(&plan.id)?.map(|debate| debate.path);
            let _claim = match output.claim(&plan.id, &self.context.holder) {
                Ok(Ok(claim)) => claim,
                Ok(Err(holder)) => {
                    self.not_restarted(&plan, &holder);
                    continue;
                }
                // The debate's own problem, reported when it starts.
                Err(_) => continue,
            };
            replace::set_debate_aside(output, &plan.id, directory.as_deref(), clock)?;
        }
        Ok(())
    }

    /// Fails if another process writes to one of these debates.
    fn all_free(&self, plans: impl Iterator<Item = Plan>) -> Result<()> {
        for Plan { id, .. } in plans {
            // What else is wrong with a claim is the debate's own problem.
            if let Ok(Some(holder)) = self.context.output.holder_of(&id) {
                return Err(StoreError::Claimed { id, holder });
            }
        }
        Ok(())
    }

    /// Tells of a debate that another process claimed after all were found free. Nothing is lost: this run waits for it.
    fn not_restarted(&self, plan: &Plan, holder: &str) {
        (self.notify)(&format!(
            "not restarting {}: another rebut ({holder}) is running it",
            plan.short_id()
        ));
    }
}
