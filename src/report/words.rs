//! The program's own words in a report, by language. Those of pages and documents are in `crate::form`.

use crate::base::text::{Language, thousands};
use crate::domain::StopReason;

/// The program's own words in a report, in one language.
#[derive(Debug, PartialEq, Eq)]
pub struct Words {
    /// Heading of the list of sources.
    pub sources: &'static str,
    /// Before a page's number.
    pub page: &'static str,
    /// Before the day on which a page of the web was fetched.
    pub accessed: &'static str,
    /// Before the day since which an earlier run knows what a source says.
    pub known_since: &'static str,
    /// Before the day after which documents were left out.
    pub as_of: &'static str,
    /// Counts passages that were left out for it.
    pub too_new: Noun,
    /// Heading of the account.
    pub account: &'static str,
    /// What was searched.
    pub searched: &'static str,
    /// Said of a heading on which nothing was found.
    pub not_found: &'static str,
    /// Before what was searched for in vain.
    pub searched_for: &'static str,
    /// Said of an answer that rests on what an earlier report was written from, and of one that does not.
    pub from_earlier: &'static str,
    /// See `from_earlier`.
    pub searched_again: &'static str,
    /// Counts documents.
    pub documents: Noun,
    /// Counts passages in the evidence.
    pub evidence: Noun,
    /// Counts passages that are cited.
    pub cited: Noun,
    /// Counts tokens of documents that the model was given.
    pub retrieved: &'static str,
    /// Before the strategy's name.
    pub strategy: &'static str,
    /// Before a round's number.
    pub round: &'static str,
    /// Counts passages that a round found.
    pub found: Noun,
    /// Counts those that were new.
    pub new: Noun,
    /// Where a sub-query went to every collection.
    pub everywhere: &'static str,
    /// Before the reason why the search ended.
    pub stopped: &'static str,
    /// The reasons, in the order of [`StopReason`].
    stop_reasons: [&'static str; 7],
    /// What was planned and not searched.
    pub skipped: &'static str,
    /// What was settled with its asker before the search.
    pub settled: &'static str,
    /// What could not be read.
    pub unread: &'static str,
    /// What else went wrong.
    pub warnings: &'static str,
    /// Before the bill.
    pub cost: &'static str,
    /// Counts calls.
    pub calls: Noun,
    /// Counts tokens in.
    pub tokens_in: &'static str,
    /// Counts tokens out.
    pub tokens_out: &'static str,
    /// Where token counts are estimates.
    pub estimated: &'static str,
    /// Before the models' names.
    pub models: &'static str,
    /// Said where the model does not reason.
    pub quotes_only: &'static str,
    /// Heading of a report that is only a list of evidence.
    pub evidence_only: &'static str,
    /// Where the rest of a report is missing.
    pub cut_short: &'static str,
    /// Before the totals of the documents, by what became of them.
    pub coverage: &'static str,
    /// What became of a document, in the order of [`Coverage`](crate::domain::Coverage)'s lists.
    pub standings: [&'static str; 5],
    /// Above the list of all documents.
    pub every_document: &'static str,
    /// After a number of documents that are not named.
    pub more: &'static str,
    /// Before what was asked and is not answered.
    pub unanswered: &'static str,
    /// At a source whose document is a copy of an earlier one's, the number of which is `{number}`.
    pub same_origin: &'static str,
    /// Heading of what was loaded after a report, before its day.
    pub loaded_since: &'static str,
    /// Heading of what an answer says otherwise than an earlier one, before the day of that.
    pub changed_since: &'static str,
    /// Above the sentences that are no longer so.
    pub no_longer: &'static str,
    /// Above the sentences that the earlier answer did not have.
    pub newly: &'static str,
    /// After a label.
    pub colon: &'static str,
}

/// What is counted, for one of it and for any other number.
#[derive(Debug, PartialEq, Eq)]
pub struct Noun {
    one: &'static str,
    many: &'static str,
}

impl Noun {
    const fn new(one: &'static str, many: &'static str) -> Self {
        Noun { one, many }
    }

    /// Of a word that does not change.
    const fn same(word: &'static str) -> Self {
        Noun { one: word, many: word }
    }

    /// The number, and what it counts.
    pub fn counted(&self, number: u64) -> String {
        format!("{} {}", thousands(number), if number == 1 { self.one } else { self.many })
    }
}

impl Words {
    /// Why the search ended.
    pub fn stop_reason(&self, reason: StopReason) -> &'static str {
        let index = match reason {
            StopReason::Enough => 0,
            StopReason::OneSearch => 1,
            StopReason::NoNewEvidence => 2,
            StopReason::RoundLimit => 3,
            StopReason::Budget => 4,
            StopReason::ModelFailed => 5,
            StopReason::Interrupted => 6,
        };
        self.stop_reasons[index]
    }
}

/// The words of every language.
pub(super) const ALL: [&Words; 7] = [&ENGLISH, &GERMAN, &FRENCH, &SPANISH, &ITALIAN, &JAPANESE, &CHINESE];

/// The words of a language; English where there are none.
pub fn words(language: Language) -> &'static Words {
    match language.code() {
        "deu" => &GERMAN,
        "fra" => &FRENCH,
        "spa" => &SPANISH,
        "ita" => &ITALIAN,
        "jpn" => &JAPANESE,
        "cmn" => &CHINESE,
        _ => &ENGLISH,
    }
}

/// Whether a heading's words say that the account of the research follows, in any language.
pub fn heads_account(heading: &str) -> bool {
    [&ENGLISH, &GERMAN, &FRENCH, &SPANISH, &ITALIAN, &JAPANESE, &CHINESE].iter().any(|words| words.account == heading)
}

static ENGLISH: Words = Words {
    sources: "Sources",
    page: "p.",
    accessed: "accessed",
    known_since: "known since",
    as_of: "As of",
    too_new: Noun::new("passage of later documents left out", "passages of later documents left out"),
    account: "How this was researched",
    searched: "Searched",
    not_found: "Not found in these documents.",
    searched_for: "Searched these documents for",
    from_earlier: "Answered from the evidence of the earlier report.",
    searched_again: "The earlier report's evidence was not enough, so the documents were searched again.",
    documents: Noun::new("document", "documents"),
    evidence: Noun::new("passage in the evidence", "passages in the evidence"),
    cited: Noun::same("cited"),
    retrieved: "tokens retrieved",
    strategy: "Strategy",
    round: "Round",
    found: Noun::new("passage found", "passages found"),
    new: Noun::same("new"),
    everywhere: "all collections",
    stopped: "Why the search ended",
    stop_reasons: [
        "the evidence was enough",
        "the strategy searches only once",
        "a round brought nothing new",
        "the limit on rounds was reached",
        "a limit on tokens, money, calls or time was reached",
        "the model failed; the report uses what had been found",
        "it was interrupted; the report uses what had been found",
    ],
    skipped: "Not searched any more",
    settled: "Settled before the search",
    unread: "Could not be read",
    warnings: "Warnings",
    cost: "Cost",
    calls: Noun::new("model call", "model calls"),
    tokens_in: "tokens in",
    tokens_out: "tokens out",
    estimated: "estimated",
    models: "Models",
    quotes_only: "This report quotes the documents and does not reason about them: no language model was used.",
    evidence_only: "What the documents say",
    cut_short: "The report could not be finished. This is the evidence that was found:",
    coverage: "Documents",
    standings: ["cited", "read and not used", "matched and not read", "did not match", "could not be read"],
    every_document: "What became of every document",
    more: "more",
    unanswered: "Not found",
    same_origin: "same origin as {number}",
    loaded_since: "Loaded since",
    changed_since: "Changed since",
    no_longer: "No longer so",
    newly: "New",
    colon: ": ",
};

static GERMAN: Words = Words {
    sources: "Quellen",
    page: "S.",
    accessed: "abgerufen am",
    known_since: "bekannt seit",
    as_of: "Stand",
    too_new: Noun::new("Stelle späterer Dokumente ausgelassen", "Stellen späterer Dokumente ausgelassen"),
    account: "Wie recherchiert wurde",
    searched: "Durchsucht",
    not_found: "In diesen Dokumenten nicht gefunden.",
    searched_for: "In diesen Dokumenten wurde gesucht nach",
    from_earlier: "Aus den Belegen des früheren Berichts beantwortet.",
    searched_again: "Die Belege des früheren Berichts reichten nicht; die Dokumente wurden erneut durchsucht.",
    documents: Noun::new("Dokument", "Dokumente"),
    evidence: Noun::new("Fundstelle insgesamt", "Fundstellen insgesamt"),
    cited: Noun::same("davon zitiert"),
    retrieved: "Token abgerufen",
    strategy: "Strategie",
    round: "Runde",
    found: Noun::new("Fundstelle", "Fundstellen"),
    new: Noun::same("neu"),
    everywhere: "alle Sammlungen",
    stopped: "Ende der Suche",
    stop_reasons: [
        "die Belege reichten aus",
        "diese Strategie sucht nur einmal",
        "eine Runde brachte nichts Neues",
        "die Höchstzahl an Runden war erreicht",
        "eine Grenze für Token, Geld, Aufrufe oder Zeit war erreicht",
        "das Modell versagte; der Bericht nutzt das bis dahin Gefundene",
        "es wurde abgebrochen; der Bericht nutzt das bis dahin Gefundene",
    ],
    skipped: "Nicht mehr gesucht",
    settled: "Vor der Suche geklärt",
    unread: "Nicht lesbar",
    warnings: "Warnungen",
    cost: "Aufwand",
    calls: Noun::new("Modellaufruf", "Modellaufrufe"),
    tokens_in: "Token hinein",
    tokens_out: "Token heraus",
    estimated: "geschätzt",
    models: "Modelle",
    quotes_only: "Dieser Bericht zitiert die Dokumente und zieht keine Schlüsse: Es wurde kein Sprachmodell benutzt.",
    evidence_only: "Was in den Dokumenten steht",
    cut_short: "Der Bericht konnte nicht beendet werden. Dies sind die gefundenen Belege:",
    coverage: "Dokumente",
    standings: ["zitiert", "gelesen und nicht verwendet", "gefunden und nicht gelesen", "ohne Treffer", "nicht lesbar"],
    every_document: "Was aus jedem Dokument wurde",
    more: "weitere",
    unanswered: "Nicht gefunden",
    same_origin: "gleicher Ursprung wie {number}",
    loaded_since: "Geladen seit",
    changed_since: "Geändert seit",
    no_longer: "Nicht mehr so",
    newly: "Neu",
    colon: ": ",
};

static FRENCH: Words = Words {
    sources: "Sources",
    page: "p.",
    accessed: "consulté le",
    known_since: "connu depuis le",
    as_of: "En date du",
    too_new: Noun::new("passage de documents postérieurs écarté", "passages de documents postérieurs écartés"),
    account: "Comment la recherche a été menée",
    searched: "Collections consultées",
    not_found: "Introuvable dans ces documents.",
    searched_for: "Recherché dans ces documents",
    from_earlier: "Réponse tirée des éléments du rapport précédent.",
    searched_again: "Les éléments du rapport précédent ne suffisaient pas ; les documents ont été consultés de nouveau.",
    documents: Noun::new("document", "documents"),
    evidence: Noun::new("passage retenu", "passages retenus"),
    cited: Noun::new("cité", "cités"),
    retrieved: "jetons consultés",
    strategy: "Stratégie",
    round: "Tour",
    found: Noun::new("passage trouvé", "passages trouvés"),
    new: Noun::new("nouveau", "nouveaux"),
    everywhere: "toutes les collections",
    stopped: "Fin de la recherche",
    stop_reasons: [
        "les éléments trouvés suffisaient",
        "cette stratégie ne cherche qu’une fois",
        "un tour n’a rien apporté de nouveau",
        "le nombre maximal de tours était atteint",
        "une limite de jetons, d’argent, d’appels ou de temps était atteinte",
        "le modèle a échoué ; le rapport utilise ce qui avait été trouvé",
        "elle a été interrompue ; le rapport utilise ce qui avait été trouvé",
    ],
    skipped: "N’ont plus été recherchées",
    settled: "Précisé avant la recherche",
    unread: "Illisibles",
    warnings: "Avertissements",
    cost: "Coût",
    calls: Noun::new("appel au modèle", "appels au modèle"),
    tokens_in: "jetons en entrée",
    tokens_out: "jetons en sortie",
    estimated: "estimation",
    models: "Modèles",
    quotes_only: "Ce rapport cite les documents sans raisonner : aucun modèle de langage n’a été utilisé.",
    evidence_only: "Ce que disent les documents",
    cut_short: "Le rapport n’a pas pu être achevé. Voici les passages trouvés :",
    coverage: "Documents",
    standings: ["cités", "lus et non utilisés", "trouvés et non lus", "sans résultat", "illisibles"],
    every_document: "Ce qu'il est advenu de chaque document",
    more: "autres",
    unanswered: "Non trouvé",
    same_origin: "même origine que {number}",
    loaded_since: "Chargé depuis le",
    changed_since: "Changements depuis le",
    no_longer: "Ce qui n’est plus dit",
    newly: "Nouveau",
    colon: " : ",
};

static SPANISH: Words = Words {
    sources: "Fuentes",
    page: "p.",
    accessed: "consultado el",
    known_since: "conocido desde el",
    as_of: "A fecha de",
    too_new: Noun::new("pasaje de documentos posteriores omitido", "pasajes de documentos posteriores omitidos"),
    account: "Cómo se investigó",
    searched: "Colecciones consultadas",
    not_found: "No se encuentra en estos documentos.",
    searched_for: "Buscado en estos documentos",
    from_earlier: "Respondido con las pruebas del informe anterior.",
    searched_again: "Las pruebas del informe anterior no bastaban; se buscó de nuevo en los documentos.",
    documents: Noun::new("documento", "documentos"),
    evidence: Noun::new("pasaje reunido", "pasajes reunidos"),
    cited: Noun::new("citado", "citados"),
    retrieved: "tokens consultados",
    strategy: "Estrategia",
    round: "Ronda",
    found: Noun::new("pasaje encontrado", "pasajes encontrados"),
    new: Noun::new("nuevo", "nuevos"),
    everywhere: "todas las colecciones",
    stopped: "Fin de la búsqueda",
    stop_reasons: [
        "las pruebas bastaban",
        "esta estrategia busca una sola vez",
        "una ronda no aportó nada nuevo",
        "se alcanzó el límite de rondas",
        "se alcanzó un límite de tokens, dinero, llamadas o tiempo",
        "el modelo falló; el informe usa lo encontrado hasta entonces",
        "se interrumpió; el informe usa lo encontrado hasta entonces",
    ],
    skipped: "No se llegó a buscar",
    settled: "Aclarado antes de la búsqueda",
    unread: "No se pudo leer",
    warnings: "Avisos",
    cost: "Coste",
    calls: Noun::new("llamada al modelo", "llamadas al modelo"),
    tokens_in: "tokens de entrada",
    tokens_out: "tokens de salida",
    estimated: "estimación",
    models: "Modelos",
    quotes_only: "Este informe cita los documentos y no razona sobre ellos: no se usó ningún modelo de lenguaje.",
    evidence_only: "Lo que dicen los documentos",
    cut_short: "El informe no pudo terminarse. Estos son los pasajes encontrados:",
    coverage: "Documentos",
    standings: ["citados", "leídos y no usados", "hallados y no leídos", "sin coincidencias", "ilegibles"],
    every_document: "Qué fue de cada documento",
    more: "más",
    unanswered: "No encontrado",
    same_origin: "mismo origen que {number}",
    loaded_since: "Cargado desde",
    changed_since: "Cambios desde",
    no_longer: "Ya no consta",
    newly: "Nuevo",
    colon: ": ",
};

static ITALIAN: Words = Words {
    sources: "Fonti",
    page: "p.",
    accessed: "consultato il",
    known_since: "noto dal",
    as_of: "Situazione al",
    too_new: Noun::new("passaggio di documenti successivi escluso", "passaggi di documenti successivi esclusi"),
    account: "Come è stata svolta la ricerca",
    searched: "Dove si è cercato",
    not_found: "Non trovato in questi documenti.",
    searched_for: "Cercato in questi documenti",
    from_earlier: "Risposta tratta dalle prove del rapporto precedente.",
    searched_again: "Le prove del rapporto precedente non bastavano; si è cercato di nuovo nei documenti.",
    documents: Noun::new("documento", "documenti"),
    evidence: Noun::new("passaggio raccolto", "passaggi raccolti"),
    cited: Noun::new("citato", "citati"),
    retrieved: "token letti",
    strategy: "Strategia",
    round: "Giro",
    found: Noun::new("passaggio trovato", "passaggi trovati"),
    new: Noun::new("nuovo", "nuovi"),
    everywhere: "tutte le raccolte",
    stopped: "Perché la ricerca è finita",
    stop_reasons: [
        "le prove erano sufficienti",
        "questa strategia cerca una sola volta",
        "un giro non ha portato nulla di nuovo",
        "è stato raggiunto il numero massimo di giri",
        "è stato raggiunto un limite di token, denaro, chiamate o tempo",
        "il modello non ha risposto; il rapporto usa quanto trovato fino ad allora",
        "è stata interrotta; il rapporto usa quanto trovato fino ad allora",
    ],
    skipped: "Non più cercato",
    settled: "Chiarito prima della ricerca",
    unread: "Non leggibile",
    warnings: "Avvisi",
    cost: "Costo",
    calls: Noun::new("chiamata al modello", "chiamate al modello"),
    tokens_in: "token in entrata",
    tokens_out: "token in uscita",
    estimated: "stima",
    models: "Modelli",
    quotes_only: "Questo rapporto cita i documenti e non ne trae conclusioni: non è stato usato alcun modello linguistico.",
    evidence_only: "Che cosa dicono i documenti",
    cut_short: "Il rapporto non è stato completato. Ecco le prove trovate:",
    coverage: "Documenti",
    standings: ["citati", "letti e non usati", "trovati e non letti", "senza riscontro", "illeggibili"],
    every_document: "Che cosa ne è stato di ogni documento",
    more: "altri",
    unanswered: "Non trovato",
    same_origin: "stessa origine di {number}",
    loaded_since: "Caricato dal",
    changed_since: "Cambiato dal",
    no_longer: "Non più così",
    newly: "Nuovo",
    colon: ": ",
};

static JAPANESE: Words = Words {
    sources: "出典",
    page: "p.",
    accessed: "閲覧日",
    known_since: "既知",
    as_of: "基準日",
    too_new: Noun::same("件の後日の文書の箇所を除外"),
    account: "調査の方法",
    searched: "検索した範囲",
    not_found: "これらの文書には見つかりませんでした。",
    searched_for: "これらの文書で検索した内容",
    from_earlier: "前の報告の根拠から答えました。",
    searched_again: "前の報告の根拠では足りないため、文書を改めて検索しました。",
    documents: Noun::same("件の文書"),
    evidence: Noun::same("件の箇所を収集"),
    cited: Noun::same("件を引用"),
    retrieved: "トークンを取得",
    strategy: "戦略",
    round: "ラウンド",
    found: Noun::same("件の箇所"),
    new: Noun::same("件が新規"),
    everywhere: "すべてのコレクション",
    stopped: "検索を終えた理由",
    stop_reasons: [
        "証拠が十分にそろった",
        "この戦略は一度だけ検索する",
        "新しい証拠が見つからなくなった",
        "ラウンド数の上限に達した",
        "トークン・費用・呼び出し・時間のいずれかの上限に達した",
        "モデルが失敗したため、それまでに見つかったもので作成した",
        "中断されたため、それまでに見つかったもので作成した",
    ],
    skipped: "検索しなかったもの",
    settled: "検索の前に確かめたこと",
    unread: "読めなかったもの",
    warnings: "警告",
    cost: "費用",
    calls: Noun::same("回のモデル呼び出し"),
    tokens_in: "入力トークン",
    tokens_out: "出力トークン",
    estimated: "推定値",
    models: "モデル",
    quotes_only: "この報告は文書を引用するだけで、推論はしていません（言語モデルは使われていません）。",
    evidence_only: "文書に書かれていること",
    cut_short: "報告を最後まで作成できませんでした。見つかった証拠は次のとおりです。",
    coverage: "文書",
    standings: ["引用", "読んだが不使用", "該当したが未読", "該当なし", "読めず"],
    every_document: "各文書の扱い",
    more: "件（名前は省略）",
    unanswered: "見つからなかったもの",
    same_origin: "{number}と同じ出所",
    loaded_since: "次の日以降に読み込まれた文書：",
    changed_since: "次の日以降の変更：",
    no_longer: "記載がなくなったこと",
    newly: "新たに記載されたこと",
    colon: "：",
};

static CHINESE: Words = Words {
    sources: "来源",
    page: "p.",
    accessed: "访问日期",
    known_since: "已知自",
    as_of: "截至",
    too_new: Noun::same("段较晚文档的内容未采用"),
    account: "研究过程",
    searched: "检索范围",
    not_found: "这些文档中没有找到。",
    searched_for: "在这些文档中检索了",
    from_earlier: "根据先前报告的依据回答。",
    searched_again: "先前报告的依据不足，因此重新检索了文档。",
    documents: Noun::same("篇文档"),
    evidence: Noun::same("段证据"),
    cited: Noun::same("段被引用"),
    retrieved: "令牌被检索",
    strategy: "策略",
    round: "轮次",
    found: Noun::same("段命中"),
    new: Noun::same("段为新"),
    everywhere: "全部文集",
    stopped: "停止检索的原因",
    stop_reasons: [
        "证据已经足够",
        "此策略只检索一次",
        "没有再找到新的证据",
        "达到轮数上限",
        "达到令牌、费用、调用次数或时间的上限",
        "模型出错，报告使用此前找到的内容",
        "已被中断，报告使用此前找到的内容",
    ],
    skipped: "未再检索",
    settled: "检索前已确认",
    unread: "无法读取",
    warnings: "警告",
    cost: "开销",
    calls: Noun::same("次模型调用"),
    tokens_in: "输入令牌",
    tokens_out: "输出令牌",
    estimated: "估算值",
    models: "模型",
    quotes_only: "本报告只引用文档，不作推理：没有使用语言模型。",
    evidence_only: "文档中的内容",
    cut_short: "报告未能写完。以下是找到的证据：",
    coverage: "文档",
    standings: ["已引用", "已读未用", "命中未读", "未命中", "无法读取"],
    every_document: "每篇文档的情况",
    more: "篇（未列名）",
    unanswered: "未找到",
    same_origin: "与{number}同源",
    loaded_since: "此日之后载入：",
    changed_since: "此日之后的变化：",
    no_longer: "不再成立",
    newly: "新内容",
    colon: "：",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_agree_with_their_numbers() {
        let check = |language: &str, number, expected: &str| {
            assert_eq!(words(Language::from_code(language)).calls.counted(number), expected);
        };
        check("eng", 0, "0 model calls");
        check("eng", 1, "1 model call");
        check("eng", 1200, "1,200 model calls");
        check("deu", 1, "1 Modellaufruf");
        check("cmn", 1, "1 次模型调用");
    }
}
