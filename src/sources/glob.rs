use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use super::SourceError;

/// A pattern, split into the folder before its first special character and a matcher for the paths below.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// The folder where the search starts.
    pub(super) base: PathBuf,
    matcher: GlobMatcher,
    /// The maximum depth of a match in path components; `None` with `**` or braces.
    depth: Option<usize>,
    /// Whether the pattern itself asks for hidden names.
    pub(super) hidden: bool,
}

impl Pattern {
    /// Whether `path` contains a special character of patterns.
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
        // Braces may contain separators, so the depth cannot be counted by components.
        let braces = rest.iter().any(|part| part.contains('{'));
        Ok(Pattern {
            base,
            matcher: glob.compile_matcher(),
            depth: (!deep && !braces).then_some(rest.len()),
            hidden: rest.iter().any(|part| part.starts_with('.')),
        })
    }

    /// The same pattern with another path of its base folder.
    pub(super) fn below(self, base: &Path) -> Self {
        Pattern { base: base.to_owned(), ..self }
    }

    /// Whether the pattern covers `relative` (to the base): it matches, or a folder above does, as a shell would have
    /// passed it.
    pub(super) fn matches(&self, relative: &Path) -> bool {
        relative.ancestors().any(|part| !part.as_os_str().is_empty() && self.matcher.is_match(part))
    }

    /// Whether the pattern may cover something below the folder `relative`.
    pub(super) fn descends(&self, relative: &Path) -> bool {
        self.depth.is_none_or(|depth| relative.components().count() < depth) || self.matches(relative)
    }
}
