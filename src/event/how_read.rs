//! What was done to read a reply that was asked for in a form, in words.

/// The keyword for a long text that was shortened.
pub const SHORTENED: &str = "shortened";
/// The keyword for a key or word in another spelling or form.
pub const SPELT: &str = "spelt";
/// The keyword for thoughts before a reply that were removed.
pub const THOUGHT: &str = "thought";
/// The keyword for a reply that came where thoughts should.
pub const IN_THOUGHTS: &str = "in_thoughts";
/// The keyword for prose around a reply; of a statement, also for prose in its place.
pub const PROSE: &str = "prose";
/// What is said of a reply whose form was not closed before its limit.
pub const CUT_OFF: &str = "it was cut off before the JSON object ended";
/// What is said of a text in it that goes on with the same words.
pub const LOOPS: &str = "repeats itself without end";

/// The keyword for whom a stance credits with a move that it did not make.
pub const IDLE_CREDIT: &str = "idle_credit";

/// Steps that make up for no fault of form: something was too long, came before the reply or in another place, says nothing or is only called otherwise.
const NO_FAULTS: [&str; 6] = [IDLE_CREDIT, IN_THOUGHTS, "renamed", SHORTENED, THOUGHT, "too_many"];

/// Whether a reply that needed this step was not in the form that was asked for.
pub(super) fn is_fault_of_form(keyword: &str) -> bool {
    !NO_FAULTS.contains(&keyword)
}

/// The words for a keyword of a statement's `read_as`, which may also be taken as it is.
pub fn how_said(keyword: &str) -> &str {
    if keyword == PROSE { "taken from prose, or read as such" } else { how_read(keyword) }
}

/// The words for a keyword of `read_as`; the keyword itself if another version of the program wrote it.
pub fn how_read(keyword: &str) -> &str {
    match keyword {
        "fenced" => "extracted from a code fence",
        PROSE => "extracted from prose",
        THOUGHT => "leading thoughts removed",
        IN_THOUGHTS => "taken from where thoughts should be",
        "mended" => "JSON repaired",
        "parts" => "put together from several objects",
        "wrapped" => "extracted from another object",
        "flat" => "a flat object restructured",
        SPELT => "a key or word with another spelling",
        "named" => "a name read as an id",
        "defined" => "a definition read as the word that it defines",
        "extra_keys" => "extra keys ignored",
        "number_in_text" => "a number read from text",
        "rounded" => "a half score rounded",
        "yes_or_no" => "yes or no read from text",
        "joined" => "several texts joined",
        "listed" => "one entry read as a list",
        "dropped" => "an entry dropped",
        SHORTENED => "a long text shortened",
        "too_many" => "the last entries of a long list left out",
        IDLE_CREDIT => "a credit for no move left out",
        "left_out" => "an optional part was missing",
        "renamed" => "names put for ids in a text",
        other => other,
    }
}
