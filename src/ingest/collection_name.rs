/// The name of a collection if no folder gives it one.
const NAMELESS: &str = "documents";
/// Longest derived name in bytes; stores accept longer ones, but people find them unwieldy.
const LONGEST: usize = 80;

/// A collection's name derived from a folder's: lower case, white space and separators as `-`, other scripts unchanged.
pub fn collection_name(folder: &str) -> String {
    let mut name = String::with_capacity(folder.len());
    for character in folder.chars().flat_map(char::to_lowercase) {
        let separates = character.is_whitespace() || character.is_control() || "-/\\:#\"'`".contains(character);
        if !separates {
            name.push(character);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    name.truncate(name.floor_char_boundary(LONGEST));
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() { NAMELESS.to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_can_be_typed() {
        fn check(folder: &str, expected: &str) {
            assert_eq!(collection_name(folder), expected, "{folder:?}");
        }
        check("docs", "docs");
        check("My Notes", "my-notes");
        check("  A -- b\t", "a-b");
        check("Straße Ünder", "straße-ünder");
        check("日本語　資料", "日本語-資料");
        check("v1.2_final", "v1.2_final");
        check("#tag: x/y", "tag-x-y");
        check(".hidden", "hidden");
        check("", "documents");
        check("--", "documents");
        check(&"é".repeat(100), &"é".repeat(40));
        check(&format!("a{}", "é".repeat(100)), &format!("a{}", "é".repeat(39)));
    }
}
