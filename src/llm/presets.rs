//! The facts known about each provider, in one table. Everything that a request depends on is a column of it; no code
//! asks for a provider's name.

/// How closely an endpoint can bind a reply to a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StructuredOutput {
    /// Not at all: the schema stands in the prompt.
    None,
    /// To JSON of any form; the schema stands in the prompt.
    JsonObject,
    /// To a JSON Schema.
    JsonSchema,
}

/// How the URL of a request is made, and how the key is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// `{base}/chat/completions`, with a bearer key.
    Standard,
    /// `{base}/openai/deployments/{model}/chat/completions?api-version=…`, with the key in `api-key`.
    AzureDeployment,
}

/// The name of the limit on output tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenLimit {
    /// `max_tokens`.
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
}

/// One provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// The name in the config's `provider`.
    pub name: &'static str,
    /// The OpenAI-compatible endpoint; `None` if it differs from user to user.
    pub base_url: Option<&'static str>,
    /// Other hosts of the service to which its key may be sent by https, as to the host of `base_url`: hosts in other
    /// regions, or, with a leading dot, all hosts below one, for services where each user has another host.
    pub other_hosts: &'static [&'static str],
    /// The variable that holds the key; `None` if none is needed.
    pub key_variable: Option<&'static str>,
    /// A suitable model; `None` if it depends on what the user runs or has deployed.
    pub default_model: Option<&'static str>,
    /// How URLs are made.
    pub route: Route,
    /// The strictest structured output that it supports.
    pub structured: StructuredOutput,
    /// Whether `stream_options.include_usage` may be sent.
    pub streaming_usage: bool,
    /// The limit on output tokens that it takes.
    pub token_limit: TokenLimit,
}

impl Preset {
    /// Returns the preset with a name.
    pub fn find(name: &str) -> Option<&'static Preset> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// Whether requests can be sent without a key.
    pub fn is_keyless(&self) -> bool {
        self.key_variable.is_none()
    }
}

/// The values of most endpoints; each row below states where it differs.
const USUAL: Preset = Preset {
    name: "",
    base_url: None,
    other_hosts: &[],
    key_variable: None,
    default_model: None,
    route: Route::Standard,
    structured: StructuredOutput::JsonSchema,
    streaming_usage: true,
    token_limit: TokenLimit::MaxTokens,
};

/// All providers, in the order in which they are offered.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "openai",
        base_url: Some("https://api.openai.com/v1"),
        other_hosts: &["eu.api.openai.com", "us.api.openai.com"],
        key_variable: Some("OPENAI_API_KEY"),
        default_model: Some("gpt-6-luna"),
        token_limit: TokenLimit::MaxCompletionTokens,
        ..USUAL
    },
    Preset {
        name: "deepseek",
        base_url: Some("https://api.deepseek.com/v1"),
        key_variable: Some("DEEPSEEK_API_KEY"),
        default_model: Some("deepseek-flash"),
        structured: StructuredOutput::JsonObject,
        ..USUAL
    },
    Preset {
        name: "sambanova",
        base_url: Some("https://api.sambanova.ai/v1"),
        key_variable: Some("SAMBANOVA_API_KEY"),
        default_model: Some("DeepSeek-V3.1"),
        structured: StructuredOutput::JsonObject,
        ..USUAL
    },
    // The compatible endpoint silently ignores `response_format`, so the prompt has to carry the schema.
    Preset {
        name: "anthropic",
        base_url: Some("https://api.anthropic.com/v1"),
        key_variable: Some("ANTHROPIC_API_KEY"),
        default_model: Some("claude-sonnet-5"),
        structured: StructuredOutput::None,
        ..USUAL
    },
    Preset {
        name: "gemini",
        base_url: Some("https://generativelanguage.googleapis.com/v1beta/openai"),
        key_variable: Some("GEMINI_API_KEY"),
        default_model: Some("gemini-3.5-flash-lite"),
        ..USUAL
    },
    Preset {
        name: "xai",
        base_url: Some("https://api.x.ai/v1"),
        key_variable: Some("XAI_API_KEY"),
        default_model: Some("grok-4"),
        ..USUAL
    },
    Preset {
        name: "groq",
        base_url: Some("https://api.groq.com/openai/v1"),
        key_variable: Some("GROQ_API_KEY"),
        default_model: Some("llama-3.3-70b-versatile"),
        // Only some of its models take a schema; all take JSON.
        structured: StructuredOutput::JsonObject,
        token_limit: TokenLimit::MaxCompletionTokens,
        ..USUAL
    },
    Preset {
        name: "together",
        base_url: Some("https://api.together.xyz/v1"),
        key_variable: Some("TOGETHER_API_KEY"),
        default_model: Some("meta-llama/Llama-3.3-70B-Instruct-Turbo"),
        ..USUAL
    },
    Preset {
        name: "openrouter",
        base_url: Some("https://openrouter.ai/api/v1"),
        key_variable: Some("OPENROUTER_API_KEY"),
        default_model: Some("deepseek/deepseek-chat-v3.1"),
        ..USUAL
    },
    Preset {
        name: "mistral",
        base_url: Some("https://api.mistral.ai/v1"),
        key_variable: Some("MISTRAL_API_KEY"),
        default_model: Some("mistral-small-latest"),
        // It reports usage in the last event unasked, and refuses fields that it does not know.
        streaming_usage: false,
        ..USUAL
    },
    Preset {
        name: "siliconflow",
        base_url: Some("https://api.siliconflow.cn/v1"),
        other_hosts: &["api.siliconflow.com"],
        key_variable: Some("SILICONFLOW_API_KEY"),
        default_model: Some("deepseek-ai/DeepSeek-V3"),
        structured: StructuredOutput::JsonObject,
        ..USUAL
    },
    Preset {
        name: "dashscope",
        base_url: Some("https://dashscope.aliyuncs.com/compatible-mode/v1"),
        other_hosts: &["dashscope-intl.aliyuncs.com"],
        key_variable: Some("DASHSCOPE_API_KEY"),
        default_model: Some("qwen-plus"),
        structured: StructuredOutput::JsonObject,
        ..USUAL
    },
    Preset {
        name: "zhipu",
        base_url: Some("https://open.bigmodel.cn/api/paas/v4"),
        key_variable: Some("ZHIPUAI_API_KEY"),
        default_model: Some("glm-4-flash"),
        structured: StructuredOutput::JsonObject,
        streaming_usage: false,
        ..USUAL
    },
    Preset {
        name: "volcengine",
        base_url: Some("https://ark.cn-beijing.volces.com/api/v3"),
        key_variable: Some("ARK_API_KEY"),
        structured: StructuredOutput::JsonObject,
        ..USUAL
    },
    Preset {
        name: "novita",
        base_url: Some("https://api.novita.ai/openai/v1"),
        key_variable: Some("NOVITA_API_KEY"),
        default_model: Some("deepseek/deepseek-v3-0324"),
        structured: StructuredOutput::JsonObject,
        ..USUAL
    },
    Preset { name: "ollama", base_url: Some("http://localhost:11434/v1"), ..USUAL },
    Preset { name: "llamacpp", base_url: Some("http://localhost:8080/v1"), ..USUAL },
    Preset { name: "vllm", base_url: Some("http://localhost:8000/v1"), ..USUAL },
    Preset { name: "lmstudio", base_url: Some("http://localhost:1234/v1"), ..USUAL },
    Preset {
        name: "azure",
        other_hosts: &[
            ".openai.azure.com",
            ".openai.azure.us",
            ".openai.azure.cn",
            ".cognitiveservices.azure.com",
            ".services.ai.azure.com",
        ],
        key_variable: Some("AZURE_OPENAI_API_KEY"),
        route: Route::AzureDeployment,
        token_limit: TokenLimit::MaxCompletionTokens,
        ..USUAL
    },
    Preset { name: "custom", ..USUAL },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_can_be_used() {
        for preset in PRESETS {
            assert_eq!(Preset::find(preset.name), Some(preset), "names are unique");
            let base = preset.base_url.unwrap_or("https://x");
            assert!(!base.ends_with('/') && !base.contains("/chat"), "{}", preset.name);
            let local = base.starts_with("http://localhost:");
            assert!(local || base.starts_with("https://"), "{} must be encrypted", preset.name);
            let custom = preset.base_url.is_none();
            assert_eq!(preset.is_keyless(), local || preset.name == "custom", "{}", preset.name);
            assert!(!(local || custom) || preset.default_model.is_none(), "{}", preset.name);
        }
        assert_eq!(PRESETS.len(), 21);
        assert_eq!(Preset::find("nobody"), None);
    }
}
