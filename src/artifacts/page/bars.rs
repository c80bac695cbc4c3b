//! Scores as bars with a dot per judge: a dispute is seen at once.

use super::spoken::side;
use crate::artifacts::judgments::{decided, verdict};
use crate::event::{Ballot, Verdict, VerdictJudge};
use crate::html::rows::Rows;
use crate::html::scale::Scale;
use crate::html::svg::{Label, Shape};
use crate::job::profile_of;
use crate::text;
use crate::trace::Trace;

/// Rounds beyond which bars say less than the table does.
const ROUNDS: usize = 40;
/// Half the height of a bar.
const HALF: f64 = 6.0;
/// Dots nearer to each other than this, in per cent of the axis, stand one below the other.
const NEAR: f64 = 1.5;
/// How far below each other.
const APART: [f64; 5] = [0.0, 7.0, -7.0, 12.0, -12.0];

/// A bar and its dots.
struct Bar {
    name: String,
    side: Option<usize>,
    mean: f64,
    /// What stands beside the mean: votes decide a round, whatever the scores.
    votes: String,
    dots: Vec<Dot>,
}

/// A judge's score.
struct Dot {
    by: String,
    score: f64,
    /// Whether its vote is against the debater.
    against: bool,
}

/// The charts of a debate, each with what it shows in a line.
pub(super) fn charts(trace: &Trace) -> Vec<(String, String)> {
    let verdict = decided::own_verdict(trace).map(|verdict| {
        let ends = verdict.rubric.scale.unwrap_or((0, 10));
        let dot = if has_one_judge_of_two_readings(verdict) { "reading" } else { "judge" };
        ("verdict", ("The judges' scores", dot), ends, judged(trace, verdict))
    });
    let ends = profile_of(&trace.format).ballot_scale.unwrap_or((1, 5));
    let ballots = Some(("ballots", ("The ballots of each round", "ballot"), ends, voted(trace)));
    let all = verdict
        .into_iter()
        .chain(ballots)
        .filter(|(.., bars)| !bars.is_empty() && bars.len() <= ROUNDS);
    let shown = |(id, (title, dot), ends, bars): (_, _, _, Vec<Bar>)| {
        (chart(id, title, ends, &bars), caption(dot, ends, bars.len()))
    };
    all.map(shown).collect()
}

fn caption(dot: &str, (low, high): (u8, u8), bars: usize) -> String {
    let more = match (dot, bars) {
        ("ballot", _) => " Hollow: a vote against the debater. ✕: voted out.".to_owned(),
        (_, 1) => String::new(),
        _ => format!(" Lines join the scores of a {dot}."),
    };
    format!("Bar: the mean. Dot: one {dot}.{more} From {low} to {high}.")
}

/// Contestants by the judges of the whole debate.
fn judged(trace: &Trace, own: &Verdict) -> Vec<Bar> {
    let means = own.means();
    let bar = |(id, mean): (&String, &f64)| Bar {
        name: trace.name_of(id).to_owned(),
        side: side(trace, id),
        mean: *mean,
        votes: String::new(),
        dots: dots(trace, own, id),
    };
    verdict::in_order(trace, &means).into_iter().map(bar).collect()
}

/// Whose mean would hide that its readings differ.
fn has_one_judge_of_two_readings(own: &Verdict) -> bool {
    own.heard().count() == 1 && own.valid().count() > 1
}

fn dots(trace: &Trace, own: &Verdict, id: &str) -> Vec<Dot> {
    let dot = |(by, score)| Dot { by, score, against: false };
    if has_one_judge_of_two_readings(own) {
        let read = (1..).zip(own.valid());
        let read = read.filter_map(|(n, it)| Some((format!("reading {n}"), *it.totals.get(id)?)));
        return read.map(dot).collect();
    }
    let name = |judge: &VerdictJudge| trace.name_of(&judge.judge.id).to_owned();
    let judges = own.heard().filter_map(|it| Some((name(it), *it.means().get(id)?)));
    judges.map(dot).collect()
}

/// Rounds by their ballots.
fn voted(trace: &Trace) -> Vec<Bar> {
    let valid = trace.ballots.iter().filter(|ballot| ballot.reading.is_valid());
    let rounds = text::gathered(valid.map(|ballot| (ballot.round, ballot)));
    let bar = |(round, ballots): (u32, Vec<&Ballot>)| {
        let about = &ballots[0].about;
        let total = |ballot: &&Ballot| {
            let score = ballot.reading.totals.get(&ballot.about).copied()?;
            let by = trace.name_of(&ballot.by.id).to_owned();
            Some(Dot { by, score, against: ballot.keep == Some(false) })
        };
        let dots: Vec<Dot> = ballots.iter().filter_map(total).collect();
        let sum: f64 = dots.iter().map(|dot| dot.score).sum();
        Some(Bar {
            name: format!("Round {round}, {}", trace.name_of(about)),
            side: side(trace, about),
            mean: sum / dots.len().max(1) as f64,
            votes: votes(trace, round, &ballots),
            dots,
        })
        .filter(|bar| !bar.dots.is_empty())
    };
    rounds.into_iter().filter_map(bar).collect()
}

/// `; 1 of 4 replace`, with a mark on who was voted out.
fn votes(trace: &Trace, round: u32, ballots: &[&Ballot]) -> String {
    let against = ballots.iter().filter(|ballot| ballot.keep == Some(false)).count();
    let how = if ballots[0].on_position { "against" } else { "replace" };
    let is_out = trace.rotations.iter().any(|it| it.round == round && it.voted_out);
    format!("; {against} of {} {how}{}", ballots.len(), if is_out { " ✕" } else { "" })
}

fn chart(id: &str, title: &str, (low, high): (u8, u8), bars: &[Bar]) -> String {
    let scale = Scale::exactly(f64::from(low), f64::from(high));
    let mut drawing = Rows::new(bars.len(), scale, |tick| format!("{tick:.0}"), None);
    let colour = |bar: &Bar| bar.side.map_or_else(String::new, |side| format!(" side-{side}"));
    let mut rows: Vec<(f64, &Bar)> = Vec::new();
    for bar in bars {
        let value = text::fixed(bar.mean, 2) + &bar.votes;
        let y = drawing.row(None, &bar.name, &value, false);
        let (class, width) = (format!("bar{}", colour(bar)), scale.at(bar.mean));
        drawing.svg.rect(&class, (0.0, y - HALF), (width, 2.0 * HALF));
        rows.push((y, bar));
    }
    for pair in rows.windows(2).filter(|_| id == "verdict") {
        join(&mut drawing, pair[0], pair[1]);
    }
    for (y, bar) in rows {
        draw_dots(&mut drawing, bar, y, &format!("judge{}", colour(bar)));
    }
    let label = Label { id: format!("chart-{id}"), title: title.to_owned(), desc: described(bars) };
    drawing.finish(&label)
}

/// Lines between the scores of each judge: where they cross, judges disagree.
fn join(drawing: &mut Rows, (from, above): (f64, &Bar), (to, below): (f64, &Bar)) {
    for dot in &above.dots {
        if let Some(same) = below.dots.iter().find(|other| other.by == dot.by) {
            let [start, end] = [dot, same].map(|dot| drawing.scale.at(dot.score));
            drawing.svg.line("joins", (start, from), (end, to));
        }
    }
}

fn draw_dots(drawing: &mut Rows, bar: &Bar, y: f64, class: &str) {
    let places: Vec<f64> = bar.dots.iter().map(|dot| drawing.scale.at(dot.score)).collect();
    for ((x, below), dot) in apart(&places).into_iter().zip(&bar.dots) {
        let class = if dot.against { format!("{class} against") } else { class.to_owned() };
        drawing.svg.mark(&class, (x, y + below), Shape::Disc);
    }
}

/// Dots with how far below the line each stands: as near to it as no dot near it does. More than there is room for stand on the
/// line.
fn apart(at: &[f64]) -> Vec<(f64, f64)> {
    let mut placed: Vec<(f64, f64)> = Vec::new();
    for x in at {
        let is_free = |below: &f64| {
            let mut near = placed.iter().filter(|(other, _)| (other - x).abs() < NEAR);
            near.all(|(_, taken)| taken != below)
        };
        let below = APART.into_iter().find(is_free).unwrap_or_default();
        placed.push((*x, below));
    }
    placed
}

/// The same in words.
fn described(bars: &[Bar]) -> String {
    let one = |bar: &Bar| {
        let dots = bar.dots.iter().map(|dot| format!("{} {}", dot.by, text::fixed(dot.score, 2)));
        let mean = text::fixed(bar.mean, 2) + &bar.votes;
        format!("{}: {mean} ({})", bar.name, text::separated(dots, ", "))
    };
    text::sentence(&text::separated(bars.iter().map(one), "; "))
}

#[cfg(test)]
mod tests {
    use super::apart;

    #[test]
    fn l1_no_dot_covers_another_while_there_is_room() {
        // The third is near both others, which are not near each other.
        for at in [[50.0, 52.0, 51.0, 51.5, 50.5], [50.0; 5]] {
            let placed = apart(&at);
            for (n, (x, below)) in placed.iter().enumerate() {
                let covers =
                    |(other, taken): &&(f64, f64)| (x - other).abs() < 1.5 && taken == below;
                assert_eq!(placed[..n].iter().find(covers), None, "{placed:?}");
            }
        }
        assert_eq!(apart(&[1.0, 3.0]), [(1.0, 0.0), (3.0, 0.0)]);
    }
}
