//! Tests that a file can be read with the files below it. Files that need each other in a circle have to be read all at
//! once; two may be that closely tied, but not more.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::floors::{code_of, identifier, sources};

/// The path of a module, such as `store`, `qdrant`, `state`.
type Module = Vec<String>;

/// The most files that may need each other.
const MOST: usize = 2;

/// The module of a file below `src`; a folder and its `mod.rs` count as one.
fn module_of(path: &Path) -> Module {
    let mut parts: Module = path.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
        parts.pop();
    }
    parts
}

/// The modules that the code of a module names, as paths from the crate's root.
fn named(code: &str, module: &Module) -> Vec<Module> {
    let mut found = Vec::new();
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            // Skip matches in the middle of a path or a word.
            if !code[..at].ends_with(|before: char| before.is_alphanumeric() || matches!(before, '_' | ':' | '$')) {
                named_in(&code[at..], &mut Vec::new(), &mut found);
            }
        }
    }
    found.into_iter().map(|path| from_root(&path, module)).collect()
}

/// Adds the paths of a tree such as `a::{b, c::d}`, and returns the rest of the code.
fn named_in<'c>(code: &'c str, above: &mut Module, found: &mut Vec<Module>) -> &'c str {
    let depth = above.len();
    let mut rest = code.trim_start();
    loop {
        if let Some(group) = rest.strip_prefix('{') {
            rest = group.trim_start();
            while !rest.is_empty() && !rest.starts_with('}') {
                let before = rest.len();
                rest = named_in(rest, above, found).trim_start();
                // Skip the rest of `a as b`, or code that is not a path.
                let skipped = rest.find([',', '}']).unwrap_or(rest.len());
                rest = rest[skipped..].trim_start_matches(',').trim_start();
                if rest.len() == before {
                    break;
                }
            }
            above.truncate(depth);
            return rest.strip_prefix('}').unwrap_or(rest);
        }
        let Some(name) = identifier(rest) else { break };
        rest = &rest[name.len()..];
        above.push(name);
        match rest.trim_start().strip_prefix("::") {
            Some(more) => rest = more.trim_start(),
            None => break,
        }
    }
    found.push(above.clone());
    above.truncate(depth);
    rest
}

fn from_root(path: &[String], module: &Module) -> Module {
    let mut base = if path[0] == "crate" { Vec::new() } else { module.clone() };
    for part in path {
        match part.as_str() {
            "crate" | "self" => {}
            "super" => {
                base.pop();
            }
            _ => base.push(part.clone()),
        }
    }
    base
}

/// For each module, the modules that it names. A module and those below it are not told apart; tests may name any
/// module.
fn imports(files: &[(Module, String)]) -> BTreeMap<&Module, BTreeSet<&Module>> {
    let by_path: BTreeMap<&Module, &String> = files.iter().map(|(module, code)| (module, code)).collect();
    let mut all = BTreeMap::new();
    for (module, code) in &by_path {
        let mut imported = BTreeSet::new();
        for mut path in named(code, module) {
            while !path.is_empty() && !by_path.contains_key(&path) {
                path.pop();
            }
            if let Some((other, _)) = by_path.get_key_value(&path)
                && !module.starts_with(other)
                && !other.starts_with(module)
            {
                imported.insert(*other);
            }
        }
        all.insert(*module, imported);
    }
    all
}

/// Groups of modules in which each needs all others, directly or indirectly.
fn circles<'m>(imports: &BTreeMap<&'m Module, BTreeSet<&'m Module>>) -> Vec<BTreeSet<&'m Module>> {
    let reached = |from: &'m Module| {
        let mut reached = BTreeSet::new();
        let mut left = vec![from];
        while let Some(one) = left.pop() {
            left.extend(imports[one].iter().filter(|other| reached.insert(**other)));
        }
        reached
    };
    let reached: BTreeMap<&Module, BTreeSet<&Module>> =
        imports.keys().map(|module| (*module, reached(module))).collect();
    let circle = |module: &&'m Module| {
        let back = reached[module].iter().filter(|other| reached[**other].contains(module));
        back.copied().collect::<BTreeSet<&Module>>()
    };
    let all: BTreeSet<BTreeSet<&Module>> = imports.keys().map(circle).collect();
    all.into_iter().filter(|circle| circle.len() > 1).collect()
}

fn told(circle: &BTreeSet<&Module>) -> String {
    circle.iter().map(|module| module.join("::")).collect::<Vec<_>>().join(", ")
}

#[test]
fn no_three_files_need_each_other() {
    let files: Vec<(Module, String)> = sources()
        .into_iter()
        .map(|source| (module_of(&source.path), source.text))
        .filter(|(module, _)| !module.is_empty() && !module.iter().any(|part| part.contains("test")))
        .map(|(module, text)| {
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            (module, code_of(code))
        })
        .collect();
    let imports = imports(&files);
    let large: Vec<String> = circles(&imports).iter().filter(|circle| circle.len() > MOST).map(told).collect();
    assert!(large.is_empty(), "move what they share to a file below them:\n{}", large.join("\n"));
}

#[test]
fn the_scan_finds_circles() {
    let check = |files: &[(&str, &str)], expected: &[&str]| {
        let files: Vec<(Module, String)> =
            files.iter().map(|(path, code)| (path.split("::").map(str::to_owned).collect(), code_of(code))).collect();
        let found: Vec<String> = circles(&imports(&files)).iter().map(told).collect();
        assert_eq!(found, expected, "{files:?}");
    };
    check(&[("a", "use crate::b::X;"), ("b", "use super::c;"), ("c", "fn f() { crate::a::g() }")], &["a, b, c"]);
    check(&[("a", "use crate::b::X;"), ("b", "use super::c;"), ("c", "// crate::a::g()")], &[]);
    check(&[("a::x", "use super::{y::{Z as W, V}, w};"), ("a::y", ""), ("a::w", "use super::x::*;")], &["a::w, a::x"]);
    check(&[("a", "mod x; pub use self::x::X;"), ("a::x", "use super::Y;")], &[]);
    check(&[("a::x", "super::super::b::f::<u8>();"), ("b", "use crate::{c, a::x as y};"), ("c", "")], &["a::x, b"]);
}
