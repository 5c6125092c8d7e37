//! Trains several times, each time measured on documents that were left out.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::TrainError;
use super::alone::reciprocal_ranks;
use super::examples::TrainingSet;
use super::fit::{Epoch, FitOptions, Fitted, fit};
use super::progress::Progress;
use super::tune::{Quality, Tuning};
use crate::embed::Embedder;

/// One training, and its quality on questions that neither the training nor its tuning has seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fold {
    /// The trained matrix.
    pub fitted: Fitted,
    /// The quality of the ranking with the answer score.
    pub quality: Quality,
    /// The ranks of each question.
    pub ranks: Vec<Ranks>,
}

/// The reciprocal ranks of a question's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ranks {
    /// The question's id.
    pub id: String,
    /// The rank in the search without the answer score.
    pub without: f64,
    /// The rank in the search with the answer score.
    pub with: f64,
    /// The rank by the matrix alone, among all passages; `None` if that was not asked for.
    pub alone: Option<f64>,
}

/// How a training that may be interrupted reports and resumes. Hooks that return a `bool` say whether to go on.
pub struct Hooks<'a> {
    /// Returns a fold that an earlier run finished.
    pub done: &'a mut dyn FnMut(usize) -> Option<Fold>,
    /// Returns an earlier run's progress on a fold that it did not finish.
    pub begun: &'a mut dyn FnMut(usize) -> Option<Progress>,
    /// Called after each epoch of a fold.
    pub on_epoch: &'a mut dyn FnMut(usize, &Epoch, &Progress) -> bool,
    /// Called after each fold.
    pub on_fold: &'a mut dyn FnMut(usize, &Fold) -> bool,
}

/// A model, and the measured quality of models trained like it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trained {
    /// The model that is kept: that of the first fold.
    pub fitted: Fitted,
    /// The ranks of every question, measured by the fold that has not seen it.
    pub ranks: Vec<Ranks>,
    /// The mean of the folds' located shares, weighted by their numbers of questions.
    pub located: f64,
}

/// Splits the questions into `folds` parts that share no group. Each part serves once for measuring, while the next one
/// serves for tuning and the rest for training. If there are fewer groups than folds, the questions are split one by
/// one.
pub fn cross_validate(
    set: &TrainingSet,
    embedder: &dyn Embedder,
    folds: usize,
    options: &FitOptions,
    hooks: Hooks<'_>,
) -> Result<Trained, TrainError> {
    let Hooks { done, begun, on_epoch, on_fold } = hooks;
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
                let mut on_epoch = |epoch: &Epoch, progress: &Progress| on_epoch(fold, epoch, progress);
                let fitted = fit(set, embedder, [&training, &tuning], options, begun(fold), &mut on_epoch)?;
                let finished = measure(set, embedder, &testing, fitted, options.alone);
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

fn measure(set: &TrainingSet, embedder: &dyn Embedder, testing: &[usize], fitted: Fitted, alone: bool) -> Fold {
    let alone = if alone { reciprocal_ranks(set, embedder, testing, &fitted.matrix) } else { Vec::new() };
    let testing = Tuning::new(set, embedder, testing);
    let quality = testing.quality(&fitted.matrix, fitted.weights);
    let compared = testing.compare(&fitted.matrix, fitted.weights).into_iter().enumerate();
    let ranks = compared
        .map(|(nth, (id, without, with))| Ranks { id, without, with, alone: alone.get(nth).copied() })
        .collect();
    Fold { quality, ranks, fitted }
}

/// The number of each question's part.
fn parts(set: &TrainingSet, folds: usize) -> Vec<usize> {
    let groups: BTreeSet<&str> = set.examples.iter().map(|example| example.group.as_str()).collect();
    let groups: Vec<&str> = groups.into_iter().collect();
    if groups.len() < folds {
        return (0..set.examples.len()).map(|at| at % folds).collect();
    }
    let rank = |group: &str| groups.binary_search(&group).unwrap_or(0);
    set.examples.iter().map(|example| rank(&example.group) % folds).collect()
}
