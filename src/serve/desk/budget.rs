//! What a token of access may use within 24 hours.

use jiff::{SignedDuration, Timestamp};

use super::{Desk, cannot_read};
use crate::serve::{Access, Refusal, RefusalKind};

const DAY: SignedDuration = SignedDuration::from_hours(24);

impl Desk {
    /// Whether a token may begin a research yet. What was begun is read from the files of its runs, and what they used from
    /// their journals, so that a new start of the server forgets nothing.
    pub(super) fn check_budget(&self, access: &Access) -> Result<(), Refusal> {
        let budget = &access.budget;
        let spent = || Refusal::new(RefusalKind::Spent, format!("this token may {}", budget.words()));
        let mut used = (0, 0);
        if budget.is_spent(used) {
            return Err(spent());
        }
        let since = Timestamp::now() - DAY;
        // The newest first, by their ids.
        for id in self.kept.ids().map_err(cannot_read)?.iter().rev() {
            let Some((ticket, _)) = self.glance(id) else { continue };
            if ticket.created <= since {
                break;
            }
            if ticket.owner != access.owner {
                continue;
            }
            used = (used.0 + 1, used.1 + if budget.tokens.is_some() { self.tokens_of(id) } else { 0 });
            if budget.is_spent(used) {
                return Err(spent().with_hint(format!("ask again after {}", ticket.created + DAY)));
            }
        }
        Ok(())
    }

    /// What the calls of a run took and gave so far.
    fn tokens_of(&self, id: &str) -> u64 {
        match self.app.runs().and_then(|runs| Ok(runs.details(id)?)) {
            Ok(details) => details.run.usage.prompt_tokens.saturating_add(details.run.usage.completion_tokens),
            // Its journal was removed, or another process has it under a lock that readers feel.
            Err(error) => {
                tracing::warn!("what the run {id} used is not known: {error}");
                0
            }
        }
    }
}
