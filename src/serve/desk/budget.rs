//! The limits of an access token within 24 hours.

use jiff::{SignedDuration, Timestamp};

use super::{Desk, cannot_read};
use crate::serve::{Access, Refusal, RefusalKind};

const DAY: SignedDuration = SignedDuration::from_hours(24);

impl Desk {
    /// Checks whether a token may begin a research now. The researches are counted from the files of its runs, and
    /// their tokens from their journals, so that a restart of the server forgets nothing.
    pub(super) fn check_budget(&self, access: &Access) -> Result<(), Refusal> {
        let budget = &access.budget;
        let spent = || Refusal::new(RefusalKind::Spent, format!("this token may {}", budget.words()));
        let mut used = (0, 0);
        if budget.is_spent(used) {
            return Err(spent());
        }
        let since = Timestamp::now() - DAY;
        // Newest first, by id.
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

    /// The tokens in and out that a run has used so far.
    fn tokens_of(&self, id: &str) -> u64 {
        match self.app.runs().and_then(|runs| Ok(runs.details(id)?)) {
            Ok(details) => details.run.usage.prompt_tokens.saturating_add(details.run.usage.completion_tokens),
            // Its journal was removed, or another process holds a lock on it that blocks readers.
            Err(error) => {
                tracing::warn!("what the run {id} used is not known: {error}");
                0
            }
        }
    }
}
