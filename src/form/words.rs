//! The words of a report's forms that are not the report's own, by language, and how places are told in them.

use super::model::Evidence;
use crate::base::text::{Language, one_line};
use crate::report::words;

/// Fixed words. `{n}` and `{m}` stand for numbers.
#[derive(Debug)]
pub(super) struct FormWords {
    /// Of the headings.
    pub contents: &'static str,
    /// Heads the cited documents in a style.
    pub references: &'static str,
    /// Before the question.
    pub question: &'static str,
    /// A citation's words beside the text.
    pub passage: &'static str,
    /// Of a file.
    pub line: &'static str,
    /// Leads back to the sentence.
    pub back: &'static str,
    /// Before the places that cite a source.
    pub cited_in: &'static str,
    /// Of a sentence that rests on one document.
    pub one_source: &'static str,
    /// `{n}` of `{m}` sentences do.
    pub one_source_count: &'static str,
    /// All `{n}` of them do.
    pub all_one_source: &'static str,
    /// Of a sentence that should cite something.
    pub uncited: &'static str,
    /// Heads the drawings.
    pub overview: &'static str,
    /// What was found and is cited.
    pub coverage: &'static str,
    /// `{n}` of `{m}` passages.
    pub passages: &'static str,
    /// `{n}` of `{m}` documents.
    pub documents: &'static str,
    /// The documents by their days.
    pub timeline: &'static str,
    /// The searches.
    pub tree: &'static str,
    /// Opens what a drawing shows as a list.
    pub as_list: &'static str,
    /// Heads the figures of a disagreement, the days, and what the sources say.
    pub against: [&'static str; 3],
    /// Said before the page has checked itself.
    pub unchecked: &'static str,
    /// All `{n}` parts are as they were written.
    pub intact: &'static str,
    /// Before what is not.
    pub altered: &'static str,
    /// Where the browser has no hashes.
    pub uncheckable: &'static str,
    /// The kinds of parts: sentence, passage, source, heading, drawing, text, the report kept in the page, and the page.
    pub parts: [&'static str; 8],
    /// Before the choice of a source.
    pub filter: &'static str,
    /// The choice of all.
    pub all: &'static str,
}

/// The words of a language; English where there are none.
pub(super) fn form_words(language: Language) -> &'static FormWords {
    match language.code() {
        "deu" => &GERMAN,
        "fra" => &FRENCH,
        "spa" => &SPANISH,
        "ita" => &ITALIAN,
        "jpn" => &JAPANESE,
        "cmn" => &CHINESE,
        "ara" => &ARABIC,
        "por" => &PORTUGUESE,
        "nld" => &DUTCH,
        "tur" => &TURKISH,
        "kor" => &KOREAN,
        _ => &ENGLISH,
    }
}

/// The words of every language.
const ALL: [&FormWords; 12] = [
    &ENGLISH,
    &GERMAN,
    &FRENCH,
    &SPANISH,
    &ITALIAN,
    &PORTUGUESE,
    &DUTCH,
    &TURKISH,
    &JAPANESE,
    &CHINESE,
    &KOREAN,
    &ARABIC,
];

/// Whether a heading is that of a list of references, in any language.
pub(super) fn heads_references(heading: &str) -> bool {
    ALL.iter().any(|words| words.references == heading)
}

/// The tag of a language for browsers, which choose fonts and voices by it.
pub(super) fn tag(code: &str) -> &str {
    match code {
        "eng" => "en",
        "deu" => "de",
        "fra" => "fr",
        "spa" => "es",
        "ita" => "it",
        "jpn" => "ja",
        "cmn" => "zh",
        "kor" => "ko",
        "ara" => "ar",
        "pes" => "fa",
        "urd" => "ur",
        "heb" => "he",
        "yid" => "yi",
        "rus" => "ru",
        "por" => "pt",
        "nld" => "nl",
        "tur" => "tr",
        "pol" => "pl",
        "ron" => "ro",
        "swe" => "sv",
        "ukr" => "uk",
        "" | "und" => "en",
        other => other,
    }
}

/// Whether lines of a language run from right to left.
pub(super) fn is_right_to_left(code: &str) -> bool {
    matches!(code, "ara" | "heb" | "pes" | "urd" | "yid")
}

/// Page and line of a citation, as far as it has them.
pub(super) fn page_and_line(one: &Evidence, language: Language) -> impl Iterator<Item = String> + use<> {
    let page = one.page.map(|page| format!("{} {page}", words(language).page));
    let line = one.line.map(|line| format!("{} {line}", form_words(language).line));
    page.into_iter().chain(line)
}

/// Where a source is, behind its title: its path, its place there, its day, and what else is said of it.
pub(super) fn place(one: &Evidence, language: Language) -> String {
    let headings = (!one.headings.is_empty()).then(|| format!("§ {}", one_line(&one.headings)));
    let within = page_and_line(one, language).chain(headings).chain(one.date.clone()).chain(one.notes.iter().cloned());
    std::iter::once(one_line(&one.path)).chain(within).map(|part| format!(", {part}")).collect()
}

/// A text with its numbers.
pub(super) fn counted(text: &str, n: u64, m: u64) -> String {
    text.replace("{n}", &n.to_string()).replace("{m}", &m.to_string())
}

static ENGLISH: FormWords = FormWords {
    contents: "Contents",
    references: "References",
    question: "Question",
    passage: "Passage",
    line: "line",
    back: "back to the sentence",
    cited_in: "cited in",
    one_source: "one source only",
    one_source_count: "{n} of {m} sentences with a citation rest on one document only; they are marked ◦.",
    all_one_source: "All {n} sentences with a citation rest on one document each.",
    uncited: "cites nothing",
    overview: "The research in pictures",
    coverage: "What was found, and what is cited",
    passages: "{n} of {m} passages that were found are cited",
    documents: "{n} of {m} documents are cited",
    timeline: "The cited documents in time",
    tree: "How the research went",
    as_list: "As a list",
    against: ["Figure", "Date", "What the source says"],
    unchecked: "This page has not checked itself: its script did not run. The command `deepsearch verify` checks it.",
    intact: "Unaltered: all {n} parts of this page are as they were written.",
    altered: "ALTERED since it was written:",
    uncheckable: "This browser cannot check the page here. The command `deepsearch verify` does.",
    parts: [
        "sentence",
        "passage",
        "source",
        "heading",
        "drawing",
        "text",
        "the report kept in the page",
        "the page itself",
    ],
    filter: "Show what rests on",
    all: "all sources",
};

static GERMAN: FormWords = FormWords {
    contents: "Inhalt",
    references: "Literatur",
    question: "Frage",
    passage: "Stelle",
    line: "Zeile",
    back: "zurück zum Satz",
    cited_in: "zitiert in",
    one_source: "nur eine Quelle",
    one_source_count: "{n} von {m} belegten Sätzen stützen sich auf nur ein Dokument; sie sind mit ◦ bezeichnet.",
    all_one_source: "Alle {n} belegten Sätze stützen sich auf je ein Dokument.",
    uncited: "ohne Beleg",
    overview: "Die Recherche in Bildern",
    coverage: "Was gefunden wurde und was zitiert ist",
    passages: "{n} von {m} gefundenen Stellen sind zitiert",
    documents: "{n} von {m} Dokumenten sind zitiert",
    timeline: "Die zitierten Dokumente in der Zeit",
    tree: "Der Gang der Recherche",
    as_list: "Als Liste",
    against: ["Angabe", "Datum", "Was die Quelle sagt"],
    unchecked: "Diese Seite hat sich nicht geprüft: Ihr Skript lief nicht. Der Befehl `deepsearch verify` prüft sie.",
    intact: "Unverändert: alle {n} Teile dieser Seite sind, wie sie geschrieben wurden.",
    altered: "VERÄNDERT, seit sie geschrieben wurde:",
    uncheckable: "Dieser Browser kann die Seite hier nicht prüfen. Der Befehl `deepsearch verify` kann es.",
    parts: [
        "Satz",
        "Stelle",
        "Quelle",
        "Überschrift",
        "Bild",
        "Text",
        "der in der Seite aufbewahrte Bericht",
        "die Seite selbst",
    ],
    filter: "Zeige, was sich stützt auf",
    all: "alle Quellen",
};

static FRENCH: FormWords = FormWords {
    contents: "Sommaire",
    references: "Références",
    question: "Question",
    passage: "Passage",
    line: "ligne",
    back: "retour à la phrase",
    cited_in: "cité dans",
    one_source: "une seule source",
    one_source_count: "{n} phrases sur {m} avec citation reposent sur un seul document ; elles portent la marque ◦.",
    all_one_source: "Les {n} phrases avec citation reposent chacune sur un seul document.",
    uncited: "sans citation",
    overview: "La recherche en images",
    coverage: "Ce qui a été trouvé et ce qui est cité",
    passages: "{n} des {m} passages trouvés sont cités",
    documents: "{n} des {m} documents sont cités",
    timeline: "Les documents cités dans le temps",
    tree: "Le déroulement de la recherche",
    as_list: "Sous forme de liste",
    against: ["Valeur", "Date", "Ce que dit la source"],
    unchecked: "Cette page ne s’est pas vérifiée : son script n’a pas été exécuté. La commande `deepsearch verify` la vérifie.",
    intact: "Inchangée : les {n} parties de cette page sont telles qu’elles ont été écrites.",
    altered: "MODIFIÉE depuis son écriture :",
    uncheckable: "Ce navigateur ne peut pas vérifier la page ici. La commande `deepsearch verify` le peut.",
    parts: [
        "phrase",
        "passage",
        "source",
        "titre",
        "image",
        "texte",
        "le rapport conservé dans la page",
        "la page elle-même",
    ],
    filter: "Montrer ce qui repose sur",
    all: "toutes les sources",
};

static SPANISH: FormWords = FormWords {
    contents: "Índice",
    references: "Referencias",
    question: "Pregunta",
    passage: "Pasaje",
    line: "línea",
    back: "volver a la frase",
    cited_in: "citado en",
    one_source: "una sola fuente",
    one_source_count: "{n} de {m} frases con cita se apoyan en un solo documento; llevan la marca ◦.",
    all_one_source: "Las {n} frases con cita se apoyan cada una en un solo documento.",
    uncited: "sin cita",
    overview: "La investigación en imágenes",
    coverage: "Lo que se encontró y lo que se cita",
    passages: "se citan {n} de {m} pasajes encontrados",
    documents: "se citan {n} de {m} documentos",
    timeline: "Los documentos citados en el tiempo",
    tree: "Cómo fue la investigación",
    as_list: "Como lista",
    against: ["Cifra", "Fecha", "Lo que dice la fuente"],
    unchecked: "Esta página no se ha comprobado: su script no se ejecutó. La orden `deepsearch verify` la comprueba.",
    intact: "Sin cambios: las {n} partes de esta página están como se escribieron.",
    altered: "ALTERADA desde que se escribió:",
    uncheckable: "Este navegador no puede comprobar la página aquí. La orden `deepsearch verify` sí.",
    parts: [
        "frase",
        "pasaje",
        "fuente",
        "título",
        "imagen",
        "texto",
        "el informe guardado en la página",
        "la propia página",
    ],
    filter: "Mostrar lo que se apoya en",
    all: "todas las fuentes",
};

static ITALIAN: FormWords = FormWords {
    contents: "Indice",
    references: "Riferimenti",
    question: "Domanda",
    passage: "Passaggio",
    line: "riga",
    back: "torna alla frase",
    cited_in: "citato in",
    one_source: "una sola fonte",
    one_source_count: "{n} di {m} frasi con citazione si fondano su un solo documento; portano il segno ◦.",
    all_one_source: "Tutte le {n} frasi con citazione si fondano ciascuna su un solo documento.",
    uncited: "senza citazione",
    overview: "La ricerca per immagini",
    coverage: "Che cosa è stato trovato e che cosa è citato",
    passages: "sono citati {n} di {m} passaggi trovati",
    documents: "sono citati {n} di {m} documenti",
    timeline: "I documenti citati nel tempo",
    tree: "Come si è svolta la ricerca",
    as_list: "Come elenco",
    against: ["Valore", "Data", "Che cosa dice la fonte"],
    unchecked: "Questa pagina non si è verificata: il suo script non è stato eseguito. Il comando `deepsearch verify` la verifica.",
    intact: "Inalterata: tutte le {n} parti di questa pagina sono come furono scritte.",
    altered: "ALTERATA da quando fu scritta:",
    uncheckable: "Questo browser non può verificare la pagina qui. Il comando `deepsearch verify` può.",
    parts: [
        "frase",
        "passaggio",
        "fonte",
        "titolo",
        "immagine",
        "testo",
        "il rapporto conservato nella pagina",
        "la pagina stessa",
    ],
    filter: "Mostra ciò che si fonda su",
    all: "tutte le fonti",
};

static PORTUGUESE: FormWords = FormWords {
    contents: "Conteúdo",
    references: "Referências",
    question: "Pergunta",
    passage: "Passagem",
    line: "linha",
    back: "voltar à frase",
    cited_in: "citado em",
    one_source: "uma só fonte",
    one_source_count: "{n} de {m} frases com citação apoiam-se num só documento; estão marcadas com ◦.",
    all_one_source: "Todas as {n} frases com citação se apoiam num só documento cada.",
    uncited: "sem citação",
    overview: "A pesquisa em imagens",
    coverage: "O que foi encontrado e o que é citado",
    passages: "{n} de {m} passagens encontradas são citadas",
    documents: "{n} de {m} documentos são citados",
    timeline: "Os documentos citados no tempo",
    tree: "O percurso da pesquisa",
    as_list: "Em lista",
    against: ["Valor", "Data", "O que diz a fonte"],
    unchecked: "Esta página não se verificou: o seu script não correu. O comando `deepsearch verify` verifica-a.",
    intact: "Inalterada: todas as {n} partes desta página estão como foram escritas.",
    altered: "ALTERADA desde que foi escrita:",
    uncheckable: "Este navegador não pode verificar a página aqui. O comando `deepsearch verify` pode.",
    parts: [
        "frase",
        "passagem",
        "fonte",
        "título",
        "imagem",
        "texto",
        "o relatório guardado na página",
        "a própria página",
    ],
    filter: "Mostrar o que se apoia em",
    all: "todas as fontes",
};

static DUTCH: FormWords = FormWords {
    contents: "Inhoud",
    references: "Literatuur",
    question: "Vraag",
    passage: "Passage",
    line: "regel",
    back: "terug naar de zin",
    cited_in: "geciteerd in",
    one_source: "maar één bron",
    one_source_count: "{n} van {m} zinnen met een verwijzing steunen op maar één document; ze zijn gemerkt met ◦.",
    all_one_source: "Alle {n} zinnen met een verwijzing steunen elk op één document.",
    uncited: "zonder verwijzing",
    overview: "Het onderzoek in beeld",
    coverage: "Wat gevonden is en wat geciteerd is",
    passages: "{n} van {m} gevonden passages zijn geciteerd",
    documents: "{n} van {m} documenten zijn geciteerd",
    timeline: "De geciteerde documenten in de tijd",
    tree: "Hoe het onderzoek verliep",
    as_list: "Als lijst",
    against: ["Waarde", "Datum", "Wat de bron zegt"],
    unchecked: "Deze pagina heeft zich niet gecontroleerd: haar script liep niet. De opdracht `deepsearch verify` controleert haar.",
    intact: "Ongewijzigd: alle {n} delen van deze pagina zijn zoals ze geschreven zijn.",
    altered: "GEWIJZIGD sinds ze geschreven is:",
    uncheckable: "Deze browser kan de pagina hier niet controleren. De opdracht `deepsearch verify` kan het.",
    parts: ["zin", "passage", "bron", "kop", "beeld", "tekst", "het rapport in de pagina", "de pagina zelf"],
    filter: "Toon wat steunt op",
    all: "alle bronnen",
};

static TURKISH: FormWords = FormWords {
    contents: "İçindekiler",
    references: "Kaynakça",
    question: "Soru",
    passage: "Bölüm",
    line: "satır",
    back: "cümleye dön",
    cited_in: "şurada alıntılandı:",
    one_source: "tek kaynak",
    one_source_count: "Kaynak gösteren {m} cümlenin {n} tanesi tek belgeye dayanır; ◦ ile işaretlidir.",
    all_one_source: "Kaynak gösteren {n} cümlenin her biri tek belgeye dayanır.",
    uncited: "kaynak göstermiyor",
    overview: "Resimlerle araştırma",
    coverage: "Bulunanlar ve alıntılananlar",
    passages: "Bulunan {m} bölümden {n} tanesi alıntılandı",
    documents: "{m} belgeden {n} tanesi alıntılandı",
    timeline: "Zaman içinde alıntılanan belgeler",
    tree: "Araştırmanın akışı",
    as_list: "Liste olarak",
    against: ["Değer", "Tarih", "Kaynağın söylediği"],
    unchecked: "Bu sayfa kendini denetlemedi: betiği çalışmadı. `deepsearch verify` komutu denetler.",
    intact: "Değişmemiş: bu sayfanın {n} parçasının hepsi yazıldığı gibi.",
    altered: "Yazıldıktan sonra DEĞİŞTİRİLMİŞ:",
    uncheckable: "Bu tarayıcı sayfayı burada denetleyemez. `deepsearch verify` komutu denetler.",
    parts: ["cümle", "bölüm", "kaynak", "başlık", "çizim", "metin", "sayfadaki rapor", "sayfanın kendisi"],
    filter: "Şuna dayananları göster",
    all: "tüm kaynaklar",
};

static KOREAN: FormWords = FormWords {
    contents: "목차",
    references: "참고 문헌",
    question: "질문",
    passage: "대목",
    line: "줄",
    back: "문장으로 돌아가기",
    cited_in: "인용된 곳",
    one_source: "출처 하나뿐",
    one_source_count: "인용이 있는 문장 {m}개 가운데 {n}개는 문서 하나에만 근거하며 ◦로 표시됩니다.",
    all_one_source: "인용이 있는 문장 {n}개는 모두 각각 문서 하나에 근거합니다.",
    uncited: "인용 없음",
    overview: "그림으로 보는 조사",
    coverage: "찾은 것과 인용한 것",
    passages: "찾은 대목 {m}개 가운데 {n}개를 인용함",
    documents: "문서 {m}개 가운데 {n}개를 인용함",
    timeline: "시간순으로 본 인용 문서",
    tree: "조사의 흐름",
    as_list: "목록으로",
    against: ["값", "날짜", "출처의 말"],
    unchecked: "이 페이지는 스스로 확인하지 못했습니다. 스크립트가 실행되지 않았습니다. `deepsearch verify` 명령으로 확인할 수 있습니다.",
    intact: "변경 없음: 이 페이지의 부분 {n}개가 모두 작성된 그대로입니다.",
    altered: "작성된 뒤 변경됨:",
    uncheckable: "이 브라우저에서는 페이지를 확인할 수 없습니다. `deepsearch verify` 명령으로 확인할 수 있습니다.",
    parts: ["문장", "대목", "출처", "제목", "그림", "본문", "페이지에 담긴 보고서", "페이지 자체"],
    filter: "다음에 근거한 것 보기",
    all: "모든 출처",
};

static JAPANESE: FormWords = FormWords {
    contents: "目次",
    references: "参考文献",
    question: "質問",
    passage: "箇所",
    line: "行",
    back: "文に戻る",
    cited_in: "引用先",
    one_source: "出典は一つだけ",
    one_source_count: "引用のある{m}文のうち{n}文は一つの文書だけに基づきます（◦印）。",
    all_one_source: "引用のある{n}文はすべて、それぞれ一つの文書だけに基づきます。",
    uncited: "引用なし",
    overview: "図で見る調査",
    coverage: "見つかったものと引用されたもの",
    passages: "見つかった{m}箇所のうち{n}箇所を引用",
    documents: "{m}件の文書のうち{n}件を引用",
    timeline: "引用した文書の年代",
    tree: "調査の流れ",
    as_list: "一覧で見る",
    against: ["数値", "日付", "出典の記述"],
    unchecked: "このページはまだ自己検査をしていません（スクリプトが動いていません）。`deepsearch verify` で検査できます。",
    intact: "改変なし：このページの{n}個の部分はすべて書かれたときのままです。",
    altered: "書かれた後に改変されています：",
    uncheckable: "このブラウザーではここで検査できません。`deepsearch verify` で検査できます。",
    parts: ["文", "箇所", "出典", "見出し", "図", "本文", "ページに保存された報告", "ページそのもの"],
    filter: "次の出典に基づく文を表示",
    all: "すべての出典",
};

static CHINESE: FormWords = FormWords {
    contents: "目录",
    references: "参考文献",
    question: "问题",
    passage: "段落",
    line: "行",
    back: "返回句子",
    cited_in: "引用于",
    one_source: "仅一个来源",
    one_source_count: "{m} 个有引用的句子中有 {n} 个只依据一份文档（以 ◦ 标记）。",
    all_one_source: "全部 {n} 个有引用的句子各只依据一份文档。",
    uncited: "无引用",
    overview: "图示研究过程",
    coverage: "找到的内容与引用的内容",
    passages: "找到的 {m} 个段落中引用了 {n} 个",
    documents: "{m} 份文档中引用了 {n} 份",
    timeline: "所引文档的年代",
    tree: "研究的经过",
    as_list: "以列表显示",
    against: ["数据", "日期", "来源的说法"],
    unchecked: "本页尚未自检：脚本没有运行。可用 `deepsearch verify` 检查。",
    intact: "未被改动：本页的 {n} 个部分均与写成时相同。",
    altered: "写成之后被改动：",
    uncheckable: "此浏览器在这里无法检查本页。可用 `deepsearch verify` 检查。",
    parts: ["句子", "段落", "来源", "标题", "图", "正文", "页内保存的报告", "页面本身"],
    filter: "显示依据以下来源的内容",
    all: "全部来源",
};

static ARABIC: FormWords = FormWords {
    contents: "المحتويات",
    references: "المراجع",
    question: "السؤال",
    passage: "المقطع",
    line: "السطر",
    back: "العودة إلى الجملة",
    cited_in: "مستشهد به في",
    one_source: "مصدر واحد فقط",
    one_source_count: "{n} من {m} جملة موثقة تستند إلى وثيقة واحدة فقط؛ وهي معلّمة بالعلامة ◦.",
    all_one_source: "كل الجمل الموثقة ({n}) تستند كل منها إلى وثيقة واحدة.",
    uncited: "بلا مصدر",
    overview: "البحث في صور",
    coverage: "ما وُجد وما استُشهد به",
    passages: "استُشهد بـ {n} من {m} مقطعا وُجدت",
    documents: "استُشهد بـ {n} من {m} وثيقة",
    timeline: "الوثائق المستشهد بها عبر الزمن",
    tree: "سير البحث",
    as_list: "على شكل قائمة",
    against: ["القيمة", "التاريخ", "ما يقوله المصدر"],
    unchecked: "لم تتحقق هذه الصفحة من نفسها: لم يُشغَّل برنامجها. الأمر `deepsearch verify` يتحقق منها.",
    intact: "دون تغيير: كل أجزاء هذه الصفحة ({n}) كما كُتبت.",
    altered: "عُدّلت منذ كتابتها:",
    uncheckable: "لا يستطيع هذا المتصفح التحقق من الصفحة هنا. الأمر `deepsearch verify` يستطيع.",
    parts: ["جملة", "مقطع", "مصدر", "عنوان", "رسم", "نص", "التقرير المحفوظ في الصفحة", "الصفحة نفسها"],
    filter: "أظهر ما يستند إلى",
    all: "كل المصادر",
};
