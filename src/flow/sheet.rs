//! The flow's sheet: turns, the notes on them, and the next id.

use std::collections::BTreeSet;

use super::asked::asks_again;
use super::edge::Edge;
use super::shape::{Flow, FlowPoint, FlowQuestion, Turn};
use super::status;
use crate::event::{How, Move, Point, Statement, StatementNotes, UnusableEntry};
use crate::plan::Plan;
use crate::text::{self, distinct, mentions};

/// The letters of sides, in the order of the job; Q is the questions'.
const LETTERS: &str = "ABCDEFGHIJKLMNOPRSTUVWXYZ";

/// What the clerk's task calls the position of a statement's own speaker in its examples.
const OWN_POSITION: &str = "M0";

/// Maximum characters that are kept of an entry that cannot be used.
const LONGEST_ENTRY: usize = 120;

/// The ids of what is new in a statement.
#[derive(Debug, Default)]
struct NewIds {
    /// Those of arguments, by the place in the notes; `None` where an entry there is none.
    points: Vec<Option<String>>,
    /// That of its question.
    question: Option<String>,
}

/// What was noted so far.
#[derive(Debug, Clone, Default)]
pub struct Sheet {
    pub(super) sides: Vec<String>,
    /// The sides that argue for positions.
    pub(super) positioned: Vec<String>,
    /// The names of all, where a question may be for some of several.
    pub(super) names: Vec<String>,
    pub(super) turns: Vec<Turn>,
    notes: Vec<StatementNotes>,
}

/// A statement's notes as the clerk gave them: without ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Noted {
    /// The statement's number.
    pub n: u32,
    /// Its main claim.
    pub claim: String,
    /// Its new arguments, at the places that its clerk gave them; `None` where an entry is not an argument.
    pub new: Vec<Option<String>>,
    /// What it does about points that stood before it.
    pub moves: Vec<NotedMove>,
    /// Whether it asks someone something, according to its clerk.
    pub asks: bool,
    /// The question that it puts to someone.
    pub question: Option<String>,
    /// Moves that cannot be made sense of, as its clerk wrote them.
    pub unreadable: Vec<String>,
    /// Whether there may be more arguments or moves than its clerk had room for.
    pub is_full: bool,
}

/// A move as the clerk gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotedMove {
    /// The point or question.
    pub at: Named,
    /// What is done about it.
    pub how: How,
    /// The own point it is done with.
    pub with: Option<Named>,
    /// What the clerk wrote.
    pub said: String,
}

/// How notes name a point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// By its id.
    Id(String),
    /// By its place among those that are new in this exchange: the statement's and its own, from 1.
    New(usize, usize),
    /// By the place in this exchange, from 1, of the statement that put the question.
    Asked(usize),
}

impl Sheet {
    /// An empty sheet for a debate.
    pub fn new(plan: &Plan) -> Self {
        let profile = plan.format.profile;
        let sides = plan.participants.iter().filter_map(|p| profile.side(p));
        let sides = distinct(sides.map(str::to_owned));
        let argue = plan.participants.iter().filter(|p| profile.argues_position(p));
        let positioned = distinct(argue.filter_map(|p| profile.side(p)).map(str::to_owned));
        let names = plan.participants.iter().map(|p| p.name.clone());
        Self {
            names: names.filter(|_| sides.len() > 2).collect(),
            sides,
            positioned,
            ..Self::default()
        }
    }

    /// Notes a statement, if it is a turn of someone who argues.
    pub fn hear(&mut self, plan: &Plan, statement: &Statement) {
        let by = plan.participant(&statement.by);
        let side = by.and_then(|by| plan.format.profile.side(by));
        let Some(side) = side.filter(|_| statement.was_heard()) else {
            return;
        };
        self.turns.push(Turn {
            n: statement.n,
            by: statement.by.clone(),
            side: side.to_owned(),
            saw: statement.saw,
        });
    }

    /// Takes in notes that have ids.
    pub fn take(&mut self, notes: &[StatementNotes]) {
        self.notes.extend(notes.iter().cloned());
    }

    /// The flow as it is. `over`: the debate has ended.
    pub fn flow(&self, over: bool) -> Flow {
        self.until(u32::MAX, over)
    }

    /// The flow as it stood after a statement, while the debate went on.
    pub fn flow_after(&self, n: u32) -> Flow {
        self.until(n, false)
    }

    fn until(&self, n: u32, over: bool) -> Flow {
        let notes = || self.notes.iter().filter(|notes| notes.n <= n);
        let mut flow =
            Flow { impossible: notes().map(|notes| notes.impossible).sum(), ..Flow::default() };
        for notes in notes() {
            self.add(&mut flow, notes);
        }
        let turns: Vec<&Turn> = self.turns.iter().filter(|turn| turn.n <= n).collect();
        status::settle(&mut flow.points, &flow.edges, &turns, over);
        status::answer(&mut flow.questions, &flow.edges);
        flow
    }

    fn add(&self, flow: &mut Flow, notes: &StatementNotes) {
        let Some(turn) = self.turn(notes.n) else {
            return;
        };
        let point = |point: &Point| FlowPoint {
            id: point.id.clone(),
            side: turn.side.clone(),
            by: turn.by.clone(),
            statement: turn.n,
            text: point.text.clone(),
            ..FlowPoint::default()
        };
        let edge = |step: &Move| Edge {
            statement: turn.n,
            by: turn.by.clone(),
            at: step.at.clone(),
            how: step.how,
            with: step.with.clone(),
        };
        let question = |question: &Point| FlowQuestion {
            id: question.id.clone(),
            side: turn.side.clone(),
            by: turn.by.clone(),
            statement: turn.n,
            text: question.text.clone(),
            answered_in: None,
        };
        let edges = notes.moves.iter().map(edge);
        let (positions, edges): (Vec<Edge>, Vec<Edge>) =
            edges.partition(|edge| self.whose_position(&edge.at).is_some());
        flow.points.extend(notes.points.iter().map(point));
        flow.edges.extend(edges);
        flow.positions.extend(positions);
        flow.questions.extend(notes.question.iter().map(question));
    }

    /// A turn by its number. They are heard in its order.
    fn turn(&self, n: u32) -> Option<&Turn> {
        let place = self.turns.binary_search_by_key(&n, |turn| turn.n);
        self.turns.get(place.ok()?)
    }

    /// Gives the notes on an exchange their ids, omits what cannot be, and takes them in.
    pub fn note(&mut self, exchange: &[Noted]) -> Vec<StatementNotes> {
        let first = self.notes.len();
        let mut new: Vec<NewIds> = Vec::new();
        for noted in exchange {
            let (ids, points) = self.named(noted);
            let text = noted.question.as_ref();
            let waiting = text.and_then(|text| self.asked_before(noted.n, text));
            let question = text.filter(|_| waiting.is_none()).map(|text| self.question(text));
            let asked = question.as_ref().map(|question| question.id.clone());
            new.push(NewIds { points: ids, question: waiting.or(asked) });
            self.notes.push(StatementNotes {
                n: noted.n,
                claim: noted.claim.clone(),
                points,
                question,
                is_full: noted.is_full,
                ..StatementNotes::default()
            });
        }
        for (place, noted) in exchange.iter().enumerate() {
            let made = noted.moves.iter().filter(|step| !is_on_nothing(exchange, &step.at));
            let made = made.filter(|step| !self.is_reply_to_position(step));
            let is_new = self.notes[first + place].question.is_some();
            let again = new[place].question.clone().filter(|_| !is_new);
            let again = again.map(|at| Move { at, how: How::Repeated, with: None });
            let mut moves: Vec<Move> = again.into_iter().collect();
            let mut unusable: Vec<UnusableEntry> =
                noted.unreadable.iter().map(|text| unreadable(text)).collect();
            for step in made {
                match self.possible_move(&new, noted.n, step) {
                    Ok(possible) => moves.push(possible),
                    Err(cause) => unusable.push(unused(&by_id(&new, step), cause)),
                }
            }
            let mut about = BTreeSet::new();
            moves.retain(|step: &Move| about.insert(step.at.clone()));
            let notes = &mut self.notes[first + place];
            notes.impossible = unusable.len() as u32;
            notes.unusable = unusable;
            notes.moves = moves;
        }
        self.notes[first..].to_vec()
    }

    /// The new points of a statement, and the ids by place; none of one who makes no case.
    fn named(&self, noted: &Noted) -> (Vec<Option<String>>, Vec<Point>) {
        let Some(turn) = self.turn(noted.n) else {
            return Default::default();
        };
        let letter = self.letter(&turn.side);
        let made = self
            .notes
            .iter()
            .filter(|notes| self.turn(notes.n).is_some_and(|other| other.side == turn.side));
        let before: usize = made.map(|notes| notes.points.len()).sum();
        let mut points: Vec<Point> = Vec::new();
        let mut id = |text: &String| {
            let id = format!("{letter}{}", before + points.len() + 1);
            points.push(Point { id: id.clone(), text: text.clone() });
            id
        };
        let ids = noted.new.iter().map(|text| text.as_ref().map(&mut id));
        (ids.collect(), points)
    }

    /// A side's letter; behind the last, sides are lettered AA, AB… as columns of a spreadsheet are.
    fn letter(&self, side: &str) -> String {
        let known = self.sides.iter().position(|known| known == side);
        let place = known.unwrap_or(self.sides.len());
        let letter = |place: usize| LETTERS.chars().cycle().nth(place);
        let lead = place.checked_div(LETTERS.len()).filter(|lead| *lead > 0);
        let lead = lead.and_then(|lead| letter(lead - 1));
        lead.into_iter().chain(letter(place)).collect()
    }

    /// The ids of positions, each with its side: the side's letter and 0, as points are numbered from 1.
    pub fn positions(&self) -> impl Iterator<Item = (String, &str)> {
        self.positioned.iter().map(|side| (format!("{}0", self.letter(side)), side.as_str()))
    }

    /// Whose position an id names.
    fn whose_position(&self, id: &str) -> Option<&str> {
        let letter = id.strip_suffix('0')?;
        self.positioned.iter().find(|side| self.letter(side) == letter).map(String::as_str)
    }

    /// The id that is meant by one: small clerks copy the example for the speaker's own position.
    fn meant(&self, id: String, turn: &Turn) -> String {
        let mut own = self.positions().filter(|(_, side)| *side == turn.side);
        let is_example = id == OWN_POSITION && self.whose_position(&id).is_none();
        own.next().filter(|_| is_example).map_or(id, |(own, _)| own)
    }

    /// Whether a move does with a position what is done with points. It says nothing, and is no mistake.
    fn is_reply_to_position(&self, step: &NotedMove) -> bool {
        let is_position = |id: &str| self.whose_position(id).is_some();
        matches!(&step.at, Named::Id(id) if step.how != How::Withdrawn && is_position(id))
    }

    fn question(&self, text: &str) -> Point {
        let asked = self.notes.iter().filter(|notes| notes.question.is_some());
        Point { id: format!("Q{}", asked.count() + 1), text: text.to_owned() }
    }

    /// The id of a question of the same speaker that waits for an answer, and that a statement asks again.
    fn asked_before(&self, n: u32, text: &str) -> Option<String> {
        let by = &self.turn(n)?.by;
        let all = self.names.iter().map(String::as_str);
        let named = |text: &str| -> Vec<&str> {
            all.clone().filter(|name| mentions::names(text, name, all.clone())).collect()
        };
        let is_same = |asked: &str| asks_again(asked, text) && named(asked) == named(text);
        let mut asked = self.flow(false).questions.into_iter();
        let waiting = asked.rfind(|q| q.by == *by && q.answered_in.is_none() && is_same(&q.text));
        waiting.map(|question| question.id)
    }

    /// A move, or why it cannot be.
    fn possible_move(
        &self,
        new: &[NewIds],
        n: u32,
        noted: &NotedMove,
    ) -> Result<Move, &'static str> {
        let turn = self.turn(n).ok_or("the speaker takes no side")?;
        let at = resolve(new, &noted.at).map(|id| self.meant(id, turn));
        let made = at.as_ref().and_then(|at| self.made(at));
        let (at, (side, made)) =
            at.as_ref().zip(made).ok_or("there is no such point or question")?;
        let own = side == turn.side;
        // Nobody answers what was not on the record when they were asked; one's own points one knows.
        let before = if own { made < n } else { made <= turn.saw };
        let is_defence = noted.how == How::Defended;
        match (noted.how.is_own(), own) {
            (true, false) => return Err("it is another side's"),
            (false, true) => return Err("it is the speaker's own"),
            _ if own && !before => return Err("it was not made before this statement"),
            _ if !before => return Err("the speaker had not seen it"),
            _ if is_defence && !self.was_met(at) => return Err("nobody had answered it"),
            _ => {}
        }
        let with = noted.with.as_ref();
        let with = with.and_then(|with| resolve(new, with));
        // What takes the place of a point that is given up is new in the same statement; of a position it may be a point made before.
        let is_new = |id: &String| self.made(id).is_some_and(|(_, made)| made == n);
        let may_be_old = self.whose_position(at).is_some();
        let is_narrowed = |id: &String| noted.how == How::Withdrawn && (may_be_old || is_new(id));
        let with = with.filter(|with| self.is_own_point(with, turn) && (!own || is_narrowed(with)));
        if noted.how == How::Withdrawn && noted.with.is_some() && with.is_none() {
            return Err("the narrower argument was not noted");
        }
        let made = |id: &String| self.made(id).map(|(_, made)| made);
        let (at, how, with) = match (self.left_of(at, turn), with) {
            // A position that is narrowed to what is left of it already is only held.
            (Some((left, _)), Some(with)) if with == left => (left, How::Repeated, None),
            (Some((left, since)), with)
                if with.as_ref().is_none_or(|it| made(it) > Some(since)) =>
            {
                (left, noted.how, with)
            }
            (_, with) => (at.clone(), noted.how, with),
        };
        Ok(Move { at, how, with })
    }

    /// What is left of a position that its speaker narrowed in an earlier statement, and that statement.
    fn left_of(&self, position: &str, turn: &Turn) -> Option<(String, u32)> {
        self.whose_position(position)?;
        let flow = self.flow(false);
        let mut all = flow.on_positions().into_iter();
        let left = all.rfind(|it| it.at == position && it.by == turn.by)?.left?;
        (left.statement < turn.n).then(|| (left.id.clone(), left.statement))
    }

    /// Whether anything was noted against a point so far: else there is nothing to defend it against.
    fn was_met(&self, id: &str) -> bool {
        let mut moves = self.notes.iter().flat_map(|notes| &notes.moves);
        moves.any(|step| step.at == id && !step.how.is_own())
    }

    fn is_own_point(&self, id: &str, turn: &Turn) -> bool {
        let is_own = |(side, made): (&str, u32)| side == turn.side && (1..=turn.n).contains(&made);
        !id.starts_with('Q') && self.made(id).is_some_and(is_own)
    }

    /// Whose a point, question or position is, and the number of the statement that made it; a position stands from the beginning.
    fn made(&self, id: &str) -> Option<(&str, u32)> {
        if let Some(side) = self.whose_position(id) {
            return Some((side, 0));
        }
        let holds = |notes: &&StatementNotes| {
            notes.points.iter().chain(&notes.question).any(|point| point.id == id)
        };
        let notes = self.notes.iter().find(holds)?;
        Some((self.turn(notes.n)?.side.as_str(), notes.n))
    }
}

/// An entry that says no move.
fn unreadable(text: &str) -> UnusableEntry {
    unused(text, "it names no point, or no move on one")
}

fn unused(text: &str, cause: &str) -> UnusableEntry {
    UnusableEntry { text: text::shorten(text, LONGEST_ENTRY), cause: cause.to_owned() }
}

/// What the clerk wrote of a move, with its point's id for a place: a place counts what the clerk listed, used or not.
fn by_id(new: &[NewIds], step: &NotedMove) -> String {
    let placed = !matches!(step.at, Named::Id(_));
    let id = resolve(new, &step.at).filter(|_| placed);
    match id.zip(step.said.split_once(' ')) {
        Some((id, (place, did))) if place.contains('.') => format!("{id} {did}"),
        _ => step.said.clone(),
    }
}

/// Whether a move is on a question that its clerk rightly noted, and that is none here: the debate's own. The clerk's form offers
/// it, so it is no mistake.
fn is_on_nothing(exchange: &[Noted], at: &Named) -> bool {
    let Named::Asked(place) = at else {
        return false;
    };
    let asked = place.checked_sub(1).and_then(|place| exchange.get(place));
    asked.is_some_and(|noted| noted.asks && noted.question.is_none())
}

/// The id that notes name, `new` being the ids of what is new in the exchange. Capable clerks foresee these.
fn resolve(new: &[NewIds], named: &Named) -> Option<String> {
    match named {
        Named::Id(id) => Some(id.clone()),
        Named::New(statement, place) => {
            let ids = new.get(statement.checked_sub(1)?)?;
            ids.points.get(place.checked_sub(1)?)?.clone()
        }
        Named::Asked(statement) => new.get(statement.checked_sub(1)?)?.question.clone(),
    }
}
