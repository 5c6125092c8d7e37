use serde::{Deserialize, Serialize};

/// The purpose of a call, which selects its prompt, model, price and script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// Sub-queries, and the collections for each.
    Plan,
    /// Which evidence helps, what is missing, what to search next.
    Reflect,
    /// Which tool to use next.
    Act,
    /// The answer to one question of a chain, and the next one.
    Follow,
    /// Which strategy suits the question.
    Choose,
    /// The headings of a long report.
    Outline,
    /// The report, or a part of it.
    Write,
    /// The description of a collection.
    Describe,
    /// Questions that a passage answers, for training.
    Quiz,
    /// The sentences of a report whose sources have changed.
    Revise,
}

impl Purpose {
    /// All purposes, in the order in which a run meets them.
    pub const ALL: [Purpose; 10] = [
        Purpose::Choose,
        Purpose::Plan,
        Purpose::Reflect,
        Purpose::Act,
        Purpose::Follow,
        Purpose::Outline,
        Purpose::Write,
        Purpose::Describe,
        Purpose::Quiz,
        Purpose::Revise,
    ];

    /// The name in the config, in bills and in scripts.
    pub fn name(self) -> &'static str {
        match self {
            Purpose::Plan => "plan",
            Purpose::Reflect => "reflect",
            Purpose::Act => "act",
            Purpose::Follow => "follow",
            Purpose::Choose => "choose",
            Purpose::Outline => "outline",
            Purpose::Write => "write",
            Purpose::Describe => "describe",
            Purpose::Quiz => "quiz",
            Purpose::Revise => "revise",
        }
    }

    /// The name of the file that holds its prompt, among the bundled ones and in a user's own folder.
    pub(super) fn file_name(self) -> String {
        format!("{}.md", self.name())
    }

    /// The prompt that is compiled in.
    pub(super) fn builtin(self) -> &'static str {
        match self {
            Purpose::Plan => include_str!("../../prompts/plan.md"),
            Purpose::Reflect => include_str!("../../prompts/reflect.md"),
            Purpose::Act => include_str!("../../prompts/act.md"),
            Purpose::Follow => include_str!("../../prompts/follow.md"),
            Purpose::Choose => include_str!("../../prompts/choose.md"),
            Purpose::Outline => include_str!("../../prompts/outline.md"),
            Purpose::Write => include_str!("../../prompts/write.md"),
            Purpose::Describe => include_str!("../../prompts/describe.md"),
            Purpose::Quiz => include_str!("../../prompts/quiz.md"),
            Purpose::Revise => include_str!("../../prompts/revise.md"),
        }
    }

    /// Every variable that its prompt may use, and whether it must, as the first line of the bundled prompt lists them.
    pub(super) fn variables(self) -> Vec<(&'static str, bool)> {
        let first = self.builtin().lines().next().unwrap_or_default();
        let list = first.split_once("used):").map_or("", |(_, list)| list);
        // Text in brackets is meant for people.
        let names = list.split(['(', ')']).step_by(2).flat_map(|part| part.split(','));
        let names = names.map(|name| name.trim_matches([' ', '.', '#', '}'])).filter(|name| !name.is_empty());
        names.map(|name| name.strip_suffix('*').map_or((name, false), |name| (name, true))).collect()
    }
}
