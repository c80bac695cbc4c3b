//! `rebut completions`: for the shell.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

use super::failure::Failure;
use super::print;

/// Print completions for a shell, such as: rebut completions bash > ~/.local/share/bash-completion/completions/rebut
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::Cli::command(), "rebut", &mut script);
    print::out(String::from_utf8_lossy(&script).trim_end());
    Ok(ExitCode::SUCCESS)
}
