//! The meaning of Ollama's error replies. Texts as of Ollama 0.33; for an unknown text, the status decides.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};
use serde_json::Value;

use super::super::{CallError, Fault};
use super::ollama_host::Host;
use super::secret::Secret;

/// Texts of failures to load a model, as parts of the message.
const LOAD_FAILURES: [&str; 8] = [
    "process has terminated",
    "timed out waiting for llama",
    "requires more system memory",
    "unable to load model",
    "error loading model",
    "failed to load model",
    "unable to allocate",
    "out of memory",
];

/// Texts of prompts that do not fit into the context.
const TOO_LONG: [&str; 5] = [
    "exceed_context_size",
    "exceeds the available context",
    "exceeds the context length",
    "too large to process",
    "longer than the context",
];

/// What no server must have: a debate can continue without a model's card and without embeddings.
const OPTIONAL: [&str; 4] = ["/api/embed", "/api/show", "/api/tags", "/api/ps"];

/// What is said of a server that was to encrypt and does not.
pub(super) const WITHOUT_TLS: &str = "did not answer in TLS";

/// The command that starts a server.
pub(super) const START: &str = "`ollama serve`";

/// The command that gets a model.
pub(super) fn pull(model: &str) -> String {
    format!("`ollama pull {model}`")
}

/// The error of a call to a model, with what the user can do about it; `there` is how the server spells the model, if otherwise.
pub(super) fn with_remedy(error: CallError, model: &str, there: Option<&str>) -> CallError {
    let remedy = match (error.fault, there) {
        (Fault::ModelNotFound, Some(there)) => {
            format!("write {there}, its name there (letter case matters)")
        }
        (Fault::ModelNotFound, None) => format!("run {}", pull(model)),
        (Fault::AccessDenied, _) => {
            "set OLLAMA_API_KEY to a valid key, or run `ollama signin` on the server".to_owned()
        }
        (Fault::Forbidden, _) if error.status == Some(410) => {
            format!("name another model than {model} in the job, which begins its debates anew")
        }
        // Of anything else, such as a missing subscription, the server's own words tell.
        (Fault::Forbidden, _) if error.message.contains(" is disabled") => {
            format!("allow {model} in the server's settings")
        }
        _ => return error,
    };
    CallError { remedy: Some(remedy), ..error }
}

/// The error of a server that is looked for before a run, on this machine or another, with what the user can do about it.
pub(super) fn at_start(error: CallError, host: &Host) -> CallError {
    let start = if host.is_loopback() {
        format!("start Ollama with {START}")
    } else {
        "check the address, start Ollama there".to_owned()
    };
    let remedy = match error.fault {
        Fault::AccessDenied => "set OLLAMA_API_KEY to a key that the server accepts".to_owned(),
        Fault::Forbidden if error.status == Some(403) => "Ollama rejects unknown host names: use the server's address, or let it listen on more than loopback".to_owned(),
        Fault::Timeout => "allow more time with --connect-timeout, for example 5m".to_owned(),
        Fault::ForeignServer if host.has_path() => {
            "leave out the path of the address: Ollama itself answers without one".to_owned()
        }
        Fault::ForeignServer => "another program answers there: choose the Ollama server with --host or OLLAMA_HOST".to_owned(),
        _ if error.message.ends_with(WITHOUT_TLS) => {
            let plain = host.to_string().replacen("https:", "http:", 1);
            format!("write {plain} if the server has no TLS")
        }
        _ => format!("{start}, or name another server with --host or OLLAMA_HOST"),
    };
    CallError { remedy: Some(remedy), ..error }
}

/// Turns an error reply to a request to `url` into what it means.
pub(super) fn classify(status: u16, url: &str, body: &[u8], secret: &Secret) -> CallError {
    let message = message_of(body, secret);
    let lower = message.to_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
    let fault = match status {
        _ if has(&TOO_LONG) => Fault::ContextExceeded,
        _ if has(&["token repeat limit"]) => Fault::LoopingReply,
        300..=399 => Fault::ForeignServer,
        401 => Fault::AccessDenied,
        // Credits that are used up, and a model that was retired, are denied to every call.
        402 | 403 => Fault::Forbidden,
        410 if is_ollamas(body) => Fault::Forbidden,
        // Whoever says so, another server would: it is this request that is too large.
        413 => Fault::BadRequest,
        404 if has(&["not found"]) && has(&["model"]) => Fault::ModelNotFound,
        404 | 405 if OPTIONAL.iter().any(|path| url.ends_with(path)) => Fault::Unsupported,
        408 | 429 | 502..=504 => Fault::Busy,
        500 if has(&LOAD_FAILURES) => Fault::LoadFailed,
        500 if has(&["invalid format", "must be of type", "parse grammar"]) => Fault::BadRequest,
        499 | 500.. => Fault::ServerError,
        _ if !is_ollamas(body) => Fault::ForeignServer,
        _ => Fault::BadRequest,
    };
    let but = if fault == Fault::ForeignServer { ", but not as an Ollama server does" } else { "" };
    let who = match status {
        404 | 405 if fault != Fault::ModelNotFound => url,
        _ => "the server",
    };
    let message = format!("{who} answered {status}{but}: {message}");
    CallError { status: Some(status), ..CallError::new(fault, message) }
}

/// The wait that a full server names, in seconds or as a date, which the date of its answer is taken from; without one, ours.
pub(super) fn named_wait(
    headers: &HeaderMap,
    ours: impl FnOnce() -> DateTime<Utc>,
) -> Option<Duration> {
    let text = |name: HeaderName| headers.get(name)?.to_str().ok();
    let date = |text: &str| Some(DateTime::parse_from_rfc2822(text).ok()?.to_utc());
    let after = text(RETRY_AFTER)?.trim();
    let answered = || text(DATE).and_then(date).unwrap_or_else(ours);
    let by_date = || u32::try_from((date(after)? - answered()).num_seconds()).ok();
    let seconds = after.parse().ok().or_else(by_date)?;
    (seconds > 0).then(|| Duration::from_secs(seconds.into()))
}

/// An answer that sends us elsewhere. It is not followed: a key would go along.
pub(super) fn redirect(status: u16, target: &str, secret: &Secret) -> CallError {
    let target = crate::text::shorten(&secret.hide(target), 200);
    CallError::new(
        Fault::ForeignServer,
        format!(
            "the server answered {status} and points to {target}; redirects are not followed: use that server with --host"
        ),
    )
}

/// Whether an error reply has the shape of Ollama's.
fn is_ollamas(body: &[u8]) -> bool {
    serde_json::from_slice::<Value>(body).is_ok_and(|value| value.get("error").is_some())
}

/// An error line in the middle of a stream, where the status was 200.
pub(super) fn classify_midstream(message: &str, secret: &Secret) -> CallError {
    let body = serde_json::json!({"error": message}).to_string();
    let error = classify(500, "", body.as_bytes(), secret);
    // The model was running, so it had been loaded.
    let fault = match error.fault {
        Fault::LoadFailed => Fault::ServerError,
        other => other,
    };
    let message = message_of(body.as_bytes(), secret);
    CallError::new(fault, format!("the reply broke off: {message}"))
}

/// The message in `{"error": …}`, which may itself be JSON with the same shape; of a web page its title; else the body's
/// first characters.
pub(super) fn message_of(body: &[u8], secret: &Secret) -> String {
    let mut text = secret.hide(&String::from_utf8_lossy(body));
    if text.trim_start().starts_with('<') {
        return match title(&text) {
            Some(title) => format!("a web page, \"{title}\""),
            None => "a web page".to_owned(),
        };
    }
    for _ in 0..3 {
        let Ok(value) = serde_json::from_str::<Value>(&text) else { break };
        let inner = [&value["error"]["message"], &value["error"], &value["message"]]
            .into_iter()
            .find_map(|v| v.as_str().map(str::to_owned));
        let Some(inner) = inner else { break };
        let kind =
            value["error"]["type"].as_str().map(|kind| format!(" ({kind})")).unwrap_or_default();
        let sign_in = value["signin_url"].as_str().map(|url| format!(" (sign in at {url})"));
        text = format!("{inner}{kind}{}", sign_in.unwrap_or_default());
    }
    // Once more: in JSON it may have been written in another way.
    let line = crate::text::shorten(&secret.hide(&text), 300);
    if line.is_empty() { "nothing".to_owned() } else { line }
}

/// The title of a web page.
fn title(page: &str) -> Option<String> {
    let lower = page.to_ascii_lowercase();
    let start = lower.find("<title>")? + "<title>".len();
    let length = lower[start..].find("</title>")?;
    let title = crate::text::shorten(&page[start..start + length], 80);
    (!title.is_empty()).then_some(title)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(path: &str, status: u16, body: &str) -> CallError {
        let url = format!("http://gpu:1{path}");
        classify(status, &url, body.as_bytes(), &Secret::default())
    }

    const NESTED: &str = r#"{"error":"{\"error\":{\"code\":400,\"message\":\"request (351 tokens) exceeds the available context size (256 tokens), try increasing it\",\"type\":\"exceed_context_size_error\",\"n_prompt_tokens\":351,\"n_ctx\":256}}"}"#;

    /// Answers of the server by status and body, and the kind of each.
    const CASES: &[(u16, &str, Fault)] = &[
        (400, NESTED, Fault::ContextExceeded),
        (400, r#"{"error":"\"m\" does not support thinking"}"#, Fault::BadRequest),
        (400, r#"{"error":"the input length exceeds the context length"}"#, Fault::ContextExceeded),
        (
            500,
            r#"{"error":"{\"error\":{\"code\":500,\"message\":\"input (3001 tokens) is too large to process. increase the physical batch size (current batch size: 512)\",\"type\":\"server_error\"}}"}"#,
            Fault::ContextExceeded,
        ),
        (401, r#"{"error":"unauthorized"}"#, Fault::AccessDenied),
        (404, r#"{"error":"model 'm' not found"}"#, Fault::ModelNotFound),
        (404, "404 page not found", Fault::ForeignServer),
        (405, "405 method not allowed", Fault::ForeignServer),
        (403, "", Fault::Forbidden),
        (402, r#"{"error":"payment required"}"#, Fault::Forbidden),
        (408, "Request Timeout", Fault::Busy),
        (410, r#"{"error":"it was retired"}"#, Fault::Forbidden),
        (410, "<html><title>Gone</title>", Fault::ForeignServer),
        (413, "<html><title>413 Too Large</title>", Fault::BadRequest),
        (502, "<html><title>502 Bad Gateway</title>", Fault::Busy),
        (
            503,
            r#"{"error":"server busy, please try again.  maximum pending requests exceeded"}"#,
            Fault::Busy,
        ),
        (
            500,
            r#"{"error":"llama-server process has terminated: exit status 2"}"#,
            Fault::LoadFailed,
        ),
        (500, r#"{"error":"timed out waiting for llama-server to start - "}"#, Fault::LoadFailed),
        (
            500,
            r#"{"error":"model runner has unexpectedly stopped, this may be due to resource limitations"}"#,
            Fault::ServerError,
        ),
        (
            500,
            r#"{"error":"invalid format: \"x\"; expected \"json\" or a valid JSON Schema object"}"#,
            Fault::BadRequest,
        ),
        (500, r#"{"error":"failed to parse grammar"}"#, Fault::BadRequest),
        (500, r#"{"error":"prediction aborted, token repeat limit reached"}"#, Fault::LoopingReply),
        (499, r#"{"error":"request canceled"}"#, Fault::ServerError),
    ];

    #[test]
    fn m2_every_error_of_the_server_has_its_kind() {
        for (status, body, fault) in CASES {
            assert_eq!(to("/api/chat", *status, body).fault, *fault, "{body}");
        }
        let message = to("/api/chat", 400, NESTED).message;
        assert_eq!(
            message,
            "the server answered 400: request (351 tokens) exceeds the available context size (256 tokens), try increasing it (exceed_context_size_error)"
        );
    }

    #[test]
    fn a2_what_no_server_must_have_is_a_missing_capability_and_named() {
        for path in OPTIONAL {
            let error = to(path, 405, "405 method not allowed");
            assert_eq!(error.fault, Fault::Unsupported);
            let message = format!("http://gpu:1{path} answered 405: 405 method not allowed");
            assert_eq!(error.message, message);
        }
        let chat = to("/api/chat", 404, "404 page not found");
        let message = "http://gpu:1/api/chat answered 404, but not as an Ollama server does: 404 page not found";
        assert_eq!((chat.fault, chat.message.as_str()), (Fault::ForeignServer, message));
        let model = to("/api/show", 404, r#"{"error":"model 'm' not found"}"#);
        assert_eq!(model.fault, Fault::ModelNotFound);
    }

    #[test]
    fn j10c_the_wait_that_a_server_names_is_in_seconds_or_a_date() {
        let ours = || "2026-11-30T12:10:00Z".parse().unwrap();
        let wait = |after: &str, date: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, after.parse().unwrap());
            if let Some(date) = date {
                headers.insert(DATE, date.parse().unwrap());
            }
            named_wait(&headers, ours).map(|wait| wait.as_secs())
        };
        let (noon, later) = ("Mon, 30 Nov 2026 12:00:00 GMT", "Mon, 30 Nov 2026 12:15:00 GMT");
        assert_eq!(wait(" 20", None), Some(20));
        assert_eq!(wait(later, Some(noon)), Some(900));
        assert_eq!([None, Some("today")].map(|date| wait(later, date)), [Some(300); 2]);
        let unusable = [("0", None), (noon, Some(later)), (noon, None), ("99999999999", None)];
        assert_eq!(unusable.map(|(after, date)| wait(after, date)), [None; 4]);
        assert_eq!(named_wait(&HeaderMap::new(), ours), None);
    }

    #[test]
    fn m1_only_a_setting_is_called_one_and_where_to_sign_in_is_told() {
        let remedy = |status, body| with_remedy(to("/api/chat", status, body), "m", None).remedy;
        assert_eq!(remedy(403, r#"{"error":"this model requires a subscription"}"#), None);
        assert_eq!(remedy(402, r#"{"error":"payment required"}"#), None);
        assert_eq!(remedy(403, r#"{"error":"its host answered 410"}"#), None);
        let signed_out = r#"{"error":"unauthorized","signin_url":"https://x/y"}"#;
        let told = "the server answered 401: unauthorized (sign in at https://x/y)";
        assert_eq!(to("/api/chat", 401, signed_out).message, told);
        let retired = remedy(410, r#"{"error":"gone"}"#);
        let other = "name another model than m in the job, which begins its debates anew";
        assert_eq!(retired.as_deref(), Some(other));
    }

    #[test]
    fn m1_the_key_is_in_no_message() {
        let secret = Secret::new(Some("sk-very-secret"));
        let long = "x".repeat(290);
        let bodies = [
            r#"{"error":"bad credentials: Bearer sk-very-secret"}"#.to_owned(),
            r#"{"error":"{\"error\":{\"message\":\"sk-very-secret\"}}"}"#.to_owned(),
            r#"{"error":"\u0073k-very-secret"}"#.to_owned(),
            "<html><title>sk-very-secret</title>".to_owned(),
            format!("{long} sk-very-secret"),
        ];
        for body in bodies {
            let message = classify(400, "http://gpu:1/api/chat", body.as_bytes(), &secret).message;
            assert!(!message.contains("k-ver"), "{message}");
        }
        let target = format!("http://x/{}?key=sk-very-secret", "y".repeat(170));
        assert!(!redirect(307, &target, &secret).message.contains("k-ver"));
    }
}
