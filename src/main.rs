//! The `deepsearch` command; all of it is in the library's `cli`.

fn main() {}
