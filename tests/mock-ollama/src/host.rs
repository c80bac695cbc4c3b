//! Which `Host` headers a server bound to loopback takes.

use std::net::IpAddr;

/// Whether `host`, with or without a port, names this machine or its network.
pub(crate) fn is_allowed(host: &str) -> bool {
    let name = without_port(host).to_lowercase();
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    match bare.parse() {
        Ok(IpAddr::V4(ip)) => ip.is_loopback() || ip.is_private() || ip.is_unspecified(),
        Ok(IpAddr::V6(ip)) => ip.is_loopback() || ip.is_unique_local() || ip.is_unspecified(),
        Err(_) => is_local(&name),
    }
}

fn is_local(name: &str) -> bool {
    let endings = [".localhost", ".local", ".internal"];
    let ours = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    name.is_empty()
        || name == "localhost"
        || name == ours.trim().to_lowercase()
        || endings.iter().any(|it| name.ends_with(it))
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|it| it.is_ascii_digit()) => name,
        _ => host,
    }
}
