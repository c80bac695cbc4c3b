//! What the servers lack for jobs or for a panel.

use std::sync::Arc;

use crate::cli::args::survey::Survey;
use crate::cli::servers::addresses::{WITHOUT_EMBEDDINGS, lack, missing};
use crate::cli::servers::roll_call::{Present, RollCall, is_counted_twice};
use crate::cli::terminal::print;
use crate::model::server::{Installed, Server};
use crate::model::{Card, Fault, NoReply};

/// Reports what the servers lack for these jobs, and models that differ between them. Returns whether every model that someone
/// needs may be on a server (one that says nothing may have it), and none there is unfit for its debates.
pub(in crate::cli) async fn ask_servers(servers: &[Arc<dyn Server>], survey: &Survey) -> bool {
    let roll_call = RollCall::of(servers).await;
    let (mut is_silent, mut unfit) = (false, Vec::new());
    for (server, answer) in servers.iter().zip(roll_call.answers()) {
        match answer {
            Ok(present) => {
                is_silent |= present.models.is_err();
                unfit.extend(tell_present(present, survey).await);
            }
            Err(_) => {
                is_silent = true;
                let name = server.name();
                print::told(&format!("{name} does not answer: cannot check its models"));
            }
        }
    }
    let models = survey.contexts.models();
    print::told_all(roll_call.differing(&models));
    // Of one that is refused for that, this was said.
    let spellings = roll_call.other_spellings(&models).into_iter();
    for spelling in spellings.filter(|[asked, _]| !unfit.contains(&(asked.clone(), true))) {
        print::told(&format!("warning: {}", is_counted_twice(&spelling)));
    }
    let lacking = missing(&models, &roll_call.there());
    let has_all = lacking.iter().all(|model| survey.needing(model).is_none());
    unfit.is_empty() && (is_silent || has_all)
}

/// A model on a server that is unfit for its debates, and whether the server refuses its name.
type Unfit = (String, bool);

/// Reports what a server lacks for these jobs; returns the models there that are unfit for their debates.
async fn tell_present(present: &Present<'_>, survey: &Survey) -> Vec<Unfit> {
    let (server, name) = (present.server, present.server.name());
    print::told(&format!("{name} answers, {}", present.version));
    let installed = match &present.models {
        Ok(installed) => installed,
        Err(error) => {
            print::told(&format!("cannot list the models of {name}: {error}"));
            return Vec::new();
        }
    };
    tell_missing(server, survey, installed);
    tell_unfit(server, survey, installed).await
}

fn tell_missing(server: &dyn Server, survey: &Survey, installed: &[Installed]) {
    let lacking = missing(&survey.contexts.models(), installed);
    for model in &lacking {
        let (whose, remedy) = (survey.whose(model), lack(model, server, installed));
        print::told(&format!("warning: not pulled: {model}{whose}; {remedy}"));
    }
    for model in missing(&survey.embedding, installed) {
        let command = server.install_command(&model);
        print::told(&format!(
            "not pulled: {model}; {WITHOUT_EMBEDDINGS}; to pull it, run {command}"
        ));
    }
}

/// Warns of the models there that are unfit for their debates, and returns them.
async fn tell_unfit(server: &dyn Server, survey: &Survey, installed: &[Installed]) -> Vec<Unfit> {
    let lacking = missing(&survey.contexts.models(), installed);
    let there = |(model, _): &(String, u32)| !lacking.contains(model);
    let mut all = Vec::new();
    for (model, context) in survey.contexts.list().into_iter().filter(there) {
        let card = server.card(&model).await;
        let is_refused = card.is_err();
        if let Some(why) = unfit(&model, context, card) {
            print::told(&format!("warning: {why}"));
            all.push((model, is_refused));
        }
    }
    all
}

/// Why the debates of a model cannot run on a server that lists it: it does not know it under this spelling, or it was trained for
/// less context than is wanted of it.
fn unfit(model: &str, context: u32, card: Result<Card, NoReply>) -> Option<String> {
    match card {
        Ok(card) => {
            let trained = card.context_length.filter(|it| *it < u64::from(context))?;
            Some(format!(
                "{model} was trained for a context of {trained} tokens, but {context} are requested, so its debates cannot run: lower context_window to {trained}, or use another model"
            ))
        }
        Err(NoReply::Failed(error)) if error.fault == Fault::ModelNotFound => {
            Some(format!("the server has no model {model}: {}", error.remedy?))
        }
        Err(_) => None,
    }
}
