//! Estimates with their uncertainty, for observations in clusters: means and shares, paired differences, slopes, agreement of
//! raters, Bradley–Terry strengths, survival.
//!
//! Everything is a pure function of its arguments; resampling takes a seed and gives the same bytes on any number of threads.
//! A number that can't be computed is `None`, with the reason next to it.

pub mod agreement;
pub mod bootstrap;
pub mod bradley_terry;
pub mod estimate;
pub mod groups;
pub mod paired;
pub mod prediction;
pub mod quantile;
pub mod ranking;
pub mod sign;
pub mod slope;
pub mod survival;
#[cfg(test)]
mod tests;
pub mod wilson;
