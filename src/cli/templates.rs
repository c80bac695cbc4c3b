//! `--templates`: where commands take templates from.

use std::path::PathBuf;

use super::failure::{Failure, from_error};
use crate::templates::Templates;

/// Templates that go before the built-in ones.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct TemplatesArg {
    /// Directory of templates that replace built-in ones of the same name; may add personas and reasoning templates
    #[arg(id = "templates", long = "templates", value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl TemplatesArg {
    /// The built-in templates and those in the directory.
    pub(super) fn load(&self) -> Result<Templates, Failure> {
        Templates::load(self.dir.as_deref()).map_err(from_error)
    }
}
