//! The layers of a causal language model without the head that predicts the next token: token ids in, the last layer's
//! states out. The families differ in biases, in norms, and in which matrices are stored as one.

use candle_core::{D, Device, Module, Result, Tensor};
use candle_nn::rotary_emb::rope;
use candle_nn::{Embedding, LayerNorm, Linear, RmsNorm, VarBuilder, ops};

use super::config::{Family, ModelConfig};

/// A norm before a block.
enum Norm {
    Rms(RmsNorm),
    /// Subtracts the mean, too.
    Layer(LayerNorm),
}

impl Norm {
    fn load(config: &ModelConfig, weights: VarBuilder<'_>) -> Result<Self> {
        Ok(match config.family {
            Family::Phi => Norm::Layer(candle_nn::layer_norm(config.hidden, config.epsilon, weights)?),
            _ => Norm::Rms(candle_nn::rms_norm(config.hidden, config.epsilon, weights)?),
        })
    }
}

impl Module for Norm {
    fn forward(&self, states: &Tensor) -> Result<Tensor> {
        match self {
            Norm::Rms(norm) => norm.forward(states),
            Norm::Layer(norm) => norm.forward(states),
        }
    }
}

/// The part of a layer that treats each token by itself.
enum FeedForward {
    Gated { gate: Linear, up: Linear, down: Linear },
    Plain { up: Linear, down: Linear },
}

impl FeedForward {
    fn load(config: &ModelConfig, weights: &VarBuilder<'_>) -> Result<Self> {
        let (hidden, inner, bias) = (config.hidden, config.inner, config.feed_forward_bias);
        let linear = |from, to, name: &str| candle_nn::linear_b(from, to, bias, weights.pp(name));
        Ok(match config.family {
            Family::Phi => {
                FeedForward::Plain { up: linear(hidden, inner, "fc1")?, down: linear(inner, hidden, "fc2")? }
            }
            Family::Phi3 => {
                let [gate, up] = rows(&weights.pp("gate_up_proj"), hidden, [inner; 2])?;
                FeedForward::Gated { gate, up, down: linear(inner, hidden, "down_proj")? }
            }
            Family::Qwen2 | Family::Llama | Family::Mistral => FeedForward::Gated {
                gate: linear(hidden, inner, "gate_proj")?,
                up: linear(hidden, inner, "up_proj")?,
                down: linear(inner, hidden, "down_proj")?,
            },
        })
    }
}

impl Module for FeedForward {
    fn forward(&self, states: &Tensor) -> Result<Tensor> {
        match self {
            FeedForward::Gated { gate, up, down } => {
                down.forward(&(gate.forward(states)?.silu()? * up.forward(states)?)?)
            }
            FeedForward::Plain { up, down } => down.forward(&up.forward(states)?.gelu()?),
        }
    }
}

/// Splits several projections that are stored as one matrix, one below the other.
fn rows<const N: usize>(weights: &VarBuilder<'_>, from: usize, heights: [usize; N]) -> Result<[Linear; N]> {
    let whole = weights.get((heights.iter().sum::<usize>(), from), "weight")?;
    let mut start = 0;
    let mut parts = Vec::with_capacity(N);
    for height in heights {
        parts.push(Linear::new(whole.narrow(0, start, height)?, None));
        start += height;
    }
    parts.try_into().map_err(|_| candle_core::Error::Msg("rows are missing".to_owned()))
}

/// The part of a layer in which tokens read those before them.
struct Attention {
    query: Linear,
    key: Linear,
    value: Linear,
    out: Linear,
}

impl Attention {
    fn load(config: &ModelConfig, weights: &VarBuilder<'_>) -> Result<Self> {
        let (queries, keys) = (config.heads * config.head_size, config.key_heads * config.head_size);
        let [bias, out_bias] = config.biases;
        let [query, key, value] = if config.family == Family::Phi3 {
            rows(&weights.pp("qkv_proj"), config.hidden, [queries, keys, keys])?
        } else {
            let linear = |to, name: &str| candle_nn::linear_b(config.hidden, to, bias, weights.pp(name));
            [linear(queries, "q_proj")?, linear(keys, "k_proj")?, linear(keys, "v_proj")?]
        };
        let out = if config.family == Family::Phi { "dense" } else { "o_proj" };
        let out = candle_nn::linear_b(queries, config.hidden, out_bias, weights.pp(out))?;
        Ok(Attention { query, key, value, out })
    }

    fn forward(&self, states: &Tensor, config: &ModelConfig, places: &Places) -> Result<Tensor> {
        let (tokens, size) = (states.dim(0)?, config.head_size);
        let heads = |projection: &Linear, count: usize| -> Result<Tensor> {
            projection.forward(states)?.reshape((tokens, count, size))?.transpose(0, 1)?.contiguous()
        };
        let query = places.turn(&heads(&self.query, config.heads)?)?;
        let key = places.turn(&heads(&self.key, config.key_heads)?)?;
        let value = heads(&self.value, config.key_heads)?;
        // The query heads that share a head of keys are adjacent: they form one matrix.
        let shared = config.heads / config.key_heads * tokens;
        let query = (query.reshape((config.key_heads, shared, size))? * (1.0 / (size as f64).sqrt()))?;
        let scores = query.matmul(&key.t()?)?.reshape((config.heads, tokens, tokens))?;
        let shares = ops::softmax_last_dim(&scores.broadcast_add(&places.mask)?)?;
        let read = shares.reshape((config.key_heads, shared, tokens))?.matmul(&value)?;
        let read = read.reshape((config.heads, tokens, size))?.transpose(0, 1)?;
        self.out.forward(&read.contiguous()?.reshape((tokens, config.heads * size))?)
    }
}

/// The data that depends only on the tokens' positions.
struct Places {
    cosines: Tensor,
    sines: Tensor,
    /// 0 where a token may be read, and minus infinity where it comes later.
    mask: Tensor,
}

impl Places {
    /// For texts of `tokens` tokens.
    fn new(config: &ModelConfig, tokens: usize) -> Result<Self> {
        let pairs = config.rope.frequencies.len();
        let (cosines, sines) = config.rope.tables(tokens);
        let may = |at: usize, other: usize| if other <= at { 0.0 } else { f32::NEG_INFINITY };
        let mask: Vec<f32> = (0..tokens).flat_map(|at| (0..tokens).map(move |other| may(at, other))).collect();
        Ok(Places {
            cosines: Tensor::from_vec(cosines, (tokens, pairs), &Device::Cpu)?,
            sines: Tensor::from_vec(sines, (tokens, pairs), &Device::Cpu)?,
            mask: Tensor::from_vec(mask, (tokens, tokens), &Device::Cpu)?,
        })
    }

    /// Rotates the first values of each head by the position of their token; the rest stay as they are.
    fn turn(&self, heads: &Tensor) -> Result<Tensor> {
        let turned = self.cosines.dim(1)? * 2;
        let rest = heads.dim(D::Minus1)? - turned;
        let first = heads.narrow(D::Minus1, 0, turned)?.contiguous()?.unsqueeze(0)?;
        let first = rope(&first, &self.cosines, &self.sines)?.squeeze(0)?;
        if rest == 0 { Ok(first) } else { Tensor::cat(&[&first, &heads.narrow(D::Minus1, turned, rest)?], D::Minus1) }
    }
}

struct Layer {
    before_attention: Norm,
    attention: Attention,
    /// `None` if the feed-forward reads the same input as the attention.
    before_feed_forward: Option<Norm>,
    feed_forward: FeedForward,
}

impl Layer {
    fn load(config: &ModelConfig, weights: &VarBuilder<'_>) -> Result<Self> {
        let second = (config.family != Family::Phi)
            .then(|| Norm::load(config, weights.pp("post_attention_layernorm")))
            .transpose()?;
        Ok(Layer {
            before_attention: Norm::load(config, weights.pp("input_layernorm"))?,
            attention: Attention::load(config, &weights.pp("self_attn"))?,
            before_feed_forward: second,
            feed_forward: FeedForward::load(config, &weights.pp("mlp"))?,
        })
    }

    fn forward(&self, states: &Tensor, config: &ModelConfig, places: &Places) -> Result<Tensor> {
        let normal = self.before_attention.forward(states)?;
        let attended = (states + self.attention.forward(&normal, config, places)?)?;
        let normal = match &self.before_feed_forward {
            Some(norm) => norm.forward(&attended)?,
            None => normal,
        };
        attended + self.feed_forward.forward(&normal)?
    }
}

/// A model whose weights are in memory, as 32-bit floats.
pub(super) struct Decoder {
    config: ModelConfig,
    embedding: Embedding,
    layers: Vec<Layer>,
    norm: Norm,
}

impl Decoder {
    pub(super) fn load(config: ModelConfig, weights: VarBuilder<'_>) -> Result<Self> {
        // Models saved without the head lack the prefix.
        let weights = if weights.contains_tensor("model.embed_tokens.weight") { weights.pp("model") } else { weights };
        let embedding = candle_nn::embedding(config.vocabulary, config.hidden, weights.pp("embed_tokens"))?;
        let layers = (0..config.layers).map(|at| Layer::load(&config, &weights.pp("layers").pp(at)));
        let layers = layers.collect::<Result<_>>()?;
        let norm = if config.family == Family::Phi { "final_layernorm" } else { "norm" };
        let norm = Norm::load(&config, weights.pp(norm))?;
        Ok(Decoder { config, embedding, layers, norm })
    }

    pub(super) fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// The last layer's state of each token, one after another. Each text is run alone, never padded into a batch.
    pub(super) fn states(&self, ids: &[u32]) -> Result<Vec<f32>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let places = Places::new(&self.config, ids.len())?;
        let mut states = self.embedding.forward(&Tensor::new(ids, &Device::Cpu)?)?;
        for layer in &self.layers {
            states = layer.forward(&states, &self.config, &places)?;
        }
        self.norm.forward(&states)?.flatten_all()?.to_vec1()
    }
}
