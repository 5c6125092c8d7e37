/// Whether a word is one of a table of words with spaces between.
pub fn is_listed(table: &str, word: &str) -> bool {
    table.split_ascii_whitespace().any(|known| known == word)
}
