//! A PDF's own statements about its title, authors and days.

use hayro_syntax::Pdf;
use hayro_syntax::object::{Dict, ObjectIdentifier, Stream, String as Bytes};
use jiff::civil::Date;

use crate::base::text::one_line;
use crate::documents::parse::authorship;
use crate::domain::Authorship;

/// The most bytes of XML about a document that are read; longer XML contains pictures.
const MOST_XMP: usize = 1 << 20;

/// The entries of a document's information dictionary.
pub(super) struct Information<'a>(Option<Dict<'a>>);

impl<'a> Information<'a> {
    /// Finds the dictionary. The end of the file, or the stream that takes its place, names it; both are plain text.
    pub(super) fn of(pdf: &'a Pdf) -> Self {
        const KEY: &[u8] = b"/Info";
        let bytes = pdf.data().as_ref();
        let named = bytes.windows(KEY.len()).rposition(|window| window == KEY);
        let reference = named.and_then(|at| {
            let rest = bytes.get(at + KEY.len()..)?;
            let words = rest.get(..rest.len().min(40))?.split(|byte| byte.is_ascii_whitespace());
            let mut words = words.filter(|word| !word.is_empty()).map(|word| std::str::from_utf8(word).ok());
            let (number, generation) = (words.next()??.parse().ok()?, words.next()??.parse().ok()?);
            words.next()??.starts_with('R').then(|| ObjectIdentifier::new(number, generation))
        });
        Information(reference.and_then(|reference| pdf.xref().get::<Dict<'_>>(reference)))
    }

    fn field(&self, key: &str) -> Option<String> {
        self.0.as_ref()?.get::<Bytes<'_>>(key).map(|text| text_of(text.as_bytes()))
    }

    pub(super) fn title(&self) -> Option<String> {
        self.field("Title").and_then(|title| usable_title(&title))
    }

    pub(super) fn day(&self) -> Option<Date> {
        ["CreationDate", "ModDate"].into_iter().find_map(|key| day(&self.field(key)?))
    }

    /// The document's statements about its publication, in XML and in this dictionary.
    pub(super) fn authorship(&self, pdf: &Pdf) -> Authorship {
        let listed = Authorship {
            authors: self.field("Author").map(|names| authorship::names(&names)).unwrap_or_default(),
            doi: ["doi", "DOI", "WPS-ARTICLEDOI", "Subject"]
                .iter()
                .find_map(|key| authorship::doi_in(&self.field(key)?)),
            ..Authorship::default()
        };
        xmp(pdf).map(authorship::authorship_in_xml).unwrap_or_default().or(listed)
    }
}

fn xmp(pdf: &Pdf) -> Option<Vec<u8>> {
    let catalog = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id())?;
    let stream = catalog.get::<Stream<'_>>("Metadata")?;
    let data = stream.raw_data();
    // Programs store it uncompressed, so that others find it; compressed data may unpack to any size.
    (stream.filters().is_empty() && data.len() <= MOST_XMP).then(|| data.into_owned())
}

/// A text string: UTF-16 or UTF-8 with its byte order mark, else in PDF's own encoding, which is nearly Latin 1.
pub(super) fn text_of(bytes: &[u8]) -> String {
    const FROM_24: &str = "\u{2d8}\u{2c7}\u{2c6}\u{2d9}\u{2dd}\u{2db}\u{2da}\u{2dc}";
    const FROM_128: &str = "\u{2022}\u{2020}\u{2021}\u{2026}\u{2014}\u{2013}\u{192}\u{2044}\u{2039}\u{203a}\u{2212}\u{2030}\u{201e}\u{201c}\u{201d}\u{2018}\u{2019}\u{201a}\u{2122}\u{fb01}\u{fb02}\u{141}\u{152}\u{160}\u{178}\u{17d}\u{131}\u{142}\u{153}\u{161}\u{17e}\u{fffd}\u{20ac}";
    match bytes {
        [0xfe, 0xff, rest @ ..] => encoding_rs::UTF_16BE.decode_without_bom_handling(rest).0.into_owned(),
        [0xff, 0xfe, rest @ ..] => encoding_rs::UTF_16LE.decode_without_bom_handling(rest).0.into_owned(),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => bytes
            .iter()
            .map(|&byte| {
                let special = match byte {
                    24..=31 => FROM_24.chars().nth(usize::from(byte - 24)),
                    128..=160 => FROM_128.chars().nth(usize::from(byte - 128)),
                    _ => None,
                };
                special.unwrap_or(char::from(byte))
            })
            .collect(),
    }
}

/// The title without text that programs add; `None` if it is a filler or the name of a file.
pub(super) fn usable_title(title: &str) -> Option<String> {
    let title = one_line(&title.replace('\0', ""));
    let title = title.strip_prefix("Microsoft Word - ").unwrap_or(&title);
    let bare = title.trim_matches(['(', ')']).to_lowercase();
    let is_filler = matches!(
        bare.as_str(),
        "" | "untitled"
            | "anonymous"
            | "unspecified"
            | "title"
            | "document"
            | "slide 1"
            | "template"
            | "powerpoint presentation"
            | "r graphics output"
    );
    (!is_filler && !names_file(title) && title.chars().any(char::is_alphanumeric)).then(|| title.to_owned())
}

/// Whether a title is the name of the file that the PDF was made from, as in `paper.dvi` and `C:\\data\\a.tex`.
fn names_file(title: &str) -> bool {
    const ENDINGS: [&str; 21] = [
        "dvi", "tex", "ps", "eps", "pdf", "doc", "docx", "dot", "rtf", "odt", "wpd", "ppt", "pptx", "xls", "xlsx",
        "txt", "fm", "book", "indd", "qxd", "htm",
    ];
    let ending = title.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default();
    ENDINGS.contains(&ending.as_str()) || (!title.contains(' ') && title.contains(['/', '\\']))
}

/// The day of `D:20240131120000+01'00'`; a missing month or day becomes the first.
fn day(text: &str) -> Option<Date> {
    let text = text.trim();
    let digits = text.strip_prefix("D:").unwrap_or(text);
    let number = |from: usize, to: usize| digits.get(from..to).and_then(|part| part.parse::<i8>().ok());
    let year = digits.get(..4)?.parse::<i16>().ok()?;
    Date::new(year, number(4, 6).unwrap_or(1), number(6, 8).unwrap_or(1)).ok()
}
