//! Shows a verification to people, as Markdown whose lines fit a terminal and which a pull request can show.

use super::excerpt::marked;
use super::judge::{CheckedSentence, SentenceVerdict};
use super::origins::WithoutDocuments;
use super::place::{CheckedCitation, Verdict};
use super::read::unescaped;
use super::search::Verification;
use crate::base::text::{excerpt, thousands, wrapped};
use crate::report::escaped;

/// The width of a line in columns.
const WIDTH: usize = 80;
/// The number of characters shown of a sentence or a quote.
const SHOWN: usize = 240;

/// The verification of the report called `name`.
pub fn shown(verification: &Verification, name: &str) -> String {
    let mut out = PlainText::default();
    out.line(&format!("# Verification of {}", escaped(name)), 0);
    out.blank();
    out.line(&summary(verification), 0);
    let counts = counts(verification);
    if !counts.is_empty() {
        out.blank();
        out.line(&counts, 0);
    }
    if !verification.altered.is_empty() {
        out.heading("Altered since it was written");
        for one in &verification.altered {
            out.item(&escaped(one));
        }
    }
    citations(&mut out, verification);
    sentences(&mut out, verification);
    approvals(&mut out, verification);
    let derived: Vec<(usize, &String)> = verification
        .sentences
        .iter()
        .flat_map(|sentence| sentence.derived.iter().map(|formula| (sentence.line, formula)))
        .collect();
    if !derived.is_empty() {
        out.heading("Calculated again, and right");
        for (line, formula) in derived {
            out.item(&format!("line {line}: {}", escaped(formula)));
        }
    }
    origins(&mut out, verification);
    for without in &verification.without {
        render_without(&mut out, without);
    }
    let uncited: Vec<&CheckedSentence> = of(verification, SentenceVerdict::Uncited).collect();
    if !uncited.is_empty() {
        out.heading("Sentences that cite nothing");
        for sentence in uncited {
            out.item(&format!("line {}: “{}”", sentence.line, said(&sentence.text)));
        }
    }
    out.heading("Not checked");
    for one in &verification.not_checked {
        out.item(&escaped(one));
    }
    out.text
}

fn of(verification: &Verification, verdict: SentenceVerdict) -> impl Iterator<Item = &CheckedSentence> {
    verification.sentences.iter().filter(move |sentence| sentence.verdict == verdict)
}

fn number(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", thousands(count as u64), if count == 1 { one } else { many })
}

fn summary(verification: &Verification) -> String {
    let citing = verification.sentences.iter().filter(|sentence| !sentence.citations.is_empty()).count();
    let failing = verification.sentences.iter().filter(|sentence| !sentence.is_sound()).count();
    let broken = verification.citations.iter().filter(|one| !one.verdict.holds()).count();
    let citations = number(verification.citations.len(), "citation", "citations");
    let sentences = number(citing, "sentence that cites something", "sentences that cite something");
    let documents = number(verification.documents, "document", "documents");
    match verification.holds {
        true if verification.citations.is_empty() => {
            format!("The report cites nothing, so there is nothing to check against {documents}.")
        }
        true => format!("**Everything holds**: {citations} and {sentences}, checked against {documents}."),
        false => format!(
            "**Not everything holds**: {broken} of {} citations and {failing} of {} citing sentences fail, checked against \
             {documents}.",
            thousands(verification.citations.len() as u64),
            thousands(citing as u64)
        ),
    }
}

fn counts(verification: &Verification) -> String {
    let counted = [
        (Verdict::Unchanged, "unchanged"),
        (Verdict::Moved, "moved"),
        (Verdict::Edited, "edited"),
        (Verdict::Vanished, "vanished"),
        (Verdict::Superseded, "superseded"),
        (Verdict::Unchecked, "not checked"),
    ];
    let parts: Vec<String> = counted
        .into_iter()
        .map(|(verdict, name)| (verification.citations.iter().filter(|one| one.verdict == verdict).count(), name))
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{} {name}", thousands(count as u64)))
        .collect();
    if parts.is_empty() { String::new() } else { format!("Citations: {}.", parts.join(", ")) }
}

/// The approved sentences: those that stand only by approval, and those that have lost it.
fn approvals(out: &mut PlainText, verification: &Verification) {
    let approved = || verification.sentences.iter().filter(|sentence| sentence.approved);
    let standing = approved().filter(|sentence| !sentence.rests_on_changed()).count();
    if approved().next().is_none() {
        return;
    }
    out.heading("Approved");
    let sentences = number(standing, "sentence stays", "sentences stay");
    out.line(&format!("{sentences} approved: nothing that was cited for it has changed."), 0);
    for sentence in approved().filter(|sentence| !sentence.passes()) {
        let why = if sentence.rests_on_changed() {
            "approved before what it rests on changed, and to be looked at again".to_owned()
        } else {
            "approved, though the check alone would not pass it".to_owned()
        };
        out.item(&format!("line {}: “{}”: {why}", sentence.line, said(&sentence.text)));
    }
}

fn citations(out: &mut PlainText, verification: &Verification) {
    let changed: Vec<&CheckedCitation> = verification
        .citations
        .iter()
        .filter(|one| !matches!(one.verdict, Verdict::Unchanged | Verdict::Unchecked))
        .collect();
    if changed.is_empty() {
        return;
    }
    out.heading("Citations that changed");
    for one in changed {
        let note = if one.note.is_empty() { String::new() } else { format!(": {}", one.note) };
        match one.verdict {
            Verdict::Moved => {
                let place = one.document.as_deref().unwrap_or_default();
                let renamed =
                    if matches_shown_path(place, &one.path) { String::new() } else { format!(" → `{place}`") };
                out.item(&format!("[{}] **moved** `{}`{renamed}{note}", one.number, one.path));
            }
            Verdict::Edited | Verdict::Superseded => {
                let name = if one.verdict == Verdict::Edited { "edited" } else { "superseded" };
                out.item(&format!("[{}] **{name}** `{}`{note}", one.number, one.path));
                let (old, new) = marked(&one.quote, one.now.as_deref().unwrap_or_default());
                if one.now.is_some() {
                    out.sub_item(&format!("was: “{old}”"));
                    out.sub_item(&format!("now: “{new}”"));
                } else {
                    out.sub_item(&format!("was: “{}”", short(&one.quote)));
                }
            }
            _ => {
                out.item(&format!("[{}] **vanished** `{}`{note}", one.number, one.path));
                out.sub_item(&format!("was: “{}”", short(&one.quote)));
            }
        }
    }
}

fn matches_shown_path(path: &str, shown: &str) -> bool {
    path == shown || path.ends_with(shown.trim_start_matches("./"))
}

fn sentences(out: &mut PlainText, verification: &Verification) {
    let failing: Vec<&CheckedSentence> =
        verification.sentences.iter().filter(|sentence| !sentence.is_sound()).collect();
    if failing.is_empty() {
        return;
    }
    out.heading("Sentences that fail");
    for sentence in failing {
        let numbers: String = sentence.citations.iter().map(|number| format!("[{number}]")).collect();
        out.item(&format!("line {}: “{}” {numbers}", sentence.line, said(&sentence.text)));
        for reason in &sentence.reasons {
            out.sub_item(reason);
        }
        for problem in &sentence.problems {
            out.sub_item(&escaped(&problem.told()));
        }
    }
}

fn origins(out: &mut PlainText, verification: &Verification) {
    if verification.origins.is_empty() {
        return;
    }
    out.heading("Of one origin, so one source");
    for group in &verification.origins {
        let numbers: Vec<String> = group.iter().map(|number| format!("[{number}]")).collect();
        out.item(&numbers.join(", "));
    }
    let several = verification.sentences.iter().filter(|one| one.one_origin && one.citations.len() > 1);
    for sentence in several {
        out.item(&format!("line {} hangs on one origin: “{}”", sentence.line, said(&sentence.text)));
    }
}

fn render_without(out: &mut PlainText, without: &WithoutDocuments) {
    out.heading(&format!("Without {}", escaped(&without.path)));
    if without.citations.is_empty() {
        out.item(match without.documents {
            0 => "no document has this path: neither a source of the report nor one of those checked against",
            _ => "nothing would be missing: the report does not cite it",
        });
        return;
    }
    if without.lost.is_empty() && without.copies_only.is_empty() {
        out.item("all would still be said, by other sources");
    }
    for sentence in &without.lost {
        out.item(&format!("line {}, no longer said: “{}”", sentence.line, said(&sentence.text)));
    }
    for sentence in &without.copies_only {
        out.item(&format!("line {}, said by copies of it alone: “{}”", sentence.line, said(&sentence.text)));
    }
}

/// The words of a sentence of the report, which is Markdown; see [`short`].
fn said(sentence: &str) -> String {
    short(&unescaped(&sentence.replace("**", "")))
}

/// The first words of a text. Of a row of a table, its cells are shown that are not empty.
fn short(text: &str) -> String {
    let cells =
        |row: &str| row.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join(" | ");
    let words = text.trim().strip_prefix('|').map_or_else(|| text.to_owned(), cells);
    // Within an item of a list, a bar needs no escape.
    escaped(&excerpt(&words, SHOWN)).replace("\\|", "|")
}

#[derive(Default)]
struct PlainText {
    text: String,
}

impl PlainText {
    fn blank(&mut self) {
        self.text.push('\n');
    }

    fn heading(&mut self, words: &str) {
        self.text.push_str(&format!("\n## {words}\n\n"));
    }

    fn item(&mut self, words: &str) {
        self.line(&format!("- {words}"), 2);
    }

    fn sub_item(&mut self, words: &str) {
        self.line(&format!("  - {words}"), 4);
    }

    /// Adds a paragraph or an item, wrapped, with all lines after the first indented.
    fn line(&mut self, words: &str, indent: usize) {
        self.text.push_str(&wrapped(words, WIDTH, indent));
        self.text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_shown_as_words() {
        let check = |sentence: &str, expected: &str| assert_eq!(said(sentence), expected, "{sentence}");
        check("| Monthly test | open | |", "Monthly test | open");
        check("| **90** | a \\| b |", "90 | a | b");
        check("It is \\*so\\* **now**.", "It is \\*so\\* now.");
    }
}
