//! The settings of a roundtable (rows R1 to R7).

use serde::{Deserialize, Serialize};

use super::cast;
use super::keys::Keys;
use super::participant::{Library, Participant};

/// The settings of a roundtable.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Roundtable {}

/// Reads who takes part and the settings. `defaults` holds model and sampling.
pub fn read(
    keys: &mut Keys<'_>,
    defaults: &Participant,
    library: Library<'_>,
) -> (Vec<Participant>, Roundtable) {
    (vec![cast::clerk(keys, defaults, library)], Roundtable {})
}
