//! Who takes part, as far as formats read it alike: where participants stand in the job file, their names, the clerk, judges.

use super::keys::Keys;
use super::participant::{self, Library, Participant, Persona};
use super::problem::Place;

/// Where a participant stands in the job file: a key, and its place in the key's list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seat<'k> {
    key: &'k str,
    at: Option<usize>,
}

/// The seat of a participant with a key of its own.
pub(crate) fn seat(key: &str) -> impl Iterator<Item = Seat<'_>> {
    std::iter::once(Seat { key, at: None })
}

/// The seats of so many participants in a list.
pub(crate) fn seats(key: &str, count: usize) -> impl Iterator<Item = Seat<'_>> {
    (0..count).map(move |at| Seat { key, at: Some(at) })
}

impl<'k> Seat<'k> {
    /// Where the name is written, if it is.
    fn name_place<'a>(self, keys: &Keys<'a>) -> Option<&'a Place> {
        let node = keys.node().get(self.key)?;
        let node = match self.at {
            None => node,
            Some(at) => node.items().get(at)?,
        };
        node.get("name").map(|name| &name.place)
    }
}

/// A participant on the model and sampling of `base`.
pub(crate) fn named(base: &Participant, id: &str, name: &str, position: &str) -> Participant {
    Participant {
        id: id.to_owned(),
        name: name.to_owned(),
        position: position.to_owned(),
        ..base.clone()
    }
}

pub(crate) fn with_persona(participant: Participant, persona: Option<&Persona>) -> Participant {
    Participant {
        persona: persona.cloned(),
        ..participant
    }
}

/// Reads a participant that has a key of its own.
pub(crate) fn one(
    keys: &mut Keys<'_>,
    key: &str,
    doc: &str,
    base: &Participant,
    library: Library<'_>,
) -> Participant {
    keys.section(key, doc, |keys| participant::read(keys, base, library))
}

/// Reads the clerk, whom every format has.
pub(crate) fn clerk(
    keys: &mut Keys<'_>,
    defaults: &Participant,
    library: Library<'_>,
) -> Participant {
    let doc = "Keeps the notes between rounds: summaries, key points, gists";
    one(
        keys,
        "clerk",
        doc,
        &named(defaults, "clerk", "Clerk", ""),
        library,
    )
}

/// Reads the judges of the whole debate, by default of the judge's persona; `missing` many where the key is left out.
pub(crate) fn judges(
    keys: &mut Keys<'_>,
    missing: usize,
    doc: &str,
    defaults: &Participant,
    library: Library<'_>,
) -> Vec<Participant> {
    let persona = library.persona_of_role("judge", keys.place(), keys.problems);
    keys.sections("judges", missing, 1..=20, doc, |i, keys| {
        let (id, name) = (format!("judge_{}", i + 1), format!("Judge-{}", i + 1));
        let base = with_persona(named(defaults, &id, &name, ""), persona.as_ref());
        participant::read(keys, &base, library)
    })
}

/// Reports names that two participants share, at the second, and the moderator's. Each participant has its seat.
pub(crate) fn check_names(keys: &Keys<'_>, all: &[Participant], seats: &[Seat<'_>]) {
    let folded = |p: &Participant| p.name.to_lowercase();
    for (i, (participant, seat)) in all.iter().zip(seats).enumerate() {
        let name = folded(participant);
        let first = all[..i].iter().position(|other| folded(other) == name);
        let by = match first {
            _ if name == "moderator" && participant.id != "moderator" => {
                " by the moderator".to_owned()
            }
            Some(first) => seats[first]
                .name_place(keys)
                .filter(|_| seat.name_place(keys).is_some())
                .map_or_else(String::new, |place| format!("; first {}", place.in_words())),
            None => continue,
        };
        let first_place = || seats[first?].name_place(keys);
        let place = seat.name_place(keys).or_else(first_place);
        keys.problems.add(
            place.unwrap_or(keys.place_of_key(seat.key)),
            format!("the name \"{}\" is taken{by}", participant.name),
            "give every participant a name of its own",
        );
    }
}
