//! Bytes that addresses write by number.

/// Decodes the bytes that a part of an address writes as `%20`. Everything else stays; `None` if the bytes are not
/// UTF-8.
pub fn percent_decoded(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        rest = behind;
        let digit = |at: usize| char::from(*behind.get(at)?).to_digit(16);
        match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = &behind[2..];
            }
            _ => bytes.push(first),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_told_by_their_numbers() {
        let check = |part: &str, expected: Option<&str>| assert_eq!(percent_decoded(part).as_deref(), expected);
        check("a%20b%C3%a9", Some("a bé"));
        check("100%, %+1, %4", Some("100%, %+1, %4"));
        check("%ff", None);
    }
}
