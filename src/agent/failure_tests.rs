//! Models that fail, and texts that are no report: what was found is not lost.

use super::*;

/// Checks that the report lists what was found, since the model did not write one.
fn lists_the_evidence(outcome: &Outcome) {
    let report = outcome.report();
    assert!(report.markdown.starts_with("# What the documents say\n\n- “"), "{}", report.markdown);
    assert_eq!(report.citations.len(), report.evidence);
}

#[tokio::test]
async fn a_key_that_is_withdrawn_in_the_middle_leaves_a_report() {
    let outcome = run(Given::default(), vec![PLAN, Act::Key]).await;
    outcome.check(&["plan", "reflect"], StopReason::ModelFailed);
    lists_the_evidence(&outcome);
    let [warning] = outcome.report().warnings.as_slice() else { panic!("{:?}", outcome.report().warnings) };
    assert!(warning.contains("x refused the key from X_KEY: so it is"), "{warning}");
    let outcome = run(Given::default(), vec![PLAN, ENOUGH, Act::Key]).await;
    outcome.check(&["plan", "reflect", "write"], StopReason::ModelFailed);
    lists_the_evidence(&outcome);
}

#[tokio::test]
async fn an_endpoint_that_is_gone_is_asked_once_and_told_once() {
    for (strategy, purpose) in [
        (Strategy::Deep, "plan"),
        (Strategy::React, "act"),
        (Strategy::Chain, "follow"),
        (Strategy::Naive, "write"),
        (Strategy::Auto, "choose"),
    ] {
        let outcome = run(Given { strategy, ..Given::default() }, vec![Act::Unreachable]).await;
        outcome.check(&[purpose], StopReason::ModelFailed);
        lists_the_evidence(&outcome);
        let warnings = &outcome.report().warnings;
        assert!(warnings.len() == 1 && warnings[0].contains("http://x cannot be used"), "{warnings:?}");
    }
    // An endpoint that fails twice in a row, after all its retries, is not asked a third time.
    let outcome = run(Given::default(), vec![Act::Unavailable, Act::Unavailable]).await;
    outcome.check(&["plan", "reflect"], StopReason::ModelFailed);
    lists_the_evidence(&outcome);
}

#[tokio::test]
async fn a_text_that_cites_nothing_is_no_report() {
    const REFUSAL: Act = Act::Say("I'm sorry, but I can't help with that.");
    const JSON: Act = Act::Say(r#"{"title": "Ratings", "body": "The ratings fell after 2000 [1]."}"#);
    const STALLED: Act = Act::Say("# ");
    for first in [REFUSAL, JSON, STALLED, Act::Say(""), Act::Say("```python\nprint(ratings[1])\n```")] {
        let outcome = run(Given::default(), vec![PLAN, ENOUGH, first, REPORT]).await;
        outcome.check(&["plan", "reflect", "write", "write"], StopReason::Enough);
        let report = outcome.report();
        assert!(report.markdown.starts_with("# Ratings\n\nThe ratings fell after 2000 [1]."), "{}", report.markdown);
        let told = &outcome.requests[3].messages.last().unwrap().content;
        assert!(told.starts_with("That is no report"), "{told}");
    }
    let outcome = run(Given::default(), vec![PLAN, ENOUGH, REFUSAL, JSON]).await;
    outcome.check(&["plan", "reflect", "write", "write"], StopReason::ModelFailed);
    lists_the_evidence(&outcome);
    let warnings = &outcome.report().warnings;
    assert!(warnings.len() == 1 && warnings[0].contains("cites nothing: “{\"title\""), "{warnings:?}");

    // The limit on calls leaves no call to ask again.
    let limits = Limits { max_calls: Some(3), ..Limits::default() };
    let outcome = run(Given { limits, ..Given::default() }, vec![PLAN, ENOUGH, REFUSAL]).await;
    outcome.check(&["plan", "reflect", "write"], StopReason::Budget);
    lists_the_evidence(&outcome);
}

/// Checks that a run whose last calls were made as in `acts` says once that its report is not whole.
async fn check_cut(given: Given, acts: Vec<Act>, stopped: StopReason, expected: &str) {
    let outcome = run(given, acts).await;
    let report = outcome.report();
    assert_eq!((report.stopped, report.warnings.as_slice()), (stopped, [expected.to_owned()].as_slice()));
    assert!(report.markdown.contains("The ratings fell after 2000 [1]"), "{}", report.markdown);
}

#[tokio::test]
async fn a_report_that_is_cut_says_why_and_counts_as_failed() {
    const TEXT: &str = "# Ratings\n\nThe ratings fell after 2000 [1].";
    for (finish, why) in [
        (Finish::Length, "ends at the model's limit on output"),
        (Finish::Interrupted, "was broken off by the endpoint"),
        (Finish::ContentFilter, "ends where the endpoint withheld the rest"),
    ] {
        let failed = StopReason::ModelFailed;
        let naive = || Given { strategy: Strategy::Naive, ..Given::default() };
        check_cut(naive(), vec![Act::Cut(TEXT, finish)], failed, &format!("the report {why}")).await;
        // The first reply cites nothing, and is replaced by the second.
        let acts = vec![Act::Cut("# Rat", finish), Act::Cut(TEXT, finish)];
        check_cut(naive(), acts, failed, &format!("the report {why}")).await;

        let outlined = || Given { outline: "## Ratings", ..naive() };
        let acts = vec![Act::Cut("The ratings fell after 2000 [1]", finish), Act::Say("They fell [1].")];
        check_cut(outlined(), acts, failed, &format!("the section `Ratings` {why}")).await;
        let acts = vec![Act::Say("The ratings fell after 2000 [1]."), Act::Cut("They fell [1]", finish)];
        check_cut(outlined(), acts, failed, &format!("the opening of the report {why}")).await;
    }
    let cut = || Act::Cut("# Rat", Finish::Interrupted);
    let outcome = run(Given { strategy: Strategy::Naive, ..Given::default() }, vec![cut(), cut()]).await;
    lists_the_evidence(&outcome);
    let [warning] = outcome.report().warnings.as_slice() else { panic!("{:?}", outcome.report().warnings) };
    assert!(warning.ends_with("cites nothing: “# Rat”; its reply was broken off by the endpoint"), "{warning}");
}

#[tokio::test]
async fn a_report_in_a_code_block_is_taken_out_of_it() {
    for wrapped in [
        "```markdown\n# Ratings\n\nThe ratings fell after 2000 [1].\n```\n",
        "Here it is:\n\n```\n# Ratings\n\nThe ratings fell after 2000 [1].\n```\n\nI hope this helps.",
    ] {
        let outcome = run(Given::default(), vec![PLAN, ENOUGH, Act::Say(wrapped)]).await;
        outcome.check(&["plan", "reflect", "write"], StopReason::Enough);
        let markdown = &outcome.report().markdown;
        assert!(markdown.starts_with("# Ratings\n\nThe ratings fell after 2000 [1].\n\n## Sources"), "{markdown}");
    }
}

#[tokio::test]
async fn a_model_may_say_that_the_documents_do_not_answer() {
    const NO: Act = Act::Say("The documents do not say.");
    let outcome = run(Given::default(), vec![PLAN, ENOUGH, NO, Act::Say("NOT FOUND")]).await;
    outcome.check(&["plan", "reflect", "write", "write"], StopReason::Enough);
    let report = outcome.report();
    let expected = "# How did the ratings of the show change?\n\nNot found in these documents.\n";
    assert!(report.citations.is_empty() && report.markdown.starts_with(expected), "{}", report.markdown);
}
