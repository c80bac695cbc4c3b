//! The settings of property tests, here and in the library.

use proptest::test_runner::{Config, RngSeed};

/// This many cases, the same in every run; failures are written to no file.
pub(crate) fn properties(cases: u32) -> Config {
    Config { cases, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Config::default() }
}
