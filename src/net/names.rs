//! How names are resolved to addresses in a program that contains the C library.

/// Makes glibc look up names only in the system's files and by DNS; the code for both is in the program. Anything else
/// that a system lists in `nsswitch.conf` is a library that glibc would load while the program runs, and a library of
/// another glibc version than the program's can crash it. Must be called before a second thread starts.
pub fn look_up_without_plugins() {
    unsafe extern "C" {
        fn __nss_configure_lookup(database: *const libc::c_char, services: *const libc::c_char) -> libc::c_int;
    }
    for (database, services) in [(c"hosts", c"files dns"), (c"passwd", c"files"), (c"group", c"files")] {
        // SAFETY: both strings end in a zero byte and are copied by glibc, and no other thread looks up a name yet.
        let failed = unsafe { __nss_configure_lookup(database.as_ptr(), services.as_ptr()) } != 0;
        if failed {
            tracing::debug!(?database, "the system's own order of looking up names stays");
        }
    }
}
