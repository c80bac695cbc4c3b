//! The reasoning templates for the proposer (row T2).

use serde_json::{Value, json};

use crate::event::Retrieval;
use crate::floor::{Floor, Result, Retrieve};
use crate::formats::dialectic::settings::{self, Dialectic};

/// Finds the reasoning templates nearest to the query (row T2).
pub(super) async fn retrieve(floor: &Floor, settings: &Dialectic) -> Result<Retrieval> {
    let off = settings::Retrieval::default();
    let wanted = settings.retrieval.as_ref();
    let limits = wanted.unwrap_or(&off);
    let plan = floor.plan();
    let wanted = Retrieve {
        query: plan.question(),
        model: wanted.map(|wanted| wanted.model.as_str()),
        folder: "reasoning",
        top: limits.top as usize,
        threshold: limits.threshold,
    };
    floor.retrieve(wanted).await
}

/// The texts of the templates used.
pub(super) fn scaffolds(floor: &Floor, retrieval: &Retrieval) -> Vec<Value> {
    let named = titles(retrieval);
    let texts = named.iter().filter_map(|(template, title)| {
        let text = floor.source(&format!("reasoning/{template}.md"))?;
        Some(json!({"title": title, "text": text}))
    });
    texts.collect()
}

/// Name and title of each template used.
pub(super) fn titles(retrieval: &Retrieval) -> Vec<(&str, &str)> {
    let title = |name: &String| {
        let mut found = retrieval.found.iter();
        let found = found.find(|likeness| likeness.template == *name)?;
        Some((found.template.as_str(), found.title.as_str()))
    };
    retrieval.used.iter().filter_map(title).collect()
}
