//! The words in which a question asks, as opposed to what it asks about: `¿Cuál es …`, `Wie kann ich …`,
//! `…どうしたら良いでしょうか`. A document that answers a question seldom has them, and one that has them seldom answers, so they
//! get little weight. So do small words further on, in a second clause, unless the analysis drops them. In English only
//! the words that ask for a change, or for an account at the beginning, belong to a formula: stop words make up the rest
//! of it, and other words that ask ("how many") were found to help.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;
use whatlang::Lang;

use super::language::is_function_word;
use super::{Language, is_listed};

/// The weight of a formula's term beside other terms, and of the whole formula beside all others.
pub const FORMULA_WEIGHT: f32 = 0.2;

/// The most words of a formula at a question's beginning, and at its end.
const MOST_WORDS: usize = 7;

/// Words that ask beside the function words of their language: if they stand among these at a question's beginning,
/// they belong to the formula.
const OPENING: [(Lang, &str); 13] = [
    (
        Lang::Deu,
        "bitte erkläre erklären beschreibe viele viel muss müssen soll sollte könnte heißt bedeutet geht \
         erzähle fasse fass zusammen gib geben mir uns überblick übersicht zusammenfassung weiß wissen wir bekannt über \
         passiert geschehen entwickelt",
    ),
    (
        Lang::Fra,
        "puis peux peut pouvez doit dois faut combien explique expliquez signifie appelle faire sait savons \
         passé résume résumez décris décrivez raconte parle donne donnez moi fais faites vue ensemble aperçu résumé \
         synthèse",
    ),
    (
        Lang::Spa,
        "puedo puede pueden podría debo debe tengo hay hacer explica explique significa llama sabe sabemos \
         pasado pasó ocurrió cambió resume resuma describe describa cuenta cuéntame háblame dame deme haz hazme visión \
         general panorama resumen",
    ),
    (
        Lang::Ita,
        "posso può possono devo deve bisogna fare spiega significa chiama sa sappiamo successo cambia \
         riassumi descrivi racconta raccontami parlami dammi fammi fai panoramica riassunto",
    ),
    (
        Lang::Por,
        "posso pode podem devo deve fazer explique significa chama há sabe sabemos aconteceu mudou muda \
         evoluiu resume resuma descreve descreva conta fala dá dê faz faça visão geral panorama resumo",
    ),
    (
        Lang::Nld,
        "kan kunnen moet moeten mag leg uit veel betekent heet weten bekend gebeurd gebeurde veranderd \
         gewijzigd vat samen beschrijf vertel geef overzicht samenvatting",
    ),
    (
        Lang::Pol,
        "mogę można należy trzeba powinienem wyjaśnij oznacza nazywa wiadomo wiemy stało wydarzyło zmieniło \
         opisz streść podsumuj opowiedz przedstaw podaj zrób daj mi przegląd streszczenie podsumowanie",
    ),
    (
        Lang::Ron,
        "pot poate trebuie explică înseamnă numește numeşte face știe știm întâmplat schimbat evoluat rezumă \
         descrie povestește fă dă prezentare generală rezumat",
    ),
    (Lang::Tur, "bana lütfen nedir"),
    (Lang::Vie, "hãy xin cho biết kể mô tả giải thích tóm tắt ai gì khi nào bao giờ vì tại sao thế mấy"),
    (
        Lang::Rus,
        "мне можно нужно надо следует объясни объясните значит называется такое делать известно знаем \
         случилось произошло происходило изменилось изменились расскажи расскажите опиши опишите кратко изложи изложите обобщи дай дайте сделай краткий общий обзор",
    ),
    (
        Lang::Ukr,
        "мені можна треба потрібно слід поясни означає називається таке відомо знаємо сталося змінилося \
         розкажи розкажіть опиши коротко дай дайте зроби короткий загальний огляд",
    ),
    (
        Lang::Swe,
        "kan ska måste bör heter betyder många mycket förklara gör berätta beskriv sammanfatta vet vi känt \
         hänt hände ge mig översikt sammanfattning",
    ),
];

/// Small words beside those by which languages are recognised: words that ask, give the time of asking, stand for
/// somebody or help a verb.
const SMALL: [(Lang, &str); 16] = [
    (
        Lang::Deu,
        "woran worin worauf woraus womit wofür wovon wozu wodurch wogegen worum worüber wobei wonach weshalb \
         weswegen wieso zurzeit derzeit momentan aktuell gegenwärtig jetzt heute eigentlich denn noch schon ihr ihre \
         ihrer mein meine unser unsere lag liegt",
    ),
    (
        Lang::Fra,
        "actuellement maintenant aujourd hui désormais encore déjà donc ils elles y t m ai as ont avait avaient \
         était étaient sera seront serait faut quels auquel auxquels duquel desquels lesquels lesquelles mon ma mes \
         notre nos votre vos leur leurs",
    ),
    (
        Lang::Spa,
        "a ahora actualmente hoy todavía aún ya cuyo cuya cuyos cuyas me mi mis nuestro nuestra había habían han \
         fueron eran estaban siendo sido tiene tienen",
    ),
    (
        Lang::Ita,
        "adesso attualmente oggi ancora già ci ne mi mio mia nostro nostra loro stati state sia siano essere essendo \
         aveva avevano hanno viene vengono venne vennero dei degli dall nell sull all dell che",
    ),
    (
        Lang::Por,
        "agora hoje atualmente actualmente ainda já me meu minha nosso nossa lhe lhes sendo sido estava estavam \
         estão tem têm tinha tinham ter havia fica ficam ficou eram",
    ),
    (
        Lang::Nld,
        "waaraan waarin waarop waarmee waarvoor waarvan waardoor waaruit waarover momenteel tegenwoordig thans nu \
         nog eigenlijk mijn ons onze hun zou zouden hadden hebben",
    ),
    (
        Lang::Pol,
        "jakich jakim jakimi jakiego jakiemu jaką jakiej czego czemu kim czym kogo komu którego której których \
         którym którymi którzy którą teraz obecnie aktualnie dziś dzisiaj właśnie czy ta tej tę ją ich im nas nam \
         jeszcze już tylko także więc gdy jeśli aby żeby będzie będą są być ma mają musi nad pod przed między bez we \
         ku",
    ),
    (
        Lang::Ces,
        "nyní teď dnes momentálně aktuálně jaký jaká jaké jací jakých jakým jakou jakého čím čeho čemu kým koho komu \
         kterého kterých kterým kterou který byli byly budou bude má mají musí jsem jsme ten ta ty tento tato toto \
         této tyto jí jim před mezi pod nad bez přes ještě už",
    ),
    (
        Lang::Ron,
        "acum actualmente astăzi oare încă deja care cărui cărei căror câtor îmi mi mea meu noastră nostru erau avea \
         aveau sunt fi",
    ),
    (
        Lang::Tur,
        "şimdi şu an anda bugün halen hâlâ hangileri kimler kimin kime neler nelerdir nereden nereye midir mıdır \
         bana benim bizim olan oldu",
    ),
    (
        Lang::Rus,
        "каких каким какими каком какого какому какую каков какова каково каковы которого которой которых которым \
         которую сейчас теперь ныне нынче пока чём чем кем чьи чей чья из ещё уже будет будут мой моя наш наша \
         их им",
    ),
    (
        Lang::Ukr,
        "яких яким якими якому якого якій яку якої ким чим чого кого кому зараз тепер нині наразі саме буде будуть \
         через перед між під над без щодо ви ще вже тільки тому мій моя наш наша їм",
    ),
    (
        Lang::Swe,
        "nu just idag varav varifrån vart hos blev blir numera min mitt mina vår vårt våra sin sitt sina deras hade",
    ),
    (
        Lang::Ell,
        "ο η το οι τα του της των τον την τους τις στο στη στην στον στους στις στα σε και να για με από που πως πώς πού \
         ποιος ποια ποιο ποιοι ποιες ποιον ποιους τι πότε γιατί πόσο πόσα πόσοι πόσες πόση είναι ήταν έχει έχουν είχε θα \
         δεν μας σας κατά προς ως ένας μια μία ένα τώρα \
         σήμερα ακόμη ακόμα πλέον ήδη ποιων",
    ),
    (
        Lang::Ara,
        "من ما ماذا متى أين لماذا كيف كم هل أي أية الذي التي الذين في على إلى عن مع هو هي هم هذا هذه ذلك تلك كان كانت \
         قد لم لا أن إن أو ثم بعد قبل عند بين حتى كل بكم لمن ومن وما الآن \
         حاليا حالياً لأي بأي بماذا",
    ),
    (
        Lang::Hin,
        "का की के को में से पर ने है हैं था थी थे और या कि यह वह ये वे इस उस इन उन जो किस किसे किसने किसका किसकी किसके \
         कौन कौनसा क्या कब कहाँ कहां क्यों कैसे कितना कितनी कितने कितनों हो होता होती होते हुआ हुई हुए गया गई गए लिए तक भी \
         ही तो एक करने करना किया जाता जाती अब अभी आज कितने किन किनका किनकी रहा रही रहे",
    ),
];

/// Words that ask at a question's end.
const CLOSING: [(Lang, &str); 6] = [
    (
        Lang::Tur,
        "nedir kimdir nasıl ne nerede neresidir zaman kaç hangi hangisi hangisidir neden niçin mi mı mu mü midir mıdır \
         kaçtır oldu değişti gelişti biliyoruz özetle anlat açıkla kullanılır yapılır olur yapabilirim için içindir gerekir",
    ),
    (Lang::Deu, "machen tun nutzen verwenden benutzen vorgehen gehen geändert verändert zusammen"),
    (Lang::Nld, "samen uit"),
    (Lang::Fra, "changé évolué"),
    (Lang::Spa, "cambiado evolucionado"),
    (Lang::Ita, "cambiato cambiata cambiati cambiate"),
];

/// The openings of an English question that asks for a change; its verbs, which follow at once or at the end; and what
/// may follow a verb.
const ENGLISH_OPENING: [&str; 8] =
    ["what", "what has", "what have", "how has", "how have", "how had", "how did", "how does"];
const ENGLISH_CHANGE: &str = "changed change changes evolved evolve developed develop";
const ENGLISH_TIME: &str = "over time the years since then so far";

/// Words with which an English request for an account begins, and those of them that ask for one.
const ENGLISH_REQUEST: &str = "please give tell show me us an a the brief short general quick of on about to up";
const ENGLISH_TELL: &str = "summarise summarize sum describe explain discuss tell overview summary";

/// Words with which a Chinese request for an account begins.
const CHINESE_REQUEST: &str = "请总结 请概括 请介绍 请归纳 请梳理 请概述 总结 概括 介绍 归纳 梳理 概述";

/// Words at the end of a Japanese question, behind what it asks about. The longest that fits is removed, again and
/// again.
const JAPANESE: &str = "\
でしょうか でしょう ですか ますか ましょうか ませんか ください 下さい いただけますか もらえますか のですが \
んですが のですか んですか ですが です でした ました いた ます たい どうしたら どうすれば どのように どのような \
どうやって どうやれば どんな どう どこ どれ どちら どの いつ いくら いくつ だれ なぜ なに なん 何 誰 良い よい \
いい よろしい 宜しい すれば したら したい して する し 教えて 知りたい あります ありません あるの できます でき \
できる なります なる について とは の は が を に で も か と へ ん しょうか いただけます いただけると \
いただければ いただきたい いただく いただき もらう 幸い ご教示 ご教授 ご存じ よろしく 宜しく お願いいたします \
お願い致します お願いします お願い いたします 致します お世話 になっております おります いつも ありがとう \
ございます ございません 恐れ入り 恐縮 すみません こんにちは はじめまして 存じ ば れば 必要 行えば 行う 変わり \
変わった 変わって 変わる 変化 まとめて 要約して 説明して 紹介して";

/// Nouns before such an ending that add nothing: the subject of the question is their attribute.
const JAPANESE_NOUNS: &str = "一覧表 一覧 手続き 手続 方法 場合 とき 時 こと ところ 概要 詳細";

/// Words that ask in Chinese, wherever they stand.
const CHINESE: &str = "\
是什么 什么是 是什麼 什麼是 什么 什麼 为什么 為什麼 如何 怎么样 怎么 怎麼 怎样 怎樣 请问 請問 哪个 哪個 哪些 \
哪里 哪裡 多少 几个 谁是 是谁 誰是 吗 呢 嗎 能否 请讲讲 讲讲 介绍一下 总结一下 概括一下 说明一下";

/// Words that ask at the end of a Korean question.
const KOREAN: &str = "\
입니까 인가요 습니까 합니까 됩니까 나요 까요 하나요 되나요 해야 어떻게 무엇 언제 어디 누구 왜 알려주세요 주세요 \
싶습니다 알려 설명해 정리해 요약해 달라졌 바뀌었 변했 진행됐 됐는지 했는지 무엇이 은 는 을";

/// The byte ranges of a question's formula; none if the whole question would be one.
pub fn formula(text: &str, language: Language) -> Vec<Range<usize>> {
    let found = match language.0 {
        Some(Lang::Jpn) => ending(text, JAPANESE, JAPANESE_NOUNS),
        Some(Lang::Kor) => ending(text, KOREAN, ""),
        Some(Lang::Cmn) => chinese_formula(text),
        Some(Lang::Eng) => [request_formula(text), change_formula(text)].concat(),
        None => Vec::new(),
        Some(lang) => known_formulas(text, lang),
    };
    let covered: usize =
        found.iter().map(|range| text[range.clone()].chars().filter(|one| one.is_alphanumeric()).count()).sum();
    if covered < text.chars().filter(|one| one.is_alphanumeric()).count() { found } else { Vec::new() }
}

/// Whether a term that came from `range` belongs to a formula.
pub fn is_within(range: &Range<usize>, formula: &[Range<usize>]) -> bool {
    formula.iter().any(|part| part.start <= range.start && range.end <= part.end)
}

/// The formula of an English question that asks for a change: "What has changed in …", "How has … changed over the
/// years?"
fn change_formula(text: &str) -> Vec<Range<usize>> {
    let words: Vec<Range<usize>> = words(text).collect();
    let word = |range: &Range<usize>| text[range.clone()].to_lowercase();
    let is_of = |table: &str, range: &Range<usize>| is_listed(table, &word(range));
    let is_change = |range: &&Range<usize>| is_of(ENGLISH_CHANGE, range);
    let opens = |count: &usize| {
        let opening: Vec<String> = words.iter().take(*count).map(word).collect();
        ENGLISH_OPENING.contains(&opening.join(" ").as_str())
    };
    let Some(rest) = [2, 1].into_iter().find(opens).map(|count| &words[count..]) else { return Vec::new() };
    let opening = rest.first().filter(is_change).map(|verb| 0..verb.end);
    let closes = |range: &&Range<usize>| is_change(range) || is_of(ENGLISH_TIME, range);
    let closing = rest.iter().rev().take_while(closes).last().filter(is_change).zip(rest.last());
    opening.into_iter().chain(closing.map(|(first, last)| first.start..last.end)).collect()
}

/// The words with which an English request for an account begins: "Give me an overview of …", "Summarise …".
fn request_formula(text: &str) -> Vec<Range<usize>> {
    let word = |range: &Range<usize>| text[range.clone()].to_lowercase();
    let tells = |range: &Range<usize>| is_listed(ENGLISH_TELL, &word(range));
    let opening = words(text).take_while(|range| tells(range) || is_listed(ENGLISH_REQUEST, &word(range)));
    let opening: Vec<Range<usize>> = opening.take(MOST_WORDS).collect();
    opening.last().filter(|_| opening.iter().any(tells)).map(|last| 0..last.end).into_iter().collect()
}

/// The formula at the end of each sentence; a greeting is one as a whole. `nouns` belong to it before other parts of
/// it.
fn ending(text: &str, parts: &str, nouns: &str) -> Vec<Range<usize>> {
    let bare = |text: &str| text.trim_end_matches(|mark: char| !mark.is_alphanumeric()).len();
    let mut found = Vec::new();
    let mut start = 0;
    for sentence in text.split_inclusive(['。', '！', '？', '!', '?', '\n']) {
        let end = bare(sentence);
        let mut rest = &sentence[..end];
        loop {
            let asks = rest.len() < end;
            let known = parts.split(' ').chain(nouns.split_ascii_whitespace().filter(|_| asks));
            let Some(part) = known.filter(|part| rest.ends_with(part)).max_by_key(|part| part.len()) else { break };
            rest = &rest[..bare(&rest[..rest.len() - part.len()])];
        }
        found.extend(Some(start + rest.len()..start + end).filter(|range| !range.is_empty()));
        start += sentence.len();
    }
    found
}

/// The words of a Chinese question that ask, and the ones with which it asks for an account at its beginning.
fn chinese_formula(text: &str) -> Vec<Range<usize>> {
    let request = CHINESE_REQUEST.split(' ').find(|request| text.starts_with(request));
    request.map(|request| 0..request.len()).into_iter().chain(anywhere(text, CHINESE)).collect()
}

fn anywhere(text: &str, parts: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> =
        parts.split(' ').flat_map(|part| text.match_indices(part).map(|(at, part)| at..at + part.len())).collect();
    found.sort_by_key(|range| (range.start, range.end));
    found
}

fn known_formulas(text: &str, lang: Lang) -> Vec<Range<usize>> {
    let words: Vec<Range<usize>> = words(text).collect();
    let of = |table: &[(Lang, &str)], word: &str| {
        let listed = table.iter().find(|(known, _)| *known == lang);
        listed.is_some_and(|(_, words)| is_listed(words, word))
    };
    let lower = |range: &Range<usize>| text[range.clone()].to_lowercase();
    let is_small = |range: &&Range<usize>| is_function_word(&lower(range), lang) || of(&SMALL, &lower(range));
    let opens = |range: &&Range<usize>| is_small(range) || of(&OPENING, &lower(range));
    let closes = |range: &&Range<usize>| of(&CLOSING, &lower(range));
    let opening = words.iter().take(MOST_WORDS).take_while(opens).count();
    let closing = words.iter().rev().take(MOST_WORDS).take_while(closes).count();
    let (first, rest) = words.split_at(opening);
    let (between, last) = rest.split_at(rest.len().saturating_sub(closing));
    let first = first.last().map(|word| 0..word.end);
    let last = last.first().zip(last.last()).map(|(first, last)| first.start..last.end);
    first.into_iter().chain(between.iter().filter(is_small).cloned()).chain(last).collect()
}

/// Runs of letters and digits, with their combining marks.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(char::is_alphanumeric)?;
        let rest = &text[start..];
        at = start + rest.find(|one: char| !one.is_alphanumeric() && !is_combining_mark(one)).unwrap_or(rest.len());
        Some(start..at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, code: &str, expected: &[&str]) {
        let found: Vec<&str> = formula(text, Language::from_code(code)).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn how_questions_begin() {
        check("¿Cuál es la capital del Perú?", "spa", &["¿Cuál es la", "del"]);
        check("¿Puedo usar KMail y dónde está?", "spa", &["¿Puedo", "y", "dónde", "está"]);
        check("Wie kann ich die Karte drehen?", "deu", &["Wie kann ich die"]);
        check("Как мне использовать пакет?", "rus", &["Как мне"]);
        check("Ποιος έχτισε τον φάρο;", "ell", &["Ποιος", "τον"]);
        check("झील क्यों किसने बनवाई थी?", "hin", &["क्यों", "किसने", "थी"]);
        check("كم ثمن الكتاب في المتجر؟", "ara", &["كم", "في"]);
        check("Woran ist der Kessel zurzeit undicht?", "deu", &["Woran ist der", "zurzeit"]);
        check("Combien coûte actuellement la halle ?", "fra", &["Combien", "actuellement", "la"]);
        check("Каких рабочих сейчас ищет завод?", "rus", &["Каких", "сейчас"]);
        check("Lady Gaga", "spa", &[]);
        check("", "deu", &[]);
        check("How many people live in Warsaw?", "eng", &[]);
        check("What has changed in the travel policy?", "eng", &["What has changed"]);
        check("How have the ratings changed over the years?", "eng", &["changed over the years"]);
        check("What does a change of name cost?", "eng", &[]);
        check("How did it change?", "eng", &["change"]);
        check("Please give me an overview of the lease.", "eng", &["Please give me an overview of the"]);
        check("Summarise the lease.", "eng", &["Summarise the"]);
        check("The summit of Mount Ford", "eng", &[]);
        check("Dame una visión general del acta.", "spa", &["Dame una visión general del"]);
        check("Gib mir einen Überblick über die Sitzung.", "deu", &["Gib mir einen Überblick über die"]);
        check("Fasse den Vertrag zusammen.", "deu", &["Fasse den", "zusammen"]);
        check("Vat de huurovereenkomst samen.", "nld", &["Vat de", "samen"]);
        check("总结周例会。", "cmn", &["总结"]);
        check("年度总结", "cmn", &[]);
    }

    #[test]
    fn how_questions_end() {
        check(
            "印鑑登録をしたいのですがどうしたら良いでしょうか。",
            "jpn",
            &["をしたいのですがどうしたら良いでしょうか"],
        );
        check("首都はどこですか？", "jpn", &["はどこですか"]);
        check("住所変更の手続き方法を教えてください。", "jpn", &["の手続き方法を教えてください"]);
        check("相続手続き", "jpn", &[]);
        check(
            "いつもお世話になっております。街灯が消えています。よろしくお願いいたします。",
            "jpn",
            &["いつもお世話になっております", "ます", "よろしくお願いいたします"],
        );
        check("宿泊費", "jpn", &[]);
        check("出張旅費規程は何が変わりましたか。", "jpn", &["は何が変わりましたか"]);
        check("网络设置是什么？", "cmn", &["是什么", "什么"]);
        check("Bu komut nasıl kullanılır?", "tur", &["Bu", "nasıl kullanılır"]);
    }

    #[test]
    fn a_question_of_nothing_else_is_none() {
        check("Was ist das?", "deu", &[]);
        check("何ですか", "jpn", &[]);
    }
}
