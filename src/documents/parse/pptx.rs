//! Slides of Office Open XML: the title, the text and tables of each slide, and the speaker's notes. A slide is a page.

use super::compose::{Composer, Opened, is_description};
use super::lost::LostParts;
use super::writer::Kind;
use super::xml::{self, Element, Node, Skipping};
use super::zip::{Package, read_optional_part};
use super::{ParseError, Parsed, opc};

const FORMAT: &str = "PPTX";

/// Elements whose content is skipped.
const SKIPPED: &[&str] = &["Fallback", "rPr", "endParaRPr", "spPr", "style", "tblPr"];

/// Extracts a presentation.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, ParseError> {
    let mut package = Package::open(bytes, FORMAT)?;
    let mut lost = LostParts::default();
    let main = opc::main_part(&mut package, FORMAT)?;
    let parts = opc::relationships(&mut package, &main, FORMAT)?;
    let mut ids = Vec::new();
    xml::walk(package.require(&main)?, FORMAT, |node| {
        if let Node::Open(element) = node
            && element.name() == "sldId"
        {
            // The slide's own number is an attribute `id`, too, but has no prefix.
            ids.extend(element.attributes("id").into_iter().find(|id| parts.contains_key(id)));
        }
        Ok(())
    })?;
    let mut composer = Composer::default();
    for (place, slide) in ids.iter().filter_map(|id| parts.get(id)).enumerate() {
        composer.page();
        let number = place + 1;
        // A title may be drawn last, but is read first.
        let read = package.require(&slide.target);
        let written = read.and_then(|part| write(&mut composer, part, &[ShapeRole::Title, ShapeRole::Body]));
        lost.or_default(written, &format!("slide {number}"));
        let beside = opc::relationships(&mut package, &slide.target, FORMAT);
        for part in lost.or_default(beside, &format!("what belongs to slide {number}")).into_values() {
            let (wanted, what) = match part.kind.as_str() {
                "notesSlide" => (ShapeRole::Notes, "the notes"),
                "diagramData" => (ShapeRole::Body, "a diagram"),
                _ => continue,
            };
            let written = read_optional_part(package.read(&part.target), |part| write(&mut composer, part, &[wanted]));
            lost.or_default(written, &format!("{what} of slide {number}"));
        }
    }
    let properties = lost.or_default(opc::properties(&mut package, FORMAT), "its properties");
    let mut parsed = composer.finish();
    if parsed.text.is_empty() {
        return Err(lost.into_error(" (its slides may be pictures)"));
    }
    parsed.title = parsed.first_heading();
    properties.tell(&mut parsed);
    parsed.lost = lost.told();
    Ok(parsed)
}

/// Which shapes of a part are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ShapeRole {
    Title,
    Body,
    Notes,
}

/// Writes the wanted shapes of a part in this order; of a damaged part nothing, since a table in it would stay open.
fn write(composer: &mut Composer, part: Vec<u8>, wanted: &[ShapeRole]) -> Result<(), ParseError> {
    let part = xml::text(part, FORMAT)?;
    xml::walk_text(&part, FORMAT, |_| Ok(()))?;
    for &wanted in wanted {
        let composer = &mut *composer;
        let skipping = Skipping::default();
        let mut slide =
            Slide { composer, wanted, shape: None, paragraph: None, in_text: false, in_table: false, skipping };
        xml::walk_text(&part, FORMAT, |node| {
            slide.visit(&node);
            Ok(())
        })?;
    }
    Ok(())
}

struct Slide<'c> {
    composer: &'c mut Composer,
    wanted: ShapeRole,
    /// The placeholder that the open shape fills: `Some(None)` for a shape that fills none.
    shape: Option<Option<String>>,
    paragraph: Option<Paragraph>,
    in_text: bool,
    in_table: bool,
    skipping: Skipping,
}

struct Paragraph {
    level: usize,
    has_mark: bool,
    begun: Option<Opened>,
}

impl Slide<'_> {
    fn visit(&mut self, node: &Node<'_>) {
        match node {
            _ if self.skipping.skips(node, SKIPPED) => {}
            Node::Open(element) => self.open(element),
            Node::Close(name) => self.close(name),
            Node::Text(words) if self.in_text => self.words(words),
            Node::Text(_) => {}
        }
    }

    fn open(&mut self, element: &Element<'_>) {
        match element.name() {
            "sp" => self.shape = Some(None),
            "ph" => self.shape = Some(Some(element.attribute("type").unwrap_or_default())),
            "cNvPr" if self.wanted == ShapeRole::Body => {
                if let Some(words) = element.attribute("descr").filter(|words| is_description(words)) {
                    self.composer.open(Kind::Block);
                    self.composer.text(&words);
                    self.composer.close(Kind::Block);
                }
            }
            "p" => self.paragraph = Some(Paragraph { level: 0, has_mark: true, begun: None }),
            "pPr" => {
                let level = element.attribute("lvl").and_then(|level| level.parse::<usize>().ok());
                if let Some(paragraph) = &mut self.paragraph {
                    paragraph.level = level.unwrap_or(0);
                }
            }
            "buNone" => {
                if let Some(paragraph) = &mut self.paragraph {
                    paragraph.has_mark = false;
                }
            }
            // The number of a slide is not part of its text.
            "fld" if element.attribute("type").as_deref() == Some("slidenum") => self.skipping.skip(),
            "t" => self.in_text = true,
            "br" if self.is_wanted() => self.composer.open(Kind::Break),
            "tbl" if self.is_wanted() => {
                self.in_table = true;
                self.composer.open(Kind::Table);
            }
            "tr" if self.in_table => self.composer.open(Kind::Row),
            "tc" if self.in_table => self.composer.open(Kind::Cell),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "sp" => self.shape = None,
            "t" => self.in_text = false,
            "p" => {
                let begun = self.paragraph.take().and_then(|paragraph| paragraph.begun);
                begun.into_iter().for_each(|begun| self.composer.end(begun));
            }
            "tc" if self.in_table => self.composer.close(Kind::Cell),
            "tr" if self.in_table => self.composer.close(Kind::Row),
            "tbl" if self.in_table => {
                self.in_table = false;
                self.composer.close(Kind::Table);
            }
            _ => {}
        }
    }

    fn placeholder(&self) -> Option<&str> {
        self.shape.as_ref()?.as_deref()
    }

    fn is_title(&self) -> bool {
        matches!(self.placeholder(), Some("title" | "ctrTitle"))
    }

    fn is_wanted(&self) -> bool {
        let is_furniture = matches!(self.placeholder(), Some("sldNum" | "dt" | "ftr" | "hdr" | "sldImg"));
        match self.wanted {
            ShapeRole::Title => self.is_title(),
            ShapeRole::Body => !self.is_title() && !is_furniture,
            ShapeRole::Notes => !is_furniture && self.shape.is_some(),
        }
    }

    fn words(&mut self, words: &str) {
        if !self.is_wanted() {
            return;
        }
        // The text of a slide is a list; that of a table, a text box, a subtitle or a note is not.
        let is_outline = matches!(self.placeholder(), Some("" | "body" | "obj")) && self.wanted == ShapeRole::Body;
        let is_title = self.is_title() && self.wanted == ShapeRole::Title;
        if let Some(paragraph) = &mut self.paragraph
            && paragraph.begun.is_none()
        {
            let begun = if is_title {
                Opened::As(Kind::Heading(1))
            } else if is_outline && paragraph.has_mark && !self.in_table {
                Opened::Item(paragraph.level)
            } else {
                Opened::As(Kind::Block)
            };
            paragraph.begun = Some(begun);
            self.composer.begin(begun);
        }
        self.composer.text(words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::parse::zip::testing::archive;

    const KIND: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

    /// A presentation of two slides whose order is not that of their names; the first has notes.
    fn package(first: &str, second: &str, notes: &str) -> Vec<u8> {
        let list = |entries: &[(&str, &str, &str)]| {
            let one = |(id, kind, target): &(&str, &str, &str)| {
                format!("<Relationship Id='{id}' Type='{KIND}/{kind}' Target='{target}'/>")
            };
            format!("<Relationships>{}</Relationships>", entries.iter().map(one).collect::<String>())
        };
        let slide = |shapes: &str| format!("<p:sld><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>");
        let root = list(&[("a", "officeDocument", "ppt/presentation.xml")]);
        let own = list(&[("r1", "slide", "slides/slide2.xml"), ("r2", "slide", "slides/slide1.xml")]);
        let of_slide = list(&[("r1", "notesSlide", "../notesSlides/n.xml")]);
        let parts = [
            ("_rels/.rels", root),
            ("ppt/_rels/presentation.xml.rels", own),
            ("ppt/slides/_rels/slide2.xml.rels", of_slide),
            (
                "ppt/presentation.xml",
                "<p:presentation><p:sldIdLst><p:sldId id='256' r:id='r1'/><p:sldId id='257' r:id='r2'/></p:sldIdLst>\
                 </p:presentation>"
                    .to_owned(),
            ),
            ("ppt/slides/slide2.xml", slide(first)),
            ("ppt/slides/slide1.xml", slide(second)),
            ("ppt/notesSlides/n.xml", slide(notes)),
        ];
        let parts: Vec<(&str, &[u8])> = parts.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
        archive(&parts)
    }

    fn shape(placeholder: &str, paragraphs: &[(u8, &str)]) -> String {
        let one =
            |(level, words): &(u8, &str)| format!("<a:p><a:pPr lvl='{level}'/><a:r><a:t>{words}</a:t></a:r></a:p>");
        let paragraphs: String = paragraphs.iter().map(one).collect();
        format!(
            "<p:sp><p:nvSpPr><p:cNvPr id='2'/><p:nvPr>{placeholder}</p:nvPr></p:nvSpPr><p:txBody>{paragraphs}</p:txBody></p:sp>"
        )
    }

    #[test]
    fn slides_are_pages_in_their_order() {
        let body = shape("<p:ph idx='1'/>", &[(0, "one"), (1, "deep"), (0, "two")]);
        let title = shape("<p:ph type='title'/>", &[(0, "First")]);
        let number = shape("<p:ph type='sldNum'/>", &[(0, "17")]);
        let table = "<p:graphicFrame><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>a</a:t></a:r></a:p></a:txBody></a:tc>\
            <a:tc><a:txBody><a:p><a:r><a:t>b</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>";
        let notes = shape("<p:ph type='body'/>", &[(0, "Say this.")]) + &number;
        let parsed = parse(&package(&(body + &title + &number), table, &notes)).expect("readable");
        assert_eq!(parsed.text, "First\n\n- one\n  - deep\n- two\n\nSay this.\n\na | b");
        assert_eq!(parsed.pages, [0, 40]);
        assert_eq!(
            parsed.headings.iter().map(|it| (it.start, it.level, it.text.as_str())).collect::<Vec<_>>(),
            [(0, 1, "First")]
        );
        assert_eq!(parsed.title.as_deref(), Some("First"));
    }

    #[test]
    fn a_slide_without_words_counts() {
        let parsed = parse(&package("", &shape("", &[(0, "box")]), "")).expect("readable");
        assert_eq!((parsed.text.as_str(), parsed.pages.as_slice()), ("box", &[0, 0][..]));
    }

    #[test]
    fn a_damaged_slide_costs_no_other() {
        let parsed = parse(&package("<a:tbl><a:tr>", &shape("", &[(0, "box")]), "<p:sp>")).expect("readable");
        assert_eq!((parsed.text.as_str(), parsed.pages.as_slice()), ("box", &[0, 0][..]));
        let lost = parsed.lost.expect("told");
        assert!(lost.starts_with("slide 1 (broken PPTX: ") && lost.contains("; the notes of slide 1 ("), "{lost}");
    }

    #[test]
    fn what_is_broken_is_told() {
        let check = |bytes: &[u8], reason: &str| {
            let told = parse(bytes).expect_err("broken").to_string();
            assert!(told.contains(reason), "{told}");
        };
        check(&package("", "", ""), "no text in it");
        check(&package("<p:sp>", "", ""), "broken PPTX: ");
        check(b"PK\x03\x04", "broken PPTX: it is cut short or damaged");
    }
}
