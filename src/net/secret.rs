use std::fmt;
use std::path::{Path, PathBuf};

/// A key or password. It is never printed, and its bytes are overwritten when it is dropped.
#[derive(Clone)]
pub struct Secret(Vec<u8>);

/// Why a key could not be obtained.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The variable is not set, or is empty.
    #[error("the environment variable {variable} is not set; set it to your key")]
    Unset {
        /// The variable's name.
        variable: String,
    },
    /// What the variable or file holds is not a key that a header can carry.
    #[error("{origin} does not hold a key: {reason}")]
    NotAKey {
        /// The name of the variable or the path of the file.
        origin: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The file cannot be read.
    #[error("cannot read the key file {}: {source}", path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The error from the system.
        source: std::io::Error,
    },
}

impl Secret {
    /// The longest accepted key, in bytes.
    const MAX_BYTES: usize = 16 * 1024;

    /// Wraps a key without checking it.
    pub fn new(key: impl Into<String>) -> Self {
        Secret(key.into().into_bytes())
    }

    /// Reads the key from an environment variable, without surrounding white space.
    pub fn from_env(variable: &str) -> Result<Self, SecretError> {
        match std::env::var(variable) {
            Ok(value) if !value.trim().is_empty() => Secret::checked(&value, variable),
            Ok(_) | Err(std::env::VarError::NotPresent) => Err(SecretError::Unset { variable: variable.to_owned() }),
            Err(std::env::VarError::NotUnicode(_)) => {
                Err(SecretError::NotAKey { origin: variable.to_owned(), reason: "it is not valid Unicode" })
            }
        }
    }

    /// Reads the key from a file that holds nothing else, without surrounding white space.
    pub fn from_file(path: &Path) -> Result<Self, SecretError> {
        let text = std::fs::read_to_string(path).map_err(|source| SecretError::File { path: path.into(), source })?;
        Secret::checked(&text, &path.display().to_string())
    }

    fn checked(text: &str, origin: &str) -> Result<Self, SecretError> {
        let key = text.trim();
        let reason = if key.is_empty() {
            "it is empty"
        } else if key.len() > Self::MAX_BYTES {
            "it is far too long"
        } else if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            "it contains white space or characters outside ASCII"
        } else {
            return Ok(Secret::new(key));
        };
        Err(SecretError::NotAKey { origin: origin.to_owned(), reason })
    }

    /// Returns the key itself, for a header; also for clients that build their headers themselves.
    pub(crate) fn expose(&self) -> &str {
        // Every constructor takes valid UTF-8, and nothing changes the bytes before the drop.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Returns `text` with every occurrence of the key blanked out: servers quote what they were sent.
    pub(crate) fn blank(&self, text: &str) -> String {
        match self.expose() {
            // A key of a few letters, as given to local servers, would blank out ordinary words.
            key if key.len() < 6 => text.to_owned(),
            key => text.replace(key, "[key]"),
        }
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.0.fill(0);
        // Keeps the compiler from dropping writes to memory that is about to be freed.
        std::hint::black_box(&self.0);
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_file_gives_its_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let check = |content: &str, expected: Option<&str>| {
            std::fs::write(&path, content).unwrap();
            assert_eq!(Secret::from_file(&path).ok().as_ref().map(Secret::expose), expected, "{content:?}");
        };
        check("sk-1\n", Some("sk-1"));
        check("  sk-1\r\n", Some("sk-1"));
        check("", None);
        check(" \n", None);
        check("sk-1\nsk-2\n", None);
        check("schlüssel", None);
        check(&"x".repeat(20_000), None);
    }

    #[test]
    fn neither_debug_nor_errors_show_a_key() {
        assert_eq!(format!("{:?}", Secret::new("sk-abcdefgh")), "Secret");
        let error = Secret::checked("sk-abc defgh", "KEY").unwrap_err();
        assert!(!error.to_string().contains("abc"), "{error}");
        assert_eq!(Secret::new("sk-abcdefgh").blank("bad key sk-abcdefgh!"), "bad key [key]!");
        assert_eq!(Secret::new("x").blank("max"), "max");
    }
}
