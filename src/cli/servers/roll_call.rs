//! The roll call of the servers: which of them answer, and the models that they have.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::sleep;

use crate::cli::process::failure::Failure;
use crate::cli::terminal::print;
use crate::digest::brief;
use crate::job::models::model_name::{canonical, same_model, spelt_differently};
use crate::model::server::{Installed, Server};
use crate::model::{CallError, Fault, NoReply};
use crate::text;

/// A server that has not answered after this time is named.
const TOLD_AFTER: Duration = Duration::from_secs(10);

/// A server that answers.
pub(in crate::cli) struct Present<'s> {
    pub(in crate::cli) server: &'s dyn Server,
    pub(in crate::cli) version: String,
    /// Its models, if it can list them; one that cannot is used all the same.
    pub(in crate::cli) models: Result<Vec<Installed>, CallError>,
}

impl<'s> Present<'s> {
    /// Asks a server for its version and its models.
    async fn of(server: &'s dyn Server) -> Result<Self, CallError> {
        Ok(Self { server, version: server.version().await?, models: server.models().await })
    }

    /// The models that it lists.
    pub(in crate::cli) fn installed(&self) -> &[Installed] {
        self.models.as_deref().unwrap_or_default()
    }
}

/// What each server answered, in their order.
pub(in crate::cli) struct RollCall<'s>(Vec<Result<Present<'s>, CallError>>);

impl<'s> RollCall<'s> {
    /// Asks every server at once. If one takes long, the user is told who is waited for.
    pub(in crate::cli) async fn of(servers: &'s [Arc<dyn Server>]) -> Self {
        let tell = |name: &str| print::err(&format!("waiting for {name} to list its models"));
        let each = servers
            .iter()
            .map(AsRef::as_ref)
            .map(|it: &dyn Server| awaited(Present::of(it), move || tell(&it.name())));
        Self(join_all(each).await)
    }

    pub(in crate::cli) fn answers(&self) -> &[Result<Present<'s>, CallError>] {
        &self.0
    }

    pub(in crate::cli) fn present(&self) -> impl Iterator<Item = &Present<'s>> {
        self.0.iter().flatten()
    }

    /// Why the others do not answer.
    pub(in crate::cli) fn absent(&self) -> impl Iterator<Item = &CallError> {
        self.0.iter().filter_map(|answer| answer.as_ref().err())
    }

    /// Fails if no server answers; `start` starts one, and a run can do without.
    pub(in crate::cli) fn any(&self, start: &str, is_run: bool) -> Result<(), Failure> {
        if self.present().next().is_some() {
            return Ok(());
        }
        let absent: Vec<CallError> = self.absent().cloned().collect();
        Err(Failure::no_server(&absent, start, is_run))
    }

    /// The models of all servers.
    pub(in crate::cli) fn there(&self) -> Vec<Installed> {
        self.present().flat_map(Present::installed).cloned().collect()
    }

    /// Those of these models that no server spells like that, but one otherwise.
    pub(in crate::cli) fn other_spellings(&self, models: &[String]) -> Vec<OtherSpelling> {
        let there = self.there();
        let names = || there.iter().map(|it| canonical(&it.name));
        let wanting = models.iter().filter(|model| !names().any(|name| same_model(name, model)));
        let spelt =
            |model: &String| Some([model.clone(), spelt_differently(model, names())?.to_owned()]);
        wanting.filter_map(spelt).collect()
    }

    /// Whether every server that answers refuses this name.
    pub(in crate::cli) async fn refuses(&self, model: &str) -> bool {
        let cards = join_all(self.present().map(|it| it.server.card(model))).await;
        let is_absent = |error: &CallError| error.fault == Fault::ModelNotFound;
        cards.iter().all(|card| matches!(card, Err(NoReply::Failed(error)) if is_absent(error)))
    }

    /// A line for each of these models (or of all, if none are given) that have different weights on different servers: a debate stays
    /// with those it began with.
    pub(in crate::cli) fn differing(&self, among: &[String]) -> Vec<String> {
        let each = self.present().map(|it| (it.server.name(), it.installed()));
        differing(&each.collect::<Vec<_>>(), among)
    }
}

/// A model that a server has under a name that differs in case only, and that name.
pub(in crate::cli) type OtherSpelling = [String; 2];

/// What is said of it where the server takes the name.
pub(in crate::cli) fn is_counted_twice([asked, there]: &OtherSpelling) -> String {
    format!(
        "{asked} is {there} on the server, and results count these as two models: write {there}"
    )
}

/// An answer, told of once if it takes long.
async fn awaited<T>(answer: impl Future<Output = T>, tell: impl FnOnce()) -> T {
    let mut answer = pin!(answer);
    tokio::select! {
        biased;
        answer = &mut answer => return answer,
        () = sleep(TOLD_AFTER) => tell(),
    }
    answer.await
}

fn differing(servers: &[(String, &[Installed])], among: &[String]) -> Vec<String> {
    let is_among = |name| among.is_empty() || among.iter().any(|it| canonical(it) == name);
    let mut models: BTreeMap<&str, BTreeMap<&str, Vec<&str>>> = BTreeMap::new();
    for (server, installed) in servers {
        for model in *installed {
            let (name, digest) = (canonical(&model.name), model.digest.as_deref());
            if let Some(digest) = digest.filter(|_| is_among(name)) {
                let digests = models.entry(name).or_default();
                digests.entry(brief(digest)).or_default().push(server);
            }
        }
    }
    let several = models.iter().filter(|(_, digests)| digests.len() > 1);
    several.map(|(model, digests)| line(model, digests)).collect()
}

fn line(model: &str, digests: &BTreeMap<&str, Vec<&str>>) -> String {
    let each =
        digests.iter().map(|(digest, on)| format!("{digest} on {}", text::joined(on, "and")));
    format!(
        "{model} differs between servers ({}); each debate stays with the version it began with",
        each.collect::<Vec<_>>().join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn m1_only_a_server_that_takes_long_is_told_of() {
        let second = Duration::from_secs(1);
        for (took, is_told) in [(TOLD_AFTER - second, false), (TOLD_AFTER * 3, true)] {
            let mut told = 0;
            awaited(sleep(took), || told += 1).await;
            assert_eq!(told, u32::from(is_told), "{took:?}");
        }
    }

    #[test]
    fn j10c_different_weights_under_one_name_are_named_with_their_servers() {
        let model = |name: &str, digest: &str| Installed {
            name: name.to_owned(),
            digest: Some(digest.to_owned()),
            size: 1,
        };
        let one = [model("llama3:latest", "sha256:aaaa"), model("qwen3", "cccc")];
        let two = [model("llama3", "bbbb"), model("qwen3", "cccc")];
        let servers = [
            ("gpu1".to_owned(), &one[..]),
            ("gpu2".to_owned(), &two[..]),
            ("gpu3".to_owned(), &two[..]),
        ];
        let told = "llama3 differs between servers (aaaa on gpu1, bbbb on gpu2 and gpu3); \
            each debate stays with the version it began with";
        assert_eq!(differing(&servers, &[]), [told]);
        assert_eq!(differing(&servers, &["llama3".to_owned()]), [told]);
        assert!(differing(&servers, &["qwen3:latest".to_owned()]).is_empty());
        assert!(differing(&servers[1..], &[]).is_empty());
    }
}
