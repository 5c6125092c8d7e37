//! Authentication: the tokens, and what each of them may access.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::Deserialize;

use crate::app::TOKEN_FILES;
use crate::base::{create_private_folder, if_there, private_file};
use crate::serve::{Access, Budget};

/// The minimum length of a token; a shorter one could be guessed.
const SHORTEST: usize = 20;

/// Why the tokens cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// A file cannot be read or written.
    #[error("{action} {}: {source}", path.display())]
    Io {
        /// What was attempted.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Users other than its owner can read the file.
    #[error("{} can be read by others, and holds tokens; make it private: chmod 600 {}", path.display(), path.display())]
    Open {
        /// The file.
        path: PathBuf,
    },
    /// The contents of the file are invalid.
    #[error("{} cannot be used: {reason}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// The tokens of a server. Only their hashes are kept in memory.
pub struct Tokens {
    known: Vec<(blake3::Hash, Access)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    token: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    token: String,
    collections: Vec<String>,
    #[serde(default)]
    load: bool,
    runs_a_day: Option<usize>,
    tokens_a_day: Option<u64>,
}

impl Tokens {
    /// Reads the tokens of a data folder. The first start creates one for everything and returns it, to be shown once.
    pub fn of(data_dir: &Path) -> Result<(Self, Option<String>), TokenError> {
        let folder = data_dir.join("served");
        let io = |action, path: &Path| {
            let path = path.to_owned();
            move |source| TokenError::Io { action, path, source }
        };
        create_private_folder(&folder).map_err(io("cannot make the folder", &folder))?;
        let [path, narrow] = TOKEN_FILES.map(|name| folder.join(name));
        let (full, made) = match if_there(fs::read_to_string(&path)).map_err(io("cannot read", &path))? {
            Some(text) => (text.trim().to_owned(), None),
            None => {
                let token = new_token().map_err(|source| TokenError::Io {
                    action: "cannot make a token for",
                    path: path.clone(),
                    source,
                })?;
                write_private(&path, &token).map_err(io("cannot write", &path))?;
                (token.clone(), Some(token))
            }
        };
        must_be_private(&path)?;
        must_be_long(&path, &full)?;
        let mut known = vec![(blake3::hash(full.as_bytes()), Access::full())];
        let path = narrow;
        if let Some(text) = if_there(fs::read_to_string(&path)).map_err(io("cannot read", &path))? {
            must_be_private(&path)?;
            let unusable = |reason: String| TokenError::Unusable { path: path.clone(), reason };
            // The parser's own message would quote the line, and a token with it.
            let file: File = toml::from_str(&text).map_err(|error: toml::de::Error| {
                let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
                let place = line.map(|line| format!("line {line}: ")).unwrap_or_default();
                unusable(format!("{place}{}", error.message()))
            })?;
            for row in file.token {
                must_be_long(&path, &row.token)?;
                if row.name.is_empty() || row.collections.is_empty() {
                    return Err(unusable("each token needs a name, and the collections that it may see".to_owned()));
                }
                let (owner, collections) = (Some(row.name), Some(row.collections));
                let budget = Budget { runs: row.runs_a_day, tokens: row.tokens_a_day };
                let access = Access { owner, collections, load: row.load, budget };
                known.push((blake3::hash(row.token.as_bytes()), access));
            }
        }
        Ok((Tokens { known }, made))
    }

    /// The access that a token gives; `None` for an unknown one. Takes equally long however close the token is.
    pub(super) fn access(&self, token: &str) -> Option<&Access> {
        let hash = blake3::hash(token.as_bytes());
        // Hashes are compared in constant time, and always all of them.
        self.known.iter().fold(None, |found, (known, access)| if *known == hash { Some(access) } else { found })
    }
}

fn new_token() -> io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(format!("ds_{}", BASE64_URL_SAFE_NO_PAD.encode(bytes)))
}

fn must_be_long(path: &Path, token: &str) -> Result<(), TokenError> {
    let good = token.len() >= SHORTEST && token.bytes().all(|byte| byte.is_ascii_graphic());
    let reason = format!("a token needs at least {SHORTEST} letters, digits or signs of ASCII, without space");
    if good { Ok(()) } else { Err(TokenError::Unusable { path: path.to_owned(), reason }) }
}

fn write_private(path: &Path, token: &str) -> io::Result<()> {
    use std::io::Write;
    let mut file = private_file().write(true).create_new(true).open(path)?;
    file.write_all(format!("{token}\n").as_bytes())?;
    file.sync_all()
}

#[cfg(unix)]
fn must_be_private(path: &Path) -> Result<(), TokenError> {
    use std::os::unix::fs::PermissionsExt;
    match fs::metadata(path) {
        Ok(data) if data.permissions().mode() & 0o077 == 0 => Ok(()),
        Ok(_) => Err(TokenError::Open { path: path.to_owned() }),
        Err(source) => Err(TokenError::Io { action: "cannot read", path: path.to_owned(), source }),
    }
}

#[cfg(not(unix))]
fn must_be_private(_: &Path) -> Result<(), TokenError> {
    // The permissions of the folder decide.
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_token_is_made_once_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (tokens, made) = Tokens::of(folder.path()).unwrap();
        let made = made.expect("the first start shows it");
        assert_eq!(tokens.access(&made), Some(&Access::full()));
        assert_eq!(tokens.access(&made[..made.len() - 1]), None);
        assert_eq!(tokens.access(""), None);
        let (tokens, again) = Tokens::of(folder.path()).unwrap();
        assert_eq!((tokens.access(&made), again), (Some(&Access::full()), None));
    }

    #[cfg(unix)]
    #[test]
    fn a_table_of_tokens_is_private_and_never_quoted() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        Tokens::of(folder.path()).unwrap();
        let path = folder.path().join("served/tokens.toml");
        let check = |text: &str, mode: u32| {
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            Tokens::of(folder.path()).map(|(tokens, _)| tokens).map_err(|error| error.to_string())
        };
        let row = "[[token]]\nname = \"team\"\ntoken = \"abcdefghijklmnopqrst\"\ncollections = [\"a\"]\n";
        let few = check(&format!("{row}runs_a_day = 2\ntokens_a_day = 50000\n"), 0o600).unwrap();
        let budget = Budget { runs: Some(2), tokens: Some(50_000) };
        assert_eq!(few.access("abcdefghijklmnopqrst").unwrap().budget, budget);
        let access = check(row, 0o600).unwrap().access("abcdefghijklmnopqrst").cloned().unwrap();
        assert!(access.can_see("a") && !access.can_see("b") && !access.load);
        assert!(check(row, 0o644).err().unwrap().contains("chmod 600"));
        for wrong in [
            "[[token]]\nname = \"team\"\ntoken = \"abcdefghijklmnopqrst\"\ncolections = [\"a\"]\n",
            "[[token]]\nname = \"team\"\ntoken = \"abcdefghijklmnopqrst\ncollections = [\"a\"]\n",
            "[[token]]\nname = \"team\"\ntoken = \"short\"\ncollections = [\"a\"]\n",
            "[[token]]\nname = \"team\"\ntoken = \"abcdefghijklmnopqrst\"\ncollections = []\n",
        ] {
            let error = check(wrong, 0o600).err().unwrap();
            assert!(!error.contains("abcdefghij") && !error.contains("short\""), "{error}");
        }
    }
}
