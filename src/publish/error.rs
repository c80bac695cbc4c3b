//! Why pages cannot be published.

use super::site::SiteError;
use crate::templates::TemplateError;

/// Why pages cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The folder is at fault.
    #[error(transparent)]
    Site(#[from] SiteError),
    /// A template is at fault.
    #[error(transparent)]
    Template(#[from] TemplateError),
}
