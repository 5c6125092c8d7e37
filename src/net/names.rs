//! How names become addresses in a program that holds the C library itself.

/// Makes glibc look up names in the system's files and by DNS alone, both of which are in the program. Whatever else a
/// system lists in `nsswitch.conf` is a library that glibc would load while the program runs, and one of another glibc
/// than the program's can crash it. To be called before a second thread begins.
pub fn look_up_without_plugins() {
    unsafe extern "C" {
        fn __nss_configure_lookup(database: *const libc::c_char, services: *const libc::c_char) -> libc::c_int;
    }
    for (database, services) in [(c"hosts", c"files dns"), (c"passwd", c"files"), (c"group", c"files")] {
        // SAFETY: both are strings that end in a zero byte, which glibc copies, and no other thread looks up a name yet.
        let failed = unsafe { __nss_configure_lookup(database.as_ptr(), services.as_ptr()) } != 0;
        if failed {
            tracing::debug!(?database, "the system's own order of looking up names stays");
        }
    }
}
