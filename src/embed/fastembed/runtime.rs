//! Loads ONNX Runtime, a shared library, when a model of the catalogue is first asked for. Loading it first turns a
//! missing or outdated library into an error; the crate that uses it would panic.

use std::path::PathBuf;
use std::sync::Mutex;

/// Names that the system's loader is asked for: the library's own, and those in packages without a development link.
#[cfg(target_os = "windows")]
const NAMES: [&str; 1] = ["onnxruntime.dll"];
#[cfg(target_os = "macos")]
const NAMES: [&str; 2] = ["libonnxruntime.dylib", "libonnxruntime.1.dylib"];
#[cfg(not(any(target_os = "windows", target_os = "macos")))]
const NAMES: [&str; 2] = ["libonnxruntime.so", "libonnxruntime.so.1"];

/// The environment variable that names the library's file.
pub(super) const VARIABLE: &str = "ORT_DYLIB_PATH";

/// Whether the library is loaded. The lock lets only one thread at a time try.
static LOADED: Mutex<bool> = Mutex::new(false);

/// Loads the library for the life of the process: only from `path` if given, else from where the system's loader looks.
/// The error lists every attempt.
pub(super) fn ensure(path: Option<PathBuf>) -> Result<(), String> {
    let mut loaded = LOADED.lock().map_err(|_| "an earlier attempt to load it broke off".to_owned())?;
    if *loaded {
        return Ok(());
    }
    let candidates = path.map_or_else(|| NAMES.iter().map(PathBuf::from).collect(), |path| vec![path]);
    let mut failures = Vec::new();
    for candidate in candidates {
        match ort::init_from(&candidate) {
            Ok(_environment) => {
                *loaded = true;
                return Ok(());
            }
            Err(error) => failures.push(error.to_string()),
        }
    }
    Err(failures.join("; "))
}

/// The error message for the user: the failure, and three ways around it.
pub(super) fn runtime_error_message(failure: &str) -> String {
    format!(
        "ONNX Runtime cannot be loaded ({failure}). Install ONNX Runtime 1.{minor} or newer and set {VARIABLE} to its \
         library, or use an OpenAI-compatible endpoint (`openai:MODEL`), or use the bundled model (`minilm`)",
        minor = ort::MINOR_VERSION
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_is_an_error_that_names_three_ways_out() {
        let failure = ensure(Some(PathBuf::from("/nonexistent/libonnxruntime.so"))).unwrap_err();
        let message = runtime_error_message(&failure);
        for part in ["/nonexistent/libonnxruntime.so", VARIABLE, "openai:", "minilm"] {
            assert!(message.contains(part), "{part} is missing in: {message}");
        }
    }

    #[test]
    fn a_file_that_is_no_library_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("libonnxruntime.so");
        std::fs::write(&file, "not a library").unwrap();
        assert!(ensure(Some(file.clone())).unwrap_err().contains(&file.display().to_string()));
    }
}
