use serde::{Deserialize, Serialize};

/// How a run decides what to do next. All strategies share state, evidence, budget, events and report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// Plan several searches, assess what they found, and search for what is missing.
    #[default]
    Deep,
    /// The model uses the search tools itself.
    React,
    /// One follow-up question after the other, each answered before the next is asked.
    Chain,
    /// One search, one answer.
    Naive,
    /// Chosen to suit the question and the collections.
    Auto,
}

impl Strategy {
    /// All strategies, in the order in which they are listed to users.
    pub const ALL: [Strategy; 5] = [Strategy::Deep, Strategy::React, Strategy::Chain, Strategy::Naive, Strategy::Auto];

    /// The name in settings, flags and reports.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Deep => "deep",
            Strategy::React => "react",
            Strategy::Chain => "chain",
            Strategy::Naive => "naive",
            Strategy::Auto => "auto",
        }
    }
}
