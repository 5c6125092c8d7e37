//! Pages as text: blocks, lists, tables, code, and parts that are left out; their headings, titles and dates.

use super::*;
use crate::domain::DateOrigin;

fn check(page: &str, expected: &str) {
    assert_eq!(parse(page).unwrap().text, expected, "{page}");
}

fn check_headings(page: &str, expected: &[(u8, &str)]) {
    let parsed = parse(page).unwrap();
    let found: Vec<_> = parsed.headings.iter().map(|heading| (heading.level, heading.text.as_str())).collect();
    assert_eq!(found, expected, "{page}");
    for heading in &parsed.headings {
        let line = parsed.text[heading.start..].lines().next().unwrap();
        assert!(line.contains(&heading.text), "{heading:?} is not at {line:?}");
    }
}

fn check_title(page: &str, expected: Option<&str>) {
    assert_eq!(parse(page).unwrap().title.as_deref(), expected, "{page}");
}

fn check_date(page: &str, expected: Option<&str>) {
    let date = parse(page).unwrap().date;
    assert_eq!(date.map(|date| date.date.to_string()).as_deref(), expected, "{page}");
    assert!(date.is_none_or(|date| date.origin == DateOrigin::Metadata));
}

#[test]
fn blocks_stand_apart_and_inline_words_run_on() {
    check("<p>One\n  <b>bold</b>word.</p><p>Two</p>", "One boldword.\n\nTwo");
    check("<div><div></div>a<br>b<div>c</div></div>", "a\nb\n\nc");
    check("a&nbsp;&amp;&eacute;&#x65e5; <a href=x>link</a>", "a &é日 link");
    check("<p>soft\u{ad}hyphen", "softhyphen");
    check("<p>see <img src=x alt='a chart'>here", "see a chart here");
    check("<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>です", "漢字です");
}

#[test]
fn marks_of_notes_are_no_part_of_the_word_before() {
    check("<p>It made 3,412 clocks.<a epub:type=noteref href=#n>1</a>", "It made 3,412 clocks.[^1]");
    check("<p>Clocks<a role=doc-noteref href=#n><sup>*</sup></a> ran", "Clocks[^*] ran");
    check("<p>Lime<a class='footnote-reference brackets' href=#n>[1]</a>", "Lime[1]");
}

#[test]
fn answers_that_a_click_opens_are_read() {
    check("<p>a<p hidden>b<div style='display: none'><p>c</div>", "a\n\nc");
}

#[test]
fn lists() {
    check("x<ul><li>a<li>b<ul><li>c</ul><li></ul>y", "x\n\n- a\n- b\n  - c\n\ny");
    check("<ol><li><p>a</p><p>b</p></li></ol>", "- a\n\nb");
}

#[test]
fn terms_stand_before_what_explains_them() {
    check(
        "<dl><dt>-m<dt><code>--move</code><dd><p>Rename it.</p><p>More.</p><dt>Manager</dt><dd>H. Yamada</dd></dl>z",
        "-m, --move:\n\nRename it.\n\nMore.\n\nManager:\nH. Yamada\n\nz",
    );
    check("<dl><dt>Why?<dd>So.<dt><dd>Nothing<dt>last</dl>", "Why?\nSo.\nNothing\nlast");
}

#[test]
fn tables() {
    check(
        "<table><caption>T</caption><tr><th>a<th>b</tr><tr><td><p>1</p><p>2</p><td>3<br>4</tr></table>z",
        "T\n\na | b\n--- | ---\n1 2 | 3 4\n\nz",
    );
    check("<table><tr><td>a<td><td>c<tr><td><td>e<td></table>", "a |  | c\n| e");
    check("<table><tr><td><ul><li>x<li>y</ul><td>z</table>", "x y | z");
}

#[test]
fn a_cell_stands_in_every_row_and_column_that_it_reaches() {
    check("<table><tr><td rowspan=2>a<td>b<td>c<tr><td>d<td>e<tr><td>f</table>", "a | b | c\na | d | e\nf");
    check("<table><tr><td>a<td>b<td rowspan=3>c<tr><td>d<td>e<tr><td>f</table>", "a | b | c\nd | e | c\nf |  | c");
    check("<table><tr><td>a<td colspan=2>b<td>c<tr><td colspan=2>Total<td>d</table>", "a | b | b | c\nTotal |  | d");
    check("<table><tr><td rowspan=2 colspan=2>a<td>b<tr><td>c</table>", "a |  | b\na |  | c");
    check("<table><tr><td>a<td>b<td rowspan=3>c<tr><td>d<tr><td>e<td>f</table>", "a | b | c\nd |  | c\ne | f | c");
    check(
        "<h2><table><tr><th></th><th colspan=2>A</th></tr><tr><th>日本</th><th>B</th><th>C</th></tr></table></h2>",
        "| A | A\n日本 | B | C",
    );
    check("<table><tr><td rowspan=9>a<tr></tr><tr><td>b</table>c", "a\na | b\n\nc");
    // A span does not write cells without end.
    let long = format!("<table><tr><td rowspan=9999>{}<td>b{}", "a".repeat(150), "<tr><td>c".repeat(9999));
    assert!(parse(&long).unwrap().text.len() < 2 * long.len());
    let many = format!("<table>{}", "<tr><td colspan=1000>a<td>b".repeat(999));
    assert!(parse(&many).unwrap().text.len() < 10 * many.len());
}

#[test]
fn rows_of_names_are_one_where_a_name_reaches_over_others() {
    check(
        "<table><caption>T</caption><tr><th rowspan=2>Site<th colspan=2>Gas<th>Area<tr><th>2023<th>2024<th>(m)\
         <tr><td>York<td>1<td>2<td>3</table>",
        "T\n\nSite | Gas 2023 | Gas 2024 | Area (m)\nYork | 1 | 2 | 3",
    );
    check("<table><tr><th>a<th>b<tr><th>c<th>d<tr><td>e<td>f</table>", "a | b\n--- | ---\nc | d\ne | f");
    check("<table><tr><td>a<td>b<tr><td>e<td>f</table>", "a | b\ne | f");
    check("<table><tr><th>a<td>b<tr><th>e<td>f</table>", "a | b\ne | f");
    check("<table><tr><th colspan=2>All<tr><th>a<th>b<tr><td>e<td>f</table>", "All\na | b\ne | f");
    check_headings(
        "<table><tr><th colspan=2><h2>A</h2><th>b<tr><th>c<th>d<th>e<tr><td>f<td>g<td>h</table>",
        &[(2, "A")],
    );
}

#[test]
fn what_is_raised_is_no_part_of_the_figure_before_it() {
    check("10<sup>5</sup> m<sup>2</sup>, the 1<sup>st</sup> of them<sup>[3]</sup>", "10^5 m^2, the 1st of them[3]");
    check("<table><tr><td>Museum<sup>b</sup><td>27.8<sup> 1 </sup></table>", "Museum^b | 27.8^1");
    check("x<sup>n</sup>", "xn");
}

#[test]
fn tables_that_place_things_are_no_tables() {
    check("<table><tr><td><table><tr><td>a<td>b</table><td>c</table>", "a | b\n\nc");
    check("<table><tr><td><h1>A</h1><p>b<td>c</table>", "A\n\nb\n\nc");
    check("<table role=presentation><tr><td>a<td>b</table>", "a\n\nb");
}

#[test]
fn preformatted_text_is_kept() {
    check("a<pre>\n  x\n\n    y\n</pre>b", "a\n\n  x\n\n    y\n\nb");
    check("<pre>a<br>b</pre>", "a\nb");
}

#[test]
fn code_stands_between_fences() {
    let code = |words: &str| format!("a\n\n```text\n{words}\n```\n\nb");
    let check = |page: &str, words: &str| check(page, &code(words));
    check("a<pre><code>\nfn f() {\n    g();\n}\n</code></pre>b", "fn f() {\n    g();\n}");
    check("<p>a<pre class='programlisting'>  x\n\ny</pre>b", "  x\n\ny");
    check("a<div class='highlight-sh'><pre><span>x</span> y</pre></div>b", "x y");
    check("a<pre><code><span class='boring'>use z;\n</span>x</code></pre><pre class='code'> </pre>b", "x");
    self::check("<ul><li><pre><code>x</code></pre><p>y</ul>", "```text\nx\n```\n\ny");
    self::check("<table><tr><td>a<td><pre><code>x\ny</code></pre></table>", "a | x y");
}

#[test]
fn furniture_is_left_out() {
    check(
        "<head><title>T</title><style>s</style></head><body><nav>n</nav><header>h</header><p>words</p>\
         <script>s</script><noscript>n</noscript><template>t</template><aside>a</aside><form>f</form>\
         <div hidden>x</div><div role=navigation>r</div><footer>f</footer>",
        "h\n\nwords",
    );
    check("<nav><ul><li>only<li>links</ul></nav>", "- only\n- links");
    check("<div class='navheader'>Prev</div><p>words</p><ul class='toc breadcrumb'><li>up</ul>", "words");
    check("<form><p>A page in a form.</p><nav>n</nav></form>", "A page in a form.");
}

#[test]
fn the_main_part_is_preferred_when_it_holds_most() {
    check("<div>menu</div><main><h1>A</h1><p>long words here</p></main>", "A\n\nlong words here");
    check("<div>words of the page</div><article>ad</article>", "words of the page\n\nad");
    check("<article>first one</article><article>second two</article>", "first one\n\nsecond two");
    check("<article>the words of the article</article><article>ad</article>", "the words of the article");
    check("<main><article>inner words</article><p>more</p></main>", "inner words\n\nmore");
}

#[test]
fn headings_are_found_where_they_stand() {
    check_headings(
        "<h1>One <i>two</i></h1><p>x</p><h3>\n Three<a class=headerlink>¶</a></h3>y",
        &[(1, "One two"), (3, "Three")],
    );
    check_headings("<ul><li><h2>In a list</h2></ul>", &[(2, "In a list")]);
    check_headings("<p>x</p><h2></h2><h2><img alt='a picture'></h2>y", &[(2, "a picture")]);
    check_headings("<nav><h2>no</h2></nav><p>x", &[]);
    check_headings("<h1>日本語<br>見出し</h1>x", &[(1, "日本語 見出し")]);
}

#[test]
fn titles() {
    check_title("<title> A\n b </title><h1>C</h1>", Some("A b"));
    check_title("<h2>B</h2><h1>C</h1>", Some("C"));
    check_title("<meta property=og:title content=O><p>x", Some("O"));
    check_title("<p>x<svg><title>drawing</title></svg>", None);
}

#[test]
fn dates() {
    check_date("<meta property=article:published_time content=2022-10-03T10:00:00Z>x", Some("2022-10-03"));
    check_date(
        "<meta name=last-modified content=2023-01-01><meta name=DC.Date content='3 October 2022'>x",
        Some("2022-10-03"),
    );
    check_date("<p>x <time datetime=2022-10-03>then</time> <time datetime=2021-01-01>", Some("2022-10-03"));
    check_date("<meta name=date content=soon><time>2022</time>x", None);
    let beside = "<b></b>".repeat(200);
    check_date(&format!("<p>{beside}<time datetime=2022-10-03>then</time>{beside}"), Some("2022-10-03"));
}

#[test]
fn pages_without_words_are_empty() {
    for page in ["<html></html>", "<script>x</script>", "<p>&nbsp;<p hidden>x"] {
        assert!(matches!(parse(page), Err(ParseError::Empty { .. })), "{page}");
    }
}

#[test]
fn depth_is_no_danger() {
    let deep = format!("{}x{}", "<div>".repeat(100_000), "</div>".repeat(100_000));
    check(&deep, "x");
    check(&format!("{}x", "<ul><li>".repeat(50_000)), &format!("{}- x", "  ".repeat(8)));
    check(&format!("{}x", "<table><tr><td>".repeat(50_000)), "x");
    check(&format!("{}x", "<b><i>".repeat(50_000)), "x");
}
