//! `metadata.md`: with what, how long, at what cost, and what did not go as asked.

use serde_json::{Map, Value, json};

use super::call_costs::{self, counted, of_failed};
use super::context::with;
use super::judgments::{labels, panels};
use super::models_replied::is_shaped;
use super::summary::{meaning, problems};
use super::{known_answer, positions};
use crate::event::{Budget, CallSums, IncidentKind, Origin, Rotation, Statement};
use crate::id::short;
use crate::text;
use crate::trace::{Trace, TraceParticipant};

/// What the template shows.
pub(super) fn context(trace: &Trace) -> Value {
    let kinds = call_costs::by_kind(trace);
    let spoken: u64 = trace.contestants().map(|p| p.tokens).sum();
    let uncounted = |(_, cost): &(String, CallSums)| cost.gaps.replies.max(cost.gaps.prompts);
    let uncounted: u64 = kinds.iter().map(uncounted).sum();
    let CallSums { used, failed, .. } = CallSums::of(&trace.calls);
    let failed_uncounted = used.failures - failed.failures;
    with(
        trace,
        json!({
            "plan": trace.plan,
            "query": trace.plan.query,
            "answered": known_answer::sentences(trace),
            "budget": trace.plan.budget.as_ref().map(budget),
            "language": trace.plan.language,
            "cell": trace.plan.pairing.cell.iter().map(|(path, value)| (path.clone(), shown(value))).collect::<Vec<_>>(),
            "tags": trace.tags.iter().collect::<Vec<_>>(),
            "rebut": trace.rebut,
            "settings": settings(trace),
            "rows": trace.participants.iter().map(|p| row(trace, p, spoken)).collect::<Vec<_>>(),
            "spoke": !trace.statements.is_empty(),
            "estimated": trace.statements.iter().filter(|it| is_estimated(it)).count(),
            "models": trace.models,
            "by_kind": kinds.iter().map(|(name, cost)| usage(name, cost)).collect::<Vec<_>>(),
            "by_model": trace.usage.by_model.iter().map(|(name, used)| usage(name, &call_costs::of_model(trace, name, *used))).collect::<Vec<_>>(),
            "uncounted": uncounted,
            "failed": failed,
            "failed_uncounted": failed_uncounted,
            "failed_tokens": of_failed(failed.prompt_tokens, failed.reply_tokens, failed_uncounted),
            "overruns": trace.incidents.iter().filter(|it| it.kind == IncidentKind::Overrun).count(),
            "is_timed": uncounted == 0 || trace.rounds.iter().any(|round| round.model_ms > 0),
            "minutes": trace.timing.total_ms.map(|ms| ms as f64 / 60_000.0),
            "rounds": trace.rounds,
            "target_seconds": trace.plan.settings.get("enforce_round_seconds").and_then(Value::as_u64),
            "retrievals": trace.retrievals,
            "rotations": trace.rotations.iter().map(|r| json!({"r": r, "debater": trace.name_of(&r.debater), "next": next(trace, r)})).collect::<Vec<_>>(),
            "panels": panels::lines(trace),
            "panel_calls": panels::calls(trace),
            "people": labels::line(trace),
            "incidents": trace.incidents,
            "beside": problems::beside_incidents(trace),
        }),
    )
}

/// What a control was matched to, as names and values.
fn budget(budget: &Budget) -> Vec<(&'static str, String)> {
    let debates = budget.allotted.debates.iter().map(|id| short(id));
    vec![
        ("matched to", text::separated(debates, ", ")),
        ("tokens to theirs", format!("{:.2}", budget.ratio)),
        ("samples", budget.samples.to_string()),
    ]
}

/// What speakers are interrupted for.
fn interruptions(trace: &Trace) -> &'static str {
    let settings = &trace.plan.settings;
    let strict = ["formal", "competitive"].map(Value::from);
    let is_strict = settings.get("style").is_some_and(|style| strict.contains(style));
    let by_rules = settings.get("interruptions").and_then(Value::as_bool).unwrap_or(is_strict);
    match (by_rules, meaning::has_fact_checker(trace)) {
        (true, true) => "for broken rules and false claims",
        (true, false) => "for broken rules (no fact checker takes part)",
        (false, true) => "for false claims",
        (false, false) => "none (no fact checker takes part)",
    }
}

/// Settings as paths and values.
fn settings(trace: &Trace) -> Vec<(String, String)> {
    let settings = &trace.plan.settings;
    let set = |(name, value): (String, String)| match settings.get(&name) {
        Some(it) if name == "interruptions" && *it != Value::Bool(false) => {
            (name, interruptions(trace).to_owned())
        }
        // A job gives them with the stances.
        _ => (name.replacen("definitions.", "stances.", 1), value),
    };
    // Keywords are looked for with one trigger only.
    let is_idle = |name: &str| {
        name == "trigger_keywords" && settings.get("trigger").is_some_and(|it| it != "auto")
    };
    let all = flat(settings).into_iter().filter(|(name, _)| !is_idle(name));
    all.map(set).collect()
}

/// Settings as paths and values, one level a dot: `rotation.limit`, `criteria.clarity.guide.1`.
fn flat(settings: &Map<String, Value>) -> Vec<(String, String)> {
    let mut ordered: Vec<(&String, &Value)> = settings.iter().collect();
    // Keys that are numbers go by their value; the others keep their order.
    ordered.sort_by_key(|(key, _)| key.parse::<u64>().ok());
    let below = |(key, value): (&String, &Value)| match value {
        Value::Object(inner) => {
            flat(inner).into_iter().map(|(path, value)| (format!("{key}.{path}"), value)).collect()
        }
        other => vec![(key.clone(), shown(other))],
    };
    ordered.into_iter().flat_map(below).collect()
}

/// A value in words; a list with commas.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(all) if all.is_empty() => "none".to_owned(),
        Value::Array(all) => text::separated(all.iter().map(shown), ", "),
        other => other.to_string(),
    }
}

/// Whether its tokens are an estimate of what a model said.
fn is_estimated(statement: &Statement) -> bool {
    statement.tokens_estimated && statement.origin != Origin::Template
}

fn row(trace: &Trace, p: &TraceParticipant, spoken: u64) -> Value {
    let estimated = trace.statements.iter().any(|it| it.by == p.id && is_estimated(it));
    let debated = p.contestant && spoken > 0;
    let share = debated.then(|| p.tokens as f64 * 100.0 / spoken as f64);
    let options = p.sampling.get("options").and_then(Value::as_object).into_iter().flatten();
    let options = text::separated(options.map(|(k, v)| format!("{k} {v}")), ", ");
    json!({"p": p, "estimated": estimated, "became": positions::became(trace, &[&p.id]), "share": share, "temperature": temperature(trace, p), "options": options, "fallback": text::separated(p.sampling.get("fallback").and_then(Value::as_array).into_iter().flatten().map(shown), ", ")})
}

/// Who debated next; `–` after the last round.
fn next<'t>(trace: &'t Trace, rotation: &'t Rotation) -> &'t str {
    let is_last = trace.outcome.is_some() && trace.rotations.last() == Some(rotation);
    if is_last { "–" } else { trace.name_of(&rotation.next) }
}

/// The temperature of what a participant was asked for: statements, replies in JSON, or both.
fn temperature(trace: &Trace, p: &TraceParticipant) -> String {
    let of = |key: &str| p.sampling.get(key).filter(|value| !value.is_null());
    let all = of("temperature").map_or_else(String::new, Value::to_string);
    let Some(judging) = of("judging_temperature") else {
        return all;
    };
    let own = || trace.calls.iter().filter(|c| c.by.as_ref() == Some(&p.id));
    match (own().any(|c| !is_shaped(c)), own().any(is_shaped)) {
        (false, true) => judging.to_string(),
        (true, false) => all,
        _ => format!("{all}, in JSON replies {judging}"),
    }
}

/// A line of a usage table; the speed is `null` where nothing was timed.
fn usage(name: &str, cost: &CallSums) -> Value {
    let CallSums { used, gaps, .. } = cost;
    let [_, speed] = used.speeds(&gaps.alone);
    let ms = used.prompt_ms + used.reply_ms;
    let is_timed = ms > 0 || gaps.replies == 0;
    json!({
        "name": name,
        "used": used,
        "prompt": counted(used.prompt_tokens, gaps.prompts, (used.calls, "call")),
        "reply": counted(used.reply_tokens, gaps.replies, (used.calls, "call")),
        "speed": speed,
        "seconds": is_timed.then_some(ms as f64 / 1000.0),
    })
}
