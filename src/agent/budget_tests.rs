use super::*;
use crate::base::Clock;

const SPENT: Usage = Usage {
    calls: 3,
    prompt_tokens: 900,
    cached_tokens: 0,
    completion_tokens: 100,
    usd: Some(0.01),
    estimated: false,
    unanswered: 0,
};

fn budget(limits: Limits, spent: Usage) -> Budget {
    let stopwatch = Stopwatch::start(Clock::Fixed(jiff::Timestamp::UNIX_EPOCH));
    let mut budget = Budget::start(limits, HashMap::new(), stopwatch, 1_000);
    budget.charge(spent, Duration::from_secs(5));
    budget
}

#[test]
fn a_call_must_leave_enough_for_the_report() {
    let none = Limits::NONE;
    let check = |limits: Limits, spent: Usage, prompt_tokens: u64, expected: Result<(), Limit>| {
        let found = budget(limits, spent).allows_call(Purpose::Reflect, prompt_tokens, Usage::default());
        assert_eq!(found, expected, "{limits:?}");
    };
    check(none, SPENT, 1_000_000, Ok(()));
    check(Limits { max_calls: Some(5), ..none }, SPENT, 1, Ok(()));
    check(Limits { max_calls: Some(4), ..none }, SPENT, 1, Err(Limit::Calls));
    // 1,000 spent, 7,000 for the prompt, 500 for its reply, 4,000 for the report.
    check(Limits { max_tokens: Some(12_500), ..none }, SPENT, 7_000, Ok(()));
    check(Limits { max_tokens: Some(12_499), ..none }, SPENT, 7_000, Err(Limit::Tokens));
    // A report costs more than half of this, so half is kept for it.
    check(Limits { max_tokens: Some(4_000), ..none }, SPENT, 500, Ok(()));
    check(Limits { max_tokens: Some(3_998), ..none }, SPENT, 500, Err(Limit::Tokens));
    // A token has cost a thousandth of a cent: 1 cent is spent, the call costs 7.5 cents and the report 4.
    check(Limits { max_usd: Some(0.1251), ..none }, SPENT, 7_000, Ok(()));
    check(Limits { max_usd: Some(0.1249), ..none }, SPENT, 7_000, Err(Limit::Money));
    check(Limits { max_usd: Some(0.0), ..none }, Usage::default(), 1, Err(Limit::Money));
    check(Limits { max_time: Some(Duration::from_secs(60)), ..none }, SPENT, 1, Ok(()));
    check(Limits { max_time: Some(Duration::ZERO), ..none }, SPENT, 1, Err(Limit::Time));
}

#[test]
fn what_a_step_has_spent_counts_before_it_is_charged() {
    let check = |limits: Limits, expected: Result<(), Limit>| {
        assert_eq!(budget(limits, Usage::default()).allows_call(Purpose::Plan, 500, SPENT), expected);
    };
    check(Limits { max_calls: Some(5), ..Limits::NONE }, Ok(()));
    check(Limits { max_calls: Some(4), ..Limits::NONE }, Err(Limit::Calls));
    check(Limits { max_tokens: Some(3_997), ..Limits::NONE }, Err(Limit::Tokens));
}

#[test]
fn retries_are_calls() {
    let check = |max_calls: Option<u64>, keeps_reserve: bool, expected: Option<u64>| {
        let budget = budget(Limits { max_calls, ..Limits::NONE }, SPENT);
        assert_eq!(budget.requests_left(Usage::free(2), keeps_reserve), expected, "{max_calls:?}");
    };
    check(None, true, None);
    check(Some(10), true, Some(4));
    check(Some(10), false, Some(5));
    check(Some(5), true, Some(0));
}

#[test]
fn prices_hold_before_the_first_call() {
    let price = Price { input: 1.0, cached_input: Some(0.1), output: 10.0 };
    let check = |most: f64, expected: Result<(), Limit>| {
        let limits = Limits { max_usd: Some(most), ..Limits::NONE };
        let prices = HashMap::from([(Purpose::Plan, price), (Purpose::Write, price)]);
        let budget = Budget::start(limits, prices, Stopwatch::start(Clock::System), 1_000);
        assert_eq!(budget.allows_call(Purpose::Plan, 5_000, Usage::default()), expected, "{most}");
    };
    // The plan costs 1 cent, the report 3.1 cents; of a limit of 2 cents, one is kept for the report.
    check(0.0412, Ok(()));
    check(0.0201, Ok(()));
    check(0.0199, Err(Limit::Money));
}

#[test]
fn the_report_has_what_is_left() {
    let check = |limits: Limits, prompt_tokens: u64, expected: Result<Option<(u64, Limit)>, Limit>| {
        let found = budget(limits, SPENT).report_room(prompt_tokens);
        assert_eq!(found.map(|room| room.map(|room| (room.tokens, room.limit))), expected, "{limits:?}");
    };
    let none = Limits::NONE;
    check(none, 1_000_000, Ok(None));
    check(Limits { max_calls: Some(4), ..none }, 10, Ok(None));
    check(Limits { max_calls: Some(3), ..none }, 10, Err(Limit::Calls));
    check(Limits { max_tokens: Some(5_000), ..none }, 1_500, Ok(Some((2_500, Limit::Tokens))));
    check(Limits { max_tokens: Some(5_000), ..none }, 4_500, Ok(Some((0, Limit::Tokens))));
    check(Limits { max_usd: Some(0.031255), ..none }, 1_000, Ok(Some((1_125, Limit::Money))));
    check(Limits { max_usd: Some(0.001), ..none }, 1_000, Ok(Some((0, Limit::Money))));
    check(Limits { max_usd: Some(0.031255), max_tokens: Some(2_100), ..none }, 1_000, Ok(Some((100, Limit::Tokens))));
    // Whether there is time is checked once, before the request is built.
    check(Limits { max_time: Some(Duration::ZERO), ..none }, 1, Ok(None));
}

#[test]
fn output_that_costs_nothing_has_no_room_where_the_prompt_has_none() {
    let check = |input: f64, expected: Option<u64>| {
        let price = Price { input, cached_input: None, output: 0.0 };
        let limits = Limits { max_usd: Some(0.01), ..Limits::NONE };
        let prices = HashMap::from([(Purpose::Write, price)]);
        let budget = Budget::start(limits, prices, Stopwatch::start(Clock::System), 1_000);
        assert_eq!(budget.report_room(1_000).map(|room| room.map(|room| room.tokens)), Ok(expected));
    };
    check(0.0, None);
    check(1.0, None);
    check(100.0, Some(0));
}

#[test]
fn the_report_keeps_some_of_the_time() {
    let check = |most: u64, slowest: u64, expected: u64| {
        let limits = Limits { max_time: Some(Duration::from_secs(most)), ..Limits::NONE };
        let mut budget = budget(limits, Usage::default());
        budget.charge(Usage::default(), Duration::from_secs(slowest));
        assert_eq!(budget.time_left(), Some(Duration::from_secs(expected)), "{most} {slowest}");
        assert_eq!(budget.all_time_left(), Some(Duration::from_secs(most)));
    };
    check(40, 0, 30);
    check(600, 0, 540);
    check(600, 50, 500);
    check(600, 100, 450);
}
