//! Shows a run that is only planned, as text.

use crate::base::text::{one_line, thousands};
use crate::domain::{Estimate, Preview, Strategy};

/// What a row shows of an estimate; `None` if it is unknown.
type Column = fn(&Estimate) -> Option<String>;

/// The plan with its routes, and the estimate as a table.
pub(super) fn shown(preview: &Preview) -> String {
    let reason = one_line(&preview.reason);
    let head = match preview.strategy {
        Strategy::Deep => "plan",
        other => other.name(),
    };
    let mut out = match reason.is_empty() {
        true => format!("{head}\n"),
        false => format!("{head}: {reason}\n"),
    };
    for sub_query in &preview.sub_queries {
        let names = match sub_query.collections.as_slice() {
            [] => "all collections".to_owned(),
            names => names.join(", "),
        };
        out.push_str(&format!("  · {}  [{names}]\n", one_line(&sub_query.text)));
    }
    out.push_str(&estimate(preview));
    if preview.web {
        out.push_str("Searches for `web` go to the search engine, and the pages that it names are fetched.\n");
    }
    if let Some(limit) = preview.may_reach {
        out.push_str(&format!("The limit on {limit} may end the run early.\n"));
    }
    out
}

/// The estimated cost of the run, as a table.
fn estimate(preview: &Preview) -> String {
    if preview.most.is_some_and(|most| most.calls == 0) {
        return "estimate    no model is asked, so it costs nothing\n".to_owned();
    }
    let mut out = format!("estimate    {:>12}{:>12}\n", "at least", "at most");
    let rows: [(&str, Column); 5] = [
        ("calls", |cost| Some(thousands(cost.calls))),
        ("tokens in", |cost| Some(rounded(cost.prompt_tokens))),
        ("tokens out", |cost| Some(rounded(cost.completion_tokens))),
        ("US dollars", |cost| cost.usd.filter(|usd| *usd > 0.0).map(|usd| format!("{usd:.4}"))),
        ("seconds", |cost| cost.seconds.map(|seconds| format!("{seconds:.0}"))),
    ];
    for (label, value) in rows {
        let Some(least) = value(&preview.least) else { continue };
        let most = match &preview.most {
            Some(most) => value(most).unwrap_or_default(),
            None => "no limit".to_owned(),
        };
        out.push_str(&format!("  {label:<10}{least:>12}{most:>12}\n"));
    }
    out
}

/// Rounds to two digits: an estimate is not more exact.
fn rounded(tokens: u64) -> String {
    let mut unit = 1;
    while tokens / unit >= 100 {
        unit *= 10;
    }
    thousands((tokens + unit / 2) / unit * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_has_two_digits() {
        let check = |tokens: u64, expected: &str| assert_eq!(rounded(tokens), expected);
        check(0, "0");
        check(87, "87");
        check(104, "100");
        check(12_345, "12,000");
        check(99_900, "100,000");
    }
}
