use crate::prompt::TemplateError;
use crate::verify::VerifyError;

/// Why a report cannot be put into a form.
#[derive(Debug, thiserror::Error)]
pub enum FormError {
    /// The text is not a report of this program.
    #[error(transparent)]
    Report(#[from] VerifyError),
    /// A page that no longer holds its report.
    #[error("the report of this page cannot be read: {reason}{}", told(.altered))]
    Page {
        /// What is wrong.
        reason: String,
        /// What else was altered in the page.
        altered: Vec<String>,
    },
    /// A document that no longer holds its report.
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
        /// The scripts, each with some of its letters and the Debian or Ubuntu package that has a font for it.
        scripts: String,
    },
    /// A PDF could not be typeset.
    #[cfg(feature = "pdf")]
    #[error("the PDF cannot be typeset: {reason}")]
    Typeset {
        /// What is wrong.
        reason: String,
    },
    /// A printed report, which does not keep what the report rests on.
    #[error("it is a PDF, which is for reading alone: name the report's Markdown, page (.html) or document (.docx)")]
    Printed,
    /// A file that is neither text nor a document.
    #[error("it is not valid UTF-8")]
    Encoding,
}

fn told(altered: &[String]) -> String {
    if altered.is_empty() { String::new() } else { format!("; altered: {}", altered.join("; ")) }
}
