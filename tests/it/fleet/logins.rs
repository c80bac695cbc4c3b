//! Logins at the NATS server: each kind lets in, and what is missing or wrong is said without any secret.

use std::path::Path;

use super::nats::{Nats, Setup, server_with};
use super::place;
use crate::harness::{Ended, Place, end_of, has, lacks, read};

/// What is given to be let in.
#[derive(Default, Clone, Copy)]
struct Given<'a> {
    /// What stands in the URL before the host.
    in_url: &'a str,
    args: &'a [&'a str],
    variables: &'a [(&'a str, &'a str)],
}

fn in_url(in_url: &str) -> Given<'_> {
    Given { in_url, ..Given::default() }
}

fn args<'a>(args: &'a [&'a str]) -> Given<'a> {
    Given { args, ..Given::default() }
}

fn variables<'a>(variables: &'a [(&'a str, &'a str)]) -> Given<'a> {
    Given { variables, ..Given::default() }
}

fn fixture(name: &str) -> String {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/nats");
    read(&fixtures.join(name))
}

/// A server with the logins of a file, and a place with all files of logins.
fn server_of(config: &str) -> Option<(Nats, Place)> {
    let setup = Setup { more: fixture(config), ..Setup::default() };
    let (nats, place) = (server_with(setup)?, place(1));
    for name in ["worker.creds", "stranger.creds", "worker.nk", "stranger.nk"] {
        place.write(name, &fixture(name));
    }
    Some((nats, place))
}

/// Enqueues a debate with this login. Whatever is said has no secret in it.
fn enqueue(place: &Place, nats: &Nats, given: Given<'_>) -> Ended {
    let url = format!("nats://{}127.0.0.1:{}", given.in_url, nats.port());
    let args = ["enqueue", "job.yaml", "--rehearse", "--nats", &url];
    let mut command = place.command(&[&args, given.args].concat());
    let ended = end_of(command.envs(given.variables.iter().copied()));
    // Parts of passwords, tokens and seeds.
    let secrets = ["se,", "c@ret", "ret@", "se%2C", "to,", "k@en", "en@", "wrong", "SUA"];
    lacks(&ended.said(), &secrets);
    ended
}

fn lets_in(place: &Place, nats: &Nats, all: &[Given<'_>]) {
    for (n, given) in all.iter().enumerate() {
        let ended = enqueue(place, nats, *given).exits(0);
        let wanted = ["enqueued 1 debate ", "1 already waiting"][n.min(1)];
        has(&ended.stdout, wanted);
    }
}

fn refuses(place: &Place, nats: &Nats, code: i32, all: &[(Given<'_>, &str)]) {
    for (given, why) in all {
        has(&enqueue(place, nats, *given).exits(code).stderr, why);
    }
}

const NO_LOGIN: &str = "it requires a login\nhint: give a user with NATS_USER and NATS_PASSWORD";

#[test]
fn f1_users_are_known_by_password_or_nkey() {
    let Some((nats, place)) = server_of("users.conf") else {
        return;
    };
    let named = [("NATS_USER", "rebut"), ("NATS_PASSWORD", "se,c@ret")];
    let wrong = [("NATS_USER", "rebut"), ("NATS_PASSWORD", "wrong")];
    let key = ["--nats-nkey", "worker.nk"];
    let right = [
        in_url("rebut:se%2Cc%40ret@"),
        variables(&named),
        args(&key),
        variables(&[("NATS_NKEY", "worker.nk")]),
        // What stands in the URL comes first, and the variables last.
        Given { variables: &wrong, ..in_url("rebut:se%2Cc%40ret@") },
        Given { variables: &wrong, ..args(&key) },
    ];
    lets_in(&place, &nats, &right);
    let user = "it does not accept the user `rebut` with this password";
    let refused = [
        (Given::default(), NO_LOGIN),
        (in_url("rebut:wrong@"), user),
        (variables(&wrong), user),
        (in_url("rebut@"), "it does not accept this token"),
        (args(&["--nats-nkey", "stranger.nk"]), "it does not accept the nkey in stranger.nk"),
    ];
    refuses(&place, &nats, 3, &refused);
    let half = [
        (variables(&named[..1]), "NATS_USER is set, but NATS_PASSWORD is not"),
        (variables(&named[1..]), "NATS_PASSWORD is set, but NATS_USER is not"),
        (in_url("rebut:se,c@ret@"), "cannot read the URL of the NATS server\nhint: write it as"),
        (in_url(":se%2Cc%40ret@"), "cannot read the URL"),
        (args(&["--nats-nkey", "job.yaml"]), "job.yaml does not contain the seed of a user's nkey"),
        (args(&["--nats-nkey", "none"]), "cannot read none"),
    ];
    refuses(&place, &nats, 2, &half);
}

#[test]
fn f1_a_token_lets_in() {
    let Some((nats, place)) = server_of("token.conf") else {
        return;
    };
    let right = [in_url("to%2Ck%40en@"), variables(&[("NATS_TOKEN", "to,k@en")])];
    lets_in(&place, &nats, &right);
    let token = "it does not accept this token";
    let refused = [
        (Given::default(), NO_LOGIN),
        (in_url("wrong@"), token),
        (variables(&[("NATS_TOKEN", "wrong")]), token),
        // One that is empty is none.
        (variables(&[("NATS_TOKEN", "")]), NO_LOGIN),
    ];
    refuses(&place, &nats, 3, &refused);
    refuses(&place, &nats, 2, &[(in_url("to,k@en@"), "cannot read the URL")]);
}

#[test]
fn f1_credentials_of_an_operator_let_in() {
    let Some((nats, place)) = server_of("operator.conf") else {
        return;
    };
    let right =
        [args(&["--nats-creds", "worker.creds"]), variables(&[("NATS_CREDS", "worker.creds")])];
    lets_in(&place, &nats, &right);
    let refused = [
        (Given::default(), NO_LOGIN),
        (
            args(&["--nats-creds", "stranger.creds"]),
            "it does not accept the credentials in stranger.creds",
        ),
    ];
    refuses(&place, &nats, 3, &refused);
    let unusable = [
        (
            args(&["--nats-creds", "worker.nk"]),
            "worker.nk does not contain a user's JWT and the seed of an nkey",
        ),
        (args(&["--nats-creds", "none"]), "cannot read none"),
    ];
    refuses(&place, &nats, 2, &unusable);
}
