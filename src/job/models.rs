//! The models of a job: names, loading, sampling, those in the cloud.

pub(super) mod cloud;
mod load_options;
pub mod loading;
pub mod model_name;
pub(super) mod own_models;
pub mod sampling_options;
