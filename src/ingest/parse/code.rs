//! Source code: the text is the source; definitions at the outermost level are borders.

use std::path::Path;

use super::{ParseError, Parsed, lines};

/// How a family of languages writes a definition at the outermost level, and what may stand above one.
struct Family {
    extensions: &'static [&'static str],
    /// Words that may come before a keyword.
    modifiers: &'static [&'static str],
    /// Words that begin a definition.
    keywords: &'static [&'static str],
    /// How lines start that belong to the definition below them: comments, attributes, decorators.
    prefaces: &'static [&'static str],
    /// Whether a line such as `int main(void)` begins a definition.
    bare_functions: bool,
}

const FAMILIES: &[Family] = &[
    Family {
        extensions: &["rs"],
        modifiers: &["pub", "async", "unsafe", "const", "extern", "default"],
        keywords: &["fn", "struct", "enum", "union", "trait", "impl", "mod", "macro_rules", "type", "const", "static"],
        prefaces: &["//", "#["],
        bare_functions: false,
    },
    Family {
        extensions: &["py", "pyi", "pyx"],
        modifiers: &["async"],
        keywords: &["def", "class", "cdef", "cpdef"],
        prefaces: &["#", "@"],
        bare_functions: false,
    },
    Family {
        extensions: &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"],
        modifiers: &["export", "default", "async", "abstract", "declare"],
        keywords: &["function", "class", "interface", "type", "enum", "namespace", "module", "const", "let", "var"],
        prefaces: &["//", "/*", " *", "@"],
        bare_functions: false,
    },
    Family {
        extensions: &["go"],
        modifiers: &[],
        keywords: &["func", "type", "const", "var"],
        prefaces: &["//"],
        bare_functions: false,
    },
    Family {
        extensions: &["java", "kt", "kts", "scala", "cs", "swift", "dart", "groovy", "gradle", "fs", "fsx"],
        modifiers: &[
            "public",
            "private",
            "protected",
            "internal",
            "fileprivate",
            "open",
            "abstract",
            "final",
            "static",
            "sealed",
            "data",
            "inline",
            "partial",
            "case",
            "override",
            "suspend",
            "async",
            "unsafe",
            "readonly",
            "implicit",
        ],
        keywords: &[
            "class",
            "interface",
            "enum",
            "record",
            "struct",
            "object",
            "trait",
            "namespace",
            "module",
            "protocol",
            "extension",
            "actor",
            "fun",
            "func",
            "def",
            "val",
            "var",
            "let",
            "type",
            "typealias",
            "mixin",
            "given",
        ],
        prefaces: &["//", "/*", " *", "@", "["],
        bare_functions: false,
    },
    Family {
        extensions: &["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "inl", "m", "mm", "cu", "cuh", "glsl", "hlsl"],
        modifiers: &["static", "extern", "inline", "const", "constexpr", "export", "typedef"],
        keywords: &[
            "struct",
            "class",
            "enum",
            "union",
            "namespace",
            "template",
            "typedef",
            "using",
            "@interface",
            "@implementation",
        ],
        prefaces: &["//", "/*", " *", "[["],
        bare_functions: true,
    },
    Family {
        extensions: &["php", "phtml"],
        modifiers: &["abstract", "final", "readonly"],
        keywords: &["function", "class", "interface", "trait", "enum", "namespace", "const"],
        prefaces: &["//", "/*", " *", "#"],
        bare_functions: false,
    },
    Family {
        extensions: &["rb", "rake", "gemspec", "cr"],
        modifiers: &["private", "abstract"],
        keywords: &["def", "class", "module", "struct", "enum", "describe", "task", "namespace"],
        prefaces: &["#"],
        bare_functions: false,
    },
    Family {
        extensions: &["ex", "exs", "erl", "hrl"],
        modifiers: &[],
        keywords: &["defmodule", "defprotocol", "defimpl", "def", "defp", "defmacro", "-module", "-record", "-spec"],
        prefaces: &["#", "@", "%"],
        bare_functions: false,
    },
    Family {
        extensions: &["lua"],
        modifiers: &["local"],
        keywords: &["function"],
        prefaces: &["--"],
        bare_functions: false,
    },
    Family {
        extensions: &["hs", "lhs", "elm", "purs", "ml", "mli"],
        modifiers: &["and"],
        keywords: &["module", "data", "newtype", "type", "class", "instance", "let", "val", "exception"],
        prefaces: &["--", "{-", "(*"],
        bare_functions: false,
    },
    Family {
        extensions: &["sh", "bash", "zsh", "fish", "ksh"],
        modifiers: &[],
        keywords: &["function"],
        prefaces: &["#"],
        bare_functions: true,
    },
    Family {
        extensions: &["sql"],
        modifiers: &[],
        keywords: &["create", "alter", "insert", "update", "delete", "select", "with", "drop"],
        prefaces: &["--", "/*", " *"],
        bare_functions: false,
    },
    Family {
        extensions: &["proto", "thrift", "graphql", "gql"],
        modifiers: &["extend"],
        keywords: &[
            "message",
            "service",
            "enum",
            "struct",
            "union",
            "exception",
            "type",
            "interface",
            "input",
            "scalar",
        ],
        prefaces: &["//", "/*", " *", "#", "\"\"\""],
        bare_functions: false,
    },
    Family {
        extensions: &["jl", "r", "nim", "zig", "pl", "pm", "clj", "cljs", "lisp", "el", "scm"],
        modifiers: &["pub", "export", "inline", "extern"],
        keywords: &[
            "function",
            "struct",
            "module",
            "macro",
            "proc",
            "func",
            "type",
            "fn",
            "const",
            "sub",
            "package",
            "(defn",
            "(defun",
            "(defmacro",
            "(def",
            "(define",
            "(ns",
        ],
        prefaces: &["#", "//", ";"],
        bare_functions: false,
    },
    Family {
        extensions: &["tf", "hcl"],
        modifiers: &[],
        keywords: &["resource", "data", "variable", "output", "module", "provider", "locals", "terraform"],
        prefaces: &["#", "//"],
        bare_functions: false,
    },
];

/// Takes a source file as it is. A language that the table does not know has no borders.
pub(super) fn parse(path: &Path, text: String) -> Result<Parsed, ParseError> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase();
    let family = FAMILIES.iter().find(|family| family.extensions.contains(&extension.as_str()));
    let breaks = family.map(|family| definitions(family, &text)).unwrap_or_default();
    Ok(Parsed { text, breaks, ..Parsed::default() })
}

/// Where definitions start, each with the comments and attributes right above it.
fn definitions(family: &Family, text: &str) -> Vec<usize> {
    let mut breaks = Vec::new();
    // Where an unbroken run of comments and attributes began that may turn out to preface a definition.
    let mut preface = None;
    for (start, line) in lines(text) {
        if begins_definition(family, line) {
            breaks.push(preface.take().unwrap_or(start));
        } else if family.prefaces.iter().any(|prefix| line.starts_with(prefix)) {
            preface.get_or_insert(start);
        } else {
            preface = None;
        }
    }
    breaks
}

fn begins_definition(family: &Family, line: &str) -> bool {
    if line.starts_with(char::is_whitespace) || family.prefaces.iter().any(|prefix| line.starts_with(prefix)) {
        return false;
    }
    let mut rest = line;
    // Keywords come first: `const` is a modifier of `const fn` and a keyword of its own.
    while let Some(word) = first_word(rest) {
        if family.keywords.iter().any(|keyword| keyword.eq_ignore_ascii_case(word)) {
            return true;
        }
        if !family.modifiers.contains(&word) {
            break;
        }
        rest = after_modifier(&rest[word.len()..]);
    }
    family.bare_functions && is_bare_function(line)
}

/// The word a line starts with; `@interface`, `-module` and `(defn` count as words.
fn first_word(text: &str) -> Option<&str> {
    let lead = text.chars().next().filter(|char| matches!(char, '@' | '-' | '(')).map_or(0, char::len_utf8);
    let length = text[lead..].find(|char: char| !(char.is_alphanumeric() || char == '_')).unwrap_or(text.len() - lead);
    (length > 0).then(|| &text[..lead + length])
}

/// Skips what a modifier carries: `pub(crate)`, `extern "C"`.
fn after_modifier(rest: &str) -> &str {
    let rest = rest.strip_prefix('(').and_then(|inner| inner.split_once(')')).map_or(rest, |(_, after)| after);
    let rest = rest.trim_start();
    rest.strip_prefix('"').and_then(|inner| inner.split_once('"')).map_or(rest, |(_, after)| after.trim_start())
}

/// `int main(void)`, `Foo::bar() const {`, `deploy() {`: a name and a parenthesis, and neither a call nor a
/// declaration that ends on the same line.
fn is_bare_function(line: &str) -> bool {
    let line = line.trim_end();
    let starts_with_name = line.starts_with(|char: char| char.is_alphabetic() || char == '_');
    let control = ["if", "for", "while", "switch", "return", "else", "do", "case", "elif"];
    let first = line.split(|char: char| !(char.is_alphanumeric() || char == '_')).next().unwrap_or_default();
    let Some(open) = line.find('(') else { return false };
    starts_with_name
        && !control.contains(&first)
        && !line.ends_with(';')
        && !line[..open].contains('=')
        && (line.ends_with('{') || line.ends_with(')') || line.ends_with(','))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `¦` marks the breaks that are expected.
    fn check(name: &str, marked: &str) {
        let source = marked.replace('¦', "");
        let expected: Vec<usize> =
            marked.match_indices('¦').enumerate().map(|(count, (at, mark))| at - count * mark.len()).collect();
        let parsed = parse(Path::new(name), source.clone()).unwrap();
        assert_eq!(parsed.text, source);
        assert_eq!(parsed.title, None);
        let found: Vec<&str> = parsed.breaks.iter().map(|&at| &source[at..]).collect();
        let wanted: Vec<&str> = expected.iter().map(|&at| &source[at..]).collect();
        assert_eq!(found, wanted, "{name}");
    }

    #[test]
    fn rust() {
        check(
            "a.rs",
            "use x;\n\n¦/// Doc.\n#[test]\npub(crate) async fn f() {\n    fn inner() {}\n}\n\n¦impl X {}\n¦const A: u8 = 1;\n// loose\n\nfnord!();\n¦pub extern \"C\" fn g() {}\n",
        );
    }

    #[test]
    fn python() {
        check("a.py", "import x\n\n¦@cached\ndef f():\n    def g(): pass\n\n¦class A:\n    x = 1\ndefault = 3\n");
    }

    #[test]
    fn c_functions_have_no_keyword() {
        check(
            "a.c",
            "#include <x.h>\nint f(void);\n\n¦/* Adds. */\nstatic int add(int a,\n               int b)\n{\n    return a + b;\n}\n\n¦struct point { int x; };\nint x = g(1);\n¦int main(int c, char **v) {\n}\n",
        );
    }

    #[test]
    fn typescript_and_sql_and_lisp() {
        check("a.ts", "import y from 'y'\n¦export default class A {}\n¦export const f = () => 1\nf()\n");
        check("a.sql", "¦CREATE TABLE t (a int);\n¦select 1;\n");
        check("a.clj", "¦(ns a)\n¦(defn f [x] x)\n(f 1)\n");
    }

    #[test]
    fn borders_survive_carriage_returns_and_other_scripts() {
        check("a.go", "package é\r\n\r\n¦func 日本() {}\r\n");
        check("unknown.zzz", "fn f() {}\n");
        check("Makefile", "all:\n\techo\n");
    }
}
