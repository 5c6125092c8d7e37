//! Bullets and numbers that begin an item of a list or a section.

/// Characters that begin an item of a list.
const BULLETS: [char; 11] = [
    '\u{2022}', '\u{25e6}', '\u{25aa}', '\u{25cf}', '\u{25cb}', '\u{25a0}', '\u{2023}', '\u{2219}', '\u{2013}', '-',
    '*',
];

/// Whether a line has so far only the bullet or the number of an item or a section.
pub(super) fn is_mark(text: &str) -> bool {
    let mut characters = text.trim_end().chars();
    let (first, last) = (characters.next(), characters.next_back());
    match (first, last) {
        (Some(bullet), None) => BULLETS.contains(&bullet),
        (Some(_), Some(last)) => {
            text.len() <= 8
                && (last == ')' || text.contains('.') && !text.ends_with("..") && last != '%')
                && text.chars().all(|character| character.is_alphanumeric() || "().".contains(character))
                && !is_decimal(text)
        }
        _ => false,
    }
}

/// Whether a number is one of a table and not of a section: `14.7` could be either, and is taken for the table's.
fn is_decimal(text: &str) -> bool {
    text.parse::<f64>().is_ok() && !text.ends_with('.')
}

/// Whether a line opens with a bullet.
pub(super) fn opens_with_bullet(line: &str) -> bool {
    let mut characters = line.chars();
    characters.next().is_some_and(|first| BULLETS.contains(&first)) && characters.next() == Some(' ')
}

/// Whether a line opens with the number of a section or an item, below whose words its next lines hang.
pub(super) fn opens_with_number(line: &str) -> bool {
    let number = line.split(' ').next().unwrap_or_default();
    let inner = number.strip_prefix('[').and_then(|number| number.strip_suffix(']'));
    let number = inner.unwrap_or(number);
    let is_number = number.starts_with(|first: char| first.is_ascii_digit())
        && number.len() <= 8
        && number.chars().all(|one| one.is_ascii_digit() || one == '.' || one == ')');
    is_number && line.len() > number.len()
}
