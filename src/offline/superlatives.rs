//! Superlatives in questions, which ask for the most or the least of something that the documents tell of many. Which column
//! of a table they speak of is told in [`super::picked`].

use super::terms::words_of;
use crate::base::text::is_cjk;

/// Words that ask for the most, and for the least, of something. A star stands for the endings of a word.
const MOST: [&str; 80] = [
    "most",
    "highest",
    "largest",
    "biggest",
    "greatest",
    "longest",
    "heaviest",
    "tallest",
    "latest",
    "top",
    "meisten",
    "höchste",
    "höchsten",
    "größte",
    "größten",
    "längste",
    "längsten",
    "le plus élevé",
    "la plus élevée",
    "les plus élevé*",
    "le plus grand",
    "la plus grande",
    "le plus long",
    "la plus longue",
    "más alto",
    "más alta",
    "más grande",
    "más largo",
    "más larga",
    "più alto",
    "più alta",
    "più grande",
    "più lungo",
    "più lunga",
    "mais alto",
    "mais alta",
    "mais longo",
    "mais longa",
    "hoogste",
    "grootste",
    "langste",
    "najwyższ*",
    "najwięks*",
    "najdłuższ*",
    "najwięcej",
    "наибольш*",
    "самый высок*",
    "самая высок*",
    "самое высок*",
    "самый больш*",
    "самая больш*",
    "самое больш*",
    "самый длинн*",
    "самая длинн*",
    "больше всего",
    "가장 높*",
    "가장 많*",
    "가장 큰",
    "가장 긴",
    "제일 높*",
    "제일 많*",
    "最も高",
    "最も多",
    "最も大き",
    "最も長",
    "一番高",
    "一番多",
    "一番大き",
    "一番長",
    "最大",
    "最多",
    "最长",
    "最長",
    "最高的",
    "最高額",
    "上位",
    "首位",
    "トップ",
    "1位",
    "一位",
];
const LEAST: [&str; 58] = [
    "least",
    "fewest",
    "lowest",
    "smallest",
    "shortest",
    "earliest",
    "wenigsten",
    "niedrigste",
    "niedrigsten",
    "kleinste",
    "kleinsten",
    "kürzeste",
    "kürzesten",
    "geringste",
    "geringsten",
    "le plus bas",
    "la plus basse",
    "le plus petit",
    "la plus petite",
    "le plus court",
    "la plus courte",
    "más bajo",
    "más baja",
    "más pequeño",
    "más pequeña",
    "más corto",
    "más corta",
    "più basso",
    "più bassa",
    "più piccolo",
    "più piccola",
    "più breve",
    "mais baixo",
    "mais baixa",
    "mais curto",
    "mais curta",
    "laagste",
    "kortste",
    "najniższ*",
    "najmniejsz*",
    "najkrótsz*",
    "najmniej",
    "наименьш*",
    "самый низк*",
    "самая низк*",
    "меньше всего",
    "가장 낮*",
    "가장 적*",
    "가장 짧*",
    "最も低",
    "最も少",
    "最も小さ",
    "最も短",
    "一番低",
    "一番少",
    "一番小さ",
    "最少",
    "最短",
];

/// The same of a price.
const DEAREST: [&str; 38] = [
    "dearest",
    "priciest",
    "costliest",
    "most expensive",
    "teuerste*",
    "kostspieligste*",
    "le plus cher",
    "la plus chère",
    "les plus chers",
    "les plus chères",
    "más caro",
    "más cara",
    "más caros",
    "más caras",
    "più caro",
    "più cara",
    "più cari",
    "più care",
    "mais caro",
    "mais cara",
    "mais caros",
    "mais caras",
    "duurste",
    "najdroższ*",
    "самый дорог*",
    "самая дорог*",
    "самое дорог*",
    "самые дорог*",
    "самую дорог*",
    "самой дорог*",
    "самого дорог*",
    "가장 비싼",
    "제일 비싼",
    "最贵",
    "最貴",
    "最も高価",
    "一番高価",
    "一番高額",
];
const CHEAPEST: [&str; 34] = [
    "cheapest",
    "least expensive",
    "billigste*",
    "günstigste*",
    "preiswerteste*",
    "le moins cher",
    "la moins chère",
    "les moins chers",
    "les moins chères",
    "más barato",
    "más barata",
    "más baratos",
    "más baratas",
    "più economico",
    "più economica",
    "meno caro",
    "meno cara",
    "mais barato",
    "mais barata",
    "mais baratos",
    "mais baratas",
    "goedkoopste",
    "najtańsz*",
    "самый дешев*",
    "самый дешёв*",
    "самая дешев*",
    "самая дешёв*",
    "самое дешев*",
    "самое дешёв*",
    "가장 싼",
    "가장 저렴*",
    "最便宜",
    "最も安",
    "一番安",
];

/// Words behind one that make it a comparison: "más caro que el otro".
const THAN: [&str; 4] = [" que ", " qu'", " qu’", " do que "];

/// Whether a question, in lower case, asks for the most of something.
pub(super) fn asks_for_most(lower: &str) -> bool {
    has_one(lower, &MOST) || has_one(lower, &DEAREST)
}

/// The same for the least.
pub(super) fn asks_for_least(lower: &str) -> bool {
    has_one(lower, &LEAST) || has_one(lower, &CHEAPEST)
}

/// Whether it asks for the highest or the lowest price.
pub(super) fn compares_prices(lower: &str) -> bool {
    has_one(lower, &DEAREST) || has_one(lower, &CHEAPEST)
}

/// Whether a text has one of some words, in lower case: as words of their own, or anywhere in a script without spaces.
fn has_one(lower: &str, list: &[&str]) -> bool {
    let stands = |one: &str, beginning: &str| {
        lower.match_indices(beginning).any(|(at, _)| {
            let behind = &lower[at + beginning.len()..];
            let is_word = beginning != one || !behind.starts_with(char::is_alphanumeric);
            is_word
                && !lower[..at].ends_with(char::is_alphanumeric)
                && !THAN.iter().any(|than| behind.starts_with(than))
        })
    };
    list.iter().any(|one| {
        let beginning = one.trim_end_matches('*');
        if one.contains(is_cjk) { lower.contains(beginning) } else { stands(one, beginning) }
    })
}

/// How many of the first a question asks for: "the top three", "the 5 largest", 上位3社.
pub(super) fn how_many(lower: &str) -> Option<usize> {
    const NUMBERS: [&str; 9] = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let number = |word: &str| {
        let written = NUMBERS.iter().position(|one| *one == word).map(|place| place + 2);
        written.or_else(|| word.parse().ok()).filter(|number| (2..=20).contains(number))
    };
    let wide = ["上位", "トップ"].iter().find_map(|word| {
        let behind = &lower[lower.find(word)? + word.len()..];
        number(behind.split(|c: char| !c.is_ascii_digit()).next()?)
    });
    let words: Vec<&str> = words_of(lower).collect();
    let is_end = |word: &str| asks_for_most(word) || asks_for_least(word);
    let narrow = words.windows(2).find_map(|pair| match (is_end(pair[0]), is_end(pair[1])) {
        (true, _) => number(pair[1]),
        (_, true) => number(pair[0]),
        _ => None,
    });
    wide.or(narrow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn superlatives_ask_for_the_most_or_the_least() {
        let check = |question: &str, expected: (bool, bool, bool)| {
            let lower = question.to_lowercase();
            let found = (asks_for_most(&lower), asks_for_least(&lower), compares_prices(&lower));
            assert_eq!(found, expected, "{question}");
        };
        check("What was the dearest repair?", (true, false, true));
        check("Which branch has the most staff?", (true, false, false));
        check("What is mostly sold?", (false, false, false));
        check("Was war die teuerste Reparatur?", (true, false, true));
        check("Das kostet höchstens 5 Euro.", (false, false, false));
        check("Quelle est la réparation la plus chère ?", (true, false, true));
        check("¿Cuál fue la obra más cara?", (true, false, true));
        check("¿Cuál es más caro que el otro?", (false, false, false));
        check("Qual è il pezzo più caro?", (true, false, true));
        check("Qual foi a obra mais cara?", (true, false, true));
        check("Wat was de duurste klus?", (true, false, true));
        check("Która naprawa była najdroższa?", (true, false, true));
        check("Какой ремонт самый дорогой?", (true, false, true));
        check("哪一项最贵？", (true, false, true));
        check("一番高い工事はどれですか", (true, false, false));
        check("Welches Angebot ist das billigste?", (false, true, true));
        check("一番安い工事はどれですか", (false, true, true));
    }

    #[test]
    fn the_number_of_the_first_ones() {
        let check = |question: &str, expected: Option<usize>| assert_eq!(how_many(question), expected, "{question}");
        check("the top three risks", Some(3));
        check("the 5 largest firms", Some(5));
        check("上位3社はどこですか", Some(3));
        check("the dearest repair of 3 may", None);
    }
}
