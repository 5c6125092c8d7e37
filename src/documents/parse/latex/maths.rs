//! Maths that consists only of figures, letters and units, and so reads as words.

use super::symbols::symbol;

/// Commands that only say in which type their argument is set.
const LETTERS: [&str; 8] = ["mathrm", "mathit", "mathbf", "mathsf", "text", "textrm", "mbox", "operatorname"];

/// The words of maths without its commands; `None` if it has more structure, such as an exponent or a fraction.
pub(super) fn plain(maths: &str) -> Option<String> {
    let mut words = String::new();
    let mut rest = maths;
    while let Some(first) = rest.chars().next() {
        rest = &rest[first.len_utf8()..];
        match first {
            '^' | '_' | '&' | '}' | '%' => return None,
            '{' => {
                let (inside, behind) = rest.split_once('}')?;
                words.push_str(&plain(inside)?);
                rest = behind;
            }
            '~' => words.push('\u{a0}'),
            '\\' => {
                let letters = rest.len() - rest.trim_start_matches(|char: char| char.is_ascii_alphabetic()).len();
                let length = if letters > 0 { letters } else { rest.chars().next()?.len_utf8() };
                let (name, behind) = rest.split_at(length);
                if !LETTERS.contains(&name) {
                    words.push_str(sign(name)?);
                }
                rest = behind;
            }
            first => words.push(first),
        }
    }
    Some(words)
}

/// The text that a command in maths stands for.
fn sign(name: &str) -> Option<&str> {
    Some(match name {
        "," | ";" | ":" | " " => " ",
        "!" => "",
        "%" | "$" | "#" | "&" => name,
        "times" => " × ",
        "cdot" => " · ",
        "pm" => " ± ",
        "approx" => " ≈ ",
        "le" | "leq" => " ≤ ",
        "ge" | "geq" => " ≥ ",
        "mu" => "µ",
        name => return symbol(name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(maths: &str, expected: Option<&str>) {
        assert_eq!(plain(maths).as_deref(), expected, "{maths}");
    }

    #[test]
    fn figures_letters_and_units_are_words() {
        check(r"7\,\mathrm{kg}", Some("7 kg"));
        check(r"12{,}500", Some("12,500"));
        check(r"8\%", Some("8%"));
        check(r"3\times4\text{ cm}", Some("3 × 4 cm"));
        check("n", Some("n"));
    }

    #[test]
    fn all_else_stays() {
        for maths in ["x^2", r"2.5\times10^{-3}", r"\frac{1}{2}", r"a_{i}", "{a", "a}", r"\", r"\mathrm{a{b}"] {
            check(maths, None);
        }
    }
}
