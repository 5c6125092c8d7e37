/// One of the prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PromptName {
    /// Sub-queries, and the collections for each.
    Plan,
    /// What helps, what is missing, what to search next.
    Reflect,
    /// Which tool to use next.
    Act,
    /// The answer to one question of a chain, and the next one.
    Follow,
    /// Which strategy suits the question.
    Choose,
    /// The report.
    Write,
    /// What a collection holds.
    Describe,
    /// Questions that a passage answers.
    Quiz,
}

impl PromptName {
    /// All of them.
    pub const ALL: [PromptName; 8] = [
        PromptName::Plan,
        PromptName::Reflect,
        PromptName::Act,
        PromptName::Follow,
        PromptName::Choose,
        PromptName::Write,
        PromptName::Describe,
        PromptName::Quiz,
    ];

    /// The file that holds it, here and in a folder of the user's own.
    pub fn file_name(self) -> &'static str {
        match self {
            PromptName::Plan => "plan.md",
            PromptName::Reflect => "reflect.md",
            PromptName::Act => "act.md",
            PromptName::Follow => "follow.md",
            PromptName::Choose => "choose.md",
            PromptName::Write => "write.md",
            PromptName::Describe => "describe.md",
            PromptName::Quiz => "quiz.md",
        }
    }

    /// The text that is compiled in.
    pub fn builtin(self) -> &'static str {
        match self {
            PromptName::Plan => include_str!("../../prompts/plan.md"),
            PromptName::Reflect => include_str!("../../prompts/reflect.md"),
            PromptName::Act => include_str!("../../prompts/act.md"),
            PromptName::Follow => include_str!("../../prompts/follow.md"),
            PromptName::Choose => include_str!("../../prompts/choose.md"),
            PromptName::Write => include_str!("../../prompts/write.md"),
            PromptName::Describe => include_str!("../../prompts/describe.md"),
            PromptName::Quiz => include_str!("../../prompts/quiz.md"),
        }
    }

    /// Every variable that its text may use.
    pub fn variables(self) -> &'static [&'static str] {
        match self {
            PromptName::Plan => {
                &["question", "language", "today", "max_sub_queries", "collections", "single", "web", "known"]
            }
            PromptName::Reflect => &[
                "question",
                "language",
                "today",
                "round",
                "max_sub_queries",
                "asked",
                "evidence",
                "collections",
                "single",
                "web",
            ],
            PromptName::Act => &["question", "language", "today", "max_steps", "collections", "web", "known"],
            PromptName::Follow => &[
                "question",
                "language",
                "today",
                "steps",
                "asked",
                "evidence",
                "collections",
                "single",
                "web",
                "last",
                "known",
            ],
            PromptName::Choose => &["question", "language", "collections"],
            PromptName::Write => &["question", "language", "today", "asked", "evidence", "plan", "incomplete"],
            PromptName::Describe => &["name", "titles", "vocabulary", "samples"],
            PromptName::Quiz => &["title", "headings", "questions", "passage"],
        }
    }

    /// The variables without which the prompt makes no sense.
    pub fn required(self) -> &'static [&'static str] {
        match self {
            PromptName::Plan | PromptName::Choose => &["question", "collections"],
            PromptName::Act => &["question"],
            PromptName::Follow => &["question", "asked", "evidence"],
            PromptName::Reflect | PromptName::Write => &["question", "evidence"],
            PromptName::Describe => &["samples"],
            PromptName::Quiz => &["passage"],
        }
    }
}
