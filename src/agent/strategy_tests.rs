//! Whole runs of every strategy but `deep`: the model is scripted, everything else is real.

use super::*;
use crate::base::text::estimate_tokens;
use crate::llm::Role;
use crate::llm::purpose::ToolResult;

fn given(strategy: Strategy) -> Given {
    Given { strategy, ..Given::default() }
}

/// The results that the tools had returned before a call.
fn taken(outcome: &Outcome, call: usize) -> &[ToolResult] {
    match &outcome.requests[call].input {
        Input::Act(input) => &input.taken,
        other => panic!("call {call} is for {:?}", other.purpose()),
    }
}

/// The results that the model was shown in a call, in order.
fn results(outcome: &Outcome, call: usize) -> Vec<&str> {
    let messages = outcome.requests[call].messages.iter().filter(|message| message.role == Role::Tool);
    messages.map(|message| message.content.as_str()).collect()
}

fn write_input(outcome: &Outcome) -> &crate::llm::purpose::WriteInput {
    match &outcome.requests.last().unwrap().input {
        Input::Write(input) => input,
        other => panic!("the last call is for {:?}", other.purpose()),
    }
}

fn texts(cards: &[EvidenceCard]) -> Vec<&str> {
    cards.iter().map(|card| card.text.as_str()).collect()
}

const RATINGS: &str = "The ratings of the show fell after the year 2000.";
const FINISH: (&str, &str) = ("finish", r#"{"plan": "They fell [1]."}"#);
const SEARCH_RATINGS: (&str, &str) = ("keyword_search", r#"{"query": "ratings show", "k": 3}"#);

#[tokio::test]
async fn naive_takes_one_search_and_one_call() {
    let outcome = run(given(Strategy::Naive), vec![REPORT]).await;
    outcome.check(&["write"], StopReason::OneSearch);
    let report = outcome.report();
    assert_eq!((report.rounds.len(), report.strategy), (1, Strategy::Naive));
    assert_eq!(report.rounds[0].sub_queries[0].query.text, "How did the ratings of the show change?");
    assert!(report.retrieved_tokens > 0 && report.markdown.contains("- **Strategy**: naive\n"), "{}", report.markdown);
    assert!(write_input(&outcome).plan.is_none());

    let interrupt = CancellationToken::new();
    interrupt.cancel();
    let outcome = run(Given { interrupt, ..given(Strategy::Naive) }, vec![REPORT]).await;
    outcome.check(&["write"], StopReason::Interrupted);
}

const FOLLOW: Act = Act::Say(
    r#"{"answer": "They fell after 2000.", "helpful": [1, 99], "done": false,
        "next": {"query": "What did the film earn?", "collections": ["audience", "nowhere"]}}"#,
);
const DONE: Act =
    Act::Say(r#"{"answer": "536 million.", "helpful": [], "done": true, "next": {"query": "", "collections": []}}"#);

#[tokio::test]
async fn a_chain_answers_each_question_before_the_next() {
    let outcome = run(given(Strategy::Chain), vec![FOLLOW, DONE, REPORT]).await;
    outcome.check(&["follow", "follow", "write"], StopReason::Enough);
    let Input::Follow(first) = &outcome.requests[0].input else { panic!("the first call follows") };
    assert_eq!((first.asked.as_str(), first.steps.len(), first.left), (given(Strategy::Chain).question, 0, Some(8)));
    let Input::Follow(second) = &outcome.requests[1].input else { panic!("the second call follows") };
    assert_eq!((second.asked.as_str(), second.left), ("What did the film earn?", Some(7)));
    assert_eq!(second.steps[0].answer, "They fell after 2000.");
    assert_eq!(second.steps[0].evidence, [1], "a number that no passage has is left out");
    // Only results of the next question's search are shown, and only from the named collection that exists.
    assert!(second.evidence[0].text.contains("536"), "{:?}", texts(&second.evidence));
    assert!(second.evidence.iter().all(|card| card.collection == "audience" && card.found_by.contains(&1)));
    let plan = write_input(&outcome).plan.as_deref().unwrap();
    assert_eq!(
        plan,
        "1. How did the ratings of the show change? They fell after 2000. [1]\n2. What did the film earn? 536 million."
    );
    assert!(outcome.requests[2].messages[1].content.contains("<<<notes\n1. How did"));
    assert!(outcome.report().warnings[0].contains("`nowhere`"));
    let followed = outcome.events.iter().filter(|event| matches!(event, Event::Followed { .. })).count();
    assert_eq!(followed, 2);
}

#[tokio::test]
async fn a_chain_may_end_at_once_or_at_its_limit_or_in_a_circle() {
    let outcome = run(given(Strategy::Chain), vec![DONE, REPORT]).await;
    outcome.check(&["follow", "write"], StopReason::Enough);
    assert!(outcome.report().rounds.is_empty());

    let limits = Limits { max_rounds: Some(1), ..Limits::default() };
    let outcome = run(Given { limits, ..given(Strategy::Chain) }, vec![FOLLOW, FOLLOW, REPORT]).await;
    outcome.check(&["follow", "follow", "write"], StopReason::RoundLimit);
    assert!(outcome.requests[1].messages[0].content.contains("No further search can be made"));

    let outcome = run(given(Strategy::Chain), vec![FOLLOW, FOLLOW, REPORT]).await;
    outcome.check(&["follow", "follow", "write"], StopReason::NoNewEvidence);
    let outcome = run(given(Strategy::Chain), vec![Act::Say("no"), Act::Say("no"), REPORT]).await;
    outcome.check(&["follow", "follow", "write"], StopReason::ModelFailed);
}

#[tokio::test]
async fn react_searches_reads_and_finishes() {
    let acts = vec![
        Act::Call("First the ratings.", vec![SEARCH_RATINGS]),
        Act::Call("", vec![("chunk_read", r#"{"doc_id": "d3", "chunk_id": 0, "neighbours": 1}"#)]),
        Act::Call("", vec![FINISH]),
        REPORT,
    ];
    let outcome = run(given(Strategy::React), acts).await;
    outcome.check(&["act", "act", "act", "write"], StopReason::Enough);
    let tools: Vec<&str> = outcome.requests[0].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(tools, ["keyword_search", "semantic_search", "chunk_read", "finish"]);

    // The search shows ids, titles, collections and matching sentences; the reading shows the whole text with its
    // place.
    let shown = results(&outcome, 1)[0];
    assert!(shown.contains(&format!("d3 0 in audience | Title of /docs/2.txt: {RATINGS}")), "{shown}");
    let read = results(&outcome, 2)[1];
    assert!(read.starts_with("<<<passage [1] | Title of /docs/2.txt | 2.txt | Part | 1 of 2\n"), "{read}");
    assert!(read.contains("<<<passage [2] | ") && read.contains("Critics praised the early seasons."), "{read}");

    // Only what was read is evidence; the plan is a hint for the writer.
    let input = write_input(&outcome);
    let mut evidence = texts(&input.evidence);
    evidence.sort_unstable();
    assert_eq!(evidence, ["Critics praised the early seasons.", RATINGS]);
    assert_eq!(input.plan.as_deref(), Some("They fell [1]."));
    assert_eq!(input.asked[1].text, "ratings show");
    assert_eq!(outcome.report().evidence, 2);
    let told: Vec<(usize, u64)> = outcome
        .events
        .iter()
        .filter_map(|event| match event {
            Event::ToolCalled { step, tokens, .. } => Some((*step, *tokens)),
            _ => None,
        })
        .collect();
    assert_eq!(told.iter().map(|(step, _)| *step).collect::<Vec<_>>(), [1, 2, 3]);
    let tokens: u64 = told.iter().map(|(_, tokens)| tokens).sum();
    assert_eq!(outcome.report().retrieved_tokens, tokens);
    let whole = estimate_tokens(shown) + estimate_tokens(read);
    assert!((whole - 1..=whole + 1).contains(&tokens), "{tokens} of {whole}");
    assert_eq!(outcome.report().rounds[0].reason, "First the ratings.");
}

#[tokio::test]
async fn calls_of_one_message_are_answered_in_their_order() {
    let acts = vec![
        Act::Call(
            "",
            vec![
                ("chunk_read", r#"{"doc_id": "d5", "chunk_id": 0, "neighbours": 0}"#),
                ("web_search", "{}"),
                SEARCH_RATINGS,
                ("chunk_read", r#"{"doc_id": "d3", "chunk_id": 0, "neighbours": 0}"#),
                ("keyword_search", r#"{"query": "premiere of the film", "k": 2}"#),
                ("chunk_read", r#"{"doc_id": "d3", "chunk_id": 0, "neighbours": 1}"#),
            ],
        ),
        Act::Call("", vec![FINISH]),
        REPORT,
    ];
    let outcome = run(given(Strategy::React), acts).await;
    outcome.check(&["act", "act", "write"], StopReason::Enough);
    let found = results(&outcome, 1);
    let parts = ["Merchandise made", "no tool `web_search`", "d3 0 in audience", RATINGS, "536 million"];
    for (result, part) in found.iter().zip(parts) {
        assert!(result.contains(part), "{part}: {result}");
    }
    // The same passage twice in one message is given once.
    assert!(found[5].starts_with("d3 0: already read at step 1\n<<<passage [3] | "), "{}", found[5]);
    let ids: Vec<&str> = outcome.requests[1].messages.iter().filter_map(|one| one.tool_call_id.as_deref()).collect();
    assert_eq!(ids, ["c0", "c1", "c2", "c3", "c4", "c5"]);
}

#[tokio::test]
async fn a_search_that_nothing_answers_found_what_its_round_says() {
    let acts = vec![
        Act::Call("", vec![SEARCH_RATINGS, ("keyword_search", r#"{"query": "film dollars", "k": 3}"#)]),
        Act::Call("", vec![("chunk_read", r#"{"doc_id": "d3", "chunk_id": 0, "neighbours": 0}"#)]),
        Act::Call("", vec![FINISH]),
        REPORT,
    ];
    let outcome = run(Given { covers: true, ..given(Strategy::React) }, acts).await;
    let report = outcome.report();
    let searched = report.rounds[0].sub_queries.iter().find(|search| search.query.text == "film dollars").unwrap();
    let not_found = &report.coverage.as_ref().unwrap().not_found;
    let [lacking] = not_found.as_slice() else { panic!("{not_found:?}") };
    assert_eq!((lacking.searched.text.as_str(), lacking.found), ("film dollars", searched.hits));
    assert!(searched.hits > 0, "{:?}", report.rounds);
}

#[tokio::test]
async fn what_was_read_is_not_given_again() {
    let read = ("chunk_read", r#"{"doc_id": "d3", "chunk_id": 0, "neighbours": 0}"#);
    let acts =
        vec![Act::Call("", vec![read]), Act::Call("", vec![read, SEARCH_RATINGS]), Act::Call("", vec![FINISH]), REPORT];
    let outcome = run(given(Strategy::React), acts).await;
    let found = results(&outcome, 2);
    assert_eq!(found[1], "d3 0: already read at step 1");
    assert!(found[2].contains("d3 0 in audience | Title of /docs/2.txt: (read at step 1)"), "{}", found[2]);
    let again = outcome.events.iter().find_map(|event| match event {
        Event::ToolCalled { step: 2, tool, tokens, .. } if tool == "chunk_read" => Some(*tokens),
        _ => None,
    });
    assert_eq!((again, outcome.report().evidence), (Some(0), 1));
}

#[tokio::test]
async fn mistaken_calls_are_answered_and_the_run_goes_on() {
    let acts = vec![
        Act::Call(
            "",
            vec![
                ("keyword_search", r#"{"k": 3}"#),
                ("keyword_search", r#"{"query": "#),
                ("chunk_read", r#"{"doc_id": "d77", "chunk_id": 0, "neighbours": 0}"#),
                ("chunk_read", r#"{"doc_id": "d3", "chunk_id": 9, "neighbours": 0}"#),
                ("semantic_search", r#"{"query": "ratings"}"#),
                ("keyword_search", r#"{"query": "zzyzx"}"#),
                ("keyword_search", r#"{"query": "ratings", "k": 99}"#),
            ],
        ),
        Act::Call("", vec![FINISH]),
        REPORT,
    ];
    let outcome = run(given(Strategy::React), acts).await;
    outcome.check(&["act", "act", "write"], StopReason::Enough);
    let found = results(&outcome, 1);
    let parts = [
        "missing field `query`. Call it with arguments such as",
        "the arguments are no JSON",
        "there is no chunk 0 of document d77; take doc_id and chunk_id from the result of a search",
        "there is no chunk 9 of document d3",
        "semantic_search is not available here; use keyword_search",
        "nothing was found; try other words",
        "(k is from 1 to 20; 20 was taken)\n<<<doc_id",
    ];
    for (result, part) in found.iter().zip(parts) {
        assert!(result.contains(part), "{part}: {result}");
    }
    // Endpoints that parse the arguments of earlier calls are not sent invalid JSON.
    let calling = outcome.requests[1].messages.iter().find(|message| !message.tool_calls.is_empty()).unwrap();
    assert_eq!(calling.tool_calls[1].arguments, "{}");
    assert_eq!(taken(&outcome, 1)[1].arguments, r#"{"query": "#);
}

#[tokio::test]
async fn a_collection_that_was_left_out_cannot_be_read() {
    let acts = vec![
        Act::Call("", vec![("chunk_read", r#"{"doc_id": "d1", "chunk_id": 0}"#), SEARCH_RATINGS]),
        Act::Call("", vec![FINISH]),
        REPORT,
    ];
    let outcome = run(Given { collections: &["audience"], ..given(Strategy::React) }, acts).await;
    let found = results(&outcome, 1);
    assert!(found[0].contains("there is no chunk 0 of document d1"), "{}", found[0]);
    // With a single collection its name is not shown.
    assert!(found[1].contains("d3 0 | Title") && !found[1].contains("d1 "), "{}", found[1]);
}

#[tokio::test]
async fn a_model_that_never_stops_is_asked_for_the_report_once() {
    let search = || Act::Call("", vec![SEARCH_RATINGS]);
    let limits = Limits { max_rounds: Some(3), ..Limits::default() };
    let outcome = run(Given { limits, ..given(Strategy::React) }, vec![search(), search(), search(), REPORT]).await;
    outcome.check(&["act", "act", "act", "write"], StopReason::RoundLimit);
    // Nothing was read, so what was shown is the evidence.
    assert!(texts(outcome.evidence(3)).contains(&RATINGS));

    let mut acts: Vec<Act> = (0..20).map(|_| search()).collect();
    acts.push(REPORT);
    let outcome = run(given(Strategy::React), acts).await;
    assert_eq!((outcome.report().stopped, outcome.requests.len()), (StopReason::RoundLimit, 21));

    let limits = Limits { max_calls: Some(3), ..Limits::default() };
    let outcome = run(Given { limits, ..given(Strategy::React) }, vec![search(), search(), REPORT]).await;
    outcome.check(&["act", "act", "write"], StopReason::Budget);
    let limits = Limits { max_time: Some(Duration::ZERO), ..Limits::default() };
    let outcome = run(Given { limits, ..given(Strategy::React) }, vec![]).await;
    outcome.check(&[], StopReason::Budget);
}

#[tokio::test]
async fn a_model_without_tools_calls_them_in_words() {
    let acts = vec![
        Act::Say(
            r#"{"thought": "T", "calls": [{"tool": "keyword_search", "arguments": {"query": "ratings", "k": 2}}]}"#,
        ),
        Act::Say("```json\n{\"tool\": \"chunk_read\", \"arguments\": {\"doc_id\": \"d3\", \"chunk_id\": 0}}\n```"),
        Act::Say(r#"{"calls": [{"tool": "finish", "arguments": {"plan": "They fell [1]."}}]}"#),
        REPORT,
    ];
    let outcome = run(given(Strategy::React), acts).await;
    outcome.check(&["act", "act", "act", "write"], StopReason::Enough);
    assert_eq!(texts(outcome.evidence(3)), [RATINGS]);
    assert_eq!(write_input(&outcome).plan.as_deref(), Some("They fell [1]."));
}

#[tokio::test]
async fn words_without_a_call_are_the_plan_once_something_was_looked_at() {
    let acts = vec![
        Act::Say("I know it: they rose."),
        Act::Call("", vec![SEARCH_RATINGS]),
        Act::Say("They fell after 2000."),
        REPORT,
    ];
    let outcome = run(given(Strategy::React), acts).await;
    outcome.check(&["act", "act", "act", "write"], StopReason::Enough);
    let urged = outcome.requests[1].messages.last().unwrap();
    assert!(urged.role == Role::User && urged.content.contains("Search first"), "{urged:?}");
    assert_eq!(write_input(&outcome).plan.as_deref(), Some("They fell after 2000."));

    // A model that insists gets its report, from what the question itself finds.
    let stubborn = || Act::Call("", vec![FINISH]);
    let outcome = run(given(Strategy::React), vec![stubborn(), stubborn(), REPORT]).await;
    outcome.check(&["act", "act", "write"], StopReason::Enough);
    assert!(texts(outcome.evidence(2)).contains(&RATINGS));
}

#[tokio::test]
async fn a_model_that_fails_does_not_lose_the_run() {
    let broken = || Act::Say(r#"{"calls": [{"tool": "keyword_search", "#);
    let outcome = run(given(Strategy::React), vec![broken(), broken(), broken(), REPORT]).await;
    outcome.check(&["act", "act", "act", "write"], StopReason::ModelFailed);
    let told = &outcome.requests[1].messages.last().unwrap().content;
    assert!(told.contains("cannot be used: no tool was called: it is not valid JSON"), "{told}");

    let outcome =
        run(given(Strategy::React), vec![Act::Call("", vec![SEARCH_RATINGS]), Act::Unavailable, REPORT]).await;
    outcome.check(&["act", "act", "write"], StopReason::ModelFailed);
    let outcome = run(given(Strategy::React), vec![Act::Key]).await;
    assert!(matches!(outcome.report, Err(AgentError::Llm(LlmError::Key { .. }))));

    let interrupt = CancellationToken::new();
    let given = Given { interrupt: interrupt.clone(), ..given(Strategy::React) };
    let outcome = run(given, vec![Act::Call("", vec![SEARCH_RATINGS]), Act::Hang(interrupt), REPORT]).await;
    outcome.check(&["act", "act", "write"], StopReason::Interrupted);
}

#[tokio::test]
async fn prompts_of_a_long_run_stay_within_the_limit_on_evidence() {
    let queries = ["show", "studio", "season", "ratings", "film", "merchandise", "critics", "dollars", "episodes"];
    let arguments: Vec<&'static str> =
        queries.iter().map(|query| &*format!(r#"{{"query": "{query}", "k": 20}}"#).leak()).collect();
    let mut acts: Vec<Act> =
        arguments.iter().map(|arguments| Act::Call("", vec![("keyword_search", *arguments)])).collect();
    acts.extend([Act::Call("", vec![FINISH]), REPORT]);
    let limits = Limits { max_rounds: None, ..Limits::default() };
    let outcome = run(Given { evidence_tokens: 200, limits, ..given(Strategy::React) }, acts).await;
    assert_eq!(outcome.report().stopped, StopReason::Enough);
    for (step, request) in outcome.requests.iter().enumerate().take(queries.len()) {
        let tool = request.messages.iter().filter(|message| message.role == Role::Tool);
        let tokens: u64 = tool.map(|message| estimate_tokens(&message.content)).sum();
        assert!(tokens <= 200 + 20 * step as u64, "step {step}: {tokens}");
    }
    let old = results(&outcome, queries.len())[0];
    assert_eq!(old, "(shown at step 1; search or read again if it is needed)");
}

#[tokio::test]
async fn too_long_a_conversation_is_asked_again_with_less() {
    let outcome = run(
        given(Strategy::React),
        vec![Act::Call("", vec![SEARCH_RATINGS]), Act::Overflow, Act::Call("", vec![FINISH]), REPORT],
    )
    .await;
    outcome.check(&["act", "act", "act", "write"], StopReason::Enough);
    assert!(outcome.report().warnings[0].contains("asking again with"), "{:?}", outcome.report().warnings);
}

#[tokio::test]
async fn another_language_is_searched_and_read() {
    let acts = vec![
        Act::Call("評価を調べる。", vec![("keyword_search", r#"{"query": "視聴率 ratings", "k": 2}"#)]),
        Act::Call("", vec![("chunk_read", r#"{"doc_id": "d3", "chunk_id": 0}"#)]),
        Act::Call("", vec![("finish", r#"{"plan": "二〇〇〇年以後に下がった [1]。"}"#)]),
        Act::Say("# 視聴率\n\n番組の視聴率は2000年以後に下がった [1]。\n"),
    ];
    let outcome = run(Given { question: "番組の視聴率はどう変わりましたか？", ..given(Strategy::React) }, acts).await;
    outcome.check(&["act", "act", "act", "write"], StopReason::Enough);
    let report = outcome.report();
    assert_eq!((report.citations.len(), write_input(&outcome).language.as_str()), (1, "Japanese"));
    assert!(report.markdown.contains("- **戦略**：react\n"), "{}", report.markdown);
}

#[tokio::test]
async fn auto_asks_which_strategy_suits() {
    let choose = |strategy: &str| Act::Say(format!(r#"{{"reason": "One fact.", "strategy": "{strategy}"}}"#).leak());
    let outcome = run(given(Strategy::Auto), vec![choose("naive"), REPORT]).await;
    outcome.check(&["choose", "write"], StopReason::OneSearch);
    let report = outcome.report();
    assert_eq!(report.strategy, Strategy::Naive);
    assert!(report.markdown.contains("- **Strategy**: naive. One fact.\n"), "{}", report.markdown);
    assert!(matches!(&outcome.events[0], Event::Called { .. }));
    assert!(matches!(&outcome.events[1], Event::Chosen { strategy: Strategy::Naive, reason } if reason == "One fact."));

    let outcome = run(given(Strategy::Auto), vec![choose("deep"), PLAN, ENOUGH, REPORT]).await;
    outcome.check(&["choose", "plan", "reflect", "write"], StopReason::Enough);
    let outcome = run(given(Strategy::Auto), vec![choose("chain"), DONE, REPORT]).await;
    outcome.check(&["choose", "follow", "write"], StopReason::Enough);
    let finish = Act::Call("", vec![SEARCH_RATINGS, FINISH]);
    let outcome = run(given(Strategy::Auto), vec![choose("react"), finish, REPORT]).await;
    outcome.check(&["choose", "act", "write"], StopReason::Enough);
    let outcome = run(given(Strategy::Auto), vec![choose("best"), choose("auto"), PLAN, ENOUGH, REPORT]).await;
    outcome.check(&["choose", "choose", "plan", "reflect", "write"], StopReason::Enough);
    let limits = Limits { max_calls: Some(1), ..Limits::default() };
    let outcome = run(Given { limits, ..given(Strategy::Auto) }, vec![REPORT]).await;
    outcome.check(&["write"], StopReason::Budget);
}
