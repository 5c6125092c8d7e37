//! Interprets a page's content as far as it is text: the character and place of each glyph go to the page's lines.

use std::rc::Rc;

use hayro_font::kurbo::{Affine, Point, Rect};
use hayro_syntax::Pdf;
use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction as Op;
use hayro_syntax::object::{Array, Dict, Name, Number, Object, Stream, String as Bytes};
use hayro_syntax::page::{Page, Resources};

use super::fonts::{Face, Fonts, finite, unpacked};
use super::information::text_of;
use super::lines::{Line, LineCollector, arranged};
use super::shadows;

/// The deepest that forms may draw other forms; deeper ones are left out.
const DEEPEST_FORM: usize = 24;

/// The most fields in a chain of parents that are looked at.
const DEEPEST_FIELD: usize = 24;

/// The most parts that a document may draw; one that draws more does nothing else.
const MOST_FORMS: usize = 50_000;

/// The most states that content may save without restoring them.
const MOST_STATES: usize = 1_000;

/// The type of a field's value has this share of the field's height, but at most `USUAL_SIZE`.
const FILLED: f64 = 0.7;
const USUAL_SIZE: f64 = 10.0;

/// How many points beyond a page's edge a glyph still counts as on the page.
const BEYOND: f64 = 10.0;

/// The state that all pages of a document share.
pub(super) struct Reader<'a> {
    fonts: Fonts<'a>,
    forms: usize,
    /// Whether the viewer is to draw the values of fields itself (`NeedAppearances`).
    draws_values: bool,
}

/// The content that a page shows.
#[derive(Default)]
pub(super) struct PageContent {
    pub(super) lines: Vec<Line>,
    /// Whether it draws an image.
    pub(super) has_image: bool,
    /// Why some of it is missing.
    pub(super) lost: Option<&'static str>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(pdf: &Pdf) -> Self {
        let form = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id()).and_then(|root| root.get::<Dict<'_>>("AcroForm"));
        let draws_values = form.and_then(|form| form.get::<bool>("NeedAppearances")).unwrap_or(false);
        Reader { fonts: Fonts::new(), forms: 0, draws_values }
    }

    /// Reads a page and its annotations.
    pub(super) fn read(&mut self, page: &Page<'a>) -> PageContent {
        // Nothing beyond the crop box is shown: it holds printers' marks and names of files.
        let edges = match page.intersected_crop_box() {
            edges if edges.width() > 0.0 && edges.height() > 0.0 => edges,
            _ => page.media_box(),
        };
        let edges = Rect::new(edges.x0, edges.y0, edges.x1, edges.y1).inflate(BEYOND, BEYOND);
        let mut drawing = Drawing {
            reader: self,
            lines: LineCollector::default(),
            edges,
            has_image: false,
            lost: None,
            marked: 0,
            replaced: None,
        };
        match contents(page.raw()) {
            Some(content) => drawing.draw(&content, page.resources(), State::new(Affine::IDENTITY), 0),
            None => drawing.lost = Some("its content cannot be unpacked"),
        }
        drawing.draw_annotations(page.raw());
        let mut lines = drawing.lines.drawn();
        shadows::remove(&mut lines);
        PageContent { lines: arranged(lines), has_image: drawing.has_image, lost: drawing.lost }
    }
}

/// The content of a page, empty if it has none; `None` if it cannot be unpacked.
fn contents(page: &Dict<'_>) -> Option<Vec<u8>> {
    match page.get::<Object<'_>>("Contents") {
        Some(Object::Stream(stream)) => unpacked(&stream),
        Some(Object::Array(parts)) => {
            let mut content = Vec::new();
            for part in parts.iter::<Stream<'_>>() {
                content.extend(unpacked(&part)?);
                content.push(b'\n');
            }
            Some(content)
        }
        _ => Some(Vec::new()),
    }
}

/// The state that content sets, and restores with `Q`.
#[derive(Clone)]
struct State<'a> {
    place: Affine,
    face: Option<Rc<Face<'a>>>,
    size: f64,
    between_characters: f64,
    between_words: f64,
    stretch: f64,
    leading: f64,
    rise: f64,
}

impl State<'_> {
    fn new(place: Affine) -> Self {
        State {
            place,
            face: None,
            size: 0.0,
            between_characters: 0.0,
            between_words: 0.0,
            stretch: 1.0,
            leading: 0.0,
            rise: 0.0,
        }
    }
}

struct Drawing<'r, 'a> {
    reader: &'r mut Reader<'a>,
    lines: LineCollector,
    edges: Rect,
    has_image: bool,
    lost: Option<&'static str>,
    /// How many marked parts are open.
    marked: usize,
    /// The depth of the outermost marked part that has a replacement text, and that text until the first glyph in the
    /// part has taken it.
    replaced: Option<(usize, Option<String>)>,
}

impl<'a> Drawing<'_, 'a> {
    fn draw(&mut self, content: &[u8], resources: &Resources<'a>, state: State<'a>, depth: usize) {
        let mut states = Vec::new();
        let mut state = state;
        let (mut line, mut at) = (Affine::IDENTITY, Affine::IDENTITY);
        let marked = self.marked;
        let mut ops = TypedIter::new(content);
        while let Some(op) = ops.next() {
            match op {
                Op::SaveState(_) if states.len() < MOST_STATES => states.push(state.clone()),
                Op::RestoreState(_) => state = states.pop().unwrap_or(state),
                Op::Transform(op) => {
                    let numbers = [op.0, op.1, op.2, op.3, op.4, op.5];
                    state.place *= Affine::new(numbers.map(|number| finite(&number)));
                }
                Op::CharacterSpacing(op) => state.between_characters = finite(&op.0),
                Op::WordSpacing(op) => state.between_words = finite(&op.0),
                Op::HorizontalScaling(op) => state.stretch = finite(&op.0) / 100.0,
                Op::TextLeading(op) => state.leading = finite(&op.0),
                Op::TextRise(op) => state.rise = finite(&op.0),
                Op::TextFont(op) => {
                    state.face = resources.get_font(op.0).and_then(|font| self.reader.fonts.face(&font));
                    state.size = finite(&op.1);
                }
                Op::BeginText(_) => (line, at) = (Affine::IDENTITY, Affine::IDENTITY),
                Op::NextLine(op) => step(&mut line, &mut at, finite(&op.0), finite(&op.1)),
                Op::NextLineAndSetLeading(op) => {
                    state.leading = -finite(&op.1);
                    step(&mut line, &mut at, finite(&op.0), finite(&op.1));
                }
                Op::SetTextMatrix(op) => {
                    let numbers = [op.0, op.1, op.2, op.3, op.4, op.5];
                    line = Affine::new(numbers.map(|number| finite(&number)));
                    at = line;
                }
                Op::NextLineUsingLeading(_) => step(&mut line, &mut at, 0.0, -state.leading),
                Op::ShowText(op) => self.show(&state, &mut at, op.0),
                Op::NextLineAndShowText(op) => {
                    step(&mut line, &mut at, 0.0, -state.leading);
                    self.show(&state, &mut at, op.0);
                }
                Op::ShowTextWithParameters(op) => {
                    state.between_words = finite(&op.0);
                    state.between_characters = finite(&op.1);
                    step(&mut line, &mut at, 0.0, -state.leading);
                    self.show(&state, &mut at, op.2);
                }
                Op::ShowTexts(op) => self.show_parts(&state, &mut at, op.0),
                Op::BeginMarkedContent(_) => self.marked += 1,
                Op::BeginMarkedContentWithProperties(op) => {
                    let properties = match op.1 {
                        Object::Dict(properties) => Some(properties.clone()),
                        Object::Name(name) => resources.properties.get::<Dict<'_>>(name),
                        _ => None,
                    };
                    let text = properties.and_then(|marks| marks.get::<Bytes<'_>>("ActualText"));
                    self.marked += 1;
                    if let Some(text) = text.filter(|_| self.replaced.is_none()) {
                        self.replaced = Some((self.marked, Some(text_of(text.as_bytes()))));
                    }
                }
                Op::EndMarkedContent(_) if self.marked > marked => self.close_marks(self.marked - 1),
                Op::InlineImage(_) => self.has_image = true,
                Op::XObject(op) => {
                    if let Some(object) = resources.get_x_object(op.0) {
                        self.draw_object(&object, resources, &state, depth);
                    }
                }
                _ => {}
            }
        }
        self.close_marks(marked);
    }

    /// Closes the marked parts within the outermost `left`.
    fn close_marks(&mut self, left: usize) {
        self.marked = left;
        self.replaced.take_if(|(part, _)| *part > left);
    }

    fn draw_object(&mut self, object: &Stream<'a>, resources: &Resources<'a>, state: &State<'a>, depth: usize) {
        let dictionary = object.dict();
        match dictionary.get::<Name<'_>>("Subtype").as_deref() {
            Some(b"Image") => self.has_image = true,
            Some(b"Form") => {
                if depth >= DEEPEST_FORM || !self.may_draw() {
                    self.lost = Some("it draws its parts too often");
                    return;
                }
                let Ok(content) = object.decoded_data() else {
                    self.lost = Some("a part of it cannot be unpacked");
                    return;
                };
                let mut state = state.clone();
                if let Some(matrix) = dictionary.get::<[f64; 6]>("Matrix") {
                    state.place *= Affine::new(matrix);
                }
                match dictionary.get::<Dict<'_>>("Resources") {
                    Some(own) => self.draw(&content, &Resources::new(own), state, depth + 1),
                    None => self.draw(&content, resources, state, depth + 1),
                }
            }
            _ => {}
        }
    }

    /// Counts a part that is drawn; `false` if the document has drawn too many.
    fn may_draw(&mut self) -> bool {
        self.reader.forms += 1;
        self.reader.forms <= MOST_FORMS
    }

    /// Draws form fields, stamps and notes as they look on the page.
    fn draw_annotations(&mut self, page: &Dict<'a>) {
        let Some(annotations) = page.get::<Array<'_>>("Annots") else { return };
        for annotation in annotations.iter::<Dict<'_>>() {
            let is_popup = annotation.get::<Name<'_>>("Subtype").as_deref() == Some(b"Popup");
            if is_hidden(&annotation) || is_popup {
                continue;
            }
            let Some(to) = annotation.get::<hayro_syntax::object::Rect>("Rect") else { continue };
            let looks = annotation.get::<Dict<'_>>("AP");
            let form = looks.and_then(|looks| {
                looks.get::<Stream<'_>>("N").or_else(|| {
                    let state = annotation.get::<Name<'_>>("AS")?;
                    looks.get::<Dict<'_>>("N")?.get::<Stream<'_>>(&state)
                })
            });
            if (form.is_none() || self.reader.draws_values)
                && let Some(value) = value(&annotation)
            {
                self.write(&value, to);
                continue;
            }
            let Some(form) = form else { continue };
            let from = form.dict().get::<hayro_syntax::object::Rect>("BBox").unwrap_or(to);
            let matrix = Affine::new(form.dict().get::<[f64; 6]>("Matrix").unwrap_or([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]));
            let from = matrix.transform_rect_bbox(Rect::new(from.x0, from.y0, from.x1, from.y1));
            if from.width() <= 0.0 || from.height() <= 0.0 {
                continue;
            }
            let place = Affine::translate((to.x0, to.y0))
                * Affine::scale_non_uniform(to.width() / from.width(), to.height() / from.height())
                * Affine::translate((-from.x0, -from.y0));
            self.lines.finish_line();
            self.draw_object(&form, &Resources::new(Dict::empty()), &State::new(place), 0);
        }
    }

    /// Writes the value of a field in its place.
    fn write(&mut self, value: &str, to: hayro_syntax::object::Rect) {
        if !self.edges.contains(Point::new(to.x0, to.y1)) {
            return;
        }
        if !self.may_draw() {
            self.lost = Some("it draws its parts too often");
            return;
        }
        let size = (to.height() * FILLED).min(USUAL_SIZE);
        for (index, line) in value.lines().enumerate() {
            self.lines.finish_line();
            let up = to.y1 - size * (1.0 + index as f64 * 1.2);
            for (at, one) in line.chars().enumerate() {
                let place = Affine::translate((to.x0 + at as f64 * size * 0.5, up)) * Affine::scale(size);
                self.lines.put(place, 0.5, one.encode_utf8(&mut [0; 4]));
            }
        }
        self.lines.finish_line();
    }

    fn show_parts(&mut self, state: &State<'a>, at: &mut Affine, parts: &Array<'_>) {
        let is_horizontal = state.face.as_ref().is_none_or(|face| face.is_horizontal());
        for part in parts.iter::<Object<'_>>() {
            match part {
                Object::String(text) => self.show(state, at, &text),
                Object::Number(back) => {
                    let back = -finite(&back) / 1000.0 * state.size;
                    *at *= Affine::translate(if is_horizontal { (back * state.stretch, 0.0) } else { (0.0, back) });
                }
                _ => {}
            }
        }
    }

    fn show(&mut self, state: &State<'a>, at: &mut Affine, text: &[u8]) {
        let face = match &state.face {
            Some(face) => Rc::clone(face),
            // Text that is readable without the font is kept.
            None if text.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ') => {
                let Some(face) = self.reader.fonts.substitute() else { return };
                face
            }
            None => {
                self.lost = Some("a font of it is missing or broken");
                return;
            }
        };
        let mut rest = text;
        while !rest.is_empty() {
            let (code, length) = face.next_code(rest);
            let length = length.clamp(1, rest.len());
            rest = &rest[length..];
            let sign = face.sign(code);
            let is_space = length == 1 && code == 32;
            let spaces = state.between_characters + if is_space { state.between_words } else { 0.0 };
            let (along, down) = if face.is_horizontal() {
                ((sign.advance.0 * state.size + spaces) * state.stretch, 0.0)
            } else {
                (0.0, sign.advance.1 * state.size + spaces)
            };
            self.put(state, &face, *at, &sign.text, sign.advance);
            *at *= Affine::translate((along, down));
        }
    }

    fn put(&mut self, state: &State<'a>, face: &Face<'a>, at: Affine, text: &str, advance: (f64, f64)) {
        let em = face.em;
        let letter = Affine::new([state.size * state.stretch, 0.0, 0.0, state.size, 0.0, state.rise]);
        // The lines of a font that is written downwards are turned by a quarter.
        let turn = if face.is_horizontal() { Affine::IDENTITY } else { Affine::new([0.0, -1.0, 1.0, 0.0, 0.0, 0.0]) };
        let upright = if face.is_flipped { -em } else { em };
        let matrix = state.place * at * letter * turn * Affine::scale_non_uniform(em, upright);
        let width = if face.is_horizontal() { advance.0 } else { -advance.1 } / em;
        if !self.edges.contains(matrix * Point::ORIGIN) {
            return;
        }
        self.lines.face = face.look;
        match &mut self.replaced {
            Some((_, text)) => self.lines.put(matrix, width, text.take().as_deref().unwrap_or_default()),
            // A code that draws nothing leaves a gap.
            None if text.is_empty() => {}
            None => self.lines.put(matrix, width, text),
        }
    }
}

/// Whether an annotation's flags hide it: everywhere, or on a screen.
pub(super) fn is_hidden(annotation: &Dict<'_>) -> bool {
    const HIDDEN: i64 = 2 | 32;
    annotation.get::<Number>("F").is_some_and(|flags| flags.as_i64() & HIDDEN != 0)
}

/// The words in a text field, or those chosen from a list, unless they are a password.
fn value(field: &Dict<'_>) -> Option<String> {
    const PASSWORD: i32 = 1 << 13;
    let mut chain = vec![field.clone()];
    while chain.len() < DEEPEST_FIELD
        && let Some(parent) = chain.last().and_then(|field| field.get::<Dict<'_>>("Parent"))
    {
        chain.push(parent);
    }
    let is_words = |kind: Name<'_>| matches!(kind.as_ref(), b"Tx" | b"Ch");
    let flags = chain.iter().find_map(|field| field.get::<i32>("Ff")).unwrap_or(0);
    let words = chain.iter().find_map(|field| field.get::<Name<'_>>("FT")).is_some_and(is_words);
    let value = chain.iter().find_map(|field| field.get::<Bytes<'_>>("V")).map(|value| text_of(value.as_bytes()))?;
    (words && flags & PASSWORD == 0 && !value.trim().is_empty()).then(|| value.replace('\r', "\n"))
}

fn step(line: &mut Affine, at: &mut Affine, along: f64, up: f64) {
    *line *= Affine::translate((along, up));
    *at = *line;
}
