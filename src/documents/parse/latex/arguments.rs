//! The names and the arguments of commands, as they are written.

use std::collections::HashMap;

use super::Reader;

/// The longest argument in bytes. A longer one counts as not closed: searching for its end again and again would take
/// time in the square of the length.
pub(super) const MAX_ARGUMENT: usize = 8 * 1024;

/// Finds the next place of a string, for a reader that only moves forward: a place known to be far is not searched for
/// again.
#[derive(Default)]
pub(super) struct Lookahead {
    /// For each string, from where it was searched for, and the place found.
    known: HashMap<&'static str, (usize, Option<usize>)>,
}

impl Lookahead {
    /// The first place of `what` at or after `from`.
    pub(super) fn next(&mut self, text: &str, from: usize, what: &'static str) -> Option<usize> {
        match self.known.get(what) {
            Some(&(since, at)) if since <= from && at.is_none_or(|at| at >= from) => at,
            _ => {
                let at = text[from..].find(what).map(|at| from + at);
                self.known.insert(what, (from, at));
                at
            }
        }
    }
}

impl<'a> Reader<'a> {
    /// The content of the brackets that open here.
    pub(super) fn optional(&mut self) -> Option<&'a str> {
        self.rest().starts_with('[').then(|| self.enclosed("]")).flatten()
    }

    /// The content of the braces that open here; white space with at most one line break may precede them.
    pub(super) fn argument(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let spaces = rest.len() - rest.trim_start().len();
        if !rest[spaces..].starts_with('{') || rest[..spaces].matches('\n').count() > 1 {
            return None;
        }
        self.at += spaces;
        self.enclosed("}")
    }

    /// The content up to the bracket or brace that ends it.
    fn enclosed(&mut self, end: &'static str) -> Option<&'a str> {
        self.ahead.next(self.text, self.at, end).filter(|at| at - self.at <= MAX_ARGUMENT)?;
        let is_group = end == "}";
        let rest = self.rest();
        let rest = &rest[..rest.floor_char_boundary(MAX_ARGUMENT)];
        let mut depth = 0_usize;
        let mut is_escaped = false;
        for (at, char) in rest.char_indices() {
            match char {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '{' => depth += 1,
                _ if rest[at..].starts_with(end) && depth <= usize::from(is_group) => {
                    self.at += at + 1;
                    return Some(&rest[1..at]);
                }
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        None
    }

    /// Skips the name that is being defined.
    pub(super) fn pass_name(&mut self) {
        if let Some(rest) = self.rest().strip_prefix('\\') {
            self.at += 1 + name_length(rest).max(rest.chars().next().map_or(0, char::len_utf8));
        }
    }

    /// Reads `\verb|…|` as it is written.
    pub(super) fn verbatim_words(&mut self) {
        self.at += usize::from(self.rest().starts_with('*'));
        self.optional();
        let rest = self.rest();
        let Some(mark) = rest.chars().next() else { return };
        let closing = if mark == '{' { '}' } else { mark };
        let inside = &rest[mark.len_utf8()..];
        let near = &inside[..inside.floor_char_boundary(MAX_ARGUMENT)];
        let Some(end) = near.find([closing, '\n']) else { return };
        self.at += mark.len_utf8() + end + inside[end..].chars().next().map_or(0, char::len_utf8);
        self.words(&inside[..end]);
    }
}

/// The length of the command's name at the beginning of a text.
pub(super) fn name_length(text: &str) -> usize {
    text.len() - text.trim_start_matches(|char: char| char.is_ascii_alphabetic() || char == '@').len()
}

/// An address without the backslashes before special characters.
pub(super) fn unescaped(address: &str) -> String {
    let mut rest = address.chars().peekable();
    let mut plain = String::with_capacity(address.len());
    while let Some(char) = rest.next() {
        if char != '\\' || !rest.peek().is_some_and(|next| "%#&_~{}".contains(*next)) {
            plain.push(char);
        }
    }
    plain
}
