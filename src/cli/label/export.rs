//! `rebut label export`: a page with debates for people.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::sampled::SampleArgs;
use crate::cli::args::output_directory::{OutputArg, flag};
use crate::cli::args::templates::TemplatesArg;
use crate::cli::process::failure::Failure;
use crate::cli::report::{ELSEWHERE, write};
use crate::cli::terminal::print;
use crate::labels::page;
use crate::text;

/// Write a page on which people read debates blind and choose the side that is ahead
///
/// The page is one self-contained file. Names of participants and models are hidden, the side shown first is random,
/// and one debate in ten appears twice. The key to what is hidden stays in the output directory, in `.rebut/labels`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    sample: SampleArgs,
    /// File to write, not the output directory [default: ballot.html, which is not overwritten]
    #[arg(id = "file", long = "output", short = 'o', value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    templates: TemplatesArg,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let templates = args.templates.load()?;
    let file = args.file()?;
    let sampled = args.sample.draw()?;
    let items = &sampled.sheet.items;
    let page = page::page(&sampled.sheet, &sampled.shown()?, &templates)?;
    let page = page.as_bytes();
    write(file, ELSEWHERE, |file| file.write_all(page))?;
    let again = items.iter().filter(|item| item.repeat > 1).count();
    let all = items.len() - again;
    let (debates, named) = (text::count(all, "debate"), file.display());
    print::told(&format!("wrote {named}: {debates}, {again} of them twice"));
    if let Some(most) = args.sample.asked_for().filter(|most| all < *most) {
        print::told(&format!("these are all that people can label; {most} were asked for"));
    }
    let root = OutputArg::default().as_named(sampled.output.root().to_path_buf());
    let import = format!("rebut label import FILE{}", flag(&root));
    print::told(&format!("open it in a browser; import the file it saves with `{import}`"));
    Ok(ExitCode::SUCCESS)
}

/// The page unless another file is named.
const BALLOT: &str = "ballot.html";

impl Args {
    /// The file to write: an earlier page, which people may have, is replaced only if it is named.
    fn file(&self) -> Result<&Path, Failure> {
        match &self.file {
            Some(file) => Ok(file),
            None if Path::new(BALLOT).exists() => {
                let hint = format!("name another file with -o, or overwrite it with `-o {BALLOT}`");
                Err(Failure::input(format!("{BALLOT} exists"), hint))
            }
            None => Ok(Path::new(BALLOT)),
        }
    }
}
