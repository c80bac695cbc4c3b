//! Loops: texts in which one unit is repeated.

/// The longest unit, in characters, whose repetition counts as a loop.
const LOOP_UNIT: usize = 400;
/// How much of the end of a text must be one unit repeated to count as a loop, in characters.
const LOOP_LENGTH: usize = 240;
/// How often the unit must occur.
const LOOP_TIMES: usize = 4;

/// Whether a text ends in a loop: its end is one unit repeated at least four times over at least 240 characters.
pub fn ends_in_loop(text: &str) -> bool {
    let reversed: Vec<char> =
        text.trim_end().chars().rev().take(LOOP_UNIT * (LOOP_TIMES + 1)).collect();
    (1..=LOOP_UNIT).any(|unit| {
        let needed = LOOP_LENGTH.max(unit * LOOP_TIMES);
        reversed.len() >= needed && (unit..needed).all(|i| reversed[i] == reversed[i - unit])
    })
}

/// Whether a text has a loop anywhere: one unit repeated at least four times over at least 240 characters. A reply that was
/// cut or closed behind its loop does not end in it.
pub fn has_loop(text: &str) -> bool {
    let all: Vec<char> = text.chars().collect();
    (1..=LOOP_UNIT).any(|unit| {
        let needed = LOOP_LENGTH.max(unit * LOOP_TIMES) - unit;
        let repeats = |i: &usize| all[*i] == all[*i - unit];
        // A run of so many repeated characters has one of these places in it.
        let mut places = (unit..all.len()).skip(needed - 1).step_by(needed);
        places.any(|at| {
            let before = (unit..=at).rev().take_while(repeats).count();
            let behind = (at + 1..all.len()).take_while(repeats).count();
            before > 0 && before + behind >= needed
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m2_a_loop_is_seen_and_ordinary_text_is_not() {
        assert!(ends_in_loop(&format!("It is so. {}", "We must act now. ".repeat(20))));
        assert!(ends_in_loop(&"ha".repeat(150)));
        assert!(!ends_in_loop("We must act now. We must act now. We must act now."));
        assert!(!ends_in_loop(
            &(0..200).map(|n| format!("Point {n} differs. ")).collect::<String>()
        ));
    }

    #[test]
    fn m2_a_loop_is_seen_wherever_it_stands_if_it_is_long_enough() {
        let letters = |n: u32| (n..).map(|n| char::from_u32(0x4e00 + n).unwrap());
        for (unit, least) in [(1, 240), (7, 240), (60, 240), (61, 244), (400, 1600)] {
            let around = |length, before| -> String {
                let looped: Vec<char> = letters(0).take(unit).collect();
                let looped = looped.iter().cycle().take(length);
                let before = letters(5000).take(before);
                before.chain(looped.copied()).chain(letters(9000).take(50)).collect()
            };
            for before in [0, 1, 50, 179, 180, 238, 239, 240, 1199, 1200, 1201] {
                assert!(has_loop(&around(least, before)), "{unit} {before}");
                assert!(!has_loop(&around(least - 1, before)), "{unit} {before}");
            }
        }
        assert!(!has_loop(""));
    }
}
