//! Reports as tasks, for clients that declare them: such a client asks for the report once, and its own program asks again
//! until the run has ended.

use rmcp::model::{CreateTaskResult, DetailedTask, Task, TaskPayload, TaskStatus};
use serde_json::Value;

use super::{tool_result, tools};
use crate::serve::kept::EndStatus;
use crate::serve::run::{Phase, ServedRun};

/// How often a client is to ask, in milliseconds.
const POLL_MS: u64 = 2000;

/// The run as a task that has just been made.
pub(super) fn created(run: &ServedRun) -> CreateTaskResult {
    CreateTaskResult::new(task(run))
}

/// How the task stands. A run without a report is a call that was answered, with an error.
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
