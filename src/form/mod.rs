//! The forms in which a report is handed on. Every form is written from one model of the report, in which each sentence
//! knows its citations and each citation knows the words it cites.

mod account;
mod address;
mod bibliography;
mod docx;
mod draw;
mod error;
mod html;
mod markdown;
mod model;
#[cfg(any(feature = "pdf", test))]
mod pdf;
mod read;
mod references;
mod seal;
mod template;
mod words;
mod writer;

use std::path::Path;
use std::str::FromStr;

pub use address::of_file as address_of_file;
pub use bibliography::{Bibliography, UnknownBibliography, bibliography};
pub use docx::is_document;
pub use error::FormError;
pub use model::{
    Block, Disagreement, Evidence, FormedReport, Inline, Research, ResearchRound, ResearchSearch, Sentence, Side,
};
pub use read::{markdown_of, parse_report, text_of};
pub use references::{Style, UnknownStyle, references};
pub use seal::altered;
pub use template::Template;

use html::html;

/// The form in which a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Markdown, as the research produces it.
    Markdown,
    /// One page that fetches nothing.
    Html,
    /// A text document of Office Open XML.
    Docx,
    /// Pages for paper.
    #[cfg(feature = "pdf")]
    Pdf,
}

/// A form that cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownForm {
    /// A PDF, which this build does not write.
    #[error("this program was built without PDF")]
    Pdf,
    /// Any other name.
    #[error("`{0}` is no form of a report: there are md, html, docx and pdf")]
    Other(String),
}

impl Form {
    /// The form by a file name's extension; Markdown for an unknown one.
    pub fn of_file(path: &Path) -> Result<Form, UnknownForm> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
        match ending.parse() {
            Err(UnknownForm::Other(_)) => Ok(Form::Markdown),
            known => known,
        }
    }
}

impl FromStr for Form {
    type Err = UnknownForm;

    fn from_str(name: &str) -> Result<Self, UnknownForm> {
        match name {
            "md" | "markdown" => Ok(Form::Markdown),
            "html" | "htm" => Ok(Form::Html),
            "docx" => Ok(Form::Docx),
            #[cfg(feature = "pdf")]
            "pdf" => Ok(Form::Pdf),
            #[cfg(not(feature = "pdf"))]
            "pdf" => Err(UnknownForm::Pdf),
            other => Err(UnknownForm::Other(other.to_owned())),
        }
    }
}

/// The report in a form, or as written by a template if one is given.
pub fn written(report: &FormedReport, form: Form, template: Option<&Template>) -> Result<Vec<u8>, FormError> {
    if let Some(template) = template {
        return Ok(template.render(report)?.into_bytes());
    }
    Ok(match form {
        Form::Markdown => markdown::markdown(report).into_bytes(),
        Form::Html => html(report).into_bytes(),
        Form::Docx => docx::docx(report)?,
        #[cfg(feature = "pdf")]
        Form::Pdf => pdf::pdf(report)?,
    })
}
