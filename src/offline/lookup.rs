//! Looks up the value in a table that a question asks for by naming the column and values of only one row: "What is the
//! rent of the York branch?", or the most or least in a column ([`extreme`]), or adds one up ([`total`]). Which words of
//! running text answer is not judged here.

mod amount;
pub(super) mod extreme;
pub(super) mod total;

use std::collections::BTreeSet;

use super::entities::years;
use super::statements::Statement;
use super::terms::content_set;
use crate::base::text::{Language, is_cjk, is_hiragana};
use crate::report::facts::{Band, Number, amounts};

/// Whether only all rows of a table answer a question: it asks for the most, the least or a total.
pub fn asks_for_whole_table(question: &str) -> bool {
    extreme::Extreme::of(question).is_some() || total::names_total(question)
}

/// A question in the form in which it is matched with rows and columns.
pub(super) struct Asking {
    question: String,
    lower: String,
    terms: BTreeSet<String>,
    amounts: Vec<Number>,
    /// The words of the question's amounts.
    pub amount_terms: BTreeSet<String>,
    /// The words of the question that are not in the one that it follows; none if it follows none.
    pub new_terms: BTreeSet<String>,
    language: Language,
}

/// Rows of a table whose band fits the question, each with the number of the cell that holds the band.
pub(super) type InBands = BTreeSet<(usize, usize)>;

/// Words of a question for a price that do not tell whose price it is.
const BESIDE_PRICES: &str = "cost costs price pay fee charge fare money today currently take bring get ordinary normal usual \
    regular standard typical";

/// Nouns for prices in scripts with spaces and, as the second, in scripts without.
const PRICES: &str = "cost|price|fee|charge|rent|preis|gebühr|miete|coût|prix|tarif|precio|prezzo|preço|custo|prijs|cena|koszt|\
    цена|fiyat|ücret|preț";
const PRICES_WIDE: &str = "料金|価格|単価|价格|费用|가격|요금";

impl Asking {
    pub(super) fn new(question: &str, language: Language) -> Self {
        // 市民課の課長 and 市民課長 are the same.
        let lower = ["課", "部", "係", "室"].iter().fold(question.to_lowercase(), |lower, unit| {
            lower.replace(&format!("{unit}の{unit}長"), &format!("{unit}長"))
        });
        let amounts = amounts(question);
        let of_amounts = amounts.iter().flat_map(|amount| content_set(&question[amount.range.clone()], language));
        Asking {
            question: question.to_owned(),
            terms: content_set(question, language),
            amount_terms: of_amounts.collect(),
            new_terms: BTreeSet::new(),
            amounts,
            lower,
            language,
        }
    }

    /// Whether the question holds a value: its words or, in scripts without spaces, the value itself; brackets are
    /// ignored.
    pub(super) fn holds(&self, value: &str) -> bool {
        let named = bare(value).trim();
        // "A" is a zone, and "a" is an article.
        if named.len() == 1 && named.starts_with(char::is_alphabetic) {
            return self.question.split(|c: char| !c.is_alphanumeric()).skip(1).any(|word| word == named);
        }
        let value = named.to_lowercase();
        if value.contains(is_cjk) {
            return value.chars().nth(1).is_some() && self.lower.contains(&value);
        }
        let terms = content_set(&value, self.language);
        let stands = |(at, _): (usize, &str)| {
            let (before, after) = (&self.lower[..at], &self.lower[at + value.len()..]);
            !before.ends_with(is_narrow) && !after.starts_with(is_narrow)
        };
        // A figure or a code must occur literally.
        match value.contains(|c: char| c.is_ascii_digit()) || terms.is_empty() {
            true => !value.is_empty() && self.lower.match_indices(value.as_str()).any(stands),
            false => terms.is_subset(&self.terms),
        }
    }

    /// Returns the rows with a band that holds an amount of the question: "10–20 kg" for a dog of 15 kg. Of nested
    /// bands the innermost counts: of "up to 5 kg" and "up to 10 kg" the first for 3 kg.
    pub(super) fn in_bands(&self, rows: &[&Statement]) -> InBands {
        if self.amounts.is_empty() {
            return InBands::new();
        }
        let mut found: Vec<(usize, usize, &str, Band)> = Vec::new();
        for (row, statement) in rows.iter().enumerate() {
            for (at, (column, value)) in cells(statement).enumerate() {
                let band = Band::of(value, column).filter(|band| self.amounts.iter().any(|amount| band.holds(amount)));
                found.extend(band.map(|band| (row, at, column, band)));
            }
        }
        let is_innermost = |(_, _, column, band): &&(usize, usize, &str, Band)| {
            !found.iter().any(|(_, _, other, inner)| other == column && inner.is_within(band))
        };
        found.iter().filter(is_innermost).map(|&(row, at, ..)| (row, at)).collect()
    }

    /// Whether the question asks for an amount of money. "How much oil does it take?" does not.
    fn asks_for_money(&self) -> bool {
        const BEGIN_WORDS: &str =
            "pay expensive cheap kost teuer zahl payer cuesta costar pagar costa custa betaal стои плат plăt";
        const ANYWHERE: &str = "how much is|how much are|いくら|値段|多少钱|얼마";
        let mut words = self.lower.split(|c: char| !c.is_alphanumeric());
        words.any(|word| PRICES.split('|').chain(BEGIN_WORDS.split(' ')).any(|one| word.starts_with(one)))
            || PRICES_WIDE.split('|').chain(ANYWHERE.split('|')).any(|one| self.lower.contains(one))
    }

    /// Returns how many words of a column's name the question holds.
    fn terms_shared(&self, column: &str) -> usize {
        content_set(bare(column), self.language).intersection(&self.terms).count()
    }

    /// Returns how much of a column's name the question holds: the number of words, if it holds all of them, or all but
    /// one of three.
    fn held(&self, column: &str) -> usize {
        let terms = content_set(bare(column), self.language);
        let shared = self.terms_shared(column);
        if shared == terms.len() || shared >= 2 && shared * 3 >= terms.len() * 2 { shared } else { 0 }
    }
}

/// Returns the row of a table that the question is about, and the value in the column that it names. `None` if it names
/// no column or several equally, or if several rows fit equally well.
pub(super) fn look_up<'r>(asking: &Asking, rows: &[&'r Statement], in_bands: &InBands) -> Option<(usize, &'r str)> {
    if rows.len() < 2 {
        return None;
    }
    let language = asking.language;
    let is_named = |row: usize, at: usize, value: &str| asking.holds(value) || in_bands.contains(&(row, at));
    let named = |row: usize| cells(rows[row]).enumerate().filter(|(at, (_, value))| is_named(row, *at, value)).count();
    let named: Vec<usize> = (0..rows.len()).map(named).collect();
    // "And to York?" follows a question on Leeds, whose row is named as well.
    let is_new = |row: &usize| !asking.new_terms.is_disjoint(&content_set(&rows[*row].text, language));
    let all: Vec<usize> = (0..rows.len()).filter(|&row| named[row] > 0).collect();
    let new: Vec<usize> = all.iter().copied().filter(is_new).collect();
    // If the new words stand in other rows, the row that is named is not asked for any more.
    if new.is_empty() && (0..rows.len()).any(|row| is_new(&row)) {
        return None;
    }
    let among = if new.is_empty() { all } else { new };
    let most = among.iter().map(|&row| named[row]).max()?;
    let mut best = among.into_iter().filter(|&row| named[row] == most);
    let row = best.next()?;
    // Overlapping passages hold a row twice.
    if best.any(|other| rows[other].text != rows[row].text) {
        return None;
    }
    // A question that asks for much else is not answered by a cell.
    let mut held = content_set(&rows[row].text, language);
    if in_bands.iter().any(|(banded, _)| *banded == row) {
        held.extend(asking.amount_terms.iter().cloned());
    }
    let asks_for_money = asking.asks_for_money();
    let beside = if asks_for_money { content_set(BESIDE_PRICES, language) } else { BTreeSet::new() };
    let words = |term: &&String| !term.contains(is_hiragana) && !beside.contains(*term);
    let shared = asking.terms.intersection(&held).filter(words).count();
    if shared * 2 < asking.terms.iter().filter(words).count() {
        return None;
    }
    // What the question says already is not asked for: "the four-room flat" does not ask for the number of rooms.
    let (said, open): (Vec<_>, Vec<_>) =
        cells(rows[row]).enumerate().partition(|(at, (_, value))| is_named(row, *at, value));
    let said: BTreeSet<String> = said.iter().flat_map(|(_, (_, value))| content_set(value, language)).collect();
    let is_said = |name: &str| content_set(bare(name), language).is_subset(&said);
    let open = open.into_iter().map(|(_, cell)| cell).filter(|(name, _)| !is_said(name));
    let values = open.map(|(name, value)| (asking.held(name), value));
    let values: Vec<(usize, &str)> = values.filter(|(held, _)| *held > 0).collect();
    let Some(longest) = values.iter().map(|(held, _)| *held).max() else {
        // Of several prices, that of the column which shares most words with the question, or else the first, which is
        // the usual one; of the prices of several years none.
        let is_price = |&(name, value): &(&str, &str)| {
            let is_amount = value.starts_with(['£', '$', '€', '¥']) || is_decimal(value);
            (is_money(name) || is_amount) && years(name).is_empty()
        };
        let shared = |name: &str| asking.terms_shared(name);
        let prices = cells(rows[row]).filter(is_price).filter(|_| asks_for_money);
        return prices
            .reduce(|best, next| if shared(next.0) > shared(best.0) { next } else { best })
            .map(|(_, value)| (row, value));
    };
    let mut asked_for = values.iter().filter(|(held, _)| *held == longest);
    asked_for.next().filter(|_| asked_for.next().is_none()).map(|&(_, value)| (row, value))
}

/// Returns the values of a row with the names of their columns before them; an empty name for a column without one. The
/// full stop behind a record's last amount is not part of it.
pub(super) fn cells(row: &Statement) -> impl Iterator<Item = (&str, &str)> {
    let ends_in_digit = |value: &&str| value.ends_with(|c: char| c.is_ascii_digit());
    let amount = move |value| str::strip_suffix(value, '.').filter(ends_in_digit).unwrap_or(value);
    row.cells()
        .map(move |cell| cell.split_once(": ").unwrap_or(("", cell)))
        .map(move |(name, value)| (name, amount(value)))
}

/// Whether the question holds a whole name; brackets are ignored.
pub(super) fn is_asked(name: &str, asked: &BTreeSet<String>, language: Language) -> bool {
    let terms = content_set(bare(name), language);
    !terms.is_empty() && terms.is_subset(asked)
}

/// Returns a name without the brackets or the mark of a note after it.
fn bare(name: &str) -> &str {
    name.split(['(', '（', '^', '¹', '²', '³']).next().unwrap_or(name)
}

/// Whether a column's name is about money.
fn is_money(name: &str) -> bool {
    const OTHER: &str = "rate|fare|kosten|betrag|montant|loyer|importe|importo|bedrag|huur|kwota|стоимость|сумма|giá|سعر|£|$|€|円|金額|\
        費用|代金|金额|单价|금액|비용";
    let lower = name.to_lowercase();
    [PRICES, PRICES_WIDE, OTHER].iter().flat_map(|words| words.split('|')).any(|word| lower.contains(word))
}

/// Whether a value is an amount with two decimals.
fn is_decimal(value: &str) -> bool {
    let parts = value.split_once('.');
    parts.is_some_and(|(whole, rest)| rest.len() == 2 && whole.chars().chain(rest.chars()).all(|c| c.is_ascii_digit()))
}

/// Whether a character is part of a word of a script with spaces.
fn is_narrow(c: char) -> bool {
    c.is_alphanumeric() && !is_cjk(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::detect_language;
    use crate::offline::statements::{Form, statements};
    use crate::offline::testing::card;

    fn check(table: &str, question: &str, expected: Option<(usize, &str)>) {
        let language = detect_language(question);
        let stated = statements(&card(1, "Branches", "", table));
        let rows: Vec<&Statement> = stated.iter().filter(|one| one.form == Form::Row).collect();
        let asking = Asking::new(question, language);
        assert_eq!(look_up(&asking, &rows, &asking.in_bands(&rows)), expected, "{question}");
    }

    #[test]
    fn the_value_of_a_named_column_in_a_named_row() {
        let check = |question: &str, expected: Option<(usize, &str)>| {
            let table = "| Branch | Floor | Rent 2024 (GBP) | Rent 2025 (GBP) | Manager |\n|---|---|---|---|---|\n\
                         | North Leeds | 2 | 1,200.50 | 1,300 | Ann Lee |\n| York | 2 | 900 | 950 | Bo Hill |\n";
            check(table, question, expected);
        };
        check("What was the rent of York in 2024?", Some((1, "900")));
        check("rent 2025 north leeds", Some((0, "1,300")));
        check("Who is the manager in York?", Some((1, "Bo Hill")));
        check("Who is the manager on floor 2?", None);
        check("What is the rent of York?", None);
        check("Which branch is run by Ann Lee?", Some((0, "North Leeds")));
        let flats = "| Flat | Rooms | Charge |\n|---|---|---|\n| Four-room | 4 | 1,106 |\n| Two-room | 2 | 700 |\n";
        super::tests::check(flats, "What does the four-room flat cost?", Some((0, "1,106")));
        let flats = "| Flat | Rooms | Monthly charge 2024 | Monthly charge 2025 |\n|---|---|---|---|\n| Four-room | 4 | 1,058 | 1,106 |\n| Two-room | 2 | 600 | 700 |\n";
        super::tests::check(flats, "What does the four-room flat cost per month in 2025?", Some((0, "1,106")));
        check("What does the branch in Hull sell?", None);
        let oil = "| Engine | Power | Price (£) |\n|---|---|---|\n| Marlin 20 | 15 kW | 4,100 |\n| Marlin 30 | 22 kW | 5,200 |\n";
        super::tests::check(oil, "How much oil does the Marlin 20 take?", None);
        super::tests::check(oil, "How much is the Marlin 20?", Some((0, "4,100")));
        let accounts = "| Year | Fares (£) | Insurance (£) | Deficit (£) |\n|---|---|---|---|\n| 2023 | 187400 | 18600 | -31000 |\n| 2024 | 214300 | 26400 | -25900 |\n";
        super::tests::check(accounts, "Insurance premium 2024", Some((1, "26400")));
        check("What does the manager in York say of ice, fog, storms, strikes and overhauls?", None);
        let dogs = "| Dog | Neutering | Rabies vaccination |\n|---|---|---|\n| up to 10 kg | £180 | £45 |\n| 10–25 kg | £220 | £48 |\n| over 25 kg | £260 | £50 |\n";
        super::tests::check(dogs, "What does neutering cost for a 30 kilo dog?", Some((2, "£260")));
        super::tests::check(dogs, "What is the price of neutering a dog of 12 kg?", Some((1, "£220")));
        super::tests::check(dogs, "How much are rabies jabs for a dog of 12 kg?", Some((1, "£48")));
        super::tests::check(dogs, "rabies for a dog of 12 years", None);
        let post = "| Letter | Price (£) |\n|---|---|\n| up to 100 g | 1.10 |\n| up to 250 g | 1.75 |\n| up to 750 g | 2.40 |\n";
        super::tests::check(post, "How much is a letter of 200 g?", Some((1, "1.75")));
        super::tests::check(post, "How much is a letter of 900 g?", None);
    }

    #[test]
    fn of_two_named_rows_the_one_that_is_new_in_the_question() {
        let table = "| Destination | Zone | Chilled pallet (GBP) |\n|---|---|---|\n| Dundee | A | 49.50 |\n| Stornoway | E | 156.50 |\n";
        let stated = statements(&card(1, "Tariff", "", table));
        let rows: Vec<&Statement> = stated.iter().filter(|one| one.form == Form::Row).collect();
        let question = "and to Stornoway? (What does a chilled pallet to Dundee cost)";
        let mut asking = Asking::new(question, Language::ENGLISH);
        assert_eq!(look_up(&asking, &rows, &InBands::new()), None);
        let alone = Asking::new("What does a chilled pallet to Stornoway cost?", Language::ENGLISH);
        assert_eq!(look_up(&alone, &rows, &InBands::new()), Some((1, "156.50")));
        asking.new_terms = content_set("Stornoway", Language::ENGLISH);
        assert_eq!(look_up(&asking, &rows, &InBands::new()), Some((1, "156.50")));
        let goods =
            "| Item | Price |\n|---|---|\n| Coffee grinder Rondo | 349.00 EUR |\n| Water filter Aqua | 24.95 EUR |\n";
        let stated = statements(&card(1, "Goods", "", goods));
        let rows: Vec<&Statement> = stated.iter().filter(|one| one.form == Form::Row).collect();
        let question = "And the water filter? (How much does the coffee grinder Rondo cost)";
        let mut asking = Asking::new(question, Language::ENGLISH);
        assert_eq!(look_up(&asking, &rows, &InBands::new()), Some((0, "349.00 EUR")));
        asking.new_terms = content_set("water filter", Language::ENGLISH);
        assert_eq!(look_up(&asking, &rows, &InBands::new()), None);
    }

    #[test]
    fn values_in_japanese() {
        let check = |question: &str, expected: Option<(usize, &str)>| {
            let table = "| 年度 | 合計(人) | 電気代(千円) |\n|---|---|---|\n| 2015 | 612000 | 98400 |\n| 2024 | 393000 | 165300 |\n";
            check(table, question, expected);
        };
        check("2024年度の電気代はいくらでしたか", Some((1, "165300")));
        check("2015年度の合計", Some((0, "612000")));
        check("電気代はいくらですか", None);
        check("2014年度の電気代は", None);
        let prices = "| 品番 | 品名 | 標準価格(円) | 卸価格A(円) | 卸価格B(円) |\n|---|---|---|---|---|\n\
                      | MA-300 | 清浄機 | 31800 | 20670 | 22260 |\n| MA-300S | 清浄機 静音 | 33800 | 21970 | 23660 |\n";
        let lots = "| ロット | 単価 |\n|---|---|\n| 1〜99個 | 120円 |\n| 100〜499個 | 105円 |\n| 500個以上 | 90円 |\n";
        super::tests::check(lots, "300個のロットの単価はいくらですか", Some((1, "105円")));
        super::tests::check(prices, "MA-300Sの標準価格はいくらですか", Some((1, "33800")));
        super::tests::check(prices, "MA-300の標準価格はいくらですか", Some((0, "31800")));
    }
}
