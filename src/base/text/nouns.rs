//! What the words of a question name, in languages where a word carries its particle, as Korean `승강기를`, or stands without
//! spaces among others, as Chinese `附近有住宿`. What only asks or names nothing is left out. Where nobody can tell what is a
//! word, none is given.

use std::ops::Range;

use super::{is_cjk, is_listed};

/// Particles behind Korean nouns.
const PARTICLES: &str = "은 는 이 가 을 를 에 의 와 과 도 로 만 들 들은 들이 들을 들의 에는 에도 에서 에서는 에서도 에게 에게서 한테 \
     으로 으로는 까지 부터 처럼 보다 마다 이나";

/// Ends of verbs before a noun, which look like the particle 는.
const VERBAL: &str = "하는 되는 있는 없는 않는 받는 드는 리는 지는 치는 키는 니는 르는 내는";

/// Korean nouns and pronouns that name nothing.
const KOREAN_SMALL: &str = "무엇 누구 언제 어디 어느 얼마 우리 저희 여러분 지금 현재 사람 경우 정도 이유 원인 방법 가운데 동안 이후 이전 \
     다음 이것 그것 거기 여기 저기 모두 전부 것들";

/// What parts the words of a Chinese question, and names nothing itself.
const CHINESE_CUTS: &str =
    "的了是在有和与或被把吗呢吧这那哪谁我你您他她它们要没也都还很从让给请几之這們嗎與從讓給請幾還沒誰";

/// Chinese words that hold one of these.
const CHINESE_WHOLE: &str = "有效 有限 拥有 享有 占有 国有 公有 私有 有机 重要 主要 要求 要点 必要 纪要 摘要 概要 存在 在线 内在 目的 标的 \
     了解 和平 和解 从事 几何 参与 与会 还款 归还 偿还 退还 都市 首都 供给 让步 转让 出让 请假 申请 邀请 聘请 请求 没收 他人 申請 邀請";

/// Chinese words that name nothing.
const CHINESE_SMALL: &str = "现在 目前 如今 今天 当时 时候 地方 东西 事情 问题 情况 可以 能够 应该 应当 必须 需要 是否 没有 一个 一些 一下 \
     所有 全部 其中 其他 之前 之后 以前 以后 以及 关于 对于 根据 按照 进行 作出 做出 得到 自己 这个 那个 如果 因为 所以 但是 并且 或者 多久 \
     多长 多大 为何 為何 現在 目前 時候 東西 可以 應該 需要 沒有";

/// The fewest characters of what is given, and the most of a Chinese word: a longer stretch is several.
const LEAST: usize = 2;
const MOST: usize = 4;

/// The nouns of a Korean text without their particles. One without a particle may as well be a verb, and is left out.
pub fn korean_nouns(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let named = words.filter_map(|word| if word.contains(is_cjk) { korean_noun(word) } else { Some(word) });
    named.filter(|word| length(word) >= LEAST).collect()
}

fn korean_noun(word: &str) -> Option<&str> {
    // What stands behind a number is counted with it.
    let is_noun = word.chars().all(is_cjk) && !VERBAL.split(' ').any(|end| word.ends_with(end));
    let cut = |particle: &str| {
        word.strip_suffix(particle).filter(|noun| length(noun) >= LEAST && stands_behind(noun, particle))
    };
    let noun = PARTICLES.split(' ').filter(|_| is_noun).filter_map(cut).min_by_key(|noun| noun.len())?;
    (!is_listed(KOREAN_SMALL, noun)).then_some(noun)
}

/// Whether a particle has the form that stands behind a noun of this end: 을 behind a consonant, 를 behind a vowel.
fn stands_behind(noun: &str, particle: &str) -> bool {
    let last = noun.chars().next_back().filter(|last| ('가'..='힣').contains(last));
    let Some(last) = last else { return true };
    let consonant = (u32::from(last) - u32::from('가')) % 28;
    match particle.chars().next() {
        Some('은' | '이' | '을' | '과' | '으') => consonant > 0,
        Some('는' | '가' | '를' | '와') => consonant == 0,
        // Behind ㄹ as behind a vowel.
        Some('로') => consonant == 0 || consonant == 8,
        _ => true,
    }
}

/// The words of a Chinese text, without the parts of it that ask: what stands between characters that are mostly words of their
/// own, where it is no longer than a word.
pub fn chinese_words<'t>(text: &'t str, asks: &[Range<usize>]) -> Vec<&'t str> {
    let mut pieces: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let whole = begins_with(CHINESE_WHOLE, rest);
        let parts = begins_with(CHINESE_SMALL, rest).or(CHINESE_CUTS.contains(first).then(|| first.len_utf8()));
        let is_asked = asks.iter().any(|part| part.contains(&at));
        let is_word = first.is_alphanumeric() && !is_asked && (whole.is_some() || parts.is_none());
        let end = at + whole.or(parts).filter(|_| !is_asked).unwrap_or(first.len_utf8());
        if is_word {
            let is_one =
                |last: &&mut Range<usize>| last.end == at && text[last.start..].starts_with(is_cjk) == is_cjk(first);
            match pieces.last_mut().filter(is_one) {
                Some(last) => last.end = end,
                None => pieces.push(at..end),
            }
        }
        at = end;
    }
    let words = pieces.into_iter().map(|piece| &text[piece]);
    words.filter(|word| length(word) >= LEAST && (length(word) <= MOST || !word.contains(is_cjk))).collect()
}

/// The length of the longest word of a table that a text begins with.
fn begins_with(table: &str, text: &str) -> Option<usize> {
    table.split_ascii_whitespace().filter(|word| text.starts_with(word)).map(str::len).max()
}

fn length(word: &str) -> usize {
    word.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::Language;
    use crate::base::text::formula::formula;

    #[test]
    fn korean_nouns_stand_without_their_particles() {
        let check = |text: &str, expected: &[&str]| assert_eq!(korean_nouns(text), expected, "{text}");
        check("옥상에서 온실을 짓는 데 얼마가 들었나요?", &["옥상", "온실"]);
        check("우리 도서관에서는 어떤 그림책들을 빌릴 수 있나요?", &["도서관", "그림책"]);
        check("정전의 원인은 무엇인가요?", &["정전"]);
        check("2021년에 문을 연 카페는 어디인가요?", &["카페"]);
        check("앞마을 빵집의 오븐은 언제 샀나요?", &["빵집", "오븐"]);
        check("Lumen 램프를 고치는 사람은 누구인가요?", &["Lumen", "램프"]);
        check("", &[]);
    }

    #[test]
    fn chinese_words_stand_between_small_ones() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(chinese_words(text, &formula(text, Language::from_code("cmn"))), expected, "{text}");
        };
        check("图书馆有停车场吗？", &["图书馆", "停车场"]);
        check("现在的押金是多少？", &["押金"]);
        check("合同的有效期多久？", &["合同", "有效期"]);
        check("谁是Alma的老师？", &["Alma", "老师"]);
        check("青石渡口老茶馆是什么？", &[]);
        check("", &[]);
    }
}
