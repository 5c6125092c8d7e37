//! The few words of a report that are not quoted, by language.

use crate::base::text::Language;

/// Fixed phrases. None holds a number or a name, so that none needs a citation.
pub(super) struct Phrases {
    /// Heading of what fits no other section.
    pub further: &'static str,
    /// Heading of the disagreements.
    pub disagreement: &'static str,
    /// Opens the disagreements.
    pub disagreement_intro: &'static str,
    /// Between two figures that differ.
    pub against: &'static str,
    /// Before the date of the newer of two sources.
    pub newer: &'static str,
    /// Heading of answers that differ from the first.
    pub different: &'static str,
    /// Heading of what others of the name that is asked about have.
    pub namesakes: &'static str,
    /// Before an answer that may be none.
    pub probably: &'static str,
    /// When the search ended early; `{reason}` says why.
    pub incomplete: &'static str,
    /// When the documents are in another language than the question.
    pub foreign: &'static str,
    /// When nothing answers the question.
    pub nothing: &'static str,
    /// Before what was searched for in vain. It names the documents, so that none of it passes for a claim.
    pub searched: &'static str,
    /// Before the old wording of what a newer version of a document says otherwise.
    pub before: &'static str,
    /// Before what only the newer version says.
    pub added: &'static str,
    /// Before what only the older version says.
    pub dropped: &'static str,
    /// Said where the documents have too little for the length that was asked for.
    pub shorter: &'static str,
    /// Heading of the passage that comes nearest to an answer.
    pub nearest: &'static str,
    /// Before what is nearest to the question, where nobody has read whether it answers.
    pub closest: &'static str,
}

const ENGLISH: Phrases = Phrases {
    further: "Other passages",
    disagreement: "Where the sources disagree",
    disagreement_intro: "These passages speak of the same thing and do not say the same of it. Which of them is right \
                         cannot be told from their words alone.",
    against: "against",
    newer: "the newer,",
    different: "Other documents say otherwise",
    namesakes: "Others of that name",
    probably: "Probably:",
    incomplete: "The search ended early, so the report may miss what further searches would have found: {reason}",
    foreign: "The documents are in another language than the question; they are quoted as they stand.",
    nothing: "Not found in these documents.",
    searched: "Searched the documents for:",
    before: "Before:",
    added: "New:",
    dropped: "No longer there:",
    shorter: "These documents say no more on this, so the report is shorter than was asked for.",
    nearest: "Nearest passage",
    closest: "Nearest to the question; whether it is an answer was not checked:",
};

const GERMAN: Phrases = Phrases {
    further: "Weitere Fundstellen",
    disagreement: "Wo die Quellen einander widersprechen",
    disagreement_intro: "Diese Stellen sprechen von derselben Sache und sagen Verschiedenes über sie. Welche stimmt, \
                         lässt sich aus ihren Worten allein nicht entscheiden.",
    against: "gegenüber",
    newer: "die neuere,",
    different: "Andere Dokumente sagen etwas anderes",
    namesakes: "Andere dieses Namens",
    probably: "Vermutlich:",
    incomplete: "Die Suche endete vorzeitig; weitere Suchen hätten womöglich mehr gefunden: {reason}",
    foreign: "Die Dokumente sind in einer anderen Sprache als die Frage; sie werden unübersetzt zitiert.",
    nothing: "In diesen Dokumenten nicht gefunden.",
    searched: "In den Dokumenten wurde gesucht nach:",
    before: "Vorher:",
    added: "Neu:",
    dropped: "Entfallen:",
    shorter: "Diese Dokumente sagen dazu nicht mehr; der Bericht ist darum kürzer als gewünscht.",
    nearest: "Nächstliegende Stelle",
    closest: "Der Frage am nächsten; ob es sie beantwortet, ist nicht geprüft:",
};

const FRENCH: Phrases = Phrases {
    further: "Autres passages",
    disagreement: "Là où les sources divergent",
    disagreement_intro: "Ces passages parlent de la même chose et n'en disent pas la même chose. Leurs mots \
                         seuls ne permettent pas de dire lequel est exact.",
    against: "contre",
    newer: "la plus récente,",
    different: "D'autres documents disent autre chose",
    namesakes: "D'autres du même nom",
    probably: "Probablement :",
    incomplete: "La recherche s'est arrêtée avant la fin ; d'autres recherches auraient pu trouver davantage : {reason}",
    foreign: "Les documents sont dans une autre langue que la question ; ils sont cités tels quels.",
    nothing: "Introuvable dans ces documents.",
    searched: "Recherché dans les documents :",
    before: "Avant :",
    added: "Nouveau :",
    dropped: "Supprimé :",
    shorter: "Ces documents n'en disent pas davantage ; le rapport est donc plus court que demandé.",
    nearest: "Passage le plus proche",
    closest: "Au plus près de la question, sans vérifier s'il s'agit d'une réponse :",
};

const SPANISH: Phrases = Phrases {
    further: "Otros pasajes",
    disagreement: "Donde las fuentes discrepan",
    disagreement_intro: "Estos pasajes hablan de lo mismo y no dicen lo mismo. Sus palabras por sí solas no \
                         permiten decir cuál es correcta.",
    against: "frente a",
    newer: "la más reciente,",
    different: "Otros documentos dicen otra cosa",
    namesakes: "Otros del mismo nombre",
    probably: "Probablemente:",
    incomplete: "La búsqueda terminó antes de tiempo; otras búsquedas podrían haber encontrado más: {reason}",
    foreign: "Los documentos están en otro idioma que la pregunta; se citan tal como están.",
    nothing: "No se encuentra en estos documentos.",
    searched: "Buscado en los documentos:",
    before: "Antes:",
    added: "Nuevo:",
    dropped: "Eliminado:",
    shorter: "Estos documentos no dicen más sobre esto, por lo que el informe es más corto de lo pedido.",
    nearest: "Pasaje más cercano",
    closest: "Lo más cercano a la pregunta, sin comprobar si la responde:",
};

const ITALIAN: Phrases = Phrases {
    further: "Altri passaggi",
    disagreement: "Dove le fonti non concordano",
    disagreement_intro: "Questi passaggi parlano della stessa cosa e non dicono lo stesso. Le loro parole da sole non \
                         permettono di dire quale sia esatta.",
    against: "contro",
    newer: "la più recente,",
    different: "Altri documenti dicono altro",
    namesakes: "Altri con lo stesso nome",
    probably: "Probabilmente:",
    incomplete: "La ricerca si è interrotta prima della fine; altre ricerche avrebbero potuto trovare di più: {reason}",
    foreign: "I documenti sono in una lingua diversa da quella della domanda; sono citati così come sono.",
    nothing: "Non trovato in questi documenti.",
    searched: "Cercato nei documenti:",
    before: "Prima:",
    added: "Nuovo:",
    dropped: "Eliminato:",
    shorter: "Questi documenti non dicono altro su questo; perciò il rapporto è più breve di quanto richiesto.",
    nearest: "Passaggio più vicino",
    closest: "Più vicino alla domanda, senza verificare se vi risponde:",
};

const JAPANESE: Phrases = Phrases {
    further: "その他の記述",
    disagreement: "資料の食い違い",
    disagreement_intro: "次の記述は同じ事柄について異なることを述べています。どちらが正しいかは、記述だけからは判断できません。",
    against: "対",
    newer: "新しい方、",
    different: "異なる記述のある文書",
    namesakes: "同名の別のもの",
    probably: "おそらく：",
    incomplete: "検索は途中で終了したため、見落としがあるかもしれません。理由：{reason}",
    foreign: "資料は質問とは別の言語で書かれているため、原文のまま引用します。",
    nothing: "これらの文書には見つかりませんでした。",
    searched: "文書で検索した語句：",
    before: "変更前：",
    added: "追加：",
    dropped: "削除：",
    shorter: "これらの文書にはこれ以上の記述がないため、報告は求められた長さより短くなっています。",
    nearest: "最も近い記述",
    closest: "質問に最も近い記述（答えかどうかは未確認）：",
};

const CHINESE: Phrases = Phrases {
    further: "其他内容",
    disagreement: "资料不一致之处",
    disagreement_intro: "以下段落谈的是同一件事，说法却不一致。仅凭文字无法判断孰是孰非。",
    against: "对",
    newer: "较新，",
    different: "其他文档的说法不同",
    namesakes: "同名的其他",
    probably: "可能：",
    incomplete: "检索提前结束，可能有遗漏。原因：{reason}",
    foreign: "资料与问题使用的语言不同，以下按原文引用。",
    nothing: "这些文档中未找到答案。",
    searched: "在资料中检索了：",
    before: "此前：",
    added: "新增：",
    dropped: "删除：",
    shorter: "这些文档没有更多相关内容，因此报告比要求的短。",
    nearest: "最接近的内容",
    closest: "与问题最接近的内容（是否为答案未经核实）：",
};

const PORTUGUESE: Phrases = Phrases {
    further: "Outras passagens",
    disagreement: "Onde as fontes divergem",
    disagreement_intro: "Estas passagens falam da mesma coisa e não dizem o mesmo. Só pelas suas palavras não se pode \
                         saber qual está certa.",
    against: "contra",
    newer: "a mais recente,",
    different: "Outros documentos dizem outra coisa",
    namesakes: "Outros com o mesmo nome",
    probably: "Provavelmente:",
    incomplete: "A pesquisa terminou antes do fim; outras pesquisas poderiam ter encontrado mais: {reason}",
    foreign: "Os documentos estão noutra língua que não a da pergunta; são citados tal como estão.",
    nothing: "Não encontrado nestes documentos.",
    searched: "Procurado nos documentos:",
    before: "Antes:",
    added: "Novo:",
    dropped: "Já não consta:",
    shorter: "Estes documentos não dizem mais sobre isto, por isso o relatório é mais curto do que o pedido.",
    nearest: "Passagem mais próxima",
    closest: "O mais próximo da pergunta, sem verificar se lhe responde:",
};

const DUTCH: Phrases = Phrases {
    further: "Andere passages",
    disagreement: "Waar de bronnen elkaar tegenspreken",
    disagreement_intro: "Deze passages gaan over hetzelfde en zeggen er niet hetzelfde over. Welke klopt, is aan hun \
                         woorden alleen niet te zien.",
    against: "tegenover",
    newer: "de nieuwere,",
    different: "Andere documenten zeggen iets anders",
    namesakes: "Andere met die naam",
    probably: "Waarschijnlijk:",
    incomplete: "Het zoeken eindigde voortijdig; verder zoeken had misschien meer opgeleverd: {reason}",
    foreign: "De documenten zijn in een andere taal dan de vraag; ze worden onvertaald geciteerd.",
    nothing: "Niet gevonden in deze documenten.",
    searched: "In de documenten is gezocht naar:",
    before: "Voorheen:",
    added: "Nieuw:",
    dropped: "Vervallen:",
    shorter: "Deze documenten zeggen hier niet meer over, dus het rapport is korter dan gevraagd.",
    nearest: "Dichtstbijzijnde passage",
    closest: "Het dichtst bij de vraag; of het die beantwoordt, is niet nagegaan:",
};

const TURKISH: Phrases = Phrases {
    further: "Diğer bölümler",
    disagreement: "Kaynakların ayrıştığı yerler",
    disagreement_intro: "Bu bölümler aynı şeyden söz ediyor ve aynı şeyi söylemiyor. Hangisinin doğru olduğu yalnızca \
                         sözlerinden anlaşılamaz.",
    against: "karşısında",
    newer: "daha yenisi,",
    different: "Başka belgeler başka şey söylüyor",
    namesakes: "Aynı adı taşıyan başkaları",
    probably: "Büyük olasılıkla:",
    incomplete: "Arama erken bitti; sonraki aramalar daha fazlasını bulabilirdi: {reason}",
    foreign: "Belgeler sorudan başka bir dilde; oldukları gibi alıntılanıyorlar.",
    nothing: "Bu belgelerde bulunamadı.",
    searched: "Belgelerde aranan:",
    before: "Önce:",
    added: "Yeni:",
    dropped: "Artık yok:",
    shorter: "Bu belgeler bu konuda daha fazlasını söylemiyor; bu yüzden rapor istenenden kısa.",
    nearest: "En yakın bölüm",
    closest: "Soruya en yakın olanlar (yanıtlayıp yanıtlamadığı denetlenmedi):",
};

const KOREAN: Phrases = Phrases {
    further: "그 밖의 대목",
    disagreement: "출처가 서로 다른 곳",
    disagreement_intro: "이 대목들은 같은 것을 두고 서로 다르게 말합니다. 어느 쪽이 맞는지는 그 말만으로는 알 수 없습니다.",
    against: "대",
    newer: "더 새로운 것,",
    different: "다르게 말하는 문서",
    namesakes: "같은 이름의 다른 것",
    probably: "아마도:",
    incomplete: "검색이 일찍 끝나서 더 검색했다면 더 찾았을 수 있습니다: {reason}",
    foreign: "문서가 질문과 다른 언어로 되어 있어 그대로 인용합니다.",
    nothing: "이 문서들에서 찾지 못했습니다.",
    searched: "문서에서 검색한 내용:",
    before: "이전:",
    added: "추가:",
    dropped: "삭제:",
    shorter: "이 문서들에는 이에 관한 내용이 더 없어 보고서가 요청보다 짧습니다.",
    nearest: "가장 가까운 대목",
    closest: "질문에 가장 가까운 대목(답인지는 확인하지 않음):",
};

/// The phrases of every language.
const ALL: [&Phrases; 11] =
    [&ENGLISH, &GERMAN, &FRENCH, &SPANISH, &ITALIAN, &PORTUGUESE, &DUTCH, &TURKISH, &JAPANESE, &CHINESE, &KOREAN];

/// `text` without the words with which a report introduces what it quotes, as in "Probably:".
pub fn without_introduction(text: &str) -> &str {
    let text = text.trim_start_matches(['-', ' ']);
    ALL.into_iter()
        .flat_map(|phrases| [phrases.probably, phrases.closest, phrases.before, phrases.added, phrases.dropped])
        .find_map(|own| text.strip_prefix(own))
        .unwrap_or(text)
}

/// The phrases of `language`, English where it has no table.
pub(super) fn of(language: Language) -> &'static Phrases {
    match language.code() {
        "deu" => &GERMAN,
        "fra" => &FRENCH,
        "spa" => &SPANISH,
        "ita" => &ITALIAN,
        "jpn" => &JAPANESE,
        "cmn" => &CHINESE,
        "por" => &PORTUGUESE,
        "nld" => &DUTCH,
        "tur" => &TURKISH,
        "kor" => &KOREAN,
        _ => &ENGLISH,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_need_no_citation_and_keep_their_places() {
        for code in ["eng", "deu", "fra", "spa", "ita", "jpn", "cmn"] {
            let phrases = of(Language::from_code(code));
            assert!(phrases.incomplete.contains("{reason}"), "{code}");
            for phrase in [phrases.nothing, phrases.searched, phrases.disagreement_intro] {
                assert!(!phrase.chars().any(char::is_numeric), "{code}: {phrase}");
            }
        }
    }

    #[test]
    fn what_introduces_a_statement_is_known() {
        let check = |text: &str, expected: &str| assert_eq!(without_introduction(text).trim(), expected);
        check("Probably: it rains.", "it rains.");
        check("- 変更前：雨。", "雨。");
        check("Weather: rain.", "Weather: rain.");
    }

    #[test]
    fn other_languages_fall_back_to_english() {
        assert_eq!(of(Language::from_code("swe")).further, ENGLISH.further);
        assert_eq!(of(Language::UNKNOWN).further, ENGLISH.further);
    }
}
