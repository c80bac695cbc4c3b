//! The settings of a duel (rows U1 to U3).

use serde::{Deserialize, Serialize};

use super::cast;
use super::keys::Keys;
use super::participant::{Library, Participant};

/// The settings of a duel.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Duel {}

/// Reads who takes part and the settings. `defaults` holds model and sampling.
pub fn read(
    keys: &mut Keys<'_>,
    defaults: &Participant,
    library: Library<'_>,
) -> (Vec<Participant>, Duel) {
    (vec![cast::clerk(keys, defaults, library)], Duel {})
}
