use std::path::Path;

use super::query::{asked, report_on};
use super::verify::read_markdown;
use crate::base::text::one_line;
use crate::cli::args::AskArgs;
use crate::cli::context::Context;
use crate::cli::delivery::{Delivery, file_of, open_template};
use crate::cli::terminal::write_file;
use crate::cli::{CliError, ExitStatus};
use crate::domain::Report;
use crate::report::{amended, is_amendable};

/// Answers a question that follows an earlier report.
pub(super) fn run(args: &AskArgs, context: &Context) -> Result<ExitStatus, CliError> {
    let question = asked(&args.question)?;
    if names_a_run(&question) {
        return Err(CliError::usage(format!("ask needs a question behind the run `{question}`"))
            .with_hint(format!("as in: deepsearch ask {question} \"Why did they leave?\"")));
    }
    let output = file_of(args.output.as_deref());
    let template = open_template(args.template.as_deref(), output)?;
    let delivery = Delivery {
        bibliography: args.bibliography.as_deref(),
        template: template.as_ref(),
        style: args.style,
        ..Delivery::new(output, args.json)
    };
    delivery.check()?;
    let report = args.amend.as_deref().map(amendable).transpose()?;
    let app = context.app(Vec::new())?;
    let run = match (&args.run, &report) {
        (Some(run), _) => run.clone(),
        (None, Some(report)) => app.find_run_of_report(report)?,
        (None, None) => "last".to_owned(),
    };
    let asked = question.clone();
    context.block_on(report_on(&app, context, delivery, async |chosen, display, token| {
        let request = app.following(&run, &asked).await?;
        let answer = app.research(&request, chosen, display, token).await?;
        if let (Some(path), Some(report)) = (args.amend.as_deref(), &report) {
            amend(path, report, &question, &answer, context)?;
        }
        Ok((answer, false))
    }))
}

/// Whether a question is the name of a run, which means that the question itself was forgotten.
fn names_a_run(question: &str) -> bool {
    let are_digits = |part: &str, many: usize| part.len() == many && part.bytes().all(|digit| digit.is_ascii_digit());
    let mut parts = question.split('-');
    question == "last"
        || matches!((parts.next(), parts.next()), (Some(day), Some(time)) if are_digits(day, 8) && are_digits(time, 6))
}

/// Reads the report that the answer is to be added to. An unsuitable report is refused before anything is paid for.
fn amendable(path: &Path) -> Result<String, CliError> {
    if path == Path::new("-") {
        return Err(CliError::usage("--amend needs a file, since the report with the answer takes its place"));
    }
    let report = read_markdown(path, "amended")?;
    if is_amendable(&report) {
        return Ok(report);
    }
    let message = format!("{} has no list of sources, as reports do, so nothing can be worked into it", path.display());
    Err(CliError::usage(message).with_hint("name a report that `query` wrote, or leave out --amend"))
}

/// Writes the report with the answer added. If the answer cites nothing, the report stays as it is.
fn amend(path: &Path, report: &str, question: &str, answer: &Report, context: &Context) -> Result<(), CliError> {
    let path_shown = path.display();
    if answer.citations.is_empty() {
        context.terminal.warn(&format!("{path_shown} stays as it is: the answer cites nothing"));
        return Ok(());
    }
    let heading = one_line(question).replace(['#', '[', ']'], "");
    let Some(text) = amended(report, heading.trim(), &answer.markdown) else {
        context.terminal.warn(&format!("{path_shown} stays as it is: the answer has no list of sources"));
        return Ok(());
    };
    write_file(path, text.as_bytes())?;
    context.terminal.note(&format!("amended {path_shown}"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_no_question() {
        let check = |question: &str, expected: bool| assert_eq!(names_a_run(question), expected, "{question}");
        check("last", true);
        check("20260131-120000-3f2a", true);
        check("20260131-120000", true);
        check("last year?", false);
        check("2019-2020", false);
        check("and in 2019?", false);
    }
}
