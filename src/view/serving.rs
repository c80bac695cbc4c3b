//! Taking connections, until it is stopped.

use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::app::{App, Inner, Viewer};
use super::connection_limits::CONNECTIONS;
use super::request_guard::Ends;
use super::write_timeout::WriteTimeout;
use super::{overview, routes};

/// Maximum bytes of a request's head.
const HEAD: usize = 8 << 10;
/// How long a request's head may take.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// Said to who has too many connections.
const TOO_MANY: &[u8] = b"HTTP/1.1 429 Too Many Requests\r\ncontent-type: text/plain\r\ncontent-length: 42\r\nconnection: close\r\n\r\ntoo many connections are open; close some\n";
/// How long connections may take to end.
const ENDING: Duration = Duration::from_secs(1);

/// Serves until it is stopped; then streams say goodbye, and a second later all is over.
pub async fn serve(viewer: Viewer, listener: TcpListener) {
    let app = Inner::new(viewer);
    let telling = tokio::spawn(overview::tell(app.clone()));
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            () = app.stop.requested() => break,
            Some(_) = connections.join_next() => continue,
            accepted = listener.accept(), if connections.len() < CONNECTIONS => accepted,
        };
        match accepted {
            Ok((stream, there)) => {
                let Some(open) = app.connections.open(there.ip()) else {
                    // It need not be heard.
                    let _ = stream.try_write(TOO_MANY);
                    continue;
                };
                if let Ok(here) = stream.local_addr() {
                    let ends = Ends { here, there };
                    let serving = connection(app.clone(), stream, ends);
                    connections.spawn(async move {
                        serving.await;
                        drop(open);
                    });
                }
            }
            // Short of files, most likely: others end in the meantime.
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
    drop(listener);
    telling.abort();
    let ended = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(ENDING, ended).await;
}

async fn connection(app: App, stream: TcpStream, ends: Ends) {
    let _ = stream.set_nodelay(true);
    let service = TowerToHyperService::new(routes::routes(app.clone(), ends));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new());
    http.header_read_timeout(HEAD_TIME).max_buf_size(HEAD);
    let serving = http.serve_connection(TokioIo::new(WriteTimeout::new(stream)), service);
    tokio::pin!(serving);
    tokio::select! {
        _ = &mut serving => return,
        () = app.stop.requested() => serving.as_mut().graceful_shutdown(),
    }
    let _ = serving.await;
}
