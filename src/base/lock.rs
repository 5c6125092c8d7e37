use std::sync::{Mutex, MutexGuard, PoisonError};

/// The lock on what a mutex holds, also where a thread has panicked with it: what the program keeps behind one is never
/// left half changed.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
