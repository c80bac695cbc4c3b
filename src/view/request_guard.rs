//! Who may look: the first thing that every request meets. A page of another site, which a browser may be made to send here
//! under another name, gets nothing; nor does one without the key, if there is one.

use std::net::SocketAddr;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{COOKIE, HOST, ORIGIN, SET_COOKIE};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;

use super::access::Access;
use super::app::App;
use super::respond::{Answer, html, see, text};
use crate::digest;

/// The two ends of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends {
    pub(super) here: SocketAddr,
    pub(super) there: SocketAddr,
}

/// Lets a request pass, or answers it.
pub(super) async fn guard(
    State(app): State<App>,
    Extension(ends): Extension<Ends>,
    request: Request,
    next: Next,
) -> Answer {
    let mut answer = match refusal(&app, ends, &request) {
        Some(answer) => answer,
        None => next.run(request).await,
    };
    headers(answer.headers_mut());
    answer
}

/// A page without sheets or scripts, which are kept from whoever is refused; plain text for what is no page.
fn refused(status: StatusCode, request: &Request, words: &str) -> Answer {
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        return text(status, words.to_owned());
    }
    let title = status.canonical_reason().unwrap_or("Refused");
    let head = "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">";
    let page = format!("{head}\n<title>{title}</title>\n<h1>{title}</h1>\n<p>{words}</p>\n");
    html(status, page)
}

fn refusal(app: &App, ends: Ends, request: &Request) -> Option<Answer> {
    if !is_meant(&app.access, ends, request) {
        let words = "This address is not served here (see rebut view --name).";
        return Some(refused(StatusCode::MISDIRECTED_REQUEST, request, words));
    }
    let votes = app.votes.is_some() && is_for_voters(request.uri().path());
    let is_vote = votes && request.method() == Method::POST;
    if !is_vote && ![Method::GET, Method::HEAD].contains(request.method()) {
        return Some(text(StatusCode::METHOD_NOT_ALLOWED, "this viewer is read-only"));
    }
    let key = app.access.key.as_deref()?;
    if votes || request.uri().path() == "/healthz" {
        return None;
    }
    let (path, cookie) = (request.uri().path(), cookie_name("rebut", ends));
    let query = request.uri().query().unwrap_or_default();
    let given = query.split('&').find_map(|pair| pair.strip_prefix("key="));
    let is_in = knows(key, cookie_of(request.headers(), &cookie));
    match given {
        // It must not stay in the address, whoever knows it already.
        Some(_) if is_in || knows(key, given) => Some(enter(path, query, &cookie, key)),
        None if is_in => None,
        _ => Some(refused(StatusCode::FORBIDDEN, request, OPEN_THE_LINK)),
    }
}

/// Said to who does not know the key.
const OPEN_THE_LINK: &str = "Open the address that rebut view printed: it contains the key.";

/// Whether this is one of the addresses that voters need, who may know no key.
fn is_for_voters(path: &str) -> bool {
    let own = ["/join", "/session", "/vote"].contains(&path);
    own || path.starts_with("/vote/") || path.starts_with("/assets/")
}

/// Compared by digests: how long it takes tells nothing.
fn knows(key: &str, given: Option<&str>) -> bool {
    let digest = |text: &str| digest::of_bytes(text.as_bytes());
    given.is_some_and(|given| digest(given) == digest(key))
}

/// Keeps the key in a cookie and leads to the address without it.
fn enter(path: &str, query: &str, cookie: &str, key: &str) -> Answer {
    let rest =
        query.split('&').filter(|pair| !pair.starts_with("key=")).collect::<Vec<_>>().join("&");
    // One slash: two would name a host, as a backslash would to a browser.
    let path = format!("/{}", path.trim_start_matches(['/', '\\']));
    let mut answer = see(&if rest.is_empty() { path } else { format!("{path}?{rest}") });
    set_cookie(&mut answer, &format!("{cookie}={key}"), "Lax");
    answer
}

/// Cookies know no ports: two viewers on one machine must not take each other's.
pub(super) fn cookie_name(of: &str, ends: Ends) -> String {
    format!("{of}-{}", ends.here.port())
}

/// Has a browser keep a cookie for all addresses here, hidden from scripts.
pub(super) fn set_cookie(answer: &mut Answer, cookie: &str, same_site: &str) {
    let cookie = format!("{cookie}; Path=/; HttpOnly; SameSite={same_site}");
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        answer.headers_mut().insert(SET_COOKIE, cookie);
    }
}

pub(super) fn cookie_of<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|value| value.split(';'));
    pairs.find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
}

/// Whether a request names this machine as one that asks for it does, in its `Host` and wherever else it names one.
fn is_meant(access: &Access, ends: Ends, request: &Request<Body>) -> bool {
    let mut hosts = request.headers().get_all(HOST).iter();
    let host = hosts.next().and_then(|host| host.to_str().ok());
    let named = host.and_then(|host| host.parse::<Authority>().ok());
    let is_own = |authority: &Authority| is_own(access, ends, authority);
    hosts.next().is_none()
        && named.as_ref().is_some_and(is_own)
        && request.uri().authority().is_none_or(is_own)
}

/// Whether what is sent comes from a page of this viewer, by the origin that a browser names: the same host and port.
pub(super) fn is_from_here(access: &Access, ends: Ends, headers: &HeaderMap) -> bool {
    let named = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let origin = named(ORIGIN).and_then(|origin| {
        let rest = origin.strip_prefix("http://");
        rest.or_else(|| origin.strip_prefix("https://"))
    });
    let origin = origin.and_then(|origin| origin.parse::<Authority>().ok());
    let host = named(HOST).and_then(|host| host.parse::<Authority>().ok());
    origin.is_some_and(|origin| Some(&origin) == host.as_ref() && is_own(access, ends, &origin))
}

fn is_own(access: &Access, ends: Ends, authority: &Authority) -> bool {
    let host = authority.host();
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    let is_address = literal.parse() == Ok(ends.here.ip().to_canonical());
    let is_name = |name: &str| name.eq_ignore_ascii_case(host);
    let no_user = !authority.as_str().contains('@');
    let is_named = is_name("localhost") || access.names.iter().any(|name| is_name(name));
    no_user && (is_address || is_named)
}

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

fn headers(headers: &mut HeaderMap) {
    for (name, value) in [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
