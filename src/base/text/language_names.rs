//! Languages as people write them: by a code of two or three letters, or by the English name.

use whatlang::Lang;

use super::{Language, alike};

/// ISO 639-1 codes of the languages that can be detected, and other codes in use for them.
const CODES: [(&str, Lang); 75] = [
    ("eo", Lang::Epo),
    ("en", Lang::Eng),
    ("ru", Lang::Rus),
    ("zh", Lang::Cmn),
    ("zho", Lang::Cmn),
    ("es", Lang::Spa),
    ("pt", Lang::Por),
    ("it", Lang::Ita),
    ("bn", Lang::Ben),
    ("fr", Lang::Fra),
    ("de", Lang::Deu),
    ("uk", Lang::Ukr),
    ("ka", Lang::Kat),
    ("ar", Lang::Ara),
    ("hi", Lang::Hin),
    ("ja", Lang::Jpn),
    ("he", Lang::Heb),
    ("yi", Lang::Yid),
    ("pl", Lang::Pol),
    ("am", Lang::Amh),
    ("jv", Lang::Jav),
    ("ko", Lang::Kor),
    ("nb", Lang::Nob),
    ("no", Lang::Nob),
    ("nor", Lang::Nob),
    ("da", Lang::Dan),
    ("sv", Lang::Swe),
    ("fi", Lang::Fin),
    ("tr", Lang::Tur),
    ("nl", Lang::Nld),
    ("hu", Lang::Hun),
    ("cs", Lang::Ces),
    ("el", Lang::Ell),
    ("bg", Lang::Bul),
    ("be", Lang::Bel),
    ("mr", Lang::Mar),
    ("kn", Lang::Kan),
    ("ro", Lang::Ron),
    ("sl", Lang::Slv),
    ("hr", Lang::Hrv),
    ("sr", Lang::Srp),
    ("mk", Lang::Mkd),
    ("lt", Lang::Lit),
    ("lv", Lang::Lav),
    ("et", Lang::Est),
    ("ta", Lang::Tam),
    ("vi", Lang::Vie),
    ("ur", Lang::Urd),
    ("th", Lang::Tha),
    ("gu", Lang::Guj),
    ("uz", Lang::Uzb),
    ("pa", Lang::Pan),
    ("az", Lang::Aze),
    ("id", Lang::Ind),
    ("te", Lang::Tel),
    ("fa", Lang::Pes),
    ("fas", Lang::Pes),
    ("ml", Lang::Mal),
    ("or", Lang::Ori),
    ("my", Lang::Mya),
    ("ne", Lang::Nep),
    ("si", Lang::Sin),
    ("km", Lang::Khm),
    ("tk", Lang::Tuk),
    ("ak", Lang::Aka),
    ("zu", Lang::Zul),
    ("sn", Lang::Sna),
    ("af", Lang::Afr),
    ("la", Lang::Lat),
    ("sk", Lang::Slk),
    ("ca", Lang::Cat),
    ("tl", Lang::Tgl),
    ("fil", Lang::Tgl),
    ("hy", Lang::Hye),
    ("cy", Lang::Cym),
];

/// The code or name of a language that is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown language `{asked}`; use a code or a name, as in en, eng or English{}", near(nearest))]
pub struct UnknownLanguage {
    /// The text as written.
    pub asked: String,
    /// Names that are spelled similarly.
    pub nearest: Vec<String>,
}

fn near(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("; near are {}", names.join(", ")) }
}

/// The shortest code of a language.
pub(super) fn tag(lang: Lang) -> &'static str {
    let short = CODES.iter().find(|(code, known)| *known == lang && code.len() == 2);
    short.map_or(lang.code(), |(code, _)| code)
}

/// Parses a code, an English name or the language's own name, in any case; `und` is the unknown language.
pub(super) fn parse(text: &str) -> Result<Language, UnknownLanguage> {
    let asked = text.trim().to_lowercase();
    if asked == "und" || asked == "unknown" {
        return Ok(Language::UNKNOWN);
    }
    let by_code = || CODES.iter().find(|(code, _)| *code == asked).map(|&(_, lang)| lang);
    let is_named = |lang: &Lang| [lang.eng_name(), lang.name()].iter().any(|name| name.to_lowercase() == asked);
    let by_name = || Lang::all().iter().copied().find(is_named);
    let alias = || (asked == "chinese").then_some(Lang::Cmn);
    match Lang::from_code(asked.as_str()).or_else(by_code).or_else(by_name).or_else(alias) {
        Some(lang) => Ok(Language(Some(lang))),
        None => Err(UnknownLanguage { nearest: nearest(&asked), asked: text.trim().to_owned() }),
    }
}

/// English names of which `asked` may be a misspelling.
fn nearest(asked: &str) -> Vec<String> {
    alike(asked, Lang::all().iter().map(|lang| lang.eng_name())).into_iter().take(3).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_a_short_tag() {
        for lang in Lang::all() {
            assert_eq!(parse(tag(*lang)), Ok(Language(Some(*lang))), "{lang}");
        }
        let check = |lang, expected: &str| assert_eq!(tag(lang), expected);
        check(Lang::Cmn, "zh");
        check(Lang::Ell, "el");
        check(Lang::Nob, "nb");
    }

    #[test]
    fn codes_and_names_are_known() {
        fn check(text: &str, expected: Option<&str>) {
            assert_eq!(parse(text).ok().map(Language::code), expected, "{text}");
        }
        check("en", Some("eng"));
        check("ENG", Some("eng"));
        check(" german ", Some("deu"));
        check("ja", Some("jpn"));
        check("zh", Some("cmn"));
        check("Chinese", Some("cmn"));
        check("Deutsch", Some("deu"));
        check("français", Some("fra"));
        check("Español", Some("spa"));
        check("日本語", Some("jpn"));
        check("und", Some("und"));
        check("", None);
        check("e", None);
        check("klingon", None);
    }

    #[test]
    fn a_slip_is_answered_with_what_was_meant() {
        let error = parse("Germen").unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown language `Germen`; use a code or a name, as in en, eng or English; near are German"
        );
    }

    #[test]
    fn every_language_has_a_short_code_and_none_has_two_meanings() {
        for lang in Lang::all() {
            assert!(CODES.iter().any(|(code, known)| known == lang && code.len() == 2), "{}", lang.code());
        }
        for (at, (code, _)) in CODES.iter().enumerate() {
            assert!(CODES[at + 1..].iter().all(|(other, _)| other != code), "{code}");
            assert!(Lang::from_code(*code).is_none(), "{code}");
        }
    }
}
