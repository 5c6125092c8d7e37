//! A folder of its own for each test, a cleared environment, and assertions that show both streams when they fail.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A temporary folder with a home, a working folder and a data folder. Only the first two exist.
pub struct TestDir {
    root: tempfile::TempDir,
}

impl TestDir {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("home")).unwrap();
        std::fs::create_dir_all(root.path().join("work")).unwrap();
        TestDir { root }
    }

    /// A path below the root.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Writes a file below the root, and its folders.
    pub fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    /// The data folder, which the program makes when it must.
    pub fn data(&self) -> PathBuf {
        self.path("data")
    }

    /// A run of the binary in the working folder, with nothing of the caller's environment.
    pub fn run(&self, arguments: &[&str]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_deepsearch"));
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.path("home"))
            .env("DEEPSEARCH_DATA_DIR", self.data())
            .current_dir(self.path("work"))
            .stdin(Stdio::null());
        Run { command, stdin: None, root: self.root.path().to_owned() }
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
        let ended = Ended { stdout: plain(&output.stdout), stderr: plain(&output.stderr) };
        assert_eq!(output.status.code(), Some(code), "{:?}\n{ended:?}", self.command);
        assert!(!ended.stderr.contains("panicked"), "{ended:?}");
        ended
    }
}

/// What a run left behind, the temporary folder written as `DIR`.
#[derive(Debug)]
pub struct Ended {
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
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

/// The files below a folder, by path; empty where the folder is not there.
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
