use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, even one whose lock a panicking thread held: what the program keeps behind one is never left half
/// changed.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
