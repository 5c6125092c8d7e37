//! A report as one page that fetches nothing: the evidence beside the sentences, and drawings of what else is known. It
//! can be read without its script, which only links sentences and passages and checks the page against its seal.

mod body;
#[cfg(test)]
mod tests;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use self::body::Body;
use super::draw::drawings;
use super::model::{FormedReport, plain};
use super::seal::{self, BUNDLE, Bundle, BundledSource, PART, UNSEALED, sha256};
use super::words::{counted, is_right_to_left};
use super::writer::Writer;
use crate::base::text::changes_line_direction;
use crate::report::{FormWords, words};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page of a report.
pub fn html(report: &FormedReport) -> String {
    let form = &words(report.language).form;
    let mut out = Writer::default();
    out.raw("<!DOCTYPE html>");
    let direction = if is_right_to_left(report.language.code()) { "rtl" } else { "ltr" };
    let attributes = [("lang", report.language.tag()), ("dir", direction)];
    out.within("html", &attributes, |out| {
        out.within("head", &[], |out| head(out, report));
        out.within("body", &[], |out| {
            let mut body = Body::new(report, form);
            out.within("header", &[], |out| header(out, report, form));
            contents(out, report, form);
            out.within("main", &[], |out| {
                body.blocks(out, &report.blocks);
                overview(out, &mut body);
                body.sources(out);
                body.references(out);
                body.account(out);
            });
            bundle(out, report);
            out.raw(UNSEALED);
            out.within("script", &[(PART, "script")], |out| out.raw(SCRIPT));
        });
    });
    seal::sealed(&out.into_text())
}

fn head(out: &mut Writer, report: &FormedReport) {
    out.open("meta", &[("charset", "utf-8")]);
    // Whatever gets into the page can neither run nor load anything.
    let hash = |text: &str| BASE64_STANDARD.encode(Sha256::digest(text.as_bytes()));
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(STYLE)
    );
    out.open("meta", &[("http-equiv", "Content-Security-Policy"), ("content", &policy)]);
    out.open("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
    out.open("meta", &[("name", "referrer"), ("content", "no-referrer")]);
    out.open("meta", &[("name", "generator"), ("content", "deepsearch")]);
    out.words("title", &[], &report.title);
    out.within("style", &[(PART, "style")], |out| out.raw(STYLE));
}

fn header(out: &mut Writer, report: &FormedReport, form: &FormWords) {
    out.words("h1", &[(PART, "h0"), ("dir", "auto")], &report.title);
    if !report.question.is_empty() && report.question != report.title {
        out.within("p", &[("class", "question"), (PART, "b0")], |out| {
            out.text(&format!("{}{}", form.question, words(report.language).colon));
            out.words("bdi", &[], &report.question);
        });
    }
    let parts = form.parts.join("|");
    let attributes = [
        ("id", "check"),
        ("class", "check"),
        ("role", "status"),
        ("dir", "auto"),
        ("data-intact", form.intact),
        ("data-altered", form.altered),
        ("data-uncheckable", form.uncheckable),
        ("data-parts", &parts),
        ("data-filter", form.filter),
        ("data-all", form.all),
    ];
    out.words("div", &attributes, form.unchecked);
    let citing = report.citing();
    let one = citing.iter().filter(|sentence| report.number_of_documents(sentence) == 1).count();
    if one > 0 {
        let told = if one < citing.len() { form.one_source_count } else { form.all_one_source };
        let told = counted(told, one as u64, citing.len() as u64);
        out.words("p", &[("class", "legend faint"), ("dir", "auto"), (PART, "b1")], &told);
    }
}

/// Writes links to the headings, if there are several.
fn contents(out: &mut Writer, report: &FormedReport, form: &FormWords) {
    let headings = report.contents();
    if headings.is_empty() {
        return;
    }
    out.within("nav", &[("aria-label", form.contents), (PART, "b2")], |out| {
        out.within("ol", &[], |out| {
            for (number, words) in headings {
                out.within("li", &[], |out| {
                    out.words("a", &[("href", &format!("#h{number}"))], &plain(words));
                });
            }
        });
    });
}

/// Writes all drawings under a heading; nothing if there are none.
fn overview(out: &mut Writer, body: &mut Body<'_>) {
    let drawings = drawings(body.report, body.form);
    if !drawings.is_empty() {
        body.heading(out, body.form.overview);
    }
    for drawing in &drawings {
        let (title, part) = (drawing.title, format!("f-{}", drawing.id));
        out.within("figure", &[(PART, &part)], |out| {
            out.words("figcaption", &[("dir", "auto")], title);
            let class = if drawing.id == "coverage" { "drawing small" } else { "drawing" };
            out.within(
                "div",
                &[("class", class), ("tabindex", "0"), ("role", "group"), ("aria-label", title)],
                |out| {
                    let (view, told) = (drawing.view(), drawing.alternative.as_str());
                    let attributes =
                        [("viewBox", view.as_str()), ("role", "img"), ("aria-label", told), ("direction", "ltr")];
                    out.within("svg", &attributes, |out| out.raw(&drawing.svg));
                },
            );
            out.within("details", &[], |out| {
                out.words("summary", &[], body.form.as_list);
                out.raw(&drawing.list);
            });
        });
    }
}

/// Writes the data by which the page can be checked and turned back into Markdown.
fn bundle(out: &mut Writer, report: &FormedReport) {
    let sources = report.evidence.iter().map(|one| BundledSource {
        number: one.number,
        document: one.hash.clone(),
        quote: sha256(one.quote.as_bytes()),
    });
    let kept = Bundle { markdown: report.markdown.clone(), sources: sources.collect() };
    // Serializing strings, numbers and lists of them cannot fail. Nothing in the result ends the script or begins a
    // comment.
    let json = serde_json::to_string(&kept).unwrap_or_default().replace('<', "\\u003c").replace('>', "\\u003e");
    let json: String = json.chars().fold(String::with_capacity(json.len()), escaped_in_json);
    out.within("script", &[("type", "application/json"), ("id", BUNDLE), (PART, BUNDLE)], |out| out.raw(&json));
}

/// Adds a character, as a JSON escape if an HTML parser would change it or a viewer would obey it.
fn escaped_in_json(mut json: String, one: char) -> String {
    match one {
        one if one.is_control() || changes_line_direction(one) || one == '\u{feff}' => {
            json.push_str(&format!("\\u{:04x}", u32::from(one)));
        }
        one => json.push(one),
    }
    json
}
