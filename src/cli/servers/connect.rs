//! Connecting to the servers before a run: one must answer, and missing models are reported.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::addresses::{self, ServerArgs, WITHOUT_EMBEDDINGS, missing, models_there, near_model};
use super::roll_call::{RollCall, is_counted_twice};
use crate::cli::args::survey::Survey;
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
    /// Who lacks which models, if all debates need one of these and its name is likely a slip. Nobody is warned of that yet.
    pub(in crate::cli) slip: Option<String>,
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
    roll_call.any(servers[0].start_command(), survey.debates > 0)?;
    for error in roll_call.absent() {
        print::warn(&format!("{error}; using the other servers until it answers"));
    }
    let models = survey.contexts.models();
    roll_call.differing(&models).iter().for_each(|line| print::warn(line));
    let mut refused = Vec::new();
    for spelling in roll_call.other_spellings(&models) {
        match spelling {
            [asked, _] if roll_call.refuses(&asked).await => refused.push(asked),
            taken => print::warn(&is_counted_twice(&taken)),
        }
    }
    let missing = warn_missing(survey, &roll_call, &refused, servers.len());
    Ok(Connected { servers, ..missing })
}

/// Warns of models missing on servers, `all` being the number of servers. Returns those that someone needs and no server has.
fn warn_missing(
    survey: &Survey,
    roll_call: &RollCall<'_>,
    refused: &[String],
    all: usize,
) -> Connected {
    let mut wanted = survey.embedding.clone();
    wanted.extend(survey.contexts.models());
    let mut lacked: BTreeMap<String, Vec<&dyn Server>> = BTreeMap::new();
    for it in roll_call.present().filter(|it| it.models.is_ok()) {
        for model in missing(&wanted, it.installed()).into_iter().chain(refused.iter().cloned()) {
            lacked.entry(model).or_default().push(it.server);
        }
    }
    let there = roll_call.there();
    let is_needed =
        |model: &str, by: &[&dyn Server]| by.len() == all && survey.needing(model).is_some();
    let (nowhere, others): (Vec<_>, Vec<_>) =
        (lacked.iter()).partition(|(model, by)| is_needed(model, by));
    let remedy = remedy(&nowhere, &there);
    let is_slip =
        |(model, _): &Lacked<'_>| survey.is_of_all(model) && near_model(model, &there).is_some();
    let each = nowhere.iter().map(|(model, by)| who_lacks(model, by));
    let slip = nowhere.iter().any(is_slip).then(|| text::separated(each, "; "));
    match nowhere.as_slice() {
        _ if slip.is_some() => {}
        [_, _, ..] => print::warn(&lacking_several(survey, &nowhere, &there)),
        alone => alone.iter().for_each(|it| print::warn(&lacking(survey, *it, all, &there))),
    }
    others.iter().for_each(|it| print::warn(&lacking(survey, *it, all, &there)));
    let absent = nowhere.iter().map(|(model, _)| (*model).clone()).collect();
    Connected { absent, remedy, slip, ..Connected::default() }
}

/// A missing model, and the servers without it.
type Lacked<'a> = (&'a String, &'a Vec<&'a dyn Server>);

/// What to do about models that no server has: to name others that are there, or to install them.
fn remedy(nowhere: &[Lacked<'_>], there: &[Installed]) -> Option<String> {
    let is_of_several = |model: &str| nowhere.len() > 1 && near_model(model, there).is_some();
    let each = nowhere.iter().map(|(model, by)| {
        let of = text::told_if(is_of_several(model), || format!("for {model}, "));
        of + &addresses::remedy(model, by[0], there)
    });
    text::if_any(text::separated(each, "; "))
}

/// The warning that no server has these models.
fn lacking_several(survey: &Survey, nowhere: &[Lacked<'_>], there: &[Installed]) -> String {
    let named = |(model, _): &Lacked<'_>| format!("{model}{}", survey.how_many(model));
    let names = text::joined(nowhere.iter().map(named), "and");
    let (remedy, there) = (remedy(nowhere, there).unwrap_or_default(), models_there(there));
    format!("not pulled: {names}; their debates will be left unfinished: {remedy} ({there})")
}

/// The warning that a model is missing on some of all servers, or on all.
fn lacking(
    survey: &Survey,
    (model, servers): Lacked<'_>,
    all: usize,
    there: &[Installed],
) -> String {
    let are_all = servers.len() == all;
    let is_among = |models: &BTreeSet<String>| models.iter().any(|name| same_model(name, model));
    let embeds = || is_among(&survey.embedding);
    let is_known = there.iter().any(|it| same_model(&it.name, model));
    let consequence = match (survey.needing(model), are_all) {
        (_, false) if is_known => "using the other servers",
        (_, false) => "unless a server that did not answer has it",
        (Some(_), true) => "its debates will be left unfinished",
        (None, true) if embeds() => WITHOUT_EMBEDDINGS,
        (None, true) => "it is not available as a fallback",
    };
    let whose = text::told_if(are_all, || survey.whose(model) + &survey.how_many(model));
    let instead = text::told_if(are_all, || format!(" ({})", models_there(there)));
    let remedy = addresses::remedy(model, servers[0], if is_known { &[] } else { there });
    let joint = if are_all || is_known { ':' } else { ',' };
    format!("{}{whose}; {consequence}{joint} {remedy}{instead}", who_lacks(model, servers))
}

/// `http://gpu1 and http://gpu2 have no model qwen3`.
fn who_lacks(model: &str, servers: &[&dyn Server]) -> String {
    let verb = if servers.len() == 1 { "has" } else { "have" };
    let names = servers.iter().map(|server| server.name());
    format!("{} {verb} no model {model}", text::joined(names, "and"))
}
