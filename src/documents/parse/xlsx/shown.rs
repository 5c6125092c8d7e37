//! A number as its cell shows it: with its percent sign, its currency, its decimals, its thousands separators and the
//! leading zeros of a code.
//!
//! Formats of other kinds (fractions, exponents, conditions, masks for telephone numbers) leave the number as it is.

/// The longest format that any program accepts, in bytes.
const LONGEST: usize = 255;

/// How the numbers of a cell are shown.
#[derive(Default)]
pub(super) struct NumberFormat {
    /// The first is for numbers from zero on, the second for negative ones.
    sections: Vec<Section>,
}

/// One part of a format: the text before and after the figures, and how many of these there are.
#[derive(Default)]
struct Section {
    before: String,
    after: String,
    /// The fewest figures before the point.
    whole: usize,
    /// The fewest and the most figures after the point.
    decimals: (usize, usize),
    has_thousands: bool,
    is_percent: bool,
}

impl NumberFormat {
    /// Parses a format; `None` for one that leaves numbers as they are.
    pub(super) fn of(code: &str) -> Option<NumberFormat> {
        if code.len() > LONGEST {
            return None;
        }
        let sections: Vec<Section> = parts(code).into_iter().take(2).map(section).collect::<Option<_>>()?;
        (!sections.is_empty()).then_some(NumberFormat { sections })
    }

    /// Shows a number in this format; `figures` writes one in decimal figures.
    pub(super) fn show(&self, number: f64, figures: impl Fn(f64) -> String) -> Option<String> {
        let of_negative = self.sections.get(1).filter(|_| number < 0.0);
        let section = of_negative.or_else(|| self.sections.first())?;
        let value = if section.is_percent { number.abs() * 100.0 } else { number.abs() };
        let shown = section.figures(&figures(value));
        let minus = if number < 0.0 && of_negative.is_none() { "-" } else { "" };
        number.is_finite().then(|| format!("{minus}{}{shown}{}", section.before, section.after).trim().to_owned())
    }
}

/// The parts of a format, which semicolons separate.
fn parts(code: &str) -> Vec<&str> {
    let (mut parts, mut from) = (Vec::new(), 0);
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, char) in code.char_indices() {
        match char {
            _ if is_escaped => is_escaped = false,
            '"' => is_quoted = !is_quoted,
            '\\' => is_escaped = !is_quoted,
            ';' if !is_quoted => {
                parts.push(&code[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&code[from..]);
    parts
}

/// Parses a part; `None` if it uses more than is supported here.
fn section(part: &str) -> Option<Section> {
    let mut section = Section::default();
    let mut figures = String::new();
    let mut is_behind = false;
    let mut chars = part.chars();
    while let Some(char) = chars.next() {
        let mut literal = String::new();
        match char {
            '0' | '#' | '?' | ',' | '.' if is_behind => return None,
            '0' | '#' | '?' | ',' | '.' => {
                figures.push(char);
                continue;
            }
            '"' => literal.extend(chars.by_ref().take_while(|&char| char != '"')),
            '\\' => literal.extend(chars.next()),
            // The width of a character and the fill of the cell are not text.
            '_' | '*' => {
                chars.next();
                literal.push(' ');
            }
            '[' => literal.push_str(currency(&chars.by_ref().take_while(|&char| char != ']').collect::<String>())?),
            '%' => {
                section.is_percent = true;
                literal.push('%');
            }
            ' ' | '$' | '+' | '-' | '(' | ')' | ':' | '\'' => literal.push(char),
            char if !char.is_ascii() => literal.push(char),
            _ => return None,
        }
        is_behind = !figures.is_empty();
        if is_behind { section.after.push_str(&literal) } else { section.before.push_str(&literal) }
    }
    let (whole, decimals) = figures.split_once('.').unwrap_or((&figures, ""));
    // A comma at the end scales the number to thousands.
    if whole.is_empty() && decimals.is_empty() || whole.ends_with(',') || decimals.contains([',', '.']) {
        return None;
    }
    section.whole = whole.matches('0').count();
    section.decimals = (decimals.matches('0').count(), decimals.len());
    section.has_thousands = whole.contains(',');
    Some(section)
}

/// The currency sign in brackets, as in `[$¥-411]`; empty for a language or a colour, and `None` for a condition.
fn currency(inside: &str) -> Option<&str> {
    match inside.strip_prefix('$') {
        Some(sign) => sign.split('-').next(),
        None => inside.chars().all(char::is_alphanumeric).then_some(""),
    }
}

impl Section {
    /// Decimal figures without a sign, as this part shows them.
    fn figures(&self, figures: &str) -> String {
        let (least, most) = self.decimals;
        let (whole, mut decimals) = rounded(figures, most);
        while decimals.len() > least && decimals.ends_with('0') {
            decimals.pop();
        }
        let mut whole = format!("{whole:0>width$}", width = self.whole);
        if self.has_thousands {
            whole = in_thousands(&whole);
        }
        if decimals.is_empty() { whole } else { format!("{whole}.{decimals}") }
    }
}

/// Decimal figures before and after the point, rounded to `places`; a half is rounded up, as programs do.
fn rounded(figures: &str, places: usize) -> (String, String) {
    let (whole, decimals) = figures.split_once('.').unwrap_or((figures, ""));
    if decimals.len() <= places {
        return (whole.to_owned(), format!("{decimals:0<places$}"));
    }
    let mut kept: Vec<u8> = [whole.as_bytes(), &decimals.as_bytes()[..places]].concat();
    if decimals.as_bytes()[places] >= b'5' {
        let nines = kept.iter().rev().take_while(|&&figure| figure == b'9').count();
        let last = kept.len() - nines;
        kept[last..].fill(b'0');
        match last.checked_sub(1) {
            Some(last) => kept[last] += 1,
            None => kept.insert(0, b'1'),
        }
    }
    let mut whole: String = kept.into_iter().map(char::from).collect();
    let decimals = whole.split_off(whole.len() - places);
    (whole, decimals)
}

/// Puts a comma before each group of three figures.
fn in_thousands(whole: &str) -> String {
    let mut parted = String::with_capacity(whole.len() * 4 / 3);
    for (at, figure) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            parted.push(',');
        }
        parted.push(figure);
    }
    parted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: &str, number: f64, expected: Option<&str>) {
        let shown = NumberFormat::of(code).and_then(|format| format.show(number, |number| number.to_string()));
        assert_eq!(shown.as_deref(), expected, "{code} of {number}");
    }

    #[test]
    fn numbers_are_shown_with_their_format() {
        check("0.00%", 0.1875, Some("18.75%"));
        check("0%", 0.125, Some("13%"));
        check("0", 2.5, Some("3"));
        check("000000", 731.0, Some("000731"));
        check("#,##0.00\\ \"€\"", 7_654_321.5, Some("7,654,321.50 €"));
        check("[$¥-411]#,##0", 9120.0, Some("¥9,120"));
        check("[$-409]#,##0", 9120.0, Some("9,120"));
        check("_($* #,##0.00_);_($* (#,##0.00);_($* \"-\"??_);_(@_)", 1200.0, Some("$ 1,200.00"));
        check("_($* #,##0.00_);_($* (#,##0.00);_($* \"-\"??_);_(@_)", -1200.0, Some("$ (1,200.00)"));
        check("#,##0;[Red]-#,##0", -1234.0, Some("-1,234"));
        check("0.0", -0.25, Some("-0.3"));
        check("0.0#", 9.5, Some("9.5"));
        check("0.00", 9.999, Some("10.00"));
        check("0.0\" m\"", 8.2, Some("8.2 m"));
        check("\"Day; \"0", 7.0, Some("Day; 7"));
    }

    #[test]
    fn other_formats_leave_them_as_they_are() {
        for code in ["General", "@", "# ?/?", "0.00E+00", "#,##0,", "000-0000", "[>=100]0;0.0", "", ";;;"] {
            check(code, 1234.5, None);
        }
        check(&"0".repeat(300), 1.0, None);
        check("0", f64::INFINITY, None);
    }
}
