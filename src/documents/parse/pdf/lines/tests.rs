//! Lines of glyphs placed where a program draws them.

use super::*;

/// Checks glyphs half as wide as high, given by where they begin, how high they stand, their size and their text.
fn check(glyphs: &[(f64, f64, f64, &str)], expected: &str) {
    let mut collector = LineCollector::default();
    for &(x, y, size, glyph) in glyphs {
        collector.put(Affine::translate((x, y)) * Affine::scale(size), 0.5, glyph);
    }
    let lines = arranged(collector.drawn());
    assert_eq!(lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), [expected]);
}

#[test]
fn a_script_written_to_the_left_stays_in_its_line() {
    let words = "\u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{5dc}\u{5db}\u{5dd}";
    let letters: Vec<String> = words.chars().map(String::from).collect();
    let glyphs: Vec<(f64, f64, f64, &str)> =
        letters.iter().enumerate().map(|(at, one)| (500.0 - at as f64 * 5.0, 100.0, 10.0, one.as_str())).collect();
    check(&glyphs, words);
    // A mark drawn before its letter is written after that letter, not after the word before.
    let at = |x: f64, one| (x, 100.0, 10.0, one);
    check(&[at(0.0, "\u{644}"), at(9.0, "\u{650}"), at(7.5, "\u{645}")], "\u{645}\u{650} \u{644}");
}

#[test]
fn a_space_that_is_taken_back_parts_no_words() {
    let at = |x: f64, one| (x, 100.0, 10.0, one);
    for next in [4.2, 5.0] {
        check(&[at(0.0, "a"), at(5.0, " "), at(next, "s")], "as");
        check(&[at(0.0, "\u{647}"), at(5.0, " "), at(next, "\u{643}")], "\u{643}\u{647}");
    }
    check(&[at(0.0, "a"), at(5.0, " "), at(5.5, "s")], "a s");
}

#[test]
fn signs_without_names_are_told_by_their_place() {
    let at = |x: f64, one| (x, 100.0, 10.0, one);
    check(&[at(0.0, "\u{fffd}"), at(5.0, " "), at(10.0, "a")], "\u{2022} a");
    check(&[at(0.0, "a"), at(5.0, "\u{ad}"), at(10.0, "b"), at(20.0, "c"), at(25.0, "\u{ad}")], "a-b c\u{ad}");
}

#[test]
fn room_around_figures_among_ideographs_is_no_space() {
    let glyphs =
        |gap: f64| [(0.0, 100.0, 10.0, "後"), (5.0 + gap, 100.0, 10.0, "5"), (10.0 + 2.0 * gap, 100.0, 10.0, "年")];
    check(&glyphs(2.5), "後5年");
    check(&glyphs(6.0), "後 5 年");
    // Korean has spaces.
    check(&[(0.0, 100.0, 10.0, "제"), (7.5, 100.0, 10.0, "5"), (15.0, 100.0, 10.0, "조")], "제 5 조");
}

#[test]
fn ligatures_are_letters_and_raised_numbers_are_told_from_others() {
    check(&[(0.0, 100.0, 10.0, "\u{fb01}t"), (5.0, 104.0, 6.0, "2")], "fit^2");
    check(
        &[(0.0, 100.0, 10.0, "1"), (5.0, 100.0, 10.0, "0"), (10.0, 104.0, 6.0, "1"), (13.0, 104.0, 6.0, "2")],
        "10^12",
    );
    check(&[(0.0, 100.0, 10.0, "O"), (5.0, 98.0, 6.0, "2")], "O2");
    check(&[(0.0, 104.0, 6.0, "1"), (3.0, 100.0, 10.0, "T"), (8.0, 100.0, 10.0, "o")], "1 To");
    // Some room after the mark makes no difference.
    check(&[(0.0, 104.0, 6.0, "1"), (6.0, 100.0, 10.0, "T"), (11.0, 100.0, 10.0, "o")], "1 To");
    let word = |at: f64, y: f64, size: f64| {
        ["b", "a", "s", "e"]
            .map(|one| (one, y, size))
            .into_iter()
            .enumerate()
            .map(move |(index, (one, y, size))| (at + index as f64 * size * 0.5, y, size, one))
            .collect::<Vec<_>>()
    };
    check(&[word(0.0, 100.0, 10.0), word(20.0, 97.5, 7.0)].concat(), "base base");
}

#[test]
fn a_letter_is_followed_by_its_subscript_its_superscript_and_the_next_factor() {
    let x = |at: f64| (at, 100.0, 10.0, "x");
    // TeX draws the superscript first.
    check(&[x(0.0), (5.0, 104.0, 7.0, "3"), (5.0, 97.5, 7.0, "2"), x(9.0)], "x2^3 x");
    check(&[x(0.0), (5.0, 97.5, 7.0, "i"), (5.0, 104.0, 7.0, "2"), (9.0, 100.0, 10.0, ",")], "xi^2,");
    let wide = [(5.0, 104.0, 7.0, "a"), (8.5, 104.0, 7.0, "b"), (12.0, 104.0, 7.0, "c"), (15.5, 104.0, 7.0, "d")];
    check(&[&[x(0.0)], &wide[..], &[(5.0, 97.5, 7.0, "t"), (19.5, 100.0, 10.0, "y")]].concat(), "xtabcd y");
    let (one, three) = ((9.0, 104.0, 7.0, "1"), (9.0, 97.5, 7.0, "3"));
    check(&[x(0.0), one, three, (12.5, 100.0, 10.0, "x")], "x 1/3x");
    // The rest of a word follows without room, and a chemical formula is one word.
    check(&[(0.0, 100.0, 10.0, "M"), (5.0, 104.0, 7.0, "c"), (8.5, 100.0, 10.0, "d")], "Mcd");
    check(&[(0.0, 100.0, 10.0, "H"), (5.0, 97.5, 7.0, "2"), (9.0, 100.0, 10.0, "O")], "H2O");
}

#[test]
fn an_accent_and_its_letter_are_one() {
    check(&[(0.0, 100.0, 10.0, "\u{a8}"), (0.0, 100.0, 10.0, "u"), (5.0, 100.0, 10.0, "r")], "\u{fc}r");
    check(&[(0.0, 100.0, 10.0, "c"), (0.5, 100.0, 10.0, "\u{b8}"), (5.0, 100.0, 10.0, "a")], "\u{e7}a");
    check(&[(0.0, 101.0, 10.0, "\u{b4}"), (0.0, 100.0, 10.0, "\u{131}")], "\u{ed}");
    // The room before an accent is that before its wider letter. The accent of a narrower letter begins before that
    // letter.
    for room in [1.2, 1.8] {
        let drawn = [(0.0, 100.0, 10.0, "a"), (5.0 + room, 100.0, 10.0, "\u{b4}"), (5.0, 100.0, 10.0, "n")];
        check(&[&drawn[..], &[(10.0, 100.0, 10.0, "s")]].concat(), "a\u{144}s");
    }
    check(&[(0.0, 100.0, 10.0, "a"), (3.5, 100.0, 10.0, "\u{b4}"), (5.0, 100.0, 10.0, "i")], "a\u{ed}");
    // The room between two letters may lie before an accent that is raised over the second one.
    let mut collector = LineCollector::default();
    for (x, y, size, width, glyph) in [
        (50.0, 100.0, 10.0, 0.5, "a"),
        (56.6, 104.0, 6.0, 0.333, "\u{b4}"),
        (55.5, 104.0, 6.0, 0.7, "w"),
        (59.7, 100.0, 10.0, 0.5, "b"),
    ] {
        collector.put(Affine::translate((x, y)) * Affine::scale(size), width, glyph);
    }
    assert_eq!(arranged(collector.drawn())[0].text, "a\u{1e83}b");
    // Side by side they are two characters.
    check(&[(0.0, 100.0, 10.0, "^"), (5.0, 100.0, 10.0, "a")], "^a");
}

#[test]
fn a_word_on_a_curve_and_a_mirrored_letter_stay_whole() {
    let mut collector = LineCollector::default();
    let mut place = Affine::translate((100.0, 100.0));
    for letter in ["w", "a", "v", "e"] {
        collector.put(place * Affine::scale(10.0), 0.5, letter);
        place = place * Affine::translate((5.0, 0.0)) * Affine::rotate(0.2);
    }
    assert_eq!(arranged(collector.drawn()).iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), ["wave"]);
    let mut collector = LineCollector::default();
    collector.put(Affine::translate((0.0, 100.0)) * Affine::scale(10.0), 0.5, "X");
    collector.put(Affine::translate((10.0, 98.0)) * Affine::scale_non_uniform(-10.0, 10.0), 0.5, "E");
    collector.put(Affine::translate((10.0, 100.0)) * Affine::scale(10.0), 0.5, "L");
    assert_eq!(arranged(collector.drawn())[0].text, "XEL");
}
