//! Runs Typst in the process: one source, no files, no network, no clock.

use std::sync::LazyLock;

use typst::diag::{FileError, FileResult, SourceDiagnostic};
use typst::foundations::{Bytes, Datetime, Duration, Smart};
use typst::syntax::{FileId, RootedPath, Source, VirtualPath, VirtualRoot};
use typst::text::{Font, FontBook};
use typst::utils::LazyHash;
use typst::{Library, LibraryExt, World};
use typst_layout::PagedDocument;
use typst_pdf::{PdfOptions, PdfStandard, PdfStandards, pdf};

use super::fonts::Fonts;

/// Typst's own functions, made once.
static LIBRARY: LazyLock<LazyHash<Library>> = LazyLock::new(|| LazyHash::new(Library::default()));

/// Everything that a source may access.
struct Page<'f> {
    source: Source,
    fonts: &'f Fonts,
}

impl World for Page<'_> {
    fn library(&self) -> &LazyHash<Library> {
        &LIBRARY
    }

    fn book(&self) -> &LazyHash<FontBook> {
        self.fonts.book()
    }

    fn main(&self) -> FileId {
        self.source.id()
    }

    fn source(&self, id: FileId) -> FileResult<Source> {
        if id == self.source.id() { Ok(self.source.clone()) } else { Err(FileError::AccessDenied) }
    }

    fn file(&self, _: FileId) -> FileResult<Bytes> {
        Err(FileError::AccessDenied)
    }

    fn font(&self, index: usize) -> Option<Font> {
        self.fonts.font(index)
    }

    fn today(&self, _: Option<Duration>) -> Option<Datetime> {
        None
    }
}

/// The PDF of a source and, if it does not meet the standards for archiving and accessibility, the reason.
pub(super) fn typeset(text: String, fonts: &Fonts) -> Result<(Vec<u8>, Option<String>), String> {
    let path = VirtualPath::new("report.typ").map_err(|error| error.to_string())?;
    let id = FileId::new(RootedPath::new(VirtualRoot::Project, path));
    let page = Page { source: Source::new(id, text), fonts };
    let document = typst::compile::<PagedDocument>(&page).output.map_err(|errors| told(&errors))?;
    let written = exported(&document);
    // Nothing computed for this report is useful for another.
    typst::comemo::evict(0);
    written
}

/// The PDF by as many of the standards as it can meet, and what kept it from meeting the others.
fn exported(document: &PagedDocument) -> Result<(Vec<u8>, Option<String>), String> {
    let mut reason = None;
    for standards in [[PdfStandard::A_2a, PdfStandard::Ua_1].as_slice(), &[PdfStandard::Ua_1], &[]] {
        let creator = Smart::Custom(Some(concat!("deepsearch ", env!("CARGO_PKG_VERSION")).to_owned()));
        let standards = PdfStandards::new(standards).map_err(|error| error.message().to_string())?;
        match pdf(document, &PdfOptions { standards, creator, ..PdfOptions::default() }) {
            Ok(bytes) => return Ok((bytes, reason)),
            Err(errors) => reason = reason.or_else(|| Some(told(&errors))),
        }
    }
    Err(reason.unwrap_or_default())
}

fn told(errors: &[SourceDiagnostic]) -> String {
    let told: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
    told.join("; ")
}
