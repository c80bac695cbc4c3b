//! Words of a point without content: labels, and denials that there is a point.

use crate::formats::dialectic::lines::{is_one_of, plain, word};
use crate::text::plain_words;

/// Words that say only that something is a point, how grave it is, or what its status is.
const LABELS: &str = "critical major minor issue issues point points problem problems resolved unresolved \
     partially partly";

/// Words with which a line says that there is no point, besides words for points and their numbers.
const NOTHING: &str = "none nothing no n a new further other others more to add found identified raised listed \
     mentioned remain remains remaining left at all so far this round time beyond besides \
     except apart aside from than the that those above already still open and in is are was \
     were have has been be there here see i";

/// Words that may precede a denial: `There are no critical issues`.
const OPENS: &str = "there is are were was i see have";

/// Whether a text says only that there is no point: `None.`, `No critical issues remain`.
pub(super) fn is_nothing(text: &str) -> bool {
    let folded = text.to_lowercase();
    let words = || plain_words(&folded);
    let mut first = words().skip_while(|word| is_one_of(word, OPENS));
    let denies = matches!(first.next(), Some("none" | "nothing" | "no" | "n"));
    // `No. 2` is a point's number.
    let numbered = first.next().is_some_and(|word| word.parse::<u32>().is_ok());
    if !denies || (numbered && folded.trim_start().starts_with("no")) {
        return false;
    }
    let empty = |word: &str| {
        let number = word.bytes().all(|b| b.is_ascii_digit());
        number || is_one_of(word, NOTHING) || is_one_of(word, LABELS)
    };
    words().all(empty)
}

/// An issue's text without a label such as `Critical issue 1:`.
pub(super) fn unlabelled(text: &str) -> &str {
    let (mut kept, mut rest) = (text, text);
    loop {
        let (first, after) = word(rest);
        if !is_one_of(first, LABELS) && first.parse::<u32>().is_err() {
            return kept;
        }
        let next = plain(after);
        let gap = &after[..after.len() - next.len()];
        let parts = gap.len() > 1 && gap.chars().any(|c| !c.is_whitespace());
        if parts || next.is_empty() {
            kept = next;
        }
        rest = next;
    }
}
