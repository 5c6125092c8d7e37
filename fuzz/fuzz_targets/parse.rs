//! Parses the fuzzer's bytes as a document of the kind that `PARSER` names, one of the folders below `corpus/`.
#![no_main]

use std::sync::LazyLock;

use deepsearch::documents::parse::sound::{TARGETS, check};

static PARSER: LazyLock<String> = LazyLock::new(|| {
    let known: Vec<&str> = TARGETS.iter().map(|&(name, _)| name).collect();
    match std::env::var("PARSER") {
        Ok(name) if known.contains(&name.as_str()) => name,
        _ => panic!("PARSER must be one of {}", known.join(", ")),
    }
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check(&PARSER, bytes));
