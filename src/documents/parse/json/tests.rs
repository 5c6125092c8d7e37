//! JSON and lines of it as paths, values, rows and headings.

use proptest::prelude::*;

use super::*;

fn check(input: &str, expected: &str, headings: &[&str]) {
    checked(parse(input).unwrap(), expected, headings);
}

fn check_lines(input: &str, expected: &str, headings: &[&str]) {
    checked(parse_lines(input).unwrap(), expected, headings);
}

fn checked(parsed: Parsed, expected: &str, headings: &[&str]) {
    assert_eq!(parsed.text, expected);
    assert_eq!(parsed.headings.iter().map(|heading| heading.text.as_str()).collect::<Vec<_>>(), headings);
    valid(&parsed);
}

fn valid(parsed: &Parsed) {
    for heading in &parsed.headings {
        assert!(parsed.text[heading.start..].starts_with(&heading.text), "{heading:?} in {:?}", parsed.text);
        assert!(heading.start == 0 || parsed.text[..heading.start].ends_with('\n'));
    }
    for &at in &parsed.breaks {
        assert!(at < parsed.text.len(), "{at} in {:?}", parsed.text);
        assert!(at == 0 || parsed.text[..at].ends_with("\n\n"), "{at} in {:?}", parsed.text);
    }
    assert!(parsed.breaks.is_sorted());
    assert!(parsed.headings.is_sorted_by_key(|heading| heading.start));
}

#[test]
fn keys_hold_nothing_that_a_terminal_obeys() {
    check(r#"{"a\u001b[2Jb": {"c\u0007": 1}}"#, "ab.c: 1", &[]);
}

#[test]
fn nesting_is_a_path_and_the_order_is_the_files() {
    check(
        r#"{"zip": 49007, "address": {"city": "Springfield", "street": {"no": 742}}, "open": true, "gone": null}"#,
        "zip: 49007\naddress.city: Springfield\naddress.street.no: 742\nopen: true",
        &[],
    );
}

#[test]
fn numbers_stand_as_they_are_written() {
    check(
        r#"{"price": 1.10, "name": 2.50, "text": 3.0e2, "ids": [98765432109876543210987, -0.70, 4], "note": "a \" 1.10", "n": 120.5}"#,
        "price: 1.10\nname: 2.50\ntext: 3.0e2\nids: 98765432109876543210987, -0.70, 4\nnote: a \" 1.10\nn: 120.5",
        &[],
    );
    check_lines("{\"a\": 1.10}\n{\"a\": 12}", "a: 1.10\n\na: 12", &[]);
    // An error gives its place in the file.
    let told = |number: &str| parse(&format!("{{\"a\": {number}, \"b\" 2}}")).expect_err("broken").to_string();
    assert_eq!(told("1.10"), told("1.25"));
}

#[test]
fn records_are_blocks_under_their_titles() {
    let input =
        r#"[{"id": 1, "title": "Bart", "text": "He skates. He shouts."}, {"name": "Lisa", "plays": ["sax", "chess"]}]"#;
    check(input, "Bart\nid: 1\n\nHe skates. He shouts.\n\nLisa\nplays: sax, chess", &["Bart", "Lisa"]);
    assert_eq!(parse(input).unwrap().breaks.len(), 2);
}

#[test]
fn the_main_text_stands_without_a_key() {
    check(r#"{"text": "One.\n\n\n\nTwo.", "year": 1990}"#, "One.\n\nTwo.\n\nyear: 1990", &[]);
    check(r#"[{"title": "A", "body": "Said."}]"#, "A\nSaid.", &["A"]);
}

#[test]
fn a_long_string_is_a_paragraph_below_its_key() {
    let long = "word ".repeat(60);
    check(&format!(r#"{{"a": {{"note": "{long}"}}, "b": 1}}"#), &format!("a.note:\n{}\n\nb: 1", long.trim()), &[]);
}

#[test]
fn records_below_a_key_are_blocks_too() {
    let input = r#"{"show": "S", "episodes": [{"title": "Pilot", "no": 1}, {"no": 2}], "end": "x"}"#;
    check(input, "show: S\n\nepisodes[1]: title: Pilot; no: 1.\n\nepisodes[2].no: 2\n\nend: x", &[]);
    assert_eq!(parse(input).unwrap().breaks, [9, 44]);
}

#[test]
fn a_record_of_short_values_is_a_row() {
    check(
        r#"{"pier": "West", "crew": [{"name": "Li", "role": "diver", "since": 1990}, {"name": "Ada; Bo", "role": null}]}"#,
        "pier: West\n\ncrew[1]: name: Li; role: diver; since: 1990.\n\nAda; Bo",
        &["Ada; Bo"],
    );
    check_lines(
        "{\"name\": \"Li\", \"role\": \"diver\"}\n{\"name\": \"Bo\", \"role\": \"cook\"}",
        "name: Li; role: diver.\n\nname: Bo; role: cook.",
        &[],
    );
}

#[test]
fn values_of_records_stand_as_in_the_file() {
    check_lines(
        "{\"id\": 1, \"run\": \"cd /x; make\"}\n{\"id\": 2, \"run\": \"make;\"}\n{\"id\": 3, \"run\": \"ls\\n\"}",
        "id: 1\nrun: cd /x; make\n\nid: 2\nrun: make;\n\nid: 3; run: ls.",
        &[],
    );
    check(
        r#"{"jobs": [{"image": "tools", "script": "cd src\nmake all\n"}, {"image": "docs", "script": "build"}]}"#,
        "jobs[1].image: tools\njobs[1].script:\ncd src\nmake all\n\njobs[2]: image: docs; script: build.",
        &[],
    );
}

#[test]
fn what_has_no_title_stands_below_no_other_one() {
    check_lines(
        "{\"title\": \"Log\", \"text\": \"It is red.\"}\n{\"id\": 9, \"text\": \"It is blue.\"}\n{\"id\": 10, \"age\": 7}",
        "Log\nIt is red.\n\nid: 9\n\nIt is blue.\n\nid: 10; age: 7.",
        &["Log", "id: 9", "id: 10"],
    );
    check(
        r#"{"rooms": [{"name": "Hall", "text": "Big."}, {"no": 2, "text": "Small."}], "note": "Old.", "end": 1}"#,
        "Hall\nrooms[1].text: Big.\n\nrooms[2].no: 2\nrooms[2].text: Small.\n\nnote: Old.\nend: 1",
        &["Hall", "rooms[2]", "note"],
    );
}

#[test]
fn title_and_date_come_from_the_top() {
    let parsed =
        parse(r#"{"title": " The  Town ", "published": "2019-04-05T10:00:00Z", "rows": [{"date": "1990-01-01"}]}"#)
            .unwrap();
    assert_eq!(parsed.title.as_deref(), Some("The Town"));
    assert_eq!(parsed.date.map(|known| known.date), Some(jiff::civil::date(2019, 4, 5)));
    assert_eq!(parse(r#"{"a": {"title": "no"}, "date": "last spring"}"#).unwrap().date, None);
}

#[test]
fn lines_are_records_and_a_bad_one_is_left_out() {
    check_lines("{\"a\": 1}\n\n{oops\n{\"a\": 2}\n", "a: 1\n\na: 2", &[]);
    check_lines("\"one\"\n{}\n[1, 2]", "one\n\n1, 2", &[]);
}

#[test]
fn mostly_bad_lines_name_the_first() {
    let error = parse_lines("{\"a\": 1}\nx\ny\n").unwrap_err();
    assert!(error.to_string().contains("2 of 3 lines") && error.to_string().contains("line 2"), "{error}");
}

#[test]
fn a_bad_line_is_lost_and_told() {
    let parsed = parse_lines("{\"a\": 1}\n{\"a\": 2\n{\"a\": 3}\n").expect("most of it is JSON");
    assert_eq!(parsed.text, "a: 1\n\na: 3");
    let lost = parsed.lost.expect("told");
    assert!(lost.starts_with("1 of 3 lines, which are no JSON; the first is line 2: EOF"), "{lost}");
}

#[test]
fn broken_deep_and_empty_files_are_told_apart() {
    assert!(matches!(parse("{\"a\": "), Err(ParseError::Broken { format: "JSON", .. })));
    assert!(matches!(parse(&"[".repeat(100_000)), Err(ParseError::Broken { .. })));
    for empty in ["{}", "[]", "null", "[{}, {}]", "{\"a\": \"\"}"] {
        assert!(matches!(parse(empty), Err(ParseError::Empty { .. })), "{empty}");
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let text = "[a\u{6f22}\u{e9} .\n]{0,12}";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        text.prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        let key = prop_oneof![Just("title".to_owned()), Just("text".to_owned()), "[a-c\n]{0,3}"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..5).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn offsets_of_any_value_are_valid(value in any_json()) {
        if let Ok(parsed) = parse(&value.to_string()) {
            valid(&parsed);
        }
        if let Ok(parsed) = parse_lines(&format!("{value}\n{value}")) {
            valid(&parsed);
        }
    }

    #[test]
    fn any_text_is_answered(text in "\\PC{0,60}") {
        drop(parse(&text));
        drop(parse_lines(&text));
    }
}
