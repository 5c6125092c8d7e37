//! Templates of all kinds, right and wrong, on an ordinary and on a hostile report.

use super::*;
use crate::form::parse_report;

const REPORT: &str = "# The *show*\n\nIt began in 1989 [1]. **It goes on** [1][2].\n\n## Money\n\n\
    - **527** against **536**:\n  - *A*: it made 527 [1].\n  - *B*: it made 536 [2].\n\n\
    1. One <b> & two\n   - nested [2]\n\nA claim of 1990 [citation needed].\n\n\
    | a | b |\n|---|---|\n| x | y [1] |\n\n> Said.\n\n```\n{{ code }}\n```\n\n\
    ## Sources\n\n1. **T {{ 1 + 1 }} <i>**, `a.md`, p. 3, 2001-02-03: “It began in 1989.”\n2. **U**, <https://a.example/x>: “q”\n";

fn rendered(template: &str, markup: Markup, report: &str) -> Result<String, String> {
    let report = parse_report(report).unwrap();
    let template = Template::of("letter", template.to_owned(), markup).map_err(|error| error.to_string())?;
    template.render(&report).map_err(|error| error.to_string())
}

#[test]
fn a_template_is_told_what_the_report_knows() {
    let check = |template: &str, expected: &str| {
        assert_eq!(rendered(template, Markup::Plain, REPORT).unwrap().trim_end(), expected, "{template}");
    };
    check("{{ title }}|{{ language }}|{{ right_to_left }}|{{ date }}", "The show|en|False|");
    check("{% for one in sections %}{{ one.level }}{{ one.heading }};{% endfor %}", "0;2Money;");
    check(
        "{% for one in sections[0].sentences %}{{ one.text }} {{ one.cites }} {{ one.documents }};{% endfor %}",
        "It began in 1989. [1] 1;It goes on. [1, 2] 2;",
    );
    check("{% for one in sections[1].sentences if one.uncited %}{{ one.text }}{% endfor %}", "A claim of 1990.");
    check("{% for one in sources %}{{ one.number }} {{ one.title }} {{ one.page }} {{ one.date }};{% endfor %}", {
        "1 T {{ 1 + 1 }} <i> 3 2001-02-03;2 U  ;"
    });
    check("{{ sources[1].address }}", "https://a.example/x#:~:text=q");
    check(
        "{% for one in disagreements %}{{ one.on }}{% for side in one.sides %} {{ side.figure }} {{ side.date }}{% endfor %}{% endfor %}",
        "527 against 536: 527 2001-02-03 536",
    );
    check("{% if coverage %}x{% endif %}{{ research.rounds|length }}", "0");
}

#[test]
fn a_section_is_written_in_the_markup_of_the_file() {
    let html = rendered("{% for one in sections %}{{ one.body }}{% endfor %}", Markup::Html, REPORT).unwrap();
    let expected = "<p>It began in 1989 <a class=\"cite\" href=\"#source-1\">[1]</a>. <strong>It goes on</strong> \
        <a class=\"cite\" href=\"#source-1\">[1]</a><a class=\"cite\" href=\"#source-2\">[2]</a>.</p>";
    assert!(html.starts_with(expected), "{html}");
    for part in [
        "<ul><li><strong>527</strong> against <strong>536</strong>:<ul><li><em>A</em>: it made 527",
        "<ol start=\"1\"><li>One &lt;b&gt; &amp; two<ul><li>nested ",
        "<tr><th>a</th><th>b</th></tr><tr><td>x</td><td>y <a",
        "<blockquote><p>Said.</p></blockquote>",
        "<pre>{{ code }}\n</pre>",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
    // Markdown is read back as the same text.
    let every = "# {{ title }}\n{% for one in sections %}\n{% if one.heading %}## {{ one.heading }}\n\n{% endif %}\
        {{ one.body }}\n{% endfor %}\n## Sources\n\n{% for one in sources %}{{ one.number }}. **{{ one.title }}**, \
        `{{ one.path }}`: “{{ one.quote }}”\n{% endfor %}";
    let markdown = rendered(every, Markup::Markdown, REPORT).unwrap();
    let (again, first) = (parse_report(&markdown).unwrap(), parse_report(REPORT).unwrap());
    assert_eq!(again.blocks, first.blocks, "{markdown}");
    assert_eq!(again.evidence[0].title, first.evidence[0].title);
}

#[test]
fn what_documents_say_stays_words() {
    let hostile = "# T\n\nA\\<script\\>alert(1)\\</script\\> b [1].\n\n## Sources\n\n\
        1. **\\<img src=x onerror=alert(1)\\> \\![p](http://evil.example/p) \\* x**, `a`: “q {{ title }} \u{202e}”\n";
    let all = "{{ sections[0].body }}{{ sections[0].sentences[0].text }}{{ sources[0].title }}{{ sources[0].quote }}";
    let html = rendered(all, Markup::Html, hostile).unwrap();
    assert!(!html.contains("<script") && !html.contains("<img") && !html.contains('\u{202e}'), "{html}");
    assert!(html.contains("&lt;script&gt;") && html.contains("{{ title }}"), "{html}");
    let markdown = rendered(all, Markup::Markdown, hostile).unwrap();
    assert!(!markdown.contains("![") && markdown.contains("\\<img"), "{markdown}");
    // The output of a macro is not escaped a second time.
    let with_macro =
        "{% macro m(x) %}<b>{{ x }}</b>{% endmacro %}{{ m('<') }}{% set y %}<i>{{ '&' }}</i>{% endset %}{{ y }}";
    assert_eq!(rendered(with_macro, Markup::Html, REPORT).unwrap(), "<b>&lt;</b><i>&amp;</i>\n");
    assert_eq!(
        rendered("{% macro m(x) %}*{{ x }}*{% endmacro %}{{ m('_') }}", Markup::Markdown, REPORT).unwrap(),
        "*\\_*\n"
    );
}

#[test]
fn mistakes_are_named_with_file_and_line() {
    let check = |template: &str, expected: &str| {
        assert_eq!(rendered(template, Markup::Html, REPORT).unwrap_err(), expected, "{template}");
    };
    check("a\n{% if title %}", "letter:2: syntax error: unexpected end of input, expected end of block");
    check(
        "a\n\n{{ titel }}",
        &format!("letter:3: there is no variable `titel`; did you mean `title`? There are {}", VARIABLES.join(", ")),
    );
    check(
        "{% for one in sources %}\n{{ one.titel }}{% endfor %}",
        "letter:2: a variable or a field of it has no value: `{{ one.titel }}{% endfor %}`",
    );
    check("{{ title|shout }}", "letter:1: unknown filter: filter shout is unknown");
    check("{% include 'other' %}", "letter:1: syntax error: unknown statement include");
    assert!(rendered("{% for n in range(3) %}{{ n }}{% endfor %}", Markup::Html, REPORT).is_ok());
}
