//! The age of evidence, and its effect on scores.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::domain::{DocumentDate, Hit};
use crate::memory::recall::{FIRST_G, TimeUnit, weight};

/// How the age of evidence counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgeOptions {
    /// Documents with a later date are left out. Ages count back from this day, or from today if it is `None`.
    pub as_of: Option<Date>,
    /// How strongly age lowers a hit's score: 0 not at all, 1 in full.
    pub recency: f64,
    /// The unit of time in which evidence fades.
    pub unit: TimeUnit,
}

impl AgeOptions {
    /// The number of hits that a search must ask for so that about `k` remain.
    pub(super) fn asked(&self, k: usize) -> usize {
        if self.as_of.is_some() || self.recency > 0.0 { k.saturating_mul(4) } else { k }
    }

    /// Returns at most `k` of the hits in their new order, and the number of hits that were too new. If recency counts,
    /// each score is scaled between the worst and the best of the search and multiplied by the factor of the document's
    /// age.
    pub(super) fn weighed(&self, mut hits: Vec<Hit>, k: usize, today: Date) -> (Vec<Hit>, usize) {
        let found = hits.len();
        if let Some(as_of) = self.as_of {
            hits.retain(|hit| hit.chunk.date.is_none_or(|date| date.date <= as_of));
        }
        let too_new = found - hits.len();
        if self.recency > 0.0 {
            let worst = hits.iter().map(|hit| hit.score).min_by(f32::total_cmp).unwrap_or(0.0);
            let best = hits.iter().map(|hit| hit.score).max_by(f32::total_cmp).unwrap_or(0.0);
            let from = self.as_of.unwrap_or(today);
            for hit in &mut hits {
                let share = if best > worst { (hit.score - worst) / (best - worst) } else { 1.0 };
                // The worst hit keeps a tenth, so that its age still counts.
                hit.score = (0.1 + 0.9 * share) * self.factor(hit.chunk.date, from) as f32;
            }
            hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.chunk.id.cmp(&b.chunk.id)));
        }
        hits.truncate(k);
        (hits, too_new)
    }

    /// The factor by which a document's age reduces its hit's score. A document without a date counts as the oldest.
    fn factor(&self, date: Option<DocumentDate>, from: Date) -> f64 {
        let instant = |date: Date| date.to_zoned(TimeZone::UTC).map(|zoned| zoned.timestamp()).unwrap_or_default();
        let age = date.map(|date| weight(1.0, self.unit.between(instant(date.date), instant(from)), FIRST_G));
        1.0 - self.recency.clamp(0.0, 1.0) * (1.0 - age.unwrap_or(0.0))
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::domain::{ChunkId, DateOrigin, DocumentId, Headings, Language, ScoreParts, StoredChunk};

    fn hit(document: u64, score: f32, day: Option<Date>) -> Hit {
        let chunk = StoredChunk {
            id: ChunkId { document: DocumentId(document), ordinal: 0 },
            collection: "c".to_owned(),
            path: format!("/{document}"),
            title: String::new(),
            date: day.map(|date| DocumentDate { date, origin: DateOrigin::Metadata }),
            by: None,
            range: 0..1,
            page: None,
            page_turns: Vec::new(),
            headings: Headings::default(),
            language: Language::ENGLISH,
            text: "x".to_owned(),
        };
        Hit { chunk, score, parts: ScoreParts::default(), highlights: Vec::new(), answer: None }
    }

    fn check(options: AgeOptions, k: usize, expected: &[u64], too_new: usize) {
        let hits = vec![
            hit(1, 9.0, Some(date(2010, 1, 1))),
            hit(2, 7.0, Some(date(2023, 6, 1))),
            hit(3, 6.0, None),
            hit(4, 2.0, Some(date(2023, 10, 1))),
        ];
        let (left, left_out) = options.weighed(hits, k, date(2023, 10, 28));
        let ids: Vec<u64> = left.iter().map(|hit| hit.chunk.id.document.0).collect();
        assert_eq!((ids.as_slice(), left_out), (expected, too_new), "{options:?}");
    }

    #[test]
    fn age_counts_as_far_as_it_is_asked_for() {
        let none = AgeOptions::default();
        check(none, 4, &[1, 2, 3, 4], 0);
        check(none, 2, &[1, 2], 0);
        check(AgeOptions { recency: 1.0, ..none }, 4, &[2, 4, 1, 3], 0);
        check(AgeOptions { recency: 0.3, ..none }, 3, &[1, 2, 3], 0);
    }

    #[test]
    fn later_documents_are_left_out() {
        let as_of = AgeOptions { as_of: Some(date(2023, 6, 1)), ..AgeOptions::default() };
        check(as_of, 4, &[1, 2, 3], 1);
        check(AgeOptions { as_of: Some(date(2000, 1, 1)), ..as_of }, 4, &[3], 3);
        check(AgeOptions { recency: 1.0, ..as_of }, 4, &[2, 1, 3], 1);
    }
}
