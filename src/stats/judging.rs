//! What is known about the judges (row S4): agreement, leniency, order, family, length.

mod agreement;
mod alike;
mod instrument;
mod leniency;
mod order_bias;
mod ratings;
mod texts;

use rayon::prelude::*;

pub(super) use self::alike::pairs;
pub(super) use self::order_bias::turned;
pub(super) use self::texts::texts;

use self::instrument::Instrument;
use super::counted_debates::View;
use super::findings::Judges;
use crate::facts::Kind;

/// Everything about the judges.
pub(super) fn judges(view: &View<'_>, seed: u64) -> Judges {
    let all: Vec<Instrument<'_>> = Instrument::all(view).collect();
    let each: Vec<Judges> = all.par_iter().map(|instrument| by(view, *instrument, seed)).collect();
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

fn by(view: &View<'_>, instrument: Instrument<'_>, seed: u64) -> Judges {
    let Instrument { format, kind } = instrument;
    let totals = ratings::ratings(view, instrument, None);
    let (order, pairs) = match kind {
        Kind::Ballot => Default::default(),
        Kind::Verdict => (order_bias::orders(view, format), alike::of_format(view, format)),
    };
    Judges {
        agreement: agreement::agreements(view, instrument, &totals, seed),
        rows: leniency::rows(view, instrument, &totals),
        order,
        pairs,
        families: leniency::families(view, format, &totals),
        verbosity: leniency::verbosity(view, instrument),
    }
}
