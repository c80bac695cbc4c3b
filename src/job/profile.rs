//! What the rest of the program knows about a format: its profile and its settings.

use std::collections::BTreeMap;
use std::fmt::Debug;

use serde_json::Value;

use super::cast::Role;
use super::criteria::Scale;
use super::job_text::JobText;
use super::participant::Participant;
use super::settings_macro::SettingsGroup;

/// What people read of a team as a whole.
pub const THE_TEAM: &str = "the team";

/// The two answers that judges compare, in formats that end with an answer and not with one of two sides ahead.
#[derive(Debug, Clone, Copy)]
pub struct TwoAnswers {
    /// Whose first statement the final answer is compared with.
    pub other: &'static str,
    /// What people read of these two: that one, then the final one.
    pub called: [&'static str; 2],
}

/// A format as the rest of the program sees it: code that treats formats differently asks here.
#[derive(Debug)]
pub struct Profile {
    /// Its name in job files and traces.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// What its command does, given a topic instead of a job file.
    pub alone: &'static str,
    /// Whether it is about a query of several lines instead of a topic on one.
    pub takes_query: bool,
    /// The name under which the texts of ours are shown.
    pub announced_by: &'static str,
    /// Roles that argue; all others moderate, judge or keep notes.
    pub arguing: &'static [&'static str],
    /// The role of those who argue in turn for one side.
    pub team: Option<&'static str>,
    /// The role that takes no side and is judged all the same: its text is the debate's answer.
    pub answering: Option<&'static str>,
    /// The two answers that judges compare, if they do not compare sides.
    pub two_answers: Option<TwoAnswers>,
    /// The role whose statements are given as points, so that no clerk notes them.
    pub raising: Option<&'static str>,
    /// Whether its debates have a winner whatever the job says (row O1).
    pub has_winner: bool,
    /// Whether judges from the debater's own team vote it out: these have points, stands and rotations.
    pub rotates: bool,
    /// The scale of its ballots, which is not written on them.
    pub ballot_scale: Option<Scale>,
    /// The speaker of a round, in formats with one per round.
    pub turn: Option<fn(u32) -> &'static str>,
    /// The round in which everyone speaks for the first time.
    pub first_round: u32,
    /// Whether a turn that repeats an earlier one is refused: a rehearsal then tries it.
    pub refuses_echoes: bool,
    /// Phases that the record names behind the speaker, since its rounds hold statements of several kinds.
    pub labelled: &'static [&'static str],
    /// The phase in which someone argues a case that is not its own, and what prompts call that.
    pub advocacy: Option<(&'static str, &'static str)>,
    /// Folders of templates that shape its debates, beside those of its name.
    pub folders: &'static [&'static str],
    /// Templates of its own by name, beside the built-in ones.
    pub templates: &'static [(&'static str, &'static str)],
    /// The metrics that sum up its debates, each with its headline.
    pub headlines: &'static [(&'static str, &'static str)],
    /// What its own call kind does, for the log: `{name}`, `{statement}` and its `{speaker}` are put in.
    pub calls: &'static [(&'static str, &'static str)],
    /// The cast of a debate without a job file, from a side for and one against.
    pub cast: fn([Value; 2]) -> Vec<(&'static str, Value)>,
}

impl Profile {
    /// A format with the defaults.
    pub const fn new(name: &'static str, about: &'static str) -> Self {
        Self {
            name,
            about,
            alone: about,
            takes_query: false,
            announced_by: "Moderator",
            arguing: &[],
            team: None,
            answering: None,
            two_answers: None,
            raising: None,
            has_winner: false,
            rotates: false,
            ballot_scale: None,
            turn: None,
            first_round: 1,
            refuses_echoes: false,
            labelled: &[],
            advocacy: None,
            folders: &[],
            templates: &[],
            headlines: &[],
            calls: &[],
            cast: |_| Vec::new(),
        }
    }

    /// Whether a participant argues; moderators, judges and clerks take no side, even if the job gives them a position.
    pub fn argues(&self, participant: &Participant) -> bool {
        self.arguing.contains(&participant.role())
    }

    /// Whose case a participant makes: its own, or its team's. `None` for those who take no side.
    pub fn side<'p>(&self, participant: &'p Participant) -> Option<&'p str> {
        let team = self.team.filter(|team| *team == participant.role());
        self.argues(participant).then(|| team.unwrap_or(&participant.id))
    }

    /// Whether a participant argues for a position to the end. Where an answer is sought, it is only where somebody begins.
    pub fn argues_position(&self, participant: &Participant) -> bool {
        self.argues(participant) && !self.takes_query && !participant.position.is_empty()
    }

    /// What prompts call a case that its speaker argues in this phase, where it is not the speaker's own.
    pub fn advocacy_in(&self, phase: &str) -> Option<&'static str> {
        let advocacy = self.advocacy.filter(|(known, _)| *known == phase);
        advocacy.map(|(_, words)| words)
    }

    /// What the record says behind the speaker's name of a statement in this phase.
    pub fn label_of(&self, phase: &str) -> Option<&'static str> {
        let labelled = self.labelled.iter().copied();
        let label = { labelled }.find(|known| *known == phase);
        label.or_else(|| self.advocacy_in(phase))
    }

    /// Whether a participant takes no side and is judged all the same.
    pub fn answers(&self, participant: &Participant) -> bool {
        self.answering == Some(participant.role())
    }
}

/// The settings of a debate in one format.
pub trait Format: SettingsGroup + Debug + Default + Send + Sync + 'static {
    /// The format.
    const PROFILE: &'static Profile;
    /// Who takes part: those who argue first, the clerk last.
    const ROLES: &'static [Role];

    /// The settings of a job with this cast.
    fn read(job: &JobText<'_>, _cast: &[Participant]) -> Self {
        job.group(&Self::default())
    }

    /// Maximum rounds that a debate may have; an initial round that is numbered 0 is none of them.
    fn most_rounds(&self) -> u32;

    /// The role of those who judge if the job lists no judges; `None` where nobody does.
    fn judging_role(&self) -> Option<&'static str> {
        None
    }

    /// What options stand for, by option, where prompts say so.
    fn meanings(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// What makes these settings doubtful with this cast, and the remedy: no reason to refuse them.
    fn doubt(&self, _cast: &[Participant]) -> Option<String> {
        None
    }

    /// The model that texts are compared with, where some are.
    fn embedding_model(&self) -> Option<&str> {
        None
    }
}
