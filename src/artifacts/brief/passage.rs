//! What a text with little room is made of: passages that take more of it form by form.

use std::collections::BTreeMap;

use crate::artifacts::line;

/// What room is spent on, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::artifacts) enum Form {
    Final,
    Reason,
    Argument,
    Headline,
    Summary,
    /// Who had the turn that a round was.
    Turn,
    /// Reasons that the outcome does not rest on, or that left no room for anything else.
    LateReason,
    Scores,
    ShortGist,
    Gist,
    Turning,
    Text,
    Announcement,
}

/// What follows where a form of a passage has no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NoRoom {
    /// What is shorter may have room.
    GoOn,
    /// No more of this form: what comes later matters less than what has no room.
    NextForm,
    /// Nothing more at all.
    End,
}

/// All forms in their order. None is begun before everything of the one before has had room.
const ORDER: [(Form, NoRoom); 13] = [
    (Form::Final, NoRoom::GoOn),
    (Form::Reason, NoRoom::GoOn),
    (Form::Argument, NoRoom::NextForm),
    (Form::Headline, NoRoom::End),
    (Form::Summary, NoRoom::End),
    (Form::Turn, NoRoom::End),
    (Form::LateReason, NoRoom::GoOn),
    (Form::Scores, NoRoom::GoOn),
    (Form::ShortGist, NoRoom::End),
    (Form::Gist, NoRoom::End),
    (Form::Turning, NoRoom::GoOn),
    (Form::Text, NoRoom::GoOn),
    (Form::Announcement, NoRoom::End),
];

/// What a passage is, for counting what was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::artifacts) enum Kind {
    Reason,
    /// What a judge says of the whole debate.
    Remark,
    Argument,
    Question,
    Claim,
    Comparison,
    Round,
    Scores,
    Heading,
    /// A statement, by its number.
    Message(u32),
}

/// A line, a heading or a statement: its forms, each longer than the one before.
pub(in crate::artifacts) struct Passage {
    pub(in crate::artifacts) kind: Kind,
    forms: Vec<(Form, String)>,
    /// The statements that it names, if they are shown.
    cites: Vec<u32>,
    /// Whose case it makes, if anybody's.
    side: Option<String>,
    /// Whether all of it is quoted above.
    is_told_above: bool,
    /// How many of the forms have had room: the last of these is shown.
    shown: usize,
}

impl Passage {
    pub(in crate::artifacts) fn new(kind: Kind, forms: Vec<(Form, String)>) -> Self {
        Self { kind, forms, cites: Vec::new(), side: None, is_told_above: false, shown: 0 }
    }

    pub(in crate::artifacts) fn of_side(self, side: Option<String>) -> Self {
        Self { side, ..self }
    }

    pub(in crate::artifacts) fn told_above(self, is_told_above: bool) -> Self {
        Self { is_told_above, ..self }
    }

    /// How many characters its first form takes.
    pub(in crate::artifacts) fn least(&self) -> usize {
        self.length(&self.forms[0].1)
    }

    /// How many characters a form takes, with what it cites.
    fn length(&self, form: &str) -> usize {
        form.chars().count() + 1 + self.citing_words().chars().count()
    }

    pub(in crate::artifacts) fn citing(self, cites: Vec<u32>) -> Self {
        Self { cites, ..self }
    }

    /// Whether it counts as one of a kind; a round of which only whose turn it was is known does not.
    pub(in crate::artifacts) fn is_a(&self, kind: Kind) -> bool {
        self.kind == kind && !self.begins(Form::Turn)
    }

    /// Whether as much of it is shown as makes it what it is: of a round, its summary; of a reason, what is quoted above.
    pub(in crate::artifacts) fn says_enough(&self) -> bool {
        match self.kind {
            Kind::Round => self.is_whole() || self.form() == Some(Form::Summary),
            _ => self.is_shown() || self.is_told_above,
        }
    }

    /// Whether it makes another's case.
    pub(in crate::artifacts) fn is_against(&self, other: &Self) -> bool {
        self.side.is_some() && other.side.is_some() && self.side != other.side
    }

    pub(in crate::artifacts) fn is_shown(&self) -> bool {
        self.shown > 0
    }

    pub(in crate::artifacts) fn is_whole(&self) -> bool {
        self.shown == self.forms.len()
    }

    /// The statements that it names, in words.
    fn citing_words(&self) -> String {
        match self.kind {
            Kind::Reason => line::cites(&self.cites),
            _ => self.cites.iter().map(|n| line::cited(*n)).collect(),
        }
    }

    /// Whether something is left out that is not ours.
    fn lacks_something(&self) -> bool {
        let mut left = self.forms[self.shown..].iter();
        left.any(|(form, _)| *form != Form::Announcement)
    }

    fn text(&self) -> Option<&str> {
        let (_, text) = self.forms.get(self.shown.checked_sub(1)?)?;
        Some(text)
    }

    /// The form that is shown.
    fn form(&self) -> Option<Form> {
        let (form, _) = self.forms.get(self.shown.checked_sub(1)?)?;
        Some(*form)
    }

    /// Whether its first form is this one.
    pub(in crate::artifacts) fn begins(&self, form: Form) -> bool {
        self.forms[0].0 == form
    }

    /// Shows more of this passage if there is room for it, and says whether there was.
    fn grow(&mut self, wanted: Form, room: &mut usize) -> bool {
        let now = self.text().map_or(0, |text| self.length(text));
        let Some(at) = self.forms.iter().position(|(form, _)| *form == wanted) else {
            return true;
        };
        let more = self.length(&self.forms[at].1).saturating_sub(now);
        let fits = more <= *room;
        if fits {
            *room -= more;
            self.shown = at + 1;
        }
        fits
    }
}

/// Spends the room, form by form; `turning` are the statements that the arguments turn on, in the order in which they have it.
pub(in crate::artifacts) fn fill(passages: &mut [Passage], turning: &[u32], mut room: usize) {
    let place = |p: &Passage| turning.iter().position(|n| p.kind == Kind::Message(*n));
    for (wanted, no_room) in ORDER {
        // What we announced is never what a reader misses.
        if wanted == Form::Announcement && passages.iter().any(Passage::lacks_something) {
            break;
        }
        let mut all: Vec<usize> = (0..passages.len()).collect();
        if wanted == Form::Turning {
            all.sort_by_key(|at| place(&passages[*at]));
        }
        let all_grew = all.into_iter().all(|at| {
            let kept = room.min(for_another_side(passages, at, wanted));
            room -= kept;
            let grew = passages[at].grow(wanted, &mut room);
            room += kept;
            grew || no_room == NoRoom::GoOn
        });
        if !all_grew && no_room == NoRoom::End {
            break;
        }
    }
    prune(passages);
}

/// What is kept for the shortest statement, or reason, of a side of which fewer are shown, or would be: none is to be heard more.
fn for_another_side(passages: &[Passage], at: usize, wanted: Form) -> usize {
    let own = &passages[at];
    if own.forms.iter().all(|(form, _)| *form != wanted) {
        return 0;
    }
    let is_said = |p: &Passage| matches!(p.kind, Kind::Message(_));
    let alike = passages.iter().filter(|p| is_said(p) == is_said(own));
    let sided = alike.filter_map(|p| Some((p.side.as_ref()?, p)));
    // Who is heard in a line is not yet heard in full.
    let is_heard = |p: &Passage| match wanted {
        Form::Turning | Form::Text => p.is_whole(),
        _ => p.is_shown(),
    };
    let mut heard: BTreeMap<&String, usize> = BTreeMap::new();
    for (side, p) in sided.clone() {
        let counts = is_heard(p) || std::ptr::eq(p, own);
        *heard.entry(side).or_default() += usize::from(counts);
    }
    let most = heard.values().max().copied().unwrap_or_default();
    let own_count = own.side.as_ref().map(|side| heard[side]);
    // Who is not heard more than all others takes nothing from them.
    if own_count.is_some_and(|own| heard.values().filter(|n| **n >= own).count() > 1) {
        return 0;
    }
    let others = sided.filter(|(side, p)| heard[side] < most && !is_heard(p));
    let length = |p: &Passage| {
        let form = p.forms.iter().find(|(form, _)| *form == wanted).or(p.forms.last());
        let now = p.text().map_or(0, |text| p.length(text));
        form.map_or(0, |(_, text)| p.length(text).saturating_sub(now))
    };
    others.map(|(_, p)| length(p)).min().unwrap_or_default()
}

/// Says above a list of which some is shown how much of it that is.
pub(in crate::artifacts) fn count(passages: &mut [Passage], kind: Kind) {
    let is_own = |p: &&Passage| p.kind == kind;
    let own = passages.iter().filter(is_own);
    let (shown, all) = (own.clone().filter(|p| p.is_shown()).count(), own.count());
    let first = passages.iter().position(|p| is_own(&p));
    let heading = first.and_then(|at| passages.get_mut(at.checked_sub(1)?));
    if let Some(heading) = heading.filter(|_| (1..all).contains(&shown)) {
        let title = heading.forms[0].1.trim_end_matches(':');
        heading.forms[0].1 = format!("{title} ({shown} of {all}):");
    }
}

/// Takes away headings with nothing below them, and where no statement is shown, whose turns they were and the first few of
/// the rounds' headlines.
fn prune(passages: &mut [Passage]) {
    let is_said =
        |p: &Passage| matches!(p.kind, Kind::Message(_)) && p.is_shown() && !p.begins(Form::Final);
    if !passages.iter().any(is_said) {
        let mut rounds = passages.iter().filter(|p| p.kind == Kind::Round);
        let few = rounds.any(|round| !round.is_shown());
        let is_noise = |p: &&mut Passage| match p.form() {
            Some(Form::Turn) => true,
            Some(Form::Headline) => few,
            _ => false,
        };
        passages.iter_mut().filter(is_noise).for_each(|p| p.shown -= 1);
    }
    let bare: Vec<usize> = (0..passages.len()).filter(|at| is_bare(&passages[*at..])).collect();
    bare.into_iter().for_each(|at| passages[at].shown = 0);
}

/// Whether the first of these is a heading with nothing below it.
fn is_bare(passages: &[Passage]) -> bool {
    let ends = |passage: &&Passage| matches!(passage.kind, Kind::Heading | Kind::Round);
    let below = passages.iter().skip(1).take_while(|passage| !ends(passage));
    passages[0].kind == Kind::Heading && !below.into_iter().any(Passage::is_shown)
}

/// What is shown, with all statements that a passage cites: who cited three did not cite one.
pub(in crate::artifacts) fn texts(passages: &[Passage]) -> Vec<String> {
    let text = |passage: &Passage| Some(format!("{}{}", passage.text()?, passage.citing_words()));
    passages.iter().filter_map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::{Form, Kind, Passage, fill};

    #[test]
    fn a9_no_side_is_heard_alone() {
        let said = |n: u32, side: &str, length: usize| {
            let forms = vec![(Form::Text, "x".repeat(length))];
            let side = (side != "none").then(|| side.to_owned());
            Passage::new(Kind::Message(n), forms).of_side(side)
        };
        let shown = |mut all: Vec<Passage>, room: usize| {
            fill(&mut all, &[1], room);
            all.iter().map(Passage::is_shown).collect::<Vec<_>>()
        };
        let sides = || vec![said(1, "a", 49), said(2, "b", 99), said(3, "a", 39)];
        assert_eq!(shown(sides(), 120), [false; 3]);
        assert_eq!(shown(sides(), 145), [false, true, true]);
        assert_eq!(shown(sides(), 190), [true; 3]);
        let with_none = vec![said(1, "a", 39), said(2, "none", 79), said(3, "b", 99)];
        assert_eq!(shown(with_none, 145), [true, false, true]);
        // Nor more than another.
        let four = || vec![said(1, "a", 39), said(2, "b", 39), said(3, "a", 39), said(4, "b", 59)];
        assert_eq!(shown(four(), 175), [true, true, false, false]);
        assert_eq!(shown(four(), 180), [true; 4]);
        // Of three, as many as there is room for.
        let three = || vec![said(1, "a", 39), said(2, "b", 49), said(3, "c", 99)];
        assert_eq!(shown(three(), 120), [true, true, false]);
        assert_eq!(shown(three(), 190), [true; 3]);
    }
}
