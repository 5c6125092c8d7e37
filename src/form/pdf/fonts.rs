//! Finds the fonts on this machine that a report needs.

use std::collections::BTreeSet;

use fontdb::{Database, FaceInfo, Source};
use typst::foundations::Bytes;
use typst::text::{Font, FontBook, FontInfo};
use typst::utils::LazyHash;

/// Font families in order of preference: the text is set in the first that is installed, and what it lacks in the next.
const PREFERRED: [&str; 22] = [
    "Noto Serif",
    "Libertinus Serif",
    "Source Serif 4",
    "Georgia",
    "Cambria",
    "DejaVu Serif",
    "Liberation Serif",
    "Times New Roman",
    "Noto Serif CJK JP",
    "Yu Mincho",
    "Hiragino Mincho ProN",
    "Noto Sans CJK JP",
    "IPAexMincho",
    "Noto Naskh Arabic",
    "Noto Serif Hebrew",
    "Noto Serif Devanagari",
    "Noto Sans",
    "DejaVu Sans",
    "Noto Sans Mono",
    "DejaVu Sans Mono",
    "Liberation Mono",
    "Courier New",
];
/// The families for Chinese and Korean, which go before those with the Japanese shapes of the same characters.
const CHINESE: [&str; 4] = ["Noto Serif CJK SC", "Noto Sans CJK SC", "SimSun", "Songti SC"];
const KOREAN: [&str; 4] = ["Noto Serif CJK KR", "Noto Sans CJK KR", "Batang", "AppleMyungjo"];
/// The most letters without a font that an error shows.
const SHOWN: usize = 8;

/// Fonts that together have all letters of a text.
pub(super) struct Fonts {
    book: LazyHash<FontBook>,
    fonts: Vec<Font>,
    /// The families of the fonts, each once, the first choice first.
    pub families: Vec<String>,
}

/// A script that no font of this machine supports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Missing {
    pub script: &'static str,
    pub letters: String,
    pub package: &'static str,
}

impl Fonts {
    /// The fonts that the letters of a text in a language need. `Err` names the scripts that no font has; signs and
    /// symbols that no font has are returned for the caller to replace.
    pub fn of(text: &BTreeSet<char>, language: &str) -> Result<(Fonts, BTreeSet<char>), Vec<Missing>> {
        let mut installed = Database::new();
        installed.load_system_fonts();
        let mut fonts = Fonts { book: LazyHash::new(FontBook::new()), fonts: Vec::new(), families: Vec::new() };
        let mut wanted: BTreeSet<char> = text.iter().copied().filter(|one| is_printed(*one)).collect();
        let first: &[&str] = match language {
            "zh" => &CHINESE,
            "ko" => &KOREAN,
            _ => &[],
        };
        let mut has_main = false;
        for family in first.iter().chain(&PREFERRED) {
            // The first family sets the text; the others supply what it lacks.
            if !wanted.is_empty() || !has_main {
                let faces = installed.faces().filter(|face| is_of(face, family)).filter(|face| is_plain(face));
                has_main |= fonts.add(&installed, faces, &mut wanted);
            }
        }
        if !wanted.is_empty() {
            for face in installed.faces().filter(|face| is_plain(face)) {
                if !wanted.is_empty() {
                    fonts.add_face(&installed, face, &mut wanted, true);
                }
            }
        }
        let (letters, signs): (BTreeSet<char>, BTreeSet<char>) =
            wanted.into_iter().partition(|one| one.is_alphabetic());
        if letters.is_empty() { Ok((fonts, signs)) } else { Err(missing(&letters)) }
    }

    pub fn book(&self) -> &LazyHash<FontBook> {
        &self.book
    }

    pub fn font(&self, index: usize) -> Option<Font> {
        self.fonts.get(index).cloned()
    }

    /// Adds the faces of a family, if it has any wanted letter.
    fn add<'f>(
        &mut self,
        installed: &Database,
        faces: impl Iterator<Item = &'f FaceInfo>,
        wanted: &mut BTreeSet<char>,
    ) -> bool {
        let mut any = false;
        let mut faces: Vec<&FaceInfo> = faces.collect();
        faces.sort_by_key(|face| {
            (face.style != fontdb::Style::Normal, face.weight.0.abs_diff(400), face.post_script_name.clone())
        });
        for face in faces {
            any |= self.add_face(installed, face, wanted, !any);
        }
        any
    }

    fn add_face(
        &mut self,
        installed: &Database,
        face: &FaceInfo,
        wanted: &mut BTreeSet<char>,
        must_help: bool,
    ) -> bool {
        let Some(Some(info)) = installed.with_face_data(face.id, FontInfo::new) else { return false };
        let had = wanted.len();
        let covered: Vec<char> = wanted.iter().copied().filter(|one| info.coverage.contains(u32::from(*one))).collect();
        if must_help && covered.is_empty() && had > 0 {
            return false;
        }
        let path = match &face.source {
            Source::File(path) | Source::SharedFile(path, _) => path,
            Source::Binary(_) => return false,
        };
        let Some(font) = std::fs::read(path).ok().and_then(|data| Font::new(Bytes::new(data), face.index)) else {
            return false;
        };
        for one in covered {
            wanted.remove(&one);
        }
        if !self.families.contains(&info.family) {
            self.families.push(info.family.clone());
        }
        self.book.push(info);
        self.fonts.push(font);
        true
    }
}

fn is_of(face: &FaceInfo, family: &str) -> bool {
    face.families.iter().any(|(name, _)| name == family)
}

/// Whether a face is regular or bold, upright or italic, and of normal width.
fn is_plain(face: &FaceInfo) -> bool {
    matches!(face.weight.0, 400 | 700) && face.stretch == fontdb::Stretch::Normal
}

/// Whether a character needs a glyph in a font.
fn is_printed(one: char) -> bool {
    !(one.is_whitespace()
        || one.is_control()
        || matches!(one, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0100}'..='\u{e01ef}'))
}

/// Scripts by their characters, with the Debian and Ubuntu package that has a font for each.
const SCRIPTS: [(&str, &[std::ops::RangeInclusive<u32>], &str); 14] = [
    ("Latin", &[0x41..=0x24f, 0x1e00..=0x1eff], "fonts-dejavu-core"),
    ("Greek", &[0x370..=0x3ff, 0x1f00..=0x1fff], "fonts-dejavu-core"),
    ("Cyrillic", &[0x400..=0x52f], "fonts-dejavu-core"),
    ("Armenian", &[0x530..=0x58f], "fonts-noto-core"),
    ("Hebrew", &[0x590..=0x5ff], "fonts-noto-core"),
    ("Arabic", &[0x600..=0x6ff, 0x750..=0x77f, 0x8a0..=0x8ff, 0xfb50..=0xfdff, 0xfe70..=0xfeff], "fonts-noto-core"),
    ("Devanagari", &[0x900..=0x97f], "fonts-noto-core"),
    ("an Indian script", &[0x980..=0xdff], "fonts-noto-core"),
    ("Thai", &[0xe00..=0xe7f], "fonts-noto-core"),
    ("Georgian", &[0x10a0..=0x10ff], "fonts-noto-core"),
    ("Korean", &[0x1100..=0x11ff, 0x3130..=0x318f, 0xac00..=0xd7af], "fonts-noto-cjk"),
    ("Japanese", &[0x3040..=0x30ff, 0x31f0..=0x31ff, 0xff66..=0xff9f], "fonts-noto-cjk"),
    ("Chinese characters", &[0x2e80..=0x2fff, 0x3400..=0x9fff, 0xf900..=0xfaff, 0x20000..=0x323af], "fonts-noto-cjk"),
    ("Ethiopic", &[0x1200..=0x139f], "fonts-noto-core"),
];

fn missing(letters: &BTreeSet<char>) -> Vec<Missing> {
    let mut found: Vec<Missing> = Vec::new();
    for letter in letters {
        let code = u32::from(*letter);
        let known = SCRIPTS.iter().find(|(_, ranges, _)| ranges.iter().any(|range| range.contains(&code)));
        let (script, package) =
            known.map_or(("a rare script", "fonts-noto-extra"), |(script, _, package)| (*script, *package));
        match found.iter_mut().find(|one| one.script == script) {
            Some(one) if one.letters.chars().count() < SHOWN => one.letters.push(*letter),
            Some(_) => {}
            None => found.push(Missing { script, letters: letter.to_string(), package }),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_font_has_is_named_with_what_to_install() {
        let check = |text: &str, expected: &[(&str, &str, &str)]| {
            let found = missing(&text.chars().collect());
            let found: Vec<_> = found.iter().map(|one| (one.script, one.letters.as_str(), one.package)).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("abcdefghijkl", &[("Latin", "abcdefgh", "fonts-dejavu-core")]);
        check("番ぐ", &[("Japanese", "ぐ", "fonts-noto-cjk"), ("Chinese characters", "番", "fonts-noto-cjk")]);
        check("\u{12000}", &[("a rare script", "\u{12000}", "fonts-noto-extra")]);
    }

    #[test]
    fn white_space_and_joiners_need_no_font() {
        assert!([' ', '\n', '\u{3000}', '\u{200d}', '\u{fe0f}', '\u{ad}'].into_iter().all(|one| !is_printed(one)));
        assert!(['a', '番', '—', '\u{fffd}', '😀'].into_iter().all(is_printed));
    }
}
