//! The design of the debates, checked before models are compared (row S3).

use std::collections::{BTreeMap, BTreeSet};

use super::caution::FEW_TOPICS;
use super::counted_debates::View;
use super::findings::{Asked, Comparisons, DesignCheck, PairedDifference, StrengthBoard, Trait};
use super::group::repetitions;
use super::related::judges;
use crate::facts::{Facts, Text};
use crate::text::{count, separated, told_if};
use statistics::estimate::effective;

/// What stands in the way of comparing two models, by pair.
type Pairs<'f> = BTreeMap<[&'f str; 2], BTreeSet<Trait>>;

/// What the design allows; nothing if no two models are compared, or in one debate, which can't compare them.
pub(super) fn checks(
    boards: &[StrengthBoard],
    compared: &[Comparisons],
    view: &View<'_>,
) -> Vec<DesignCheck> {
    let pairs = pairs(boards, compared);
    if pairs.is_empty() || view.debates.len() == 1 {
        return Vec::new();
    }
    let debates = debates(boards, compared);
    let [seats, positions, opponents, heard, judges] = obstacles(&pairs);
    let has_thirds = compared.iter().any(|family| family.pairs.len() > 1);
    let of_pairs = [
        Some(seats),
        Some(positions),
        Some(opponents).filter(|_| has_thirds),
        Some(heard),
        Some(independent(judges, view, &debates, &pairs)),
    ];
    let others =
        [reading_orders(view), Some(topics(boards, &debates, view)), repeats(view, &debates)];
    of_pairs.into_iter().chain(others).flatten().collect()
}

/// What stands in the way of comparing pairs.
fn obstacles(pairs: &Pairs<'_>) -> [DesignCheck; 5] {
    let rows: [(Asked, &[Trait], [&str; 2]); 5] = [
        (
            Asked::Seats,
            &[Trait::Seat, Trait::Turn],
            ["Seats and turns: shared in", "Seats and turns: not balanced in"],
        ),
        (
            Asked::Positions,
            &[Trait::Position, Trait::Persona],
            ["Positions and personas: shared in", "Positions and personas: not balanced in"],
        ),
        (
            Asked::Opponents,
            &[Trait::Opponents],
            ["Opponents: the same in", "Opponents: not the same in"],
        ),
        (
            Asked::JudgesHeard,
            &[Trait::Heard],
            ["Judges heard: the same in", "Judges heard: not the same in"],
        ),
        (
            Asked::IndependentJudges,
            &[Trait::OwnJudges, Trait::OwnBallots, Trait::RelatedJudges],
            [
                "Judges: unrelated to the debaters, as far as is known, in",
                "Judges: one on a debater's own model, or of the family of one of the two only, in",
            ],
        ),
    ];
    rows.map(|(asked, traits, words)| of_pairs_of_models(asked, traits, words, pairs))
}

/// The places of the debates in which models are compared, or would be but for an obstacle.
fn debates(boards: &[StrengthBoard], compared: &[Comparisons]) -> BTreeSet<usize> {
    let pairs = || compared.iter().flat_map(|family| &family.pairs);
    let confounded = pairs().filter_map(|pair| pair.confounded.as_ref()).map(|it| &it.debates);
    let scored = pairs().map(|pair| &pair.debates).chain(confounded).flatten().map(|n| n - 1);
    won(boards).into_iter().chain(scored).collect()
}

/// Those of them whose winners are compared.
fn won(boards: &[StrengthBoard]) -> BTreeSet<usize> {
    let rows = boards.iter().flat_map(|board| board.rows.iter().map(|row| &row.debates));
    let confounded = boards.iter().flat_map(|board| &board.confounded).map(|it| &it.debates);
    rows.chain(confounded).flatten().map(|n| n - 1).collect()
}

/// The same check, not met where a judge is related to both debaters: the comparison stands, because neither has the advantage of
/// being its family, but a panel would recuse that judge.
fn independent(
    check: DesignCheck,
    view: &View<'_>,
    debates: &BTreeSet<usize>,
    pairs: &Pairs<'_>,
) -> DesignCheck {
    let heard: BTreeSet<&str> = debates.iter().flat_map(|n| judges(view.debates[*n])).collect();
    let related = view.related();
    let is_near = |pair: &&[&str; 2]| {
        heard.iter().any(|judge| pair.iter().all(|model| related.are(judge, model)))
    };
    let near = pairs.keys().filter(is_near).count();
    if check.holds != Some(true) || near == 0 {
        return check;
    }
    DesignCheck {
        holds: Some(false),
        sentence: format!(
            "Judges: no debater's own model, but one of the family or lineage of both debaters in {near} of {} of models.",
            count(pairs.len(), "pair")
        ),
        ..check
    }
}

/// The pairs of models that met, in scores or in wins.
fn pairs<'f>(boards: &'f [StrengthBoard], compared: &'f [Comparisons]) -> Pairs<'f> {
    let mut pairs = Pairs::new();
    let mut add = |a: &'f str, b: &'f str, by: Option<Trait>| {
        let pair = if a <= b { [a, b] } else { [b, a] };
        pairs.entry(pair).or_default().extend(by);
    };
    let is_ranked =
        |pair: &PairedDifference| boards.iter().any(|board| board.has_met(&pair.a, &pair.b));
    for pair in compared.iter().flat_map(|family| &family.pairs) {
        let by = pair.confounded.as_ref().map(|it| it.by);
        // Of a knockout that neutral judges decided the winner is compared, whatever ballots its debaters cast.
        let by = by.filter(|by| *by != Trait::OwnBallots || !is_ranked(pair));
        if by.is_some() || pair.found.estimate.n > 0 {
            add(&pair.a, &pair.b, by);
        }
    }
    for board in boards {
        for met in &board.confounded {
            add(&met.a, &met.b, Some(met.by));
        }
        for (a, row) in board.rows.iter().zip(&board.matches) {
            let met = board.rows.iter().zip(row).filter(|(_, it)| it.n > 0);
            met.for_each(|(b, _)| add(&a.name, &b.name, None));
        }
    }
    pairs
}

/// Why a pair is not checked.
const OBSTACLE: &str = "because another check is not met";

/// Of a pair, one obstacle is known even if there are several: with another one, it is not known whether this one is there too.
fn of_pairs_of_models(
    asked: Asked,
    traits: &[Trait],
    [good, bad]: [&str; 2],
    pairs: &Pairs<'_>,
) -> DesignCheck {
    let has = |found: &BTreeSet<Trait>| traits.iter().any(|it| found.contains(it));
    let differ = pairs.values().filter(|found| has(found)).count();
    let unknown = pairs.values().filter(|found| !found.is_empty() && !has(found)).count();
    let subject = good.split_once(':').map_or(good, |(subject, _)| subject);
    let all = format!("{} of models", count(pairs.len(), "pair"));
    let holds = match (differ, unknown) {
        (0, 0) => Some(true),
        (0, _) => None,
        _ => Some(false),
    };
    let found = match (differ, pairs.len() - unknown) {
        (0, 0) if unknown > 0 => format!("{subject}: not checked in {all}, {OBSTACLE}"),
        (0, _) if unknown == 0 => format!("{good} {all}"),
        (0, n) => format!("{good} {n} of {all}; {unknown} not checked, {OBSTACLE}"),
        (n, _) if n == pairs.len() => format!("{bad} {all}"),
        (n, _) if unknown == 0 => format!("{bad} {n} of {all}"),
        (n, _) => format!("{bad} {n} of {all}; {unknown} not checked, {OBSTACLE}"),
    };
    DesignCheck { asked, holds, sentence: found + "." }
}

/// Whether each judge who was heard read each debate in both orders; `None` without verdicts.
fn reading_orders(view: &View<'_>) -> Option<DesignCheck> {
    let judged: Vec<bool> =
        view.all().filter_map(|(_, facts)| read_in_both_orders(facts)).collect();
    let both = judged.iter().filter(|both| **both).count();
    let holds = both == judged.len();
    let all = count(judged.len(), "debate");
    let sentence = match both {
        _ if holds => format!("Reading order: both orders in {all}."),
        0 => format!("Reading order: one order per judge in {all}."),
        _ => format!("Reading order: both orders in {both} of {all}."),
    };
    (!judged.is_empty()).then_some(DesignCheck {
        asked: Asked::ReadingOrders,
        holds: Some(holds),
        sentence,
    })
}

fn read_in_both_orders(facts: &Facts) -> Option<bool> {
    let mut firsts: BTreeMap<&str, BTreeSet<u8>> = BTreeMap::new();
    for reading in facts.readings.iter().filter(|it| it.totals.is_some()) {
        firsts.entry(&reading.judge).or_default().insert(reading.first_side());
    }
    (!firsts.is_empty()).then(|| firsts.values().all(|firsts| firsts.len() == 2))
}

/// How many topics the compared debates are on, by the number of debates on each. Where models are ranked, formats that only have
/// scores add none.
fn topics(boards: &[StrengthBoard], compared: &BTreeSet<usize>, view: &View<'_>) -> DesignCheck {
    let is_ranked = boards.iter().any(|board| !board.rows.is_empty());
    let counted = if is_ranked { &won(boards) } else { compared };
    let some = counted.len() < view.debates.len();
    let sizes = view.sizes(counted.iter().copied());
    let worth = effective(sizes.iter().map(|n| *n as f64));
    let equal = worth > 0.9 * sizes.len() as f64;
    let enough = worth >= 0.9 * FEW_TOPICS as f64 && sizes.len() >= FEW_TOPICS;
    let size = match (sizes.first(), equal) {
        (Some(each), _) if sizes.iter().all(|n| n == each) => {
            let each = count(*each, "debate");
            let suffix = if sizes.len() > 1 { " each" } else { "" };
            format!("with {each}{suffix}")
        }
        (_, true) => "with about equal numbers of debates".to_owned(),
        (_, false) => {
            format!("with unequal numbers of debates, worth {worth:.1} topics with equal numbers")
        }
    };
    let few = told_if(!enough, || format!("; {FEW_TOPICS} with equal numbers are advised"));
    let of = if some { " of compared debates" } else { "" };
    DesignCheck {
        asked: Asked::Topics,
        holds: Some(enough),
        sentence: format!("Topics{of}: {}, {size}{few}.", sizes.len()),
    }
}

/// How often settings were run. Once is no fault: more topics say more than repeats.
fn repeats(view: &View<'_>, debates: &BTreeSet<usize>) -> Option<DesignCheck> {
    let compared = || debates.iter().map(|debate| view.debates[*debate]);
    let again: BTreeSet<&str> = repetitions(compared()).into_iter().collect();
    // The runs of each setting by their seeds, and whether one ran again: what has the seed of another run and still another id differs
    // in something that facts don't tell.
    let mut runs: BTreeMap<(&str, &str, String), BTreeSet<Option<u64>>> = BTreeMap::new();
    for facts in compared() {
        let own = runs.entry((&facts.private.job, &facts.topic, setting(facts))).or_default();
        own.extend(
            [Some(facts.seed)].into_iter().chain(again.contains(&*facts.id).then_some(None)),
        );
    }
    let repeated = runs.values().filter(|own| own.len() > 1).count();
    let sentence = match repeated {
        0 => "Repeats: none, so chance between runs of one debate cannot be separated from its topic and seats.".to_owned(),
        n if n == runs.len() => "Repeats: each setting ran more than once.".to_owned(),
        n => format!(
            "Repeats: {n} of {} ran more than once.",
            count(runs.len(), "setting")
        ),
    };
    (!runs.is_empty()).then_some(DesignCheck {
        asked: Asked::Repeats,
        holds: (repeated > 0).then_some(true),
        sentence,
    })
}

/// What the matrix assigned, who sat where and as whom, the settings of the format, and by what it was judged.
fn setting(facts: &Facts) -> String {
    let cell = facts.private.cell.iter().map(|(path, value)| format!("{path}={value}"));
    let people = facts.people.iter().map(|it| {
        let of = |own: &Option<Text>| own.as_deref().unwrap_or_default().to_owned();
        let (model, persona) = (of(&it.model), of(&it.persona));
        format!("{}={model}/{persona}/{}", it.id, it.position)
    });
    let settings = [facts.private.settings.to_string()];
    let rubric = facts.rubric.iter().map(ToString::to_string);
    separated(cell.chain(people).chain(settings).chain(rubric), " ")
}
