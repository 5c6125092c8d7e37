//! Source code: the text is the source; definitions at the outermost level and within a class are breaks.

mod families;

use std::path::Path;

use self::families::{FAMILIES, Family, KeywordlessFunctions};
use super::{ParseError, Parsed, lines};

/// The number of classes within each other that are looked into.
const DEEPEST: usize = 8;

/// Parses a source file, whose text is kept as it is. A language that the table does not know has no breaks.
pub(super) fn parse(path: &Path, text: String) -> Result<Parsed, ParseError> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase();
    let family = FAMILIES.iter().find(|family| family.extensions.contains(&extension.as_str()));
    let breaks = family.map(|family| definitions(family, &text)).unwrap_or_default();
    Ok(Parsed { text, breaks, ..Parsed::default() })
}

/// A class or a similar definition that is open.
struct Container {
    /// The indentation of its first line.
    indentation: usize,
    /// The indentation of its members, given by the first line below it.
    members: Option<usize>,
}

/// The starts of definitions, each with the comments and attributes right above it: at the outermost level, and at the
/// level of the members within classes and the like.
fn definitions(family: &Family, text: &str) -> Vec<usize> {
    let mut breaks = Vec::new();
    let mut open: Vec<Container> = Vec::new();
    // Where an unbroken run of comments and attributes began that may belong to a definition below it.
    let mut preface = None;
    for (start, line) in lines(text) {
        let words = line.trim_start_matches([' ', '\t']);
        if words.is_empty() {
            preface = None;
            continue;
        }
        let indentation = line.len() - words.len();
        let is_preface = family.prefaces.iter().any(|prefix| words.starts_with(prefix) || line.starts_with(prefix));
        // An opening brace on its own line, or a label such as `private:`, may stand as far out as its class without
        // ending it.
        let is_outside = words.chars().next().is_some_and(|first| first.is_alphanumeric() || "_@}(".contains(first));
        if is_outside && !is_preface && !words.ends_with(':') {
            while open.pop_if(|container| indentation <= container.indentation).is_some() {}
        }
        let is_level = match open.last_mut() {
            None => indentation == 0,
            Some(container) if indentation > container.indentation => {
                *container.members.get_or_insert(indentation) == indentation
            }
            Some(_) => false,
        };
        let definition = (is_level && !is_preface).then(|| definition(family, words, !open.is_empty())).flatten();
        if let Some(has_members) = definition {
            breaks.push(preface.take().unwrap_or(start));
            if has_members && open.len() < DEEPEST {
                open.push(Container { indentation, members: None });
            }
        } else if is_level && is_preface {
            preface.get_or_insert(start);
        } else {
            preface = None;
        }
    }
    breaks
}

/// Returns `None` unless the line, without its indentation, begins a definition; otherwise whether that has members.
fn definition(family: &Family, line: &str, is_member: bool) -> Option<bool> {
    let mut rest = line;
    // Keywords come first: `const` is a modifier of `const fn` and a keyword of its own.
    while let Some(word) = first_word(rest) {
        if let Some(keyword) = family.keywords.iter().find(|keyword| keyword.eq_ignore_ascii_case(word)) {
            return Some(family.containers.contains(keyword));
        }
        if !family.modifiers.iter().any(|modifier| modifier.eq_ignore_ascii_case(word)) {
            break;
        }
        rest = after_modifier(&rest[word.len()..]);
    }
    let is_marked = !is_member && !line.starts_with('}') && family.marks.iter().any(|mark| line.contains(mark));
    let is_bare = match family.bare {
        KeywordlessFunctions::None => false,
        KeywordlessFunctions::Members => is_member && is_bare_function(line),
        KeywordlessFunctions::Everywhere => is_bare_function(line),
    };
    (is_marked || is_bare).then_some(false)
}

/// The word a line starts with; `@interface`, `-module` and `(defn` count as words.
fn first_word(text: &str) -> Option<&str> {
    let lead = text.chars().next().filter(|char| matches!(char, '@' | '-' | '(')).map_or(0, char::len_utf8);
    let length = text[lead..].find(|char: char| !(char.is_alphanumeric() || char == '_')).unwrap_or(text.len() - lead);
    (length > 0).then(|| &text[..lead + length])
}

/// Skips the argument of a modifier, as in `pub(crate)` and `extern "C"`.
fn after_modifier(rest: &str) -> &str {
    let rest = rest.strip_prefix('(').and_then(|inner| inner.split_once(')')).map_or(rest, |(_, after)| after);
    let rest = rest.trim_start();
    rest.strip_prefix('"').and_then(|inner| inner.split_once('"')).map_or(rest, |(_, after)| after.trim_start())
}

/// Whether a line is like `int main(void)`, `Foo::bar() const {` or `deploy() {`: a name and a parenthesis, and neither
/// a call nor a declaration that ends on the same line.
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
    use crate::documents::parse::detect::by_name;
    use crate::domain::Format;

    /// `¦` marks the expected breaks.
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
    fn every_language_is_told_by_its_endings() {
        for extension in FAMILIES.iter().flat_map(|family| family.extensions) {
            assert_eq!(by_name(Path::new(&format!("a.{extension}"))), Some(Format::Code), "{extension}");
        }
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
    fn members_of_a_class_are_borders() {
        check(
            "a.py",
            "¦class A:\n    x = 1\n\n¦    @property\n    def f(self):\n        def g(): pass\n        return 1\n\n¦    async def h(self): pass\n\nrun()\n    # no member\n¦def k(): pass\n",
        );
        check(
            "A.java",
            "package a;\n¦/** Doc. */\npublic class A {\n    private int x = f(1);\n\n¦    @Override\n    public int f(int y) {\n        g(y);\n        if (y > 1) {\n        }\n    }\n¦    static class B {\n¦        B() {\n        }\n    }\n¦    void z() {\n    }\n}\n",
        );
        check(
            "a.ts",
            "¦export class A {\n¦  constructor(private x: X) {\n  }\n¦  async load(): Promise<void> {\n    if (x) {\n    }\n  }\n}\nA.load()\n",
        );
        check(
            "a.cpp",
            "¦class A\n{\npublic:\n¦    int f() const {\n        return g();\n    }\n    int h();\n};\n¦int A::h() {\n}\n",
        );
        check("a.rs", "¦impl A {\n    // loose\n\n¦    /// Doc.\n    fn f() {\n        let g = 1;\n    }\n}\n");
        check("a.rb", "¦module M\n¦  class A\n¦    def f\n      1\n    end\n  end\nend\n");
    }

    #[test]
    fn some_languages_have_no_keyword_for_functions() {
        check("a.r", "x <- 1\n¦f <- function(a) {\n  a\n}\n");
        check("a.hs", "¦module A where\n\n¦f :: Int -> Int\nf x = x\n");
        check("a.erl", "¦-module(a).\n\n¦f(X) ->\n    X.\n");
        check("a.css", "¦h1, h2 {\n  color: red;\n}\n¦@media print {\n  p { x: y }\n}\n");
        check("a.ps1", "¦# Doc.\nFunction Get-It {\n}\n");
        check("a.f90", "¦program tides\nend program\n¦PURE FUNCTION f(x)\nend function\n");
        check("a.el", "¦(defvar a 1)\n¦(defun f () 1)\n(f)\n");
    }

    #[test]
    fn borders_survive_carriage_returns_and_other_scripts() {
        check("a.go", "package é\r\n\r\n¦func 日本() {}\r\n");
        check("unknown.zzz", "fn f() {}\n");
        check("Makefile", "all:\n\techo\n");
    }
}
