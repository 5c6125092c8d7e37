//! Source code: the source is the text; a break stands where a top-level definition begins.

use std::path::Path;

use super::Parsed;

/// How the languages of a family mark what stands at the top level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Braces; comments begin with a slash or a star.
    Brace,
    /// Indentation.
    Indent,
    /// Comments begin with `#`; blocks by keyword or not at all.
    Hash,
    /// Comments begin with `--` or `;`.
    Dash,
}

impl Family {
    /// The family of a file name's extension, in lower case.
    pub(super) fn of_extension(extension: &str) -> Option<Family> {
        Some(match extension {
            "rs" | "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh" | "java" | "kt" | "kts" | "scala" | "go" | "js"
            | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "tsx" | "cs" | "swift" | "php" | "dart" | "zig" | "m" | "mm"
            | "groovy" | "proto" | "css" | "scss" | "less" | "sol" | "v" | "sv" | "cu" | "vue" | "svelte" => {
                Family::Brace
            }
            "py" | "pyi" | "pyx" | "nim" | "gd" => Family::Indent,
            "rb" | "sh" | "bash" | "zsh" | "fish" | "pl" | "pm" | "r" | "jl" | "ex" | "exs" | "toml" | "yaml"
            | "yml" | "ini" | "cfg" | "conf" | "tf" | "nix" | "mk" | "cmake" | "ps1" | "tcl" => Family::Hash,
            "sql" | "lua" | "hs" | "elm" | "ada" | "adb" | "ads" | "vhd" | "vhdl" | "lisp" | "el" | "clj" | "cljs"
            | "scm" | "rkt" | "ml" | "mli" | "erl" | "asm" | "s" | "f90" | "xml" | "svg" | "xsl" => Family::Dash,
            _ => return None,
        })
    }

    /// Whether a line at the margin says something about the definition beneath it.
    fn is_preamble(self, line: &str) -> bool {
        match self {
            Family::Brace => line.starts_with(['/', '*', '@', '#', '[']),
            Family::Indent | Family::Hash => line.starts_with(['#', '@']),
            Family::Dash => line.starts_with("--") || line.starts_with([';', '%']),
        }
    }
}

/// Takes the source as it is; its title is the file's name.
pub(super) fn parse(path: &Path, text: String, family: Family) -> Parsed {
    let title = path.file_name().map(|name| name.to_string_lossy().into_owned());
    Parsed { title, breaks: breaks(&text, family), text, ..Parsed::default() }
}

/// Starts of the definitions: a line at the margin that begins with a word, after a blank line, a closing line or an
/// indented one; with the comments and attributes right above it.
fn breaks(text: &str, family: Family) -> Vec<usize> {
    let mut breaks = Vec::new();
    let mut start = 0;
    // Where the comments and attributes above the present line begin.
    let mut preamble: Option<usize> = None;
    let mut after_gap = true;
    for line in text.split_inclusive('\n') {
        let body = line.trim_end();
        if body.is_empty() {
            after_gap = true;
            preamble = None;
        } else if body.starts_with([' ', '\t']) {
            after_gap = true;
            // The inside of a block comment is part of the preamble.
            if !body.trim_start().starts_with('*') {
                preamble = None;
            }
        } else if family.is_preamble(body) {
            preamble.get_or_insert(start);
        } else if body.starts_with(|first: char| first.is_alphabetic() || first == '_' || first == '(' || first == '<')
        {
            let labelled = body.starts_with("end") || body.starts_with("else") || body.starts_with("except");
            if (after_gap || preamble.is_some()) && !labelled {
                breaks.push(preamble.unwrap_or(start));
            }
            preamble = None;
            after_gap = false;
        } else {
            // A closing brace: the next word at the margin begins something new.
            after_gap = true;
            preamble = None;
        }
        start += line.len();
    }
    breaks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, family: Family, expected: &[&str]) {
        let found: Vec<&str> =
            breaks(text, family).iter().map(|&at| text[at..].lines().next().unwrap_or_default()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn definitions_begin_with_their_comments() {
        check(
            "use a;\nuse b;\n\n/// Doc.\n#[test]\nfn one() {\n    let x = 1;\n\n    x\n}\nfn two() {}\n",
            Family::Brace,
            &["use a;", "/// Doc.", "fn two() {}"],
        );
        check(
            "import a\n\n@wraps\ndef f():\n    return 1\nclass C:\n    def m(self):\n        pass\n",
            Family::Indent,
            &["import a", "@wraps", "class C:"],
        );
        check("x;\n\n/**\n * Doc\n */\nint main() {\n}\n", Family::Brace, &["x;", "/**"]);
    }

    #[test]
    fn every_family_names_its_file() {
        let parsed = parse(Path::new("/x/main.rs"), "fn main() {}".to_owned(), Family::Brace);
        assert_eq!(parsed.title.as_deref(), Some("main.rs"));
    }
}
