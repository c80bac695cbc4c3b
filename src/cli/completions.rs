//! `rebut completions`: shell completions.

use std::process::ExitCode;

use clap_complete::Shell;

use super::process::failure::Failure;
use super::terminal::print;

/// Print shell completions
///
/// For example: rebut completions bash > ~/.local/share/bash-completion/completions/rebut
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Shell
    shell: Shell,
}

pub(super) fn main(args: &Args, command: &mut clap::Command) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "rebut", &mut script);
    print::out(String::from_utf8_lossy(&script).trim_end());
    Ok(ExitCode::SUCCESS)
}
