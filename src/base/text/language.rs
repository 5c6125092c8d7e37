use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A detected language, by its ISO 639-3 code; `und` where it is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Language(pub Option<whatlang::Lang>);

impl Language {
    /// English.
    pub const ENGLISH: Language = Language(Some(whatlang::Lang::Eng));
    /// Not known.
    pub const UNKNOWN: Language = Language(None);

    /// ISO 639-3, or `und`.
    pub fn code(self) -> &'static str {
        self.0.map_or("und", |lang| lang.code())
    }

    /// The language of an ISO 639-3 code; [`Language::UNKNOWN`] for any other text.
    pub fn from_code(code: &str) -> Self {
        Language(whatlang::Lang::from_code(code))
    }

    /// Its English name, for prompts and tables.
    pub fn english_name(self) -> &'static str {
        self.0.map_or("unknown", |lang| lang.eng_name())
    }
}

impl Serialize for Language {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

impl<'de> Deserialize<'de> for Language {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Language::from_code(&String::deserialize(deserializer)?))
    }
}

/// How many characters are looked at: more does not change the answer, and detection is slow.
const SAMPLE_CHARS: usize = 600;

/// The language of `text`, from its first few hundred characters; unknown where it is too short or too mixed to tell.
pub fn detect_language(text: &str) -> Language {
    let end = text.char_indices().nth(SAMPLE_CHARS).map_or(text.len(), |(at, _)| at);
    Language(whatlang::detect(&text[..end]).filter(whatlang::Info::is_reliable).map(|info| info.lang()))
}
