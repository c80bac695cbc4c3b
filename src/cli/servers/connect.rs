//! Connecting to the servers before a run: one must answer, and missing models are reported.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::addresses::{ServerArgs, WITHOUT_EMBEDDINGS, missing, models_there, near_model};
use super::roll_call::RollCall;
use crate::cli::args::jobs::Survey;
use crate::cli::process::failure::Failure;
use crate::cli::terminal::print;
use crate::job::models::model_name::same_model;
use crate::model::server::{Installed, Server};
use crate::text;

/// The servers, the models that none of them has, and what to do about these, if there are any.
#[derive(Default)]
pub(in crate::cli) struct Connected {
    pub(in crate::cli) servers: Vec<Arc<dyn Server>>,
    pub(in crate::cli) absent: Vec<String>,
    pub(in crate::cli) remedy: Option<String>,
    /// The only one of these, if it is so, and the only model there that is likely meant.
    pub(in crate::cli) meant: Option<[String; 2]>,
}

/// The servers, if at least one answers; a rehearsal needs none.
pub(in crate::cli) async fn connect(
    args: &ServerArgs,
    survey: &Survey,
    rehearse: bool,
) -> Result<Connected, Failure> {
    if rehearse {
        return Ok(Connected::default());
    }
    let servers = args.servers(&survey.contexts)?;
    let roll_call = RollCall::of(&servers).await;
    for it in roll_call.present() {
        if let Err(error) = &it.models {
            let name = it.server.name();
            print::warn(&format!("cannot list the models of {name}: {error}"));
        }
    }
    roll_call.any(&servers)?;
    for error in roll_call.absent() {
        print::warn(&format!("{error}; using the other servers until it answers"));
    }
    let models = survey.contexts.models();
    roll_call.differing(&models).iter().for_each(|line| print::warn(line));
    let spellings = roll_call.other_spellings(&models);
    spellings.iter().for_each(|it| print::warn(&it.to_string()));
    let (absent, remedy) = warn_missing(survey, &roll_call, servers.len());
    let meant = match (spellings.as_slice(), absent.is_empty()) {
        ([it], true) => Some([it.asked.clone(), it.there.clone()]),
        _ => meant(&absent, roll_call.there()),
    };
    Ok(Connected { servers, absent, remedy, meant })
}

/// The only absent model, and the only one of those there that is near it.
fn meant(absent: &[String], mut there: Vec<Installed>) -> Option<[String; 2]> {
    let [model] = absent else { return None };
    let near = near_model(model, &there)?.to_owned();
    there.retain(|it| !same_model(&it.name, &near));
    near_model(model, &there).is_none().then(|| [model.clone(), near])
}

/// Warns of models missing on servers, `all` being the number of servers. Returns those that someone needs and no server has, and
/// what to do about them.
fn warn_missing(
    survey: &Survey,
    roll_call: &RollCall<'_>,
    all: usize,
) -> (Vec<String>, Option<String>) {
    let mut wanted = survey.embedding.clone();
    wanted.extend(survey.contexts.models());
    let mut lacked: BTreeMap<String, Vec<&dyn Server>> = BTreeMap::new();
    for it in roll_call.present().filter(|it| it.models.is_ok()) {
        for model in missing(&wanted, it.installed()) {
            lacked.entry(model).or_default().push(it.server);
        }
    }
    let there = roll_call.there();
    let is_needed =
        |model: &str, by: &[&dyn Server]| by.len() == all && survey.needing(model).is_some();
    let (nowhere, others): (Vec<_>, Vec<_>) =
        (lacked.iter()).partition(|(model, by)| is_needed(model, by));
    match nowhere.as_slice() {
        [_, _, ..] => print::warn(&lacking_several(survey, &nowhere, &there)),
        alone => alone.iter().for_each(|it| warn(survey, *it, all, &there)),
    }
    others.iter().for_each(|it| warn(survey, *it, all, &there));
    let absent = nowhere.iter().map(|(model, _)| (*model).clone());
    (absent.collect(), remedy(&nowhere, &there))
}

/// A missing model, and the servers without it.
type Lacked<'a> = (&'a String, &'a Vec<&'a dyn Server>);

fn warn(survey: &Survey, (model, servers): Lacked<'_>, all: usize, there: &[Installed]) {
    let instead = (servers.len() == all).then(|| models_there(model, there));
    print::warn(&lacking(survey, model, servers, instead));
}

/// What to do about models that no server has: to install them, or to name others that are there.
fn remedy(nowhere: &[Lacked<'_>], there: &[Installed]) -> Option<String> {
    let near = |(model, _): &Lacked<'_>| {
        let near = near_model(model, there)?;
        let is_alone = nowhere.len() == 1;
        Some(if is_alone { near.to_owned() } else { format!("{near} for {model}") })
    };
    let meant = text::joined(nowhere.iter().filter_map(near), "and");
    let meant = text::told_if(!meant.is_empty(), || format!(" (did you mean {meant}?)"));
    let others = match nowhere {
        [] => return None,
        [_] => "another model",
        _ => "other models",
    };
    let commands = nowhere.iter().map(|(model, servers)| servers[0].install_command(model));
    let commands = text::joined(commands, "and");
    Some(format!("run {commands}, or name {others}{meant}"))
}

/// The warning that no server has these models.
fn lacking_several(survey: &Survey, nowhere: &[Lacked<'_>], there: &[Installed]) -> String {
    let named = |(model, _): &Lacked<'_>| format!("{model}{}", survey.how_many(model));
    let names = text::joined(nowhere.iter().map(named), "and");
    let (remedy, there) = (remedy(nowhere, there).unwrap_or_default(), models_there("", there));
    format!("not pulled: {names}; their debates will be left unfinished: {remedy} ({there})")
}

/// The warning that a model is missing on these servers; `instead` lists the models there, if no server has it.
fn lacking(
    survey: &Survey,
    model: &str,
    servers: &[&dyn Server],
    instead: Option<String>,
) -> String {
    let is_among = |models: &BTreeSet<String>| models.iter().any(|name| same_model(name, model));
    let embeds = || is_among(&survey.embedding);
    let consequence = match (survey.needing(model), instead.is_some()) {
        (_, false) => "using the other servers",
        (Some(_), true) => "its debates will be left unfinished",
        (None, true) if embeds() => WITHOUT_EMBEDDINGS,
        (None, true) => "it is not available as a fallback",
    };
    let whose =
        instead.as_ref().map(|_| survey.whose(model) + &survey.how_many(model)).unwrap_or_default();
    let verb = if servers.len() == 1 { "has" } else { "have" };
    let instead = instead.map_or_else(String::new, |there| format!(" ({there})"));
    let names: Vec<String> = servers.iter().map(|server| server.name()).collect();
    let command = servers[0].install_command(model);
    format!(
        "{} {verb} no model {model}{whose}; {consequence}: run {command}{instead}",
        names.join(" and ")
    )
}
