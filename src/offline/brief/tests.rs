//! Briefs of many forms in English and Japanese, and the searches that they are split into.

use super::*;

#[test]
fn a_brief_is_taken_apart() {
    let queries = |question: &str, language: Language| -> Vec<String> {
        parts(question, language).into_iter().map(|part| part.query).collect()
    };
    let check = |question: &str, expected: &[&str]| {
        assert_eq!(queries(question, Language::ENGLISH), expected, "{question}");
    };
    check("When did the film open?", &[]);
    check(
        "Report on Acme: (1) revenue in 2024; (2) number of staff; and (3) who runs Beta. Be specific about numbers.",
        &["Acme: revenue in 2024", "Acme: number of staff", "who runs Beta."],
    );
    check("Who runs it? How long does it take? Keep it short.", &["Who runs it?", "How long does it take?"]);
    check("1. Who wrote it?\n2. When was it written?", &["Who wrote it?", "When was it written?"]);
    check("In 1998 (1) of them left.", &[]);
    check("What do Articles 6(1) and 6(2) of the bylaws say of proxies?", &[]);
    check("Who wrote it, and when?", &[]);
    check(
        "What became of Acme? I'd like to know when the takeover was completed, where one can buy it now, and how many \
         shops are left.",
        &[
            "What became of Acme",
            "Acme: when the takeover was completed",
            "Acme: where one can buy it now",
            "Acme: how many shops are left",
        ],
    );
    check(
        "Please prepare one page on the pay of the voice actors: (1) what each earned before 1998, (2) the peak.",
        &["pay voice actors: what each earned before 1998", "pay voice actors: the peak."],
    );
    check(
        "What must compiled programs do? Cover static linking, stripping, and what holds where two clash.",
        &[
            "compiled programs: static linking",
            "compiled programs: stripping",
            "compiled programs: what holds where two clash",
        ],
    );
    check(
        "Please write a short guide to the changelog: what an entry holds, the encoding, and the form of the date.",
        &[
            "guide changelog: what an entry holds",
            "guide changelog: the encoding",
            "guide changelog: the form of the date",
        ],
    );
    check(
        "What do customers say? I need it for a talk on Monday, so give me scores, the main complaints, and some lost cases.",
        &["customers say: scores", "customers say: the main complaints", "customers say: some lost cases"],
    );
    check("Compare Acme and Beta. Be specific.", &[]);
    check(
        "I have a meeting with Acme tomorrow; I need to know its history, its prices and who runs it.",
        &["Acme: history", "Acme: prices", "Acme: who runs it"],
    );
    check(
        "I meet Acme on Monday and need the contract, their complaints, and what we agreed.",
        &["Acme: the contract", "Acme: complaints", "Acme: what we agreed"],
    );
    check("What of Acme? Include dates, figures, and sources.", &[]);
    check("Which of these is true: it is red, it is blue, or it is green?", &[]);
    let japanese = queries(
        "バックアップの方針を検討しています。(1) 何を残すか、(2) バックアップから外すべきものは何か、を一枚にまとめてください。",
        Language::from_code("jpn"),
    );
    assert_eq!(japanese, ["バックアップの方針: 何を残すか", "バックアップから外すべきものは何か"]);
    let japanese =
        queries("①売上はいくらか。②社員は何人か。具体的な数字を示してください。", Language::from_code("jpn"));
    assert_eq!(japanese, ["売上はいくらか。", "社員は何人か。"]);
    let check = |question: &str, expected: &[&str]| {
        assert_eq!(queries(question, Language::from_code("jpn")), expected, "{question}");
    };
    check("断水と停電、それぞれいつですか。", &["断水はいつですか。", "停電はいつですか。"]);
    check("保証期間はいつまでですか。教えてください。", &[]);
}

#[test]
fn instructions_are_no_questions() {
    let check = |question: &str, expected: &str| assert_eq!(without_instructions(question), expected);
    check("How has the show changed? Be specific about numbers.", "How has the show changed?");
    check("Use of the table in Rome", "Use of the table in Rome");
    check("Keep it short.", "Keep it short.");
    check("発売日はいつですか。数字を入れて説明してください。", "発売日はいつですか。");
    // A sentence that wants three things or more is no instruction, even if it ends with words on the form.
    let wanted = "発売日、国内価格、展示会での扱いを、数字を入れて説明してください。";
    check(&format!("新製品を発売します。{wanted}"), &format!("新製品を発売します。 {wanted}"));
}

proptest::proptest! {
    #[test]
    fn any_text_is_survived(text in "[\\PC\n()0-9①②？]{0,80}") {
        parts(&text, Language::ENGLISH);
        without_instructions(&text);
    }

    #[test]
    fn any_words_are_survived(
        words in proptest::collection::vec("who|how|did|has|the|of|film|-|, |and|it|Acme|many|\\?|\\.|（|）|、|それぞれ|断水|か。|\\PC", 0..16),
    ) {
        for text in [words.join(" "), words.concat()] {
            parts(&text, Language::ENGLISH);
            parts(&text, Language::from_code("jpn"));
        }
    }
}
