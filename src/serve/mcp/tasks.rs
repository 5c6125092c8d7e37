//! Reports as tasks, for clients that support them: such a client asks for the report once, then polls until the run
//! has ended.

use rmcp::model::{CreateTaskResult, DetailedTask, Task, TaskPayload, TaskStatus};
use serde_json::Value;

use super::{tool_result, tools};
use crate::serve::kept::EndStatus;
use crate::serve::run::{Phase, ServedRun};

/// The polling interval for clients, in milliseconds.
const POLL_MS: u64 = 2000;

/// The run as a newly created task.
pub(super) fn created(run: &ServedRun) -> CreateTaskResult {
    CreateTaskResult::new(task(run))
}

/// The state of the task. A run without a report counts as a completed call whose result is an error.
pub(super) fn detailed(run: &ServedRun) -> DetailedTask {
    let payload = match run.phase() {
        Phase::Queued(_) | Phase::Running => TaskPayload::Working,
        Phase::Ended(end) if end.status == EndStatus::Cancelled => TaskPayload::Cancelled,
        Phase::Ended(_) => match serde_json::to_value(tool_result(tools::result(run))) {
            Ok(Value::Object(result)) => TaskPayload::Completed { result },
            Ok(_) | Err(_) => TaskPayload::Failed { error: Default::default() },
        },
    };
    DetailedTask::new(task(run), payload)
}

fn task(run: &ServedRun) -> Task {
    let (told, phase) = run.after(0);
    let updated = match &phase {
        Phase::Ended(end) => end.at,
        Phase::Queued(_) | Phase::Running => jiff::Timestamp::now(),
    };
    let task =
        Task::new(run.ticket.id.clone(), TaskStatus::Working, run.ticket.created.to_string(), updated.to_string())
            .with_poll_interval_ms(POLL_MS);
    match told.iter().rev().find_map(|one| one.line.clone()) {
        Some(line) => task.with_status_message(line),
        None => task,
    }
}
