//! Tests of the flow: ids, statuses, and which answers count.

mod noting;

use std::collections::BTreeSet;

use crate::properties::properties;
use proptest::prelude::*;

use super::counting::Moves;
use super::*;
use crate::event::{How, Move, Point, StatementNotes};

/// Notes on a statement: new points, and moves as `(at, how, with)`.
fn notes(n: u32, points: &[&str], moves: &[(&str, How, Option<&str>)]) -> StatementNotes {
    let point = |id: &&str| Point { id: (*id).to_owned(), text: format!("point {id}") };
    let step = |(at, how, with): &(&str, How, Option<&str>)| Move {
        at: (*at).to_owned(),
        how: *how,
        with: with.map(str::to_owned),
    };
    StatementNotes {
        n,
        points: points.iter().map(point).collect(),
        moves: moves.iter().map(step).collect(),
        ..StatementNotes::default()
    }
}

/// Two sides that take turns and see all that was said before.
fn sheet(turns: u32, all: &[StatementNotes]) -> Sheet {
    let turns: Vec<(u32, &str, u32)> =
        (1..=turns).map(|n| (n, if n % 2 == 1 { "a" } else { "b" }, n - 1)).collect();
    let mut sheet = sheet_of(&turns);
    sheet.take(all);
    sheet
}

/// A sheet of these turns, whose sides are the speakers.
fn sheet_of(turns: &[(u32, &str, u32)]) -> Sheet {
    let turns: Vec<Turn> = turns
        .iter()
        .map(|(n, by, saw)| Turn { n: *n, by: (*by).to_owned(), side: (*by).to_owned(), saw: *saw })
        .collect();
    let sides: BTreeSet<String> = turns.iter().map(|turn| turn.side.clone()).collect();
    let mut sheet = Sheet::default();
    sheet.sides.extend(sides);
    sheet.turns = turns;
    sheet
}

fn statuses(flow: &Flow) -> Vec<(&str, PointStatus)> {
    let points = flow.points.iter();
    points.map(|p| (p.id.as_str(), p.status)).collect()
}

#[test]
fn m7_statuses_follow_from_what_was_done() {
    use How::{Conceded, Full, Partial, Repeated, Withdrawn};
    use PointStatus as Is;
    let all = [
        notes(1, &["A1", "A2", "A3", "A4"], &[]),
        notes(
            2,
            &["B1"],
            &[("A1", Full, Some("B1")), ("A2", Partial, None), ("A3", Conceded, None)],
        ),
        notes(3, &["A5"], &[("A4", Withdrawn, None), ("A1", Repeated, None)]),
        notes(4, &["B2"], &[]),
    ];
    let flow = sheet(4, &all).flow(true);
    let expected = [
        ("A1", Is::Answered),
        ("A2", Is::PartlyAnswered),
        ("A3", Is::Conceded),
        ("A4", Is::Withdrawn),
        ("B1", Is::Dropped),
        ("A5", Is::Dropped),
        ("B2", Is::Standing),
    ];
    assert_eq!(statuses(&flow), expected);
    let running = sheet(4, &all).flow(false);
    assert_eq!(running.point("B1").map(|p| p.status), Some(Is::Open));
}

#[test]
fn m7_replies_are_told_with_those_who_made_them_and_with_what_became_of_them() {
    use How::{Conceded, Defended, Full, Partial};
    let mut all = vec![
        notes(1, &["A1", "A2"], &[]),
        notes(2, &["B1", "B2"], &[("A1", Partial, Some("B1")), ("A2", Full, Some("B2"))]),
        notes(3, &["A3"], &[("B1", Full, Some("A3")), ("B2", Conceded, None)]),
    ];
    let told = |all: &[StatementNotes]| -> Vec<String> {
        let flow = sheet(3, all).flow(true);
        let told = |p: &FlowPoint| flow.told(p, flow.stands(p), |by| by);
        flow.points.iter().map(told).collect()
    };
    let one = "replied to in part by b, whose reply was itself replied to";
    let other = "replied to by b, whose reply a granted";
    assert_eq!(told(&all), [one, other, "replied to by a", "granted by a", "standing"]);
    // A defence is told in place of what else became of the reply.
    all[2] = notes(3, &["A3"], &[("A2", Defended, None), ("B2", Conceded, None)]);
    let [one, other] = ["replied to in part by b", "replied to by b, then defended"];
    assert_eq!(told(&all)[..2], [one, other]);
}

#[test]
fn m7_an_answer_falls_with_the_point_it_was_made_with() {
    use How::Full;
    let all = [
        notes(1, &["A1"], &[]),
        notes(2, &["B1"], &[("A1", Full, Some("B1"))]),
        notes(3, &["A2"], &[("B1", Full, Some("A2"))]),
    ];
    let flow = sheet(3, &all).flow(true);
    let expected = [
        ("A1", PointStatus::Standing),
        ("B1", PointStatus::Answered),
        ("A2", PointStatus::Standing),
    ];
    assert_eq!(statuses(&flow), expected);
    // A point that answers its own answer: in a circle the later statement stands.
    let circle = [
        notes(1, &["A1"], &[]),
        notes(2, &["B1"], &[("A1", Full, Some("B1"))]),
        notes(3, &[], &[("B1", Full, Some("A1"))]),
    ];
    let flow = sheet(3, &circle).flow(true);
    assert_eq!(statuses(&flow), [("A1", PointStatus::Standing), ("B1", PointStatus::Answered)]);
}

#[test]
fn m7_a_reply_waits_for_no_answer_once_the_point_that_it_met_is_withdrawn() {
    use How::{Full, Partial, Withdrawn};
    let mut all = vec![
        notes(1, &["A1"], &[]),
        notes(2, &["B1", "B2"], &[("A1", Full, Some("B1"))]),
        notes(3, &["A2"], &[("A1", Withdrawn, None)]),
        notes(4, &[], &[]),
    ];
    for over in [false, true] {
        let flow = sheet(4, &all).flow(over);
        assert_eq!(flow.points[1].status, PointStatus::Standing, "B1, {over}");
        assert!(flow.points[1].faced);
    }
    assert_eq!(sheet(4, &all).flow(true).points[2].status, PointStatus::Dropped, "B2");
    // Against another point it has still to be answered; one made before is settled by nothing that was withdrawn.
    all[3] = notes(4, &[], &[("A2", Partial, Some("B1"))]);
    assert_eq!(sheet(4, &all).flow(true).points[1].status, PointStatus::Dropped);
    all[1] = notes(2, &["B1", "B2"], &[("A1", Full, None)]);
    assert_eq!(sheet(4, &all).flow(true).points[1].status, PointStatus::Dropped);
}

#[test]
fn m7_a_defended_point_is_answered_in_part_until_it_is_answered_again() {
    use How::{Defended, Full};
    let mut all = vec![
        notes(1, &["A1", "A2"], &[]),
        notes(2, &["B1"], &[("A1", Full, Some("B1")), ("A2", Full, None)]),
        notes(3, &[], &[("A1", Defended, None)]),
        notes(4, &[], &[]),
    ];
    let flow = sheet(4, &all).flow(true);
    let expected = [
        ("A1", PointStatus::PartlyAnswered),
        ("A2", PointStatus::Answered),
        ("B1", PointStatus::Dropped),
    ];
    assert_eq!(statuses(&flow), expected);
    let counts = flow.answer_that_counts("A1").expect("an answer");
    assert_eq!(counts.with.as_deref(), Some("B1"));
    assert_eq!(flow.stands(&flow.points[0]), "replied to, then defended");
    assert_eq!(flow.stands(&flow.points[1]), "replied to");
    all[3] = notes(4, &[], &[("A1", Full, None)]);
    let again = sheet(4, &all).flow(true);
    assert_eq!(statuses(&again)[0], ("A1", PointStatus::Answered));
}

#[test]
fn m7_a_defence_takes_nothing_from_a_point_whose_answer_fell() {
    use How::{Defended, Full};
    let mut all = vec![
        notes(1, &["A1"], &[]),
        notes(2, &["B1"], &[("A1", Full, Some("B1"))]),
        notes(3, &[], &[("B1", Full, None)]),
    ];
    let stands = [("A1", PointStatus::Standing), ("B1", PointStatus::Answered)];
    let flow = sheet(3, &all).flow(true);
    assert_eq!(statuses(&flow), stands);
    assert!(flow.is_held("B1"));
    all[2] = notes(3, &[], &[("B1", Full, None), ("A1", Defended, None)]);
    assert_eq!(statuses(&sheet(3, &all).flow(true)), stands);
}

#[test]
fn t3_what_its_own_side_upholds_was_not_settled_before() {
    use How::{Conceded, Full, Partial, Upheld};
    let all = [
        notes(1, &["A1", "A2", "A3", "A4", "A5"], &[]),
        notes(
            2,
            &[],
            &[
                ("A1", Conceded, None),
                ("A2", Full, None),
                ("A3", Partial, None),
                ("A4", Conceded, None),
                ("A5", Partial, None),
            ],
        ),
        notes(3, &[], &["A1", "A2", "A3", "A5"].map(|at| (at, Upheld, None))),
        notes(4, &[], &[("A2", Full, None), ("A5", Full, None)]),
        // The part that was left to the first answer fell with the second.
        notes(5, &[], &[("A5", Upheld, None)]),
    ];
    let expected = [
        ("A1", PointStatus::Standing),
        ("A2", PointStatus::Answered),
        ("A3", PointStatus::PartlyAnswered),
        ("A4", PointStatus::Conceded),
        ("A5", PointStatus::Standing),
    ];
    assert_eq!(statuses(&sheet(5, &all).flow(true)), expected);
    let before = sheet(3, &all).flow(false);
    let status = |id: &str| before.point(id).map(|p| p.status);
    assert_eq!(status("A1"), Some(PointStatus::Open));
    assert_eq!(status("A5"), Some(PointStatus::PartlyAnswered));
}

#[test]
fn m7_a_circle_of_answers_that_waits_for_another_is_settled_after_it() {
    use How::Full;
    let all = [
        notes(1, &["A1", "A2"], &[]),
        notes(2, &["B1", "B2"], &[("A1", Full, Some("B1"))]),
        notes(3, &[], &[("B1", Full, Some("A1")), ("B2", Full, Some("A2"))]),
        notes(4, &[], &[("A2", Full, Some("B2"))]),
        // The circle of A2 and B2 hangs on that of A1 and B1, in which A1 holds out: so B2 falls, and what it answered stands.
        notes(5, &[], &[("B2", Full, Some("A1"))]),
    ];
    let expected = [
        ("A1", PointStatus::Standing),
        ("A2", PointStatus::Standing),
        ("B1", PointStatus::Answered),
        ("B2", PointStatus::Answered),
    ];
    assert_eq!(statuses(&sheet(5, &all).flow(true)), expected);
}

#[test]
fn m7_the_answer_shown_is_the_one_that_counts() {
    use How::{Full, Partial};
    let all = [
        notes(1, &["A1", "A2"], &[]),
        notes(2, &["B1"], &[("A1", Full, None), ("A2", Partial, None)]),
        notes(3, &["A3"], &[]),
        notes(4, &["B2"], &[("A1", Full, Some("B2")), ("A2", Full, Some("B2"))]),
        notes(5, &["A4"], &[("B2", Full, Some("A4"))]),
    ];
    let flow = sheet(5, &all).flow(false);
    let shown = |id: &str| flow.answer_that_counts(id).map(|edge| edge.statement);
    assert_eq!((shown("A1"), shown("A2")), (Some(2), Some(2)));
    assert_eq!((shown("B2"), shown("A4")), (Some(5), None));
}

/// What a random statement does: at which statement's point, how, and with which own.
type Steps = Vec<(u32, u8, Option<u32>)>;

/// A debate of two sides with a point per statement and random moves at earlier points.
fn any_debate() -> impl Strategy<Value = Vec<StatementNotes>> {
    let step = (0_u32..20, 0_u8..5, prop::option::of(0_u32..20));
    prop::collection::vec(prop::collection::vec(step, 0..4), 1..14).prop_map(|all| {
        let id = |n: u32| format!("{}{}", if n % 2 == 1 { "A" } else { "B" }, n.div_ceil(2));
        let statement = |(place, steps): (usize, &Steps)| {
            let n = place as u32 + 1;
            let own = |m: u32| (m % 2) == (n % 2);
            let moves = steps.iter().filter_map(|(at, how, with)| {
                let at = 1 + at % n;
                let how = match (own(at), how % 3) {
                    (true, 0) => How::Withdrawn,
                    (true, _) => How::Repeated,
                    (false, 0) => How::Conceded,
                    (false, 1) => How::Partial,
                    (false, _) => How::Full,
                };
                let with = with.map(|with| 1 + with % n).filter(|with| own(*with) && !own(at));
                (at < n).then(|| Move { at: id(at), how, with: with.map(id) })
            });
            StatementNotes {
                n,
                points: vec![Point { id: id(n), text: format!("point {n}") }],
                moves: moves.collect(),
                ..StatementNotes::default()
            }
        };
        all.iter().enumerate().map(statement).collect()
    })
}

proptest! {
    #![proptest_config(properties(300))]
    #[test]
    fn m7_every_point_has_the_status_that_its_edges_give_it(all in any_debate()) {
        let flow = sheet(all.len() as u32, &all).flow(true);
        prop_assert_eq!(flow.points.len(), all.len(), "no point is lost");
        let counting = Moves::of(&flow.edges).full_answers();
        for point in &flow.points {
            let done = |how: How| flow.about(&point.id).any(|edge| edge.how == how);
            let answered = flow.edges.iter().enumerate().any(|(place, e)| e.at == point.id && counting.contains(&place));
            let against = flow.edges.iter().filter(|e| e.with.as_ref() == Some(&point.id));
            let gone = |e: &Edge| flow.about(&e.at).any(|edge| edge.how == How::Withdrawn);
            let replied = against.clone().any(|e| e.how == How::Full && e.statement == point.statement);
            let prevailed = replied && against.clone().all(gone);
            let expected = if done(How::Withdrawn) {
                PointStatus::Withdrawn
            } else if done(How::Conceded) {
                PointStatus::Conceded
            } else if answered {
                PointStatus::Answered
            } else if done(How::Partial) {
                PointStatus::PartlyAnswered
            } else if point.faced && !done(How::Full) && !prevailed {
                PointStatus::Dropped
            } else {
                PointStatus::Standing
            };
            prop_assert_eq!(point.status, expected, "{}", &point.id);
        }
    }

    #[test]
    fn m7_an_answer_counts_unless_its_point_is_answered_by_one_that_counts(all in any_debate()) {
        let flow = sheet(all.len() as u32, &all).flow(true);
        let counting = Moves::of(&flow.edges).full_answers();
        let is_answered = |id: &str| flow.edges.iter().enumerate().any(|(place, e)| e.at == id && counting.contains(&place));
        for (place, edge) in flow.edges.iter().enumerate().filter(|(_, e)| e.how == How::Full) {
            let beaten = edge.with.as_deref().is_some_and(is_answered);
            // Only within a circle can an answer stand whose point is answered too: then it is the later one.
            if counting.contains(&place) == beaten {
                let later = |other: &&Edge| other.how == How::Full && Some(&other.at) == edge.with.as_ref();
                prop_assert!(counting.contains(&place), "an answer that nothing beats counts");
                prop_assert!(flow.edges.iter().filter(later).any(|other| other.statement <= edge.statement));
            }
        }
    }

    #[test]
    fn m7_what_a_running_debate_leaves_open_is_what_nobody_answered(all in any_debate()) {
        let sheet = sheet(all.len() as u32, &all);
        let (running, over) = (sheet.flow(false), sheet.flow(true));
        for (now, then) in running.points.iter().zip(&over.points) {
            prop_assert_eq!(now.status.is_unanswered(), then.status.is_unanswered());
            prop_assert!(now.status == PointStatus::Open || now.status == then.status);
        }
    }
}

#[test]
fn m7_a_reply_at_the_end_neither_settles_a_point_nor_lets_one_stand() {
    use How::Full;
    // A1 is replied to with B1, that with A2, and A2 with B2, when side a has no turn left.
    let all = [
        notes(1, &["A1"], &[]),
        notes(2, &["B1"], &[("A1", Full, Some("B1"))]),
        notes(3, &["A2"], &[("B1", Full, Some("A2"))]),
        notes(4, &["B2"], &[("A2", Full, Some("B2"))]),
    ];
    let told = |turns: u32| {
        let flow = sheet(turns, &all).flow(true);
        let has_turn = |side: &str, n: u32| {
            (1..=turns).any(|turn| turn > n && (side == "a") == (turn % 2 == 1))
        };
        let told = flow.points.iter().map(|point| flow.at_the_end(point, has_turn));
        told.collect::<Vec<_>>()
    };
    assert_eq!(told(4), [None, Some(SAVED), Some(MET), None]);
    assert_eq!(told(5), [None; 4]);
}

#[test]
fn m7_what_is_left_of_a_point_after_a_reply_was_not_dropped() {
    use How::{Full, Partial, Withdrawn};
    let all = |how| {
        [
            notes(1, &["A1", "A2"], &[]),
            notes(2, &["B1"], &[("A1", how, Some("B1"))]),
            notes(
                3,
                &["A3", "A4"],
                &[("A1", Withdrawn, Some("A3")), ("A2", Withdrawn, Some("A4"))],
            ),
        ]
    };
    let flow = sheet(4, &all(Full)).flow(true);
    let left_over = |flow: &Flow| {
        let points = flow.points.iter().filter(|point| flow.is_left_over(point));
        points.map(|point| point.id.clone()).collect::<Vec<_>>()
    };
    assert_eq!(left_over(&flow), ["A3"], "nobody had replied to A2");
    let left = |id: &str| flow.left_of(flow.point(id)?).map(|left| left.id.as_str());
    assert_eq!([left("A1"), left("A4"), left("B1")], [Some("A3"), Some("A4"), Some("B1")]);
    let mut replied = all(Partial).to_vec();
    replied.push(notes(4, &[], &[("A3", Partial, None)]));
    assert!(left_over(&sheet(4, &replied).flow(true)).is_empty(), "somebody replied to A3");
}
