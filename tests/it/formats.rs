//! One table of all formats, for what must be so in each of them.

/// A format with jobs that play it.
#[derive(Debug)]
pub(crate) struct Format {
    pub(crate) name: &'static str,
    /// A debate of full length: all defaults.
    pub(crate) full: &'static str,
    /// The shortest one. Explicit topics are allowed because loading the filter takes half of such a run's time.
    pub(crate) tiny: &'static str,
}

pub(crate) const FORMATS: &[Format] = &[
    Format {
        name: "knockout",
        full: "topic: Should voting be compulsory?\n",
        tiny: "topic: Should voting be compulsory?\nrounds: 1\nallow_explicit: true\n",
    },
    Format {
        name: "moderated",
        full: "format: moderated\ntopic: Should voting be compulsory?\n",
        tiny: "format: moderated\ntopic: Should voting be compulsory?\nround_count: 1\nfact_checker: {}\nallow_explicit: true\n",
    },
    Format {
        name: "duel",
        full: "format: duel\ntopic: Should voting be compulsory?\n",
        tiny: "format: duel\ntopic: Should voting be compulsory?\nrounds: 2\nallow_explicit: true\n",
    },
    Format {
        name: "roundtable",
        full: "format: roundtable\nquery: Should voting be compulsory?\n",
        tiny: "format: roundtable\nquery: Should voting be compulsory?\nmax_rounds: 1\nallow_explicit: true\n",
    },
    Format {
        name: "dialectic",
        full: "format: dialectic\nquery: Should voting be compulsory?\n",
        tiny: "format: dialectic\nquery: Should voting be compulsory?\nmin_rounds: 1\nmax_rounds: 1\nallow_explicit: true\n",
    },
];
