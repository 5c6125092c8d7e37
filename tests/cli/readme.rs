//! Tests README.md and the guides in docs: their commands run offline, their links lead somewhere, and the help shown
//! in the README is the program's own.
//!
//! A command is a line that begins with `deepsearch ` or `cargo run --release -- ` in a block marked `sh`; a `\\` at the
//! end goes on in the next line. Blocks marked `sh no-run` need a key or a server.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::{TestDir, files_below};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).unwrap()
}

/// The guides, sorted by path.
fn guides() -> Vec<PathBuf> {
    let pages: Vec<PathBuf> = files_below(&root().join("docs"))
        .into_iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect();
    assert!(pages.len() > 10, "only {} guides were found", pages.len());
    pages
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

#[cfg(unix)]
#[test]
fn the_commands_of_the_readme_run() {
    let readme = readme();
    assert!(!commands(&readme).is_empty(), "no command was found");
    run_all(&readme, "README.md");
}

#[cfg(unix)]
#[test]
fn the_commands_of_the_guides_run() {
    for guide in guides() {
        run_all(&std::fs::read_to_string(&guide).unwrap(), &guide.to_string_lossy());
    }
}

/// Runs a page's commands one after the other, in a folder with the examples and with documents in `docs`; each must
/// succeed.
#[cfg(unix)]
fn run_all(page: &str, name: &str) {
    let commands = commands(page);
    if commands.is_empty() {
        return;
    }
    let dir = TestDir::with_examples();
    for file in ["04-under-disney.md", "05-the-movie.md"] {
        let text = std::fs::read_to_string(dir.path("work/examples/simpsons/history").join(file)).unwrap();
        dir.write(&format!("work/docs/{file}"), text);
    }
    let programs = dir.path("bin");
    std::fs::create_dir_all(&programs).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_deepsearch"), programs.join("deepsearch")).unwrap();
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
        assert!(output.status.success(), "{name}: {command}\n{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// A line of a report without source numbers: which passage is read first may depend on the processor's rounding.
fn unnumbered(line: &str) -> String {
    let line =
        line.split_once(". **").filter(|(number, _)| number.parse::<usize>().is_ok()).map_or(line, |(_, rest)| rest);
    let mut parts = line.split('[');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |told, part| match part.split_once(']') {
        Some((number, rest)) if number.parse::<usize>().is_ok() => told + "[]" + rest,
        _ => told + "[" + part,
    })
}

/// Each line of the README's excerpt must be in the report of its two commands, regardless of source numbers and quote
/// lengths; for a line that ends in …, its beginning must be.
#[test]
fn the_excerpt_is_of_the_report() {
    let readme = readme();
    let (_, excerpt) = readme.split_once("<!-- excerpt -->").unwrap();
    let (excerpt, _) = excerpt.split_once("<!-- /excerpt -->").unwrap();
    let dir = TestDir::with_examples();
    dir.run(&["load", "examples/simpsons"]).ends_with(0);
    let report = dir.run(&["query", "How has The Simpsons changed over time?"]).ends_with(0).stdout;
    let lines: Vec<&str> = excerpt.lines().map(|line| line.strip_prefix("> ").unwrap_or_default()).collect();
    assert!(lines.iter().any(|line| line.contains("[1]")), "{excerpt}");
    for line in lines {
        let stands = match line.strip_suffix('…') {
            Some(beginning) => {
                report.lines().any(|told| unnumbered(told).starts_with(&unnumbered(beginning.trim_end())))
            }
            None => report.lines().any(|told| unnumbered(told) == unnumbered(line)),
        };
        assert!(stands, "{line}\n\nis not in\n\n{report}");
    }
}

/// With `DEEPSEARCH_TEST_UPDATE=1` the README is updated to the real help.
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

/// The targets of `[text](target)` outside code.
fn links(page: &str) -> Vec<&str> {
    let mut in_code = false;
    let outside = page.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !in_code && !fence
    });
    outside
        .flat_map(|line| line.split("](").skip(1).filter_map(|rest| rest.split_once(')')))
        .map(|(to, _)| to)
        .collect()
}

/// The anchor of a heading in a link: its letters, digits, `-` and `_` in lower case, with `-` for each space.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>().to_lowercase()
}

#[test]
fn links_are_found() {
    let check = |page: &str, expected: &[&str]| assert_eq!(links(page), expected, "{page}");
    check("see [a](b.md) and [c](d.md#e)\n```\n[x](y)\n```\n", &["b.md", "d.md#e"]);
    assert_eq!(anchor(" `[llm]`: the language model"), "llm-the-language-model");
}

#[test]
fn what_the_pages_link_to_is_there() {
    let mut pages = guides();
    let named = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "benches/README.md"];
    pages.extend(named.map(|name| root().join(name)));
    let mut missing = Vec::new();
    for page in &pages {
        let text = std::fs::read_to_string(page).unwrap();
        for link in links(&text).into_iter().filter(|link| !link.contains("://")) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            let is_there = target.exists()
                && (heading.is_empty()
                    || std::fs::read_to_string(&target)
                        .unwrap()
                        .lines()
                        .any(|line| line.starts_with('#') && anchor(line.trim_start_matches('#')) == heading));
            if !is_there {
                missing.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
