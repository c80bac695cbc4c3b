//! The settings of a dialectic (rows T1 to T6).

use serde::{Deserialize, Serialize};

use super::cast;
use super::keys::Keys;
use super::participant::{Library, Participant};

/// The settings of a dialectic.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Dialectic {}

/// Reads who takes part and the settings. `defaults` holds model and sampling.
pub fn read(
    keys: &mut Keys<'_>,
    defaults: &Participant,
    library: Library<'_>,
) -> (Vec<Participant>, Dialectic) {
    (vec![cast::clerk(keys, defaults, library)], Dialectic {})
}
