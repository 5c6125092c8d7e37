//! Runs a program of the user's that reads or fetches what this one cannot, such as a browser or text recognition.
//!
//! It is started with a list of arguments and never through a shell, so that a name or a URL of unknown origin stays
//! one argument whatever it contains. It gets no input and no keys, and its time and output are limited. Processes that
//! it started end with it: on Unix it leads a process group of its own, which is ended as a whole.
//!
//! Variables whose names or values look like secrets are left out of its environment, and so are those that the caller
//! names. This module does not limit what it can read from the disk.
//!
//! The user's own editor is different: [`let_edit`] gives it the terminal and all variables.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The limits of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandLimits {
    /// The time from its start to its end.
    pub timeout: Duration,
    /// The most bytes that it may write to standard output.
    pub max_output_bytes: usize,
}

/// Why a program gave no output. Messages name the program but not its arguments, which may be long or secret.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The command is empty.
    #[error("the command is empty: name a program and its arguments, such as [\"program\", \"{{file}}\"]")]
    Empty,
    /// It cannot be started.
    #[error("cannot start `{program}`: {source}")]
    Start {
        /// As configured.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// It could not be waited for.
    #[error("lost `{program}` while it ran: {source}")]
    Lost {
        /// As configured.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// It took too long, and was ended.
    #[error("`{program}` was not done after {} s and was ended", after.as_secs_f64())]
    Timeout {
        /// As configured.
        program: String,
        /// The limit.
        after: Duration,
    },
    /// It wrote too much, and was ended.
    #[error("`{program}` wrote more than {limit} bytes and was ended")]
    TooMuch {
        /// As configured.
        program: String,
        /// The limit.
        limit: usize,
    },
    /// It reported a failure.
    #[error("`{program}` failed ({status}){said}")]
    Failed {
        /// As configured.
        program: String,
        /// Its exit status.
        status: ExitStatus,
        /// The end of its standard error, with the separator before it in the message; may be empty.
        said: String,
    },
}

/// Bytes of standard error that are kept for a message.
const KEPT_ERROR_BYTES: usize = 400;
/// The time between two checks whether a program that has closed its output has ended.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Runs `command`, a program and its arguments, and returns what it writes to standard output. In the arguments every
/// `{name}` of `values` is replaced by its value; the program itself never is. It gets this process's environment
/// without the variables `secret`, and without all others that look like secrets. Blocks.
pub fn run_command(
    command: &[String],
    values: &[(&str, &OsStr)],
    secret: &[String],
    limits: CommandLimits,
) -> Result<Vec<u8>, CommandError> {
    let (program, arguments) =
        command.split_first().filter(|(first, _)| !first.is_empty()).ok_or(CommandError::Empty)?;
    let deadline = Instant::now() + limits.timeout;
    let mut prepared = Command::new(program);
    prepared.args(arguments.iter().map(|argument| fill_placeholders(argument, values)));
    prepared.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for (name, value) in std::env::vars_os() {
        let (shown_name, shown_value) = (name.to_string_lossy(), value.to_string_lossy());
        if secret.iter().any(|name| *name == shown_name) || is_secret(&shown_name, &shown_value) {
            prepared.env_remove(name);
        }
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut prepared, 0);
    let mut child = prepared.spawn().map_err(|source| CommandError::Start { program: program.clone(), source })?;
    let lost = |source| CommandError::Lost { program: program.clone(), source };
    let attended = read_until_exit(&mut child, program, limits, deadline);
    let ended = end(&mut child);
    let (output, errors) = attended?;
    let status = ended.map_err(lost)?;
    if status.success() {
        return Ok(output);
    }
    let errors = received(errors, deadline).map_err(lost)?.unwrap_or_default();
    let said = String::from_utf8_lossy(&errors).trim().to_owned();
    let said = if said.is_empty() { said } else { format!(": {said}") };
    Err(CommandError::Failed { program: program.clone(), status, said })
}

/// Lets a person change a file with their own editor, a program that may have arguments. It has the terminal, and this
/// function waits for its end. Blocks.
pub fn let_edit(editor: &str, file: &Path) -> io::Result<()> {
    let mut words = editor.split_whitespace();
    let program = words.next().ok_or(io::ErrorKind::NotFound)?;
    let status = Command::new(program).args(words).arg(file).status()?;
    status.success().then_some(()).ok_or_else(|| io::Error::other(format!("it ended with {status}")))
}

/// Words in a variable's name that make its value a secret, also at the end of a longer word (`PGPASSWORD`) and in the
/// plural.
const SECRET_ENDINGS: [&str; 9] =
    ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASS", "PASSPHRASE", "CREDENTIAL", "BEARER"];
/// Words that do so only as whole words.
const SECRET_WORDS: [&str; 7] = ["PWD", "AUTH", "PAT", "JWT", "DSN", "COOKIE", "CONNECTION"];
/// Names that contain such a word, but hold folders.
const NO_SECRETS: [&str; 2] = ["PWD", "OLDPWD"];

/// Whether a variable looks like a secret: by its name, or because its value is an address with a password in it.
fn is_secret(name: &str, value: &str) -> bool {
    let name = name.to_uppercase();
    let is_secret_word = |word: &str| {
        let one = word.strip_suffix('S').unwrap_or(word);
        SECRET_WORDS.contains(&word) || SECRET_ENDINGS.iter().any(|end| word.ends_with(end) || one.ends_with(end))
    };
    let named = !NO_SECRETS.contains(&name.as_str())
        && name.split(|character: char| !character.is_alphanumeric()).any(is_secret_word);
    let with_password = || {
        let before_path = |rest: &str| rest.split(['/', '?', '#']).next().unwrap_or_default().to_owned();
        let authority = value.split_once("://").map(|(_, rest)| before_path(rest)).unwrap_or_default();
        authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'))
    };
    named || with_password()
}

/// The pending result of a pipe's reader.
type Aside = Receiver<io::Result<Vec<u8>>>;

/// Reads what the child writes until it has ended; returns its output, and the reader of its errors.
fn read_until_exit(
    child: &mut Child,
    program: &str,
    limits: CommandLimits,
    deadline: Instant,
) -> Result<(Vec<u8>, Option<Aside>), CommandError> {
    let lost = |source| CommandError::Lost { program: program.to_owned(), source };
    let late = || CommandError::Timeout { program: program.to_owned(), after: limits.timeout };
    let limit = limits.max_output_bytes;
    let output = child.stdout.take().map(|pipe| read_in_thread(pipe, limit.saturating_add(1), false));
    let errors = child.stderr.take().map(|pipe| read_in_thread(pipe, KEPT_ERROR_BYTES, true));
    let output = received(output, deadline).map_err(lost)?.ok_or_else(late)?;
    if output.len() > limit {
        return Err(CommandError::TooMuch { program: program.to_owned(), limit });
    }
    while !has_ended(child).map_err(lost)? {
        if Instant::now() >= deadline {
            return Err(late());
        }
        thread::sleep(LOOK_EVERY);
    }
    Ok((output, errors))
}

/// Whether a child has ended. Until it is waited for, its process id is not reused.
#[cfg(unix)]
fn has_ended(child: &mut Child) -> io::Result<bool> {
    // SAFETY: a `siginfo_t` may be all zeros, and stays so if nothing has ended; `waitid` writes only to it.
    let (failed, info) = unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        (libc::waitid(libc::P_PID, child.id(), &raw mut info, libc::WEXITED | libc::WNOHANG | libc::WNOWAIT), info)
    };
    if failed == 0 { Ok(info.si_signo != 0) } else { Err(io::Error::last_os_error()) }
}

#[cfg(not(unix))]
fn has_ended(child: &mut Child) -> io::Result<bool> {
    Ok(child.try_wait()?.is_some())
}

/// The bytes that a reader has read; `None` if it is not done in time.
fn received(reader: Option<Aside>, deadline: Instant) -> io::Result<Option<Vec<u8>>> {
    let Some(reader) = reader else { return Ok(Some(Vec::new())) };
    match reader.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(read) => read.map(Some),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        Err(RecvTimeoutError::Disconnected) => Err(io::Error::other("its reader ended early")),
    }
}

/// Reads a pipe on a separate thread: its first `most` bytes, or, with `last`, all of it to keep the last ones.
pub(super) fn read_in_thread(pipe: impl Read + Send + 'static, most: usize, last: bool) -> Aside {
    let (sender, receiver): (Sender<io::Result<Vec<u8>>>, _) = channel();
    thread::spawn(move || {
        let read = if last { read_last(pipe, most) } else { read_first(pipe, most) };
        // The receiver may have given up waiting.
        drop(sender.send(read));
    });
    receiver
}

fn read_first(pipe: impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    pipe.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn read_last(mut pipe: impl Read, most: usize) -> io::Result<Vec<u8>> {
    let (mut kept, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        match pipe.read(&mut piece) {
            Ok(0) => return Ok(kept),
            Ok(count) => {
                kept.extend_from_slice(&piece[..count]);
                let extra = kept.len().saturating_sub(most);
                kept.drain(..extra);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Ends a child that was not waited for, and what it started; returns its exit status.
fn end(child: &mut Child) -> io::Result<ExitStatus> {
    #[cfg(unix)]
    if let Ok(group) = i32::try_from(child.id()) {
        // SAFETY: `killpg` takes two numbers and touches no memory. The group is the child's own: the child leads it,
        // and nobody has waited for it, so its id is not reused before `wait` below.
        unsafe { libc::killpg(group, libc::SIGKILL) };
    }
    // A child that has already ended cannot be killed, which does no harm.
    drop(child.kill());
    child.wait()
}

/// `argument` with every `{name}` replaced. Names within values are not replaced.
fn fill_placeholders(argument: &str, values: &[(&str, &OsStr)]) -> OsString {
    let mut out = OsString::new();
    let mut rest = argument;
    while let Some(open) = rest.find('{') {
        out.push(&rest[..open]);
        rest = &rest[open..];
        let named = rest.find('}').and_then(|close| {
            let value = values.iter().find(|(name, _)| *name == &rest[1..close])?;
            Some((value.1, close + 1))
        });
        match named {
            Some((value, used)) => {
                out.push(value);
                rest = &rest[used..];
            }
            None => {
                out.push("{");
                rest = &rest[1..];
            }
        }
    }
    out.push(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_take_the_place_of_their_names_once() {
        let values: [(&str, &OsStr); 2] = [("url", OsStr::new("http://a/{file}")), ("file", OsStr::new("x y"))];
        let check = |argument: &str, expected: &str| assert_eq!(fill_placeholders(argument, &values), expected);
        check("{url}", "http://a/{file}");
        check("--in={file}:{url}", "--in=x y:http://a/{file}");
        check("{other} {", "{other} {");
        check("{{file}}", "{x y}");
        check("日本{file}", "日本x y");
    }

    #[test]
    fn secrets_are_told_by_their_names_and_by_passwords_in_addresses() {
        let check =
            |name: &str, value: &str, expected: bool| assert_eq!(is_secret(name, value), expected, "{name}={value}");
        for name in [
            "OPENAI_API_KEY",
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_SESSION_TOKEN",
            "GITHUB_TOKEN",
            "HF_TOKEN",
            "NPM_TOKENS",
            "CLIENT_SECRET",
            "MY_SECRETS",
            "PGPASSWORD",
            "MYSQL_PWD",
            "DB_PASS",
            "SSHPASS",
            "GPG_PASSPHRASE",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "GITHUB_PAT",
            "SENTRY_DSN",
            "SSH_AUTH_SOCK",
            "apikey",
            "DOCKER_AUTH_CONFIG",
            "my-api-key",
            "AZURE_STORAGE_CONNECTION_STRING",
            "SESSION_COOKIE",
        ] {
            check(name, "x", true);
        }
        for name in [
            "PATH",
            "HOME",
            "LANG",
            "PWD",
            "OLDPWD",
            "USER",
            "TMPDIR",
            "DISPLAY",
            "XDG_SESSION_ID",
            "TESSDATA_PREFIX",
            "LD_LIBRARY_PATH",
            "KEYBOARD_LAYOUT",
            "AUTHOR",
            "PASSIVE",
            "XAUTHORITY",
            "DBUS_SESSION_BUS_ADDRESS",
        ] {
            check(name, "/usr/bin:/bin", false);
        }
        check("DATABASE_URL", "postgres://user:secret@host/db", true);
        check("HTTPS_PROXY", "http://proxy:3128", false);
        check("HTTPS_PROXY", "http://me@proxy:3128", false);
        check("PAGE", "https://host/a:b@c", false);
    }

    #[cfg(unix)]
    mod on_unix {
        use super::*;

        fn run(script: &str, timeout: Duration, max_output_bytes: usize) -> Result<String, String> {
            let command = ["sh", "-c", script, "sh", "{file}"].map(str::to_owned);
            let values: [(&str, &OsStr); 1] = [("file", OsStr::new("a b; exit 9"))];
            let output = run_command(&command, &values, &[], CommandLimits { timeout, max_output_bytes });
            output.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(|error| error.to_string())
        }

        fn check(script: &str, max_output_bytes: usize, expected: Result<&str, &str>) {
            let found = run(script, Duration::from_secs(60), max_output_bytes);
            assert_eq!(found.as_deref().map_err(String::as_str), expected, "{script}");
        }

        #[test]
        fn a_program_gives_its_output_or_says_why_not() {
            check("printf '%s|%s' \"$1\" \"$(cat)\"", 100, Ok("a b; exit 9|"));
            check("echo no such page >&2; exit 3", 100, Err("`sh` failed (exit status: 3): no such page"));
            check("exit 1", 100, Err("`sh` failed (exit status: 1)"));
            check("printf 12345", 5, Ok("12345"));
            check("printf 123456", 5, Err("`sh` wrote more than 5 bytes and was ended"));
            check("yes", 5000, Err("`sh` wrote more than 5000 bytes and was ended"));
            check("yes | head -c 100000 >&2; printf done", 100, Ok("done"));
        }

        #[test]
        fn what_takes_too_long_is_ended_with_what_it_started() {
            // The inner `sleep` holds the pipe open: if it were not ended, reading would go on for an hour.
            let found = run("sleep 3600 & sleep 3600", Duration::from_millis(50), 100);
            assert_eq!(found, Err("`sh` was not done after 0.05 s and was ended".to_owned()));
            // A process that has closed its output is not waited for either.
            let found = run("exec >&- 2>&-; sleep 3600", Duration::from_millis(50), 100);
            assert_eq!(found, Err("`sh` was not done after 0.05 s and was ended".to_owned()));
        }

        #[test]
        fn a_program_that_is_not_there_is_named() {
            let limits = CommandLimits { timeout: Duration::from_secs(1), max_output_bytes: 1 };
            let error = run_command(&["/no/such/program".to_owned()], &[], &[], limits).unwrap_err().to_string();
            assert!(error.starts_with("cannot start `/no/such/program`: "), "{error}");
            assert!(matches!(run_command(&[], &[], &[], limits), Err(CommandError::Empty)));
        }
    }
}
