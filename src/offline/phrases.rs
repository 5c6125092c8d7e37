//! The few words of a report that are not quoted, by language.

use crate::base::text::Language;

/// Fixed phrases. None holds a number or a name, so that none needs a citation. `{title}` stands for the source.
pub(super) struct Phrases {
    /// Attributions, used in turn.
    pub attributions: [&'static str; 3],
    /// Heading of what fits no other section.
    pub further: &'static str,
    /// Heading over a report that has no other sections.
    pub findings: &'static str,
    /// Heading of the disagreements.
    pub disagreement: &'static str,
    /// Opens the disagreements.
    pub disagreement_intro: &'static str,
    /// Between two figures that differ.
    pub against: &'static str,
    /// Before the date of the newer of two sources.
    pub newer: &'static str,
    /// Closes every report.
    pub closing: &'static str,
    /// When the search ended early; `{reason}` says why.
    pub incomplete: &'static str,
    /// When the documents are in another language than the question.
    pub foreign: &'static str,
    /// When there is nothing to quote.
    pub nothing: &'static str,
}

const ENGLISH: Phrases = Phrases {
    attributions: ["{title}: ", "According to {title}: ", "In {title}: "],
    further: "Further findings",
    findings: "What the sources say",
    disagreement: "Where the sources disagree",
    disagreement_intro: "These passages speak of the same thing and give different figures or dates. Which of them is \
                         right cannot be told from their words alone.",
    against: "against",
    newer: "the newer,",
    closing: "This report quotes its sources and orders what they say; it does not reason about them. Read the \
              passages in their context before relying on them.",
    incomplete: "The search ended early, so the report may miss what further searches would have found: {reason}",
    foreign: "The documents are in another language than the question; they are quoted as they stand.",
    nothing: "The searched documents hold no passage that speaks to this question, so there is nothing to quote. \
              Other words, or other documents, may help.",
};

const GERMAN: Phrases = Phrases {
    attributions: ["{title}: ", "Laut {title}: ", "In {title}: "],
    further: "Weitere Fundstellen",
    findings: "Was die Quellen sagen",
    disagreement: "Wo die Quellen einander widersprechen",
    disagreement_intro: "Diese Stellen sprechen von derselben Sache und nennen verschiedene Zahlen oder Daten. Welche \
                         stimmt, lässt sich aus ihren Worten allein nicht entscheiden.",
    against: "gegenüber",
    newer: "die neuere,",
    closing: "Dieser Bericht zitiert seine Quellen und ordnet, was sie sagen; er zieht keine Schlüsse. Vor der \
              Verwendung sollten die Stellen im Zusammenhang gelesen werden.",
    incomplete: "Die Suche endete vorzeitig; weitere Suchen hätten womöglich mehr gefunden: {reason}",
    foreign: "Die Dokumente sind in einer anderen Sprache als die Frage; sie werden unübersetzt zitiert.",
    nothing: "Die durchsuchten Dokumente enthalten keine Stelle zu dieser Frage; es gibt nichts zu zitieren. Andere \
              Wörter oder andere Dokumente könnten helfen.",
};

const FRENCH: Phrases = Phrases {
    attributions: ["{title} : ", "Selon {title} : ", "Dans {title} : "],
    further: "Autres passages",
    findings: "Ce que disent les sources",
    disagreement: "Là où les sources divergent",
    disagreement_intro: "Ces passages parlent de la même chose et donnent des chiffres ou des dates différents. Leurs \
                         mots seuls ne permettent pas de dire lequel est exact.",
    against: "contre",
    newer: "la plus récente,",
    closing: "Ce rapport cite ses sources et ordonne ce qu'elles disent ; il ne raisonne pas. Il convient de lire les \
              passages dans leur contexte avant de s'y fier.",
    incomplete: "La recherche s'est arrêtée avant la fin ; d'autres recherches auraient pu trouver davantage : {reason}",
    foreign: "Les documents sont dans une autre langue que la question ; ils sont cités tels quels.",
    nothing: "Les documents consultés ne contiennent aucun passage sur cette question ; il n'y a rien à citer. \
              D'autres mots ou d'autres documents pourraient aider.",
};

const SPANISH: Phrases = Phrases {
    attributions: ["{title}: ", "Según {title}: ", "En {title}: "],
    further: "Otros pasajes",
    findings: "Lo que dicen las fuentes",
    disagreement: "Donde las fuentes discrepan",
    disagreement_intro: "Estos pasajes hablan de lo mismo y dan cifras o fechas distintas. Sus palabras por sí solas \
                         no permiten decir cuál es correcta.",
    against: "frente a",
    newer: "la más reciente,",
    closing: "Este informe cita sus fuentes y ordena lo que dicen; no razona sobre ellas. Conviene leer los pasajes en \
              su contexto antes de confiar en ellos.",
    incomplete: "La búsqueda terminó antes de tiempo; otras búsquedas podrían haber encontrado más: {reason}",
    foreign: "Los documentos están en otro idioma que la pregunta; se citan tal como están.",
    nothing: "Los documentos consultados no contienen ningún pasaje sobre esta pregunta; no hay nada que citar. Otras \
              palabras u otros documentos pueden ayudar.",
};

const JAPANESE: Phrases = Phrases {
    attributions: ["{title}：", "{title}によると：", "{title}には："],
    further: "その他の記述",
    findings: "資料の記述",
    disagreement: "資料の食い違い",
    disagreement_intro: "次の記述は同じ事柄について異なる数値や日付を挙げている。どちらが正しいかは、記述だけからは判断できない。",
    against: "対",
    newer: "新しい方、",
    closing: "この報告は資料を引用して並べたものであり、推論は行っていない。利用の前に前後の文脈を確認されたい。",
    incomplete: "検索は途中で終了したため、見落としがあるかもしれない。理由：{reason}",
    foreign: "資料は質問とは別の言語で書かれているため、原文のまま引用する。",
    nothing: "検索した文書には、この質問に関する記述が見つからなかった。別の言葉や別の文書を試されたい。",
};

const CHINESE: Phrases = Phrases {
    attributions: ["{title}：", "据{title}：", "{title}中："],
    further: "其他内容",
    findings: "资料所述",
    disagreement: "资料不一致之处",
    disagreement_intro: "以下段落谈的是同一件事，却给出不同的数字或日期。仅凭文字无法判断孰是孰非。",
    against: "对",
    newer: "较新，",
    closing: "本报告只引用并整理资料原文，不作推理。使用前请核对上下文。",
    incomplete: "检索提前结束，可能有遗漏。原因：{reason}",
    foreign: "资料与问题使用的语言不同，以下按原文引用。",
    nothing: "所检索的文档中没有与此问题相关的内容，因此无可引用。可以换用其他词语或其他文档。",
};

/// The phrases of `language`, English where it has no table.
pub(super) fn of(language: Language) -> &'static Phrases {
    match language.code() {
        "deu" => &GERMAN,
        "fra" => &FRENCH,
        "spa" => &SPANISH,
        "jpn" => &JAPANESE,
        "cmn" => &CHINESE,
        _ => &ENGLISH,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_need_no_citation_and_keep_their_places() {
        for code in ["eng", "deu", "fra", "spa", "jpn", "cmn"] {
            let phrases = of(Language::from_code(code));
            assert!(phrases.attributions.iter().all(|phrase| phrase.contains("{title}")), "{code}");
            assert!(phrases.incomplete.contains("{reason}"), "{code}");
            for phrase in [phrases.closing, phrases.nothing, phrases.disagreement_intro] {
                assert!(!phrase.chars().any(char::is_numeric), "{code}: {phrase}");
            }
        }
    }

    #[test]
    fn other_languages_fall_back_to_english() {
        assert_eq!(of(Language::from_code("ita")).further, ENGLISH.further);
        assert_eq!(of(Language::UNKNOWN).further, ENGLISH.further);
    }
}
