//! The arguments of a command, as they are written.

use super::Reader;

/// An argument that is longer is not closed: looking for its end again and again would take the square of the length.
pub(super) const MAX_ARGUMENT: usize = 8 * 1024;

/// Where something comes next, for a reader that only goes forward: what is known to be far is not looked for again.
#[derive(Default)]
pub(super) struct Ahead {
    /// What was looked for, from where on, and where it is.
    known: Vec<(&'static str, usize, Option<usize>)>,
}

impl Ahead {
    /// The first place of `what` at `from` or behind it.
    pub(super) fn next(&mut self, text: &str, from: usize, what: &'static str) -> Option<usize> {
        let known = self.known.iter().position(|(known, ..)| *known == what);
        if let Some((_, since, at)) = known.and_then(|place| self.known.get(place))
            && *since <= from
            && at.is_none_or(|at| at >= from)
        {
            return *at;
        }
        let found = (what, from, text[from..].find(what).map(|at| from + at));
        match known.and_then(|place| self.known.get_mut(place)) {
            Some(known) => *known = found,
            None => self.known.push(found),
        }
        found.2
    }
}

impl<'a> Reader<'a> {
    /// What stands in brackets here.
    pub(super) fn optional(&mut self) -> Option<&'a str> {
        self.rest().starts_with('[').then(|| self.enclosed('[', "]")).flatten()
    }

    /// What stands in braces here, line breaks before them aside.
    pub(super) fn argument(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let spaces = rest.len() - rest.trim_start().len();
        if !rest[spaces..].starts_with('{') || rest[..spaces].matches('\n').count() > 1 {
            return None;
        }
        self.at += spaces;
        self.enclosed('{', "}")
    }

    fn enclosed(&mut self, open: char, end: &'static str) -> Option<&'a str> {
        self.ahead.next(self.text, self.at, end).filter(|at| at - self.at <= MAX_ARGUMENT)?;
        let close = if open == '[' { ']' } else { '}' };
        let rest = self.rest();
        let rest = &rest[..rest.floor_char_boundary(MAX_ARGUMENT)];
        let mut depth = 0_usize;
        let mut is_escaped = false;
        for (at, char) in rest.char_indices() {
            match char {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '{' => depth += 1,
                '}' if close != '}' => depth = depth.saturating_sub(1),
                _ if char == close && depth <= usize::from(open == '{') => {
                    self.at += at + 1;
                    return Some(&rest[1..at]);
                }
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        None
    }
}
