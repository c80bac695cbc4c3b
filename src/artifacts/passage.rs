//! What a text with little room is made of: passages that take more of it form by form.

use super::line;

/// What room is spent on, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Final,
    Reason,
    Argument,
    Headline,
    Summary,
    /// Reasons that the outcome does not rest on, or that left no room for anything else.
    LateReason,
    ShortGist,
    Gist,
    Turning,
    Text,
    Announcement,
}

/// All forms in their order. None is begun before everything of the one before has had room; of some, what is shorter may
/// have room where another had none.
const ORDER: [(Form, bool); 11] = [
    (Form::Final, true),
    (Form::Reason, true),
    (Form::Argument, true),
    (Form::Headline, false),
    (Form::Summary, false),
    (Form::LateReason, true),
    (Form::ShortGist, false),
    (Form::Gist, false),
    (Form::Turning, true),
    (Form::Text, false),
    (Form::Announcement, false),
];

/// What a passage is, for counting what was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Reason,
    Argument,
    Question,
    Round,
    Heading,
    /// A statement, by its number.
    Message(u32),
}

/// A line, a heading or a statement: its forms, each longer than the one before.
pub(super) struct Passage {
    pub(super) kind: Kind,
    forms: Vec<(Form, String)>,
    /// The statements that it names, if they are shown.
    cites: Vec<u32>,
    /// How many of the forms have had room: the last of these is shown.
    shown: usize,
}

impl Passage {
    pub(super) fn new(kind: Kind, forms: Vec<(Form, String)>) -> Self {
        Self {
            kind,
            forms,
            cites: Vec::new(),
            shown: 0,
        }
    }

    pub(super) fn citing(self, cites: Vec<u32>) -> Self {
        Self { cites, ..self }
    }

    pub(super) fn is_shown(&self) -> bool {
        self.shown > 0
    }

    pub(super) fn is_whole(&self) -> bool {
        self.shown == self.forms.len()
    }

    fn text(&self) -> Option<&str> {
        let (_, text) = self.forms.get(self.shown.checked_sub(1)?)?;
        Some(text)
    }

    /// Shows more of this passage if there is room for it, and says whether there was.
    fn grow(&mut self, wanted: Form, room: &mut usize) -> bool {
        let cites: usize = self.cites.iter().map(|n| line::cited(*n).len()).sum();
        let length = |text: &str| text.chars().count() + 1 + cites;
        let now = self.text().map_or(0, length);
        let Some(at) = self.forms.iter().position(|(form, _)| *form == wanted) else {
            return true;
        };
        let more = length(&self.forms[at].1).saturating_sub(now);
        let fits = more <= *room;
        if fits {
            *room -= more;
            self.shown = at + 1;
        }
        fits
    }
}

/// Spends the room, form by form.
pub(super) fn fill(passages: &mut [Passage], mut room: usize) {
    for (wanted, goes_on) in ORDER {
        for passage in &mut *passages {
            if !passage.grow(wanted, &mut room) && !goes_on {
                return prune(passages);
            }
        }
    }
    prune(passages);
}

/// Takes away headings with nothing below them.
fn prune(passages: &mut [Passage]) {
    let bare: Vec<usize> = (0..passages.len())
        .filter(|at| is_bare(&passages[*at..]))
        .collect();
    bare.into_iter().for_each(|at| passages[at].shown = 0);
}

/// Whether the first of these is a heading with nothing below it.
fn is_bare(passages: &[Passage]) -> bool {
    let ends = |passage: &&Passage| matches!(passage.kind, Kind::Heading | Kind::Round);
    let below = passages.iter().skip(1).take_while(|passage| !ends(passage));
    passages[0].kind == Kind::Heading && !below.into_iter().any(Passage::is_shown)
}

/// What is shown, with the statements that a passage cites where they are shown too.
pub(super) fn texts(passages: &[Passage]) -> Vec<String> {
    let is_shown = |n: &&u32| {
        let mut all = passages.iter();
        all.any(|passage| passage.kind == Kind::Message(**n) && passage.is_shown())
    };
    let text = |passage: &Passage| {
        let cites = passage.cites.iter().filter(is_shown);
        let cites: String = cites.map(|n| line::cited(*n)).collect();
        Some(format!("{}{cites}", passage.text()?))
    };
    passages.iter().filter_map(text).collect()
}
