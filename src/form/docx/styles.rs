//! The look of a document: its styles, lists and settings.

use super::WORDS;
use crate::base::text::Language;
use crate::form::writer::Writer;

/// A paragraph style: its id, the name by which word processors know it, the font size in half points, the space before
/// and after in twentieths of a point, and further run properties.
const STYLES: [(&str, &str, u32, u32, u32, &str); 14] = [
    ("Title", "Title", 44, 0, 160, "<w:b/>"),
    ("Heading1", "heading 1", 30, 360, 100, "<w:b/>"),
    ("Heading2", "heading 2", 26, 280, 80, "<w:b/>"),
    ("Heading3", "heading 3", 23, 240, 60, "<w:b/>"),
    ("Heading4", "heading 4", 22, 200, 60, "<w:b/><w:i/>"),
    ("Heading5", "heading 5", 22, 200, 60, "<w:i/>"),
    ("TOC1", "toc 1", 20, 0, 20, ""),
    ("ListParagraph", "List Paragraph", 22, 0, 60, ""),
    ("Quote", "Quote", 21, 0, 120, ""),
    ("Code", "Code", 18, 0, 120, ""),
    ("TableText", "Table Text", 20, 0, 40, ""),
    ("FootnoteText", "footnote text", 17, 0, 0, ""),
    ("CommentText", "annotation text", 20, 0, 60, ""),
    ("Source", "Source", 20, 0, 120, ""),
];

/// The styles, with the fonts of a language.
pub(super) fn styles(language: Language) -> String {
    let mut out = Writer::default();
    out.within("w:styles", &[("xmlns:w", WORDS)], |out| {
        let tag = language.tag();
        let east = match language.code() {
            "cmn" => "SimSun",
            "kor" => "Batang",
            _ => "Yu Mincho",
        };
        out.within("w:docDefaults", &[], |out| {
            out.within("w:rPrDefault", &[], |out| {
                out.within("w:rPr", &[], |out| {
                    let fonts = [
                        ("w:ascii", "Cambria"),
                        ("w:hAnsi", "Cambria"),
                        ("w:eastAsia", east),
                        ("w:cs", "Times New Roman"),
                    ];
                    out.within("w:rFonts", &fonts, |_| {});
                    out.within("w:sz", &[("w:val", "22")], |_| {});
                    out.within("w:szCs", &[("w:val", "22")], |_| {});
                    out.within("w:lang", &[("w:val", tag), ("w:eastAsia", tag), ("w:bidi", tag)], |_| {});
                });
            });
            out.raw("<w:pPrDefault><w:pPr><w:spacing w:after=\"140\" w:line=\"290\" w:lineRule=\"auto\"/></w:pPr></w:pPrDefault>");
        });
        out.raw("<w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"Normal\"><w:name w:val=\"Normal\"/><w:qFormat/></w:style>");
        for (id, name, size, before, after, set) in STYLES {
            style(out, (id, name, size, before, after, set));
        }
        out.raw("<w:style w:type=\"character\" w:styleId=\"FootnoteReference\"><w:name w:val=\"footnote reference\"/><w:rPr><w:vertAlign w:val=\"superscript\"/></w:rPr></w:style>");
        out.raw("<w:style w:type=\"character\" w:styleId=\"CommentReference\"><w:name w:val=\"annotation reference\"/><w:rPr><w:sz w:val=\"16\"/></w:rPr></w:style>");
        out.raw("<w:style w:type=\"character\" w:styleId=\"Hyperlink\"><w:name w:val=\"Hyperlink\"/><w:rPr><w:color w:val=\"0B4A8F\"/><w:u w:val=\"single\"/></w:rPr></w:style>");
        out.raw("<w:style w:type=\"table\" w:styleId=\"TableGrid\"><w:name w:val=\"Table Grid\"/><w:tblPr><w:tblBorders><w:top w:val=\"single\" w:sz=\"4\" w:color=\"A0A0A0\"/><w:bottom w:val=\"single\" w:sz=\"4\" w:color=\"A0A0A0\"/><w:insideH w:val=\"single\" w:sz=\"4\" w:color=\"A0A0A0\"/></w:tblBorders><w:tblCellMar><w:left w:w=\"80\" w:type=\"dxa\"/><w:right w:w=\"80\" w:type=\"dxa\"/></w:tblCellMar></w:tblPr></w:style>");
    });
    out.into_text()
}

fn style(out: &mut Writer, (id, name, size, before, after, set): (&str, &str, u32, u32, u32, &str)) {
    out.within("w:style", &[("w:type", "paragraph"), ("w:styleId", id)], |out| {
        out.within("w:name", &[("w:val", name)], |_| {});
        out.within("w:basedOn", &[("w:val", "Normal")], |_| {});
        out.raw("<w:qFormat/>");
        out.within("w:pPr", &[], |out| {
            let level = id.strip_prefix("Heading").and_then(|level| level.parse::<u32>().ok());
            if level.is_some() || id == "Title" {
                out.raw("<w:keepNext/>");
            }
            let (before, after) = (before.to_string(), after.to_string());
            out.within("w:spacing", &[("w:before", &before), ("w:after", &after)], |_| {});
            if matches!(id, "Quote" | "Code") {
                out.raw("<w:ind w:start=\"500\"/>");
            }
            if let Some(level) = level {
                out.within("w:outlineLvl", &[("w:val", &(level - 1).to_string())], |_| {});
            }
        });
        out.within("w:rPr", &[], |out| {
            if id == "Code" {
                out.raw("<w:rFonts w:ascii=\"Consolas\" w:hAnsi=\"Consolas\"/>");
            }
            out.raw(set);
            let size = size.to_string();
            out.within("w:sz", &[("w:val", &size)], |_| {});
            out.within("w:szCs", &[("w:val", &size)], |_| {});
        });
    });
}

/// The list definitions: one for bullets, and one for each numbered list with its first number.
pub(super) fn numbering(numbered: &[u64]) -> String {
    let mut out = Writer::default();
    out.within("w:numbering", &[("xmlns:w", WORDS)], |out| {
        for (id, format, text) in [("0", "bullet", "•"), ("1", "decimal", "%.")] {
            out.within("w:abstractNum", &[("w:abstractNumId", id)], |out| {
                out.raw("<w:multiLevelType w:val=\"multilevel\"/>");
                for level in 0..9_u32 {
                    let text = text.replace('%', &format!("%{}", level + 1));
                    out.within("w:lvl", &[("w:ilvl", &level.to_string())], |out| {
                        out.raw("<w:start w:val=\"1\"/>");
                        out.within("w:numFmt", &[("w:val", format)], |_| {});
                        out.within("w:lvlText", &[("w:val", &text)], |_| {});
                        let indent = (400 * (level + 1)).to_string();
                        out.within("w:pPr", &[], |out| {
                            out.within("w:ind", &[("w:start", &indent), ("w:hanging", "360")], |_| {});
                        });
                    });
                }
            });
        }
        out.raw("<w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num>");
        for (at, first) in numbered.iter().enumerate() {
            out.within("w:num", &[("w:numId", &(at + 2).to_string())], |out| {
                out.raw("<w:abstractNumId w:val=\"1\"/>");
                for level in 0..9 {
                    out.within("w:lvlOverride", &[("w:ilvl", &level.to_string())], |out| {
                        out.within("w:startOverride", &[("w:val", &first.to_string())], |_| {});
                    });
                }
            });
        }
    });
    out.into_text()
}

pub(super) fn settings() -> String {
    let mut out = Writer::default();
    out.within("w:settings", &[("xmlns:w", WORDS)], |out| {
        out.raw("<w:footnotePr><w:footnote w:id=\"-1\"/><w:footnote w:id=\"0\"/></w:footnotePr><w:compat><w:compatSetting w:name=\"compatibilityMode\" w:uri=\"http://schemas.microsoft.com/office/word\" w:val=\"15\"/></w:compat>");
    });
    out.into_text()
}
