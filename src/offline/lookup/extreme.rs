//! Finds the row of a table that has the most or the least of what a question asks for: "Which ward has the shortest
//! wait?". Superlatives over running text are left to the reader.

use std::collections::BTreeMap;

use super::{Asking, bare, cells, is_money};
use crate::base::text::{is_cjk, is_listed};
use crate::offline::statements::Statement;
use crate::report::facts::amounts;

/// Words for the most and for the least, in scripts with spaces.
const MOST: &str = "highest largest biggest greatest longest most tallest heaviest widest dearest priciest fastest \
    höchste höchsten höchster größte größten größter längste längsten teuerste teuersten meiste meisten \
    hoogste grootste langste duurste meeste";
const LEAST: &str = "lowest smallest shortest least fewest lightest narrowest cheapest slowest \
    niedrigste niedrigsten kleinste kleinsten kürzeste kürzesten günstigste günstigsten billigste billigsten wenigsten \
    laagste kleinste kortste goedkoopste minste";
/// Phrases for the same in Romance languages and Turkish.
const MOST_PHRASES: &str = "plus élevé|plus cher|plus chère|plus grand|plus long|le plus de|más alt|más car|más grande|más larg|\
    más elevad|più alt|più car|più grande|più lung|più elevat|mais alt|mais car|maior|mais elevad|en yüksek|en pahalı|en büyük|\
    en uzun|en çok";
const LEAST_PHRASES: &str = "moins élevé|moins cher|moins chère|plus bas|plus petit|plus court|le moins de|más baj|más barat|\
    más corto|más corta|più bass|più economic|meno caro|meno cara|più brev|mais baix|mais barat|menor|en düşük|en ucuz|en kısa|\
    en küçük|en az";
/// In Japanese, Chinese and Korean: words that make an adjective a superlative, and the adjectives of each end.
const MOST_OF: [&str; 7] = ["最も", "もっとも", "一番", "いちばん", "最", "가장", "제일"];
const MUCH_WIDE: &str = "高|多|大き|大|長|长|重|広|遠|贵|높|많|큰|긴|비싼";
const LITTLE_WIDE: &str = "安|低|少|小さ|小|短|軽|轻|便宜|낮|적|작|짧|싼|저렴";
/// Words that ask for another place than the first, such as the second longest.
const ORDINALS: &str = "second third fourth fifth next 2nd 3rd zweithöchste zweitgrößte zweitlängste deuxième troisième \
    segundo tercer secondo terzo terceiro tweede derde";
const ORDINALS_WIDE: &str = "番目|番めに|位の|第二|第三|번째|次に";
/// What is cheap or dear is so by its price.
const OF_PRICES: &str = "cheapest dearest priciest expensive teuerste teuersten günstigste günstigsten billigste billigsten \
    cher chère caro cara barato barata economico economica duurste goedkoopste pahalı ucuz";
const OF_PRICES_WIDE: &str = "安|贵|便宜|비싼|싼|저렴";
/// Words that ask which of several, rather than how much.
const WHICH: &str = "which who whose where whom welche welcher welches welchen wer wo quel quelle quels quelles qui où cuál qué \
    quién dónde quale chi dove qual quem onde welke wie waar hangi kim nerede";
const WHICH_WIDE: &str = "どの|どれ|どこ|どちら|誰|だれ|哪|谁|어느|어떤|누구|어디|何が|なに";

/// Whether a question asks for the most or the least of something, which only all rows of a table tell.
pub fn asks_for_extreme(question: &str) -> bool {
    Extreme::of(question).is_some()
}

/// The fewest rows of which one can have the most.
const ROWS: usize = 3;

/// The end of a scale that a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::offline) struct Extreme {
    is_most: bool,
    is_price: bool,
}

impl Extreme {
    /// The end of a scale that a question asks for; `None` if it asks for none, or if it is not clear for which.
    pub fn of(question: &str) -> Option<Extreme> {
        let lower = question.to_lowercase();
        let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let has = |phrases: &str| phrases.split('|').any(|phrase| lower.contains(phrase));
        let begins = |at: usize| !lower[..at].ends_with(char::is_alphanumeric);
        let has_words =
            |phrases: &str| phrases.split('|').any(|phrase| lower.match_indices(phrase).any(|(at, _)| begins(at)));
        let (most, least) = if question.contains(is_cjk) {
            let behind: Vec<&str> = MOST_OF.iter().filter_map(|word| Some(lower.split_once(word)?.1)).collect();
            let opens =
                |list: &str| behind.iter().any(|rest| list.split('|').any(|one| rest.trim_start().starts_with(one)));
            (opens(MUCH_WIDE), opens(LITTLE_WIDE))
        } else {
            // "At most" and "at least" bound something; "most of" and "most recent" compare no amounts.
            let counts = |at: usize| {
                let (before, after) = (at.checked_sub(1).map(|at| words[at]), words.get(at + 1));
                !matches!(before, Some("at")) && !matches!(after, Some(&("of" | "recent" | "recently" | "likely")))
            };
            let is_of = |list: &str| words.iter().enumerate().any(|(at, word)| is_listed(list, word) && counts(at));
            (is_of(MOST) || has_words(MOST_PHRASES), is_of(LEAST) || has_words(LEAST_PHRASES))
        };
        let is_ordinal = words.iter().any(|word| is_listed(ORDINALS, word));
        if has(ORDINALS_WIDE) || is_ordinal {
            return None;
        }
        let is_price = has(OF_PRICES_WIDE) || words.iter().any(|word| is_listed(OF_PRICES, word));
        (most != least).then_some(Extreme { is_most: most, is_price })
    }

    /// The row with the extreme value in the column that the question is about, and what answers: the row's first value
    /// that is not an amount, or the amount if the question asks for that. `None` if the column is not clear, if few
    /// rows have an amount in it, or if several rows share the extreme.
    pub fn look_up<'r>(self, asking: &Asking, rows: &[&'r Statement]) -> Option<(usize, &'r str)> {
        let named = |row: &usize| cells(rows[*row]).filter(|(_, value)| asking.holds(value)).count();
        let most = (0..rows.len()).map(|row| named(&row)).max()?;
        let among: Vec<usize> = (0..rows.len()).filter(|row| named(row) == most).collect();
        let mut columns: BTreeMap<&str, Vec<(usize, f64, &'r str)>> = BTreeMap::new();
        for &row in &among {
            for (name, value) in cells(rows[row]).filter(|(name, _)| !name.is_empty()) {
                columns.entry(name).or_default().extend(amount(value).map(|amount| (row, amount, value)));
            }
        }
        // A column with amounts in most rows; the same row may stand in two passages.
        columns.retain(|_, cells| cells.len() >= ROWS && cells.len() * 2 > among.len());
        let column = self.column(asking, columns.keys().copied())?;
        let amounts = &columns[column];
        let ahead = |a: f64, b: f64| if self.is_most { a > b } else { a < b };
        let best = amounts.iter().copied().reduce(|best, next| if ahead(next.1, best.1) { next } else { best })?;
        let ties = amounts.iter().any(|one| one.1 == best.1 && rows[one.0].text != rows[best.0].text);
        let label = cells(rows[best.0]).find(|(_, value)| amount(value).is_none());
        let asks_which = || {
            let words = asking.lower.split(|c: char| !c.is_alphanumeric()).any(|word| is_listed(WHICH, word));
            words || WHICH_WIDE.split('|').any(|word| asking.lower.contains(word))
        };
        let is_labelled = label.is_some_and(|(name, _)| asking.held(name) > 0);
        let value = label.filter(|_| is_labelled || asks_which() || asking.held(column) == 0);
        (!ties).then_some((best.0, value.map_or(best.2, |(_, value)| value)))
    }

    /// The column that the question is about: the one whose name shares most words with it; else, of what is cheap or
    /// dear, the only one with prices; else the only one with amounts.
    fn column<'c>(self, asking: &Asking, columns: impl Iterator<Item = &'c str> + Clone) -> Option<&'c str> {
        let shared = |name: &str| asking.terms_shared(name);
        let most = columns.clone().map(shared).max().filter(|most| *most > 0);
        let fits = |name: &&str| match most {
            Some(most) => shared(name) == most,
            None => !self.is_price || is_money(bare(name)) || is_money(name),
        };
        let mut found = columns.filter(fits);
        found.next().filter(|_| found.next().is_none())
    }
}

/// The amount that a value is; `None` if it says more than that, such as a name with a number.
fn amount(value: &str) -> Option<f64> {
    let found = amounts(value);
    let [number] = found.as_slice() else { return None };
    let rest = value.len() - number.range.len();
    let (amount, _) = number.values.first()?;
    (rest <= number.range.len().max(8) && !value.starts_with(char::is_alphabetic))
        .then(|| amount * number.unit.map_or(1.0, |unit| unit.factor))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::detect_language;
    use crate::offline::statements::{Form, statements};
    use crate::offline::testing::card;

    const WARDS: &str = "| Ward | Beds | Average wait (weeks) |\n|---|---|---|\n| Cardiology | 24 | 7 |\n\
        | Dermatology | 12 | 19 |\n| Ophthalmology | 16 | 11 |\n";
    const FREIGHT: &str = "| Destination | Standard pallet (GBP) | Chilled pallet (GBP) |\n|---|---|---|\n\
        | Dundee | 38.00 | 49.50 |\n| Stornoway | 124.00 | 156.50 |\n| Glasgow | 36.50 | 51.00 |\n";

    fn check(table: &str, question: &str, expected: Option<&str>) {
        let stated = statements(&card(1, "", "", table));
        let rows: Vec<&Statement> = stated.iter().filter(|one| one.form == Form::Row).collect();
        let asking = Asking::new(question, detect_language(question));
        let found = Extreme::of(question).and_then(|extreme| extreme.look_up(&asking, &rows));
        assert_eq!(found.map(|(_, value)| value), expected, "{question}");
    }

    #[test]
    fn the_row_with_the_most_or_the_least() {
        check(WARDS, "Which ward has the shortest average wait?", Some("Cardiology"));
        check(WARDS, "Which ward has the longest wait?", Some("Dermatology"));
        check(WARDS, "What is the longest average wait?", Some("19"));
        check(WARDS, "Where are most beds?", Some("Cardiology"));
        check(FREIGHT, "Cheapest destination for a standard pallet?", Some("Glasgow"));
        check(FREIGHT, "Which destination is the most expensive for a chilled pallet?", Some("Stornoway"));
        check(FREIGHT, "What is the lowest price for a chilled pallet?", Some("49.50"));
    }

    #[test]
    fn what_is_not_clear_is_not_looked_up() {
        check(WARDS, "Which ward is the largest?", None);
        check(WARDS, "How many beds has a ward at least?", None);
        check(WARDS, "Which ward has the second longest wait?", None);
        check(FREIGHT, "Which destination is the cheapest?", None);
        let ties = "| Shop | Sales |\n|---|---|\n| North | 7 |\n| South | 7 |\n| East | 3 |\n";
        check(ties, "Which shop has the highest sales?", None);
        check(ties, "Which shop has the lowest sales?", Some("East"));
    }

    #[test]
    fn superlatives_in_other_languages() {
        let branches = "| 支店 | 売上（万円） | 人数 |\n|---|---|---|\n| 名古屋 | 1,240 | 12 |\n| 大阪 | 2,310 | 31 |\n| 福岡 | 980 | 9 |\n";
        check(branches, "売上が最も多い支店はどこですか", Some("大阪"));
        check(branches, "人数が一番少ないのはどの支店ですか", Some("福岡"));
        check(branches, "最大の課題は何ですか", None);
        let flats = "| Wohnung | Miete (€) | Fläche (m²) |\n|---|---|---|\n| Nord | 820 | 64 |\n| Süd | 760 | 58 |\n| West | 910 | 71 |\n";
        check(flats, "Welche Wohnung hat die niedrigste Miete?", Some("Süd"));
        check(flats, "Welche Wohnung ist die teuerste?", Some("West"));
        let flats = "| Appartement | Loyer (€) |\n|---|---|\n| Nord | 820 |\n| Sud | 760 |\n| Ouest | 910 |\n";
        check(flats, "Quel appartement est le moins cher ?", Some("Sud"));
    }
}
