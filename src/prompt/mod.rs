//! The prompts: Markdown files with variables, compiled in, any of which a folder can replace.
//!
//! A file has a system part and a user part, divided by a line `---user---`. Variables are strict: an unknown one, or a
//! required one that the prompt leaves out, is an error that names the file, found when the prompts are opened and not
//! in the middle of a run. Material that unknown people wrote reaches a prompt only through [`fenced`].

mod fence;
mod library;
mod purpose;
mod template;

pub use fence::fenced;
pub use library::{PromptError, Prompts, Rendered};
pub use purpose::Purpose;
pub use template::{TemplateError, check_variables, environment};
