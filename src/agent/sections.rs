//! A report that is too long for one call to write well, or whose headings are given: an outline, the sections all at
//! once, each from its own passages, and the opening last.
//!
//! No prompt grows with the number of sections: each section has its own passages and the other headings, and the
//! opening sees only how each section begins.

use futures::future::join_all;
use minijinja::context;

use super::call::{self, MAX_SHRINKS, request};
use super::draft::is_data;
use super::metered::Metered;
use super::outline::{Planned, outline};
use super::run::Run;
use super::{AgentError, gate, prompt_text, widen};
use crate::base::text::{excerpt, one_line};
use crate::domain::{Outline, OutlineSection, StopReason, Usage};
use crate::llm::purpose::{EarlierQuestion, EvidenceCard, WriteInput};
use crate::llm::{ChatModel, ChatRequest, Delta, Input, LlmError, Purpose};
use crate::prompt::{PromptError, fenced};
use crate::report::cite::{cited_numbers, fence};
use crate::report::{escaped, supporting_quote, without_repeats, words};

/// The most words that one call writes well.
const ONE_CALL: usize = 1_200;
/// The approximate number of words in a section.
const SECTION_WORDS: usize = 400;
/// The most sections that a model may outline.
const MOST_SECTIONS: usize = 12;
/// The number of words in the opening.
const OPENING_WORDS: usize = 120;
/// The number of words in a section if no length is asked for.
const USUAL_WORDS: usize = 250;
/// A section gets one part in this many of the evidence that a prompt may hold.
const SECTION_EVIDENCE: u64 = 4;
/// The opening sees one part in this many of it, from all sections.
const OPENING_EVIDENCE: u64 = 4;
/// A section with fewer passages named for it is searched for.
const FEW: usize = 4;
/// The most characters of the other headings that a section is shown.
const OTHERS_CHARS: usize = 2_000;
/// The number of passages that stand in for a section that could not be written.
const LISTED: usize = 5;
/// What a model writes if the passages say nothing on its part.
pub(super) const NOT_FOUND: &str = "NOT FOUND";

/// The report's text, which cites passages by their numbers, and those passages.
pub(super) struct Sections {
    pub markdown: String,
    pub cards: Vec<EvidenceCard>,
    /// Whether a limit left the opening out.
    pub limited: bool,
    /// Whether the model failed to write a part of the report, or to finish it.
    pub failed: bool,
}

/// A section before it is written.
struct Section {
    outlined: OutlineSection,
    evidence: Vec<EvidenceCard>,
    words: usize,
}

/// The outcome of the call for a part.
struct Part {
    text: Result<String, LlmError>,
    /// Why the text is not whole.
    cut: Option<&'static str>,
    usage: Usage,
}

/// The most sections of the report; 0 if it is written in one call.
pub(super) fn count(run: &Run<'_>) -> usize {
    let options = &run.engine.options;
    let words = options.length.unwrap_or(0);
    match options.outline.sections.len() {
        _ if !run.engine.model.reasons() => 0,
        0 if words <= ONE_CALL => 0,
        0 => (words / SECTION_WORDS).clamp(2, MOST_SECTIONS),
        given => given,
    }
}

/// Writes the report in sections if that is asked for and the limits allow it; else `None`.
pub(super) async fn sections(run: &mut Run<'_>, stopped: StopReason) -> Result<Option<Sections>, AgentError> {
    if count(run) == 0 || stopped == StopReason::Interrupted || run.spending.lost {
        return Ok(None);
    }
    let given = run.engine.options.outline.clone();
    let Some(sections) = planned(run, &given).await? else { return Ok(None) };
    if !is_allowed(run, &sections)? {
        run.warn("the limits leave no room for sections, so the report is written in one call".to_owned());
        return Ok(None);
    }
    let (texts, sections_failed) = all_written(run, &sections).await?;
    let limited = gate::is_over(run).await;
    let (opening, opening_failed) = match limited || run.spending.lost {
        true => (String::new(), false),
        false => opening(run, &sections, &texts).await?,
    };
    let failed = sections_failed || opening_failed;
    let mut markdown = titled(&opening, &given.title, run.question.text);
    for (section, text) in sections.iter().zip(&texts) {
        markdown.push_str(&format!("\n{}\n\n{}\n", section.outlined.line(), text.trim()));
    }
    let mut cards: Vec<EvidenceCard> = sections.into_iter().flat_map(|section| section.evidence).collect();
    cards.sort_by_key(|card| card.number);
    cards.dedup_by_key(|card| card.number);
    Ok(Some(Sections { markdown: without_repeats(&markdown), cards, limited, failed }))
}

/// Whether the limits have room for a call for each section and one for the opening.
fn is_allowed(run: &Run<'_>, sections: &[Section]) -> Result<bool, PromptError> {
    let requests = (0..sections.len()).map(|index| section_request(run, sections, index, 1));
    let prompt_tokens: u64 = requests.collect::<Result<Vec<_>, _>>()?.iter().map(ChatRequest::estimated_tokens).sum();
    let all_words: usize = sections.iter().map(|section| section.words).sum::<usize>() + OPENING_WORDS;
    let budget = &run.spending.budget;
    Ok(!budget.is_all_time_over()
        && budget.allows_parts(sections.len() as u64 + 1, prompt_tokens, 2 * all_words as u64))
}

/// The texts of all sections, written at once, and whether the model failed to write or to finish one of them.
async fn all_written(run: &mut Run<'_>, sections: &[Section]) -> Result<(Vec<String>, bool), AgentError> {
    let started = run.spending.budget.elapsed();
    let parts = {
        let run = &*run;
        join_all((0..sections.len()).map(|index| async move {
            let metered = Metered::for_part(run, sections.len() as u64);
            written(metered, |share| section_request(run, sections, index, share)).await
        }))
        .await
    };
    let mut texts = Vec::with_capacity(parts.len());
    let mut failed = false;
    for (section, part) in sections.iter().zip(parts) {
        let part = part?;
        call::charge(run, Purpose::Write, part.usage, started);
        let heading = &section.outlined.heading;
        texts.push(match part.text {
            Ok(text) if text.starts_with(NOT_FOUND) => not_found(run, section),
            Ok(text) if is_part(&text, sections) => {
                if let Some(cut) = part.cut {
                    failed = true;
                    run.warn(format!("the section `{heading}` {cut}"));
                }
                below(&section.outlined, &text)
            }
            Ok(_) => {
                failed = true;
                run.warn(format!("the section `{heading}` cites nothing, so it lists its evidence"));
                listed(run, section)
            }
            Err(error) if error.is_setup_error() => return Err(error.into()),
            Err(error) => {
                failed = true;
                call::note_failure(run, &error);
                run.warn(format!("the section `{heading}` could not be written, so it lists its evidence: {error}"));
                listed(run, section)
            }
        });
    }
    Ok((texts, failed))
}

/// The opening of the report, and whether the model failed to write or to finish it.
async fn opening(run: &mut Run<'_>, sections: &[Section], texts: &[String]) -> Result<(String, bool), AgentError> {
    let started = run.spending.budget.elapsed();
    let part = written(Metered::for_report(run), |share| opening_request(run, sections, texts, share)).await?;
    call::charge(run, Purpose::Write, part.usage, started);
    match part.text {
        Ok(text) if is_part(&text, sections) => {
            if let Some(cut) = part.cut {
                run.warn(format!("the opening of the report {cut}"));
            }
            return Ok((text, part.cut.is_some()));
        }
        Ok(_) => run.warn("the opening of the report cites nothing, so it is left out".to_owned()),
        Err(error) if error.is_setup_error() => return Err(error.into()),
        Err(error) => {
            call::note_failure(run, &error);
            run.warn(format!("the opening of the report could not be written: {error}"));
        }
    }
    Ok((String::new(), true))
}

/// The sections with their passages: as given, or as the model outlines them and the searches complete them.
async fn planned(run: &mut Run<'_>, given: &Outline) -> Result<Option<Vec<Section>>, AgentError> {
    let length = run.engine.options.length;
    let planned: Vec<Planned> = if given.sections.is_empty() {
        let words = length.unwrap_or(ONE_CALL);
        let Some(planned) = outline(run, count(run), words).await? else { return Ok(None) };
        planned
    } else {
        given.sections.iter().map(|section| (section.clone(), Vec::new())).collect()
    };
    let headings: Vec<OutlineSection> = planned.iter().map(|(section, _)| section.clone()).collect();
    let places = widen::places(run, &headings);
    if given.sections.is_empty() {
        let hits = run.engine.options.hits_per_query;
        let lacking = planned.iter().zip(&places).filter(|((_, named), _)| named.len() < FEW);
        let searches = lacking.map(|(_, &place)| place).collect();
        // If the run must end here, the passages that are there are used.
        widen::search_for(run, searches, hits).await;
    }
    let words = length.map_or(USUAL_WORDS, |words| words.saturating_sub(OPENING_WORDS) / planned.len().max(1));
    let most = run.spending.evidence_tokens / SECTION_EVIDENCE;
    let section = |((outlined, named), place): (Planned, usize)| {
        let evidence = run.evidence.ledger.cards_among(&named, place, most);
        Section { outlined, evidence, words: words.max(50) }
    };
    Ok(Some(planned.into_iter().zip(places).map(section).collect()))
}

/// A part of the report. If its prompt is too long, it is asked for again with half of its material; `request` is given
/// the number by which to divide the material.
async fn written(
    metered: Metered<'_>,
    request: impl Fn(u64) -> Result<ChatRequest, PromptError>,
) -> Result<Part, PromptError> {
    let mut shrinks = 0;
    loop {
        match metered.chat(&request(1 << shrinks)?, &mut |_: Delta<'_>| {}).await {
            Err(LlmError::ContextOverflow { .. }) if shrinks < MAX_SHRINKS => shrinks += 1,
            outcome => {
                let cut = outcome.as_ref().ok().and_then(|reply| reply.finish.cut());
                let text = outcome.map(|reply| strip_code_block(&reply.text));
                return Ok(Part { text, cut, usage: metered.spent() });
            }
        }
    }
}

/// Whether a text is a part of a report: whether it cites a passage of one of the sections.
fn is_part(text: &str, sections: &[Section]) -> bool {
    let has = |number: &usize| sections.iter().flat_map(|section| &section.evidence).any(|card| card.number == *number);
    cited_numbers(text).iter().any(has) && !is_data(text)
}

/// The text of a reply, taken out of its code block if it is in one.
fn strip_code_block(text: &str) -> String {
    let text = text.trim();
    let wrapped = text.starts_with("```") || text.starts_with("~~~");
    wrapped.then(|| fence::inside(text)).flatten().unwrap_or(text).trim().to_owned()
}

fn section_request(run: &Run<'_>, sections: &[Section], index: usize, share: u64) -> Result<ChatRequest, PromptError> {
    let section = &sections[index];
    let kept = section.evidence.len().div_ceil(usize::try_from(share).unwrap_or(1));
    let evidence = section.evidence[..kept].to_vec();
    let others = sections.iter().enumerate().filter(|(other, _)| *other != index);
    let others: Vec<String> = others.map(|(_, other)| format!("- {}", one_line(&other.outlined.heading))).collect();
    let heading = match section.outlined.question.as_str() {
        "" => one_line(&section.outlined.heading),
        question => format!("{}: {}", one_line(&section.outlined.heading), one_line(question)),
    };
    let shown = prompt_text::evidence(&evidence);
    let others = excerpt(&others.join("\n"), OTHERS_CHARS).into_owned();
    part_request(run, evidence, &shown, &heading, &others, section.words, false)
}

fn opening_request(
    run: &Run<'_>,
    sections: &[Section],
    texts: &[String],
    share: u64,
) -> Result<ChatRequest, PromptError> {
    let most = run.spending.evidence_tokens / OPENING_EVIDENCE / share / sections.len().max(1) as u64;
    // A token has at least about one character; most have more.
    let chars = usize::try_from(most * 3).unwrap_or(usize::MAX).max(120);
    let shown: Vec<String> = sections
        .iter()
        .zip(texts)
        .map(|(section, text)| fenced(&format!("part | {}", section.outlined.heading), &excerpt(text, chars)))
        .collect();
    part_request(run, Vec::new(), &shown.join("\n"), "", "", OPENING_WORDS, true)
}

fn part_request(
    run: &Run<'_>,
    evidence: Vec<EvidenceCard>,
    shown: &str,
    heading: &str,
    others: &str,
    words: usize,
    opening: bool,
) -> Result<ChatRequest, PromptError> {
    let input = WriteInput {
        question: run.question.for_prompt(),
        language: run.question.language.english_name().to_owned(),
        asked: Vec::new(),
        evidence,
        plan: None,
        incomplete: None,
        words: Some(words),
        outline: Outline::default(),
        earlier: EarlierQuestion::default(),
        today: run.today().to_string(),
    };
    let variables = context! {
        question => input.question.as_str(),
        language => input.language.as_str(),
        today => input.today.as_str(),
        asked => "",
        evidence => shown,
        plan => "",
        incomplete => "",
        words => words,
        outline => "",
        heading => heading,
        others => others,
        opening => opening,
    };
    request(&run.engine.prompts, variables, Input::Write(input))
}

/// The report's title, followed by the opening.
fn titled(opening: &str, title: &str, question: &str) -> String {
    let (own, rest) = match opening.trim().strip_prefix("# ") {
        Some(text) => text.split_once('\n').unwrap_or((text, "")),
        None => ("", opening.trim()),
    };
    let title = [title, own.trim(), question].into_iter().find(|title| !title.is_empty()).unwrap_or_default();
    format!("# {}\n\n{}\n", one_line(title), rest.trim())
}

/// A section's text without a heading at its beginning, and with all other headings deeper than the section's.
fn below(section: &OutlineSection, text: &str) -> String {
    let own = text.lines().skip_while(|line| line.starts_with('#') || line.trim().is_empty());
    match own.collect::<Vec<_>>().join("\n") {
        own if own.is_empty() => text.trim_start_matches('#').trim().to_owned(),
        own => fence::with_levels(&own, |_| Some(section.level + 1)),
    }
}

/// The text below a heading on which the documents say nothing.
fn not_found(run: &Run<'_>, section: &Section) -> String {
    let words = words(run.question.language);
    // A question mark would end a sentence, and the rest would pass for a claim.
    let query = one_line(section.outlined.query()).replace(['?', '？', '[', ']'], "");
    format!("{}\n\n{}{}{query}", words.not_found, words.searched_for, words.colon)
}

fn listed(run: &Run<'_>, section: &Section) -> String {
    let lines = section.evidence.iter().take(LISTED).filter_map(|card| {
        let chunk = &run.evidence.ledger.get(card.number)?.chunk;
        let claims = [section.outlined.query().to_owned()];
        let quote = chunk.text.get(supporting_quote(&chunk.text, &chunk.headings, &claims, chunk.language))?;
        Some(format!("- “{}” [{}]", escaped(quote), card.number))
    });
    lines.collect::<Vec<_>>().join("\n")
}
