//! Tasks that call the servers, begun as fast as these want them.

use tokio::task::JoinSet;

use super::pool::ServerPool;
use crate::stop::Stop;

/// Runs the tasks, at most `most` at a time and no more than find a slot, and calls `on_end` with the result of each. Begins none
/// once a stop is requested.
pub(crate) async fn as_wanted<T: Send + 'static>(
    servers: Option<&ServerPool>,
    stop: &Stop,
    most: usize,
    tasks: impl Iterator<Item: Future<Output = T> + Send + 'static> + Send,
    mut on_end: impl FnMut(T) + Send,
) {
    let (mut tasks, mut open) = (tasks.peekable(), JoinSet::new());
    loop {
        loop {
            let has_more =
                tasks.peek().is_some() && !stop.is_requested() && open.len() < most.max(1);
            let wanted = servers.is_none_or(|it| it.wanted(open.len(), has_more) > 0);
            let Some(task) = tasks.next_if(|_| has_more && (wanted || open.is_empty())) else {
                break;
            };
            open.spawn(task);
        }
        tokio::select! {
            ended = open.join_next() => match ended {
                Some(Ok(result)) => on_end(result),
                // A panic is reported as the end of its own task.
                Some(Err(_)) => {}
                None => break,
            },
            // While the servers want more tasks, they load no other model for the open ones: these might wait for ever.
            () = ServerPool::wanting(servers) => {}
        }
    }
}
