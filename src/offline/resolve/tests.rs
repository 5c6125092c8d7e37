//! Follow-ups made to stand alone: by names, kinds and runs of words, in English and Japanese.

use super::*;

fn check(earlier: &str, follow_up: &str, expected: &str) {
    check_answered(earlier, "", follow_up, expected);
}

fn check_answered(earlier: &str, answer: &str, follow_up: &str, expected: &str) {
    let language = if earlier.contains(is_cjk) { Language::from_code("jpn") } else { Language::ENGLISH };
    assert_eq!(resolved(earlier, answer, follow_up, language), expected, "{earlier} {follow_up}");
}

#[test]
fn a_follow_up_becomes_a_question_of_its_own() {
    let ratings = "How many people watched The Simpsons in 2005?";
    check(ratings, "and in 2019?", "How many people watched The Simpsons in 2019?");
    check(
        "How has The Simpsons changed over time?",
        "and in 2019?",
        "How has The Simpsons changed over time, in 2019?",
    );
    check(ratings, "and what did the film earn?", "The Simpsons: what did the film earn?");
    check("Who ran seasons 5 and 6?", "and seasons 9 to 12?", "Who ran seasons 9 to 12?");
    check("Who ran season 5, and why?", "What about season 12?", "Who ran season 12, and why?");
    check(ratings, "Who wrote it?", "Who wrote The Simpsons?");
    check(ratings, "And who are their writers?", "who are The Simpsons's writers?");
    check(ratings, "Where did Matt Groening grow up as a child?", "Where did Matt Groening grow up as a child?");
    check(
        ratings,
        "Why did ratings fall after the nineties?",
        "The Simpsons: Why did ratings fall after the nineties?",
    );
}

#[test]
fn a_new_term_takes_the_place_of_one_of_its_kind() {
    check("What does the MX-25 cost in 2026?", "and the MX-40?", "What does the MX-40 cost in 2026?");
    check("What does the MX-25 cost in 2026?", "and in 2027?", "What does the MX-25 cost in 2027?");
    check("Who manages the Nagoya branch?", "And Osaka?", "Who manages the Osaka branch?");
    check("How many people work on the day shift?", "and the night shift?", "How many people work on the night shift?");
    check("What mode should directories have?", "And setuid executables?", "What mode should setuid executables have?");
    check(
        "Which numbers are for dynamically allocated system users?",
        "And for ordinary user accounts?",
        "Which numbers are for ordinary user accounts?",
    );
    check("When did D'oh enter a dictionary?", "What about embiggen?", "When did embiggen enter a dictionary?");
    check("What was the revenue in March?", "And in April?", "What was the revenue in April?");
    check("How long does the battery last?", "And the motor?", "How long does the motor last?");
    check(
        "What is the phone number of the help desk?",
        "and of the reception?",
        "What is the phone number of the reception?",
    );
    check("How many vacation days do new employees get?", "And managers?", "How many vacation days do managers get?");
    check(
        "How much revenue did the north region make in Q2?",
        "And the south?",
        "How much revenue did the south make in Q2?",
    );
    check("Where is /etc/passwd described?", "and /etc/shadow?", "Where is /etc/shadow described?");
}

#[test]
fn words_that_stand_for_something_are_replaced_by_it() {
    check_answered(
        "Who is the voice of Apu?",
        "Hank Azaria",
        "When did he give up the part?",
        "When did Hank Azaria give up the part?",
    );
    check_answered(
        "When did Phil Hartman die?",
        "1998",
        "Which characters did he speak?",
        "Which characters did Phil Hartman speak?",
    );
    check_answered(
        "Who wrote the most episodes?",
        "John Swartzwelder",
        "How many did he write?",
        "How many episodes did John Swartzwelder write?",
    );
    check_answered("Which studio animated the film?", "Film Roman", "Where is it based?", "Where is Film Roman based?");
    check_answered("Which year did the film open?", "2007", "How much did it earn?", "How much did the film earn?");
    check_answered("Who was Ada Lovelace?", "Countess of Lovelace", "When did she die?", "When did Ada Lovelace die?");
    check(
        "What is the most-watched episode of The Simpsons?",
        "How many people watched it?",
        "How many people watched the most-watched episode of The Simpsons?",
    );
    check("When did the first short air?", "How many of them were there?", "How many of the short were there?");
    check(
        "How long may the synopsis of a package be?",
        "May it be compressed?",
        "May the synopsis of a package be compressed?",
    );
    check("How should log files be named?", "When should they be removed?", "When should log files be removed?");
    check_answered(
        "Which studio animated the film?",
        "Film Roman",
        "Which one followed?",
        "Film Roman: Which studio followed?",
    );
}

#[test]
fn the_same_without_spaces() {
    check("mtime とは何ですか。", "では ctime は？", "ctime とは何ですか。");
    check("東京支店の売上はいくらですか。", "大阪は？", "大阪の売上はいくらですか。");
    check("東京支店の売上はいくらですか。", "大阪支店は？", "大阪支店の売上はいくらですか。");
    check("2025年の売上はいくらですか。", "2026年は？", "2026年の売上はいくらですか。");
    check(
        "ハードリンクはどのコマンドで作りますか。",
        "シンボリックリンクは？",
        "シンボリックリンクはどのコマンドで作りますか。",
    );
    check("Debian の行末コードは何ですか。", "Windows では？", "Windows の行末コードは何ですか。");
    check("クラス A の LAN のネットワークアドレスは？", "クラス C は？", "クラス C の LAN のネットワークアドレスは？");
    check("東京支店の定休日はいつですか。", "営業時間は？", "東京支店の営業時間はいつですか。");
    check("sudo とは何ですか。", "それはどのファイルで設定しますか。", "sudoはどのファイルで設定しますか。");
    check(
        "root アカウントとは何ですか。",
        "そのパスワードを他人に教えてもよいですか。",
        "root アカウントのパスワードを他人に教えてもよいですか。",
    );
    check_answered("営業部長は誰ですか。", "佐藤健", "彼はいつ着任しましたか。", "佐藤健はいつ着任しましたか。");
    check_answered("どの会社が屋根を改修しましたか。", "山田工務店", "同社の電話番号は？", "山田工務店の電話番号は？");
    check("屋根の改修はいつ終わりましたか。", "費用はいくらですか。", "屋根の改修の費用はいくらですか。");
}

#[test]
fn a_run_of_words_ends_where_it_ends() {
    let check = |earlier: &str, then: &str| {
        let whole = resolved(earlier, "", then, Language::ENGLISH);
        assert!(whole.ends_with("react?"), "{whole}");
    };
    check("who open ,  open", "how did they react?");
    check("Who do we call when something breaks - lifts, Rentbook -", "how fast do they have to react?");
}

proptest::proptest! {
    #[test]
    fn any_words_are_survived(
        first in proptest::collection::vec("who|did|has|the|of|film|-|, |it|open|opened|Rentbook|many|\\?|\\PC", 0..9),
        then in proptest::collection::vec("and|who|did|has|the|of|film|-|, |it|opened|Acme|many|\\?|\\PC", 0..9),
    ) {
        resolved(&first.join(" "), "", &then.join(" "), Language::ENGLISH);
    }
}
