//! Tests a whole research run with scripted replies, comparing its report word for word.

use std::path::Path;

use crate::harness::{QUESTION, TestDir};

/// With `DEEPSEARCH_TEST_UPDATE=1` the report replaces the expected one, to be reviewed before it is committed.
#[test]
fn the_smoke_run_writes_the_expected_report() {
    let dir = TestDir::with_examples();
    let arguments = ["query", QUESTION, "--load", "examples/simpsons", "--config", "examples/ci-smoke/deepsearch.toml"];
    let run = dir.run(&arguments).env("DEEPSEARCH_NOW", "2026-01-31T12:00:00Z").ends_with(0);
    let run = run.stderr_has("15 new").stderr_has("round 2: ").stderr_has("bill: 4 calls, 13,900 tokens in, 560 out");
    let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/ci-smoke/expected.md");
    if std::env::var_os("DEEPSEARCH_TEST_UPDATE").is_some() {
        std::fs::write(&expected, &run.stdout).unwrap();
    }
    assert!(!run.stdout.contains("quotes words that"), "a citation leads elsewhere: {}", run.stdout);
    run.stdout_is(&std::fs::read_to_string(&expected).unwrap());
}
