//! Groups texts by origin: copies, forwarded mails, reprints of one release. Texts of one origin are one source,
//! however many there are.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::base::text::{figures, is_cjk, tokens};

/// The number of words in a run.
const RUN: usize = 5;
/// The number of characters in a run where words are not spaced.
const WIDE_RUN: usize = 9;
/// The least share of the shorter text's runs that another text of its origin has.
const SHARED: f64 = 0.5;
/// A text with fewer runs is too short to be recognised in parts.
const LEAST: usize = 6;
/// Runs that more texts have than this are forms and footers.
const COMMON: usize = 40;

/// For each text, the index of the first one of its origin; its own index if it is that one, or stands alone.
pub fn origins<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<usize> {
    let texts: Vec<&str> = texts.into_iter().collect();
    let runs: Vec<Vec<u64>> = texts.into_par_iter().map(runs).collect();
    // A thousand documents have a million runs: one sorted list takes a tenth of a map's time.
    let of_text = |(text, runs): (usize, &Vec<u64>)| runs.iter().map(move |&run| (run, text)).collect::<Vec<_>>();
    let mut holders: Vec<(u64, usize)> = runs.iter().enumerate().flat_map(of_text).collect();
    holders.par_sort_unstable();
    let mut shared: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for texts in holders.chunk_by(|a, b| a.0 == b.0).filter(|texts| texts.len() > 1 && texts.len() <= COMMON) {
        for (at, &(_, one)) in texts.iter().enumerate() {
            for &(_, other) in &texts[at + 1..] {
                *shared.entry((one, other)).or_default() += 1;
            }
        }
    }
    let mut first: Vec<usize> = (0..runs.len()).collect();
    for ((one, other), count) in shared {
        let shorter = runs[one].len().min(runs[other].len());
        let longer = runs[one].len().max(runs[other].len());
        let alike = if shorter < LEAST { count == longer } else { count as f64 >= SHARED * shorter as f64 };
        if alike {
            let (a, b) = (root(&first, one), root(&first, other));
            first[a.max(b)] = a.min(b);
        }
    }
    (0..first.len()).map(|text| root(&first, text)).collect()
}

/// The citations of each origin that several documents share. Each citation comes with its number, its document and the
/// first text of its origin.
pub fn shared_origins<D: Ord>(citations: impl IntoIterator<Item = (usize, Option<D>, usize)>) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<usize, (Vec<usize>, BTreeSet<D>)> = BTreeMap::new();
    for (number, document, first) in citations {
        let (numbers, documents) = groups.entry(first).or_default();
        numbers.push(number);
        documents.extend(document);
    }
    groups.into_values().filter(|(_, documents)| documents.len() > 1).map(|(numbers, _)| numbers).collect()
}

/// Whether all figures of one of two texts are in the other. One form filled in twice has different figures, and is no
/// copy.
pub fn share_figures(one: &str, other: &str) -> bool {
    let (one, other) = (figures(one), figures(other));
    one.is_subset(&other) || other.is_subset(&one)
}

fn root(first: &[usize], mut text: usize) -> usize {
    while first[text] != text {
        text = first[text];
    }
    text
}

/// The hashes of the runs of words of a text, in ascending order, each once.
fn runs(text: &str) -> Vec<u64> {
    let words: Vec<String> = tokens(text)
        .into_iter()
        .flat_map(|token| match token.text.chars().next().is_some_and(is_cjk) {
            true => token.text.chars().map(String::from).collect(),
            false => vec![token.text],
        })
        .collect();
    let wide = words.iter().filter(|word| word.chars().all(is_cjk)).count() * 2 > words.len();
    let length = if wide { WIDE_RUN } else { RUN };
    let mut runs: Vec<u64> = words.windows(length.min(words.len().max(1))).map(hash).collect();
    runs.sort_unstable();
    runs.dedup();
    runs
}

fn hash(run: &[String]) -> u64 {
    let bytes = run.iter().flat_map(|word| word.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rng;

    const WORDS: [&str; 40] = [
        "harbour",
        "council",
        "bridge",
        "budget",
        "orchard",
        "railway",
        "school",
        "market",
        "river",
        "museum",
        "winter",
        "report",
        "engine",
        "garden",
        "hospital",
        "station",
        "library",
        "village",
        "factory",
        "harvest",
        "opened",
        "closed",
        "repaired",
        "sold",
        "counted",
        "measured",
        "announced",
        "delayed",
        "approved",
        "refused",
        "quickly",
        "slowly",
        "again",
        "together",
        "nearly",
        "often",
        "there",
        "outside",
        "before",
        "after",
    ];
    const WIDE: [&str; 20] = [
        "港湾",
        "議会",
        "橋梁",
        "予算",
        "果樹園",
        "鉄道",
        "学校",
        "市場",
        "河川",
        "美術館",
        "開設された",
        "閉鎖された",
        "修理された",
        "売却された",
        "測定された",
        "発表された",
        "延期された",
        "承認された",
        "急速に",
        "再び",
    ];

    fn written(rng: &mut Rng, wide: bool) -> String {
        let sentence = |rng: &mut Rng| {
            if wide {
                let words: Vec<&str> = (0..6).map(|_| WIDE[rng.below(WIDE.len())]).collect();
                format!("{}は{}年に{}。", words[..3].concat(), 1900 + rng.below(120), words[3..].concat())
            } else {
                let words: Vec<&str> = (0..9).map(|_| WORDS[rng.below(WORDS.len())]).collect();
                format!("The {} in {}. ", words.join(" "), 1900 + rng.below(120))
            }
        };
        (0..6 + rng.below(10)).map(|_| sentence(rng)).collect()
    }

    /// A copy as people make it: word for word, forwarded, reprinted in part, rewrapped, or read from a scan.
    fn copied(text: &str, rng: &mut Rng) -> String {
        match rng.below(5) {
            0 => text.to_owned(),
            1 => format!(
                "From: ann@example.org\nTo: all\n\nPlease see below.\n\n> {}\n\nKind regards, Ann",
                text.replace(". ", ".\n> ")
            ),
            2 => {
                let sentences: Vec<&str> = text.split_inclusive(['.', '。']).collect();
                let kept = (sentences.len() * 2).div_ceil(3);
                format!("News in brief\n\n{}", sentences[..kept].concat())
            }
            3 => {
                text.split(' ').collect::<Vec<_>>().chunks(6).map(|line| line.join(" ")).collect::<Vec<_>>().join("\n")
            }
            _ => text
                .chars()
                .enumerate()
                .map(|(at, c)| if at % 71 == 70 && c.is_alphabetic() { 'x' } else { c })
                .collect(),
        }
    }

    #[test]
    fn copies_among_many_documents_are_found() {
        const FOOTER: &str = " This message is for those whom it names and may hold what is confidential. Whoever has it \
                              by mistake tells the sender and deletes it.";
        let mut rng = Rng::new(5);
        let (mut texts, mut origin) = (Vec::new(), Vec::new());
        for group in 0..300 {
            let text = written(&mut rng, group % 3 == 2);
            let copies = if group < 100 { 1 + rng.below(4) } else { 0 };
            for copy in 0..=copies {
                let own = if copy == 0 { text.clone() } else { copied(&text, &mut rng) };
                texts.push(if rng.below(3) == 0 { own + FOOTER } else { own });
                origin.push(group);
            }
        }
        assert!(texts.len() >= 500, "{}", texts.len());
        let found = origins(texts.iter().map(String::as_str));
        let (mut right, mut told, mut planted) = (0.0, 0.0, 0.0);
        for one in 0..texts.len() {
            for other in one + 1..texts.len() {
                let (is, says) = (origin[one] == origin[other], found[one] == found[other]);
                right += f64::from(u8::from(is && says));
                told += f64::from(u8::from(says));
                planted += f64::from(u8::from(is));
            }
        }
        let (precision, recall) = (right / told, right / planted);
        let f1 = 2.0 * precision * recall / (precision + recall);
        eprintln!("{} documents: precision {precision:.3}, recall {recall:.3}, F1 {f1:.3}", texts.len());
        assert!(f1 >= 0.95, "precision {precision}, recall {recall}");
    }

    #[test]
    fn one_form_with_other_figures_is_no_copy() {
        let check = |one: &str, other: &str, expected: bool| assert_eq!(share_figures(one, other), expected, "{one}");
        check("Opened in 1990 by its founder.", "News of 2020: opened in 1990 by its founder.", true);
        check("The police counted 29 thousand in 2019.", "The police counted 31 thousand in 2021.", false);
        check("No figure.", "None here.", true);
    }

    #[test]
    fn short_texts_are_of_one_origin_only_where_they_are_the_same() {
        let of = |texts: &[&str]| origins(texts.iter().copied());
        assert_eq!(of(&["It fell in 1990.", "It fell in 1990.", "It fell in 1991."]), [0, 0, 2]);
        assert_eq!(of(&["", "", "a"]), [0, 1, 2]);
    }
}
