//! How commands deliver a report: its form, its file and its bibliography.

use std::path::{Path, PathBuf};

use super::terminal::{write_bytes, write_file, write_json, write_text};
use super::{CliError, ExitStatus};
use crate::app::App;
use crate::domain::Report;
use crate::form::{Bibliography, Form, Style, Template, UnknownForm};

/// Where a result goes.
#[derive(Clone, Copy)]
pub(super) struct Delivery<'a> {
    pub output: Option<&'a Path>,
    pub json: bool,
    /// The file for the cited documents.
    pub bibliography: Option<&'a Path>,
    /// The template that writes the report, instead of a form.
    pub template: Option<&'a Template>,
    /// The style in which the cited documents are listed, in addition to the sources.
    pub style: Option<Style>,
}

impl<'a> Delivery<'a> {
    /// Delivers to a file or to standard output. A file name that ends in `.json` asks for JSON, as the flag does.
    pub fn new(output: Option<&'a Path>, json: bool) -> Self {
        let output = file_of(output);
        let is_named_so = output.and_then(Path::extension).is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
        Delivery { output, json: json || is_named_so, bibliography: None, template: None, style: None }
    }

    /// Whether pieces of a report go to standard output as they arrive.
    pub fn streams(&self) -> bool {
        !self.json && self.output.is_none() && self.template.is_none() && self.style.is_none()
    }

    /// Refuses, before anything is paid for, a delivery that could not be written.
    pub fn check(&self) -> Result<(), CliError> {
        let form = self.form()?;
        if self.json && form != Form::Markdown {
            return Err(CliError::usage("--json writes JSON, and the file's name asks for another form")
                .with_hint("leave out --json, or name a file that ends in .json"));
        }
        if self.template.is_some() && (self.json || !matches!(form, Form::Markdown | Form::Html)) {
            return Err(CliError::usage("a template writes text, and something else was asked for")
                .with_hint("leave out --template, or name a file as in -o letter.html"));
        }
        if self.style.is_some() && self.json {
            return Err(CliError::usage("a list of references in a style is not written into JSON")
                .with_hint("leave out --style, or name a file as in -o report.html"));
        }
        self.bibliography_form()?;
        if self.output.is_some() && self.output == self.bibliography {
            return Err(CliError::usage("the report and its bibliography would be written to the same file")
                .with_hint("name two files, as in -o report.json --bibliography sources.json"));
        }
        self.output.into_iter().chain(self.bibliography).try_for_each(check_output)
    }

    /// The form that the name of the bibliography's file asks for.
    fn bibliography_form(&self) -> Result<Option<Bibliography>, CliError> {
        let form = self.bibliography.map(Bibliography::of_file).transpose();
        form.map_err(|error| CliError::usage(error.to_string()))
    }

    /// Writes the cited documents of a report, if requested.
    pub async fn deliver_bibliography(&self, app: &App, report: &str) -> Result<(), CliError> {
        let (Some(path), Some(form)) = (self.bibliography, self.bibliography_form()?) else { return Ok(()) };
        write_file(path, app.bibliography(report, form).await?.as_bytes())
    }

    /// The form that the file's name asks for, other than JSON.
    fn form(&self) -> Result<Form, CliError> {
        self.output.map_or(Ok(Form::Markdown), Form::of_file).map_err(|error| unknown_form(&error))
    }

    /// Writes the report of a run in the requested form.
    pub async fn deliver_report(&self, app: &App, report: &Report) -> Result<(), CliError> {
        if self.form()? == Form::Markdown && self.template.is_none() && self.style.is_none() {
            self.deliver(report, &report.markdown, self.streams())?;
        } else {
            self.deliver_form(app, &report.markdown).await?;
        }
        self.deliver_bibliography(app, &report.markdown).await
    }

    /// Writes a report that was read from disk, in the form that the file's name asks for.
    pub async fn deliver_form(&self, app: &App, report: &str) -> Result<(), CliError> {
        let folder = self.output.and_then(Path::parent).unwrap_or(Path::new("."));
        let bytes = app.render_report(report, self.form()?, self.template, self.style, folder).await?;
        self.output.map_or_else(|| write_bytes(&bytes), |path| write_file(path, &bytes))
    }

    /// Writes a result: `text`, unless it was streamed, or `value` as JSON.
    pub fn deliver(&self, value: &impl serde::Serialize, text: &str, streamed: bool) -> Result<(), CliError> {
        let Some(path) = self.output else {
            return match (self.json, streamed) {
                (true, _) => write_json(value),
                (false, true) => Ok(()),
                (false, false) => write_text(text),
            };
        };
        let text = if self.json {
            let json = serde_json::to_string_pretty(value).map_err(|error| {
                CliError::new(ExitStatus::Failed, format!("cannot write the report as JSON: {error}"))
            })?;
            json + "\n"
        } else {
            text.to_owned()
        };
        write_file(path, text.as_bytes())
    }
}

/// The file that a result goes to; `-` stands for standard output.
pub(super) fn file_of(output: Option<&Path>) -> Option<&Path> {
    output.filter(|path| *path != Path::new("-"))
}

/// Reads the template for a report, before anything is paid for.
pub(super) fn open_template(path: Option<&Path>, output: Option<&Path>) -> Result<Option<Template>, CliError> {
    let Some(path) = path else { return Ok(None) };
    if output == Some(path) {
        return Err(CliError::usage(format!("the report would be written over its template {}", path.display()))
            .with_hint("name another file with -o"));
    }
    let template = Template::open(path, output).map_err(|error| {
        CliError::usage(error.to_string()).with_hint("docs/reports.md lists what a template is told, with examples")
    })?;
    Ok(Some(template))
}

/// The error for a form that cannot be written, with a hint.
pub(super) fn unknown_form(error: &UnknownForm) -> CliError {
    let told = CliError::usage(error.to_string());
    match error {
        UnknownForm::Pdf => told.with_hint(
            "write the report as .html and print that from a browser, or build the program with `--features pdf`",
        ),
        UnknownForm::Other(_) => told,
    }
}

fn check_output(path: &Path) -> Result<(), CliError> {
    let cannot = |reason: String| CliError::usage(format!("cannot write {}: {reason}", path.display()));
    if path.is_dir() {
        return Err(cannot("it is a folder".to_owned()));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    if folder.is_dir() { Ok(()) } else { Err(cannot(format!("there is no folder {}", folder.display()))) }
}
