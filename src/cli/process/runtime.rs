//! The runtime that commands run on.

use super::failure::Failure;

/// Runs a future to its end on its own runtime.
pub(in crate::cli) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime =
        runtime.map_err(|e| Failure::input(format!("cannot start the runtime: {e}"), ""))?;
    let value = runtime.block_on(future);
    // Anything still running was cut off on purpose, by a second Ctrl-C.
    runtime.shutdown_background();
    Ok(value)
}
