//! Which points a list has room for.

/// How many of so many items a list of at most `most` has. One more takes the place of the line that would say that it is left out.
pub fn room(all: usize, most: usize) -> usize {
    if all <= most + 1 { all } else { most }
}

/// The last `most` items, and how many are left out. A side's first point takes the place of the oldest of these.
pub fn newest<T: Copy>(all: Vec<T>, most: usize, is_first: impl Fn(T) -> bool) -> (Vec<T>, usize) {
    let left_out = all.len() - room(all.len(), most);
    let first = all[..left_out].iter().copied().rfind(|one| is_first(*one));
    let from = left_out + usize::from(first.is_some());
    let kept = first.into_iter().chain(all[from..].iter().copied());
    (kept.collect(), left_out)
}

#[cfg(test)]
mod tests {
    use super::newest;

    #[test]
    fn m7_a_list_that_is_shortened_keeps_what_a_side_began_with_and_counts_the_rest() {
        let all: Vec<u32> = (1..=8).collect();
        let (kept, more) = newest(all.clone(), 5, |n| n == 1);
        assert_eq!((kept, more), (vec![1, 5, 6, 7, 8], 3));
        assert_eq!(newest(all.clone(), 5, |n| n == 6).0, [4, 5, 6, 7, 8]);
        assert_eq!(newest(all[..5].to_vec(), 5, |n| n == 1), (vec![1, 2, 3, 4, 5], 0));
        assert_eq!(newest(all[..6].to_vec(), 5, |n| n == 1), (vec![1, 2, 3, 4, 5, 6], 0));
    }
}
