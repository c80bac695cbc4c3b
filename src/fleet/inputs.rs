//! Snapshots of inputs in the bucket of objects, by digest: put there before the debates that begin with them.

use std::collections::BTreeSet;

use async_nats::jetstream::object_store::{GetErrorKind, InfoErrorKind};
use serde_json::Value;
use tokio::io::AsyncReadExt;

use super::error::{Result, refused, unusable};
use super::nats::Nats;
use crate::journal::Header;
use crate::store::layout::OutputDir;
use crate::store::snapshot;

/// The name of a part of a snapshot.
fn named(digest: &str) -> String {
    format!("inputs-{digest}")
}

/// Puts a part of a snapshot there, unless it is there.
pub(super) async fn put(nats: &Nats, digest: &str, part: &Value) -> Result<()> {
    let name = named(digest);
    match nats.objects.info(&name).await {
        Ok(found) if !found.deleted => return Ok(()),
        Ok(_) => {}
        Err(error) if error.kind() == InfoErrorKind::NotFound => {}
        Err(error) => return Err(refused("look for inputs")(error)),
    }
    put_bytes(nats, &name, part.to_string().as_bytes()).await
}

/// Puts an object there.
pub(super) async fn put_bytes(nats: &Nats, name: &str, bytes: &[u8]) -> Result<()> {
    let mut bytes = bytes;
    let put = nats.objects.put(name, &mut bytes).await;
    put.map(drop).map_err(refused("take an object"))
}

/// An object.
pub(super) async fn get_bytes(nats: &Nats, name: &str) -> Result<Vec<u8>> {
    let mut object = match nats.objects.get(name).await {
        Ok(object) => object,
        Err(error) if error.kind() == GetErrorKind::NotFound => {
            return Err(unusable(name)("it is missing"));
        }
        Err(error) => return Err(refused("give an object")(error)),
    };
    let mut bytes = Vec::new();
    object.read_to_end(&mut bytes).await.map_err(refused("give an object"))?;
    Ok(bytes)
}

/// Brings the snapshot that a debate begins with into an output directory.
pub(super) async fn fetch(nats: &Nats, header: &Header, output: &OutputDir) -> Result<()> {
    let digests: BTreeSet<&str> = snapshot::files_of(header).collect();
    for digest in digests {
        if !output.inputs(digest).exists() {
            let bytes = get_bytes(nats, &named(digest)).await?;
            snapshot::put_part(output, digest, &bytes)?;
        }
    }
    Ok(())
}
