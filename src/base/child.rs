//! A second process of this program that does one kind of work for the first, by answering its questions.
//!
//! Work on bytes of unknown origin may take all memory or never end, and a thread can be neither limited nor ended. A
//! process can be both. It gets no environment, so no keys; it leads a process group of its own, so that Ctrl-C does
//! not end it in the middle of an answer; and it ends by itself when this process is gone, however that ended, because
//! then its standard input ends.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::command::read_in_thread;

/// Bytes of standard error that are kept, to say why the process died.
const KEPT_ERROR_BYTES: usize = 400;
/// How long to wait for the last errors of a process that has closed its output and is about to end.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A process that waits to be asked.
pub struct Helper {
    child: Child,
    input: ChildStdin,
    answers: Receiver<io::Result<Vec<u8>>>,
    errors: Option<Receiver<io::Result<Vec<u8>>>>,
}

/// Why a question got no answer. The process is of no use afterwards, and ends when the helper is dropped.
#[derive(Debug)]
pub enum NoAnswer {
    /// It did not answer in time.
    Late,
    /// It asked for more memory than it is allowed.
    Memory,
    /// It ended in another way.
    Ended(Option<ExitStatus>),
}

impl Helper {
    /// Starts `program` with one argument.
    pub fn start(program: &Path, argument: &str) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.arg(argument).env_clear();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let no_pipe = || io::Error::other("it was started without its pipes");
        let input = child.stdin.take().ok_or_else(no_pipe)?;
        let output = child.stdout.take().ok_or_else(no_pipe)?;
        let errors = child.stderr.take().map(|pipe| read_in_thread(pipe, KEPT_ERROR_BYTES, true));
        let (sender, answers) = sync_channel(1);
        thread::spawn(move || pass_on(output, &sender));
        Ok(Helper { child, input, answers, errors })
    }

    /// Sends the parts of a question as one, and waits for the answer until `deadline`. Blocks.
    pub fn ask(&mut self, question: &[&[u8]], deadline: Instant) -> Result<Vec<u8>, NoAnswer> {
        // A helper that died while it was written to has closed its output too, and its last errors tell why.
        let written = write_frame(&mut self.input, question);
        match self.answers.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(Ok(answer)) if written.is_ok() => Ok(answer),
            Err(RecvTimeoutError::Timeout) => Err(NoAnswer::Late),
            Ok(_) | Err(RecvTimeoutError::Disconnected) => Err(self.exit_failure()),
        }
    }

    fn exit_failure(&mut self) -> NoAnswer {
        let said = self.errors.take().and_then(|errors| errors.recv_timeout(LAST_WORDS).ok()?.ok()).unwrap_or_default();
        // The standard library writes this before it ends a process that runs out of memory.
        if String::from_utf8_lossy(&said).contains("memory allocation of") {
            return NoAnswer::Memory;
        }
        // Its output is closed, so it is about to end.
        let status = self.child.wait().ok();
        #[cfg(unix)]
        if status.and_then(|status| std::os::unix::process::ExitStatusExt::signal(&status)) == Some(libc::SIGXCPU) {
            return NoAnswer::Late;
        }
        NoAnswer::Ended(status)
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // It has started no other process. A process that was already waited for is not killed.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn pass_on(mut output: impl Read, answers: &SyncSender<io::Result<Vec<u8>>>) {
    while let Some(answer) = read_frame(&mut output).transpose() {
        let is_last = answer.is_err();
        if answers.send(answer).is_err() || is_last {
            return;
        }
    }
}

/// The other side: passes every incoming question to `answer`, and ends the process after the last one. A separate
/// thread reads them, so that the process ends at once when nobody waits for an answer any more.
pub fn answer_questions(answer: impl Fn(Vec<u8>) -> Vec<Vec<u8>>) -> io::Result<()> {
    let (sender, questions) = sync_channel(1);
    thread::spawn(move || {
        while let Ok(Some(question)) = read_frame(&mut io::stdin().lock()) {
            if sender.send(question).is_err() {
                break;
            }
        }
        std::process::exit(0);
    });
    while let Ok(question) = questions.recv() {
        let parts = answer(question);
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        write_frame(&mut io::stdout().lock(), &parts)?;
    }
    Ok(())
}

/// Sets a limit of this process, as far as the system's own limit on it allows. A macro, because the type of a
/// resource's number differs between systems.
#[cfg(unix)]
macro_rules! limit {
    ($resource:expr, $value:expr) => {{
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: both calls read or fill one structure, which lives until they return.
        unsafe {
            if libc::getrlimit($resource, &raw mut limit) == 0 {
                limit.rlim_cur = limit.rlim_max.min($value);
                libc::setrlimit($resource, &raw const limit);
            }
        }
    }};
}

/// Limits this process to `bytes` of writable memory from now on. On a system without such a limit, only time limits
/// the work.
pub fn limit_memory(bytes: u64) {
    #[cfg(target_os = "linux")]
    {
        limit!(libc::RLIMIT_DATA, bytes);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = bytes;
}

/// Ends this process after it has computed for this many more seconds, however busy the machine is. On a system without
/// such a limit, the process that waits for the answer has one.
pub fn limit_time(seconds: u64) {
    #[cfg(unix)]
    {
        let mut used = std::mem::MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the call fills one structure, which lives until it returns; one of zeros is valid too.
        let used = unsafe {
            libc::getrusage(libc::RUSAGE_SELF, used.as_mut_ptr());
            used.assume_init()
        };
        let used = used.ru_utime.tv_sec.unsigned_abs() + used.ru_stime.tv_sec.unsigned_abs();
        limit!(libc::RLIMIT_CPU, used + 1 + seconds);
        // This end is expected, so it leaves no memory dump behind.
        limit!(libc::RLIMIT_CORE, 0);
    }
    #[cfg(not(unix))]
    let _ = seconds;
}

fn write_frame(to: &mut impl Write, parts: &[&[u8]]) -> io::Result<()> {
    let length: u64 = parts.iter().map(|part| part.len() as u64).sum();
    to.write_all(&length.to_le_bytes())?;
    parts.iter().try_for_each(|part| to.write_all(part))?;
    to.flush()
}

/// The next frame; `None` at the end.
fn read_frame(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 8];
    match from.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let length = u64::from_le_bytes(length);
    let mut frame = Vec::with_capacity(usize::try_from(length).map_err(io::Error::other)?);
    let read = from.take(length).read_to_end(&mut frame)? as u64;
    if read < length { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(Some(frame)) }
}
