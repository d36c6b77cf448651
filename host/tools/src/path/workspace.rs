//! The folders that tools may work in.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, MetadataExt};
use seam_loop::tool::{Access, Location};

use super::canonical::CanonicalPath;
use super::describe::reason;
use super::kept::Kept;
use super::locks::Locks;

/// The workspace, and the folders outside it that the user allowed. Each was opened once, and stays open.
#[derive(Debug)]
pub struct Workspace {
    root: Arc<Root>,
    outside: Vec<Root>,
    variables: Vec<(OsString, Option<OsString>)>,
    kept: Option<Arc<Kept>>,
    closed: Closed,
    locks: Arc<Locks>,
}

/// Whether no search may look into a file. By its canonical path.
struct Closed(Box<dyn Fn(&Path) -> bool + Send + Sync>);

impl fmt::Debug for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Closed")
    }
}

/// Why a folder cannot be worked in.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// The workspace itself.
    #[error(
        "the workspace {} cannot be opened: {}. Start in a folder that you may read.",
        path.display(), reason(source)
    )]
    Root {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A folder that the user allowed outside it.
    #[error(
        "the folder {} cannot be opened: {}. Correct or remove it in `outside` under `[workspace]` in `seam.toml`.",
        path.display(), reason(source)
    )]
    Outside {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// A folder with its handle.
#[derive(Debug)]
pub(super) struct Root {
    pub(super) path: CanonicalPath,
    pub(super) dir: Dir,
}

impl Root {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let path = CanonicalPath::of(path)?;
        let dir = Dir::open_ambient_dir(path.as_path(), ambient_authority())?;
        Ok(Self { path, dir })
    }

    fn holds(&self, path: &CanonicalPath) -> bool {
        path.as_path().starts_with(self.path.as_path())
    }
}

impl Workspace {
    /// Opens a workspace, and the folders outside it that its tools may use too.
    ///
    /// # Errors
    /// Which folder cannot be opened, and why.
    pub fn open(root: &Path, outside: &[PathBuf]) -> Result<Self, WorkspaceError> {
        let failed = |source| WorkspaceError::Root { path: root.to_owned(), source };
        let root = Arc::new(Root::open(root).map_err(failed)?);
        Self::at(root, outside, None, Arc::default())
    }

    /// The same workspace with other folders outside it, and without variables: for tools that take the place of those
    /// there are. What is kept of outputs stays where it is, and who changes a file waits for who does.
    ///
    /// # Errors
    /// Which folder cannot be opened, and why.
    pub fn renewed(&self, outside: &[PathBuf]) -> Result<Self, WorkspaceError> {
        Self::at(Arc::clone(&self.root), outside, self.kept.clone(), Arc::clone(&self.locks))
    }

    fn at(
        root: Arc<Root>,
        outside: &[PathBuf],
        kept: Option<Arc<Kept>>,
        locks: Arc<Locks>,
    ) -> Result<Self, WorkspaceError> {
        let failed = |path: &PathBuf, source| WorkspaceError::Outside { path: path.clone(), source };
        let opened = outside.iter().map(|path| Root::open(path).map_err(|source| failed(path, source)));
        let (outside, variables) = (opened.collect::<Result<_, _>>()?, Vec::new());
        Ok(Self { root, outside, variables, kept, closed: Closed(Box::new(|_| false)), locks })
    }

    /// With a variable in the environment of every command.
    #[must_use]
    pub fn with_variable(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.as_ref().to_owned(), Some(value.as_ref().to_owned())));
        self
    }

    /// Without a variable in the environment of any command.
    #[must_use]
    pub fn without_variable(mut self, name: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.as_ref().to_owned(), None));
        self
    }

    /// Without files that a search of a folder would come by. It is given their canonical paths. To refuse a file that a
    /// call names is up to the host's rules.
    #[must_use]
    pub fn without(mut self, is_closed: impl Fn(&Path) -> bool + Send + Sync + 'static) -> Self {
        self.closed = Closed(Box::new(is_closed));
        self
    }

    /// From here on keeps the whole of an output that is longer than what the model reads, in a folder of its own that
    /// only this user may enter and that goes with the workspace. Gives the folder: the host's rules have to allow
    /// reading there.
    ///
    /// # Errors
    /// When no folder can be made among the temporary files.
    pub fn keep_output(&mut self) -> io::Result<&Path> {
        Ok(self.kept.insert(Arc::new(Kept::new()?)).root().path.as_path())
    }

    /// Its canonical path.
    pub fn root(&self) -> &CanonicalPath {
        &self.root.path
    }

    /// A path as tools print it: relative to the workspace where it is inside.
    pub(crate) fn show(&self, path: &Path) -> String {
        let shown = path.strip_prefix(self.root.path.as_path()).unwrap_or(path);
        if shown.as_os_str().is_empty() { ".".to_owned() } else { shown.display().to_string() }
    }

    /// Whether the name of the root still leads to the folder that was opened.
    pub(crate) fn is_in_place(&self) -> bool {
        let id = |metadata: io::Result<cap_std::fs::Metadata>| metadata.map(|found| (found.dev(), found.ino())).ok();
        let now =
            Dir::open_ambient_dir(self.root.path.as_path(), ambient_authority()).and_then(|dir| dir.dir_metadata());
        id(now).is_some_and(|now| Some(now) == id(self.root.dir.dir_metadata()))
    }

    /// What commands find otherwise in their environment: a value, or nothing.
    pub(crate) fn variables(&self) -> &[(OsString, Option<OsString>)] {
        &self.variables
    }

    /// Whether no search may look into this file.
    pub(crate) fn is_closed(&self, path: &Path) -> bool {
        (self.closed.0)(path)
    }

    pub(crate) fn kept(&self) -> Option<&Kept> {
        self.kept.as_deref()
    }

    pub(crate) fn locks(&self) -> &Locks {
        &self.locks
    }

    /// Where a path lies.
    pub(super) fn locate(&self, path: &CanonicalPath) -> Location {
        if self.root.holds(path) { Location::Inside } else { Location::Outside }
    }

    /// The folder from which a path may be reached, if there is one. What is kept is only read.
    pub(super) fn root_of(&self, path: &CanonicalPath, access: Access) -> Option<&Root> {
        let kept = self.kept.as_deref().map(Kept::root);
        if kept.is_some_and(|root| root.holds(path)) {
            return kept.filter(|_| access == Access::Read);
        }
        let deepest = || {
            self.outside.iter().filter(|root| root.holds(path)).max_by_key(|root| root.path.as_path().as_os_str().len())
        };
        if self.root.holds(path) { Some(&*self.root) } else { deepest() }
    }
}
