//! Tests the settings and scripts under `examples/`; the programs there are compiled with the tests.

use crate::harness::TestDir;

#[test]
fn the_settings_of_the_examples_are_sound() {
    let dir = TestDir::with_examples();
    let shown = dir.run(&["--config", "examples/ci-smoke/deepsearch.toml", "config", "show", "--changed"]).ends_with(0);
    shown.stderr_is("").stdout_has("llm.provider = \"mock\"").stdout_has("script.toml");
}
