//! The meaning of the codes of a page's fonts: their characters, and how far each one advances.
//!
//! A font identifies its characters in one of many ways: a table for readers, names of glyphs, a collection of East
//! Asian characters, or the tables of its font program. `hayro-font` knows most of these; this module adds the ways
//! that remain for fonts without such a table.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use hayro_cmap::{BfString, CMap, CMapName, CidFamily, load_embedded};
use hayro_font::{CMapResolverFn, Font, FontCache, FontGlyph, FontQuery, FontResolverFn, StandardFont};
use hayro_syntax::object::{Array, Dict, Name, Number, Object, Stream};
use skrifa::{FontRef, MetadataProvider};

use super::lines::FontStyle;

/// Stands for a glyph that cannot be identified.
pub(super) const UNKNOWN: char = '\u{fffd}';

/// The fonts of a document, each read once.
pub(super) struct Fonts<'a> {
    cache: FontCache<'a>,
    programs: FontResolverFn,
    maps: CMapResolverFn,
    faces: HashMap<(usize, usize), Option<Rc<Face<'a>>>>,
}

/// A font, and the meanings found for its codes.
pub(super) struct Face<'a> {
    font: Font<'a>,
    more: FallbackCharacters,
    /// The size of its letters in units of the size that is asked for: fonts made of drawings have their own scales.
    pub(super) em: f64,
    /// Whether its letters are drawn upside down; pages that use it are then upside down too.
    pub(super) is_flipped: bool,
    is_simple: bool,
    /// Whether its glyphs are drawings.
    is_drawn: bool,
    pub(super) look: FontStyle,
    codes: RefCell<HashMap<u32, Glyph>>,
}

/// The meaning of a code.
#[derive(Clone)]
pub(super) struct Glyph {
    pub(super) text: Rc<str>,
    /// Its advance along the line and downwards, in units of the font's size.
    pub(super) advance: (f64, f64),
}

/// Where to find characters that the font's own tables do not name.
enum FallbackCharacters {
    /// In numbers that serve as names, as in `/g65`, and in the code itself.
    Names(HashMap<u32, String>),
    /// In a collection of East Asian characters.
    Collection(Box<Collection>),
    /// In the font program's table of characters, read backwards.
    Glyphs(HashMap<u32, char>),
    Nowhere,
}

/// Maps codes to the numbers of a collection of characters, and these to Unicode.
struct Collection {
    numbers: CMap,
    unicode: Option<CMap>,
    /// Whether the codes are Unicode themselves.
    is_unicode: bool,
}

impl<'a> Fonts<'a> {
    pub(super) fn new() -> Self {
        let standard = |query: &FontQuery| match query {
            FontQuery::Standard(font) => Some(font.get_font_data()),
            FontQuery::Fallback(query) => Some(query.pick_standard_font().get_font_data()),
        };
        Fonts {
            cache: FontCache::new(),
            programs: Arc::new(standard),
            maps: Arc::new(load_embedded),
            faces: HashMap::new(),
        }
    }

    /// The font that a dictionary describes; `None` if it describes none.
    pub(super) fn face(&mut self, dictionary: &Dict<'a>) -> Option<Rc<Face<'a>>> {
        let data = dictionary.data();
        let key = (data.as_ptr() as usize, data.len());
        if let Some(face) = self.faces.get(&key) {
            return face.clone();
        }
        let face = self.cache.font(dictionary, &self.programs, &self.maps).map(|font| {
            let subtype = dictionary.get::<Name<'_>>("Subtype");
            let kind = subtype.as_ref().map_or("", |name| name.as_str());
            let is_drawn = kind == "Type3";
            let drawn = dictionary.get::<[f64; 6]>("FontMatrix").filter(|_| is_drawn);
            let em = if is_drawn { em_of_drawings(drawn, &font) } else { 1.0 };
            let is_flipped = drawn.is_some_and(|matrix| matrix[0] > 0.0 && matrix[3] < 0.0);
            let is_simple = kind != "Type0";
            let name = dictionary.get::<Name<'_>>("BaseFont");
            let look = name.as_ref().map(|name| look(name.as_str())).unwrap_or_default();
            let more = if is_simple { named(dictionary) } else { self.collection(dictionary, &font) };
            Rc::new(Face { font, more, em, is_flipped, is_simple, is_drawn, look, codes: RefCell::default() })
        });
        self.faces.insert(key, face.clone());
        face
    }

    /// The font for text whose own font is missing or broken.
    pub(super) fn substitute(&mut self) -> Option<Rc<Face<'a>>> {
        let face = self.faces.entry((0, 0)).or_insert_with(|| {
            let font = self.cache.standard_font(StandardFont::Helvetica, &self.programs)?;
            let codes = RefCell::default();
            let (is_flipped, is_simple, is_drawn) = (false, true, false);
            let (more, look) = (FallbackCharacters::Nowhere, FontStyle::default());
            Some(Rc::new(Face { font, more, em: 1.0, is_flipped, is_simple, is_drawn, look, codes }))
        });
        face.clone()
    }

    /// Where to find the characters of a composite font without a table of its own.
    fn collection(&self, dictionary: &Dict<'a>, font: &Font<'a>) -> FallbackCharacters {
        let Some(numbers) = self.numbers(dictionary) else { return FallbackCharacters::Nowhere };
        let Some(inner) =
            dictionary.get::<Array<'_>>("DescendantFonts").and_then(|fonts| fonts.iter::<Dict<'_>>().next())
        else {
            return FallbackCharacters::Nowhere;
        };
        let family = numbers
            .metadata()
            .character_collection
            .as_ref()
            .map(|collection| collection.family.clone())
            .filter(|family| *family != CidFamily::AdobeIdentity)
            .or_else(|| {
                let system = inner.get::<Dict<'_>>("CIDSystemInfo")?;
                let text = |key: &str| system.get::<hayro_syntax::object::String<'_>>(key);
                Some(CidFamily::from_registry_ordering(text("Registry")?.as_bytes(), text("Ordering")?.as_bytes()))
            });
        let name = dictionary.get::<Name<'_>>("Encoding");
        let is_unicode = name.as_ref().is_some_and(|name| {
            name.as_str().starts_with("Uni") && (name.as_str().contains("-UCS2-") || name.as_str().contains("-UTF16-"))
        });
        let unicode = family
            .and_then(|family| family.ucs2_cmap())
            .and_then(load_embedded)
            .and_then(|data| CMap::parse(data, load_embedded));
        if is_unicode || unicode.is_some() {
            return FallbackCharacters::Collection(Box::new(Collection { numbers, unicode, is_unicode }));
        }
        match program_characters(font) {
            Some(characters) if !characters.is_empty() => FallbackCharacters::Glyphs(characters),
            // Numbers that are not glyphs of the font program are those of the characters.
            _ if inner.get::<Stream<'_>>("CIDToGIDMap").is_some() => {
                FallbackCharacters::Collection(Box::new(Collection { numbers, unicode: None, is_unicode: true }))
            }
            _ => FallbackCharacters::Nowhere,
        }
    }

    /// Maps a composite font's codes to the numbers of its collection.
    fn numbers(&self, dictionary: &Dict<'a>) -> Option<CMap> {
        match dictionary.get::<Object<'_>>("Encoding")? {
            Object::Name(name) => match CMapName::from_bytes(&name) {
                CMapName::IdentityH => Some(CMap::identity_h()),
                CMapName::IdentityV => Some(CMap::identity_v()),
                name => CMap::parse(load_embedded(name)?, load_embedded),
            },
            Object::Stream(stream) => CMap::parse(&unpacked(&stream)?, load_embedded),
            _ => None,
        }
    }
}

/// The look that a font's name indicates: `Arial-BoldMT`, `Courier`, TeX's `CMBX12` and `CMTT10`, `NimbusRomNo9L-Medi`.
fn look(name: &str) -> FontStyle {
    const BOLD: [&str; 13] =
        ["bold", "black", "heavy", "medi", "-bd", "cmbx", "cmssbx", "cmb10", "sfbx", "sfsx", "ecbx", "cmbsy", "cmmib"];
    const FIXED: [&str; 10] =
        ["courier", "mono", "typewriter", "consol", "gothic12", "cmtt", "cmsltt", "sftt", "ectt", "txtt"];
    let name = name.split_once('+').map_or(name, |(_, name)| name).to_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    FontStyle { is_bold: has(&BOLD) && !name.contains("mediu"), is_fixed: has(&FIXED) }
}

/// The data of a stream; `None` if it cannot be unpacked.
pub(super) fn unpacked(stream: &Stream<'_>) -> Option<Vec<u8>> {
    stream.decoded_data().ok().map(|data| data.into_owned())
}

impl Face<'_> {
    /// The next code of a string, and its length in bytes.
    pub(super) fn next_code(&self, bytes: &[u8]) -> (u32, usize) {
        self.font.read_code(bytes, 0)
    }

    pub(super) fn is_horizontal(&self) -> bool {
        self.font.is_horizontal()
    }

    pub(super) fn sign(&self, code: u32) -> Glyph {
        self.codes.borrow_mut().entry(code).or_insert_with(|| self.read(code)).clone()
    }

    fn read(&self, code: u32) -> Glyph {
        let advance = self.font.code_advance(code);
        let glyph = self.font.map_code(code);
        let own = match self.font.glyph(glyph, code) {
            FontGlyph::Outline(glyph) => glyph.as_unicode(),
            FontGlyph::Type3(glyph) => glyph.as_unicode(),
        };
        let own = own.map(written).filter(|text| !text.is_empty() && text != "\0");
        let own =
            own.map(|text| if self.is_drawn { self.more.bitmap_glyph_text(code, &text).unwrap_or(text) } else { text });
        let text = own.or_else(|| self.more.find(code, glyph.to_u32())).unwrap_or_else(|| {
            // A code without a glyph draws nothing.
            let is_unreadable_character =
                glyph.to_u32() == 0 && (self.is_simple || code == 0) || advance.x == 0.0 && advance.y == 0.0;
            if code == 32 && self.is_simple {
                " ".to_owned()
            } else if is_unreadable_character {
                String::new()
            } else {
                UNKNOWN.to_string()
            }
        });
        Glyph { text: text.into(), advance: (advance.x / 1000.0, advance.y / 1000.0) }
    }
}

impl FallbackCharacters {
    /// The text of a bitmap glyph that is named by its number, as in `a65`: TeX uses such names, which are also those
    /// of dingbats. Names that Ghostscript counts may have another meaning too: its `CR` is `c`.
    fn bitmap_glyph_text(&self, code: u32, dingbat: &str) -> Option<String> {
        let FallbackCharacters::Names(names) = self else { return None };
        let name = names.get(&code)?;
        if is_counted(name, code) {
            return tex_glyph_text(u8::try_from(code).ok()?);
        }
        (*name == format!("a{code}")).then_some(())?;
        dingbat.starts_with(|one| matches!(one, '\u{2190}'..='\u{27bf}')).then(|| numbered(name))?
    }

    fn find(&self, code: u32, glyph: u32) -> Option<String> {
        match self {
            FallbackCharacters::Names(names) => match names.get(&code) {
                Some(name) if is_counted(name, code) => tex_glyph_text(u8::try_from(code).ok()?),
                Some(name) => numbered(name),
                None => char::from_u32(code).filter(|one| one.is_ascii_graphic()).map(String::from),
            },
            FallbackCharacters::Collection(collection) => {
                if collection.is_unicode {
                    return char::from_u32(code).filter(|&one| one != '\0').map(String::from).or_else(|| pair(code));
                }
                let number = (1..=4).find_map(|length| collection.numbers.lookup_cid_code(code, length))?;
                collection.unicode.as_ref()?.lookup_bf_string(number).map(written)
            }
            FallbackCharacters::Glyphs(glyphs) => glyphs.get(&glyph).map(|&one| one.to_string()),
            FallbackCharacters::Nowhere => None,
        }
    }
}

fn written(found: BfString) -> String {
    match found {
        BfString::Char(one) => one.to_string(),
        BfString::String(text) => text,
    }
}

/// The text of a code that holds two halves of UTF-16.
fn pair(code: u32) -> Option<String> {
    String::from_utf16(&[(code >> 16) as u16, code as u16]).ok()
}

/// The names that a simple font gives its codes.
fn named(dictionary: &Dict<'_>) -> FallbackCharacters {
    let differences =
        dictionary.get::<Dict<'_>>("Encoding").and_then(|encoding| encoding.get::<Array<'_>>("Differences"));
    let mut names = HashMap::new();
    let mut code = 0_u32;
    for item in differences.iter().flat_map(|list| list.iter::<Object<'_>>()) {
        match item {
            Object::Number(number) => code = u32::try_from(number.as_i64()).unwrap_or(0),
            Object::Name(name) => {
                names.insert(code, name.as_str().to_owned());
                code = code.saturating_add(1);
            }
            _ => {}
        }
    }
    FallbackCharacters::Names(names)
}

/// The character of an unusual name: the character itself, or its number after up to two letters, as in `g65`, `C0065`,
/// `a246` and `#0C`. Programs give such names to the glyphs of bitmap fonts.
fn numbered(name: &str) -> Option<String> {
    let mut characters = name.chars();
    if let (Some(one), None) = (characters.next(), characters.next()) {
        return one.is_ascii_graphic().then(|| one.to_string());
    }
    if let Some(number) = name.strip_prefix('#').and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
        return tex_glyph_text(number);
    }
    let digits = name.trim_start_matches(|one: char| one.is_ascii_alphabetic());
    let letters = name.len() - digits.len();
    (letters <= 2 && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| tex_glyph_text(digits.parse().ok()?))?
}

/// Whether a name is a code as Ghostscript writes it: two digits to the base of 36, the first of which begins at `A`.
fn is_counted(name: &str, code: u32) -> bool {
    let &[first, last] = name.as_bytes() else { return false };
    let last = Some(last).filter(|last| !last.is_ascii_lowercase()).and_then(|last| char::from(last).to_digit(36));
    first.is_ascii_uppercase() && last.is_some_and(|last| u32::from(first - b'A') * 36 + last == code)
}

/// The text of a number in a bitmap font, in TeX's encodings: ASCII, ligatures and dashes below, nearly Latin 1 above.
fn tex_glyph_text(number: u8) -> Option<String> {
    let text = match number {
        11 | 27 => "ff",
        12 | 28 => "fi",
        13 | 29 => "fl",
        14 | 30 => "ffi",
        15 | 31 => "ffl",
        16 => "\u{201c}",
        17 => "\u{201d}",
        18 => "\u{201e}",
        21 => "\u{2013}",
        22 => "\u{2014}",
        215 => "\u{152}",
        223 => "SS",
        247 => "\u{153}",
        255 => "\u{df}",
        33..=126 | 192.. => return Some(char::from(number).to_string()),
        _ => return None,
    };
    Some(text.to_owned())
}

/// The characters of an embedded font program by their glyphs.
fn program_characters(font: &Font<'_>) -> Option<HashMap<u32, char>> {
    let FontGlyph::Outline(glyph) = font.glyph(font.map_code(0), 0) else { return None };
    let data = glyph.font_data()?.data;
    let program = FontRef::new((*data).as_ref()).ok()?;
    let mut characters: HashMap<u32, char> = HashMap::new();
    for (code, glyph) in program.charmap().mappings() {
        let Some(one) = char::from_u32(code).filter(|one| !one.is_control()) else { continue };
        // Of several characters with one glyph, the first is the plain one.
        characters.entry(glyph.to_u32()).or_insert(one);
    }
    Some(characters)
}

/// The letter size of a font whose glyphs are drawings: 1 if they are drawn in thousandths like those of other fonts,
/// else derived from their average width.
fn em_of_drawings(matrix: Option<[f64; 6]>, font: &Font<'_>) -> f64 {
    if matrix.is_some_and(|matrix| (matrix[0].abs() - 0.001).abs() < 1e-6) {
        return 1.0;
    }
    let widths: Vec<f64> = (0..256)
        .map(|code| font.code_advance(code).x.abs())
        .filter(|width| width.is_finite() && *width > 0.0)
        .collect();
    if widths.is_empty() {
        return 1.0;
    }
    // Letters are half as wide as high.
    2.0 * widths.iter().sum::<f64>() / widths.len() as f64 / 1000.0
}

/// A number of a content stream; 0 if it is not finite.
pub(super) fn finite(number: &Number) -> f64 {
    let number = number.as_f64();
    if number.is_finite() { number } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_bitmap_glyphs_are_no_dingbats() {
        let more = FallbackCharacters::Names(HashMap::from([(65, "a65".to_owned()), (66, "a65".to_owned())]));
        assert_eq!(more.bitmap_glyph_text(65, "\u{2746}").as_deref(), Some("A"));
        assert_eq!(more.bitmap_glyph_text(65, "\u{416}"), None);
        assert_eq!(more.bitmap_glyph_text(66, "\u{2746}"), None);
        // In Ghostscript's count, `CR` is the ninety-ninth.
        let more = FallbackCharacters::Names(HashMap::from([
            (99, "CR".to_owned()),
            (108, "D0".to_owned()),
            (109, "D0".to_owned()),
        ]));
        assert_eq!(more.bitmap_glyph_text(99, "\r").as_deref(), Some("c"));
        assert_eq!(more.find(108, 0).as_deref(), Some("l"));
        assert_eq!(more.find(109, 0), None);
    }

    #[test]
    fn names_of_bitmap_glyphs_are_numbers() {
        let check = |name: &str, expected: Option<&str>| assert_eq!(numbered(name).as_deref(), expected, "{name}");
        check("g65", Some("A"));
        check("C0065", Some("A"));
        check("a246", Some("\u{f6}"));
        check("a255", Some("\u{df}"));
        check("#0C", Some("fi"));
        check(".", Some("."));
        check("a3", None);
        check("glyph65", None);
        check("a300", None);
        check("", None);
    }
}
