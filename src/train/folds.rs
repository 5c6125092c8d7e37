//! Training several times, each time measured on documents that were left out.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::TrainError;
use super::examples::TrainingSet;
use super::fit::{Epoch, FitOptions, Fitted, fit};
use super::tune::{Quality, Tuning};
use crate::embed::Embedder;

/// What one training is worth on the questions that neither it nor its tuning saw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fold {
    /// The training.
    pub fitted: Fitted,
    /// With the answer score.
    pub quality: Quality,
    /// Each question's id, and its reciprocal rank without the answer score and with it.
    pub ranks: Vec<(String, f64, f64)>,
}

/// A model, and what models trained like it are worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Trained {
    /// The model that is kept: that of the first fold.
    pub fitted: Fitted,
    /// Of every question, measured by the fold that had not seen it.
    pub ranks: Vec<(String, f64, f64)>,
    /// Mean of the folds' shares, by their questions.
    pub located: f64,
}

/// Splits the questions into `folds` parts, none of which shares a group with another. Each part is once for measuring;
/// the next one is then for tuning, and the rest for training. Where there are fewer groups than folds, questions are
/// split one by one.
///
/// `done` gives a fold that an earlier run finished, and `on_fold` takes each that this one finishes, so that an
/// interrupted run can go on.
pub fn cross_validate(
    set: &TrainingSet,
    embedder: &dyn Embedder,
    folds: usize,
    options: &FitOptions,
    done: &mut dyn FnMut(usize) -> Option<Fold>,
    on_epoch: &mut dyn FnMut(usize, &Epoch) -> bool,
    on_fold: &mut dyn FnMut(usize, &Fold) -> bool,
) -> Result<Trained, TrainError> {
    let folds = folds.max(3);
    if set.examples.len() < folds {
        let reason = "there are fewer of them than parts to split them into";
        return Err(TrainError::NoTriplet { questions: set.examples.len(), reason });
    }
    let contested =
        |ranking: &[super::Ranked]| ranking.iter().any(|one| one.relevant) && ranking.iter().any(|one| !one.relevant);
    if !set.examples.iter().any(|example| contested(&example.ranking)) {
        let reason = "no search finds both a passage that answers and one that does not";
        return Err(TrainError::NoTriplet { questions: set.examples.len(), reason });
    }
    let part = parts(set, folds);
    let of = |fold: usize| -> Vec<usize> { (0..part.len()).filter(|&at| part[at] == fold % folds).collect() };
    let (mut kept, mut ranks, mut located, mut questions) = (None, Vec::new(), 0.0, 0usize);
    for fold in 0..folds {
        let testing = of(fold);
        let finished = match done(fold) {
            Some(finished) => finished,
            None => {
                let tuning = of(fold + 1);
                let training: Vec<usize> =
                    (0..part.len()).filter(|&at| part[at] != fold && part[at] != (fold + 1) % folds).collect();
                let fitted = fit(set, embedder, &training, &tuning, options, &mut |epoch| on_epoch(fold, epoch))?;
                let finished = measure(set, embedder, &testing, fitted);
                if !on_fold(fold, &finished) {
                    return Err(TrainError::Stopped);
                }
                finished
            }
        };
        questions += finished.ranks.len();
        located += finished.quality.located * finished.ranks.len() as f64;
        ranks.extend(finished.ranks);
        kept.get_or_insert(finished.fitted);
    }
    let fitted = kept.ok_or(TrainError::Stopped)?;
    Ok(Trained { fitted, ranks, located: located / questions.max(1) as f64 })
}

fn measure(set: &TrainingSet, embedder: &dyn Embedder, testing: &[usize], fitted: Fitted) -> Fold {
    let testing = Tuning::new(set, embedder, testing);
    let quality = testing.quality(&fitted.matrix, fitted.weights);
    let ranks = testing.compare(&fitted.matrix, fitted.weights);
    Fold { quality, ranks, fitted }
}

/// The part of each question.
fn parts(set: &TrainingSet, folds: usize) -> Vec<usize> {
    let groups: BTreeSet<&str> = set.examples.iter().map(|example| example.group.as_str()).collect();
    let groups: Vec<&str> = groups.into_iter().collect();
    if groups.len() < folds {
        return (0..set.examples.len()).map(|at| at % folds).collect();
    }
    let rank = |group: &str| groups.binary_search(&group).unwrap_or(0);
    set.examples.iter().map(|example| rank(&example.group) % folds).collect()
}
