//! The status of arguments, computed from the moves on them and from who could have answered.

use super::counting::{full_answers, is_contested, is_overruled};
use super::shape::{Edge, FlowPoint, FlowQuestion, PointStatus, Turn};
use crate::event::How;

/// Gives every point its status. `over`: the debate has ended.
pub(super) fn settle(points: &mut [FlowPoint], edges: &[Edge], turns: &[Turn], over: bool) {
    let counting = full_answers(edges);
    for point in points {
        let about: Vec<(usize, How)> = edges
            .iter()
            .enumerate()
            .filter_map(|(place, edge)| (edge.at == point.id).then_some((place, edge.how)))
            .collect();
        let done = |how: How| about.iter().any(|(_, done)| *done == how);
        let stands = |place: usize| !is_overruled(edges, place);
        let granted = |(place, how): &(usize, How)| *how == How::Conceded && stands(*place);
        let conceded = about.iter().any(granted);
        let contested = about.iter().any(|(place, _)| is_contested(edges, *place));
        let met = done(How::Full) || done(How::Conceded);
        let answered = counting.iter().any(|&place| edges[place].at == point.id);
        point.faced = was_faced(point, turns);
        point.status = match () {
            () if done(How::Withdrawn) => PointStatus::Withdrawn,
            () if conceded => PointStatus::Conceded,
            () if answered => PointStatus::Answered,
            () if done(How::Partial) || contested => PointStatus::PartlyAnswered,
            () if !over => PointStatus::Open,
            () if point.faced && !met => PointStatus::Dropped,
            () => PointStatus::Standing,
        };
    }
}

/// Whether someone on another side was asked for a statement with the point on the record.
fn was_faced(point: &FlowPoint, turns: &[Turn]) -> bool {
    let faced = |turn: &&Turn| turn.side != point.side && turn.saw >= point.statement;
    turns.iter().any(|turn| faced(&turn))
}

/// Says of every question which statement answered it first.
pub(super) fn answer(questions: &mut [FlowQuestion], edges: &[Edge]) {
    for question in questions {
        let answers = |edge: &&Edge| edge.at == question.id && !edge.how.is_own();
        question.answered_in = edges.iter().find(answers).map(|edge| edge.statement);
    }
}
