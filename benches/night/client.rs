//! The least that a client on this HTTP stack can do: calls from ten tasks, each reply read to its end and, where a directory is given,
//! the beginning of it appended to a file and synced, as a journal is.
//!
//! `client URL CALLS REQUESTS [DIRECTORY]`, where REQUESTS is a file with a JSON object per line.

use std::error::Error;
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use reqwest::Client;
use reqwest::header::CONTENT_TYPE;

type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

/// Calls in flight.
const TASKS: usize = 10;
/// Bytes of a journal's line, on average.
const LINE: usize = 1200;

struct Work {
    client: Client,
    url: String,
    requests: Vec<String>,
    directory: Option<String>,
    calls: usize,
    begun: AtomicUsize,
}

#[tokio::main]
async fn main() -> Outcome {
    // As in `model::ollama::client`; where one is installed already, that one is used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().ok_or("URL CALLS REQUESTS [DIRECTORY]");
    let (url, calls, requests) = (next()?, next()?.parse()?, next()?);
    let requests = std::fs::read_to_string(requests)?;
    let work = Arc::new(Work {
        client: Client::new(),
        url: format!("{url}/api/chat"),
        requests: requests.lines().map(str::to_owned).collect(),
        directory: next().ok(),
        calls,
        begun: AtomicUsize::new(0),
    });
    let tasks: Vec<_> =
        (0..TASKS).map(|number| tokio::spawn(Arc::clone(&work).run(number))).collect();
    for task in tasks {
        task.await??;
    }
    Ok(())
}

impl Work {
    async fn run(self: Arc<Self>, task: usize) -> Outcome {
        loop {
            let call = self.begun.fetch_add(1, Ordering::Relaxed);
            if call >= self.calls {
                return Ok(());
            }
            let reply = self.call(call).await?;
            if let Some(directory) = &self.directory {
                let path = format!("{directory}/{task}");
                tokio::task::spawn_blocking(move || keep(&path, &reply)).await??;
            }
        }
    }

    async fn call(&self, number: usize) -> Result<Vec<u8>, reqwest::Error> {
        let body = self.requests[number % self.requests.len()].clone();
        let request = self.client.post(&self.url).body(body);
        let mut answer = request.header(CONTENT_TYPE, "application/json").send().await?;
        let mut reply = Vec::new();
        while let Some(part) = answer.chunk().await? {
            reply.extend_from_slice(&part);
        }
        Ok(reply)
    }
}

fn keep(path: &str, reply: &[u8]) -> std::io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(&reply[..reply.len().min(LINE)])?;
    file.sync_data()
}
