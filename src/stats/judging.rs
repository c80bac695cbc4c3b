//! What is known about the judges (row S4): agreement, leniency, order, family, length.

mod agreement;
mod alike;
mod families;
mod leniency;
mod order_bias;
mod ratings;
mod texts;

use rayon::prelude::*;

pub(super) use self::order_bias::turned;
pub(super) use self::texts::texts;

use super::counted_debates::View;
use super::findings::Judges;

/// Everything about the judges.
pub(super) fn judges(view: &View<'_>, seed: u64) -> Judges {
    let judged = |format: &&str| {
        let mut debates = view.of_format(format);
        debates.any(|(_, facts)| !facts.readings.is_empty())
    };
    let formats: Vec<&str> = view.formats().into_iter().filter(judged).collect();
    let each: Vec<Judges> =
        formats.par_iter().map(|format| of_format(view, format, seed)).collect();
    let mut judges = Judges::default();
    for own in each {
        judges.agreement.extend(own.agreement);
        judges.rows.extend(own.rows);
        judges.order.extend(own.order);
        judges.pairs.extend(own.pairs);
        judges.families.extend(own.families);
        judges.verbosity.extend(own.verbosity);
    }
    judges
}

/// Whether the judges of some format together turn with the order like coins.
pub(super) fn leave_draws(view: &View<'_>) -> bool {
    let orders = |format| order_bias::orders(view, format);
    let order = view.formats().into_iter().flat_map(orders).collect();
    let judges = Judges { order, ..Judges::default() };
    judges.leave_draws()
}

fn of_format(view: &View<'_>, format: &str, seed: u64) -> Judges {
    let totals = ratings::ratings(view, format, None);
    let families = families::Families::new(view, format);
    Judges {
        agreement: agreement::agreements(view, format, &totals, seed),
        rows: leniency::rows(view, format, &totals, &families),
        order: order_bias::orders(view, format),
        pairs: alike::pairs(view, format),
        families: leniency::families(view, format, &totals, &families),
        verbosity: leniency::verbosity(view, format),
    }
}
