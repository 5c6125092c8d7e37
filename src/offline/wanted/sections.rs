//! Which section of a report a question asks for by its kind, whatever else the section is called: the cause of something, or
//! what is done about it. Section names such as these are the same in every office.

use crate::base::text::{folded, is_cjk};
use crate::llm::purpose::EvidenceCard;
use crate::offline::prose::innermost;
use crate::offline::statements::Statement;
use crate::offline::terms::{has_word, words_of};

/// Words that ask for a reason.
const WHY: [&str; 22] = [
    "why",
    "cause",
    "caused",
    "causes",
    "reason",
    "warum",
    "wieso",
    "ursache",
    "pourquoi",
    "porqué",
    "causa",
    "motivo",
    "perché",
    "waarom",
    "oorzaak",
    "dlaczego",
    "cauza",
    "neden",
    "почему",
    "なぜ",
    "どうして",
    "原因",
];

/// Beginnings of labels and headings for one.
const CAUSES: [&str; 15] = [
    "cause",
    "root cause",
    "reason",
    "ursache",
    "grund",
    "raison",
    "causa",
    "motivo",
    "oorzaak",
    "reden",
    "przyczyn",
    "cauz",
    "причин",
    "原因",
    "理由",
];

/// Beginnings of words that ask for what is done about something.
const DOING: [&str; 46] = [
    "measure",
    "precaution",
    "remed",
    "corrective",
    "recommend",
    "prevent",
    "maßnahm",
    "vorkehrung",
    "empfohl",
    "empfehl",
    "verhinder",
    "mesure",
    "recommand",
    "préven",
    "medida",
    "recomend",
    "misure",
    "provvediment",
    "raccomand",
    "maatregel",
    "aanbev",
    "voorkom",
    "zalec",
    "zapobie",
    "działani",
    "măsuri",
    "önlem",
    "меры",
    "мерах",
    "рекоменд",
    "предотвра",
    "предприня",
    "措施",
    "改进",
    "整改",
    "対策",
    "再発",
    "防止",
    "措置",
    "改善",
    "대책",
    "조치",
    "μέτρα",
    "заходи",
    "opatřen",
    "intézked",
];

/// Clauses that ask for it.
const DONE: [&str; 14] = [
    "was done",
    "is being done",
    "been done",
    "wurde getan",
    "wurde unternommen",
    "qu'a-t-on fait",
    "qué se hizo",
    "qué se ha hecho",
    "è stato fatto",
    "foi feito",
    "wordt gedaan",
    "co zrobiono",
    "что сделали",
    "что сделано",
];

/// Beginnings of the words that headings for it have.
const MEASURES: [&str; 42] = [
    "measure",
    "action",
    "corrective",
    "preventive",
    "recommendation",
    "remed",
    "maßnahm",
    "vorkehrung",
    "empfehlung",
    "folgerung",
    "konsequenz",
    "mesure",
    "recommandation",
    "medida",
    "accion",
    "recomenda",
    "misure",
    "azioni",
    "provvediment",
    "raccomandazion",
    "ações",
    "maatregel",
    "acties",
    "aanbeveling",
    "zalecenia",
    "wnioski",
    "działania",
    "меры",
    "рекомендаци",
    "выводы",
    "措施",
    "整改",
    "改进",
    "対策",
    "再発防止",
    "処置",
    "措置",
    "改善",
    "대책",
    "조치",
    "önlem",
    "măsuri",
];

/// The most characters of an article before a label.
const ARTICLE: usize = 3;

/// The fewest bytes of a word that others may end with, as "hoofdoorzaak" does with one for a cause.
const COMPOUNDED: usize = 6;

/// The kinds of sections that a question asks for.
pub(super) struct Sections {
    cause: bool,
    measures: bool,
}

impl Sections {
    /// Those that `question`, folded, asks for.
    pub(super) fn of(question: &str) -> Self {
        Sections {
            cause: has_word(&question.replace("por qu", "porqu"), &WHY) || has_compound(question, &WHY),
            measures: begins(question, &DOING) || DONE.iter().any(|clause| question.contains(clause)),
        }
    }

    /// Whether a statement of a passage stands below the heading of one, or behind its label: "Cause: …", "The cause was …".
    pub(super) fn hold(&self, statement: &Statement, card: &EvidenceCard) -> bool {
        let heading = if statement.heading.is_empty() { innermost(&card.place) } else { statement.heading.as_str() };
        let label = statement.text.trim_start_matches(['【', '［', '[']);
        let (first, behind) = label.split_once(' ').unwrap_or((label, ""));
        let behind = if first.chars().count() <= ARTICLE { behind } else { "" };
        let is_cause = |text: &str| CAUSES.iter().any(|one| folded(text).starts_with(one));
        let tells_cause =
            || [label, behind, heading].into_iter().any(is_cause) || has_compound(&folded(heading), &CAUSES);
        let tells_measures = || [heading, statement.name()].into_iter().any(|text| begins(&folded(text), &MEASURES));
        self.cause && tells_cause() || self.measures && tells_measures()
    }
}

/// Whether a word of a text ends with one of the longer `words`.
fn has_compound(text: &str, words: &[&str]) -> bool {
    words_of(text).any(|word| words.iter().any(|one| one.len() >= COMPOUNDED && word.ends_with(one)))
}

/// Whether a word of a text begins with one of `beginnings`, or in a script without spaces the text has one anywhere.
fn begins(text: &str, beginnings: &[&str]) -> bool {
    let is_word = |one: &str| words_of(text).any(|word| word.starts_with(one));
    beginnings.iter().any(|one| if one.contains(is_cjk) { text.contains(one) } else { is_word(one) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::statements::statements;
    use crate::offline::testing::card;

    #[test]
    fn a_section_is_known_by_its_kind() {
        let check = |question: &str, text: &str, place: &str, expected: bool| {
            let passage = card(1, "Log", place, text);
            let sections = Sections::of(&folded(question));
            assert_eq!(sections.hold(&statements(&passage)[0], &passage), expected, "{question} {text}");
        };
        check("Why did it fail?", "Cause: a worn bearing", "", true);
        check("Why did it fail?", "The bearing was worn out.", "6 May › Root cause", true);
        check("Why did it fail?", "The bearing was worn out.", "6 May › Timeline", false);
        check("When did it fail?", "Cause: a worn bearing", "", false);
        check("なぜ止まりましたか", "【原因】軸受の摩耗。", "", true);
        check("¿Por qué falló?", "Causa: el rodamiento", "", true);
        check("Wat was de hoofdoorzaak?", "Het lager was versleten.", "Basisoorzaak", true);
        check("Co zalecono po awarii?", "Łożysko będzie wymieniane co rok.", "Wnioski i zalecenia", true);
        check("Что сделали после аварии?", "Подшипник меняют раз в год.", "Принятые меры", true);
        check("事故后采取了哪些改进办法?", "轴承每年更换。", "三、处理措施", true);
        check("Wann fiel es aus?", "Das Lager wird jährlich gewechselt.", "Maßnahmen", false);
    }
}
