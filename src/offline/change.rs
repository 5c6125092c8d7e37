//! Sentences that tell of a change, and questions that ask for one, or for how something went.

use std::collections::BTreeSet;

use super::terms::has_stem;
use crate::base::text::folded;

/// Beginnings of words in questions that ask how something became what it is.
const ASKING: [&str; 32] = [
    "chang",
    "evol",
    "develop",
    "grow",
    "grew",
    "histor",
    "becom",
    "became",
    "transform",
    "progress",
    "declin",
    "over time",
    "over the years",
    "since",
    "trend",
    "shift",
    "rise",
    "fall of",
    "veränder",
    "gewandelt",
    "évolu",
    "devenu",
    "cambi",
    "desarroll",
    "αλλαγ",
    "αλλάζ",
    "άλλαξ",
    "thay đổi",
    "تغير",
    "تغيّر",
    "बदल",
    "परिवर्तन",
];

/// The same where they may also stand within a word: in German ones that are made of two, and in scripts without spaces.
const ASKING_WITHIN: [&str; 13] =
    ["entwick", "geschicht", "wandel", "変わ", "変化", "発展", "歴史", "推移", "变", "发展", "历史", "演化", "演进"];

/// Whether `question` asks for a change.
pub(super) fn asks_for_change(question: &str) -> bool {
    let lower = question.to_lowercase();
    ASKING.iter().any(|stem| has_stem(&lower, stem)) || ASKING_WITHIN.iter().any(|stem| lower.contains(stem))
}

/// How questions ask how something went and for nothing else, separated by `|`; where `…` stands may be other words.
const COURSE: &str = "how did … come to|how did … come about|what led to … and |how was … handled|how were … handled|\
    how was … dealt with|how were … dealt with|how did … deal with|how did … handle|how has … been handled|\
    how has … been dealt with|how have … been handled|how have … been dealt with|\
    wie wurde … umgegangen|wie ist … umgegangen|wie wurde … bearbeitet|wie wurde … gelöst|was führte zu … und was|\
    wie hat … reagiert|wie haben … reagiert|wie wurde … reagiert|\
    comment a … été traité|comment ont … été traité|comment a … réagi|comment ont … réagi|comment en est-on arrivé|\
    qu'est-ce qui a conduit … et qu|cómo se llegó|cómo se … gestion|cómo se … trató|cómo se … trataron|cómo reaccion|qué llevó a … y qué|\
    come si è arrivati|come si è … affrontat|come è stat … gestit|come è stat … affrontat|come sono stat … affrontat|\
    come ha … reagito|come hanno … reagito|como se chegou|como foi … tratad|como foram … tratad|como foi … resolvid|\
    como reagi|o que levou a … e o que|hoe is … omgegaan|hoe werd … omgegaan|hoe is … aangepakt|hoe is … afgehandeld|hoe is het gekomen|wat leidde tot … en wat|\
    hoe heeft … gereageerd|hoe hebben … gereageerd|jak doszło do|co doprowadziło … i co|jak rozwiązano|jak poradzono sobie|\
    jak zareagowa|как дошло до|что привело к … и что|как отреагировал|как реагировал|как справил|\
    是怎么处理|是如何处理|是怎么应对|是如何应对|怎么一步步|如何一步步|\
    経過を教え|経過を説明|経過をまとめ|経過はどう|経過について|いきさつ|顛末|どのように始ま|どう始ま|どのように進ん|どう進ん|どのように変わってき|どう変わってき|\
    どのように変化してき|どう変化してき|どのように対応してき|どう対応してき|どのように対応しました|どう対応しました|どのように対応した|\
    どう対応した";

/// The same where they may ask for something else, too, as "Who wrote the history of France?" does.
const WENT: &str = "what has happened|what happened|come about|came about|course of|develop|unfold|evolve|history of|story of|\
    story behind|was ist passiert|was geschah|wie kam es|verlauf|wie ging es|wie lief|entwickelt|geschichte de|que s'est-il passé|\
    déroul|histoire d|évolu|qué pasó|qué ha pasado|qué ha ocurrido|cómo ha ido|transcur|historia de|cosa è successo|\
    com'è andat|si è svolt|andament|storia de|o que aconteceu|o que se passou|como decorreu|como correu|história d|\
    wat is er gebeurd|wat gebeurde|verloop|hoe verliep|geschiedenis van|verhaal van|co się stało|co się wydarzyło|przebieg|\
    historię|что произошло|что случилось|как прошл|как проходил|история |историю |\
    経緯|経過|その後どうな|经过|进展|来龙去脉|前前后后|发生了什么|怎么回事";

/// Whether `question` asks how something went, and for nothing else.
pub(super) fn asks_how_it_went(question: &str) -> bool {
    asks_so(question, COURSE)
}

/// Whether `question` asks how something went, as far as its words tell.
pub(super) fn asks_for_course(question: &str) -> bool {
    asks_how_it_went(question) || asks_so(question, WENT)
}

/// Whether one of `phrases` stands in a question.
fn asks_so(question: &str, phrases: &str) -> bool {
    let question = folded(question).replace('’', "'");
    phrases.split('|').any(|phrase| match phrase.split_once(" … ") {
        Some((first, last)) => {
            question.find(first).is_some_and(|at| question[at + first.len()..].contains(&format!(" {last}")))
        }
        None => question.contains(phrase),
    })
}

/// Words that set one time against another, or say that something is no longer as it was.
const TELLING: &str = "change changed changes changing become became becomes grew grow grown fell fallen falls rose risen rises dropped \
drop replaced replace moved since until instead longer later earlier once now today still ended end began begun started \
first last new anymore fewer more less increased decreased declined decline increase doubled halved lost gained turned \
shifted gave retired stopped introduced abandoned earliest latest eventually gradually again former formerly then \
before after than \
änderte verändert wurde geworden seit früher heute später zuerst zuletzt stieg sank fiel wuchs ersetzt mehr weniger begann endete \
changé devint devenu depuis autrefois aujourd'hui premier dernier augmenté baissé remplacé commença \
cambió desde antes hoy después primero último aumentó bajó reemplazado comenzó";

/// Words and phrases that say outright that something changed.
const STRONG: [&str; 43] = [
    "changed",
    "has become",
    "have become",
    "became",
    "has shrunk",
    "have shrunk",
    "has grown",
    "had grown",
    "has fallen",
    "have fallen",
    "has risen",
    "have risen",
    "has dropped",
    "no longer",
    "any more",
    "more and more",
    "fewer and fewer",
    "replaced",
    "gave way",
    "instead of",
    "used to",
    "moved from",
    "in almost every year",
    "by the middle",
    "had passed",
    "dropped",
    "fell to",
    "rose to",
    "rises to",
    "greatest change",
    "veränderte",
    "nicht mehr",
    "ist geworden",
    "a changé",
    "ne plus",
    "ha cambiado",
    "ya no",
    "変わっ",
    "増え",
    "減っ",
    "廃止",
    "改定",
    "改变",
];

/// Whether a sentence says outright that something changed.
pub(super) fn states_change(text: &str) -> bool {
    let lower = text.to_lowercase();
    STRONG.iter().any(|phrase| lower.contains(phrase))
}

/// Marks of the same in scripts without spaces.
const TELLING_WIDE: [&str; 11] = ["変わ", "変化", "なった", "以来", "から", "増え", "減", "变", "成为", "增", "减"];

/// How much a sentence tells of change, from 0 to 1: words of change, and times set against each other.
pub(super) fn change(text: &str, years: &[u16]) -> f32 {
    use std::sync::LazyLock;
    static WORDS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| TELLING.split_whitespace().collect());
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let mut found: BTreeSet<&str> = words.filter(|word| WORDS.contains(word)).collect();
    found.extend(TELLING_WIDE.iter().filter(|mark| lower.contains(**mark)));
    let pair = lower.find("from ").is_some_and(|at| lower[at..].contains(" to "));
    let strong = STRONG.iter().filter(|phrase| lower.contains(**phrase)).count();
    let times = if years.len() > 1 { 1.0 } else { 0.3 * years.len() as f32 };
    let marks = found.len() as f32 + 1.5 * strong as f32 + if pair { 1.0 } else { 0.0 } + times;
    // A long sentence holds more of everything.
    let length = (lower.split_whitespace().count() as f32 / 22.0).max(1.0);
    (marks / length / 4.0).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::entities::years;

    fn told(text: &str) -> f32 {
        change(text, &years(text))
    }

    #[test]
    fn questions_that_ask_for_a_change() {
        for question in ["How has the harbour changed?", "Wie hat sich der Hafen verändert?", "港はどう変わったか"]
        {
            assert!(asks_for_change(question), "{question}");
        }
        for question in
            ["Who owns the harbour?", "Why was the gasket exchanged?", "Which enterprise paid?", "講演は誰ですか"]
        {
            assert!(!asks_for_change(question), "{question}");
        }
    }

    #[test]
    fn questions_that_ask_how_something_went() {
        let check = |question: &str, course: bool, alone: bool| {
            assert_eq!((asks_for_course(question), asks_how_it_went(question)), (course, alone), "{question}");
        };
        check("What has happened so far with the weir?", true, false);
        check("Tell me the story of the weir.", true, false);
        check("Who wrote the history of France?", true, false);
        check("How did the weir come to be rebuilt?", true, true);
        check("How were the complaints of the tenants dealt with?", true, true);
        check("What led to the flood, and what was done afterwards?", true, true);
        check("What led to the flood?", false, false);
        check("How did the fire start?", false, false);
        check("How high is the weir?", false, false);
        check("Wie war der Verlauf der Sanierung?", true, false);
        check("Wie wurde mit den Beschwerden umgegangen?", true, true);
        check("Comment ont-ils réagi aux plaintes ?", true, true);
        check("Qu’est-ce qui a conduit à la fermeture et qu’a-t-on fait ?", true, true);
        check("¿Cómo se llegó al cierre del puente?", true, true);
        check("Come si è arrivati alla chiusura?", true, true);
        check("Como foi a ponte tratada?", true, true);
        check("Hoe is met de klachten omgegaan?", true, true);
        check("Jak doszło do zamknięcia mostu?", true, true);
        check("Как дошло до закрытия моста?", true, true);
        check("投诉是怎么处理的？", true, true);
        check("勤怠システムの入れ替えはどんな経緯で進んできましたか？", true, false);
        check("橋の工事の経過を教えて", true, true);
        check("騒音の苦情にどのように対応してきましたか", true, true);
        check("料金はどう変わってきましたか", true, true);
        check("地震のときはどう対応しますか", false, false);
        check("修理はいくらですか", false, false);
    }

    #[test]
    fn what_only_begins_states_no_change() {
        let check = |text: &str, expected: bool| assert_eq!(states_change(text), expected, "{text}");
        check("The audience has fallen in almost every year.", true);
        check("What the show is quoted for has changed.", true);
        check("在宅勤務規程は廃止する。", true);
        check("Work in earnest began in 2001, when the actors had agreed to take part.", false);
    }

    #[test]
    fn sentences_of_change_tell_more() {
        let change = told("By 2005 the median age had grown from twelve to thirty, and it rose again until 2020.");
        assert!(change > told("The harbour lies to the north of the town, and it is deep."));
        assert!(told("") == 0.0 && change <= 1.0);
    }
}
