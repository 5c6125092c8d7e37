//! Bands of amounts, as price lists have them: "10–20 kg", "up to 5 kg", "500個以上".

use super::scan::{Facts, Number};
use super::units::{Unit, UnitKind};

/// Words between the two ends of a band.
const BETWEEN: &str = "- to bis à a ad e és und and до по tot do t/m al ate até pana până から ~ 至 到 부터 에서";
/// Words before or behind an upper end that belongs to the band; those of `BELOW` exclude it.
const UP_TO: &str = "up to|at most|maximum|max|max.|until|bis|bis zu|höchstens|maximal|jusqu'à|jusqu’à|au plus|hasta|máximo|\
    fino a|massimo|até|no máximo|tot|tot en met|t/m|do|maksymalnie|до|не более|până la|en fazla|以下|以内|まで|までは|이하|까지|以内";
const BELOW: &str = "under|below|less than|fewer than|unter|weniger als|moins de|menos de|meno di|onder|minder dan|poniżej|\
    менее|меньше|sub|mai puțin de|altında|<|未満|미만|不足";
/// Words before or behind a lower end that belongs to the band; those of `ABOVE` exclude it.
const FROM: &str = "from|at least|ab|mindestens|à partir de|dès|au moins|desde|a partir de|al menos|da|a partire da|almeno|\
    pelo menos|vanaf|minstens|od|co najmniej|от|не менее|с|de la|cel puțin|en az|and more|or more|and over|\
    and above|and up|+|u. mehr|und mehr|oder mehr|et plus|ou plus|y más|o más|e più|o più|e mais|ou mais|en meer|of meer|\
    i więcej|lub więcej|и более|и выше|以上|から|이상|부터|及以上|起";
const ABOVE: &str = "over|above|more than|beyond|über|mehr als|plus de|au-delà de|más de|más que|oltre|più di|mais de|acima de|\
    boven|meer dan|powyżej|ponad|свыше|более|больше|peste|üzeri|üstü|>|超|を超える|超える|초과";

/// The amounts that a text names.
pub(crate) fn amounts(text: &str) -> Vec<Number> {
    Facts::of(text).numbers
}

/// Whether a text states an amount with a unit, and no day nor time of day.
pub(crate) fn states_amount(text: &str) -> bool {
    let facts = Facts::of(text);
    let measured = |number: &Number| number.unit.is_some_and(|unit| unit.kind != UnitKind::Clock);
    facts.dates.is_empty() && facts.numbers.iter().any(measured)
}

/// The amounts from `low` to `high`, both included, in the first unit of their kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Band {
    low: f64,
    high: f64,
    unit: Option<Unit>,
}

impl Band {
    /// The band that a cell states, under the name of its column. `None` if the cell states something else.
    pub fn of(cell: &str, column: &str) -> Option<Band> {
        let numbers = Facts::of(cell).numbers;
        let unit_of_word = |word: &str| Facts::of(&format!("1 {word}")).numbers.first()?.unit;
        let unit_of_column = || column.split(|c: char| !c.is_alphanumeric()).find_map(unit_of_word);
        let unit = numbers.iter().rev().find_map(|number| number.unit).or_else(unit_of_column);
        let amount = |number: &Number| {
            let (value, _) = number.values.first()?;
            Some(value * unit.map_or(1.0, |unit| unit.factor))
        };
        let words = |from: usize, to: usize| cell[from..to].trim().to_lowercase();
        let is_of = |list: &str, words: &str| list.split('|').any(|word| word == words);
        // A telephone number is not a band.
        if numbers
            .iter()
            .any(|number| cell[number.range.clone()].starts_with("0") && !cell[number.range.start..].starts_with("0."))
        {
            return None;
        }
        let (low, high) = match numbers.as_slice() {
            [low, high] => {
                let between = words(low.range.end, high.range.start).replace(['–', '—', '〜', '～', '−'], "-");
                BETWEEN.split(' ').any(|word| word == between).then_some((amount(low)?, amount(high)?))?
            }
            [end] => {
                let (before, behind) = (words(0, end.range.start), words(end.range.end, cell.len()));
                let amount = amount(end)?;
                let is =
                    |list: &str| is_of(list, &before) && behind.is_empty() || before.is_empty() && is_of(list, &behind);
                if is(UP_TO) {
                    (f64::NEG_INFINITY, amount)
                } else if is(BELOW) {
                    (f64::NEG_INFINITY, amount.next_down())
                } else if is(FROM) {
                    (amount, f64::INFINITY)
                } else if is(ABOVE) {
                    (amount.next_up(), f64::INFINITY)
                } else {
                    return None;
                }
            }
            _ => return None,
        };
        (low < high).then_some(Band { low, high, unit })
    }

    /// Whether an amount lies in the band.
    pub fn holds(&self, number: &Number) -> bool {
        let factor = match (self.unit, number.unit) {
            (Some(own), Some(other)) if own.kind == other.kind => other.factor,
            (None, None) => 1.0,
            _ => return false,
        };
        number.values.iter().any(|(value, _)| (self.low..=self.high).contains(&(value * factor)))
    }

    /// Whether the band lies within another one.
    pub fn is_within(&self, other: &Band) -> bool {
        self.unit.map(|unit| unit.kind) == other.unit.map(|unit| unit.kind)
            && other.low <= self.low
            && self.high <= other.high
            && self != other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_that_lie_in_a_band() {
        let check = |cell: &str, column: &str, question: &str, expected: Option<bool>| {
            let band = Band::of(cell, column);
            assert_eq!(
                band.map(|band| amounts(question).iter().any(|amount| band.holds(amount))),
                expected,
                "{cell}, {column}: {question}"
            );
        };
        check("10–20 kg", "Dog", "What does it cost for a 15 kilo dog?", Some(true));
        check("10–20 kg", "Dog", "What does it cost for a 25 kilo dog?", Some(false));
        check("10 to 20", "Weight (kg)", "a dog of 15 kg", Some(true));
        check("100〜499個", "ロット", "300個のロットの単価", Some(true));
        check("500個以上", "ロット", "300個のロットの単価", Some(false));
        check("up to 500 g", "Letter", "What is the postage of 350 g?", Some(true));
        check("up to 500 g", "Letter", "What is the postage of 0.35 kg?", Some(true));
        check("under 18", "Age", "a ticket for someone of 18", Some(false));
        check("über 30 kg", "Hund", "Was kostet ein Hund mit 30 kg?", Some(false));
        check("über 30 kg", "Hund", "Was kostet ein Hund mit 31 kg?", Some(true));
        check("100-499", "Copies", "What do 300 copies cost?", Some(true));
        check("10–20 kg", "Dog", "a dog of 15 years", Some(false));
        check("300", "Copies", "What do 300 copies cost?", None);
        check("around 300", "Copies", "What do 300 copies cost?", None);
        check("020-7946", "Telephone", "What do 300 copies cost?", None);
    }
}
