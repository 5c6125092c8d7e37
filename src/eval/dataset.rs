//! Judged sets: BEIR folders and SQuAD-format JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

/// Why a set cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// A file is missing or unreadable.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A line or file does not follow the format.
    #[error("{path}, line {line}: {reason}")]
    Format {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// Two passages or two queries have the same id.
    #[error("{path}: the id `{id}` occurs twice")]
    DuplicateId {
        /// The file.
        path: PathBuf,
        /// The id.
        id: String,
    },
    /// The set has nothing to measure.
    #[error("{path}: no query has a relevant passage in the corpus")]
    NoJudgedQuery {
        /// The set.
        path: PathBuf,
    },
}

/// One passage of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The id by which the judgements name it.
    pub id: String,
    /// The title; may be empty.
    pub title: String,
    /// The passage's words.
    pub text: String,
}

/// One judged query.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The id by which the judgements name it.
    pub id: String,
    /// The query's words.
    pub text: String,
    /// Passage id → grade; at least one is above 0.
    pub judgements: BTreeMap<String, u32>,
    /// The set's own notes on the query (answers, decomposition); `Null` where it has none.
    pub metadata: Value,
}

impl Query {
    /// The ids of the passages that are judged relevant.
    pub fn relevant(&self) -> impl Iterator<Item = &String> {
        self.judgements.iter().filter(|(_, grade)| **grade > 0).map(|(id, _)| id)
    }
}

/// A set of passages and judged queries.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    /// The folder's or file's name.
    pub name: String,
    /// The passages, in the set's order.
    pub passages: Vec<Passage>,
    /// The judged queries, in the set's order, without those that have no relevant passage.
    pub queries: Vec<Query>,
    /// Warnings about what was left out or is doubtful.
    pub warnings: Vec<String>,
}

#[derive(Deserialize)]
struct CorpusLine {
    #[serde(rename = "_id")]
    id: String,
    #[serde(default)]
    title: String,
    text: String,
}

#[derive(Deserialize)]
struct QueryLine {
    #[serde(rename = "_id")]
    id: String,
    text: String,
    #[serde(default)]
    metadata: Value,
}

#[derive(Deserialize)]
struct Squad {
    data: Vec<SquadArticle>,
}

#[derive(Deserialize)]
struct SquadArticle {
    #[serde(default)]
    title: String,
    paragraphs: Vec<SquadParagraph>,
}

#[derive(Deserialize)]
struct SquadParagraph {
    context: String,
    qas: Vec<SquadQuestion>,
}

#[derive(Deserialize)]
struct SquadQuestion {
    id: String,
    question: String,
    #[serde(default)]
    is_impossible: bool,
    #[serde(default)]
    answers: Value,
}

impl Dataset {
    /// Reads a BEIR folder (`corpus.jsonl`, `queries.jsonl`, `qrels/test.tsv`) or a SQuAD-format JSON file.
    pub fn read(path: &Path) -> Result<Self, DataError> {
        let name = path.file_stem().map_or_else(|| "set".to_owned(), |name| name.to_string_lossy().into_owned());
        let set = if path.is_dir() { read_beir(path, name)? } else { read_squad(path, name)? };
        if set.queries.is_empty() {
            return Err(DataError::NoJudgedQuery { path: path.to_owned() });
        }
        Ok(set)
    }
}

fn read_beir(folder: &Path, name: String) -> Result<Dataset, DataError> {
    let corpus_path = folder.join("corpus.jsonl");
    let mut ids = BTreeSet::new();
    let mut passages = Vec::new();
    for_each_line(&corpus_path, |line, text| {
        let row: CorpusLine = parse_line(&corpus_path, line, text)?;
        if !ids.insert(row.id.clone()) {
            return Err(DataError::DuplicateId { path: corpus_path.clone(), id: row.id });
        }
        passages.push(Passage { id: row.id, title: row.title, text: row.text });
        Ok(())
    })?;
    let textless: Vec<&str> =
        passages.iter().filter(|one| one.text.trim().is_empty()).map(|one| one.id.as_str()).collect();
    let mut warnings = Vec::new();
    warn(&mut warnings, &textless, "passages have no text and cannot be found");
    let (judgements, unknown, twice) = read_judgements(&folder.join("qrels").join("test.tsv"), &ids)?;
    warn(&mut warnings, &unknown, "judgements name passages that the corpus does not have");
    warn(&mut warnings, &twice, "judgements contradict earlier ones of the same query and passage; the last counts");
    let queries_path = folder.join("queries.jsonl");
    let mut judgements = judgements;
    let mut queries: Vec<Query> = Vec::new();
    let mut seen = BTreeSet::new();
    let (mut unjudged, mut empty) = (Vec::new(), Vec::new());
    for_each_line(&queries_path, |line, text| {
        let row: QueryLine = parse_line(&queries_path, line, text)?;
        if !seen.insert(row.id.clone()) {
            return Err(DataError::DuplicateId { path: queries_path.clone(), id: row.id });
        }
        let judged = judgements.remove(&row.id).filter(|grades| grades.values().any(|&grade| grade > 0));
        match judged {
            None => unjudged.push(row.id),
            Some(_) if row.text.trim().is_empty() => empty.push(row.id),
            Some(judged) => {
                queries.push(Query { id: row.id, text: row.text, judgements: judged, metadata: row.metadata });
            }
        }
        Ok(())
    })?;
    let nowhere: Vec<String> = judgements.into_keys().collect();
    warn(&mut warnings, &unjudged, "queries have no relevant passage and are left out");
    warn(&mut warnings, &empty, "queries are empty and are left out");
    warn(&mut warnings, &nowhere, "judged queries are not among the queries");
    Ok(Dataset { name, passages, queries, warnings })
}

/// Adds a warning with the number of `ids` and the first of them.
fn warn(warnings: &mut Vec<String>, ids: &[impl AsRef<str>], what: &str) {
    if let Some(first) = ids.first() {
        warnings.push(format!("{} {what} (`{}`{})", ids.len(), first.as_ref(), if ids.len() > 1 { ", …" } else { "" }));
    }
}

type Judgements = BTreeMap<String, BTreeMap<String, u32>>;

/// The judgements (query id → passage id → grade), the passages not in `known`, and the queries of contradictory lines.
fn read_judgements(path: &Path, known: &BTreeSet<String>) -> Result<(Judgements, Vec<String>, Vec<String>), DataError> {
    let mut judgements = Judgements::new();
    let (mut unknown, mut twice) = (Vec::new(), Vec::new());
    for_each_line(path, |line, text| {
        let fields: Vec<&str> = text.split('\t').collect();
        let [query, passage, grade] = fields[..] else {
            return Err(bad_line(path, line, "three fields separated by tabs are needed".to_owned()));
        };
        let grade: i64 = match grade.trim().parse() {
            Ok(grade) => grade,
            Err(_) if line == 1 => return Ok(()),
            Err(error) => return Err(bad_line(path, line, format!("`{grade}` is no grade: {error}"))),
        };
        if known.contains(passage) {
            let grade = u32::try_from(grade.max(0)).unwrap_or(u32::MAX).min(30);
            let before = judgements.entry(query.to_owned()).or_default().insert(passage.to_owned(), grade);
            if before.is_some_and(|before| before != grade) {
                twice.push(query.to_owned());
            }
        } else {
            unknown.push(passage.to_owned());
        }
        Ok(())
    })?;
    Ok((judgements, unknown, twice))
}

fn read_squad(path: &Path, name: String) -> Result<Dataset, DataError> {
    let file = File::open(path).map_err(|source| DataError::Io { path: path.to_owned(), source })?;
    let squad: Squad = serde_json::from_reader(BufReader::new(file))
        .map_err(|error| bad_line(path, error.line(), format!("not in SQuAD's format: {error}")))?;
    let (mut passages, mut queries, mut seen, mut impossible) = (Vec::new(), Vec::new(), BTreeSet::new(), 0usize);
    for article in squad.data {
        for paragraph in article.paragraphs {
            let id = format!("p{}", passages.len());
            for question in paragraph.qas {
                if question.is_impossible || question.question.trim().is_empty() {
                    impossible += 1;
                    continue;
                }
                if !seen.insert(question.id.clone()) {
                    return Err(DataError::DuplicateId { path: path.to_owned(), id: question.id });
                }
                queries.push(Query {
                    id: question.id,
                    text: question.question,
                    judgements: BTreeMap::from([(id.clone(), 1)]),
                    metadata: serde_json::json!({ "answers": question.answers }),
                });
            }
            passages.push(Passage { id, title: article.title.replace('_', " "), text: paragraph.context });
        }
    }
    let warnings = (impossible > 0).then(|| format!("{impossible} questions without an answer are left out"));
    Ok(Dataset { name, passages, queries, warnings: warnings.into_iter().collect() })
}

fn bad_line(path: &Path, line: usize, reason: String) -> DataError {
    DataError::Format { path: path.to_owned(), line, reason }
}

fn parse_line<'a, T: Deserialize<'a>>(path: &Path, line: usize, text: &'a str) -> Result<T, DataError> {
    serde_json::from_str(text).map_err(|error| {
        // The parser sees one line only, and calls it the first.
        let reason = error.to_string().replace(" at line 1 column ", " at column ");
        bad_line(path, line, reason)
    })
}

fn for_each_line(path: &Path, mut take: impl FnMut(usize, &str) -> Result<(), DataError>) -> Result<(), DataError> {
    let failed = |source| DataError::Io { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    for (index, line) in BufReader::new(file).lines().enumerate() {
        let line = line.map_err(|source| match source.kind() {
            std::io::ErrorKind::InvalidData => bad_line(path, index + 1, "it is not UTF-8".to_owned()),
            _ => failed(source),
        })?;
        if !line.trim().is_empty() {
            take(index + 1, &line)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(corpus: &str, queries: &str, judgements: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("qrels")).unwrap();
        for (name, text) in [("corpus.jsonl", corpus), ("queries.jsonl", queries), ("qrels/test.tsv", judgements)] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    const CORPUS: &str = "{\"_id\":\"d1\",\"title\":\"T\",\"text\":\"one\"}\n{\"_id\":\"d2\",\"text\":\"two\"}\n";

    #[test]
    fn a_beir_folder_keeps_judged_queries_and_says_what_it_left_out() {
        let folder = folder(
            CORPUS,
            "{\"_id\":\"q1\",\"text\":\"a\"}\n{\"_id\":\"q2\",\"text\":\"b\"}\n{\"_id\":\"q3\",\"text\":\" \"}\n",
            "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td2\t-1\nq3\td1\t1\nq9\tgone\t1\nq8\td1\t1\n",
        );
        let set = Dataset::read(folder.path()).unwrap();
        assert_eq!(set.passages.len(), 2);
        assert_eq!(set.queries.iter().map(|query| query.id.as_str()).collect::<Vec<_>>(), ["q1"]);
        assert_eq!(set.queries[0].judgements, BTreeMap::from([("d1".to_owned(), 2), ("d2".to_owned(), 0)]));
        assert_eq!(
            set.warnings,
            [
                "1 judgements name passages that the corpus does not have (`gone`)",
                "1 queries have no relevant passage and are left out (`q2`)",
                "1 queries are empty and are left out (`q3`)",
                "1 judged queries are not among the queries (`q8`)",
            ]
        );
    }

    #[test]
    fn broken_sets_are_refused_with_file_and_line() {
        let cases = [
            (folder(CORPUS, "", "q\td1\t1\nq\td1\tx\n"), "test.tsv, line 2: `x` is no grade"),
            (folder("{\"_id\":\"d1\"}\n", "", ""), "corpus.jsonl, line 1: missing field `text` at column 12"),
            (folder(&format!("{CORPUS}nonsense\n"), "", ""), "corpus.jsonl, line 3: expected"),
            (folder(&CORPUS.repeat(2), "", ""), "the id `d1` occurs twice"),
            (folder(CORPUS, "", ""), "no query has a relevant passage"),
        ];
        for (folder, expected) in cases {
            let error = Dataset::read(folder.path()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error} does not say {expected}");
        }
        let missing = Dataset::read(Path::new("/nonexistent/set")).unwrap_err().to_string();
        assert!(missing.contains("/nonexistent/set"), "{missing}");
    }

    #[test]
    fn what_is_doubtful_is_told_with_its_first_id() {
        let folder = folder(
            &format!("{CORPUS}{{\"_id\":\"d3\",\"text\":\" \"}}\n{{\"_id\":\"d4\",\"text\":\"\"}}\n"),
            "{\"_id\":\"q1\",\"text\":\"a\"}\n",
            "q1\td1\t1\nq1\td1\t2\nq1\td1\t2\n",
        );
        let set = Dataset::read(folder.path()).unwrap();
        assert_eq!(set.queries[0].judgements, BTreeMap::from([("d1".to_owned(), 2)]));
        assert_eq!(
            set.warnings,
            [
                "2 passages have no text and cannot be found (`d3`, …)",
                "1 judgements contradict earlier ones of the same query and passage; the last counts (`q1`)",
            ]
        );
        std::fs::write(folder.path().join("corpus.jsonl"), b"{}\n\xff\n").unwrap();
        let error = Dataset::read(folder.path()).unwrap_err().to_string();
        assert!(error.contains("line 1: missing field"), "{error}");
        std::fs::write(folder.path().join("corpus.jsonl"), [CORPUS.as_bytes(), b"\xff\n"].concat()).unwrap();
        let error = Dataset::read(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("corpus.jsonl, line 3: it is not UTF-8"), "{error}");
    }

    #[test]
    fn squad_questions_point_to_their_paragraph() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dev.json");
        std::fs::write(
            &path,
            r#"{"data":[{"title":"A_B","paragraphs":[{"context":"c0","qas":[]},{"context":"c1","qas":[
                {"id":"x","question":"q?","answers":[{"text":"c","answer_start":0}]},
                {"id":"y","question":"q?","is_impossible":true,"answers":[]}]}]}]}"#,
        )
        .unwrap();
        let set = Dataset::read(&path).unwrap();
        assert_eq!((set.name.as_str(), set.passages[1].title.as_str()), ("dev", "A B"));
        assert_eq!(set.queries.len(), 1);
        assert!(set.queries[0].judgements.contains_key("p1"));
    }
}
