//! One client's connection: requests in, steps of answers out, in turn.

use crate::http::Socket;
use crate::ollama::Ollama;
use crate::wire::{self, Step};
use std::io;
use tokio::net::TcpStream;
use tokio::task;

/// Serves until either side closes.
pub(crate) async fn serve(stream: TcpStream, ollama: &Ollama) -> io::Result<()> {
    let mut socket = Socket::new(stream)?;
    while let Some(request) = socket.request().await? {
        let close = request.close;
        let call = ollama.log.push(request);
        let answer = task::block_in_place(|| ollama.answer(&call));
        for step in wire::steps(&answer, &call) {
            let done = perform(step, &mut socket, ollama, call.n).await;
            if done.is_err() {
                ollama
                    .log
                    .update(call.n, |call| call.client_left = !call.completed);
            }
            if !done? {
                return Ok(());
            }
        }
        if close {
            break;
        }
    }
    Ok(())
}

/// Performs one step and says whether the connection goes on; fails if the client is gone.
async fn perform(step: Step, socket: &mut Socket, ollama: &Ollama, n: usize) -> io::Result<bool> {
    match step {
        Step::Close => return Ok(false),
        Step::Write(bytes) => socket.write(&bytes).await?,
        Step::Wait(gate) => tokio::select! {
            () = gate.passed() => {}
            () = socket.left() => return Err(io::ErrorKind::BrokenPipe.into()),
        },
        Step::Complete(bytes) => {
            // Noted first, so that who has read the answer finds it noted.
            ollama.log.update(n, |call| call.completed = true);
            let written = socket.write(&bytes).await;
            ollama
                .log
                .update(n, |call| call.completed = written.is_ok());
            written?;
        }
    }
    Ok(true)
}
