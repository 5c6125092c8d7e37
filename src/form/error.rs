use crate::prompt::TemplateError;
use crate::verify::VerifyError;

/// Why a report cannot be put into a form.
#[derive(Debug, thiserror::Error)]
pub enum FormError {
    /// It is no report of this program's.
    #[error(transparent)]
    Report(#[from] VerifyError),
    /// A page that does not hold its report any more.
    #[error("the report of this page cannot be read: {reason}{}", told(.altered))]
    Page {
        /// What is wrong.
        reason: String,
        /// What else of the page was altered.
        altered: Vec<String>,
    },
    /// A document that does not hold its report any more.
    #[error("the report of this document cannot be read: {reason}")]
    Document {
        /// What is wrong.
        reason: String,
    },
    /// A document could not be put together.
    #[error("the document cannot be packed: {0}")]
    Pack(#[from] zip::result::ZipError),
    /// A template is wrong.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// No font of this machine has the letters of a script.
    #[cfg(feature = "pdf")]
    #[error("no font of this machine has the letters of {scripts}")]
    Font {
        /// Each with some of its letters, and the package of Debian or Ubuntu that has a font.
        scripts: String,
    },
    /// A PDF could not be typeset.
    #[cfg(feature = "pdf")]
    #[error("the PDF cannot be typeset: {reason}")]
    Typeset {
        /// What is wrong.
        reason: String,
    },
    /// A report as it was printed, without what it rests on.
    #[error("it is a PDF, which is for reading alone: name the report's Markdown, page (.html) or document (.docx)")]
    Printed,
    /// Neither text nor a document.
    #[error("it is not valid UTF-8")]
    Encoding,
}

fn told(altered: &[String]) -> String {
    if altered.is_empty() { String::new() } else { format!("; altered: {}", altered.join("; ")) }
}
