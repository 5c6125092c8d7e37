use serde::{Deserialize, Serialize};

/// The highest level of a section's heading; the level above is the report's title.
const FIRST_LEVEL: usize = 2;
/// The lowest level; deeper headings are shown at this one.
const LAST_LEVEL: usize = 4;

/// The headings that a report is to have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Outline {
    /// The report's title; empty if the question serves as the title.
    pub title: String,
    /// The sections in order.
    pub sections: Vec<OutlineSection>,
}

/// A heading with its question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OutlineSection {
    /// Its level in Markdown, from 2.
    pub level: usize,
    /// Its words.
    pub heading: String,
    /// The question that the section answers; empty if the heading says it all.
    pub question: String,
}

impl Outline {
    /// Parses Markdown: every heading is a section, and the words below it are its question. A single heading of the
    /// first level, above all others, is the title.
    pub fn parse(markdown: &str) -> Outline {
        let mut found: Vec<OutlineSection> = Vec::new();
        let mut fenced = false;
        for line in markdown.lines() {
            let line = line.trim();
            if line.starts_with("```") {
                fenced = !fenced;
                continue;
            }
            let words = line.trim_start_matches('#');
            let level = line.len() - words.len();
            let is_marked = words.is_empty() || words.starts_with([' ', '\t']);
            let is_heading = !fenced && (1..=6).contains(&level) && is_marked;
            if is_heading {
                let heading = words.trim().trim_end_matches('#').trim();
                if !heading.is_empty() {
                    found.push(OutlineSection { level, heading: heading.to_owned(), question: String::new() });
                }
            } else if let Some(last) = found.last_mut().filter(|_| !fenced && !line.is_empty()) {
                if !last.question.is_empty() {
                    last.question.push(' ');
                }
                last.question.push_str(line.trim_start_matches(['-', '*', '>']).trim());
            }
        }
        let is_title = found.len() > 1
            && found[0].level == 1
            && found[0].question.is_empty()
            && found.iter().skip(1).all(|section| section.level > 1);
        let title = if is_title { found.remove(0).heading } else { String::new() };
        let highest = found.iter().map(|section| section.level).min().unwrap_or(FIRST_LEVEL);
        for section in &mut found {
            section.level = (section.level - highest + FIRST_LEVEL).min(LAST_LEVEL);
        }
        Outline { title, sections: found }
    }
}

impl OutlineSection {
    /// The text to search for.
    pub fn query(&self) -> &str {
        if self.question.is_empty() { &self.heading } else { &self.question }
    }

    /// The heading as a line of Markdown.
    pub fn line(&self) -> String {
        format!("{} {}", "#".repeat(self.level.clamp(FIRST_LEVEL, LAST_LEVEL)), self.heading)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(markdown: &str, title: &str, expected: &[(&str, &str)]) {
        let outline = Outline::parse(markdown);
        let shown: Vec<(String, &str)> =
            outline.sections.iter().map(|section| (section.line(), section.question.as_str())).collect();
        let shown: Vec<(&str, &str)> = shown.iter().map(|(line, question)| (line.as_str(), *question)).collect();
        assert_eq!((outline.title.as_str(), shown.as_slice()), (title, expected), "{markdown}");
    }

    #[test]
    fn headings_are_sections_and_what_stands_below_is_their_question() {
        check(
            "# The trade\n\n## Salt\n\nWhere did it\ncome from?\n### Boats #\n##  \n## Wool\n",
            "The trade",
            &[("## Salt", "Where did it come from?"), ("### Boats", ""), ("## Wool", "")],
        );
        check("# One\nWhy?\n# Two\n", "", &[("## One", "Why?"), ("## Two", "")]);
        check("# Only\n", "", &[("## Only", "")]);
        check("#hash\nwords\n```\n# code\n```\n", "", &[]);
        check("# 始まり\n何が？\n", "", &[("## 始まり", "何が？")]);
    }
}
