//! The status of arguments, computed from the moves on them and from who could have answered.

use super::counting::Moves;
use super::edge::Edge;
use super::shape::{FlowPoint, FlowQuestion, PointStatus, Turn};
use crate::event::How;

/// Gives every point its status. `over`: the debate has ended.
pub(super) fn settle(points: &mut [FlowPoint], edges: &[Edge], turns: &[&Turn], over: bool) {
    let moves = Moves::of(edges);
    let counting = moves.full_answers();
    for point in points {
        let about = moves.about(&point.id);
        let granted =
            |place: &usize| edges[*place].how == How::Conceded && !moves.is_overruled(*place);
        let conceded = about.iter().any(granted);
        let in_part = about.iter().any(|place| moves.counts_in_part(*place));
        let answered = about.iter().any(|place| counting.contains(place));
        point.faced = was_faced(point, turns);
        let given_up = about.iter().rfind(|place| edges[**place].how == How::Withdrawn);
        point.status = if let Some(place) = given_up {
            let narrower = edges[*place].with.as_ref();
            narrower.map_or(PointStatus::Withdrawn, |_| PointStatus::Narrowed)
        } else if conceded {
            PointStatus::Conceded
        } else if answered {
            PointStatus::Answered
        } else if in_part {
            PointStatus::PartlyAnswered
        } else if has_prevailed(point, edges, &moves) {
            PointStatus::Standing
        } else if !over {
            PointStatus::Open
        } else if point.faced && about.iter().all(|place| edges[*place].how.is_own()) {
            PointStatus::Dropped
        } else {
            PointStatus::Standing
        };
    }
}

/// Whether a point was made as a full reply, and all that it was set against was withdrawn since: nothing waits for an answer to it.
fn has_prevailed(point: &FlowPoint, edges: &[Edge], moves: &Moves<'_>) -> bool {
    let mut set_against = edges.iter().filter(|edge| edge.with.as_ref() == Some(&point.id));
    let replies = |edge: &Edge| edge.how == How::Full && edge.statement == point.statement;
    let is_withdrawn = |edge: &Edge| {
        let mut about = moves.about(&edge.at).iter();
        about.any(|place| edges[*place].how == How::Withdrawn)
    };
    set_against.clone().any(replies) && set_against.all(is_withdrawn)
}

/// Whether someone on another side was asked for a statement with the point on the record.
fn was_faced(point: &FlowPoint, turns: &[&Turn]) -> bool {
    let faced = |turn: &Turn| turn.side != point.side && turn.saw >= point.statement;
    turns.iter().any(|turn| faced(turn))
}

/// Says of every question which statement answered it first as a whole. An answer to a part of it leaves it open.
pub(super) fn answer(questions: &mut [FlowQuestion], edges: &[Edge]) {
    let moves = Moves::of(edges);
    for question in questions {
        let mut about = moves.about(&question.id).iter().map(|place| &edges[*place]);
        let first = about.find(|edge| !edge.how.is_own() && edge.how != How::Partial);
        question.answered_in = first.map(|edge| edge.statement);
    }
}
