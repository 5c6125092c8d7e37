//! Tests training on made-up states that have something to learn.

use std::cell::RefCell;
use std::ops::Range;

use async_trait::async_trait;

use super::*;
use crate::base::Rng;
use crate::domain::{ChunkVectors, EmbedderIdentity, Language};
use crate::embed::{EmbedError, Embedder, QueryVectors, Text};
use crate::retrieval::answer::Question;

const DIMENSION: usize = 32;

/// An embedder that keeps states as floats, so that the tests can choose them.
struct Floats {
    identity: EmbedderIdentity,
}

#[async_trait]
impl Embedder for Floats {
    fn identity(&self) -> &EmbedderIdentity {
        &self.identity
    }

    fn knows(&self, _language: Language) -> bool {
        true
    }

    async fn passages(&self, _texts: Vec<Text>) -> Result<Vec<ChunkVectors>, EmbedError> {
        Ok(Vec::new())
    }

    async fn queries(&self, _texts: Vec<Text>) -> Result<Vec<QueryVectors>, EmbedError> {
        Ok(Vec::new())
    }

    fn inner_products(&self, vectors: &[&[f32]], states: &[u8]) -> Vec<f32> {
        let states = self.unpack(states);
        let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum();
        vectors.iter().flat_map(|vector| states.chunks(DIMENSION).map(move |state| product(vector, state))).collect()
    }

    fn unpack(&self, states: &[u8]) -> Vec<f32> {
        states.as_chunks::<4>().0.iter().map(|value| f32::from_le_bytes(*value)).collect()
    }

    fn state_ranges(&self, _text: &Text) -> Vec<Range<usize>> {
        Vec::new()
    }
}

fn embedder() -> Floats {
    let name = "floats".to_owned();
    Floats {
        identity: EmbedderIdentity {
            name,
            dimension: DIMENSION,
            passage_prefix: String::new(),
            states: "f32".to_owned(),
        },
    }
}

fn unit(mut values: Vec<f32>) -> Vec<f32> {
    let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
    values.iter_mut().for_each(|value| *value /= length);
    values
}

fn noise(rng: &mut Rng) -> Vec<f32> {
    (0..DIMENSION).map(|_| (rng.next_u64() >> 40) as f32 / (1u64 << 23) as f32 - 1.0).collect()
}

/// Passages of eight tokens. A question has a 1 at one of four places, and its answer has one four places further on.
/// So they are not similar, but the relation is the same in every document. Before the right passage stands one that
/// answers nothing.
fn set(questions: usize) -> TrainingSet {
    let mut rng = Rng::new(9);
    let (mut passages, mut others, mut examples) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..questions {
        let kind = number % 4;
        let first = rng.below(8);
        let mut passage = |answer: Option<usize>| {
            let mut states = Vec::new();
            for token in 0..8 {
                let mut state = noise(&mut rng);
                if answer == Some(token) {
                    state[4 + kind] += 8.0;
                }
                states.extend(unit(state).iter().flat_map(|value| value.to_le_bytes()));
            }
            states
        };
        passages.push(passage(Some(first)));
        others.push(passage(None));
        let mut vector = noise(&mut rng);
        vector[kind] += 8.0;
        let vector = unit(vector);
        let ranked = |passage: usize, fused: f32| Ranked {
            passage,
            document: passage,
            relevant: passage == number,
            fused,
            late: fused,
        };
        examples.push(Example {
            id: format!("q{number}"),
            group: format!("g{}", number % 10),
            question: Question { states: vec![vector.clone()], vector },
            answers: vec![Answer { passage: number, tokens: first..first + 1 }],
            ranking: vec![ranked(questions + number, 1.0), ranked(number, 0.5)],
        });
    }
    passages.extend(others);
    let documents = (0..passages.len()).collect();
    TrainingSet { encoder: embedder().identity, passages, documents, examples }
}

fn options() -> FitOptions {
    FitOptions {
        outputs: DIMENSION,
        // The answers here are not similar to their questions.
        start: 0.1,
        epochs: 25,
        patience: 25,
        dropout: 0.1,
        rate: 3e-3,
        batch: 16,
        ..FitOptions::default()
    }
}

fn train(set: &TrainingSet, options: &FitOptions) -> Result<Trained, TrainError> {
    let hooks =
        Hooks { done: &mut |_| None, begun: &mut |_| None, on_epoch: &mut |_, _, _| true, on_fold: &mut |_, _| true };
    cross_validate(set, &embedder(), 5, options, hooks)
}

#[test]
fn what_holds_in_every_document_is_learned() {
    let trained = train(&set(200), &options()).unwrap();
    let mean = |pick: fn(&Ranks) -> f64| trained.ranks.iter().map(pick).sum::<f64>() / 200.0;
    assert_eq!((trained.ranks.len(), mean(|rank| rank.without)), (200, 0.5));
    assert!(trained.located > 0.8, "one in eight by chance: {}", trained.located);
    assert!(mean(|rank| rank.with) > 0.75, "{}", mean(|rank| rank.with));
}

#[test]
fn a_seed_decides_all() {
    let set = set(60);
    let options = FitOptions { epochs: 3, ..options() };
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let one = pool(1).install(|| train(&set, &options).unwrap());
    assert_eq!(one, pool(3).install(|| train(&set, &options).unwrap()), "other threads");
    let other = FitOptions { seed: 2, ..options };
    assert_ne!(one.fitted.matrix, train(&set, &other).unwrap().fitted.matrix, "another seed");
}

/// Trains with a checkpoint at `path` until `until` epochs are done in all folds together. Also returns the fold and
/// number of each epoch.
fn train_on(
    set: &TrainingSet,
    options: &FitOptions,
    path: &std::path::Path,
    until: usize,
) -> (Result<Trained, TrainError>, Vec<(usize, usize)>) {
    let checkpoint = RefCell::new(Checkpoint::open(path, "key").unwrap());
    let mut epochs = Vec::new();
    let hooks = Hooks {
        done: &mut |fold| checkpoint.borrow().fold(fold),
        begun: &mut |fold| checkpoint.borrow().progress(fold),
        on_epoch: &mut |fold, epoch, progress| {
            checkpoint.borrow_mut().keep_epoch(progress).unwrap();
            epochs.push((fold, epoch.number));
            epochs.len() < until
        },
        on_fold: &mut |_, fold| checkpoint.borrow_mut().keep(fold).is_ok(),
    };
    let trained = cross_validate(set, &embedder(), 5, options, hooks);
    (trained, epochs)
}

#[test]
fn a_training_that_was_killed_goes_on_to_the_same_bits() {
    let set = set(60);
    // Some folds run out of patience, so that one may be killed when only its measuring is left.
    let options = FitOptions { epochs: 4, patience: 2, alone: true, ..options() };
    let whole = train(&set, &options).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (_, all) = train_on(&set, &options, &folder.path().join("whole"), usize::MAX);
    for until in (1..all.len()).step_by(3) {
        let path = folder.path().join(format!("{until}"));
        let (stopped, _) = train_on(&set, &options, &path, until);
        assert!(matches!(stopped, Err(TrainError::Stopped)));
        let (resumed, epochs) = train_on(&set, &options, &path, usize::MAX);
        assert_eq!(resumed.unwrap(), whole, "killed after {until}");
        assert_eq!(epochs, all[until..], "killed after {until}");
        assert!(Checkpoint::open(&path, "another").unwrap().progress(0).is_none());
    }
}

#[test]
fn a_checkpoint_of_other_questions_is_not_gone_on_with() {
    let options = FitOptions { epochs: 2, ..options() };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.training.json");
    let (_, epochs) = train_on(&set(60), &options, &path, 2);
    assert_eq!(epochs, [(0, 0), (0, 1)]);
    let (trained, epochs) = train_on(&set(50), &options, &path, usize::MAX);
    assert_eq!(trained.unwrap(), train(&set(50), &options).unwrap());
    assert_eq!(epochs[0], (0, 0));
}

#[test]
fn without_patience_all_epochs_are_run() {
    let count = |patience| {
        let mut epochs = 0;
        let hooks = Hooks {
            done: &mut |_| None,
            begun: &mut |_| None,
            on_epoch: &mut |_, _, _| {
                epochs += 1;
                true
            },
            on_fold: &mut |_, _| false,
        };
        // A learning rate of 0, so that no epoch is better than the first.
        let options = FitOptions { epochs: 6, patience, rate: 0.0, ..options() };
        assert!(cross_validate(&set(60), &embedder(), 5, &options, hooks).is_err());
        epochs
    };
    assert_eq!((count(0), count(2)), (7, 3));
}

#[test]
fn the_matrix_alone_ranks_all_passages() {
    let mut set = set(200);
    let check = |set: &TrainingSet, expected: fn(f64) -> bool| {
        let trained = train(set, &FitOptions { alone: true, ..options() }).unwrap();
        let ranks: Option<Vec<f64>> = trained.ranks.iter().map(|rank| rank.alone).collect();
        let mean = ranks.unwrap().iter().sum::<f64>() / 200.0;
        assert!(expected(mean), "{mean}");
    };
    // By chance an answer would be among the first of 400 once in a few hundred times.
    check(&set, |mean| mean > 0.05);
    // With all passages in one document, whichever is first is right.
    set.documents.fill(0);
    check(&set, |mean| mean == 1.0);
    assert!(train(&set, &options()).unwrap().ranks.iter().all(|rank| rank.alone.is_none()));
}

#[test]
fn what_cannot_be_learned_from_is_refused() {
    let check = |set: &TrainingSet, expected: &str| {
        let error = train(set, &options()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(&set(2), "fewer of them than parts");
    let mut one_class = set(20);
    one_class.examples.iter_mut().for_each(|example| example.ranking.retain(|ranked| ranked.relevant));
    check(&one_class, "a passage that answers and one that does not");
    let mut without = set(20);
    without.passages.iter_mut().for_each(Vec::clear);
    check(&without, "gives no token states");
    let mut no_answer = set(20);
    no_answer.examples.iter_mut().for_each(|example| example.answers.clear());
    check(&no_answer, "a token that is no answer");
}
