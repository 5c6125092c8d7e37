//! Splits rich text into tokens: group borders, control words with their numbers, and bytes of text.

/// A token of rich text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Open,
    Close,
    /// `\name` with the number after it.
    Word(&'a str, Option<i32>),
    /// `\*`: a program that does not know the word that follows leaves its group out.
    Ignorable,
    /// Another control symbol; an escaped line break is one.
    Symbol(char),
    /// A byte of text, literal or as `\'hh`.
    Byte(u8),
}

pub(super) struct Lexer<'a> {
    rest: &'a [u8],
}

impl<'a> Lexer<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Lexer { rest: bytes }
    }

    /// Skips bytes that are not tokens.
    pub(super) fn skip(&mut self, count: usize) {
        self.rest = &self.rest[count.min(self.rest.len())..];
    }

    fn control(&mut self) -> Option<Token<'a>> {
        let letters = self.rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        if letters == 0 {
            let (&symbol, rest) = self.rest.split_first()?;
            self.rest = rest;
            return Some(match symbol {
                b'\'' => {
                    let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
                    let value = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
                    self.skip(if value.is_some() { 2 } else { 0 });
                    value.map_or(Token::Symbol('\''), Token::Byte)
                }
                b'*' => Token::Ignorable,
                b'{' | b'}' | b'\\' => Token::Byte(symbol),
                b'\n' | b'\r' => Token::Symbol('\n'),
                _ => Token::Symbol(char::from(symbol)),
            });
        }
        let (word, rest) = self.rest.split_at(letters);
        let sign = usize::from(rest.first() == Some(&b'-'));
        let digits = rest[sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = (digits > 0).then(|| std::str::from_utf8(&rest[..sign + digits]).ok()?.parse().ok()).flatten();
        let rest = &rest[if digits > 0 { sign + digits } else { 0 }..];
        // One space after a control word belongs to it.
        self.rest = rest.strip_prefix(b" ").unwrap_or(rest);
        Some(Token::Word(std::str::from_utf8(word).unwrap_or_default(), number))
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let (&first, rest) = self.rest.split_first()?;
            self.rest = rest;
            return match first {
                b'{' => Some(Token::Open),
                b'}' => Some(Token::Close),
                b'\\' => self.control(),
                b'\n' | b'\r' | 0 => continue,
                _ => Some(Token::Byte(first)),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_their_numbers() {
        let check = |text: &str, expected: &[Token<'_>]| {
            assert_eq!(Lexer::new(text.as_bytes()).collect::<Vec<_>>(), expected, "{text}");
        };
        check("{\\b0 a}", &[Token::Open, Token::Word("b", Some(0)), Token::Byte(b'a'), Token::Close]);
        check("\\u-3913?", &[Token::Word("u", Some(-3913)), Token::Byte(b'?')]);
        check("\\li-x", &[Token::Word("li", None), Token::Byte(b'-'), Token::Byte(b'x')]);
        check(
            "\\'e9\\'zz\\\\\r\n",
            &[Token::Byte(0xe9), Token::Symbol('\''), Token::Byte(b'z'), Token::Byte(b'z'), Token::Byte(b'\\')],
        );
        check("\\*\\x99999999999\\", &[Token::Ignorable, Token::Word("x", None)]);
    }
}
