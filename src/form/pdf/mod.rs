//! A report as a PDF, typeset by Typst in this process, with contents, bookmarks, footnotes for the evidence, and tags.

mod body;
#[cfg(feature = "pdf")]
mod fonts;
#[cfg(all(test, feature = "pdf"))]
mod tests;
#[cfg(feature = "pdf")]
mod typeset;

#[cfg(feature = "pdf")]
use std::collections::BTreeSet;

#[cfg(feature = "pdf")]
use self::{body::source, fonts::Fonts};
#[cfg(feature = "pdf")]
use super::{FormError, model::FormedReport};

/// The PDF of a report. A letter that no font of this machine has is an error; other signs are written as their code
/// points, with a warning.
#[cfg(feature = "pdf")]
pub(super) fn pdf(report: &FormedReport) -> Result<Vec<u8>, FormError> {
    // The source has the letters of the report and of the program's own words.
    let first = source(report, &[], &BTreeSet::new());
    let letters: BTreeSet<char> = first.chars().collect();
    let (fonts, signs) = Fonts::of(&letters, report.language.tag()).map_err(|missing| {
        let told: Vec<String> =
            missing.iter().map(|one| format!("{} ({}): install {}", one.script, one.letters, one.package)).collect();
        FormError::Font { scripts: told.join("; ") }
    })?;
    if !signs.is_empty() {
        let told: String = signs.iter().map(|sign| format!(" U+{:04X}", u32::from(*sign))).collect();
        tracing::warn!("no font of this machine has{told}; the PDF has their numbers in their place");
    }
    let text = source(report, &fonts.families, &signs);
    let (bytes, reason) = typeset::typeset(text, &fonts).map_err(|reason| FormError::Typeset { reason })?;
    if let Some(reason) = reason {
        tracing::warn!("the PDF does not keep to PDF/A-2a and PDF/UA-1: {reason}");
    }
    Ok(bytes)
}
