/// Whether a word is in a table of words separated by spaces.
pub fn is_listed(table: &str, word: &str) -> bool {
    table.split_ascii_whitespace().any(|known| known == word)
}
