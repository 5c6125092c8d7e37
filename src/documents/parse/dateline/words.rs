//! The words that stand with a document's own date.

use crate::base::text::is_one_of;

/// Small words between a label and the date. `is_label` removes them before it looks a label up.
pub(super) const ON: [&str; 30] = [
    "on", "at", "the", "am", "vom", "den", "der", "le", "du", "el", "il", "al", "em", "a", "op", "dnia", "la", "del",
    "od", "z", "от", "с", "mon", "au", "de", "do", "van", "zum", "ngày", "στις",
];

/// Words of a deed before the place where it was signed.
pub(super) const DONE: [&str; 12] = [
    "done at ",
    "signed at ",
    "fait à ",
    "fait a ",
    "hecho en ",
    "dado en ",
    "en ",
    "fatto a ",
    "feito em ",
    "em ",
    "gedaan te ",
    "încheiat la ",
];

/// Labels before a date, in languages without spaces.
pub(super) const BEFORE: [&str; 59] = [
    "締結日",
    "締結",
    "契約日",
    "作成年月日",
    "起案日",
    "起票日",
    "申請日",
    "報告日",
    "記入日",
    "発信日",
    "発効日",
    "日時",
    "日付",
    "更新日",
    "更新",
    "公開日",
    "公開",
    "掲載日",
    "掲載",
    "作成日",
    "作成",
    "発行日",
    "発行",
    "改定日",
    "改定",
    "改訂日",
    "改訂",
    "改正",
    "制定日",
    "制定",
    "施行日",
    "施行",
    "投稿日",
    "発表日",
    "発表",
    "登録日",
    "開催日",
    "策定",
    "修正日",
    "修正",
    "提出日",
    "版",
    "日期",
    "更新时间",
    "发布时间",
    "发布",
    "修订",
    "更新時間",
    "公布",
    "印发",
    "날짜",
    "작성일",
    "수정일",
    "게시일",
    "작성일자",
    "시행일",
    "개정일",
    "발행일",
    "일시",
];

/// Labels behind a date.
pub(super) const AFTER: [&str; 38] = [
    "更新", "公開", "掲載", "作成", "発行", "改定", "改訂", "改正", "制定", "施行", "現在", "付け", "付", "発表", "版",
    "策定", "修正", "投稿", "登録", "提出", "发布", "修订", "公布", "印发", "基準", "時点", "实施", "执行", "生效",
    "通过", "시행", "개정", "제정", "작성", "발행", "공포", "기준", "현재",
];

/// Words between a date and such a label that mean "from that day on".
pub(super) const FROM_DAY: [&str; 6] = ["起", "から", "より", "부터", "자로", "자"];
/// Verb endings that continue the sentence after such a label.
pub(super) const DOES: [&str; 5] = ["する", "します", "한다", "합니다", "함"];

/// Stems of words that say that somebody made a document valid.
const APPROVED: [&str; 25] = [
    "approved",
    "adopted",
    "ratified",
    "beschlossen",
    "verabschiedet",
    "erlassen",
    "adopté",
    "approuvé",
    "aprobad",
    "acordad",
    "approvat",
    "adottat",
    "aprovad",
    "vastgesteld",
    "goedgekeurd",
    "uchwalon",
    "zatwierdzon",
    "przyjęt",
    "утвержден",
    "утверждён",
    "принят",
    "aprobat",
    "adoptat",
    "kabul",
    "onaylan",
];

/// Whether a label says who made the document valid: `Approved by the board`, `Versión aprobada por el Consejo Rector`.
pub(super) fn tells_of_approval(words: &[String]) -> bool {
    const MOST: usize = 9;
    let is_approved = |word: &String| APPROVED.iter().any(|stem| word.starts_with(stem));
    words.len() <= MOST && words.iter().take(2).any(is_approved)
}

/// Whether a label names the day of a kind of paper: `Date of the lease`, `fecha del contrato`.
pub(super) fn names_day_of_paper(words: &[String]) -> bool {
    const DAY: &str = "date|datum|fecha|data|дата";
    const OF: &str = "of|the|this|des|der|du|de|la|del|della|do|da|van|het";
    let [day, between @ .., paper] = words else { return false };
    let is_paper = PAPERS.iter().any(|one| paper.rsplit(['\'', '’']).next().is_some_and(|word| word.ends_with(one)));
    is_one_of(day, DAY) && is_paper && between.len() <= 2 && between.iter().all(|word| is_one_of(word, OF))
}

/// Whether a date follows that is the day on which the paper itself was made: `This agreement is made on `.
pub(super) fn opens_deed(before: &str) -> bool {
    const THIS: &str = "this|the present|dieser|diese|dieses|le présent|la présente|el presente|la presente|il presente|\
                        o presente|a presente|deze|dit";
    const MADE: &str = "made|dated|entered|concluded|signed|executed|conclu|conclue|signé|signée|geschlossen|suscrito|\
                        firmado|stipulato|celebrado|gesloten";
    const BETWEEN: &str =
        "is|was|has|been|and|into|wird|wurde|est|es|è|é|werd|wordt|as|of|on|am|vom|den|le|el|il|em|op";
    let low = before.trim().to_lowercase();
    let Some(rest) = THIS.split('|').find_map(|this| low.strip_prefix(this)?.strip_prefix(' ')) else { return false };
    let words: Vec<&str> = rest.split_whitespace().collect();
    let is_paper = |word: &str| PAPERS.iter().any(|paper| word.ends_with(paper));
    let paper = (0..words.len().min(3)).rev().find(|&at| is_paper(words[at]));
    let behind = paper.map_or(&words[..0], |paper| &words[paper + 1..]);
    let is_made = |word: &&&str| is_one_of(word, MADE);
    behind.iter().filter(is_made).count() > 0
        && behind.iter().all(|word| is_one_of(word, MADE) || is_one_of(word, BETWEEN))
}

/// Words, in lower case, that lead from a paper to the one that it changes.
const TO: &str = "to|zu|zum|zur|à|au|aux|al|alla|allo|ao|bij|op|do|к";

/// Words, or last parts of compounds, for papers that others change.
const PAPERS: [&str; 39] = [
    "charter",
    "contract",
    "agreement",
    "lease",
    "deed",
    "treaty",
    "letter",
    "rules",
    "regulations",
    "by-laws",
    "bylaws",
    "statutes",
    "policy",
    "vertrag",
    "vertrages",
    "vereinbarung",
    "satzung",
    "ordnung",
    "schreiben",
    "contrat",
    "bail",
    "convention",
    "accord",
    "lettre",
    "règlement",
    "statuts",
    "contrato",
    "convenio",
    "acuerdo",
    "reglamento",
    "contratto",
    "accordo",
    "regolamento",
    "acordo",
    "regulamento",
    "overeenkomst",
    "umowy",
    "договору",
    "соглашению",
];

/// Words that tie a day to the paper named before it.
const TIES: &str = "of|dated|from|made|vom|du|de|del|di|dal|van|z|dnia|od|от";

/// The same in Japanese, after the day of the other paper.
const GIVEN: [&str; 4] = ["付", "締結", "発行", "制定"];
/// Words for the change that is made to the other paper.
const CHANGES: [&str; 12] = [
    "の変更",
    "の改定",
    "の改訂",
    "の改正",
    "の修正",
    "の訂正",
    "の追加",
    "の解除",
    "の解約",
    "の延長",
    "の一部",
    "を改",
];

/// Whether a day in a title is that of another paper that the title names, as in `Addendum to the charter of 3 May
/// 2024` and `2024年5月3日付契約の変更`.
pub(super) fn is_date_of_other_document(before: &str, after: &str) -> bool {
    let after = after.trim_start();
    if GIVEN.iter().any(|given| after.starts_with(given)) && CHANGES.iter().any(|change| after.contains(change)) {
        return true;
    }
    // A comma stays with its word, and so separates the day from the other paper.
    let low = before.trim_end().to_lowercase();
    let words: Vec<&str> = low.split(|mark: char| mark.is_whitespace() || mark == '\'' || mark == '’').collect();
    let is_tied = words.last().is_some_and(|last| is_one_of(last, TIES));
    let to = words.iter().position(|word| is_one_of(word, TO));
    let other = to.map_or(&words[..0], |to| &words[to + 1..]);
    is_tied && other.iter().any(|word| PAPERS.iter().any(|paper| word.ends_with(paper)))
}

/// Words in titles of documents that belong to a day.
pub(super) const DATED_TITLE_WORDS: [&str; 58] = [
    "minutes",
    "meeting",
    "notes",
    "standup",
    "stand-up",
    "newsletter",
    "press release",
    "bulletin",
    "memo",
    "letter",
    "agenda",
    "report",
    "weekly",
    "daily",
    "diary",
    "journal",
    "changelog",
    "release notes",
    "status",
    "invoice",
    "statement",
    "protokoll",
    "sitzung",
    "rundschreiben",
    "bericht",
    "notiz",
    "pressemitteilung",
    "rechnung",
    "procès-verbal",
    "compte rendu",
    "compte-rendu",
    "réunion",
    "communiqué",
    "facture",
    "acta",
    "reunión",
    "informe",
    "verbale",
    "riunione",
    "comunicato",
    "ata da",
    "notulen",
    "протокол",
    "отчёт",
    "議事録",
    "会議",
    "お知らせ",
    "通知",
    "日報",
    "週報",
    "会報",
    "広報",
    "プレスリリース",
    "会议",
    "纪要",
    "公告",
    "通報",
    "회의록",
];

/// Whether a label is about somebody's life, the founding of a body or a deadline, and not about the document.
pub(super) fn is_unrelated_label(label: &str) -> bool {
    const OTHERS: [&str; 22] = [
        "出生", "生年", "生日", "誕", "死", "亡", "没", "婚", "期限", "有効", "締切", "成立", "设立", "設立", "创立",
        "創立", "创建", "到期", "届满", "满期", "満了", "截止",
    ];
    OTHERS.iter().any(|word| label.contains(word))
}

/// Whether a name ends like that of an office that issues documents.
pub(in crate::documents::parse) fn is_office(name: &str) -> bool {
    const OFFICES: [&str; 16] = [
        "課",
        "部",
        "室",
        "係",
        "局",
        "所",
        "店",
        "庁",
        "省",
        "社",
        "会",
        "校",
        "院",
        "センター",
        "チーム",
        "グループ",
    ];
    OFFICES.iter().any(|office| name.ends_with(office))
}

/// The name behind an abbreviated word for a town or a village, with which Russian and Ukrainian papers begin the line
/// of their place and day.
pub(super) fn town(text: &str) -> Option<&str> {
    let kinds = ["г.", "гор.", "м.", "с.", "пос."];
    kinds.iter().find_map(|kind| text.strip_prefix(kind)).map(|name| name.trim_matches([' ', ',', '«']))
}

/// The writer's name, after a word that introduces it.
pub(super) fn by(text: &str) -> Option<&str> {
    const BY: [&str; 8] = ["by ", "von ", "par ", "por ", "di ", "door ", "da ", "from "];
    let low = text.to_lowercase();
    let found = BY.iter().find(|by| low.starts_with(**by))?;
    text.get(found.len()..)
}

/// The name of who wrote a paper, after words that say so: "Prepared by Ann Lee".
pub(super) fn author(text: &str) -> Option<&str> {
    const WROTE: &str = "prepared|written|drafted|compiled|submitted|issued|erstellt|verfasst|vorgelegt|rédigé|établi|\
        préparé|elaborado|redactado|preparado|redatto|preparato|escrito|opgesteld|geschreven";
    let (first, rest) = text.split_once(' ')?;
    let first = first.to_lowercase();
    WROTE.split('|').any(|word| word == first).then(|| by(rest)).flatten()
}

const TIMES: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "mon",
    "tue",
    "wed",
    "thu",
    "fri",
    "sat",
    "sun",
    "montag",
    "dienstag",
    "mittwoch",
    "donnerstag",
    "freitag",
    "samstag",
    "sonntag",
    "lundi",
    "mardi",
    "mercredi",
    "jeudi",
    "vendredi",
    "samedi",
    "dimanche",
    "lunes",
    "martes",
    "miércoles",
    "jueves",
    "viernes",
    "sábado",
    "domingo",
    "lunedì",
    "martedì",
    "mercoledì",
    "giovedì",
    "venerdì",
    "sabato",
    "domenica",
    "segunda-feira",
    "terça-feira",
    "quarta-feira",
    "quinta-feira",
    "sexta-feira",
    "maandag",
    "dinsdag",
    "woensdag",
    "donderdag",
    "vrijdag",
    "zaterdag",
    "zondag",
    "poniedziałek",
    "wtorek",
    "środa",
    "czwartek",
    "piątek",
    "sobota",
    "niedziela",
    "понедельник",
    "вторник",
    "среда",
    "четверг",
    "пятница",
    "суббота",
    "воскресенье",
    "uhr",
    "am",
    "pm",
    "utc",
    "gmt",
    "at",
    "h",
    "z",
    "r",
    "г",
    "года",
    "року",
    "م",
];

/// Whether a text begins with a time or a day of the week.
pub(super) fn is_time(text: &str) -> bool {
    let word: String = text.chars().take_while(|character| character.is_alphabetic()).collect();
    let wide = [
        "午前", "午後", "月曜", "火曜", "水曜", "木曜", "金曜", "土曜", "日曜", "星期", "周", "上午", "下午", "現在",
        "付",
    ];
    TIMES.contains(&word.to_lowercase().as_str()) || wide.iter().any(|known| text.starts_with(known))
}

/// Removes marks, times and days of the week from both ends.
pub(super) fn without_times(text: &str) -> &str {
    let mut rest = text;
    loop {
        let trimmed = rest.trim_matches(|character: char| !character.is_alphabetic());
        let first = trimmed.split(|character: char| !character.is_alphabetic()).next().unwrap_or_default();
        let last = trimmed.rsplit(|character: char| !character.is_alphabetic()).next().unwrap_or_default();
        let is_known = |word: &str| {
            let day = ["月", "火", "水", "木", "金", "土", "日", "曜", "祝", "時", "分", "午前", "午後", "年"];
            let low = word.to_lowercase();
            TIMES.contains(&low.as_str())
                || ["the", "den", "le"].contains(&low.as_str())
                || (!word.is_empty()
                    && word.chars().count() <= 3
                    && word.chars().all(|one| day.iter().any(|known| known.contains(one))))
        };
        if is_known(first) {
            rest = &trimmed[first.len()..];
        } else if is_known(last) {
            rest = &trimmed[..trimmed.len() - last.len()];
        } else {
            return trimmed;
        }
    }
}

/// The text before a day of the week at its end; all of it if it ends otherwise.
pub(super) fn without_day(text: &str) -> &str {
    let day = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    if is_time(day) { text[..text.len() - day.len()].trim_end_matches([' ', ':', ',']) } else { text }
}
