//! What a job's debates are about: topics, queries and questions, and the files that list them.

pub mod keys;
mod list_file;
pub(super) mod pose_question;
mod slurs;
pub(super) mod subject;
pub(super) mod subjects_file;
pub(crate) mod topics_file;

pub use self::subject::{LONGEST_TITLE, TOPIC, is_cut_from};
