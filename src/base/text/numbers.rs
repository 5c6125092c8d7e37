use std::collections::BTreeSet;

/// Formats `12345` as `12,345`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Turns a digit of another script into the ASCII one; other characters stay.
pub fn plain_digit(character: char) -> char {
    // Arabic, Persian, Devanagari, Bengali, Tamil, Thai, Lao, Burmese, Khmer.
    const ZEROS: [u32; 9] = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0be6, 0x0e50, 0x0ed0, 0x1040, 0x17e0];
    let code = u32::from(character);
    let digit = ZEROS.into_iter().find_map(|zero| code.checked_sub(zero).filter(|digit| *digit < 10));
    digit.and_then(|digit| char::from_digit(digit, 10)).unwrap_or(character)
}

/// The digit that an ideograph stands for.
pub fn ideographic_digit(character: char) -> Option<u32> {
    let character = if character == '零' { '〇' } else { character };
    "〇一二三四五六七八九".chars().zip(0..).find_map(|(digit, value)| (digit == character).then_some(value))
}

/// The runs of digits in a text.
pub fn figures(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_numeric()).filter(|run| !run.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_every_script() {
        let check =
            |text: &str, expected: &str| assert_eq!(text.chars().map(plain_digit).collect::<String>(), expected);
        check("٢٠٢٤ ۲۰۲۴ २०२४ ๒๕๖๗", "2024 2024 2024 2567");
        check("x9 九 ９", "x9 九 ９");
    }

    #[test]
    fn numbers_are_grouped() {
        let check = |number, expected: &str| assert_eq!(thousands(number), expected);
        check(0, "0");
        check(999, "999");
        check(1000, "1,000");
        check(1_234_567, "1,234,567");
    }
}
