//! README.md is held to its word: its commands run offline, and the help that it shows is the program's own.
//!
//! A command is a line that begins with `deepsearch ` or `cargo run --release -- ` in a block marked `sh`; a `\\` at the
//! end goes on in the next line. Blocks marked `sh no-run` need a key or a server.

use std::path::Path;
use std::process::Command;

use crate::harness::TestDir;

fn readme() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap()
}

/// The commands, each as one line that begins with `deepsearch `.
fn commands(readme: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut fence: Option<&str> = None;
    let mut begun = String::new();
    for line in readme.lines() {
        if let Some(info) = line.trim_start().strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some(info.trim()) };
        } else if fence == Some("sh") {
            let line = line.trim();
            let line = if begun.is_empty() { line.strip_prefix("$ ").unwrap_or(line) } else { line };
            match line.strip_suffix('\\') {
                Some(part) => begun.push_str(part),
                None => {
                    let whole = std::mem::take(&mut begun) + line;
                    let whole = whole.replacen("cargo run --release -- ", "deepsearch ", 1);
                    if whole.starts_with("deepsearch ") {
                        commands.push(whole);
                    }
                }
            }
        }
    }
    commands
}

#[test]
fn commands_are_found() {
    let check = |readme: &str, expected: &[&str]| assert_eq!(commands(readme), expected, "{readme}");
    check("```sh\ndeepsearch a\ncd x\n$ cargo run --release -- b > c\n```\n", &["deepsearch a", "deepsearch b > c"]);
    check("```sh\ndeepsearch a \\\n  --b\n```\n", &["deepsearch a --b"]);
    check("```sh no-run\ndeepsearch a\n```\n```toml\ndeepsearch b\n```\ndeepsearch c\n", &[]);
}

/// One after the other in a folder with the examples, and with documents in `docs`; each ends well.
#[cfg(unix)]
#[test]
fn the_commands_of_the_readme_run() {
    let readme = readme();
    let dir = TestDir::with_examples();
    for file in ["04-under-disney.md", "05-the-movie.md"] {
        let text = std::fs::read_to_string(dir.path("work/examples/simpsons/history").join(file)).unwrap();
        dir.write(&format!("work/docs/{file}"), text);
    }
    let programs = dir.path("bin");
    std::fs::create_dir_all(&programs).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_deepsearch"), programs.join("deepsearch")).unwrap();
    let commands = commands(&readme);
    assert!(!commands.is_empty(), "no command was found");
    for command in commands {
        let output = Command::new("sh")
            .args(["-c", &command])
            .env_clear()
            .env("PATH", format!("{}:/usr/bin:/bin", programs.display()))
            .env("HOME", dir.path("home"))
            .env("DEEPSEARCH_DATA_DIR", dir.data())
            .current_dir(dir.path("work"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{command}\n{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// With `DEEPSEARCH_TEST_UPDATE=1` the README is given the real one.
#[test]
fn the_help_in_the_readme_is_the_real_one() {
    let readme = readme();
    let (before, rest) = readme.split_once("<!-- help -->").expect("the help is marked");
    let (shown, after) = rest.split_once("<!-- /help -->").expect("the mark is closed");
    let help = TestDir::new().run(&["--help"]).ends_with(0).stdout;
    let help = format!("\n```text\n{}\n```\n", help.trim_end());
    if std::env::var_os("DEEPSEARCH_TEST_UPDATE").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
        std::fs::write(path, format!("{before}<!-- help -->{help}<!-- /help -->{after}")).unwrap();
    } else {
        assert_eq!(shown, help);
    }
}
