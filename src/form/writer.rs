//! Writes elements of HTML and XML. Names of elements and attributes are the program's own; everything else is escaped
//! here, so that no caller can forget it.

use crate::base::text::shown;

/// A page that is being written.
#[derive(Debug, Default)]
pub(super) struct Writer(String);

/// Names and values of attributes.
pub(super) type Attributes<'a> = [(&'static str, &'a str)];

impl Writer {
    /// The text written so far.
    pub fn into_text(self) -> String {
        self.0
    }

    /// Opens an element.
    pub fn open(&mut self, name: &'static str, attributes: &Attributes<'_>) {
        self.0.push('<');
        self.0.push_str(name);
        for (name, value) in attributes {
            self.0.push_str(&format!(" {name}=\""));
            self.push_escaped(value);
            self.0.push('"');
        }
        self.0.push('>');
    }

    /// Closes an element.
    pub fn close(&mut self, name: &'static str) {
        self.0.push_str(&format!("</{name}>"));
    }

    /// Writes an element and its content.
    pub fn within(&mut self, name: &'static str, attributes: &Attributes<'_>, inside: impl FnOnce(&mut Writer)) {
        self.open(name, attributes);
        inside(self);
        self.close(name);
    }

    /// Writes an element that contains only text.
    pub fn words(&mut self, name: &'static str, attributes: &Attributes<'_>, words: &str) {
        self.within(name, attributes, |out| out.text(words));
    }

    /// Writes text.
    pub fn text(&mut self, words: &str) {
        self.push_escaped(words);
    }

    /// Writes the program's own style or script, or JSON without `<`.
    pub fn raw(&mut self, text: &str) {
        self.0.push_str(text);
    }

    fn push_escaped(&mut self, text: &str) {
        for character in shown(text).chars() {
            match character {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                other => self.0.push(other),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_words() {
        let mut out = Writer::default();
        out.words("p", &[("title", "\" onload='x'")], "</p><script>&\u{202e}");
        let expected = "<p title=\"&quot; onload=&#39;x&#39;\">&lt;/p&gt;&lt;script&gt;&amp;\u{fffd}</p>";
        assert_eq!(out.into_text(), expected);
    }
}
