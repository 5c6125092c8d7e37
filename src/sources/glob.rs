use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use super::SourceError;

/// A pattern, split into the folder before its first special character and a matcher of what lies below.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// Where to look.
    pub(super) base: PathBuf,
    matcher: GlobMatcher,
    /// How many folders deep a match can lie; `None` with `**`.
    depth: Option<usize>,
    /// Whether the pattern itself asks for hidden names.
    pub(super) hidden: bool,
}

impl Pattern {
    /// Whether `path` has a special character of patterns in it.
    pub(super) fn is_special(path: &Path) -> bool {
        path.to_string_lossy().contains(['*', '?', '[', '{'])
    }

    /// Splits and compiles `absolute`; `asked` is for the error.
    pub(super) fn new(asked: &Path, absolute: &Path) -> Result<Self, SourceError> {
        let mut base = PathBuf::new();
        let mut rest: Vec<String> = Vec::new();
        for component in absolute.components() {
            if rest.is_empty() && !Pattern::is_special(Path::new(component.as_os_str())) {
                base.push(component);
            } else if component != Component::CurDir {
                rest.push(component.as_os_str().to_string_lossy().into_owned());
            }
        }
        let glob = GlobBuilder::new(&rest.join("/"))
            .literal_separator(true)
            .build()
            .map_err(|source| SourceError::Pattern { pattern: asked.display().to_string(), source })?;
        let deep = rest.iter().any(|part| part.contains("**"));
        // A brace may hold separators, so its depth cannot be counted by components.
        let braces = rest.iter().any(|part| part.contains('{'));
        Ok(Pattern {
            base,
            matcher: glob.compile_matcher(),
            depth: (!deep && !braces).then_some(rest.len()),
            hidden: rest.iter().any(|part| part.starts_with('.')),
        })
    }

    /// The same pattern below another name of its base.
    pub(super) fn below(self, base: &Path) -> Self {
        Pattern { base: base.to_owned(), ..self }
    }

    /// Whether `relative` (to the base) is meant: it matches, or a folder above it does, as a shell would have handed
    /// that folder over.
    pub(super) fn matches(&self, relative: &Path) -> bool {
        relative.ancestors().any(|part| !part.as_os_str().is_empty() && self.matcher.is_match(part))
    }

    /// Whether something below the folder `relative` can be meant.
    pub(super) fn descends(&self, relative: &Path) -> bool {
        self.depth.is_none_or(|depth| relative.components().count() < depth) || self.matches(relative)
    }
}
