//! What a question asks for, as far as that decides the kind of report: one thing, several things, or an account of a
//! subject; and the words with which questions of each language ask.
//!
//! In a language without a row here, every question is treated as one for one thing.

use whatlang::Lang;

use super::change::asks_for_change;
use super::entities::entities;
use super::joined::{complete_question, split_joined_question};
use super::terms::{content_terms, word_count, words_of};
use crate::base::text::{Language, is_cjk, is_listed, is_thai, sentences};
use crate::read;

/// The phrases with which a language asks, in lower case, separated by `|`. They are whole words; a phrase with `*` may
/// continue within a word, and `…` stands for any words.
struct Phrases {
    language: Lang,
    /// Phrases that ask for an account at a question's beginning: mostly verbs that tell somebody to tell.
    tell: &'static str,
    /// Phrases that ask for an account anywhere in a question.
    account: &'static str,
    /// Words that ask at the beginning of a line without a question mark.
    opens: &'static str,
}

const PHRASES: [Phrases; 19] = [
    Phrases {
        language: Lang::Eng,
        tell: "tell|describe*|explain*|summar*|sum up|brief me|discuss*|outline*|give|list|compare*|report on|what is known*|\
               what happened*|what changed*|what has changed*|what went wrong*|what was done*|what has been done*|\
               what came of*|what is different*|what is said*|what is written*|what holds|what can you*|what are the main*|\
               what are the rules*|what are the requirements*|what is the state of*|what is the status of*|\
               overview*|an overview*|history of*|the history*|how has*|how have*",
        account: "over the years|over time|what do we know*",
        opens: "who|whom|whose|what|when|where|which|why|how|is|are|was|were|does|do|did|can|may|must|should|has|have|will",
    },
    Phrases {
        language: Lang::Deu,
        tell: "erzähl*|beschreib*|erklär*|erläuter*|schilder*|fass|fasse|fassen|stelle|vergleich*|gib|nenne|zähle|überblick|zusammenfassung",
        account: "welche beschlüsse|welche entscheidungen|was wurde … beschlossen|was hat … beschlossen|was haben … beschlossen|\
                  was ist … beschlossen|was wurde … entschieden|was hat … entschieden|was haben … entschieden|was beschloss|\
                  was beschlossen|welche maßnahmen|\
                  was ist bekannt|was weiß|was wissen|was ist über|wie hat|wie haben|was ist passiert|was ist schiefgelaufen|was lief schief|was ist neu|was ist anders|\
                                    was ist geschehen|was hat sich|was ändert sich|wie ist der stand|wie steht es",
        opens: "wer|wen|wem|wessen|was|wann|wo|wohin|woher|warum|wieso|wie|wieviel|welche*|ist|sind|war|darf|dürfen|kann|muss|hat|gibt",
    },
    Phrases {
        language: Lang::Fra,
        tell: "décri*|expliqu*|résum*|racont*|compar*|fais|faites|présente*|donne|donnez|aperçu|synthèse",
        account: "quelles décisions|qu'a … décidé|qu'ont … décidé|qu'est-ce qui … décidé|qu'est-ce que … décidé|\
                  quelles mesures|\
                  que sait|que sait-on|que savons-nous|que s'est-il passé|qu'est-il arrivé|qu'est-ce qui n'a pas marché|qu'est-ce qui a changé|qu'est-ce qui change|comment a|\
                  comment ont|comment s'est|comment se sont|où en est|où en sont",
        opens: "qui|que|quoi|qu|quand|où|quel*|pourquoi|combien|comment|est|peut|faut|y",
    },
    Phrases {
        language: Lang::Spa,
        tell: "descri*|explic*|resum*|cuent*|cuént*|compar*|haz|hazme|dame|sintetiz*|panorama",
        account: "qué decisiones|qué acuerdos|qué se acordó|qué se decidió|qué decidi*|qué acordó|qué acordaron|qué ha … decidido|\
                  qué medidas|\
                  qué se sabe|qué sabemos|qué ha pasado|qué pasó|qué ocurrió|qué sucedió|qué salió mal|qué ha cambiado|qué cambió|qué cambia|cómo ha|cómo han|\
                  cómo evolucion*|cómo va|cómo van",
        opens: "quién*|qué|cuándo|dónde|cuál*|cuánt*|cómo|por|es|son|hay|puedo|puede",
    },
    Phrases {
        language: Lang::Ita,
        tell: "descri*|spieg*|riassum*|raccont*|confront*|fai|fammi|dammi|parlami|elenca*|sintetizza*|panoramica",
        account: "quali decisioni|quali delibere|cosa si è … deciso|cosa è stato … deciso|cosa ha … deciso|quali misure|quali provvedimenti|\
                  cosa si sa|cosa sappiamo|cosa è successo|cos'è successo|cosa è andato storto|cosa c'è di nuovo|cosa è cambiato|cosa cambia|come è|come sono|com'è cambiat*|\
                  come si è|come si sono|come sta andando|a che punto",
        opens: "chi|che|cosa|cos|quando|dove|quale|quali|quant*|come|com|perché|è|sono|si|posso|può",
    },
    Phrases {
        language: Lang::Por,
        tell: "descrev*|explic*|resum*|conta|conte|compar*|faz|faça|fala|fale|apresent*|sintetiz*|dá-me|dê-me|me dê|visão geral",
        account: "que decisões|que se decidiu|que foi … decidido|que ficou … decidido|que foi … deliberado|o que decidi*|\
                  o que deliber*|que medidas|\
                  que se sabe|que sabemos|que aconteceu|que ocorreu|que correu mal|que deu errado|que mudou|que muda|como evolu*|como mud*|como tem|como têm|como está|como estão|\
                  em que ponto|qual é a situação",
        opens: "quem|que|o que|quando|onde|qual|quais|quant*|como|por|é|são|há|posso|pode",
    },
    Phrases {
        language: Lang::Nld,
        tell: "beschrijf|vertel*|vat|som|leg|vergelijk|geef|schets|noem|overzicht|samenvatting",
        account: "welke besluiten|wat is … besloten|wat werd … besloten|wat heeft … besloten|wat hebben … besloten|wat besloot|welke maatregelen|\
                  wat weten we|wat is bekend|wat is er|wat gebeurde er|wat ging er mis|wat ging mis|wat verandert|wat is veranderd|hoe heeft|hoe hebben|hoe staat|\
                  hoe verloopt|hoe verliep",
        opens: "wie|wat|wanneer|waar|waarom|welk*|hoe|hoeveel|is|zijn|mag|kan|moet|heeft",
    },
    Phrases {
        language: Lang::Pol,
        tell: "opisz|opowiedz|streść|podsumuj|wyjaśnij|porównaj|przedstaw|omów|wymień|podaj",
        account: "jakie decyzje|jakie uchwały|co postanowi*|co uchwali*|co uchwalono|co ustalono|co zdecydowa*|jakie działania|\
                  co wiadomo|co wiemy|co się stało|co poszło nie tak|co się wydarzyło|co się zmieni*|co zmieni*|jak zmieni*|jak rozwija*|jak rozwin*|\
                  jak przebiega*|jak wygląda*",
        opens: "kto|kogo|komu|co|czego|kiedy|gdzie|dlaczego|jaki*|jaka|jak|który|która|które|ile|ilu|czy",
    },
    Phrases {
        language: Lang::Ron,
        tell: "descri*|povest*|explic*|rezum*|compar*|fă|prezint*",
        account: "ce decizii|ce hotărâri|ce s-a … hotărât|ce s-a … decis|ce a … hotărât|ce a … decis|ce măsuri|\
                  ce se știe|ce știm|ce s-a întâmplat|ce nu a mers|ce s-a schimbat|ce se schimbă|cum a evoluat|cum au evoluat|cum s-a|cum s-au|\
                  care este situația|care e situația",
        opens: "cine|cui|ce|când|unde|care|cât*|câți|cum|de|este|e|sunt|pot|poate",
    },
    Phrases {
        language: Lang::Tur,
        tell: "",
        account: "hangi kararlar*|ne karar*|neye karar|nelere karar|neler kararlaştırıldı|hangi önlemler|\
                  özetle*|anlat*|açıkla*|karşılaştır*|hakkında ne*|neler biliniyor|ne biliniyor|ne değişti|neler değişti|nasıl değişti|\
                  nasıl gelişti|ne oldu|ne ters gitti|neler oldu|neler yaşandı",
        opens: "kim|kime|kimin|ne|neden|niçin|nerede|nereye|hangi|nasıl|kaç",
    },
    Phrases {
        language: Lang::Rus,
        tell: "опиши*|расскажи*|объясни*|сравни*|обобщи*|подведи*|изложи*|перечисли*|кратко|дай|дайте",
        account: "какие решения|что решил*|что решено|что было … решено|что постановил*|какие меры|какие выводы|что пошло не так|\
                  что известно|что мы знаем|что случилось|что произошло|что изменилось|что поменялось|как измен*|как менял*|как развива*|\
                  как обстоят|как обстоит",
        opens: "кто|кого|кому|что|чего|когда|где|куда|почему|зачем|как|какой|какая|какие|который|сколько|можно|есть",
    },
    Phrases {
        language: Lang::Ukr,
        tell: "опиши*|розкажи*|поясни*|порівняй*|підсумуй*|перелічи*",
        account: "які рішення|що вирішил*|що вирішено|що було … вирішено|що ухвалил*|які заходи|\
                  що відомо|що ми знаємо|що сталося|що змінилося|як змін*|як розвива*",
        opens: "хто|кого|кому|що|чого|коли|де|куди|чому|як|який|яка|які|скільки|чи",
    },
    Phrases {
        language: Lang::Swe,
        tell: "beskriv*|berätta*|förklara*|sammanfatta*|jämför*|ge|översikt",
        account: "vilka beslut|vad beslutade*|vad beslöt|vad har … beslutat*|vad bestämde*|vilka åtgärder|\
                  vad vet vi|vad är känt|vad har hänt|vad hände|vad gick fel|vad har ändrats|hur har",
        opens: "vem|vad|när|var|varför|vilk*|hur|är|får|kan|måste|har",
    },
    Phrases {
        language: Lang::Vie,
        tell: "hãy kể|kể|mô tả|giải thích|tóm tắt|so sánh|trình bày|liệt kê",
        account: "chuyện gì đã xảy ra|điều gì đã xảy ra|đã xảy ra chuyện gì|xảy ra như thế nào|xảy ra thế nào|diễn biến|\
                  có gì thay đổi|thay đổi gì|thay đổi những gì|những thay đổi|thay đổi như thế nào|thay đổi ra sao|\
                  quyết định nào|quyết định gì|quyết định những gì|những quyết định|quyết định điều gì|biện pháp nào|biết gì về",
        opens: "ai|gì|khi nào|ở đâu|vì sao|tại sao|thế nào|làm sao|làm thế nào|bao nhiêu|mấy|có",
    },
    Phrases {
        language: Lang::Ara,
        tell: "اشرح*|صف|لخص*|لخّص*|قارن*|اذكر*|حدثني|تحدث*",
        account: "ماذا حدث|ما الذي حدث|ماذا جرى|ماذا تغير*|ماذا تغيّر*|ما الذي تغير*|ما الذي تغيّر*|كيف تغير*|كيف تغيّر*|كيف تطور*|\
                  كيف تطوّر*|ما القرارات|ما هي القرارات|ما الذي تقرر|ماذا قرر*|ما الإجراءات|ماذا تقرر|ماذا نعرف",
        opens: "من|ما|ماذا|متى|أين|لماذا|كيف|كم|بكم|هل|أي|أية",
    },
    Phrases {
        language: Lang::Ell,
        tell: "περίγραψ*|περιγράψ*|εξήγησ*|εξηγήσ*|συνόψισ*|συνοψίσ*|σύγκριν*|συγκρίν*|πες μου|πείτε μου",
        account: "τι συνέβη|τι έγινε|τι άλλαξε|τι αλλάζει|τι έχει αλλάξει|πώς άλλαξ*|πώς εξελίχθηκ*|τι αποφασίστηκε|τι αποφάσισ*|\
                  ποιες αποφάσεις|ποια μέτρα|τι γνωρίζουμε|τι ξέρουμε|τι πήγε στραβά",
        opens: "ποι*|τι|πότε|πού|γιατί|πώς|πόσ*|είναι|υπάρχ*|μπορ*",
    },
    Phrases {
        language: Lang::Hin,
        tell: "",
        account: "क्या हुआ|क्या बदला|क्या बदलाव|कैसे बदल*|क्या परिवर्तन|वर्णन|समझाइए|सारांश|तुलना|क्या निर्णय|क्या फैसल*|क्या तय|कौन से निर्णय|कौन-से निर्णय|\
                  क्या कदम|कैसे हुआ|कैसे हुई",
        opens: "कौन|किसने|किसे|किसका|किसकी|क्या|कब|कहाँ|कहां|क्यों|कैसे|कितन*|किस",
    },
    Phrases {
        language: Lang::Tha,
        tell: "อธิบาย*|สรุป*|เล่า*|เปรียบเทียบ*|บรรยาย*",
        account: "เกิดอะไรขึ้น|เปลี่ยนแปลงอะไร|เปลี่ยนอะไร|เปลี่ยนไปอย่างไร|มีอะไรเปลี่ยน|เปลี่ยนแปลงอย่างไร|เป็นมาอย่างไร|ที่ประชุมมีมติ|มติอะไร|ตัดสินใจอะไร",
        opens: "ใคร*|อะไร*|เมื่อไร*|เมื่อไหร่*|ที่ไหน*|ทำไม*|อย่างไร*|เท่าไร*|กี่*",
    },
    Phrases {
        language: Lang::Kor,
        tell: "",
        account: "무엇이 결정*|무엇을 결정*|무엇이 의결*|무엇을 의결*|무엇이 정해*|어떤 결정*|어떤 안건*|결정된 것*|결정된 사항*|요약*|설명해*|정리해*|비교해*|알려진*|바뀌었*|달라졌*|변했*|어떻게 변*|어떻게 진행*",
        opens: "누가|누구*|무엇*|뭐*|언제*|어디*|왜|어떤|어느|어떻게|얼마*|몇*",
    },
];

fn row(language: Language) -> Option<&'static Phrases> {
    PHRASES.iter().find(|row| language.0 == Some(row.language))
}

/// Whether one of `phrases` stands in a lower-case text, at its beginning or anywhere, as words of their own.
fn contains_phrase(text: &str, phrases: &str, anywhere: bool) -> bool {
    phrases.split('|').filter(|phrase| !phrase.is_empty()).any(|phrase| match phrase.split_once(" … ") {
        Some((first, last)) => {
            end_of(text, first, anywhere).is_some_and(|end| end_of(&text[end..], last, true).is_some())
        }
        None => end_of(text, phrase, anywhere).is_some(),
    })
}

/// Returns where the first occurrence of a phrase ends, found as in `contains_phrase`.
fn end_of(text: &str, phrase: &str, anywhere: bool) -> Option<usize> {
    // Thai puts nothing between words.
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_thai(c));
    let (words, goes_on) = phrase.strip_suffix('*').map_or((phrase, false), |words| (words, true));
    text.match_indices(words).map(|(at, _)| (at, at + words.len())).find_map(|(at, end)| {
        let begins = if anywhere { !is_word(text[..at].chars().next_back()) } else { at == 0 };
        (begins && (goes_on || !is_word(text[end..].chars().next()))).then_some(end)
    })
}

/// Returns a question in the form in which its phrases are looked up.
fn folded(question: &str) -> String {
    question.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('’', "'")
}

/// Whether a question asks for an account of a subject.
pub(super) fn asks_for_account(question: &str, language: Language) -> bool {
    let lower = folded(question);
    row(language)
        .is_some_and(|row| contains_phrase(&lower, row.tell, false) || contains_phrase(&lower, row.account, true))
}

/// Whether a text tells somebody to tell of a subject, and so is more than a name, however short.
pub(super) fn orders_account(text: &str, language: Language) -> bool {
    asks_for_account(text, language) || text.contains(is_cjk) && asks_for_account_wide(&text.to_lowercase())
}

/// Whether a lower-case question has words that ask for an account in a language written without spaces.
fn asks_for_account_wide(lower: &str) -> bool {
    ACCOUNTS_WIDE.split('|').any(|mark| lower.contains(mark)) || lower.contains("について教えて")
}

/// Whether a line begins as a question does.
pub(super) fn opens_as_question(line: &str, language: Language) -> bool {
    // In Thai the asking word stands where the answer would.
    let anywhere = line.contains(is_thai);
    row(language).is_some_and(|row| contains_phrase(&folded(line), row.opens, anywhere))
}

/// Words that ask for an account, anywhere in the question, in languages written without spaces.
const ACCOUNTS_WIDE: &str = "概要|経緯|歴史|変遷|まとめて|説明して|述べて|紹介して|比較して|比べて|要約して|总结|介绍|历史|概述|\
     概括|归纳|梳理|讲讲|的经过|的情况|进展|前前后后|来龙去脉|怎么回事|怎么发生|发生了什么|出了什么|哪些措施|哪些决定|什么决定|哪些决议|\
     什么决议|决定了什么|决定了哪些";

/// Japanese nouns for several things, if they are all that is asked for.
const SEVERAL_WIDE: [&str; 9] = ["条件", "注意点", "結果", "対応", "様子", "手順", "流れ", "段取り", "決まり"];

/// Marks that may follow the last word of a question in such a language.
pub(super) const MARKS: [char; 4] = ['。', ' ', '?', '？'];

/// A text of more words than this is a brief, even if its parts are not numbered.
const BRIEF_WORDS: usize = 24;

/// What a text asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuestionType {
    /// One thing, such as "Who wrote it?".
    Factoid,
    /// Several things, such as "Which rules hold?", or something else that may take several statements, such as a way
    /// or a reason.
    List,
    /// An account of a subject: the text says so, asks how something became what it is, or is a brief.
    Summary,
    /// Nothing, but it names something of something else, such as "golden age" or "hotel limit in London".
    Topic,
}

/// Whether a question asks for an account of a subject, or names one and asks nothing.
pub(super) fn is_broad(question: &str, language: Language) -> bool {
    matches!(question_type(question, language), QuestionType::Summary | QuestionType::Topic)
}

/// Returns what a question asks for.
pub(super) fn question_type(question: &str, language: Language) -> QuestionType {
    // Two questions for one thing each have an answer each; "What went wrong, and what was done about it?" asks for one
    // account.
    if let Some((first, second)) = split_joined_question(question)
        && [complete_question(first).as_ref(), second]
            .iter()
            .any(|asked| question_type(asked, language) != QuestionType::Factoid)
    {
        return QuestionType::Summary;
    }
    match by_form(question, language) {
        QuestionType::Factoid if asks_for_several(question) || !asks_for_one(question, language) => QuestionType::List,
        found => found,
    }
}

/// Returns what a question asks for by how it begins and ends; several things count as one.
fn by_form(question: &str, language: Language) -> QuestionType {
    let lower = question.trim_start_matches(['¿', '¡', ' ']).to_lowercase();
    if content_terms(question, language).is_empty() {
        return QuestionType::Factoid;
    }
    if asks_for_account(question, language) {
        return QuestionType::Summary;
    }
    let asks = lower.trim_end().ends_with(['?', '？']);
    // A single word does not name a part of anything.
    let of = |account: bool, subject: bool| match (account, subject) {
        (false, true) if relates(question) => QuestionType::Topic,
        (false, false) => QuestionType::Factoid,
        _ => QuestionType::Summary,
    };
    if question.chars().any(is_cjk) {
        // "…の上限は" omits the asking word.
        let asks = asks || lower.trim_end_matches(MARKS).ends_with(['か', 'は']);
        let changes = asks_for_change(question);
        let wishes = ["たい", "たいです", "たいのですが"].iter().any(|end| lower.trim_end_matches('。').ends_with(end));
        let narrow = lower.contains('何') && !changes || wishes && !lower.contains("について");
        // "How" asks for an account if it is about a change, and otherwise for a way.
        let account = asks_for_account_wide(&lower)
            || ["どのように", "どう変", "どう推移", "どう発展", "どこが"].iter().any(|how| lower.contains(how))
                && changes;
        return of(account && !lower.contains("なぜ"), !asks && !narrow);
    }
    let became = lower.starts_with("how did ") && asks_for_change(question);
    let is_brief = !asks && word_count(question) > BRIEF_WORDS;
    let names_subject = !asks && !opens_as_question(question, language) && entities(question, language).len() <= 1;
    of(asks_what_is_said(&lower) || became || is_brief, names_subject && word_count(question) <= 10)
}

/// Whether a question asks how somebody does something, rather than how something is or must be.
pub(super) fn asks_for_way(question: &str) -> bool {
    const WAYS: [&str; 6] = ["するには", "どうすれば", "どうしたら", "やり方", "方法は", "手順"];
    let lower = question.trim().to_lowercase();
    let words: Vec<&str> = words_of(&lower).collect();
    let asks = matches!(
        words.as_slice(),
        ["how", "do" | "can" | "could" | "should" | "would", "i" | "you" | "we" | "one", ..]
            | ["what", "do" | "should" | "must", "i" | "you" | "we" | "one", "do", ..]
            | ["how", "to", ..]
            | ["what", "to", "do", ..]
    );
    asks || WAYS.iter().any(|way| lower.contains(way))
}

/// Whether a phrase names something of something else: it has several words, or a particle between two.
pub(super) fn relates(phrase: &str) -> bool {
    phrase.trim().contains(char::is_whitespace) || phrase.contains(['の', 'が'])
}

/// Whether a question asks for several things, whatever word it opens with.
pub(super) fn asks_for_several(question: &str) -> bool {
    const WIDE: [&str; 4] = ["どのような", "どんな", "どういう", "違いは"];
    let lower = question.trim().to_lowercase();
    if question.contains(is_cjk) {
        let of_what = without_asking(&lower);
        return WIDE.iter().any(|words| lower.contains(words))
            || of_what.is_some_and(|rest| SEVERAL_WIDE.iter().any(|noun| rest.ends_with(noun)));
    }
    match words_of(&lower).collect::<Vec<_>>().as_slice() {
        ["what", "are" | "were", ..] => true,
        ["what", "is" | "was", "the", "trouble" | "problem" | "difference", ..] => true,
        ["what", "is", .., "for"] => true,
        // "What is the process called?" asks for a name.
        ["what", "is" | "was", "the", rest @ ..]
            if contains_word_pair(rest, &["procedure", "process"], &["for", "of", "to", "when", "if"]) =>
        {
            true
        }
        ["who", "are" | "were", "the", rest @ ..] => rest.iter().any(is_plural),
        ["which", noun, ..] => is_plural(noun),
        ["what", noun, ..] => is_plural(noun) && !is_listed("is was does has happens", noun),
        _ => false,
    }
}

/// Verbs with which a question in English may open.
const AUXILIARY: &str = "is are was were do does did can could may might must should has have will would am";

/// Words in Japanese that ask for one thing, that ask why, and that ask for what may be several things.
const WIDE_ONE: [&str; 10] = ["いつ", "誰", "だれ", "どなた", "どこ", "どちら", "どの", "どれ", "いくら", "いくつ"];
const WIDE_WHY: [&str; 3] = ["なぜ", "なんで", "どうして"];
const WIDE_OPEN: [&str; 4] = ["何", "なに", "どう", "どん"];

/// Whether a question asks for one thing: who, when, where or how much, what something is, or yes or no. In a language
/// that the reader does not know, every question counts as one for one thing.
fn asks_for_one(question: &str, language: Language) -> bool {
    const COUNTED: &str = "時日月年曜週営人個台件回円名本冊枚分秒番階歳才種割％%パペキ度か";
    const NAMED: [&str; 2] = ["何という", "何です"];
    const OPEN_WIDE: [&str; 9] = ["どう", "何", "なに", "なん", "なぜ", "どん", "て", "たい", "こと"];
    const BEFORE: &str = "in at by on for to from until within under of with";
    // "What does it cost?"
    const AMOUNTS: &str = "pay cost charge owe earn weigh measure";
    // "What is left to do?"
    const OPEN: &str = "new left different decided agreed discussed planned proposed reported recommended ordered done known wrong \
        needed required";
    if !read::knows(language) {
        return true;
    }
    let last = sentences(question).last().map_or(question, |last| &question[last]);
    let lower = last.trim().to_lowercase();
    if question.contains(is_cjk) {
        if WIDE_WHY.iter().any(|why| lower.contains(why)) {
            return false;
        }
        let counts = lower.split('何').skip(1).any(|rest| {
            // "何の略" asks what something is short for, "何のため" why.
            rest.starts_with(|c| COUNTED.contains(c)) || rest.starts_with('の') && !rest.starts_with("のため")
        });
        let end = lower.trim_end_matches(MARKS).replace("すべて", "");
        let is_open = || OPEN_WIDE.iter().any(|word| end.strip_suffix('か').unwrap_or(&end).contains(word));
        let is_for_one = WIDE_ONE.iter().chain(&NAMED).any(|word| lower.contains(word));
        return counts || is_for_one || end.ends_with(['か', 'は']) && !is_open();
    }
    let words: Vec<&str> = words_of(&lower).collect();
    let words = match words.as_slice() {
        [before, rest @ ..] if is_listed(BEFORE, before) => rest,
        all => all,
    };
    match words {
        ["who" | "whom" | "whose" | "when" | "where" | "which", ..] => true,
        ["how", next, ..] => !is_listed(AUXILIARY, next) && !["to", "about", "come"].contains(next),
        ["what", "is" | "was" | "s", rest @ ..] => !rest.iter().any(|word| is_listed(OPEN, word)),
        ["what", next, rest @ ..] if is_listed(AUXILIARY, next) => rest.iter().any(|word| is_listed(AMOUNTS, word)),
        ["what", next, ..] => !is_plural(next),
        ["why", ..] | [] => false,
        [first, ..] if is_listed(AUXILIARY, first) => true,
        // "The house is an example of what?"
        all => all.iter().any(|word| is_listed("what which whom whose", word)),
    }
}

/// Whether a question, in English or Japanese, is answered by yes or no.
pub(super) fn asks_yes_or_no(question: &str) -> bool {
    let lower = question.trim().to_lowercase();
    if question.contains(is_cjk) {
        return lower.trim_end_matches(MARKS).ends_with('か')
            && !WIDE_ONE.iter().chain(&WIDE_WHY).chain(&WIDE_OPEN).any(|word| lower.contains(word));
    }
    words_of(&lower).next().is_some_and(|first| is_listed(AUXILIARY, first))
}

/// A part of a span of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpanPart {
    Start,
    End,
    Whole,
}

/// The part of a span of time that a question asks for; `None` if it asks for none, or that cannot be told. If the span
/// is a value (`is_value`), plain "when" asks for all of it; in a sentence, the verb may decide.
pub(super) fn asked_part_of_span(question: &str, is_value: bool) -> Option<SpanPart> {
    const WHEN: &str = "when wann quand cuándo quando wanneer kiedy когда";
    const STARTS: &str = "from since start starts started begin begins began opens opened launched born ab seit \
        beginnt begann startet geboren depuis commence commencé début né desde empieza comienza nació inizia comincia \
        começa vanaf begint od zaczyna начинается";
    const ENDS: &str = "until till end ends ended expire expires expired finish finishes close closes closed deadline stop \
        stops died bis endet endete läuft starb jusqu fini termine expire hasta termina acaba vence murió scade até \
        tot eindigt kończy заканчивается";
    const WIDE_STARTS: [&str; 6] = ["から", "始ま", "始め", "開始", "生まれ", "誕生"];
    const WIDE_ENDS: [&str; 9] = ["まで", "終わ", "終了", "満了", "期限", "締切", "締め切", "亡くな", "死"];
    let lower = question.trim().to_lowercase();
    let (asks, starts, ends, is_plain) = if question.contains(is_cjk) {
        let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        let end = lower.trim_end_matches(MARKS);
        let is_plain =
            ["いつですか", "いつでしたか", "いつになりますか", "いつか", "いつ"].iter().any(|when| end.ends_with(when));
        // 週何日 asks for a number of days.
        let is_day = |(at, day): (usize, &str)| {
            !lower[..at].ends_with(['週', '間', '大', '長', 'に'])
                && !lower[at + day.len()..].starts_with(['間', '前', '後', '分', 'も'])
        };
        let asks = has(&["いつ", "何月", "何年", "何曜"]) || lower.match_indices("何日").any(is_day);
        (asks, has(&WIDE_STARTS), has(&WIDE_ENDS), is_plain)
    } else {
        let has = |words: &str| words_of(&lower).any(|word| is_listed(words, word));
        (has(WHEN), has(STARTS), has(ENDS), false)
    };
    match (asks, starts, ends) {
        (false, ..) => None,
        (_, true, true) => Some(SpanPart::Whole),
        (_, true, false) => Some(SpanPart::Start),
        (_, false, true) => Some(SpanPart::End),
        (_, false, false) => (is_value || is_plain).then_some(SpanPart::Whole),
    }
}

fn is_plural(word: &&str) -> bool {
    word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us")
}

/// Returns a Japanese question without the asking words at its end, such as "…は" and "…を教えて"; `None` if it has none.
fn without_asking(lower: &str) -> Option<&str> {
    let end = lower.trim_end_matches(MARKS);
    ["は", "を教えて", "を教えてください", "を教えて下さい"]
        .iter()
        .find_map(|asking| end.strip_suffix(asking))
        .or_else(|| ordered(end))
}

/// Returns what a Japanese order asks to be named: 懲戒の種類 for "懲戒の種類を挙げてください".
fn ordered(end: &str) -> Option<&str> {
    const ORDERS: [&str; 9] =
        ["の一覧", "一覧表", "一覧", "のリスト", "を挙げて", "をあげて", "を列挙して", "を示して", "を述べて"];
    let plain = ["ください", "下さい", "ほしい", "欲しい"].iter().find_map(|please| end.strip_suffix(please));
    let plain = plain.unwrap_or(end);
    ORDERS.iter().find_map(|order| plain.strip_suffix(order))
}

/// Whether a question asks for everything said of a subject, as in "what does the contract require of suppliers".
fn asks_what_is_said(lower: &str) -> bool {
    let Some(rest) = ["what does ", "what do "].iter().find_map(|opening| lower.strip_prefix(opening)) else {
        return false;
    };
    let words: Vec<&str> = rest.trim_end_matches(['?', ' ']).split_whitespace().collect();
    words.last().is_some_and(|last| *last == "say")
        || contains_word_pair(&words, &["say", "require", "demand", "recommend"], &["of", "about", "on", "for"])
}

/// Whether one of `seconds` directly follows one of `firsts`.
fn contains_word_pair(words: &[&str], firsts: &[&str], seconds: &[&str]) -> bool {
    words.windows(2).any(|pair| firsts.contains(&pair[0]) && seconds.contains(&pair[1]))
}

#[cfg(test)]
mod tests;
