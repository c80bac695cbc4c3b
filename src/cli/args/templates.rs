//! `--templates`: the directory of the user's templates.

use std::path::{Path, PathBuf};

use crate::cli::process::failure::Failure;
use crate::cli::shell;
use crate::templates::Templates;

/// Templates that take precedence over the built-in ones.
#[derive(Debug, Clone, Default, clap::Args)]
pub(in crate::cli) struct TemplatesArg {
    /// Directory of templates: each replaces the built-in one of its name; further personas and reasoning templates are added
    #[arg(id = "templates", long = "templates", value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl TemplatesArg {
    /// The directory.
    pub(in crate::cli) fn dir(&self) -> Option<&Path> {
        self.dir.as_deref()
    }

    /// The hint if every debate was already finished, so that these templates changed nothing.
    pub(in crate::cli) fn in_vain(&self) -> Option<String> {
        let dir = self.dir.as_ref()?;
        Some(format!(
            "--templates changed nothing: finished debates keep their templates. To run them again, use --restart; to rewrite their files, run `rebut render ID --templates {}`",
            shell::quoted(&dir.to_string_lossy())
        ))
    }

    /// The built-in templates and those in the directory.
    pub(in crate::cli) fn load(&self) -> Result<Templates, Failure> {
        Ok(Templates::load(self.dir.as_deref())?)
    }
}
