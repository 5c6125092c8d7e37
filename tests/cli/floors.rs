//! Tests that the sources keep to the floors of `ARCHITECTURE.md`, which the compiler does not enforce within one
//! crate.

use std::fs;
use std::path::{Path, PathBuf};

/// Modules and their floors. A module may name itself and modules on lower floors.
const FLOORS: &[(&str, u8)] = &[
    ("base", 0),
    ("domain", 0),
    ("bundled", 1),
    ("net", 1),
    ("prompt", 1),
    ("config", 1),
    ("report", 1),
    ("documents", 1),
    ("llm", 2),
    ("embed", 2),
    ("read", 2),
    ("store", 2),
    ("verify", 2),
    ("sources", 2),
    ("form", 3),
    ("ingest", 3),
    ("retrieval", 3),
    ("memory", 3),
    ("offline", 3),
    ("agent", 4),
    ("train", 4),
    ("app", 5),
    ("eval", 6),
    ("serve", 6),
    ("cli", 7),
];

/// Modules on one floor that may name each other: `domain` is plain data over `base`.
const SIBLINGS: &[(&str, &str)] = &[("domain", "base")];

/// Modules that only some may name; all others must do without them.
const CONFINED: &[(&str, &[&str])] = &[("config", &["config", "app", "cli"])];

/// Crates that only one module may name.
const CONFINED_CRATES: &[(&str, &str)] = &[
    ("reqwest", "net"),
    ("qdrant_client", "store"),
    ("tonic", "store"),
    ("candle_core", "embed"),
    ("candle_nn", "embed"),
    ("typst", "form"),
    ("typst_layout", "form"),
    ("typst_pdf", "form"),
    ("fontdb", "form"),
];

/// The largest number of lines of a file, except for those listed with a reason.
const LONGEST_FILE: usize = 600;
const LONG_FILES: &[(&str, &str)] = &[];

/// A file longer than this begins with what it is for, and what it is not for.
const LONG_FILE: usize = 150;

/// A source file and its top-level module.
pub(crate) struct Source {
    pub path: PathBuf,
    module: String,
    pub text: String,
}

pub(crate) fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("src can be listed") {
            let path = entry.expect("src can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let below = path.strip_prefix(&root).expect("below src");
                let first = below.components().next().expect("a name").as_os_str().to_string_lossy();
                let module = first.trim_end_matches(".rs").to_owned();
                let text = fs::read_to_string(&path).expect("UTF-8");
                found.push(Source { path: below.to_owned(), module, text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(found.len() > 20, "the scan found only {} files", found.len());
    found
}

/// The code of a file with comments and the contents of strings blanked out, as modules named there are not imports.
pub(crate) fn code_of(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = raw_string(rest) {
            length
        } else if first == '"' {
            plain_string(rest)
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\\"'") {
            rest[1..].find('\'').map_or(rest.len(), |end| end + 2)
        } else {
            code.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        code.push(' ');
        rest = &rest[skipped..];
    }
    code
}

/// The length of the raw string at the start of `rest`, if there is one.
fn raw_string(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let body = after[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let start = rest.len() - body.len();
    Some(body.find(&end).map_or(rest.len(), |at| start + at + end.len()))
}

/// The length of the string at the start of `rest`.
fn plain_string(rest: &str) -> usize {
    let mut escaped = false;
    for (at, character) in rest.char_indices().skip(1) {
        match character {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    rest.len()
}

/// The names after each `crate::`, including those in a group such as `crate::{a::X, b}`.
fn named_modules(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, path) in code.match_indices("crate::") {
        // Skip `$crate::` in macros, and `some_crate::`.
        if code[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_') {
            continue;
        }
        let after = code[at + path.len()..].trim_start();
        match after.strip_prefix('{') {
            None => names.extend(identifier(after)),
            Some(group) => {
                let mut depth = 0;
                let mut at_start = true;
                for (at, character) in group.char_indices() {
                    match character {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => at_start = true,
                        _ if at_start && depth == 0 && !character.is_whitespace() => {
                            names.extend(identifier(&group[at..]));
                            at_start = false;
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    names
}

pub(crate) fn identifier(code: &str) -> Option<String> {
    let end = code.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(code.len());
    (end > 0).then(|| code[..end].to_owned())
}

/// Whether `code` names the crate `name` as a path or in a `use`.
fn names_crate(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + name.len()..].trim_start();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
            && (after.starts_with("::") || (code[..at].trim_end().ends_with("use") && after.starts_with(';')))
    })
}

fn floor(module: &str) -> Option<u8> {
    FLOORS.iter().find(|(name, _)| *name == module).map(|(_, floor)| *floor)
}

/// The fault if `from` names `to`, if any.
fn fault(from: &str, to: &str) -> Option<String> {
    let confined = CONFINED.iter().find(|(name, _)| *name == to);
    if confined.is_some_and(|(_, readers)| !readers.contains(&from)) {
        return Some(format!("`{from}` names `{to}`, which takes an options struct of its own instead"));
    }
    let (Some(above), Some(below)) = (floor(from), floor(to)) else {
        return None;
    };
    let allowed = from == to || below < above || SIBLINGS.contains(&(from, to));
    (!allowed).then(|| format!("`{from}` (floor {above}) names `{to}` (floor {below})"))
}

#[test]
fn imports_go_down() {
    let mut faults = Vec::new();
    for source in sources().iter().filter(|source| !matches!(source.module.as_str(), "lib" | "main")) {
        if floor(&source.module).is_none() {
            faults.push(format!("{}: the module has no floor in this test's table", source.path.display()));
        }
        let code = code_of(&source.text);
        for name in named_modules(&code) {
            faults.extend(fault(&source.module, &name).map(|fault| format!("{}: {fault}", source.path.display())));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn confined_crates_stay_where_they_are() {
    let mut faults = Vec::new();
    for source in sources() {
        let code = code_of(&source.text);
        for (name, home) in CONFINED_CRATES {
            if source.module != *home && names_crate(&code, name) {
                faults.push(format!("{}: only `{home}` names the crate `{name}`", source.path.display()));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Programs are started with an environment without keys, which is built in one place.
#[test]
fn programs_are_started_in_one_place() {
    // The other place starts only this program, without any environment.
    let homes = [Path::new("base/child.rs"), Path::new("base/command.rs")];
    let starts = |source: &Source| {
        let code = code_of(&source.text);
        code.contains("process::Command") || code.contains("Command::new(")
    };
    let found: Vec<_> = sources().into_iter().filter(starts).map(|source| source.path).collect();
    assert_eq!(found, homes);
}

#[test]
fn files_can_be_read_in_one_sitting() {
    let mut faults = Vec::new();
    for source in sources() {
        let lines = source.text.lines().count();
        let listed = LONG_FILES.iter().any(|(path, _)| Path::new(path) == source.path);
        if lines > LONGEST_FILE && !listed {
            faults.push(format!("{}: {lines} lines; split it, or list it with its reason", source.path.display()));
        }
        if listed && lines <= LONGEST_FILE {
            faults.push(format!("{}: listed as long, and is not", source.path.display()));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn long_files_begin_with_what_they_are_for() {
    let is_silent = |source: &Source| source.text.lines().count() > LONG_FILE && !source.text.starts_with("//!");
    let silent: Vec<PathBuf> = sources().into_iter().filter(is_silent).map(|source| source.path).collect();
    assert!(silent.is_empty(), "these say nothing of themselves (`//!`): {silent:?}");
}

#[test]
fn the_map_names_what_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let map = fs::read_to_string(root.join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let paths = map.split('`').skip(1).step_by(2).filter(|code| code.starts_with("src/") || code.starts_with("tests/"));
    let missing: Vec<&str> = paths.filter(|path| !root.join(path).exists()).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names what is not there: {missing:?}");
    let unnamed: Vec<String> = fs::read_dir(root.join("src"))
        .expect("src can be listed")
        .map(|entry| entry.expect("src can be listed").path())
        .filter(|path| path.is_dir())
        .map(|path| format!("src/{}", path.file_name().expect("a name").to_string_lossy()))
        .filter(|module| !map.contains(&format!("`{module}")))
        .collect();
    assert!(unnamed.is_empty(), "ARCHITECTURE.md does not name {unnamed:?}");
}

mod the_scan_itself {
    use super::{code_of, fault, named_modules, names_crate};

    #[test]
    fn finds_names() {
        fn check(text: &str, expected: &[&str]) {
            assert_eq!(named_modules(&code_of(text)), expected, "{text}");
        }
        check("use crate::store::Store;", &["store"]);
        check("pub use crate::base::text::Language;", &["base"]);
        check("fn f() -> crate::agent::X { crate::llm::g() }", &["agent", "llm"]);
        check("use crate::{base::{A, B}, store::{self, c::D},\n cli};", &["base", "store", "cli"]);
        check("// use crate::cli::X;\n/* crate::app */", &[]);
        check("let s = \"crate::cli\"; let r = r#\"crate::\"app\"#; crate::net::f();", &["net"]);
        check("let quote = '\"'; crate::net::f(); let other = '\\\"'; crate::llm::g();", &["net", "llm"]);
        check("\"a \\\" b\"; crate::net::f();", &["net"]);
        check("other_crate::cli::X; mycrate::cli", &[]);
    }

    #[test]
    fn finds_crates() {
        fn check(text: &str, expected: bool) {
            assert_eq!(names_crate(&code_of(text), "reqwest"), expected, "{text}");
        }
        check("use reqwest::Client;", true);
        check("use reqwest;", true);
        check("fn f(c: reqwest::Client) {}", true);
        check("// reqwest::Client", false);
        check("let reqwest = 1;", false);
        check("my_reqwest::f()", false);
    }

    #[test]
    fn judges_them() {
        fn check(from: &str, to: &str, allowed: bool) {
            assert_eq!(fault(from, to).is_none(), allowed, "{from} -> {to}");
        }
        check("ingest", "store", true);
        check("store", "embed", false);
        check("ingest", "retrieval", false);
        check("store", "ingest", false);
        check("domain", "base", true);
        check("base", "domain", false);
        check("agent", "config", false);
        check("app", "config", true);
        check("cli", "config", true);
        check("config", "base", true);
        // A name that is not a top-level module is one that `lib.rs` exports.
        check("agent", "Something", true);
    }
}
