//! Runs that are not under way in this process: those that ended, those left by an earlier process, which continue
//! here, and those of another server over the same folder.

use std::sync::Arc;
use std::time::Duration;

use super::{Desk, cancelled, cannot_read};
use crate::serve::Refusal;
use crate::serve::kept::{Holder, KeptFile, KeptRun};
use crate::serve::run::{Phase, ServedRun};

/// How often the file of another process's run is checked while somebody listens.
const LOOK: Duration = Duration::from_millis(500);

impl Desk {
    /// Continues all runs left by earlier processes, in order of their requests. Returns the number of unfinished runs.
    pub fn take_up(self: &Arc<Self>) -> Result<usize, Refusal> {
        let mut left = Vec::new();
        for id in self.kept.ids().map_err(cannot_read)? {
            match self.kept.read(&id) {
                Ok(Some(run)) if run.end.is_none() => left.push((run.ticket.created, id)),
                Ok(_) => {}
                Err(error) => tracing::warn!("the served run {id} cannot be read: {error}"),
            }
        }
        left.sort();
        for (_, id) in &left {
            self.left(id)?;
        }
        Ok(self.lock().live.len())
    }

    /// Returns a run that is not under way here, as it is kept.
    pub(super) fn left(self: &Arc<Self>, id: &str) -> Result<Option<Arc<ServedRun>>, Refusal> {
        let Some(kept) = self.kept.read(id).map_err(cannot_read)? else { return Ok(None) };
        if kept.end.is_some() {
            return Ok(Some(Arc::new(ServedRun::again(kept, None))));
        }
        match self.kept.take(id).map_err(cannot_read)? {
            Holder::Us(kept, file) => Ok(Some(self.go_on(*kept, file))),
            Holder::Other => Ok(Some(self.follow_foreign_run(kept))),
        }
    }

    fn go_on(self: &Arc<Self>, kept: KeptRun, file: KeptFile) -> Arc<ServedRun> {
        let run = Arc::new(ServedRun::again(kept, Some(file)));
        if run.ticket.attached {
            run.end(cancelled(Some("the connection that asked for it broke".to_owned())));
        } else {
            self.enqueue(&run);
        }
        run
    }

    /// A run of another process, shared by all who listen to it here.
    fn follow_foreign_run(self: &Arc<Self>, kept: KeptRun) -> Arc<ServedRun> {
        let mut queue = self.lock();
        queue.others.retain(|_, run| run.strong_count() > 0);
        if let Some(run) = queue.others.get(&kept.ticket.id).and_then(std::sync::Weak::upgrade) {
            run.catch_up(kept);
            return run;
        }
        let run = Arc::new(ServedRun::again(kept, None));
        queue.others.insert(run.ticket.id.clone(), Arc::downgrade(&run));
        drop(queue);
        let (desk, listened) = (Arc::clone(self), Arc::downgrade(&run));
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(LOOK).await;
                let Some(run) = listened.upgrade() else { return };
                if let Err(refusal) = desk.look(&run) {
                    tracing::warn!("another process's run cannot be followed: {}", refusal.message);
                }
                if matches!(run.phase(), Phase::Ended(_)) {
                    return;
                }
            }
        });
        run
    }

    /// Passes on what has been written of a run since the last time. If its process has gone, the run continues here.
    fn look(self: &Arc<Self>, run: &ServedRun) -> Result<(), Refusal> {
        let id = &run.ticket.id;
        if let Some(kept) = self.kept.read(id).map_err(cannot_read)? {
            run.catch_up(kept);
        }
        if !matches!(run.phase(), Phase::Ended(_))
            && self.live(id).is_none()
            && let Holder::Us(kept, file) = self.kept.take(id).map_err(cannot_read)?
        {
            self.go_on(*kept, file);
        }
        Ok(())
    }
}
