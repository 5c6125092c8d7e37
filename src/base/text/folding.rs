//! One spelling for what readers take as one word: case, compatibility forms, accents.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Writes `word` to `out` in lower case and compatibility form (NFKC), with accents, which the stemmers need. Romanian
/// letters occur with commas below and with cedillas; both become cedillas, as in the stop words.
pub(super) fn lower_into(word: &str, out: &mut String) {
    out.clear();
    if word.is_ascii() {
        out.push_str(word);
        out.make_ascii_lowercase();
        return;
    }
    let kept = |character: &char| *character != '\u{ad}';
    out.extend(word.chars().filter(kept).nfkc().flat_map(char::to_lowercase).map(|character| match character {
        '’' | 'ʼ' | '＇' => '\'',
        '‐' | '‑' => '-',
        'ș' => 'ş',
        'ț' => 'ţ',
        other => other,
    }));
}

/// `word`, already in lower case, without accents: Latin and Greek marks are removed, ligatures and barred letters
/// become plain ones, Arabic vowel signs are dropped and Cyrillic `ё` becomes `е`. Marks that spell other letters (`й`,
/// Hindi vowels) stay.
pub(super) fn fold_accents(word: &str) -> String {
    let mut folded = String::with_capacity(word.len());
    let mut after_foldable = false;
    for character in word.nfd() {
        if is_combining_mark(character) {
            let arabic = matches!(character, '\u{64b}'..='\u{65f}' | '\u{670}');
            if !(after_foldable || arabic) {
                folded.push(character);
            }
            continue;
        }
        after_foldable = matches!(u32::from(character), 0..=0x24f | 0x370..=0x3ff | 0x1e00..=0x1fff);
        match character {
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'þ' => folded.push_str("th"),
            'ł' => folded.push('l'),
            'ø' => folded.push('o'),
            'đ' | 'ð' => folded.push('d'),
            'ħ' => folded.push('h'),
            'ı' => folded.push('i'),
            'ς' => folded.push('σ'),
            '\u{640}' => {}
            // `ё` decomposes into this and two dots, `й` into `и` and a breve: only the first loses its mark.
            'е' => {
                folded.push('е');
                after_foldable = true;
            }
            other => folded.push(other),
        }
    }
    if folded.is_ascii() { folded } else { folded.nfc().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: &str, expected: &str) {
        let mut lower = String::new();
        lower_into(word, &mut lower);
        assert_eq!(fold_accents(&lower), expected, "from {word:?}");
    }

    #[test]
    fn folds_to_one_spelling() {
        check("Élève", "eleve");
        check("STRAẞE", "strasse");
        check("Łódź", "lodz");
        check("Ａｐｐｌｅ", "apple");
        check("İstanbul", "istanbul");
        check("ﬁnal", "final");
        check("Άνθρωπος", "ανθρωποσ");
        check("Și", "si");
        check("ţară", "tara");
        check("ёлка", "елка");
        check("йод", "йод");
        check("हिन्दी", "हिन्दी");
        check("co\u{ad}operate", "cooperate");
    }
}
