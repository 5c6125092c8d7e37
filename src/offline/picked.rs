//! The rows of a table that a question asks for by comparing them: those with the most or the least of a column, "Which branch
//! has the most staff?", those beyond a limit, "risks with a score of 15 or more", and those that hold a value, "How many
//! risks does the IT Lead own?". No reader compares rows.

use std::collections::BTreeSet;

use super::entities::years;
use super::lookup::{Asking, cells, is_money, is_total};
use super::statements::Statement;
use super::superlatives::{asks_for_least, asks_for_most, how_many};
use super::terms::has_word;
use crate::base::text::is_cjk;
use crate::report::facts::leading_amount;

/// First values of rows that stand for all that have no row.
const REST: [&str; 5] = ["other", "others", "rest", "その他", "他"];

/// Words that ask for another than the first of them.
const NOT_THE_FIRST: [&str; 4] = ["second", "third", "次に", "番目に"];

/// Words before a limit, and behind it, by what they ask for.
const LIMITS: [(Bound, &[&str], &[&str]); 4] = [
    (
        Bound::AtLeast,
        &["at least", "no less than", "not less than"],
        &["or more", "or higher", "or above", "and above", "以上"],
    ),
    (
        Bound::AtMost,
        &["at most", "no more than", "not more than", "up to"],
        &["or less", "or fewer", "or below", "or lower", "以下"],
    ),
    (
        Bound::Above,
        &["more than", "greater than", "higher than", "over", "above", "exceeding"],
        &["を超え", "超の", "を上回", "より多", "より高"],
    ),
    (
        Bound::Below,
        &["less than", "fewer than", "lower than", "cheaper than", "under", "below"],
        &["未満", "を下回", "より少", "より安", "より低"],
    ),
];

/// Columns that rank the rows of a table where no column is named.
const RANKING: [&str; 8] = ["score", "rating", "total", "priority", "points", "合計", "評価", "点数"];

/// Most rows of those with the most of something.
const SEVERAL: usize = 5;

/// What a value must be.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bound {
    AtLeast,
    AtMost,
    Above,
    Below,
}

impl Bound {
    fn holds(self, value: f64, limit: f64) -> bool {
        match self {
            Bound::AtLeast => value >= limit,
            Bound::AtMost => value <= limit,
            Bound::Above => value > limit,
            Bound::Below => value < limit,
        }
    }
}

/// The rows of one table, called `about`, that the question asks for by comparing them, in the order in which they answer;
/// `None` where it asks for no such thing.
pub(super) fn rows_picked(asking: &Asking, about: &str, rows: &[&Statement], is_looked_up: bool) -> Option<Vec<usize>> {
    if rows.len() < 2 {
        return None;
    }
    let mut seen = BTreeSet::new();
    // Passages that overlap hold a row twice.
    let body: Vec<usize> = (0..rows.len())
        .filter(|&row| {
            !cells(rows[row]).next().is_some_and(|(_, first)| is_total(first)) && seen.insert(&rows[row].text)
        })
        .collect();
    let table = Table { asking, about, rows, body };
    let compared = || table.beyond_limit().or_else(|| table.ranked()).or_else(|| table.counted());
    let compares = limit(asking.lower()).is_some() || asks_for_most(asking.lower()) || asks_for_least(asking.lower());
    let found = if compares { None } else { table.holding() };
    let found = found.or_else(|| if is_looked_up { None } else { compared() })?;
    (!found.is_empty() && found.len() < rows.len()).then_some(found)
}

/// What a row is called: its first value, or the second where the first is but a number or a code.
pub(super) fn called(row: &Statement) -> &str {
    let is_name = |value: &str| !value.contains(|c: char| c.is_ascii_digit());
    let mut values = cells(row).map(|(_, value)| value);
    let first = values.next().unwrap_or_default();
    let is_word = |second: &&str| leading_amount(second).is_none() && second.contains(char::is_alphabetic);
    let second = values.next().filter(is_word);
    if is_name(first) { first } else { second.unwrap_or(first) }
}

/// Whether a question may ask for rows by comparing them, so that it takes a whole table.
pub fn compares_rows(question: &str) -> bool {
    let lower = question.to_lowercase();
    let limits =
        LIMITS.iter().any(|(_, before, behind)| before.iter().chain(*behind).any(|words| lower.contains(words)));
    limits || asks_for_most(&lower) || asks_for_least(&lower) || counts(&lower)
}

struct Table<'a> {
    asking: &'a Asking,
    about: &'a str,
    rows: &'a [&'a Statement],
    /// The rows that are compared.
    body: Vec<usize>,
}

impl Table<'_> {
    fn figure(&self, row: usize, column: &str) -> Option<f64> {
        cells(self.rows[row]).find(|cell| cell.0 == column).and_then(|cell| leading_amount(cell.1))
    }

    /// The columns that hold figures in most rows.
    fn of_figures(&self) -> Vec<&str> {
        let names: BTreeSet<&str> =
            self.body.iter().flat_map(|&row| cells(self.rows[row])).map(|(name, _)| name).collect();
        let holds = |name: &&str| {
            let figures = self.body.iter().filter(|&&row| self.figure(row, name).is_some()).count();
            // The number of a row is no figure.
            let is_number = ["no.", "id", "番号"].iter().any(|word| name.to_lowercase().ends_with(word));
            figures * 3 >= self.body.len() * 2 && !is_number
        };
        names.into_iter().filter(holds).collect()
    }

    /// The column of figures that the question names; where it names none, the one that ranks the rows of a table that it
    /// speaks of. "Which year had the highest fares?" does not ask for the highest year.
    fn column(&self) -> Option<&str> {
        let all = self.of_figures();
        let are_years = |name: &&str| {
            self.body.iter().filter_map(|&row| self.figure(row, name)).all(|figure| (1000.0..2100.0).contains(&figure))
        };
        let named = all.iter().copied().filter(|name| self.asking.names(name));
        // The longest name says most.
        if let Some(column) = named.max_by_key(|name| (!are_years(name), name.len())) {
            return Some(column);
        }
        if !self.asking.speaks_of(self.about) {
            return None;
        }
        let ranking = all.iter().copied().filter(|name| is_ranking(name)).collect::<Vec<&str>>();
        let others = all.iter().copied().filter(|name| !are_years(name)).collect::<Vec<&str>>();
        let is_price = |name: &&str| self.asking.asks_for_money() && is_money(name);
        let prices = all.iter().copied().filter(is_price).collect::<Vec<&str>>();
        // Of columns that are years the last one is how things stand.
        if others.len() > 1 && others.iter().all(|name| years(name).len() == 1) {
            return others.into_iter().max_by_key(|name| years(name));
        }
        [prices, ranking, others].into_iter().find(|found| found.len() == 1).map(|found| found[0])
    }

    /// The rows with the most or the least, all of them where several are asked for.
    fn ranked(&self) -> Option<Vec<usize>> {
        let question = self.asking.lower();
        let (most, least) = (asks_for_most(question), asks_for_least(question));
        if most == least || has_word(question, &NOT_THE_FIRST) {
            return None;
        }
        let column = self.column()?;
        let sign = if most { 1.0 } else { -1.0 };
        let is_rest = |row: usize| REST.contains(&called(self.rows[row]).to_lowercase().as_str());
        let body = self.body.iter().filter(|&&row| !is_rest(row));
        let figures = body.filter_map(|&row| Some((row, sign * self.figure(row, column)?)));
        let mut figures: Vec<(usize, f64)> = figures.collect();
        figures.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let best = figures.first()?.1;
        let number = how_many(question);
        let most = number.unwrap_or(if question.contains(" are the ") { SEVERAL } else { 0 });
        let chosen = figures.iter().enumerate();
        let chosen = chosen.take_while(|(place, one)| *place < most || number.is_none() && one.1 >= best);
        let chosen: Vec<usize> = chosen.map(|(_, one)| one.0).collect();
        // Where most are alike nobody asks for them.
        (chosen.len() * 2 <= figures.len() || most > 0 && chosen.len() < figures.len()).then_some(chosen)
    }

    /// The rows beyond a limit that the question names: "a score of 15 or more".
    fn beyond_limit(&self) -> Option<Vec<usize>> {
        let (bound, limit) = limit(self.asking.lower())?;
        let column = self.column()?;
        let holds = |row: &&usize| self.figure(**row, column).is_some_and(|figure| bound.holds(figure, limit));
        Some(self.body.iter().filter(holds).copied().collect())
    }

    /// The rows that hold a value of the question in one column, and are not called so.
    fn that_hold(&self, column: &str) -> Vec<usize> {
        let holds = |&row: &usize| {
            let (row, called) = (self.rows[row], called(self.rows[row]));
            self.asking.cells(row).any(|(name, value)| name == column && value != called && self.asking.holds(value))
        };
        self.body.iter().copied().filter(holds).collect()
    }

    /// The columns but the first, which names the rows.
    fn columns(&self) -> BTreeSet<&str> {
        self.body.iter().flat_map(|&row| cells(self.rows[row]).skip(1)).map(|(name, _)| name).collect()
    }

    /// The rows that hold a value of the question in the column that it names: "Who is on late shift on Thursday?".
    fn holding(&self) -> Option<Vec<usize>> {
        let question = self.asking.lower();
        if !has_word(question, &["who", "which", "誰", "だれ", "どの"]) && !counts(question) {
            return None;
        }
        let named = self.columns().into_iter().filter(|name| self.asking.names(name));
        let mut found = named.map(|name| self.that_hold(name)).filter(|rows| !rows.is_empty());
        found.next().filter(|_| found.next().is_none())
    }

    /// The rows that hold a value of the question, where it asks which or how many they are.
    fn counted(&self) -> Option<Vec<usize>> {
        let question = self.asking.lower();
        // "費目は何ですか" asks for what the rows are called.
        let names_rows = || {
            let name = cells(self.rows[self.body[0]]).next().map_or("", |(name, _)| name);
            has_word(question, &["what", "which", "何", "どの", "どれ"]) && self.asking.names(name)
        };
        let asks = (counts(question) || has_word(question, &["which"])) && self.asking.speaks_of(self.about)
            || !self.body.is_empty() && names_rows();
        if !asks {
            return None;
        }
        let mut found = self.columns().into_iter().map(|name| self.that_hold(name)).filter(|rows| rows.len() > 1);
        // Of two columns each holds one of the conditions.
        let mut first = found.next()?;
        found.for_each(|rows| first.retain(|row| rows.contains(row)));
        (!first.is_empty()).then_some(first)
    }
}

/// Whether a column ranks the rows.
fn is_ranking(name: &str) -> bool {
    RANKING.iter().any(|word| name.to_lowercase().contains(word))
}

/// Whether a question asks for a number of things.
fn counts(lower: &str) -> bool {
    ["how many ", "何件", "何人", "いくつ", "何種類", "何台", "何名"].iter().any(|words| lower.contains(words))
}

/// The limit that a question names.
fn limit(lower: &str) -> Option<(Bound, f64)> {
    let starts = lower.char_indices().filter(|&(at, c)| {
        c.is_ascii_digit() && !lower[..at].ends_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','))
    });
    let mut found = starts.filter_map(|(at, _)| {
        let end = lower[at..]
            .find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ','))
            .map_or(lower.len(), |end| at + end);
        let limit: f64 = lower[at..end].trim_end_matches(['.', ',']).replace(',', "").parse().ok()?;
        let before = lower[..at].trim_end_matches(['£', '$', '€', '¥', ' ']);
        // A unit may stand between: "25 euros or more", "100円以上".
        let behind = lower[end..].trim_start();
        let unit =
            behind.find(|c: char| !is_cjk(c) && c.is_whitespace()).map_or("", |space| behind[space..].trim_start());
        let is_behind = |word: &&&str| {
            behind.starts_with(**word)
                || unit.starts_with(**word)
                || behind.contains(is_cjk) && behind.find(**word).is_some_and(|at| behind[..at].chars().count() < 4)
        };
        let is_before =
            |word: &&&str| before.strip_suffix(**word).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric));
        let bound = LIMITS.iter().find(|(_, said, after)| {
            said.iter().any(|word| is_before(&word)) || after.iter().any(|word| is_behind(&word))
        })?;
        Some((bound.0, limit))
    });
    found.next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::Language;
    use crate::offline::statements::{Form, statements};
    use crate::offline::testing::card;

    #[test]
    fn the_row_with_the_most_or_the_least() {
        let check = |question: &str, expected: Option<&str>| {
            let table = "| Branch | Staff | Rent (GBP) | Manager |\n|---|---|---|---|\n\
                         | Leeds | 9 | £1,200.50 | Ann |\n| York | 24 | £900 | Bo |\n| Hull | 9 | £10,000 | Cy |\n";
            let stated = statements(&card(1, "Branches", "", table));
            let rows: Vec<&Statement> = stated.iter().filter(|one| one.form == Form::Row).collect();
            let found = rows_picked(&Asking::new(question, Language::ENGLISH), "Branches", &rows, false)
                .map(|found| rows[found[0]].text.clone());
            let found = found.map(|text| text["Branch: ".len()..].split(';').next().unwrap_or_default().to_owned());
            assert_eq!(found.as_deref(), expected, "{question}");
        };
        check("Which branch has the most staff?", Some("York"));
        check("Which branch pays the highest rent?", Some("Hull"));
        check("Who manages the branch with the lowest rent?", Some("York"));
        check("Where is rent the lowest?", Some("York"));
        check("Which is the dearest branch?", Some("Hull"));
        check("Which is the cheapest branch?", Some("York"));
        check("Which branch has the fewest staff?", None);
        check("Which branch has the second highest rent?", None);
        check("Which branch has the most customers?", None);
        check("How many staff has York?", None);
        let table = "| 年度 | 合計(人) |\n|---|---|\n| 2018 | 268000 |\n| 2024 | 214300 |\n";
        let stated = statements(&card(1, "入館者", "", table));
        let rows: Vec<&Statement> = stated.iter().collect();
        let found = rows_picked(
            &Asking::new("合計がいちばん多かったのは何年度ですか", Language::from_code("jpn")),
            "入館者",
            &rows,
            false,
        );
        assert_eq!(found, Some(vec![0]));
        let table = "| Year | Fares (£) | Wages (£) |\n|---|---|---|\n| 2018 | 268000 | 9 |\n| 2024 | 214300 | 9 |\n";
        let stated = statements(&card(1, "Accounts", "", table));
        let rows: Vec<&Statement> = stated.iter().collect();
        let found =
            rows_picked(&Asking::new("Which year had the highest fares?", Language::ENGLISH), "Accounts", &rows, false);
        assert_eq!(found, Some(vec![0]));
    }

    #[test]
    fn the_rows_that_a_question_compares() {
        let check = |title: &str, table: &str, question: &str, expected: Option<&[&str]>| {
            let language = crate::base::text::detect_language(question);
            let stated = statements(&card(1, title, "", table));
            let rows: Vec<&Statement> = stated.iter().filter(|one| one.form == Form::Row).collect();
            let found = rows_picked(&Asking::new(question, language), title, &rows, false);
            let found = found.map(|found| found.iter().map(|&row| called(rows[row])).collect::<Vec<&str>>());
            assert_eq!(found.as_deref(), expected, "{question}");
        };
        let risks = "| ID | Risk | Impact | Score | Owner |\n|---|---|---|---|---|\n\
                     | R1 | Energy prices | 4 | 16 | Ann |\n| R2 | Flood | 5 | 10 | Bo |\n| R3 | Theft | 1 | 4 | Ann |\n\
                     | R4 | Grant cut | 5 | 20 | Cy |\n| R5 | Illness | 3 | 9 | Di |\n| R6 | Fire | 2 | 8 | Di |\n";
        let check_risks = |question: &str, expected: Option<&[&str]>| check("Risk register", risks, question, expected);
        check_risks("What are the biggest risks?", Some(&["Grant cut", "Energy prices", "Flood", "Illness", "Fire"]));
        check_risks("What is the highest risk?", Some(&["Grant cut"]));
        check_risks("Which risks have a score of 15 or more?", Some(&["Energy prices", "Grant cut"]));
        check_risks("Which risks have a score of at least 16?", Some(&["Energy prices", "Grant cut"]));
        check_risks("risks with a score above 16", Some(&["Grant cut"]));
        check_risks("Which risks have a score under 9?", Some(&["Theft", "Fire"]));
        check_risks("How many risks does Ann own?", Some(&["Energy prices", "Theft"]));
        check_risks("How many branches does Ann own?", None);
        check_risks("What is the biggest building?", None);
        check_risks("Who owns the risk of a flood?", None);
        let shifts = "| 氏名 | 職種 | 9日(水) | 10日(木) |\n|---|---|---|---|\n| 石川 | 相談員 | 休 | 日勤 |\n\
                      | 金子 | 介護職員 | 早番 | 遅番 |\n| 小西 | 介護職員 | 遅番 | 早番 |\n";
        check("シフト表", shifts, "7月10日に遅番の人は誰ですか", Some(&["金子"]));
        check("シフト表", shifts, "10日に早番の人は誰ですか", Some(&["小西"]));
        let budget = "| 費目 | 財源 | 予算額 |\n|---|---|---|\n| 消耗品費 | 科研費 | 1,800 |\n| 旅費 | 科研費 | 900 |\n\
                      | 図書費 | 交付金 | 120 |\n";
        check("予算表", budget, "科研費から出ている費目は何ですか", Some(&["消耗品費", "旅費"]));
        let stock = "| 品番 | 合計 | 発注点 |\n|---|---|---|\n| A-02 | 1,160 | 1,500 |\n| B-11 | 900 | 300 |\n\
                     | C-21 | 800 | 1,000 |\n| 合計 | 2,860 | – |\n";
        check("在庫表", stock, "合計が900以上の品番は", Some(&["A-02", "B-11"]));
        check("在庫表", stock, "合計が一番多い品番は", Some(&["A-02"]));
        let shares = "| メーカー | 2023年 | 2024年 |\n|---|---|---|\n| 大和 | 21% | 9% |\n| 東邦 | 30% | 31% |\n\
                      | 日機 | 20% | 22% |\n| 当社 | 3% | 3.2% |\n| その他 | 26% | 34.8% |\n";
        check("市場シェア", shares, "市場シェアの上位3社はどこですか", Some(&["東邦", "日機", "大和"]));
        check("市場シェア", shares, "市場シェアが最大のメーカーは", Some(&["東邦"]));
        check_risks("What are the two biggest risks?", Some(&["Grant cut", "Energy prices"]));
        check_risks("the top 3 risks", Some(&["Grant cut", "Energy prices", "Flood"]));
    }

    #[test]
    fn limits_of_a_question() {
        let check = |question: &str, expected| assert_eq!(limit(question), expected, "{question}");
        check("a score of 15 or more", Some((Bound::AtLeast, 15.0)));
        check("fewer than 1,200 visits", Some((Bound::Below, 1200.0)));
        check("under £25", Some((Bound::Below, 25.0)));
        check("25 euros or less", Some((Bound::AtMost, 25.0)));
        check("100円以上の品", Some((Bound::AtLeast, 100.0)));
        check("30人を超える", Some((Bound::Above, 30.0)));
        check("in 2024", None);
        check("a takeover 15 years ago", None);
    }
}
