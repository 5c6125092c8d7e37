//! The bundled reader: its model is the one that was measured, and any text can be read.

use super::*;
use crate::base::ContentHash;

fn of(question: &str, passage: &str) -> Pair {
    Pair::new((question, Language::UNKNOWN), (passage, Language::UNKNOWN))
}

fn read_all(pairs: &[(&str, &str)]) -> Vec<Reading> {
    let pairs: Vec<Pair> = pairs.iter().map(|&(question, passage)| of(question, passage)).collect();
    read_blocking(&pairs).unwrap()
}

/// The answer must contain `expected` and be at most 24 bytes longer.
fn check(question: &str, passage: &str, expected: &str) {
    let reading = read_all(&[(question, passage)]).remove(0);
    let answer = &passage[reading.answer.clone().unwrap()];
    let (found, most) = (answer.contains(expected), expected.len() + 24);
    assert!(found && answer.len() <= most, "{question}: {answer:?} instead of {expected:?}, {reading:?}");
}

#[test]
fn the_bundled_graph_is_the_one_that_was_measured() {
    assert_eq!(ContentHash::of(model::MODEL).to_string(), "421d6f6e44aa86577ac6dd496ca11762");
}

#[test]
fn it_finds_the_words_that_answer() {
    let passage = "The bridge was opened on 4 May 1932 by Queen Mary. It was designed by Ralph Freeman and cost 2.5 million pounds.";
    check("When was the bridge opened?", passage, "4 May 1932");
    check("Who designed the bridge?", passage, "Ralph Freeman");
    check("How much did the bridge cost?", passage, "2.5 million pounds");
}

#[test]
fn each_part_of_a_passage_has_words_that_answer_best() {
    let passage = "The bridge was opened on 4 May 1932. It was painted again in June 1977.";
    let reading = read_all(&[("When was the bridge opened?", passage)]).remove(0);
    let (first, second) = (0..36, 37..passage.len());
    assert_eq!(reading.within(first), reading.answer.clone().map(|answer| (answer, 0.0)));
    let (words, worse) = reading.within(second.clone()).unwrap();
    assert!(second.start <= words.start && words.end <= second.end && worse > 0.0, "{words:?} {worse}");
    assert_eq!(reading.within(passage.len()..passage.len()), None);
    assert_eq!(reading.within(4..5), None);
}

#[test]
fn it_reads_rows_lines_and_lists() {
    let list = "Contacts\n\n- Help desk: Maria Lopez, extension 3310\n- Security: Tom Baker, extension 2204\n";
    check("Who runs the help desk?", list, "Maria Lopez");
    let table = "| Plan | Price | Storage |\n| --- | --- | --- |\n| Basic | $5 | 10 GB |\n| Pro | $19 | 200 GB |\n| Team | $49 | 1 TB |\n";
    check("How much does the Pro plan cost?", table, "$19");
    check(
        "How long is the warranty?",
        "## 7. Warranty\n\nAcme warrants the cartridges for 18 months from delivery.",
        "18 months",
    );
    check(
        "How do I undo a commit but keep the changes?",
        "To undo the last commit and keep your changes, run:\n\n    git reset --soft HEAD~1\n",
        "git reset --soft HEAD~1",
    );
}

#[test]
fn it_reads_japanese() {
    let passage = "この橋は1932年5月4日に開通した。設計したのは田中太郎で、建設費は250万円であった。";
    check("橋を設計したのは誰ですか？", passage, "田中太郎");
    check("橋はいつ開通しましたか？", passage, "1932年5月4日");
    check(
        "名古屋支店の支店長は誰ですか？",
        "支店,支店長,電話\n東京,佐藤花子,03-1111-2222\n名古屋,鈴木健一,052-333-4444\n",
        "鈴木健一",
    );
}

#[test]
fn a_passage_that_answers_scores_higher_than_one_that_does_not() {
    let question = "Who painted the ceiling of the chapel?";
    let readings = read_all(&[
        (question, "Michelangelo painted the ceiling of the chapel between 1508 and 1512."),
        (question, "The chapel is open from nine to five, and on Sundays from noon."),
        (question, "Photosynthesis takes place in the chloroplasts of plants."),
    ]);
    let scores: Vec<f32> = readings.iter().map(Reading::score).collect();
    assert!(scores[0] > 0.0 && scores[0] > scores[1] + 2.0 && scores[1] < 0.0 && scores[2] < 0.0, "{scores:?}");
}

#[test]
fn a_pair_is_read_the_same_alone_and_among_others() {
    let long = "The committee discussed the budget of the railway at length. ".repeat(60);
    let pairs = [
        ("What did the committee discuss?", long.as_str()),
        ("Who wrote Hamlet?", "Shakespeare wrote Hamlet around 1600."),
        ("Who wrote Hamlet?", ""),
        ("", "Shakespeare wrote Hamlet around 1600."),
    ];
    let together = read_all(&pairs);
    for (pair, reading) in pairs.iter().zip(&together) {
        assert_eq!(read_all(&[*pair]), std::slice::from_ref(reading), "{}", pair.0);
    }
}

#[test]
fn an_answer_far_down_is_found() {
    let filler = "The weather was mild and the harvest was good in all of the villages along the river. ".repeat(120);
    let passage = format!("{filler}The mayor of the town in 1911 was Josephine Keller. {filler}");
    check("Who was the mayor of the town in 1911?", &passage, "Josephine Keller");
}

#[test]
fn any_text_is_read() {
    let endless = "あ".repeat(3_000);
    let odd = [
        "",
        " ",
        "\u{0}\u{1}\u{7f}",
        "word",
        "🙂",
        "....",
        "\u{200b}",
        "Привет, мир",
        "نص عربي",
        "a\u{301}\u{301}\u{301}",
        "ｱｲｳ",
        &endless,
    ];
    let questions = ["", "Who?", "誰ですか？", "\u{0}"];
    let pairs: Vec<(&str, &str)> =
        questions.iter().flat_map(|q| odd.iter().map(move |passage| (*q, *passage))).collect();
    for ((_, passage), reading) in pairs.iter().zip(read_all(&pairs)) {
        let answer = reading.answer.clone();
        assert!(
            answer.is_none_or(|range| passage.get(range).is_some_and(|answer| !answer.is_empty())),
            "{passage:.20}"
        );
        assert!(reading.score().is_finite(), "{passage:.20}");
    }
}

#[test]
fn a_hundred_thousand_bytes_are_read() {
    let huge = "Zahlen und Wörter, 数字と言葉 ".repeat(3_000);
    let reading = read_all(&[("Who was it?", &huge)]).remove(0);
    assert!(reading.answer.is_some_and(|range| huge.get(range).is_some()));
}

#[test]
fn what_has_no_words_has_no_answer() {
    for passage in ["", " \n", "\u{0}"] {
        assert_eq!(read_all(&[("Who?", passage)])[0].answer, None, "{passage:?}");
    }
}

#[test]
fn a_damaged_graph_is_an_error() {
    let error = |bytes: &'static [u8]| model::Reader::from_bytes(bytes).err().map(|error| error.to_string()).unwrap();
    assert!(error(b"").starts_with("its graph is damaged"));
    assert!(error(&model::MODEL[..model::MODEL.len() / 2]).starts_with("its graph is damaged"));
}

#[test]
fn it_knows_what_it_was_trained_for() {
    let check = |code: &str, expected: bool| assert_eq!(knows(Language::from_code(code)), expected, "{code}");
    check("eng", true);
    check("jpn", true);
    check("deu", false);
    check("cmn", false);
    check("und", true);
}

#[test]
fn it_reads_other_languages_by_their_glosses() {
    let check = |code: &str, question: &str, passage: &str, expected: &str| {
        let language = Language::from_code(code);
        let reading = read_blocking(&[Pair::new((question, language), (passage, language))]).unwrap().remove(0);
        assert_eq!(&passage[reading.answer.clone().unwrap()], expected, "{reading:?}");
        assert!(reading.score() > 0.0, "{reading:?}");
        assert!(can_read(language));
    };
    let library = "Die Bücherei ist von Montag bis Freitag geöffnet. Sie wird von Frau Zorglub geleitet.";
    check("deu", "Wer leitet die Bücherei?", library, "Frau Zorglub");
    let library = "La biblioteca abre de lunes a viernes. La dirige la señora Zorglub desde 2019.";
    check("spa", "¿Desde cuándo dirige la señora Zorglub la biblioteca?", library, "2019");
    let library = "Библиотека открыта с понедельника по пятницу. Её директор — Зорглуб.";
    check("rus", "Кто директор библиотеки?", library, "Зорглуб");
}

#[tokio::test]
async fn nothing_to_read_is_nothing() {
    assert_eq!(read(Vec::new(), Arc::new(|| true)).await.unwrap(), Some(Vec::new()));
}
