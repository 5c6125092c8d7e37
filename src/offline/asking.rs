//! The words with which questions ask in each language, as far as they decide what a report is: a figure or a time, or an
//! account of a subject. Japanese and Chinese, which write no spaces, are read in [`super::plan`] and [`super::wanted`].
//!
//! A language without a row here is served as one that asks for one thing.

use whatlang::Lang;

use crate::base::text::Language;

/// Phrases, separated by `|`, in lower case. They are whole words; one with `*` may go on.
struct Asking {
    language: Lang,
    /// Ask when, how much or how many, wherever they stand. English ones only open a question, since "when" further on opens a
    /// clause: they are in [`super::wanted`], too.
    figure: &'static str,
    /// Ask for an account at a question's beginning: mostly verbs that tell somebody to tell.
    tell: &'static str,
    /// Ask for an account wherever they stand.
    account: &'static str,
    /// Ask at the beginning of a line that has no question mark.
    opens: &'static str,
}

const ASKING: [Asking; 14] = [
    Asking {
        language: Lang::Eng,
        figure: "",
        tell: "tell|describe*|explain*|summar*|discuss*|outline*|give|list|compare*|report on|what is known*|\
               what happened*|what changed*|what has changed*|what went wrong*|what was done*|what has been done*|\
               what came of*|what is said*|what is written*|what holds|what can you*|what are the main*|\
               what are the rules*|what are the requirements*|what is the state of*|what is the status of*|\
               overview*|an overview*|history of*|the history*|how has*|how have*",
        account: "over the years|over time|what do we know*",
        opens: "who|whom|whose|what|when|where|which|why|how|is|are|was|were|does|do|did|can|may|must|should|has|have|will",
    },
    Asking {
        language: Lang::Deu,
        figure: "wann|wie viel|wie viele|wie vielen|wieviel|wieviele|wie lange|wie hoch|wie oft|wie weit|wie alt|wie teuer|\
                 wie schnell|welches jahr|welchem jahr|welcher betrag|welchen betrag",
        tell: "erzähl*|beschreib*|erklär*|fass|fasse|fassen|stelle|vergleich*|gib|nenne|zähle|überblick|zusammenfassung",
        account: "was ist bekannt|was weiß|was wissen|was ist über|wie hat sich|wie haben sich|wie hat|wie haben|was ist passiert|\
                  was ist geschehen|was hat sich|was ändert sich|wie ist der stand|wie steht es",
        opens: "wer|wen|wem|wessen|was|wann|wo|wohin|woher|warum|wieso|wie|wieviel|welche*|ist|sind|war|darf|dürfen|kann|muss|hat|gibt",
    },
    Asking {
        language: Lang::Fra,
        figure: "quand|combien|à quelle heure|à quelle date|quelle date|quel jour|quelle année|quel montant|quel prix|quel pourcentage",
        tell: "décri*|expliqu*|résum*|racont*|compar*|fais|faites|présentez|donne|donnez|aperçu|synthèse",
        account: "que sait|que sait-on|que savons-nous|que s'est-il passé|qu'est-ce qui a changé|qu'est-ce qui change|comment a|\
                  comment ont|comment s'est|comment se sont|où en est|où en sont",
        opens: "qui|que|quoi|qu|quand|où|quel*|pourquoi|combien|comment|est|peut|faut|y",
    },
    Asking {
        language: Lang::Spa,
        figure: "cuándo|cuánto|cuánta|cuántos|cuántas|a qué hora|qué día|qué año|qué fecha|qué importe|qué precio|qué porcentaje",
        tell: "descri*|explic*|resum*|cuent*|cuént*|compar*|haz|hazme|dame|panorama",
        account: "qué se sabe|qué sabemos|qué ha pasado|qué pasó|qué ocurrió|qué ha cambiado|qué cambió|qué cambia|cómo ha|cómo han|\
                  cómo evolucion*|cómo va|cómo van",
        opens: "quién*|qué|cuándo|dónde|cuál*|cuánt*|cómo|por|es|son|hay|puedo|puede",
    },
    Asking {
        language: Lang::Ita,
        figure: "quando|quanto|quanta|quanti|quante|a che ora|che anno|quale anno|che data|quale importo|quale percentuale",
        tell: "descri*|spieg*|riassum*|raccont*|confront*|fai|fammi|parlami|elenca*|panoramica",
        account: "cosa si sa|cosa sappiamo|cosa è successo|cos'è successo|cosa è cambiato|cosa cambia|come è|come sono|com'è cambiat*|\
                  come si è|come si sono|come sta andando|a che punto",
        opens: "chi|che|cosa|cos|quando|dove|quale|quali|quant*|come|com|perché|è|sono|si|posso|può",
    },
    Asking {
        language: Lang::Por,
        figure: "quando|quanto|quanta|quantos|quantas|a que horas|que ano|que dia|que data|qual o valor|qual é o valor|qual o preço|\
                 qual é o preço|que percentagem|que porcentagem",
        tell: "descrev*|explic*|resum*|conta|conte|compar*|faz|faça|fala|fale|apresent*",
        account: "que se sabe|que sabemos|que aconteceu|que mudou|que muda|como evolu*|como mud*|como tem|como têm|como está|como estão|\
                  em que ponto|qual é a situação",
        opens: "quem|que|o que|quando|onde|qual|quais|quant*|como|por|é|são|há|posso|pode",
    },
    Asking {
        language: Lang::Nld,
        figure: "wanneer|hoeveel|hoe lang|hoe vaak|hoe hoog|hoe groot|hoe oud|hoe ver|hoe laat|welk jaar|welke datum|welk bedrag",
        tell: "beschrijf|vertel*|vat|leg|vergelijk|geef|schets|noem|overzicht|samenvatting",
        account: "wat weten we|wat is bekend|wat is er|wat gebeurde er|wat verandert|wat is veranderd|hoe heeft|hoe hebben|hoe staat|\
                  hoe verloopt|hoe verliep",
        opens: "wie|wat|wanneer|waar|waarom|welk*|hoe|hoeveel|is|zijn|mag|kan|moet|heeft",
    },
    Asking {
        language: Lang::Pol,
        figure: "kiedy|ile|ilu|jak długo|jak często|o której|którym roku|jaka kwota|jaką kwotę|jak wysok*",
        tell: "opisz|opowiedz|streść|podsumuj|wyjaśnij|porównaj|przedstaw|omów|wymień|podaj",
        account: "co wiadomo|co wiemy|co się stało|co się wydarzyło|co się zmieni*|co zmieni*|jak zmieni*|jak rozwija*|jak rozwin*|\
                  jak przebiega*|jak wygląda*",
        opens: "kto|kogo|komu|co|czego|kiedy|gdzie|dlaczego|jaki*|jaka|jak|który|która|które|ile|ilu|czy",
    },
    Asking {
        language: Lang::Ron,
        figure: "când|cât|câtă|câți|câte|ce oră|ce an|ce dată|ce sumă|ce preț",
        tell: "descri*|povest*|explic*|rezum*|compar*|fă|prezint*",
        account: "ce se știe|ce știm|ce s-a întâmplat|ce s-a schimbat|ce se schimbă|cum a evoluat|cum au evoluat|cum s-a|cum s-au|\
                  care este situația|care e situația",
        opens: "cine|cui|ce|când|unde|care|cât*|câți|cum|de|este|e|sunt|pot|poate",
    },
    Asking {
        language: Lang::Tur,
        figure: "ne zaman|kaç|kaça|kaçta|kaçıncı|ne kadar|hangi yıl|hangi tarihte",
        tell: "",
        account: "özetle*|anlat*|açıkla*|karşılaştır*|hakkında ne*|neler biliniyor|ne biliniyor|ne değişti|neler değişti|nasıl değişti|\
                  nasıl gelişti|ne oldu|neler oldu|neler yaşandı",
        opens: "kim|kime|kimin|ne|neden|niçin|nerede|nereye|hangi|nasıl|kaç",
    },
    Asking {
        language: Lang::Rus,
        figure: "когда|сколько|каком году|какого числа|какая сумма|какую сумму|какой процент|как долго|как часто",
        tell: "опиши*|расскажи*|объясни*|сравни*|обобщи*|подведи*|изложи*|перечисли*|кратко|дай|дайте",
        account: "что известно|что мы знаем|что случилось|что произошло|что изменилось|что поменялось|как измен*|как менял*|как развива*|\
                  как обстоят|как обстоит",
        opens: "кто|кого|кому|что|чего|когда|где|куда|почему|зачем|как|какой|какая|какие|который|сколько|можно|есть",
    },
    Asking {
        language: Lang::Ukr,
        figure: "коли|скільки|якого року|якого числа|яка сума|як довго|як часто",
        tell: "опиши*|розкажи*|поясни*|порівняй*|підсумуй*|перелічи*",
        account: "що відомо|що ми знаємо|що сталося|що змінилося|як змін*|як розвива*",
        opens: "хто|кого|кому|що|чого|коли|де|куди|чому|як|який|яка|які|скільки|чи",
    },
    Asking {
        language: Lang::Swe,
        figure: "när|hur mycket|hur många|hur länge|hur ofta|hur stor|hur stort|hur högt|vilket år|vilket datum",
        tell: "beskriv*|berätta*|förklara*|sammanfatta*|jämför*|ge|översikt",
        account: "vad vet vi|vad är känt|vad har hänt|vad hände|vad har ändrats|hur har",
        opens: "vem|vad|när|var|varför|vilk*|hur|är|får|kan|måste|har",
    },
    Asking {
        language: Lang::Kor,
        figure: "언제*|얼마*|몇*",
        tell: "",
        account: "요약*|설명해*|정리해*|비교해*|알려진*|바뀌었*|달라졌*|변했*|어떻게 변*|어떻게 진행*",
        opens: "누가|누구*|무엇*|뭐*|언제*|어디*|왜|어떤|어느|어떻게|얼마*|몇*",
    },
];

fn row(language: Language) -> Option<&'static Asking> {
    ASKING.iter().find(|row| language.0 == Some(row.language))
}

/// Whether one of `phrases` stands in a text of lower case, at its beginning or anywhere, as words of their own.
fn stands(text: &str, phrases: &str, anywhere: bool) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    phrases.split('|').filter(|phrase| !phrase.is_empty()).any(|phrase| {
        let (words, goes_on) = phrase.strip_suffix('*').map_or((phrase, false), |words| (words, true));
        text.match_indices(words).any(|(at, _)| {
            let begins = if anywhere { !is_word(text[..at].chars().next_back()) } else { at == 0 };
            begins && (goes_on || !is_word(text[at + words.len()..].chars().next()))
        })
    })
}

/// A question as its phrases are looked for.
fn folded(question: &str) -> String {
    question.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('’', "'")
}

/// Whether a question asks when, how much or how many, in a language with a row that says how.
pub(super) fn asks_for_figure(question: &str, language: Language) -> bool {
    row(language).is_some_and(|row| stands(&folded(question), row.figure, true))
}

/// Whether a question asks for an account of a subject.
pub(super) fn asks_for_account(question: &str, language: Language) -> bool {
    let lower = folded(question);
    row(language).is_some_and(|row| {
        stands(&lower, row.tell, false) || stands(&lower, row.account, true) && !stands(&lower, row.figure, true)
    })
}

/// Whether a line opens as a question.
pub(super) fn opens_as_question(line: &str, language: Language) -> bool {
    row(language).is_some_and(|row| stands(&folded(line), row.opens, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_asks_with_the_words_of_its_language() {
        let check = |code: &str, question: &str, figure: bool, account: bool| {
            let language = Language::from_code(code);
            let found = (asks_for_figure(question, language), asks_for_account(question, language));
            assert_eq!(found, (figure, account), "{question}");
        };
        check("deu", "Bis wann muss die Rechnung bezahlt sein?", true, false);
        check("deu", "Wie hat sich der Umsatz entwickelt?", false, true);
        check("deu", "Wer hat die Fassade bezahlt?", false, false);
        check("fra", "À combien s’élève la caution ?", true, false);
        check("fra", "Que s’est-il passé au chai ?", false, true);
        check("spa", "¿Con cuánto tiempo hay que avisar?", true, false);
        check("spa", "Cuéntame la historia del museo", false, true);
        check("ita", "Entro quando si paga?", true, false);
        check("por", "O que mudou na política de viagens?", false, true);
        check("nld", "Wat weten we over de dijk?", false, true);
        check("pol", "Do kiedy trzeba oddać klucze?", true, false);
        check("pol", "Czym jest ilość minimalna?", false, false);
        check("ron", "Ce s-a schimbat în contract?", false, true);
        check("tur", "Sözleşmeyi özetle", false, true);
        check("rus", "Во сколько открывается касса?", true, false);
        check("swe", "Sammanfatta protokollet", false, true);
        check("kor", "계약금은 얼마입니까?", true, false);
        check("eng", "What went wrong with the winch?", false, true);
        // Its rows would be another language's words.
        check("ita", "Wann ist das?", false, false);
    }

    #[test]
    fn a_line_without_a_mark_may_open_as_a_question() {
        let check = |code: &str, line: &str, expected: bool| {
            assert_eq!(opens_as_question(line, Language::from_code(code)), expected, "{line}");
        };
        check("deu", "welche Fristen gelten", true);
        check("deu", "Fristen für Einsprüche", false);
        check("eng", "Isle of Wight ferry", false);
        check("nld", "hoeveel kost een kaartje", true);
    }
}
