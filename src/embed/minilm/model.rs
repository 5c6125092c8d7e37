//! The encoder itself: token ids in, the last layer's token states out.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;

use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool};
use rten_tensor::NdTensor;

use super::tokenizer::{TokenizeError, Tokenizer};
use crate::embed::scale_to_one;

/// Length of a state and of an embedding.
pub(super) const DIMENSION: usize = 384;

pub(super) const MODEL: &[u8] = include_bytes!("../../../models/all-minilm-l6-v2-int8/model.onnx");
pub(super) const TOKENIZER: &[u8] = include_bytes!("../../../models/all-minilm-l6-v2-int8/tokenizer.json");

/// Why the encoder cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum ModelError {
    #[error(transparent)]
    Tokenize(#[from] TokenizeError),
    #[error("{0}")]
    Load(#[from] rten::LoadError),
    #[error("{0}")]
    Run(#[from] rten::RunError),
    #[error("the model gave {found} values for {tokens} tokens")]
    Shape { tokens: usize, found: usize },
    #[error("a worker thread stopped before its texts were done")]
    Worker,
}

/// One text through the encoder.
pub(super) struct Encoded {
    /// With `[CLS]` first and `[SEP]` last.
    pub(super) ids: Vec<i32>,
    /// [`DIMENSION`] values for each id, as the last layer gives them.
    pub(super) states: Vec<f32>,
}

impl Encoded {
    /// The mean of all states, scaled to length 1.
    pub(super) fn embedding(&self) -> Vec<f32> {
        let mut mean = vec![0.0; DIMENSION];
        for state in self.states.chunks_exact(DIMENSION) {
            for (sum, value) in mean.iter_mut().zip(state) {
                *sum += value;
            }
        }
        scale_to_one(&mut mean);
        mean
    }

    /// Ids that stand for letters or digits, each with its state scaled to length 1.
    pub(super) fn content_states<'a>(&'a self, tokenizer: &'a Tokenizer) -> impl Iterator<Item = (i32, Vec<f32>)> + 'a {
        let pairs = self.ids.iter().zip(self.states.chunks_exact(DIMENSION));
        pairs.filter(|(id, _)| tokenizer.is_content(**id)).map(|(&id, state)| {
            let mut state = state.to_vec();
            scale_to_one(&mut state);
            (id, state)
        })
    }
}

/// The bundled encoder and its threads.
///
/// Texts go through the model one by one, each on one thread, never padded into a batch: the model quantizes its
/// activations with one scale for the whole input, so in a batch a text's vectors would depend on its neighbours, and
/// loading the same files in another order would give other vectors. On texts of a chunk's length it is no slower.
pub(super) struct Encoder {
    pub(super) tokenizer: Tokenizer,
    model: Model,
    inputs: [NodeId; 3],
    output: NodeId,
    pools: Vec<Arc<ThreadPool>>,
}

impl Encoder {
    /// Reads the bundled files; tens of milliseconds.
    pub(super) fn load() -> Result<Self, ModelError> {
        let tokenizer = Tokenizer::from_json(TOKENIZER)?;
        let model = ModelOptions::with_all_ops().prepack_weights(true).load_static_slice(MODEL)?;
        let inputs = [model.node_id("input_ids")?, model.node_id("attention_mask")?, model.node_id("token_type_ids")?];
        let output = model.node_id("last_hidden_state")?;
        let threads = available_parallelism().map_or(1, usize::from);
        let pools = (0..threads).map(|_| Arc::new(ThreadPool::with_num_threads(1))).collect();
        Ok(Encoder { tokenizer, model, inputs, output, pools })
    }

    /// Encodes texts on all cores, handing each result to `finish` on the thread that made it; the answers keep the
    /// order of the texts.
    pub(super) fn encode_all<T: Send>(
        &self,
        texts: &[String],
        finish: impl Fn(Encoded) -> T + Sync,
    ) -> Result<Vec<T>, ModelError> {
        let inputs = texts.iter().map(|text| self.tokenizer.encode(text)).collect::<Result<Vec<_>, _>>()?;
        // Longest first, so that no thread is left alone with a long text at the end.
        let mut order: Vec<usize> = (0..inputs.len()).collect();
        order.sort_by_key(|&index| std::cmp::Reverse(inputs[index].len()));
        let next = AtomicUsize::new(0);
        let work = |pool: &Arc<ThreadPool>| -> Result<Vec<(usize, T)>, ModelError> {
            let mut done = Vec::new();
            while let Some(&index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                done.push((index, finish(self.encode(inputs[index].clone(), pool)?)));
            }
            Ok(done)
        };
        let work = &work;
        let mut done = std::thread::scope(|scope| -> Result<Vec<(usize, T)>, ModelError> {
            // This thread is one of them: a single text, as a query is, needs no other.
            let mut pools = self.pools.iter().take(inputs.len());
            let own = pools.next();
            let workers: Vec<_> = pools.map(|pool| scope.spawn(move || work(pool))).collect();
            let mut all = own.map_or_else(|| Ok(Vec::new()), work)?;
            for worker in workers {
                all.extend(worker.join().map_err(|_| ModelError::Worker)??);
            }
            Ok(all)
        })?;
        done.sort_by_key(|(index, _)| *index);
        Ok(done.into_iter().map(|(_, result)| result).collect())
    }

    fn encode(&self, ids: Vec<i32>, pool: &Arc<ThreadPool>) -> Result<Encoded, ModelError> {
        let tokens = ids.len();
        let [ids_node, mask_node, types_node] = self.inputs;
        let inputs = vec![
            (ids_node, NdTensor::from_data([1, tokens], ids.clone()).into()),
            (mask_node, NdTensor::from_data([1, tokens], vec![1i32; tokens]).into()),
            (types_node, NdTensor::from_data([1, tokens], vec![0i32; tokens]).into()),
        ];
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(pool)));
        let mut outputs = self.model.run(inputs, &[self.output], Some(options))?;
        let states =
            outputs.pop().and_then(|value| value.into_tensor::<f32>()).map_or_else(Vec::new, |t| t.into_data());
        if states.len() != tokens * DIMENSION {
            return Err(ModelError::Shape { tokens, found: states.len() });
        }
        Ok(Encoded { ids, states })
    }
}
