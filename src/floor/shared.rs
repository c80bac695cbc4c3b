//! State that the calls of one debate share.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// State behind a lock. A panic fails its own debate and no other, so what it left behind may be read.
#[derive(Debug, Default)]
pub(super) struct Shared<T>(Mutex<T>);

impl<T> Shared<T> {
    pub(super) fn new(state: T) -> Self {
        Self(Mutex::new(state))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
