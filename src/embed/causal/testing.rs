//! Tiny models with weights that are the same everywhere, laid out as on model hubs.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use candle_core::{Device, Tensor};
use serde_json::{Value, json};

/// A tensor's shape and values.
pub(crate) type Values = (Vec<usize>, Vec<f32>);

/// The `config.json` of a tiny model. Two query heads share a head of keys, except in `phi`.
pub(crate) fn config(family: &str) -> Value {
    let mut config = json!({
        "model_type": family,
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": if family == "phi" { 4 } else { 2 },
        "vocab_size": 64,
        "max_position_embeddings": 128,
        "rope_theta": 10_000.0,
        "hidden_act": if family == "phi" { "gelu_new" } else { "silu" },
    });
    let more = match family {
        "phi" => json!({"layer_norm_eps": 1e-5, "partial_rotary_factor": 0.5}),
        "phi3" => json!({"rms_norm_eps": 1e-5, "pad_token_id": 0, "original_max_position_embeddings": 32,
            "rope_scaling": {"type": "longrope", "short_factor": [1.0, 1.1, 1.3, 2.0], "long_factor": [1.0, 2.0, 4.0, 8.0]},
            // Beyond this window the long factors apply, which no text here reaches.
            "sliding_window": 32}),
        "llama" => json!({"rms_norm_eps": 1e-5, "rope_scaling": {"rope_type": "llama3", "factor": 8.0,
            "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64}}),
        "mistral" => json!({"rms_norm_eps": 1e-5, "head_dim": 16, "sliding_window": 100}),
        _ => json!({"rms_norm_eps": 1e-6, "use_sliding_window": false, "sliding_window": 2}),
    };
    for (name, value) in more.as_object().into_iter().flatten() {
        config[name] = value.clone();
    }
    config
}

/// The weights of a model with this config.
pub(crate) fn tensors(config: &Value) -> BTreeMap<String, Values> {
    let size = |name: &str| config[name].as_u64().map(|size| size as usize);
    let of = |name: &str| size(name).expect("the config has it");
    let (hidden, inner, heads) = (of("hidden_size"), of("intermediate_size"), of("num_attention_heads"));
    let head = size("head_dim").unwrap_or(hidden / heads);
    let (queries, keys) = (heads * head, of("num_key_value_heads") * head);
    let family = config["model_type"].as_str().unwrap_or_default();
    let mut shapes = vec![("model.embed_tokens.weight".to_owned(), vec![of("vocab_size"), hidden])];
    let mut add = |name: String, rows: usize, columns: usize, bias: bool| {
        shapes.push((format!("{name}.weight"), vec![rows, columns]));
        if bias {
            shapes.push((format!("{name}.bias"), vec![rows]));
        }
    };
    for layer in 0..of("num_hidden_layers") {
        let name = |part: &str| format!("model.layers.{layer}.{part}");
        match family {
            "phi3" => {
                add(name("self_attn.qkv_proj"), queries + 2 * keys, hidden, false);
                add(name("self_attn.o_proj"), hidden, queries, false);
                add(name("mlp.gate_up_proj"), 2 * inner, hidden, false);
                add(name("mlp.down_proj"), hidden, inner, false);
            }
            "phi" => {
                for (part, rows) in [("q_proj", queries), ("k_proj", keys), ("v_proj", keys)] {
                    add(name(&format!("self_attn.{part}")), rows, hidden, true);
                }
                add(name("self_attn.dense"), hidden, queries, true);
                add(name("mlp.fc1"), inner, hidden, true);
                add(name("mlp.fc2"), hidden, inner, true);
            }
            _ => {
                for (part, rows) in [("q_proj", queries), ("k_proj", keys), ("v_proj", keys)] {
                    add(name(&format!("self_attn.{part}")), rows, hidden, family == "qwen2");
                }
                add(name("self_attn.o_proj"), hidden, queries, false);
                for (part, rows, columns) in
                    [("gate_proj", inner, hidden), ("up_proj", inner, hidden), ("down_proj", hidden, inner)]
                {
                    add(name(&format!("mlp.{part}")), rows, columns, false);
                }
            }
        }
    }
    let phi = family == "phi";
    let mut norms = vec![if phi { "model.final_layernorm" } else { "model.norm" }.to_owned()];
    for layer in 0..of("num_hidden_layers") {
        norms.push(format!("model.layers.{layer}.input_layernorm"));
        if !phi {
            norms.push(format!("model.layers.{layer}.post_attention_layernorm"));
        }
    }
    for norm in norms {
        shapes.push((format!("{norm}.weight"), vec![hidden]));
        if phi {
            shapes.push((format!("{norm}.bias"), vec![hidden]));
        }
    }
    let filled = shapes.into_iter().map(|(name, shape)| {
        let values = values(&name, shape.iter().product());
        (name, (shape, values))
    });
    filled.collect()
}

/// Pseudo-random values that depend only on the tensor's name.
fn values(name: &str, count: usize) -> Vec<f32> {
    let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let mut state = name.bytes().fold(0xcbf2_9ce4_8422_2325, hash) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    let (base, scale) = match name {
        _ if name.ends_with("bias") => (0.0, 0.1),
        _ if name.contains("norm") => (1.0, 0.1),
        _ if name.contains("embed_tokens") => (0.0, 1.0),
        _ => (0.0, 0.3),
    };
    (0..count).map(|_| base + scale * next()).collect()
}

/// Writes some tensors as one file.
pub(crate) fn write_weights<'t>(path: &Path, tensors: impl Iterator<Item = (&'t String, &'t Values)>) {
    let tensors: HashMap<String, Tensor> = tensors
        .map(|(name, (shape, values))| {
            let tensor = Tensor::from_vec(values.clone(), shape.as_slice(), &Device::Cpu);
            (name.clone(), tensor.expect("as many values as the shape has"))
        })
        .collect();
    candle_core::safetensors::save(&tensors, path).expect("the file can be written");
}

/// A tokenizer that knows these words and punctuation; other words become its first token.
pub(crate) fn tokenizer<'w>(words: impl Iterator<Item = &'w str>) -> Value {
    let mut vocabulary = serde_json::Map::new();
    for word in ["<unk>", "?", ".", ","].into_iter().chain(words) {
        let next = vocabulary.len();
        vocabulary.entry(word).or_insert(json!(next));
    }
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": null,
        "decoder": null,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "<unk>"},
    })
}

/// Writes a whole folder: config, tokenizer, and the weights in one file.
pub(crate) fn write(folder: &Path, config: &Value, tokenizer: &Value) {
    std::fs::create_dir_all(folder).expect("the folder can be made");
    let put = |name: &str, value: &Value| std::fs::write(folder.join(name), value.to_string());
    put("config.json", config).expect("the file can be written");
    put("tokenizer.json", tokenizer).expect("the file can be written");
    write_weights(&folder.join("model.safetensors"), tensors(config).iter());
}
