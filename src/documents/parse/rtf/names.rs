//! The meaning of numbers and names in rich text.

use encoding_rs::Encoding;

/// The role of a paragraph by its style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Title,
    Heading(u8),
    /// An entry of a table of contents.
    Contents,
}

/// The role of a style, from its name, which ends with a semicolon, and its outline level.
pub(super) fn role(name: &str, outline: Option<u8>) -> Option<Role> {
    let name = name.trim().trim_end_matches(';').trim().to_lowercase();
    if name == "title" {
        return Some(Role::Title);
    }
    if name.starts_with("toc ") || (name.starts_with("contents ") && name != "contents heading") {
        return Some(Role::Contents);
    }
    let by_name = name.strip_prefix("heading ").and_then(|level| level.parse::<u8>().ok());
    let level = by_name.or(outline.filter(|&level| level < 9).map(|level| level + 1))?;
    (level > 0).then_some(Role::Heading(level.min(6)))
}

/// The encoding of a Windows code page.
pub(super) fn code_page(number: i32) -> Option<&'static Encoding> {
    match number {
        932 => Some(encoding_rs::SHIFT_JIS),
        936 => Some(encoding_rs::GBK),
        949 => Some(encoding_rs::EUC_KR),
        950 => Some(encoding_rs::BIG5),
        10000 => Some(encoding_rs::MACINTOSH),
        65001 => Some(encoding_rs::UTF_8),
        _ => Encoding::for_label(format!("windows-{number}").as_bytes()),
    }
}

/// The encoding of a font's character set.
pub(super) fn of_charset(number: i32) -> Option<&'static Encoding> {
    let page = match number {
        0 => 1252,
        77 => 10000,
        128 => 932,
        129 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    };
    code_page(page)
}

/// The character that a control word stands for.
pub(super) fn special(word: &str) -> Option<&'static str> {
    Some(match word {
        "emdash" => "—",
        "endash" => "–",
        "lquote" => "‘",
        "rquote" => "’",
        "ldblquote" => "“",
        "rdblquote" => "”",
        "bullet" => "•",
        "emspace" | "enspace" | "qmspace" => " ",
        _ => return None,
    })
}
