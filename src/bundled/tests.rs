use super::*;
use crate::base::ContentHash;

#[test]
fn the_bundled_files_are_the_ones_that_were_measured() {
    let check = |bytes: &[u8], expected: &str| assert_eq!(ContentHash::of(bytes).to_string(), expected);
    check(TOKENIZER, "468371133fd4dc2398e5160af772de83");
    check(WORDS, "fa7887609ac269ab0e19f9fa788218e2");
}

#[test]
fn a_damaged_table_of_words_is_named() {
    fn check(bytes: &'static [u8], expected: &str) {
        let error = Vocabulary::from_bytes(TOKENIZER, bytes).err().map(|error| error.to_string()).unwrap();
        assert_eq!(error, format!("its table of words is damaged: {expected}"));
    }
    fn tokens() -> usize {
        Vocabulary::bundled().unwrap().tokenizer.len()
    }
    check(b"", "0 bytes are no head and whole rows");
    check(&WORDS[..8], &format!("it has 0 rows for {} tokens", tokens()));
    check(&WORDS[..WORDS.len() - 1], &format!("{} bytes are no head and whole rows", WORDS.len() - 1));
    let lacking = format!("it has {} rows for {} tokens", tokens() - 1, tokens());
    check(&WORDS[..WORDS.len() - DIMENSION], &lacking);
    check(&[0; 8 + DIMENSION], "392 bytes are no head and whole rows");
}

#[test]
fn a_damaged_graph_is_named() {
    let error = |bytes: &'static [u8]| Graph::load(bytes, &["x"]).err().map(|error| error.to_string()).unwrap();
    for bytes in [b"".as_slice(), b"not a graph", &[0; 4096]] {
        assert!(error(bytes).starts_with("its graph is damaged: "), "{}", error(bytes));
    }
}

#[test]
fn an_id_without_a_row_is_a_vector_of_zeros() {
    let words = Words::from_bytes(WORDS).unwrap();
    let last = i32::try_from(words.len()).unwrap();
    for id in [-1, last, i32::MAX] {
        assert_eq!(words.vectors(&[id]), [0.0; DIMENSION], "{id}");
    }
    assert_ne!(words.vectors(&[last - 1]), [0.0; DIMENSION]);
    assert_eq!(words.vectors(&[101, 102])[DIMENSION..], words.vectors(&[102]));
}

#[test]
fn work_on_all_cores_keeps_the_order() {
    let inputs: Vec<usize> = (0..50).collect();
    let done = on_all_cores(&inputs, |&input| input % 7, |&input, _| Ok(input * 2)).unwrap();
    assert_eq!(done, inputs.iter().map(|input| input * 2).collect::<Vec<_>>());
    let failed = on_all_cores(
        &inputs,
        |&input| input,
        |&input, _| match input {
            31 => Err(ModelError::Worker),
            _ => Ok(()),
        },
    );
    assert!(matches!(failed, Err(ModelError::Worker)));
    assert_eq!(on_all_cores(&inputs[..0], |_| 0, |_, _| Ok(())).unwrap().len(), 0);
}
