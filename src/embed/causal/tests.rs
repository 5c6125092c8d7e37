//! Small models with made-up weights, compared with the values of the reference implementation.

use std::path::Path;

use serde_json::{Value, json};

use super::decoder::Decoder;
use super::embedder::CausalModel;
use super::folder::Folder;
use super::testing::{config, tensors, tokenizer, write, write_weights};
use crate::embed::{Embedder, QueryVectors};

const FAMILIES: [&str; 5] = ["qwen2", "llama", "mistral", "phi3", "phi"];

const IDS: [u32; 12] = [5, 17, 2, 63, 40, 9, 9, 31, 22, 58, 1, 12];

const WORDS: &str = "the old bridge of chur was built by lea simmen from 1902 on who when it crosses plessur";

fn words() -> Value {
    tokenizer(WORDS.split(' '))
}

fn decoder(config: &Value) -> Decoder {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), config, &words());
    Folder::open(folder.path()).unwrap().decoder().unwrap()
}

fn near(found: &[f32], expected: &[f32], why: &str) {
    assert_eq!(found.len(), expected.len(), "{why}");
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() < 1e-4, "{why}: {found} instead of {expected} at {at}");
    }
}

/// The first six values of the last token's state, the last two of the sixth's, and the sum of all absolute values, as
/// transformers 4.46.3 gives them for the same weights, with attention computed plainly.
const REFERENCE: [(&str, [f32; 6], [f32; 2], f32); 5] = [
    ("qwen2", [0.726234, -1.783926, -0.781098, -1.110723, -1.836986, 1.238702], [1.056884, 0.718265], 309.0872),
    ("llama", [0.663973, -1.592404, -0.671142, -1.670005, -1.681004, 1.198237], [0.94553, 0.832956], 307.6953),
    ("mistral", [-0.087312, 0.295031, -0.148164, -0.841588, -0.195476, 0.449455], [0.282182, -0.044286], 306.2401),
    ("phi3", [0.793463, 0.167823, 3.198107, -0.256528, -1.572579, 0.048932], [0.9899, 0.891275], 310.657),
    ("phi", [-1.450449, -0.372788, 1.274944, -1.145227, -0.416922, -0.844358], [-0.495177, 0.376333], 305.1999),
];

#[test]
fn states_are_those_of_the_reference() {
    for (family, last, sixth, sum) in REFERENCE {
        let states = decoder(&config(family)).states(&IDS).unwrap();
        near(&states[11 * 32..][..6], &last, family);
        near(&states[6 * 32 - 2..][..2], &sixth, family);
        let found: f32 = states.iter().map(|value| value.abs()).sum();
        assert!((found - sum).abs() < 0.01, "{family}: {found} instead of {sum}");
    }
}

#[test]
fn later_tokens_change_no_earlier_state_and_earlier_ones_do() {
    for family in FAMILIES {
        let decoder = decoder(&config(family));
        let whole = decoder.states(&IDS).unwrap();
        let cut = decoder.states(&IDS[..7]).unwrap();
        near(&cut, &whole[..7 * 32], family);
        let mut other = IDS;
        other[3] = 8;
        let changed = decoder.states(&other).unwrap();
        near(&changed[..3 * 32], &whole[..3 * 32], family);
        for token in 3..IDS.len() {
            let range = token * 32..(token + 1) * 32;
            let moved = changed[range.clone()].iter().zip(&whole[range]).any(|(a, b)| (a - b).abs() > 1e-4);
            assert!(moved, "{family}: token {token} has not read token 3");
        }
        assert!(decoder.states(&[]).unwrap().is_empty());
        assert!(decoder.states(&[64]).is_err(), "{family}: there is no such token");
    }
}

/// The order of two earlier tokens reaches a later state only through their positions.
#[test]
fn places_count() {
    for family in FAMILIES {
        let mut one_layer = config(family);
        one_layer["num_hidden_layers"] = json!(1);
        let decoder = decoder(&one_layer);
        let last = |ids: &[u32]| decoder.states(ids).unwrap().split_off(2 * 32);
        let (one, other) = (last(&[5, 17, 2]), last(&[17, 5, 2]));
        assert!(one.iter().zip(&other).any(|(a, b)| (a - b).abs() > 1e-4), "{family}");
    }
}

#[test]
fn weights_in_several_files_are_those_in_one() {
    let config = config("qwen2");
    let single = decoder(&config).states(&IDS).unwrap();
    let tensors = tensors(&config);
    let check = |prefix: bool, index: bool| {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &config, &words());
        std::fs::remove_file(folder.path().join("model.safetensors")).unwrap();
        let name = |name: &String| if prefix { name.clone() } else { name.replacen("model.", "", 1) };
        let named: Vec<_> = tensors.iter().map(|(tensor, values)| (name(tensor), values)).collect();
        let mut map = serde_json::Map::new();
        for (number, part) in named.chunks(10).enumerate() {
            let file = format!("model-{number}.safetensors");
            write_weights(&folder.path().join(&file), part.iter().map(|(name, values)| (name, *values)));
            map.extend(part.iter().map(|(name, _)| (name.clone(), json!(file))));
        }
        if index {
            let index = json!({"metadata": {"total_size": 1}, "weight_map": map});
            std::fs::write(folder.path().join("model.safetensors.index.json"), index.to_string()).unwrap();
        }
        let states = Folder::open(folder.path()).unwrap().decoder().unwrap().states(&IDS).unwrap();
        assert_eq!(states, single, "prefix {prefix}, index {index}");
    };
    check(true, true);
    check(true, false);
    check(false, true);
}

fn open(folder: &Path) -> CausalModel {
    CausalModel::open(&folder.to_string_lossy()).unwrap()
}

#[tokio::test]
async fn a_text_does_not_depend_on_its_neighbours() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &config("llama"), &words());
    let model = open(folder.path());
    let texts = ["The old bridge of Chur", "", "Lea Simmen built it.", "…"].map(str::to_owned).to_vec();
    let together = model.passages(texts.clone()).await.unwrap();
    assert_eq!(together[0].states.len(), 5 * 32 / 8, "a bit for each dimension of each token");
    assert_eq!((together[1].states.len(), together[3].states.len()), (0, 0));
    for (text, expected) in texts.iter().zip(&together) {
        assert_eq!(&model.passages(vec![text.clone()]).await.unwrap()[0], expected, "{text}");
        assert_eq!(expected.embedding.len(), 32);
        assert!(expected.embedding.iter().all(|value| value.is_finite()), "{text}");
        assert_eq!(model.state_ranges(text).len(), expected.states.len() / 4);
    }
}

#[tokio::test]
async fn a_question_is_the_state_of_its_last_token() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &config("qwen2"), &words());
    let model = open(folder.path());
    let texts = ["Who built it?", "Who built it", "When"].map(str::to_owned).to_vec();
    let queries = model.queries(texts).await.unwrap();
    let question = |query: &QueryVectors| query.question.clone().unwrap();
    let length = |vector: &[f32]| vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    assert!(queries.iter().all(|query| (length(&question(query)) - 1.0).abs() < 1e-5));
    let pieces: Vec<&str> = queries[0].states.iter().map(|state| state.token.as_str()).collect();
    assert_eq!(pieces, ["Who", "built", "it"], "a question mark matches nothing");
    assert_ne!(question(&queries[0]), queries[0].states[2].state, "but it is the last token");
    assert_eq!(question(&queries[1]), queries[1].states[2].state);
    near(&question(&queries[1]), &queries[0].states[2].state, "what comes later changes nothing");
    near(&question(&queries[2]), &queries[2].embedding, "the mean of one");
}

/// A random model's states are useful only for this: the same token after the same tokens is most similar to itself.
#[tokio::test]
async fn signs_keep_the_direction_of_states() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &config("mistral"), &words());
    let model = open(folder.path());
    let text = vec!["The old bridge of Chur was built by Lea Simmen from 1902 on".to_owned()];
    let (passage, query) = (model.passages(text.clone()).await.unwrap(), model.queries(text).await.unwrap());
    let products = model.similarities(&query[0], &[passage[0].states.clone()]).remove(0);
    let tokens = query[0].states.len();
    for (at, row) in products.chunks(tokens).enumerate() {
        let best = (0..tokens).max_by(|&a, &b| row[a].total_cmp(&row[b]));
        assert_eq!(best, Some(at), "{row:?}");
    }
    // A vector of signs of length 1, as in training.
    let unpacked = model.unpack(&passage[0].states);
    assert_eq!(unpacked.len(), tokens * 32);
    let first: Vec<f32> = unpacked[..32].to_vec();
    let product = model.inner_products(&[&first], &passage[0].states)[0];
    assert!((product - 1.0).abs() < 0.02, "{product}");
}

#[test]
fn texts_are_cut_to_what_the_model_takes() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &config("phi3"), &words());
    let tokens = Folder::open(folder.path()).unwrap().tokens().unwrap();
    assert_eq!(tokens.of(&"bridge ".repeat(500)).unwrap().ids.len(), 32);
}

#[test]
fn another_model_has_another_identity() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("model");
    let states = |config: &Value, tokenizer: &Value| {
        write(&folder, config, tokenizer);
        open(&folder).identity().clone()
    };
    let first = states(&config("llama"), &words());
    assert_eq!(first.name, format!("causal:{}", folder.display()));
    assert_eq!(first.dimension, 32);
    assert_eq!(states(&config("llama"), &words()), first);
    assert_ne!(states(&config("llama"), &tokenizer(["bridge"].into_iter())).states, first.states, "another tokenizer");
    let mut slower = config("llama");
    slower["rope_theta"] = json!(500_000.0);
    assert_ne!(states(&slower, &words()).states, first.states, "another config");
    states(&config("llama"), &words());
    let weights = folder.join("model.safetensors");
    let mut bytes = std::fs::read(&weights).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&weights, bytes).unwrap();
    assert_ne!(open(&folder).identity().states, first.states, "other weights");
}

#[tokio::test]
async fn what_cannot_be_used_is_named() {
    fn changed(name: &str, value: Value) -> Value {
        let mut changed = config("llama");
        changed[name] = value;
        changed
    }
    async fn check(prepare: impl Fn(&Path), expected: &[&str]) {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("tiny");
        write(&folder, &config("llama"), &words());
        prepare(&folder);
        let message = match CausalModel::open(&folder.to_string_lossy()) {
            Ok(model) => {
                model.passages(vec!["bridge".to_owned()]).await.map(|_| String::new()).unwrap_err().to_string()
            }
            Err(error) => error.to_string(),
        };
        for part in [&["cannot load the embedding model causal:", "tiny"][..], expected].concat() {
            assert!(message.contains(part), "{part} is missing in: {message}");
        }
    }
    let put = |name: &'static str, content: String| {
        move |folder: &Path| std::fs::write(folder.join(name), &content).expect("the file can be written")
    };
    let remove =
        |name: &'static str| move |folder: &Path| std::fs::remove_file(folder.join(name)).expect("it is there");
    let of_config = |value: Value| put("config.json", value.to_string());
    check(remove("config.json"), &["cannot read", "config.json", "a model's folder holds"]).await;
    check(remove("tokenizer.json"), &["cannot read", "tokenizer.json"]).await;
    check(remove("model.safetensors"), &["holds no *.safetensors", "*.gguf"]).await;
    check(put("config.json", "{".to_owned()), &["config.json is not what it should be"]).await;
    check(put("tokenizer.json", "{}".to_owned()), &["tokenizer.json is no tokenizer"]).await;
    check(put("model.safetensors", "x".to_owned()), &["do not fit its config.json"]).await;
    let index = json!({"weight_map": {"a": "../model.safetensors"}}).to_string();
    check(put("model.safetensors.index.json", index), &["names the weights file `../model.safetensors`"]).await;
    check(of_config(changed("model_type", json!("gpt2"))), &["its model_type is `gpt2`; known are qwen2, llama"]).await;
    check(of_config(json!({"model_type": "bert"})), &["`bert`"]).await;
    check(of_config(changed("hidden_size", json!(36))), &["hidden_size is 36", "multiple of 8"]).await;
    check(of_config(changed("num_attention_heads", json!(0))), &["num_attention_heads of 0"]).await;
    check(of_config(changed("vocab_size", json!(1u64 << 40))), &["vocab_size of 1099511627776"]).await;
    check(of_config(changed("num_key_value_heads", json!(3))), &["4 heads cannot share 3"]).await;
    check(of_config(changed("hidden_act", json!("relu"))), &["hidden_act is `relu`"]).await;
    check(of_config(changed("rope_scaling", json!({"type": "yarn", "factor": 4.0}))), &["type `yarn`"]).await;
    check(of_config(changed("rope_scaling", json!({"type": "linear"}))), &["lacks factor"]).await;
    check(of_config(changed("head_dim", json!(7))), &["turns 7 of the 7"]).await;
    check(of_config(changed("intermediate_size", json!(40))), &["do not fit its config.json", "gate_proj"]).await;
    check(of_config(changed("num_hidden_layers", json!(3))), &["model.layers.2"]).await;
}
