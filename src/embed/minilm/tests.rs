//! The bundled encoder gives the vectors that were measured, and they rank by meaning.

use super::*;
use crate::base::ContentHash;
use crate::bundled::tokenizer::MAX_TOKENS;

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn english(texts: &[&str]) -> Vec<Text> {
    texts.iter().map(|&text| text.into()).collect()
}

async fn embed(texts: &[&str]) -> Vec<ChunkVectors> {
    MiniLm::new().passages(english(texts)).await.unwrap()
}

#[test]
fn the_bundled_graph_is_the_one_that_was_measured() {
    assert_eq!(ContentHash::of(model::MODEL).to_string(), "6fd8d66617568b7ffc2c34f56f6dce75");
}

/// The model's vectors before Japanese words were added. Sums of 8-bit products round as the processor's kernels do:
/// without VNNI, single values differed by up to 0.0055, while the values of other texts differ by some 0.07.
#[tokio::test]
async fn english_vectors_are_those_of_the_model_without_other_words() {
    let check = async |text: &str, expected: [f32; 4]| {
        let vectors = embed(&[text]).await.remove(0);
        let near = vectors.embedding.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-2);
        assert!(near, "{text:?}: {:?} instead of {expected:?}", &vectors.embedding[..4]);
    };
    check("", [-0.1065, 0.0399, -0.0083, -0.0153]).await;
    check("How has The Simpsons changed over time?", [-0.0081, 0.0075, 0.0375, -0.0189]).await;
    check(
        &"The committee discussed the railway's budget, 12.5% of it — naïvely. ".repeat(12),
        [0.0438, 0.0433, -0.0241, 0.0578],
    )
    .await;
}

#[tokio::test]
async fn vectors_have_length_one_and_the_said_dimension() {
    let identity = MiniLm::new().identity().clone();
    for vectors in embed(&["A short text.", "", " ", "日本の首都は東京です。"]).await {
        assert_eq!(vectors.embedding.len(), identity.dimension);
        assert!((dot(&vectors.embedding, &vectors.embedding) - 1.0).abs() < 1e-4);
    }
}

#[tokio::test]
async fn a_text_has_the_same_vectors_alone_and_among_others() {
    let long = "The committee discussed the budget of the railway at length. ".repeat(12);
    let texts = ["Cats sleep all day.", &long, "", "Who wrote Hamlet?", "1 2 3"];
    let together = embed(&texts).await;
    assert_eq!(together.len(), texts.len());
    for (text, vectors) in texts.iter().zip(&together) {
        assert_eq!(embed(&[text]).await, std::slice::from_ref(vectors), "{text:?}");
    }
}

#[tokio::test]
async fn meaning_is_near_meaning() {
    let vectors = embed(&[
        "The film was praised by critics.",
        "Reviewers liked the movie.",
        "Photosynthesis takes place in chloroplasts.",
    ])
    .await;
    let near = dot(&vectors[0].embedding, &vectors[1].embedding);
    let far = dot(&vectors[0].embedding, &vectors[2].embedding);
    assert!(near > 0.5 && far < 0.3, "near {near}, far {far}");
}

#[tokio::test]
async fn states_are_of_content_tokens_only() {
    let width = states::bytes_per_state(DIMENSION);
    let count = |vectors: &ChunkVectors| vectors.states.len() / width;
    let vectors = embed(&["two words", "two, words...!", "", "?!"]).await;
    assert_eq!(vectors.iter().map(count).collect::<Vec<_>>(), [2, 2, 0, 0]);
}

#[tokio::test]
async fn a_very_long_text_is_cut() {
    let long = "word ".repeat(200_000);
    let endless = "x".repeat(3_000_000);
    let vectors = embed(&[&long, &endless]).await;
    assert_eq!(vectors[0].states.len(), (MAX_TOKENS - 2) * states::bytes_per_state(DIMENSION));
    assert!(vectors[1].states.is_empty(), "one unknown word");
}

#[tokio::test]
async fn late_interaction_finds_the_passage_with_the_answer() {
    let model = MiniLm::new();
    let query = model.queries(english(&["Who painted the ceiling of the chapel?"])).await.unwrap().remove(0);
    let tokens: Vec<&str> = query.states.iter().map(|state| state.token.as_str()).collect();
    assert_eq!(tokens, ["who", "painted", "the", "ceiling", "of", "the", "chapel"]);
    let passages = embed(&[
        "Michelangelo painted the ceiling of the Sistine Chapel between 1508 and 1512.",
        "The chapel choir sings on Sundays, and who comes early finds a seat.",
    ])
    .await;
    let mean = |similarities: &[f32]| {
        let rows = similarities.chunks(similarities.len() / tokens.len());
        rows.map(|row| row.iter().copied().fold(f32::NEG_INFINITY, f32::max)).sum::<f32>() / tokens.len() as f32
    };
    let states: Vec<Vec<u8>> = passages.into_iter().map(|passage| passage.states).collect();
    let similarities = model.similarities(&query, &states);
    let (right, wrong) = (mean(&similarities[0]), mean(&similarities[1]));
    assert!(right > wrong + 0.1, "right {right}, wrong {wrong}");
}

#[tokio::test]
async fn compressed_states_rank_like_floats() {
    let model = MiniLm::new();
    let texts =
        ["The river floods the valley each spring.", "Tax law changed in 1986.", "Spring water feeds the river."];
    let query = model.queries(english(&["When does the river flood?"])).await.unwrap().remove(0);
    let floats = model.queries(english(&texts)).await.unwrap();
    for (exact, vectors) in floats.iter().zip(embed(&texts).await) {
        let estimates = model.similarities(&query, &[vectors.states]).remove(0);
        for (state, row) in query.states.iter().zip(estimates.chunks(exact.states.len())) {
            for (other, estimate) in exact.states.iter().zip(row) {
                let exact = dot(&state.state, &other.state);
                assert!((exact - estimate).abs() < 0.2, "{} and {}: {estimate} for {exact}", state.token, other.token);
            }
        }
    }
}

#[test]
fn it_knows_its_languages_and_those_that_it_has_glosses_for() {
    let check = |code: &str, expected: bool| {
        assert_eq!(MiniLm::new().knows(Language::from_code(code)), expected, "{code}");
    };
    check("eng", true);
    check("und", true);
    check("jpn", true);
    check("deu", true);
    check("rus", true);
    check("cmn", true);
    check("swe", false);
}

#[test]
fn collections_of_earlier_editions_go_on_in_what_they_share() {
    let now = MiniLm::new();
    let check = |states: &str, japanese: bool| {
        let edition = MiniLm::with_states(states);
        let earlier = now.earlier(&edition).unwrap();
        assert_eq!((earlier.identity(), earlier.identity() == now.identity()), (&edition, false));
        assert!(earlier.knows(Language::ENGLISH) && !earlier.knows(Language::from_code("deu")));
        assert_eq!(earlier.knows(Language::from_code("jpn")), japanese);
        assert!(earlier.earlier(&edition).is_none());
    };
    check("sign-v1", false);
    check("sign-v1 with Japanese", false);
    check("sign-v1 with Japanese, second table", true);
    check("sign-v1 with Japanese, second table; first glosses", true);
    let first = MiniLm::with_states("sign-v1");
    for other in [now.identity().clone(), EmbedderIdentity { name: "other".to_owned(), ..first.clone() }] {
        assert!(now.earlier(&other).is_none(), "{other:?}");
    }
}
