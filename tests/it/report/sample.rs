//! Findings made by hand: rich ones, with every section, missing values and hostile texts, and empty ones.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use rebut::event::Status;
use rebut::facts::{Kind, Purpose};
use rebut::stats::findings::*;
use statistics::agreement::Agreement;
use statistics::bradley_terry::{Effect, Lead, Rating};
use statistics::estimate::Estimate;
use statistics::paired::Difference;
use statistics::survival::Step;

/// Text that would act wherever it is not escaped.
pub(crate) const HOSTILE: &str = "<script>alert(\"1\")</script> ]]> '\"><img src=x onerror=alert(2)> | `x` [a](http://evil.example) \u{202e}drawkcab\u{202c} &amp; url(//e)";

const MODELS: [&str; 6] = [
    "llama3.2:3b",
    "qwen2.5:7b-instruct",
    "gemma2:2b",
    "mistral-nemo:12b",
    "phi3.5",
    "a-model-with-a-very-long-name-that-nobody-can-read-in-a-chart:70b-instruct-q4_K_M",
];
const FORMATS: [&str; 5] = ["knockout", "duel", "roundtable", "moderated", "dialectic"];
const JUDGES: [&str; 3] = ["llama3.2:3b", "qwen2.5:7b-instruct", "command-r:35b"];
const FAMILIES: [&str; 4] = ["llama", "qwen2", "gemma2", "mistral"];

/// A number from 0 to 1 that looks like chance and is the same every time.
fn noise(n: usize) -> f64 {
    let mixed = (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed >> 11) as f64 / (1_u64 << 53) as f64
}

fn around(n: usize, clusters: usize, value: f64, half: f64) -> Estimate {
    Estimate {
        n,
        clusters,
        value: Some(value),
        sd: Some(half * 2.5),
        se: Some(half / 2.0),
        low: Some(value - half),
        high: Some(value + half),
        ..Estimate::default()
    }
}

fn missing(reason: &str) -> Estimate {
    Estimate { reason: Some(reason.to_owned()), ..Estimate::default() }
}

fn lonely(value: f64) -> Estimate {
    Estimate {
        n: 3,
        clusters: 1,
        value: Some(value),
        reason: Some(
            "all observations are on one topic: between topics nothing is known".to_owned(),
        ),
        ..Estimate::default()
    }
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}

fn some_of(start: usize, step: usize, debates: usize) -> Vec<usize> {
    (1..=debates).skip(start).step_by(step).collect()
}

/// Findings without a debate.
pub(crate) fn empty() -> Findings {
    Findings {
        schema_version: FINDINGS_VERSION.to_owned(),
        generated_at: at("2026-11-22T08:00:00Z"),
        provenance: Provenance {
            rebut: "0.1.0".to_owned(),
            command: "rebut report output -o report.html".to_owned(),
            filters: Vec::new(),
            verdicts: "own".to_owned(),
            corpus: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855".to_owned(),
            seed: 1,
            replicates: 1000,
            confidence: 0.95,
        },
        design: Vec::new(),
        headlines: Vec::new(),
        answers: None,
        cautions: Vec::new(),
        alone: Vec::new(),
        counts: Counts::default(),
        breakdowns: Vec::new(),
        leaderboards: Leaderboards::default(),
        debaters: Debaters::default(),
        comparisons: Vec::new(),
        distributions: Vec::new(),
        judges: Judges::default(),
        panels: Vec::new(),
        labels: None,
        consensus: Vec::new(),
        survival: None,
        examples: Vec::new(),
        speeds: Vec::new(),
        failures: Vec::new(),
        read_as: Vec::new(),
        debates: Vec::new(),
        damaged: Vec::new(),
    }
}

/// Findings of so many debates with everything in them.
pub(crate) fn rich(debates: usize) -> Findings {
    let mut found = empty();
    found.provenance.filters = vec!["tag.set=a b".to_owned(), HOSTILE.to_owned()];
    found.provenance.seed = 9_007_199_254_740_993;
    found.design = design();
    found.headlines = headlines();
    found.cautions = cautions();
    found.counts = counts(debates);
    found.breakdowns = breakdowns(debates);
    found.leaderboards = leaderboards(debates);
    found.debaters = debaters(debates);
    found.comparisons = comparisons(debates);
    found.distributions = distributions(debates);
    found.judges = judges(debates);
    found.panels = vec![panel(debates)];
    found.consensus = consensus(debates);
    found.survival = Some(survival(debates));
    found.examples = examples(debates);
    found.speeds = speeds(debates);
    found.failures = failures(debates);
    found.debates = (1..=debates).map(line).collect();
    found.damaged = damaged();
    found
}

/// Findings of very many models with long names, of which there is very much to say.
pub(crate) fn huge() -> Findings {
    let mut found = rich(3000);
    let long = |n: usize, text: &str| format!("{} number {n}", text.repeat(40));
    found.headlines.extend((0..60).map(|n| long(n, HOSTILE)));
    found.cautions = (0..60).map(|n| long(n, "Something is to be distrusted. ")).collect();
    found.provenance.command = long(0, "rebut report output ");
    let names: Vec<String> = (0..300).map(|n| long(n, "a-model-with-a-name:70b")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut board = strengths(&names, 3000);
    for (n, row) in board.rows.iter_mut().enumerate() {
        row.rating.reason = Some(long(n, "it is not known, "));
    }
    board.notes = (0..50).map(|n| long(n, "A note on this board. ")).collect();
    found.leaderboards.strengths[0] = board;
    found.leaderboards.points[0] = points("debaters", &names, 3000);
    found.debaters.rows = names.iter().flat_map(|name| debater(name, 3000)).collect();
    found
}

fn debaters(debates: usize) -> Debaters {
    let rows = MODELS[..4].iter().flat_map(|name| debater(name, debates));
    Debaters { noted: debates - 12, not_noted: 12, rows: rows.collect() }
}

/// What a model, and a persona and a position of its name, did in two formats.
fn debater(name: &str, debates: usize) -> Vec<DebaterRow> {
    let row = |(n, (of, format)): (usize, (&str, &str))| {
        let own = some_of(n, 9, debates);
        let share = |label: &str, name: &str, at: usize| Measure {
            name: name.to_owned(),
            label: label.to_owned(),
            format: Some(format.to_owned()),
            unit: Unit::Share,
            estimate: match at {
                2 => lonely(0.25),
                _ => around(own.len() * 3, 30, 0.2 + noise(n + at) * 0.5, 0.09),
            },
        };
        DebaterRow {
            of: of.parse().expect("a key"),
            name: name.to_owned(),
            format: format.to_owned(),
            statements: own.len() * 3,
            declined: n % 2,
            measures: vec![
                share("Others' points answered", "flow.others.answered", 1),
                share("Others' points dropped", "flow.others.dropped", 2),
                share(HOSTILE, "flow.repeats", 3),
            ],
            debates: own,
        }
    };
    let kinds =
        ["model", "persona", "position"].iter().flat_map(|of| [(*of, "duel"), (*of, "knockout")]);
    kinds.enumerate().map(row).collect()
}

fn headlines() -> Vec<String> {
    [
        "qwen2.5:7b-instruct leads llama3.2:3b by 41 Elo [12, 70] over 188 debates on 40 topics; gemma2:2b, phi3.5 and mistral-nemo:12b cannot be told apart.",
        "Speaking first is worth nothing that can be seen: 0.04 log-odds [−0.21, 0.29].",
        "Judges agree weakly on the total of duels: alpha 0.41 [0.32, 0.49].",
        HOSTILE,
    ]
    .map(str::to_owned)
    .to_vec()
}

fn cautions() -> Vec<String> {
    [
        "Intervals are clustered by 38 topics; under about 40 they are too narrow.",
        "Alpha is under 0.667 for 3 of 5 things that were judged: differences between models may be differences between judges.",
        HOSTILE,
    ]
    .map(str::to_owned)
    .to_vec()
}

fn counts(debates: usize) -> Counts {
    Counts {
        controls: 0,
        decided: debates / 2,
        weak: debates / 8,
        counted: debates,
        planned: Some(debates + 5),
        unfinished: 3,
        not_started: 2,
        done: debates - debates / 9 - debates / 20,
        degraded: debates / 9,
        failed: debates / 20,
        emergency: 17,
        fallback: 0,
        topics: 38,
        topics_effective: Some(37.2),
        models: 6,
        judges: 3,
        rehearsals: 4,
        rehearsals_left_out: 12,
        older_plans_left_out: 0,
        filtered_out: 0,
        copies: 0,
        repetitions: 0,
        damaged: 3,
        judgments: JudgmentCounts { planned: 12_940, valid: 12_611, invalid: 301, abstained: 28 },
    }
}

fn line(n: usize) -> DebateLine {
    let status = match n {
        n if n % 20 == 0 => Status::Failed,
        n if n % 9 == 0 => Status::Degraded,
        _ => Status::Done,
    };
    let topic = match n {
        7 => HOSTILE.to_owned(),
        8 => "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung".repeat(4),
        9 => "هل يجب على المدن حظر السيارات في مراكزها؟".to_owned(),
        _ => format!("Should cities of kind {} ban cars from their centres?", n % 38),
    };
    let folder = if n == 7 {
        "a\"b<c>#?%&'/x y".to_owned()
    } else {
        format!("{}-{:08x}", FORMATS[n % 5], n * 7919)
    };
    DebateLine {
        n,
        id: format!("{n:064x}").into(),
        path: format!("output/2026-11-{:02}/{folder}", n % 28 + 1),
        page: n % 50 != 3,
        format: FORMATS[n % 5].into(),
        job: if n == 7 { HOSTILE } else { "matrix" }.into(),
        topic: topic.as_str().into(),
        status,
        cause: (status != Status::Done)
            .then(|| "the model of position_y_2 gave no reply in 3 attempts".into()),
        outcome: (status == Status::Done)
            .then(|| format!("X wins, {:.2} to {:.2}", 3.0 + noise(n), 2.5 + noise(n + 7)).into()),
        rehearsal: n.is_multiple_of(90),
        emergency: n.is_multiple_of(21),
        fallback: false,
        started_at: at("2026-11-20T21:14:00Z") + chrono::Duration::minutes(n as i64 * 7),
    }
}

fn breakdowns(debates: usize) -> Vec<Breakdown> {
    let group = |key: &[&str], at: usize, step: usize| {
        let own = some_of(at, step, debates);
        Group {
            key: key.iter().map(|k| (*k).to_owned()).collect(),
            counts: Counts { planned: None, ..counts(own.len()) },
            measures: measures(at, own.len()),
            incidents: BTreeMap::from([("invalid_ballot".to_owned(), 3)]),
            debates: own,
        }
    };
    let by = |keys: &[&str], groups: Vec<Group>| Breakdown {
        by: keys.iter().map(|k| (*k).to_owned()).collect(),
        groups,
    };
    let models = (0..6).map(|i| group(&[MODELS[i]], i, 6));
    let formats = (0..5).map(|i| group(&[FORMATS[i]], i, 5));
    let both = (0..6)
        .flat_map(|i| [group(&[MODELS[i], "pro"], i, 12), group(&[MODELS[i], HOSTILE], i + 3, 75)]);
    vec![
        by(&[], vec![group(&[], 0, 1)]),
        by(&["format"], formats.collect()),
        by(&["model"], models.collect()),
        by(&["model", "tag.side"], both.collect()),
        by(&["persona"], Vec::new()),
    ]
}

fn measures(at: usize, n: usize) -> Vec<Measure> {
    let measure =
        |name: &str, label: &str, format: Option<&str>, unit: Unit, estimate: Estimate| Measure {
            name: name.to_owned(),
            label: label.to_owned(),
            format: format.map(str::to_owned),
            unit,
            estimate,
        };
    let x = noise(at + 100);
    let mut all = vec![
        measure("win_rate", "win rate", None, Unit::Share, around(n, 38, 0.3 + x * 0.4, 0.071_234)),
        measure(
            "score.total",
            "total score",
            Some("duel"),
            Unit::Score,
            around(n / 2, 30, 3.0 + x, 0.212_5),
        ),
        measure("score.total", "total score", Some("knockout"), Unit::Score, lonely(3.25 - x)),
        measure("score.clarity", "clarity", Some("duel"), Unit::Score, around(6, 5, 4.0 - x, 0.61)),
        measure(
            "tokens",
            "reply tokens",
            None,
            Unit::Tokens,
            around(n, 38, 8123.0 + 9000.0 * x, 604.4),
        ),
        measure("minutes", "model minutes", None, Unit::Minutes, around(n, 38, 11.0 * x, 0.9)),
        measure(
            "rotations",
            "rotations",
            Some("knockout"),
            Unit::Count,
            around(n, 38, 2.2 * x, 0.31),
        ),
    ];
    if at != 2 {
        all.push(measure(
            "points",
            "points",
            Some("knockout"),
            Unit::Points,
            missing("no knockout was played to the end"),
        ));
    }
    all
}

fn leaderboards(debates: usize) -> Leaderboards {
    Leaderboards {
        points: vec![points("debaters", &MODELS[..5], debates), points("x", &[HOSTILE], debates)],
        strengths: vec![strengths(&MODELS, debates)],
    }
}

fn points(side: &str, names: &[&str], debates: usize) -> PointsBoard {
    let row = |(i, name): (usize, &&str)| {
        let own = some_of(i, 7, debates);
        let mean = match i {
            4 => lonely(2.5),
            _ => around(own.len(), 30, 9.0 - i as f64 * 1.13, 0.8 + noise(i)),
        };
        PointsRow {
            name: (*name).to_owned(),
            total: 4231.5 - 391.25 * i as f64,
            mean,
            debates: own,
        }
    };
    PointsBoard { side: side.to_owned(), rows: names.iter().enumerate().map(row).collect() }
}

fn strengths(names: &[&str], debates: usize) -> StrengthBoard {
    let last = names.len() - 1;
    let row = |(i, name): (usize, &&str)| {
        let own = some_of(i, if i == last { 60 } else { 6 }, debates);
        let elo = 1092.37 - 41.21 * i as f64 + noise(i) * 9.0;
        let half = if i == last { 190.0 } else { 22.0 + 12.0 * noise(i + 40) };
        StrengthRow {
            name: (*name).to_owned(),
            rating: Rating {
                component: 1,
                group: 1,
                games: own.len(),
                wins: own.len() / 2,
                draws: own.len() / 7,
                losses: own.len() - own.len() / 2 - own.len() / 7,
                elo: Some(elo),
                low: Some(elo - half),
                high: Some(elo + half * 1.07),
                rank_best: Some(i.max(1)),
                rank_worst: Some((i + 2).min(names.len())),
                reason: None,
                ..Rating::default()
            },
            available: around(own.len(), own.len().min(38), 0.97, 0.02),
            tokens: around(own.len(), own.len().min(38), 900.0 + 120.0 * noise(i), 40.0),
            elo_equal_length: None,
            clusters: own.len().min(38),
            small: i == last,
            debates: own,
        }
    };
    let cell = |i: usize, j: usize| {
        if i == j || (i + j) % 9 == 8 {
            return Match::default();
        }
        let own = some_of(i * 3 + j, if i == last || j == last { 60 } else { 17 }, debates);
        let score = 0.5
            + (j as f64 - i as f64) * 0.093
            + (noise(i.min(j) * 31 + i.max(j)) - 0.5) * 0.05 * (j as f64 - i as f64).signum();
        Match {
            n: own.len(),
            score: Some(score.clamp(0.0, 1.0)),
            low: Some((score - 0.17).clamp(0.0, 1.0)),
            high: Some((score + 0.15).clamp(0.0, 1.0)),
            reason: None,
            debates: own,
        }
    };
    let row_of = |i: usize| (0..names.len()).map(|j| cell(i, j)).collect();
    StrengthBoard {
        comparisons: 1188,
        against_itself: 0,
        fitted: 1188,
        draws: 97,
        draws_turned: 41,
        clusters: 38,
        left_out: BTreeMap::from([("a contestant's reply was an emergency reply".to_owned(), 17)]),
        wins: Vec::new(),
        confounded: Vec::new(),
        rows: names.iter().enumerate().map(row).collect(),
        matches: (0..names.len()).map(row_of).collect(),
        swapped: vec![SwappedPair {
            a: names[0].to_owned(),
            b: names[last].to_owned(),
            a_won_both: 7,
            swapped: Exchange::Positions,
            split: 5,
            split_by_chance: 6.1,
            b_won_both: 2,
            with_a_draw: 1,
            debates: some_of(2, 9, debates),
        }],
        distances: distances(names),
        planned: 50.0,
        lead_equal_length: None,
        length: None,
        order: Effect {
            value: Some(0.2441),
            low: Some(0.0712),
            high: Some(0.4229),
            expected_score: Some(0.560_7),
            ..Effect::default()
        },
        side: Effect {
            reason: Some("every debate names the same side first: the effect cannot be told from the sides' own".to_owned()),
            ..Effect::default()
        },
        first_speakers: Vec::new(),
        positions: Vec::new(),
        components: 1,
        replicates: 1000,
        ridged: 14,
        notes: vec!["in 14 of 1000 resamples some won or lost every debate, so the intervals rest on a small prior in part".to_owned()],
    }
}

/// Between each and the next.
fn distances(names: &[&str]) -> Vec<Distance> {
    let distance = |(n, pair): (usize, &[&str])| Distance {
        above: pair[0].to_owned(),
        below: pair[1].to_owned(),
        found: Lead {
            above: n,
            below: n + 1,
            elo: 20.0 + 30.0 * noise(n),
            low: Some(-12.0),
            high: Some(71.0),
            p: Some(0.2 * noise(n + 1)),
            p_adjusted: Some(noise(n + 1)),
            met: 80,
            met_clusters: 38,
            comparisons: 1188,
            comparison_clusters: 40,
            clusters: 38,
            se: Some(21.0),
            df: 37.0,
            detectable: Some(64.0),
            clusters_needed: Some(60),
            reason: None,
        },
        expected_score: 0.51,
        expected_score_low: Some(0.483),
        expected_score_high: Some(0.601),
        clear: n == 0,
        support: Support::Full,
    };
    names.windows(2).enumerate().map(distance).collect()
}

fn comparisons(debates: usize) -> Vec<Comparisons> {
    let mut pairs = Vec::new();
    for (i, a) in MODELS.iter().enumerate() {
        for (j, b) in MODELS.iter().enumerate().skip(i + 1) {
            pairs.push(pair(a, b, i * 6 + j, debates));
        }
    }
    vec![
        Comparisons {
            format: "duel".to_owned(),
            scale: Some((1, 5)),
            mixed_scales: false,
            planned: Some(0.2),
            pairs,
            reason: None,
        },
        Comparisons {
            format: "moderated".to_owned(),
            scale: Some((1, 5)),
            mixed_scales: false,
            planned: Some(0.2),
            pairs: Vec::new(),
            reason: Some("no two models debated the same topic in this format".to_owned()),
        },
    ]
}

fn pair(a: &str, b: &str, n: usize, debates: usize) -> PairedDifference {
    let constant = n == 9;
    let value = noise(n) * 0.9 - 0.3;
    let p = (value.abs() / 0.12 * -1.1).exp();
    PairedDifference {
        a: a.to_owned(),
        b: b.to_owned(),
        seats: Some(if n == 3 { PairedSeats::Any } else { PairedSeats::Same }),
        same_opponents: n != 2,
        unpaired_meetings: 0,
        confounded: None,
        clear: !constant && p * 8.0 < 0.05,
        found: Difference {
            estimate: if constant {
                missing("all differences are equal: their spread is unknown")
            } else {
                around(12 + n, 11 + n % 20, value, 0.21 + noise(n + 5) * 0.1)
            },
            p: (!constant).then_some(p),
            p_adjusted: (!constant).then_some((p * 8.0).min(1.0)),
            detectable: (!constant).then_some(0.28 + noise(n + 2) * 0.1),
            test_se: (!constant).then_some(0.1),
            df: (!constant).then_some(38.0),
            deff: (!constant).then_some(1.0 + noise(n + 3)),
        },
        at_equal_length: None,
        topics_needed: (!constant).then_some(38 + n),
        debates: some_of(n, 23, debates),
    }
}

fn distributions(debates: usize) -> Vec<Distribution> {
    let one = |format: &str, criterion: &str, scale: (u8, u8), seed: usize, step: f64| {
        let steps = (f64::from(scale.1 - scale.0) / step) as usize;
        let counts = (0..=steps).map(|i| {
            let score = f64::from(scale.0) + i as f64 * step;
            let peak =
                f64::from(scale.0) + (0.45 + noise(seed) * 0.4) * f64::from(scale.1 - scale.0);
            let weight =
                (-(score - peak).powi(2) / (0.05 * f64::from(scale.1 - scale.0).powi(2))).exp();
            (score, (weight * 900.0) as usize)
        });
        Distribution {
            format: format.to_owned(),
            criterion: criterion.to_owned(),
            scale: Some(scale),
            counts: counts.collect(),
            debates: some_of(seed, 5, debates),
        }
    };
    let mut all = Vec::new();
    for (i, criterion) in
        ["clarity", "evidence", "rebuttal", "relevance", "total"].iter().enumerate()
    {
        all.push(one("duel", criterion, (1, 5), i, if *criterion == "total" { 0.25 } else { 1.0 }));
    }
    all.push(one("knockout", "logic", (1, 10), 9, 1.0));
    all.push(one("knockout", HOSTILE, (1, 10), 10, 1.0));
    all.push(Distribution {
        format: "knockout".to_owned(),
        criterion: "style".to_owned(),
        scale: None,
        counts: vec![(3.0, 12)],
        debates: some_of(1, 40, debates),
    });
    all
}

fn judges(debates: usize) -> Judges {
    let agreement = |(i, (what, metric)): (usize, (Rated, &str))| AgreementRow {
        format: "duel".to_owned(),
        kind: Kind::Verdict,
        what,
        metric: metric.to_owned(),
        agreement: Agreement {
            units: 188 - i * 40,
            ratings: 564 - i * 120,
            alpha: (i != 3).then_some(0.72 - 0.19 * i as f64),
            low: (i != 3).then_some(0.61 - 0.21 * i as f64),
            high: (i != 3).then_some(0.79 - 0.16 * i as f64),
            exact: around(188, 38, 0.61 - 0.07 * i as f64, 0.061),
            reason: (i == 3).then(|| {
                "all judges gave the same to everything: no variation to agree on".to_owned()
            }),
        },
        debates: some_of(i, 5, debates),
    };
    let kinds = [
        (Rated::Winner, "nominal"),
        (Rated::Total, "interval"),
        (Rated::Criterion("evidence".to_owned()), "ordinal"),
        (Rated::Keep, "nominal"),
    ];
    Judges {
        agreement: kinds.into_iter().enumerate().map(agreement).collect(),
        rows: judge_rows(debates),
        order: order(debates),
        pairs: alike(),
        families: families(debates),
        verbosity: verbosity(debates),
    }
}

fn alike() -> Vec<JudgesAlike> {
    let pair = |i: usize, j: usize| JudgesAlike {
        format: "duel".to_owned(),
        pair: JudgePair {
            judges: [JUDGES[i], JUDGES[j]].map(str::to_owned),
            alike: around(if j == 2 { 8 } else { 188 }, 38, 0.61 + 0.08 * j as f64, 0.06),
        },
    };
    vec![pair(0, 1), pair(0, 2), pair(1, 2)]
}

fn design() -> Vec<DesignCheck> {
    let check =
        |asked, holds, sentence: &str| DesignCheck { asked, holds, sentence: sentence.to_owned() };
    vec![
        check(
            Asked::Seats,
            Some(false),
            "Seats and turns: not balanced in 1 of 9 pairs of models.",
        ),
        check(Asked::Topics, Some(true), HOSTILE),
        check(Asked::Repeats, None, "Repeats: none."),
    ]
}

fn panel(debates: usize) -> PanelRow {
    let judge = |(i, judge): (usize, &&str)| PanelJudge {
        judge: (*judge).to_owned(),
        voting: 90 - i,
        recused: i,
        judgments: JudgmentCounts { planned: 200, valid: 190, invalid: 6, abstained: 4 },
        slot_effect: around(90, 30, 0.31 - 0.2 * i as f64, 0.14),
        first_slot: around(90, 30, 0.56, 0.05),
        first_slot_p: (i != 1).then_some(0.0316),
        first_slot_reason: (i == 1).then(|| "it never picked a slot twice".to_owned()),
        flips: around(90, 30, 0.31 - 0.04 * i as f64, 0.08),
        reversed: around(90, 30, 0.2, 0.08),
        repeat_flips: match i {
            2 => missing("indistinguishable from noise"),
            _ => around(18, 15, 0.22, 0.13),
        },
        excess: missing("indistinguishable from noise"),
        criterion_order: around(90, 30, 0.07, 0.09),
        self_preference: missing("it was never a shadow judge"),
        debates: some_of(i, 4, debates),
    };
    let pair = |i: usize, j: usize| JudgePair {
        judges: [JUDGES[i], JUDGES[j]].map(str::to_owned),
        alike: around(88, 30, 0.6 + 0.1 * j as f64, 0.06),
    };
    PanelRow {
        compared: PanelCompared::Sides,
        panel: HOSTILE.to_owned(),
        won: 70,
        drawn: 15,
        no_quorum: 5,
        like_own: around(85, 30, 0.71, 0.09),
        agreement: Agreement::default(),
        judges: JUDGES.iter().enumerate().map(judge).collect(),
        pairs: vec![pair(0, 1), pair(1, 2)],
        debates: some_of(0, 4, debates),
    }
}

fn judge_rows(debates: usize) -> Vec<JudgeRow> {
    let row = |(i, judge): (usize, &&str)| JudgeRow {
        judge: (*judge).to_owned(),
        format: "duel".to_owned(),
        kind: Kind::Verdict,
        judgments: JudgmentCounts {
            planned: 400,
            valid: 380 - i * 31,
            invalid: 12 + i * 30,
            abstained: 8 + i,
        },
        mean: around(380, 38, 3.4 + 0.21 * i as f64, 0.12),
        leniency: around(380, 38, 0.31 * i as f64 - 0.29, 0.09),
        self_preference: if i == 2 {
            missing("no model of this judge's family was judged")
        } else {
            around(140, 38, 0.14 - 0.3 * i as f64, 0.17)
        },
        debates: some_of(i, 5, debates),
    };
    JUDGES.iter().enumerate().map(row).collect()
}

fn order(debates: usize) -> Vec<OrderBias> {
    let row = |i: usize, judge: Option<&str>| OrderBias {
        format: "duel".to_owned(),
        judge: judge.map(str::to_owned),
        first_slot: around(if i == 3 { 8 } else { 310 }, 38, 0.53 + 0.04 * i as f64, 0.055),
        consistent: match i {
            1 => missing("no judge read the same debate in both orders"),
            _ => around(90, 30, 0.72 - 0.05 * i as f64, 0.09),
        },
        slot_effect: match i {
            1 => missing("no judge read the same debate in both orders"),
            _ => around(90, 30, 0.21 - 0.1 * i as f64, 0.14),
        },
        debates: some_of(i + 1, 5, debates),
    };
    let of_judges = JUDGES.iter().enumerate().map(|(i, judge)| row(i + 1, Some(judge)));
    [row(0, None)].into_iter().chain(of_judges).collect()
}

fn families(debates: usize) -> Vec<FamilyCell> {
    let own = [Some("llama"), Some("qwen2"), None];
    let cells = (0..12).filter(|n| *n != 7).map(|n| {
        let (i, j) = (n / 4, n % 4);
        FamilyCell {
            format: "duel".to_owned(),
            judge: JUDGES[i].to_owned(),
            judge_family: own[i].map(str::to_owned),
            family: FAMILIES[j].to_owned(),
            own: own[i] == Some(FAMILIES[j]),
            mean: match n {
                10 => missing("no judgment of use"),
                5 => around(7, 6, 4.41, 0.5),
                _ => around(120, 36, 3.1 + noise(n * 3) * 1.3, 0.2),
            },
            debates: some_of(n, 15, debates),
        }
    });
    cells.collect()
}

fn verbosity(debates: usize) -> Vec<Slope> {
    let row = |i: usize, judge: Option<&str>| {
        let slope = match i {
            3 => missing("all statements have the same length"),
            _ => around(700, 38, 0.31 - 0.17 * i as f64, 0.14),
        };
        Slope {
            format: "duel".to_owned(),
            judge: judge.map(str::to_owned),
            per_doubling: slope.clone().scaled(std::f64::consts::LN_2),
            slope,
            debates: some_of(i + 2, 5, debates),
        }
    };
    let of_judges = JUDGES.iter().enumerate().map(|(i, judge)| row(i + 1, Some(judge)));
    [row(0, None)].into_iter().chain(of_judges).collect()
}

fn consensus(debates: usize) -> Vec<ConsensusRound> {
    let round = |round: u32| ConsensusRound {
        round,
        leading: match round {
            4 => around(6, 6, 0.83, 0.13),
            5 => missing("no roundtable reached this round"),
            _ => around(60, 38, 0.44 + 0.11 * f64::from(round), 0.05),
        },
        held: if round == 4 { 6 } else { 60 },
        debates: some_of(round as usize, 10, debates),
    };
    (0..=5).map(round).collect()
}

fn survival(debates: usize) -> Survival {
    let mut standing = 1.0;
    let mut at_risk = 412;
    let step = |round: u32| {
        let (ended, censored) = if round == 1 { (0, 3) } else { (at_risk / 5, at_risk / 9) };
        standing *= 1.0 - ended as f64 / at_risk as f64;
        let half = 0.02 * f64::from(round);
        let step = Step {
            round,
            at_risk,
            ended,
            censored,
            survival: standing,
            low: (round > 1).then_some(standing - half),
            high: (round > 1).then_some(standing + half * 0.9),
        };
        at_risk -= ended + censored;
        step
    };
    Survival { steps: (1..=9).map(step).collect(), debates: some_of(0, 5, debates) }
}

fn examples(debates: usize) -> Vec<Example> {
    let each = [Worth::Closest, Worth::Widest, Worth::Disputed];
    let example = |(n, worth)| Example {
        worth,
        debate: 1 + 7 * n % debates,
        margin: 0.137 * n as f64,
        against: n,
        judges: 3,
    };
    (0..).zip(each).map(example).collect()
}

fn speeds(debates: usize) -> Vec<Speed> {
    let mut all = Vec::new();
    for (i, model) in MODELS.iter().enumerate() {
        for (j, purpose) in [Purpose::Speak, Purpose::Judge].into_iter().enumerate() {
            let n = i * 2 + j;
            let tokens = if j == 0 { 310.0 } else { 84.0 } + 90.0 * noise(n + 70);
            all.push(Speed {
                model: (*model).to_owned(),
                purpose,
                calls: 1240 - 190 * i,
                tokens_p50: tokens,
                tokens_p95: tokens * (1.6 + noise(n)),
                seconds_p50: tokens / 31.7,
                seconds_p95: tokens / 31.7 * (1.9 + noise(n + 1)),
                debates: some_of(i, 6, debates),
            });
        }
    }
    all
}

fn failures(debates: usize) -> Vec<Failure> {
    let failure = |(i, (kind, incidents)): (usize, (&str, usize))| Failure {
        kind: kind.to_owned(),
        incidents,
        debates: some_of(i, 11 + 13 * i, debates),
    };
    let all = [
        ("invalid_ballot", 301),
        ("empty_reply", 96),
        ("truncated", 61),
        ("emergency_reply", 17),
        ("timeout", 9),
        (HOSTILE, 2),
    ];
    all.into_iter().enumerate().map(failure).collect()
}

fn damaged() -> Vec<Damaged> {
    let file = |path: &str, cause: &str| Damaged { path: path.to_owned(), cause: cause.to_owned() };
    vec![
        file(
            "output/2026-11-03/duel-1/trace.json",
            "EOF while parsing a string at line 812 column 40",
        ),
        file(
            "output/2026-11-04/x/trace.json",
            "it was written by a newer version (schema 9.0); update rebut",
        ),
        file(HOSTILE, HOSTILE),
    ]
}
