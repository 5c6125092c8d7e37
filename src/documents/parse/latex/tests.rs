use proptest::prelude::*;

use super::*;

fn check(source: &str, text: &str, headings: &[(usize, u8, &str)]) {
    let parsed = parse(source).expect("readable");
    assert_eq!(parsed.text, text);
    let found: Vec<_> = parsed.headings.iter().map(|h| (h.start, h.level, h.text.as_str())).collect();
    assert_eq!(found, headings, "{text}");
}

#[test]
fn a_document_is_its_body_and_its_title() {
    let source = "% \\begin{document}\n\\documentclass[a4paper]{article}\\usepackage{x}\n\\newcommand{\\me}[1]{Me #1}\n\
        \\title{The \\emph{plan}}\\author{A \\and B}\\date{3 October 2022}\n\\begin{document}\n\\maketitle\n\n\
        \\section*{One}\\label{sec:one}\nWords \\textbf{and} more, % a comment\n  on a line.\n\n\\subsection[short]{Two {\\it x}}\nEnd.\n\
        \\end{document}\nnot set";
    let text = "The plan\n\nA, B\n\n3 October 2022\n\nOne\n\nWords and more, on a line.\n\nTwo x\n\nEnd.";
    check(source, text, &[(32, 1, "One"), (65, 2, "Two x")]);
    let parsed = parse(source).expect("readable");
    assert_eq!(parsed.title.as_deref(), Some("The plan"));
    assert_eq!(parsed.date.map(|date| date.date.to_string()).as_deref(), Some("2022-10-03"));
}

#[test]
fn chapters_stand_above_sections() {
    check("\\chapter{A}\\section{B}\nx", "A\n\nB\n\nx", &[(0, 1, "A"), (3, 2, "B")]);
}

#[test]
fn slides_are_headed_by_their_titles() {
    check(
        "\\title{Plan}\\begin{document}\\frame{\\titlepage}\\begin{frame}[fragile]{One}\nx\n\\end{frame}\n\\begin{frame}\n\\frametitle{Two}y\n\\end{frame}",
        "Plan\n\nOne\n\nx\n\nTwo\n\ny",
        &[(6, 1, "One"), (14, 1, "Two")],
    );
}

#[test]
fn accents_and_signs() {
    check(
        "Caf\\'e na\\\"{\\i}ve \\v{s} {\\ss}a \\aa{} \\c c \\LaTeX\\ is \\S 5\\,\\% -- ``so'' --- \\ldots{} it's~\\~n",
        "Café naïve š ßa å ç LaTeX is §5 % – “so” — … it's ñ",
        &[],
    );
    check(
        "\\verb|a{b}| $x^2 \\% y$ costs \\$5 \\(a\\) \\cite[p.~3]{key} \\href{http://x}{link}",
        "a{b} $x^2 \\% y$ costs $5 \\(a\\) [key] link",
        &[],
    );
}

#[test]
fn figures_in_maths_are_words_and_references_keep_their_labels() {
    check(
        "It weighs $7\\,\\mathrm{kg}$, costs \\$340 and grows by $10^{-4}$; see Figure~\\ref{fig:a} and \\eqref{b}.",
        "It weighs 7 kg, costs $340 and grows by $10^{-4}$; see Figure [fig:a] and [b].",
        &[],
    );
}

#[test]
fn lists_tables_and_notes() {
    check(
        "\\begin{itemize}\\tightlist\n\\item one\n\\begin{enumerate}\n\\item deep\n\\end{enumerate}\n\\item[two] more\n\\end{itemize}\n\
         Claim\\footnote{A \\emph{note}.}.\n\n\\begin{tabular}{|l|r@{}|}\n\\hline\na & \\textbf{b} \\\\ \\hline\n\
         \\multicolumn{2}{c}{both} \\\\[2pt]\n1 \\& 2 & 3\n\\end{tabular}\n",
        "- one\n  - deep\n- two more\n\nClaim[^1].\n\n[^1]: A note.\n\na | b\nboth\n1 & 2 | 3",
        &[],
    );
}

#[test]
fn what_is_no_text_stays_or_goes() {
    check(
        "a\n\\begin{verbatim}\n\\x{ 1 }\n  %2\n\\end{verbatim}\nb\n\\begin{align*}\nx &= y \\\\\n\\end{align*}\n\\begin{tikzpicture}\n\
         junk\n\\end{tikzpicture}\n\\begin{figure}[ht]\\includegraphics[width=1cm]{f.png}\\caption{A figure}\\end{figure}c",
        "a\n\n\\x{ 1 }\n  %2\n\nb\n\nx &= y \\\\\n\nA figure\n\nc",
        &[],
    );
}

#[test]
fn maths_ends_at_a_dollar_that_nothing_escapes() {
    check("a $x \\\\$ b $y\\$z$ c $$1$$ \\$5", "a $x \\\\$ b y$z c 1 $5", &[]);
}

#[test]
fn a_title_page_is_set_once() {
    check("\\title{A}\\author{B}\\maketitle\\maketitle\n\nx\n\n\\title{C}\\maketitle", "A\n\nB\n\nx\n\nC", &[]);
}

#[test]
fn what_the_preamble_leaves_open_ends_with_it() {
    check("\\title{A\n\\begin{document}\nWords.\n\\end{document}", "Words.", &[]);
}

#[test]
fn addresses_stay_as_they_are_written() {
    check("\\url{http://a/x%20y--z\\_1~b} more", "http://a/x%20y--z_1~b more", &[]);
}

#[test]
fn arguments_that_are_no_words_are_left_out() {
    check(
        "\\raisebox{1ex}{up} \\parbox[t][2cm]{5cm}{wide} \\addcontentsline{toc}{section}{A}\\pdfbookmark[1]{A}{b}\\newlength{\\x}end",
        "up wide end",
        &[],
    );
    check("\\begin{tabular}{ll}a & b \\\\ \\cmidrule(lr){1-2} c & d\\end{tabular}", "a | b\nc | d", &[]);
    check(
        "\\begin{wrapfigure}[3]{r}{4cm}One\\end{wrapfigure}\\begin{multicols}{2}Two\\end{multicols}\\begin{column}{.5\\textwidth}\
         Three\\end{column}\\begin{minipage}[t][1cm]{2cm}Four\\end{minipage}",
        "One\n\nTwo\n\nThree\n\nFour",
        &[],
    );
}

#[test]
fn nothing_is_empty() {
    let told = parse("\\documentclass{article}\n\\begin{document}\n\\input{a}\n\\end{document}").expect_err("empty");
    assert!(told.to_string().contains("only include other files"), "{told}");
}

proptest! {
    #[test]
    fn any_commands_give_sound_offsets(pieces in prop::collection::vec(prop::sample::select(vec![
        "{", "}", "\\section{", "\\item", "\\begin{itemize}", "\\end{itemize}", "\\begin{tabular}{l}", "\\end{tabular}", "&", "\\\\",
        "\\footnote{", "$", "$$", "\\(", "%", "\n", "\n\n", "é", "\\'", "\\'{", "\\verb", "|", "\\begin{verbatim}", "[", "]", "words",
        "\\title{", "\\maketitle", "\\begin{document}", "\\end{document}", "\\caption{", "\\", "日本", "\\def\\", "--", "`",
    ]), 0..40)) {
        if let Ok(parsed) = parse(&pieces.concat()) {
            prop_assert!(parsed.headings.iter().all(|it| parsed.text.is_char_boundary(it.start) && it.start < parsed.text.len()));
        }
    }
}
