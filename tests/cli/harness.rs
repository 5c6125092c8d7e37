//! A folder for each test, a cleared environment, and assertions that show both streams when they fail.

use std::fs::FileTimes;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use serde_json::Value;

/// The question that the example corpus is made for.
pub const QUESTION: &str = "How has The Simpsons changed over time?";

/// A temporary folder with a home, a working folder and a data folder. Only the first two exist.
pub struct TestDir {
    root: PathBuf,
    /// Removes the folder when dropped; `None` for a shared folder.
    _removed: Option<tempfile::TempDir>,
}

impl TestDir {
    pub fn new() -> Self {
        let removed = tempfile::tempdir().unwrap();
        TestDir::at(removed.path().to_owned(), Some(removed))
    }

    /// A folder with a copy of the examples in its working folder.
    pub fn with_examples() -> Self {
        let dir = TestDir::new();
        dir.copy_examples("work/examples");
        dir
    }

    /// The example corpus from `work/examples/simpsons`, loaded once into one collection per folder. All tests share
    /// it, so none may change it.
    pub fn simpsons() -> &'static TestDir {
        static SHARED: OnceLock<TestDir> = OnceLock::new();
        SHARED.get_or_init(|| {
            let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli-simpsons");
            if root.exists() {
                std::fs::remove_dir_all(&root).unwrap();
            }
            std::fs::create_dir_all(&root).unwrap();
            let dir = TestDir::at(root.canonicalize().unwrap(), None);
            dir.copy_examples("work/examples");
            dir.run(&["load", "examples/simpsons", "--collection-per-dir"]).ends_with(0);
            dir
        })
    }

    fn at(root: PathBuf, removed: Option<tempfile::TempDir>) -> Self {
        std::fs::create_dir_all(root.join("home")).unwrap();
        std::fs::create_dir_all(root.join("work")).unwrap();
        TestDir { root, _removed: removed }
    }

    /// Copies the repository's examples. The files' times are the same on every machine, since they are shown for
    /// documents without a date of their own.
    pub fn copy_examples(&self, to: &str) {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
        let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(1_767_225_600);
        for file in files_below(&from) {
            let copy = self.path(to).join(file.strip_prefix(&from).unwrap());
            std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
            std::fs::copy(&file, &copy).unwrap();
            let copy = std::fs::File::options().write(true).open(copy).unwrap();
            copy.set_times(FileTimes::new().set_modified(modified)).unwrap();
        }
    }

    /// A path below the root.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Writes a file below the root, creating its folders.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    /// The data folder; the program creates it when needed.
    pub fn data(&self) -> PathBuf {
        self.path("data")
    }

    /// A run of the binary in the working folder, with nothing of the caller's environment. `CI` is set as in
    /// continuous integration, so that the run does not depend on what earlier runs left in the memory; tests of the
    /// memory unset it.
    pub fn run(&self, arguments: &[&str]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_deepsearch"));
        command
            .args(arguments)
            .env_clear()
            .env("CI", "true")
            .env("HOME", self.path("home"))
            .env("DEEPSEARCH_DATA_DIR", self.data())
            .current_dir(self.path("work"))
            .stdin(Stdio::null());
        Run { command, stdin: None, root: self.root.clone() }
    }

    /// The result of a command with `--json`.
    pub fn json(&self, arguments: &[&str]) -> Value {
        self.run(&[arguments, &["--json"]].concat()).ends_with(0).json()
    }
}

/// A run that is being prepared.
pub struct Run {
    command: Command,
    stdin: Option<Vec<u8>>,
    root: PathBuf,
}

impl Run {
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// The command itself, for tests that hold its pipes.
    pub fn into_command(self) -> Command {
        self.command
    }

    /// Runs to the end and checks the exit code.
    pub fn ends_with(mut self, code: i32) -> Ended {
        self.command.stdin(if self.stdin.is_some() { Stdio::piped() } else { Stdio::null() });
        let mut child = self.command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let writer = self.stdin.take().zip(child.stdin.take()).map(|(bytes, mut pipe)| {
            // The child may stop reading early, which closes the pipe.
            std::thread::spawn(move || drop(pipe.write_all(&bytes)))
        });
        let output = child.wait_with_output().unwrap();
        if let Some(writer) = writer {
            writer.join().unwrap();
        }
        let plain =
            |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap().replace(&*self.root.to_string_lossy(), "DIR");
        let ended =
            Ended { stdout: plain(&output.stdout), stderr: plain(&output.stderr), written: output.stdout.clone() };
        assert_eq!(output.status.code(), Some(code), "{:?}\n{ended:?}", self.command);
        assert!(!ended.stderr.contains("panicked"), "{ended:?}");
        ended
    }
}

/// The output of a run, with the temporary folder written as `DIR`.
pub struct Ended {
    pub stdout: String,
    pub stderr: String,
    /// The bytes of standard output, unchanged.
    written: Vec<u8>,
}

impl std::fmt::Debug for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ended").field("stdout", &self.stdout).field("stderr", &self.stderr).finish_non_exhaustive()
    }
}

impl Ended {
    /// Standard output as JSON, with the paths unchanged.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.written).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn stdout_is(self, expected: &str) -> Self {
        assert_eq!(self.stdout, expected, "standard error was: {}", self.stderr);
        self
    }

    pub fn stderr_is(self, expected: &str) -> Self {
        assert_eq!(self.stderr, expected);
        self
    }

    pub fn stdout_has(self, part: &str) -> Self {
        assert!(self.stdout.contains(part), "`{part}` is not in standard output: {self:?}");
        self
    }

    pub fn stderr_has(self, part: &str) -> Self {
        assert!(self.stderr.contains(part), "`{part}` is not in standard error: {self:?}");
        self
    }
}

/// The program with a person at its terminal, which `script` of util-linux provides.
#[cfg(target_os = "linux")]
pub struct Typing {
    child: std::process::Child,
    keys: Option<std::process::ChildStdin>,
    /// The screen's output, piece by piece; closed when the program has ended.
    screen: std::sync::mpsc::Receiver<Vec<u8>>,
    /// The screen's output so far; `seen` is how much of it was waited for.
    shown: String,
    seen: usize,
}

#[cfg(target_os = "linux")]
impl Typing {
    /// Starts the program with a terminal as all of its streams.
    pub fn start(run: Run) -> Self {
        let inner = run.command;
        let words: Vec<String> = std::iter::once(inner.get_program())
            .chain(inner.get_args())
            .map(|word| format!("'{}'", word.to_string_lossy()))
            .collect();
        let mut command = Command::new("script");
        command.args(["-qec", &words.join(" "), "/dev/null"]).current_dir(inner.get_current_dir().unwrap()).env_clear();
        command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("TERM", "xterm").env("PATH", std::env::var_os("PATH").unwrap()).env("SHELL", "/bin/sh");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (keys, mut output) = (child.stdin.take(), child.stdout.take().unwrap());
        let (pieces, screen) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(read @ 1..) = std::io::Read::read(&mut output, &mut piece) {
                let _ = pieces.send(piece[..read].to_vec());
            }
        });
        Typing { child, keys, screen, shown: String::new(), seen: 0 }
    }

    /// Types once the screen shows `mark` after the previous one, as people do. A screen that stands still without
    /// showing it fails the test: a program that waits for a key would otherwise wait for ever.
    pub fn after(&mut self, mark: &str, typed: &str) {
        while !self.shown[self.seen..].contains(mark) {
            match self.screen.recv_timeout(std::time::Duration::from_secs(120)) {
                Ok(piece) => self.shown.push_str(&String::from_utf8_lossy(&piece)),
                Err(error) => {
                    let _ = self.child.kill();
                    panic!("no {mark:?} ({error}) in {}", self.shown);
                }
            }
        }
        self.seen += self.shown[self.seen..].find(mark).unwrap() + mark.len();
        self.keys.as_mut().unwrap().write_all(typed.as_bytes()).unwrap();
    }

    /// Waits for the program to end with a code, and returns everything that the screen showed.
    pub fn ends_with(mut self, code: i32) -> String {
        drop(self.keys.take());
        for piece in self.screen.iter() {
            self.shown.push_str(&String::from_utf8_lossy(&piece));
        }
        assert_eq!(self.child.wait().unwrap().code(), Some(code), "{}", self.shown);
        self.shown
    }
}

/// The files below a folder, sorted by path; empty if the folder does not exist.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}
