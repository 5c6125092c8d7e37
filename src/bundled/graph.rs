use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::available_parallelism;

use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool};
use rten_tensor::NdTensor;

use super::{DIMENSION, ModelError, Words};

/// A graph that takes one text: the word vectors of its tokens, a mask, and which of two parts each token belongs to.
///
/// Texts go through a graph one by one, each on one thread, never padded into a batch: the graph quantizes its
/// activations with one scale for the whole input, so in a batch a text's result would depend on its neighbours, and
/// loading the same files in another order would give other vectors. For texts as long as a chunk this is no slower.
pub(crate) struct Graph {
    model: Model,
    inputs: [NodeId; 3],
    outputs: Vec<NodeId>,
}

impl Graph {
    /// Reads an ONNX file with the inputs `word_vectors`, `attention_mask` and `token_type_ids`; takes tens of
    /// milliseconds.
    pub(crate) fn load(onnx: &'static [u8], outputs: &[&str]) -> Result<Self, ModelError> {
        let damaged = |error: &dyn std::fmt::Display| ModelError::Load(error.to_string());
        let mut options = ModelOptions::with_all_ops();
        let model = options.prepack_weights(true).load_static_slice(onnx).map_err(|error| damaged(&error))?;
        let node = |name: &str| model.node_id(name).map_err(|error| damaged(&error));
        let inputs = [node("word_vectors")?, node("attention_mask")?, node("token_type_ids")?];
        let outputs = outputs.iter().map(|name| node(name)).collect::<Result<_, _>>()?;
        Ok(Graph { model, inputs, outputs })
    }

    /// The outputs for one text of tokens `ids`; `types` gives the part that each token belongs to.
    pub(crate) fn run(
        &self,
        words: &Words,
        ids: &[i32],
        types: Vec<i32>,
        pool: &Arc<ThreadPool>,
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        let tokens = ids.len();
        let [words_node, mask_node, types_node] = self.inputs;
        let inputs = vec![
            (words_node, NdTensor::from_data([1, tokens, DIMENSION], words.vectors(ids)).into()),
            (mask_node, NdTensor::from_data([1, tokens], vec![1i32; tokens]).into()),
            (types_node, NdTensor::from_data([1, tokens], types).into()),
        ];
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(pool)));
        let outputs = self.model.run(inputs, &self.outputs, Some(options));
        let outputs = outputs.map_err(|error| ModelError::Run(error.to_string()))?;
        let data = outputs.into_iter().map(|value| value.into_tensor::<f32>().map(|tensor| tensor.into_data()));
        Ok(data.map(Option::unwrap_or_default).collect())
    }
}

/// Thread pools of one thread each, one per core, made once for all graphs.
fn pools() -> &'static [Arc<ThreadPool>] {
    static POOLS: OnceLock<Vec<Arc<ThreadPool>>> = OnceLock::new();
    POOLS.get_or_init(|| {
        let threads = available_parallelism().map_or(1, usize::from);
        (0..threads).map(|_| Arc::new(ThreadPool::with_num_threads(1))).collect()
    })
}

/// The number of calls of [`on_all_cores`] so far.
static CALLS: AtomicUsize = AtomicUsize::new(0);

/// Runs `work` for every input on all cores; the results keep the order of the inputs.
pub(crate) fn on_all_cores<I: Sync, T: Send>(
    inputs: &[I],
    tokens: impl Fn(&I) -> usize,
    work: impl Fn(&I, &Arc<ThreadPool>) -> Result<T, ModelError> + Sync,
) -> Result<Vec<T>, ModelError> {
    // Longest first, so that no thread works alone on a long text at the end.
    let mut order: Vec<usize> = (0..inputs.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(tokens(&inputs[index])));
    let next = AtomicUsize::new(0);
    let share = |pool: &Arc<ThreadPool>| -> Result<Vec<(usize, T)>, ModelError> {
        let mut done = Vec::new();
        while let Some(&index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((index, work(&inputs[index], pool)?));
        }
        Ok(done)
    };
    let share = &share;
    let mut done = std::thread::scope(|scope| -> Result<Vec<(usize, T)>, ModelError> {
        // Concurrent calls begin with different pools: with a single text each, they would otherwise all wait for the
        // first.
        let first = CALLS.fetch_add(1, Ordering::Relaxed);
        let all = pools();
        let mut pools = (0..all.len().min(inputs.len())).map(|nth| &all[first.wrapping_add(nth) % all.len()]);
        // This thread is one of the workers: a single text, such as a query, needs no other.
        let own = pools.next();
        let workers: Vec<_> = pools.map(|pool| scope.spawn(move || share(pool))).collect();
        let mut all = own.map_or_else(|| Ok(Vec::new()), share)?;
        for worker in workers {
            all.extend(worker.join().map_err(|_| ModelError::Worker)??);
        }
        Ok(all)
    })?;
    done.sort_by_key(|(index, _)| *index);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}
