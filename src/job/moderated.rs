//! The settings of a moderated debate (rows D1 to D6).

use serde::{Deserialize, Serialize};

use super::cast;
use super::keys::Keys;
use super::participant::{Library, Participant};

/// The settings of a moderated debate.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Moderated {}

/// Reads who takes part and the settings. `defaults` holds model and sampling.
pub fn read(
    keys: &mut Keys<'_>,
    defaults: &Participant,
    library: Library<'_>,
) -> (Vec<Participant>, Moderated) {
    (vec![cast::clerk(keys, defaults, library)], Moderated {})
}
