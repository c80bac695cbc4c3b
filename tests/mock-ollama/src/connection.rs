//! One client's connection: requests in, steps of answers out, in turn.

use crate::Call;
use crate::http::Socket;
use crate::ollama::Ollama;
use crate::wire::Step;
use std::{io, mem};
use tokio::net::TcpStream;

/// Serves until either side closes.
pub(crate) async fn serve(stream: TcpStream, ollama: &Ollama) -> io::Result<()> {
    let mut socket = Socket::new(stream)?;
    while let Some(request) = socket.request().await? {
        let close = request.close;
        let call = ollama.log.push(request);
        let request = ollama.runners.clock.request();
        let answered = answer(&call, &mut socket, ollama).await;
        drop(request);
        if answered.is_err() {
            let left = |call: &mut Call| call.client_left = !call.completed;
            ollama.log.update(call.n, left);
        }
        if close || !answered? {
            break;
        }
    }
    Ok(())
}

/// Answers one call and says whether the connection goes on; fails if the client is gone.
async fn answer(call: &Call, socket: &mut Socket, ollama: &Ollama) -> io::Result<bool> {
    let mut prepared = socket.unless_left(ollama.prepare(call)).await?;
    let last = prepared.steps.len().saturating_sub(1);
    for (i, step) in mem::take(&mut prepared.steps).into_iter().enumerate() {
        let completes = matches!(step, Step::Complete(_));
        if i == last || completes {
            // Before the write, so that who has read the answer finds the slot free.
            prepared.let_go(completes);
        }
        if !perform(step, socket, ollama, call.n).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Performs one step and says whether the connection goes on; fails if the client is gone.
async fn perform(step: Step, socket: &mut Socket, ollama: &Ollama, n: usize) -> io::Result<bool> {
    match step {
        Step::Close => return Ok(false),
        Step::Write(bytes) => socket.write(&bytes).await?,
        Step::Wait(gate) => {
            let passed = ollama.runners.clock.while_waiting(gate.passed());
            socket.unless_left(passed).await?;
        }
        Step::Repeat(bytes, pause) => loop {
            socket.write(&bytes).await?;
            socket.unless_left(tokio::time::sleep(pause)).await?;
        },
        Step::Until(at) => socket.unless_left(ollama.runners.clock.until(at)).await?,
        Step::Complete(bytes) => {
            // Noted first, so that who has read the answer finds it noted.
            ollama.log.update(n, |call| call.completed = true);
            let written = socket.write(&bytes).await;
            ollama.log.update(n, |call| call.completed = written.is_ok());
            written?;
        }
    }
    Ok(true)
}
