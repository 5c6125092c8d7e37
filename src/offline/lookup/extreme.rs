//! Finds the row of a table that has the most or the least of what a question asks for: "Which ward has the shortest
//! wait?". Superlatives over running text are left to the reader.

use std::collections::BTreeMap;

use super::amount::Notation;
use super::total::names_total;
use super::{Asking, bare, cells, is_money};
use crate::base::text::{is_cjk, is_listed};
use crate::offline::statements::Statement;

/// Superlatives by their beginnings, in scripts with spaces: those of the most, and those of the least.
const MOST: &str = "highest largest biggest greatest longest most tallest heaviest widest dearest priciest fastest strongest \
    deepest warmest hottest höchst größt längste teuerst meiste schwerst breitest schnellst stärkst wärmst hoogst grootst \
    langste duurst meeste zwaarst warmst najwyższ najdroższ najwięks najdłuższ najwięc najcięż наибольш \
    الأعلى أعلى الأغلى أغلى الأكبر أكبر الأطول أطول الأكثر";
const LEAST: &str = "lowest smallest shortest least fewest lightest narrowest cheapest slowest weakest shallowest coldest \
    coolest niedrigst kleinst kürzest günstigst billigst wenigst geringst leichtest langsamst kältest laagst kortst \
    goedkoopst minst lichtst koudst najniższ najtańsz najmniejsz najkrótsz najmniej najlż наименьш \
    الأقل أقل الأرخص أرخص الأصغر أصغر الأقصر أقصر الأدنى";
/// Endings that turn such a beginning into an adverb with another meaning: mostly, at most.
const ADVERBS: [&str; 3] = ["ens", "ns", "ly"];
/// Languages that form superlatives with a word before the adjective: that word for more and for less, and the beginnings
/// of adjectives for much and for little.
const WITH_ADJECTIVES: [[&str; 4]; 7] = [
    ["plus", "moins", "élevé cher grand haut long fort lourd chaud large", "bas petit court faible léger froid"],
    ["más mas", "menos", "alt caro cara grande larg elevad pesad fuerte", "baj barat pequeñ cort liger débil"],
    ["più", "meno", "alt caro cara grand lung elevat pesant fort", "bass economic piccol brev cort legger"],
    ["mais", "menos", "alt caro cara grande long elevad pesad fort", "baix barat pequen curt lev"],
    ["en", "-", "yüksek pahalı büyük uzun çok fazla ağır", "düşük ucuz kısa küçük az hafif"],
    [
        "самый самая самое самые самого самой самых самым самую",
        "-",
        "дорог больш высок длинн тяж",
        "дешев дешёв маленьк низк коротк лёгк легк",
    ],
    ["mai", "-", "mare mari scump înalt lung mult ridicat", "mic ieftin scurt puțin scăzut"],
];
/// Phrases for the same.
const MOST_PHRASES: &str = "больше всего|больше всех|el mayor|la mayor|mayores|il maggior|la maggior|o maior|a maior|maiores|cao nhất|lớn nhất|dài nhất|đắt nhất|nhiều nhất|nặng nhất";
const LEAST_PHRASES: &str = "меньше всего|меньше всех|el menor|la menor|menores|il minor|la minor|o menor|a menor|thấp nhất|nhỏ nhất|ngắn nhất|rẻ nhất|nhẹ nhất";
/// In Japanese, Chinese and Korean: words that make an adjective a superlative, and the adjectives of each end.
const MOST_OF: [&str; 7] = ["最も", "もっとも", "一番", "いちばん", "最", "가장", "제일"];
const MUCH_WIDE: &str = "高|多|大き|大|長|长|重|広|遠|贵|높|많|큰|긴|비싼";
const LITTLE_WIDE: &str = "安|低|少|小さ|小|短|軽|轻|便宜|낮|적|작|짧|싼|저렴";
/// Words that ask for another place than the first, such as the second longest.
const ORDINALS: &str = "second third fourth fifth next 2nd 3rd zweithöchste zweitgrößte zweitlängste deuxième troisième \
    segundo tercer secondo terzo terceiro tweede derde второй второе вторая";
const ORDINALS_WIDE: &str = "番目|番めに|位の|第二|第三|번째|次に";
/// What is cheap or dear is so by its price: beginnings of words.
const OF_PRICES: &str = "cheapest dearest priciest expensive teuerst günstigst billigst cher chère car barat economic duurst \
    goedkoopst pahalı ucuz дорог дешев дешёв đắt rẻ najdroższ najtańsz scump ieftin أغلى الأغلى أرخص الأرخص";
const OF_PRICES_WIDE: &str = "安|贵|便宜|비싼|싼|저렴";
/// Words that ask which of several, rather than how much.
const WHICH: &str = "which who whose where whom welche welcher welches welchen wer wo quel quelle quels quelles qui où cuál qué \
    quién dónde quale chi dove qual quem onde welke wie waar hangi kim nerede какой какая какое какие где кто który która \
    które kto gdzie nào ai đâu أي من أين care cine unde";
const WHICH_WIDE: &str = "どの|どれ|どこ|どちら|誰|だれ|哪|谁|어느|어떤|누구|어디|何が|なに";

/// Comparatives, if a question asks which of two things is more, and which is less; and the words that ask so in Japanese.
const MORE: &str =
    "higher larger bigger greater longer taller heavier wider dearer faster stronger deeper warmer hotter";
const LESS: &str = "lower smaller shorter fewer lighter narrower cheaper slower weaker shallower colder cooler";
const OF_TWO_WIDE: [&str; 2] = ["どちら", "どっち"];

/// The fewest rows of which one can have the most.
const ROWS: usize = 3;

/// The end of a scale that a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::offline) struct Extreme {
    is_most: bool,
    is_price: bool,
    /// Whether the adjective may be about prices or about something else, as 高い is.
    may_be_price: bool,
    /// Whether it asks which of two things is more or less.
    of_two: bool,
}

impl Extreme {
    /// The end of a scale that a question asks for; `None` if it asks for none, or if it is not clear for which.
    pub fn of(question: &str) -> Option<Extreme> {
        let lower = question.to_lowercase();
        let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let has = |phrases: &str| phrases.split('|').any(|phrase| lower.contains(phrase));
        let (most, least) = if question.contains(is_cjk) {
            let behind: Vec<&str> = MOST_OF.iter().filter_map(|word| Some(lower.split_once(word)?.1)).collect();
            let opens =
                |list: &str| behind.iter().any(|rest| list.split('|').any(|one| rest.trim_start().starts_with(one)));
            (opens(MUCH_WIDE), opens(LITTLE_WIDE))
        } else {
            let (most, least) = with_adjective(&words);
            let is_of = |list: &str| (0..words.len()).any(|at| begins_as_listed(list, words[at]) && counts(&words, at));
            (most || is_of(MOST) || has(MOST_PHRASES), least || is_of(LEAST) || has(LEAST_PHRASES))
        };
        let is_ordinal = words.iter().any(|word| is_listed(ORDINALS, word));
        if has(ORDINALS_WIDE) || is_ordinal {
            return None;
        }
        let is_price = has(OF_PRICES_WIDE) || words.iter().any(|word| begins_as_listed(OF_PRICES, word));
        let may_be_price = MOST_OF.iter().any(|most| lower.split(most).skip(1).any(|rest| rest.starts_with("高い")));
        (most != least).then_some(Extreme { is_most: most, is_price, may_be_price, of_two: false }).or_else(|| {
            let (more, less) = compared(&lower, &words);
            (more != less).then_some(Extreme { is_most: more, is_price, may_be_price: false, of_two: true })
        })
    }

    /// Of two things that the question names, each with a column of its own, the one with more or less in the row that
    /// the question names: its column's name.
    fn of_columns<'r>(self, asking: &Asking, rows: &[&'r Statement]) -> Option<(usize, &'r str)> {
        let best = |row: usize| {
            let (named, other): (Vec<_>, Vec<_>) =
                cells(rows[row]).partition(|(name, _)| !name.is_empty() && asking.holds(name));
            let [one, two] = named[..] else { return None };
            let notation = Notation::of([one.1, two.1].into_iter(), asking.language);
            let amounts = [notation.amount(one.1)?, notation.amount(two.1)?];
            let is_named = other.iter().any(|(_, value)| asking.holds(value));
            let is_first = (amounts[0] > amounts[1]) == self.is_most;
            let found = if is_first { one.0 } else { two.0 };
            (is_named && amounts[0] != amounts[1]).then_some((row, found))
        };
        let mut found = (0..rows.len()).filter_map(best);
        let first = found.next()?;
        found.all(|other| rows[other.0].text == rows[first.0].text).then_some(first)
    }

    /// The row with the extreme value in the column that the question is about, and what answers: the row's first value
    /// that is not an amount, or the amount if the question asks for that. `document` names the table's document. `None`
    /// if the column is not clear, if few rows have an amount in it, or if several rows share the extreme.
    pub fn look_up<'r>(self, asking: &Asking, rows: &[&'r Statement], document: &str) -> Option<(usize, &'r str)> {
        if self.of_two {
            return self.of_columns(asking, rows);
        }
        let named = |row: &usize| cells(rows[*row]).filter(|(_, value)| asking.holds(value)).count();
        // A row of totals is not one of those that are compared.
        let is_part = |row: &usize| !cells(rows[*row]).any(|(_, value)| names_total(value));
        let most = (0..rows.len()).filter(is_part).map(|row| named(&row)).max()?;
        let among: Vec<usize> = (0..rows.len()).filter(is_part).filter(|row| named(row) == most).collect();
        let mut values: BTreeMap<&str, Vec<(usize, &'r str)>> = BTreeMap::new();
        for &row in &among {
            for (name, value) in cells(rows[row]).filter(|(name, _)| !name.is_empty()) {
                values.entry(name).or_default().push((row, value));
            }
        }
        let amounts = |values: Vec<(usize, &'r str)>| -> Vec<(usize, f64, &'r str)> {
            let notation = Notation::of(values.iter().map(|(_, value)| *value), asking.language);
            values.into_iter().filter_map(|(row, value)| Some((row, notation.amount(value)?, value))).collect()
        };
        let mut columns: BTreeMap<&str, Vec<(usize, f64, &'r str)>> =
            values.into_iter().map(|(name, values)| (name, amounts(values))).collect();
        // A column with amounts in most rows; the same row may stand in two passages.
        columns.retain(|_, cells| cells.len() >= ROWS && cells.len() * 2 > among.len());
        let around = format!("{document} {}", rows[*among.first()?].headings());
        let asked = self.columns(asking, columns.keys().copied(), &around);
        let ahead = |a: f64, b: f64| if self.is_most { a > b } else { a < b };
        let extreme = |column: &&str| {
            let amounts = &columns[column];
            let best = amounts.iter().copied().reduce(|best, next| if ahead(next.1, best.1) { next } else { best })?;
            let ties = amounts.iter().any(|one| one.1 == best.1 && rows[one.0].text != rows[best.0].text);
            (!ties).then_some(best)
        };
        let bests: Vec<(usize, f64, &str)> = asked.iter().map(extreme).collect::<Option<_>>()?;
        let (&best, &column) = (bests.first()?, asked.first()?);
        if bests.iter().any(|other| rows[other.0].text != rows[best.0].text) {
            return None;
        }
        // A name tells more than a number or a code.
        let is_name = |(_, value): &(&str, &str)| !value.contains(|c: char| c.is_ascii_digit());
        let other = |(name, _): &(&str, &str)| !columns.contains_key(name);
        let found = |is: &dyn Fn(&(&'r str, &'r str)) -> bool| cells(rows[best.0]).find(|cell| is(cell));
        let label = found(&is_name).or_else(|| found(&other)).or_else(|| found(&|(name, _)| !asked.contains(name)));
        let asks_which = || {
            let words = asking.lower.split(|c: char| !c.is_alphanumeric()).any(|word| is_listed(WHICH, word));
            words || WHICH_WIDE.split('|').any(|word| asking.lower.contains(word))
        };
        let is_labelled = label.is_some_and(|(name, _)| asking.held(name) > 0);
        let value = label.filter(|_| is_labelled || asks_which() || asking.held(column) == 0);
        let amount = (asked.len() == 1).then_some(best.2);
        Some((best.0, value.map(|(_, value)| value).or(amount)?))
    }

    /// The columns that the question is about: the one whose name shares most words with it, or several with prices;
    /// else, of what is cheap or dear, those with prices; else the only one with amounts, or the one of totals if
    /// `around`, the names above the table, shares words with the question.
    fn columns<'c>(self, asking: &Asking, columns: impl Iterator<Item = &'c str>, around: &str) -> Vec<&'c str> {
        let columns: Vec<&str> = columns.collect();
        let of = |is: &dyn Fn(&str) -> bool| columns.iter().copied().filter(|name| is(name)).collect::<Vec<_>>();
        let shared = |name: &str| asking.terms_shared(name);
        let is_price = |name: &str| is_money(bare(name)) || is_money(name);
        if let Some(most) = columns.iter().map(|name| shared(name)).max().filter(|most| *most > 0) {
            let asked = of(&|name| shared(name) == most);
            return if asked.len() == 1 || asked.iter().all(|name| is_price(name)) { asked } else { Vec::new() };
        }
        let prices = of(&is_price);
        if self.is_price || self.may_be_price && !prices.is_empty() {
            return prices;
        }
        let totals = of(&|name| names_total(name));
        match columns.len() {
            0 | 1 => columns,
            _ if totals.len() == 1 && shared(around) > 0 => totals,
            _ => Vec::new(),
        }
    }
}

/// Whether a question asks which of two things is more, and which is less.
fn compared(lower: &str, words: &[&str]) -> (bool, bool) {
    if lower.contains(is_cjk) {
        let asks = OF_TWO_WIDE.iter().any(|which| lower.contains(which));
        let last = lower.rsplit(['が', 'は']).next().unwrap_or_default();
        let is_of = |list: &str| asks && list.split('|').any(|one| last.starts_with(one));
        return (is_of(MUCH_WIDE), is_of(LITTLE_WIDE));
    }
    let is_of = |list: &str| words.contains(&"which") && words.iter().any(|word| is_listed(list, word));
    (is_of(MORE), is_of(LESS))
}

/// Whether a word begins as one of a list does, and is not an adverb made of it.
fn begins_as_listed(list: &str, word: &str) -> bool {
    let endings = list.split_ascii_whitespace().filter_map(|one| word.strip_prefix(one));
    endings.into_iter().any(|ending| !ADVERBS.contains(&ending))
}

/// Whether the superlative at a place of a question compares amounts: "at most" and "at least" bound something, and "most
/// of" and "most recent" compare nothing.
fn counts(words: &[&str], at: usize) -> bool {
    let (before, after) = (at.checked_sub(1).map(|at| words[at]), words.get(at + 1));
    !matches!(before, Some("at" | "ten")) && !matches!(after, Some(&("of" | "recent" | "recently" | "likely" | "من")))
}

/// Whether a question has a superlative of two words, as in "le plus cher" and "qué tienda tiene más clientes": of the
/// most, and of the least.
fn with_adjective(words: &[&str]) -> (bool, bool) {
    let asks_which = words.iter().any(|word| is_listed(WHICH, word));
    let (mut most, mut least) = (false, false);
    for (at, pair) in words.windows(2).enumerate() {
        let [word, next] = [pair[0], pair[1]];
        // Of a noun there is most or least; "más de" and "meno che" bound something.
        let is_noun = match word {
            "más" | "menos" | "più" | "meno" => asks_which && !is_listed("de que del di che", next),
            "plus" | "moins" => at > 0 && words[at - 1] == "le" && is_listed("de d", next),
            _ => false,
        };
        for [more, less, much, little] in WITH_ADJECTIVES {
            let (is_more, is_less) = (is_listed(more, word), is_listed(less, word));
            let (is_much, is_little) = (begins_as_listed(much, next), begins_as_listed(little, next));
            let is_of_noun = is_noun && !is_much && !is_little;
            most |= is_more && (is_much || is_of_noun) || is_less && is_little;
            least |= is_less && (is_much || is_of_noun) || is_more && is_little;
        }
    }
    (most, least)
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
        let found = Extreme::of(question).and_then(|extreme| extreme.look_up(&asking, &rows, "Sales"));
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
    fn of_two_things_with_columns_of_their_own() {
        let pumps = "| 項目 | 単位 | MP-200 | MP-200S（耐食型） |\n|---|---|---|---|\n| 質量 | kg | 46 | 49 |\n| 揚程 | m | 28 | 26 |\n";
        check(pumps, "MP-200とMP-200Sの質量はどちらが重いですか。", Some("MP-200S（耐食型）"));
        check(pumps, "MP-200とMP-200Sでは、どちらの揚程が高いですか。", Some("MP-200"));
        check(pumps, "MP-200とMP-300の質量はどちらが重いですか。", None);
        let cars = "| | Astra | Corsa |\n|---|---|---|\n| Weight | 1,280 | 1,090 |\n| Length | 4.4 | 4.1 |\n";
        check(cars, "Which has the lower weight, the Astra or the Corsa?", Some("Corsa"));
        check(cars, "Which is faster, the Astra or the Corsa?", None);
    }

    #[test]
    fn of_several_columns_the_one_of_totals_or_those_that_agree() {
        let sales = "| Month | North | South | Total |\n|---|---|---|---|\n| May | 5 | 9 | 14 |\n| June | 8 | 7 | 15 |\n\
            | July | 9 | 2 | 11 |\n| Total | 22 | 18 | 40 |\n";
        check(sales, "In which month were sales highest?", Some("June"));
        check(sales, "In which month were sales in the north highest?", Some("July"));
        check(sales, "In which month was the weather warmest?", None);
        let prices = "| 型番 | 品名 | 標準価格（税抜） | 標準価格（税込） | 納期（週） |\n|---|---|---|---|---|\n\
            | A-1 | 真空ポンプ | 276,000 | 303,600 | 2 |\n| A-2 | 制御盤 | 185,000 | 203,500 | 5 |\n\
            | A-3 | 弁 | 7,000 | 7,700 | 8 |\n";
        check(prices, "2025年の価格表で一番高い製品は何ですか。", Some("真空ポンプ"));
        check(prices, "一番高い製品は何ですか。", Some("真空ポンプ"));
        check(prices, "一番重い製品は何ですか。", None);
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
        let stocks = "| Artículo | Existencias |\n|---|---|\n| Ancla | 25 |\n| Perno | 412 |\n| Clip | 1.080 |\n";
        check(stocks, "¿Qué artículo tiene más existencias?", Some("Clip"));
        check(stocks, "¿Qué artículo tiene menos existencias?", Some("Ancla"));
        check(stocks, "¿Qué artículo tiene más de 300 existencias?", None);
        let goods = "| Товар | Цена (₽) |\n|---|---|\n| Стол | 7 450 |\n| Стул | 950 |\n| Шкаф | 12 800 |\n";
        check(goods, "Какой товар самый дорогой?", Some("Шкаф"));
        check(goods, "Какой товар самый дешёвый?", Some("Стул"));
        let goods = "| Kod | Ürün | Birim fiyat |\n|---|---|---|\n| A-1 | Masa | 7.450 |\n| A-2 | Sandalye | 950 |\n| A-3 | Dolap | 12.800 |\n";
        check(goods, "En pahalı ürün hangisi?", Some("Dolap"));
        check(goods, "En ucuz ürün hangisi?", Some("Sandalye"));
        let goods = "| Mặt hàng | Giá |\n|---|---|\n| Bàn | 7.450.000 |\n| Ghế | 950.000 |\n| Tủ | 12.800.000 |\n";
        check(goods, "Mặt hàng nào đắt nhất?", Some("Tủ"));
        let goods = "| 품목 | 금액 |\n|---|---|\n| 창고 | 12억 원 |\n| 차량 | 9천만 원 |\n| 책상 | 80만 원 |\n";
        check(goods, "금액이 가장 높은 품목은 무엇입니까?", Some("창고"));
    }
}
