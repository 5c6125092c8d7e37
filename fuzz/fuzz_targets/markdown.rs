#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| deepsearch_fuzz::check("markdown", bytes));
