//! A finished debate as one archive: its directory, its journal and what was sent to models. Whoever reads one trusts nothing in it.

use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use tar::{Archive, Builder, EntryType, Header};
use walkdir::WalkDir;

use super::error::{Result, unusable};
use crate::files;
use crate::id::DebateId;
use crate::journal;
use crate::store::layout::OutputDir;

/// The folder of a debate's own files.
const DIRECTORY: &str = "debate";
const JOURNAL: &str = "journal.jsonl";
const PROMPTS: &str = "prompts.jsonl.gz";
/// Maximum bytes that one may come to: what a mistake or malice could fill a disk with.
const MOST_BYTES: u64 = 1 << 30;

/// Packs a debate that is committed in an output directory.
pub(super) fn pack(output: &OutputDir, id: &DebateId, dir: &Path) -> Result<Vec<u8>> {
    let mut tar = Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    add(&mut tar, &output.finished_journal(id), Path::new(JOURNAL))?;
    add(&mut tar, &output.prompts(id), Path::new(PROMPTS))?;
    for entry in WalkDir::new(dir).sort_by_file_name() {
        let entry = entry.map_err(unusable("a debate's directory"))?;
        if entry.file_type().is_file() {
            let inside = entry.path().strip_prefix(dir).unwrap_or(entry.path());
            add(&mut tar, entry.path(), &Path::new(DIRECTORY).join(inside))?;
        }
    }
    let packed = tar.into_inner().and_then(GzEncoder::finish);
    packed.map_err(unusable("a debate's archive"))
}

fn add<W: io::Write>(tar: &mut Builder<W>, file: &Path, name: &Path) -> Result<()> {
    let content = files::read_own(file)?;
    let mut header = Header::new_gnu();
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    let added = tar.append_data(&mut header, name, &content[..]);
    added.map_err(unusable("a debate's archive"))
}

/// Unpacks a debate into an output directory where nobody looks, and returns its journal's first line and its directory there. A path that leads elsewhere, a link,
/// or the archive of another debate is refused.
pub(super) fn unpack(
    archive: &[u8],
    id: &DebateId,
    output: &OutputDir,
) -> Result<(journal::Header, PathBuf)> {
    let files = contents(archive).map_err(unusable(format!("the result of {}", id.short())))?;
    let wrong = |why: &str| unusable(format!("the result of {}", id.short()))(why.to_owned());
    let of = |name: &str| files.iter().find(|(path, _)| path == Path::new(name));
    let (_, lines) = of(JOURNAL).ok_or_else(|| wrong("it has no journal"))?;
    let kept =
        journal::parse(Path::new(JOURNAL), lines).map_err(|error| wrong(&error.to_string()))?;
    let header = kept
        .header()
        .filter(|header| header.id == *id)
        .ok_or_else(|| wrong("its journal is another debate's"))?;
    let dir = output
        .home(header)
        .ok_or_else(|| wrong("the directory in its journal is not this debate's"))?;
    files::replace(&output.finished_journal(id), lines)?;
    if let Some((_, prompts)) = of(PROMPTS) {
        files::replace(&output.prompts(id), prompts)?;
    }
    files::create_dir(&dir)?;
    for (path, content) in &files {
        if let Ok(inside) = path.strip_prefix(DIRECTORY) {
            files::own_dirs(&dir, inside.parent().unwrap_or(Path::new("")))?;
            files::write_new(&dir.join(inside), content)?;
        }
    }
    Ok((header.clone(), dir))
}

/// The files of an archive.
fn contents(archive: &[u8]) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let refuse = |why: String| Err(io::Error::new(io::ErrorKind::InvalidData, why));
    let mut archive = Archive::new(GzDecoder::new(archive).take(MOST_BYTES));
    let mut files = Vec::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        if entry.header().entry_type() != EntryType::Regular {
            return refuse(format!("{} is not a file", path.display()));
        }
        let is_plain = |part| matches!(part, Component::Normal(_));
        if !path.components().all(is_plain) || path.as_os_str().is_empty() {
            return refuse(format!("the path {} leads outside", path.display()));
        }
        let mut content = Vec::new();
        entry.read_to_end(&mut content)?;
        files.push((path, content));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(entries: &[(&str, EntryType, &[u8])]) -> Vec<u8> {
        let mut tar = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (name, kind, content) in entries {
            let mut header = Header::new_gnu();
            // Written as it is: the crate's own setter refuses what a stranger may write.
            header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_entry_type(*kind);
            header.set_size(content.len() as u64);
            header.set_cksum();
            tar.append(&header, *content).unwrap();
        }
        tar.into_inner().unwrap().finish().unwrap()
    }

    #[test]
    fn f2_an_archive_writes_nothing_outside_its_place() {
        let id = DebateId::from_identity(&serde_json::json!("a"));
        for (name, kind) in [
            ("../escaped", EntryType::Regular),
            ("debate/../../escaped", EntryType::Regular),
            ("/tmp/escaped", EntryType::Regular),
            ("debate/link", EntryType::Symlink),
            ("debate/link", EntryType::Link),
            ("debate/pipe", EntryType::Fifo),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let output = OutputDir::at(&dir.path().join("out"));
            output.make().unwrap();
            let archive = packed(&[(name, kind, b"")]);
            let error = unpack(&archive, &id, &output).unwrap_err().to_string();
            let told = ["leads outside", "is not a file"];
            assert!(told.iter().any(|it| error.contains(it)), "{name}: {error}");
            assert_eq!(files::list(dir.path()).unwrap().len(), 1, "{name}");
        }
    }

    #[test]
    fn f2_an_archive_without_its_journal_is_refused() {
        let id = DebateId::from_identity(&serde_json::json!("a"));
        let dir = tempfile::tempdir().unwrap();
        let output = OutputDir::at(dir.path());
        for (archive, why) in [
            (packed(&[("debate/index.md", EntryType::Regular, b"x")]), "no journal"),
            (packed(&[(JOURNAL, EntryType::Regular, b"")]), "another debate's"),
            (b"not an archive".to_vec(), "cannot be used"),
        ] {
            let error = unpack(&archive, &id, &output).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
