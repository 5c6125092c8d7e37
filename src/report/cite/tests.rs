//! Citations in reports, whole and streamed in pieces: however a text is cut, the output is the same.

use proptest::prelude::*;

use super::*;
use crate::domain::Headings;
use crate::report::supporting_quote;

fn sources() -> BTreeMap<usize, Source> {
    let text = |text: &str| Source::new(text, "");
    BTreeMap::from([
        (2, text("The show began in 1989. In the town, Homer works at the plant.")),
        (3, text("Its writers said that nobody planned this far.")),
        (7, text("The ratings fell after the year 2000.")),
    ])
}

fn run(text: &str) -> (String, CheckedCitations) {
    let mut checker = CitationChecker::new(sources(), Language::ENGLISH);
    let mut out = checker.push(text);
    let (rest, found) = checker.finish();
    out.push_str(&rest);
    (out, found)
}

fn check(text: &str, expected: &str) {
    assert_eq!(run(text).0, expected);
}

#[test]
fn citations_are_numbered_by_first_appearance() {
    check(
        "It fell in 2000 [7]. It began in 1989 [2]. It fell [7].",
        "It fell in 2000 [1]. It began in 1989 [2]. It fell [1].",
    );
    check("# On 1989 [3]\n\nText [2, 7].\n", "# On 1989 [1]\n\nText [2][3].\n");
    check("a [2][2]【7】 b", "a [1][2] b");
    check(
        "It fell [passage 7]. It rose [[2]](http://x). So【7†source】 it is [3](#3).",
        "It fell [1]. It rose [2]. So[1] it is [3].",
    );
    check("It fell [[9]](http://x), but [7].", "It fell, but [1].");
    check("| 1989 | [7] |\n", "| 1989 | [1] |\n");
}

#[test]
fn citations_without_evidence_are_removed_with_their_space() {
    let (text, found) = run("It fell a lot [9]. It rose [7, 8]. So [1]\n[9] it is.\n");
    assert_eq!(text, "It fell a lot. [citation needed] It rose [1]. So\n it is. [citation needed]\n");
    assert_eq!(found.removed, 4);
    assert_eq!(found.cited.len(), 1);
    // The remaining text must not become a citation that nobody checked.
    let check = |text: &str, expected: &str| {
        assert_eq!(run(text).0.replace(&format!(" {MARK}"), ""), expected);
    };
    check("a [3 [9]] b [[9]7]?", "a [3?] b [?7]?");
    check("# [9] a\n", "#  a\n");
    check("[9] - it grew, [9]", "\\- it grew,");
    check("[9] **it** grew", " **it** grew");
    check("[9][3]: it grew", "[1] : it grew");
    check("`a`[9]`b`", "`a` `b`");
    check("[9]    `a\n[3]`[3]", "`a\n[3]`[1]");
    check("  [9]  It grew [3]", "  It grew [1]");
}

#[test]
fn a_claim_without_a_citation_is_marked() {
    check("It began in 1989. It fell [7].\n", "It began in 1989. [citation needed] It fell [1].\n");
    check("It began in 1989. [2] It fell in 2000.", "It began in 1989. [1] It fell in 2000. [citation needed]");
    check("- in 1989 it began\n- it fell\n", "- in 1989 it began [citation needed]\n- it fell\n");
    check("> It began in 1989.\n", "> It began in 1989. [citation needed]\n");
    check("Homer works there.\n", "Homer works there. [citation needed]\n");
    check("It began in 1989 [9].", "It began in 1989. [citation needed]");
    check("It began in 1989.[2]It fell.[7]", "It began in 1989.[1]It fell.[2]");
    check("In 1989 Mr. Burns came [2]. It fell.", "In 1989 Mr. Burns came [1]. It fell.");
    // Only the last sentence is covered.
    check("It began in 1989. It fell in 2000. [7]", "It began in 1989. [citation needed] It fell in 2000. [1]");
}

#[test]
fn a_sentence_may_go_over_several_lines() {
    check("The show began\nin 1989 [2].\n\nNext.\n", "The show began\nin 1989 [1].\n\nNext.\n");
    check("- The show began\n  in 1989\n- and fell\n", "- The show began\n  in 1989 [citation needed]\n- and fell\n");
    check("The show began in 1989.\n[2]\n", "The show began in 1989.\n[1]\n");
}

#[test]
fn what_is_no_claim_stays_as_it_is() {
    for text in [
        "# The year 1989\n",
        "**The year 1989 in Springfield**\n\n",
        "What came after 1989?\n",
        "In 1989 three things changed:\n\n- it grew\n",
        "| 1989 | Groening |\n|------|---|\n",
        "```\nIn 1989 it began [2].\n```\n",
        "~~~\n``` [2]\n~~~\n",
        "Text `in 1989 [2]` ends",
        "    code in 1989 [2] here\n",
        "No source says what came after 2010.\n",
    ] {
        let (out, found) = run(text);
        let without_mark = out.replace(" [citation needed]", "");
        assert_eq!(without_mark, text);
        assert!(found.cited.is_empty() && found.removed == 0, "{text}");
        assert!(found.marked == 0 || text.starts_with("Text"), "{text}");
    }
}

#[test]
fn a_list_of_sources_by_the_model_is_left_out() {
    check(
        "It fell [7].\n\n## Sources\n\n[7] A book, 1989.\n\n### Web\n\n- x\n\n## Next\n\nEnd.\n",
        "It fell [1].\n\n## Next\n\nEnd.\n",
    );
    check("It fell [7].\n\n[7]: http://x\n", "It fell [1].\n\n");
    check("It fell [7].\n\n**References**\n\n1. A book, 1989\n", "It fell [1].\n\n");
    check("It fell [7].\n\n## How this was researched\n\nI looked.\n\n## Next\n", "It fell [1].\n\n## Next\n");
}

#[test]
fn the_sentences_behind_a_citation_are_kept() {
    let (_, found) = run("- It began\n  in 1989 [2]. [7] And so on. Later it fell [7].\n");
    let cited: Vec<(usize, Vec<&str>)> = found
        .cited
        .iter()
        .map(|cited| (cited.evidence, cited.sentences.iter().map(String::as_str).collect()))
        .collect();
    assert_eq!(cited, [(2, vec!["It began in 1989."]), (7, vec!["It began in 1989.", "Later it fell."])]);
}

#[test]
fn quotations_must_stand_in_the_cited_passages() {
    let (_, found) = run("They said \"nobody planned this far\" [3]. They said \"everybody planned this far\" [3][7].");
    let unsupported: Vec<_> = found.problems().map(|(_, problem)| (problem.kind, problem.words.as_str())).collect();
    assert_eq!(unsupported, [(Kind::Quotation, "everybody planned this far")]);
}

#[test]
fn finished_blocks_do_not_wait() {
    let mut checker = CitationChecker::new(sources(), Language::ENGLISH);
    assert_eq!(checker.push("It fell [7"), "");
    assert_eq!(checker.push("].\n"), "");
    assert_eq!(checker.push("\n"), "It fell [1].\n\n");
    assert_eq!(checker.push("## Next\n"), "## Next\n");
    assert_eq!(checker.push("- a [7]\n- b"), "");
    assert_eq!(checker.push("\n"), "- a [1]\n");
    assert_eq!(checker.finish().0, "- b\n");
}

fn report() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n"),
        Just("\r\n"),
        Just("\n\n"),
        Just("# "),
        Just("## Sources\n"),
        Just("- "),
        Just("> "),
        Just("```\n"),
        Just("    "),
        Just("`"),
        Just("[3]"),
        Just("[3, 7-9]"),
        Just("【2】"),
        Just("[9]"),
        Just("[2](x)"),
        Just("[[2]](x)"),
        Just("[passage 7]"),
        Just("【2†source】"),
        Just("["),
        Just("]"),
        Just("\\"),
        Just("It began in 1989. "),
        Just("日本は1989年。"),
        Just("\"we never planned this far\""),
        Just("Mr. Burns "),
        Just("é"),
        Just(" "),
        Just("| a |"),
        Just("**"),
        Just("[3]: x"),
        Just("<a"),
        Just("?"),
    ];
    prop_oneof![proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat()), any::<String>(),]
}

proptest! {
    #[test]
    fn any_cut_gives_the_same(text in report(), cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        let whole = run(&text);
        let mut borders: Vec<usize> = cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len() + 1))).collect();
        borders.extend([0, text.len()]);
        borders.sort_unstable();
        let mut checker = CitationChecker::new(sources(), Language::ENGLISH);
        let mut out = String::new();
        for pair in borders.windows(2) {
            out.push_str(&checker.push(&text[pair[0]..pair[1]]));
        }
        let (rest, found) = checker.finish();
        out.push_str(&rest);
        prop_assert_eq!((out, found), whole);
    }

    #[test]
    fn numbers_in_the_text_are_those_of_the_list(text in report()) {
        let (out, found) = run(&text);
        // Checked again, with the report's own numbers as the evidence, nothing more is removed.
        let sources = (1..=found.cited.len()).map(|number| (number, Source::default())).collect();
        let mut checker = CitationChecker::new(sources, Language::ENGLISH);
        checker.push(&out);
        prop_assert_eq!(checker.finish().1.removed, 0);
    }
}

/// Pieces of a paragraph without an end.
const REPEATED: [&str; 22] = [
    "It is so [2]. ",
    "It is so [9]. ",
    "Homer [2]",
    "Homer [9] ",
    "The show began in 1989 [2][7]. ",
    "The show began in 1989. ",
    "The show began in 1989 [2]\n",
    "1,234 and 5 % and 6 kg, ",
    "Homer Simpson: ",
    "word ",
    "x",
    "[",
    "](",
    "<a ",
    "` x ",
    "``",
    "http://a.example/ ",
    "a://",
    "“one two three four” [2] ",
    "\"one two three four ",
    "番組は1989年に始まった【2】。",
    "「はい。",
];

#[test]
#[ignore = "measures time"]
fn a_paragraph_takes_as_long_as_it_is() {
    let kilobytes = std::env::var("DEEPSEARCH_TEST_LINEAR_KB").ok().and_then(|count| count.parse().ok()).unwrap_or(32);
    let seconds = |piece: &str, length: usize| {
        let text = piece.repeat(length / piece.len());
        let started = std::time::Instant::now();
        let mut checker = CitationChecker::new(sources(), Language::ENGLISH);
        let checked = checker.push(&text);
        let (rest, found) = checker.finish();
        assert!(!(checked + &rest).is_empty());
        let passage = "The show began in 1989. In the town, Homer works at the plant.";
        let quote =
            |cited: &Cited| supporting_quote(passage, &Headings::default(), &cited.sentences, Language::ENGLISH);
        found.cited.iter().map(quote).for_each(drop);
        started.elapsed().as_secs_f64()
    };
    let mut slow = Vec::new();
    for piece in REPEATED {
        let (short, long) = (seconds(piece, kilobytes << 10), seconds(piece, kilobytes << 12));
        eprintln!("{piece:?}: {short:.3} s, {long:.3} s, {:.1} times", long / short);
        if long > 0.5 && long > short * 6.0 {
            slow.push(piece);
        }
    }
    assert!(slow.is_empty(), "{slow:?}");
}
