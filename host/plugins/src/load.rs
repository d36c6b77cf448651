//! From a folder to plugins: which files are read, and which are refused and why.

use std::path::{Path, PathBuf};
use std::{fs, io};

use seam_harness::Failure;

use crate::contract::{self, INERT_WASI, PACKAGE, REACHES, SEAMS, compatible};
use crate::engine::PluginEngine;
use crate::inspect::{InspectError, Inspection, Item, inspect};
use crate::limits::Settings;
use crate::link::Plugin;

/// The largest plugin file, in bytes. Compiling takes time and memory in proportion.
const LARGEST: u64 = 64 << 20;

/// A file that is not loaded.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", file.display())]
pub struct LoadError {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it.
    pub problem: LoadProblem,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub enum LoadProblem {
    /// It cannot be read.
    #[error("it cannot be read ({0}); make it a readable file or remove it")]
    Unreadable(io::Error),
    /// It is a folder, or something else that is no file.
    #[error("it is not a file; remove it or rename it so that it does not end in `.wasm`")]
    NotAFile,
    /// It is too large.
    #[error("it is larger than {} MiB; build it smaller (release, stripped)", LARGEST >> 20)]
    TooLarge,
    /// It is not a component.
    #[error(transparent)]
    Inspect(#[from] InspectError),
    /// An export or import is of a version that does not work here.
    #[error(
        "it was built for `{wanted}`, this host has version {}; use a host of that version, or build the plugin with \
         the SDK of this one",
        contract::VERSION
    )]
    Version {
        /// The full name it wants.
        wanted: String,
    },
    /// It exports something of our package that we do not have.
    #[error("it exports `{0}`, a seam this host does not know; update Seam, or build the plugin without it")]
    UnknownSeam(String),
    /// It exports no seam at all.
    #[error(
        "it exports no seam, so it could decide nothing (it exports: {}); a Rust plugin needs a `seam::plugin!` line",
        if .0.is_empty() { "nothing".to_owned() } else { .0.join(", ") }
    )]
    NoSeam(Vec<String>),
    /// It imports something that is not granted or does not exist.
    #[error("it imports {}, which {} not granted and this host cannot grant; build the plugin without {}",
        .0.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        if .0.len() == 1 { "is" } else { "are" }, if .0.len() == 1 { "it" } else { "them" })]
    NotGranted(Vec<String>),
    /// Wasmtime does not take it.
    #[error("it cannot be compiled: {0}; build it again")]
    Compile(String),
    /// Its types are not those of the contract.
    #[error("its `{seam}` is not that of the contract: {reason}; build it again with the SDK of this version")]
    WrongType {
        /// The seam.
        seam: &'static str,
        /// What differs.
        reason: String,
    },
    /// It does not start.
    #[error("it does not start: {0}; correct its settings, or what it does when it starts")]
    Start(String),
    /// It did not say what it offers.
    #[error("its `{seam}` did not say what it offers: {failure}")]
    Offer {
        /// The seam.
        seam: &'static str,
        /// What happened.
        failure: Failure,
    },
    /// It offers a tool of a name that is taken.
    #[error("its tool `{0}` has the name of another tool; take one of them out, or name it otherwise")]
    SameTool(String),
    /// Two plugins offer one command.
    #[error("its command `/{name}` is also offered by plugin `{other}`; take one of them out")]
    SameCommand {
        /// The command.
        name: String,
        /// The plugin that came first.
        other: String,
    },
    /// Two files would have one name.
    #[error("its name `{name}` is also that of {}; rename one of them", other.display())]
    SameName {
        /// The name.
        name: String,
        /// The file that was loaded.
        other: PathBuf,
    },
}

impl PluginEngine {
    /// Loads every `*.wasm` of a folder, in byte order of the file names. `settings` gives what the user set for the
    /// plugin of a name: the file's name without `.wasm`.
    ///
    /// # Errors
    /// When the folder itself cannot be read. A file that is not loaded is in the second list.
    pub async fn load_folder(
        &self,
        folder: &Path,
        settings: impl Fn(&str) -> Settings,
    ) -> io::Result<(Vec<Plugin>, Vec<LoadError>)> {
        let mut plugins: Vec<Plugin> = Vec::new();
        let mut errors = Vec::new();
        for file in wasm_files(folder)? {
            let name = plugin_name(&file);
            match self.load(&file, &settings(&name)).await {
                Ok(plugin) => match plugins.iter().find(|other| other.name().eq_ignore_ascii_case(&name)) {
                    None => plugins.push(plugin),
                    Some(other) => {
                        let problem = LoadProblem::SameName { name, other: other.file().to_owned() };
                        errors.push(LoadError { file, problem });
                    }
                },
                Err(problem) => errors.push(LoadError { file, problem }),
            }
        }
        Ok((plugins, errors))
    }

    /// Loads one file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub async fn load(&self, file: &Path, settings: &Settings) -> Result<Plugin, LoadProblem> {
        let bytes = read(file)?;
        let inspection = inspect(&bytes)?;
        check(&inspection)?;
        let component = self
            .cache
            .component(&self.engine, &bytes, &inspection.digest)
            .map_err(|error| LoadProblem::Compile(format!("{error:#}")))?;
        Plugin::link(self, file, &inspection, &component, settings).await
    }
}

/// The files of a folder that end in `.wasm`, in any case, in byte order of their names.
///
/// # Errors
/// When the folder cannot be read.
pub fn wasm_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wasm")) {
            files.push(path);
        }
    }
    files.sort_by(|a, b| a.file_name().map(encoded).cmp(&b.file_name().map(encoded)));
    Ok(files)
}

fn encoded(name: &std::ffi::OsStr) -> &[u8] {
    name.as_encoded_bytes()
}

/// The plugin's name: the file's, without `.wasm`.
pub fn plugin_name(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Reads a plugin file. Links are followed.
pub(crate) fn read(file: &Path) -> Result<Vec<u8>, LoadProblem> {
    let metadata = fs::metadata(file).map_err(LoadProblem::Unreadable)?;
    if !metadata.is_file() {
        return Err(LoadProblem::NotAFile);
    }
    if metadata.len() > LARGEST {
        return Err(LoadProblem::TooLarge);
    }
    fs::read(file).map_err(LoadProblem::Unreadable)
}

/// Whether everything it exports and imports is known and granted.
pub(crate) fn check(inspection: &Inspection) -> Result<(), LoadProblem> {
    let mut seams = 0;
    for export in &inspection.exports {
        let Some((PACKAGE, interface, version)) = export.interface() else { continue };
        check_version(export, version.as_ref())?;
        if !SEAMS.iter().any(|seam| seam.name == interface) {
            return Err(LoadProblem::UnknownSeam(export.name.clone()));
        }
        seams += 1;
    }
    for import in &inspection.imports {
        if let Some((PACKAGE, _, version)) = import.interface() {
            check_version(import, version.as_ref())?;
        }
    }
    let not_granted: Vec<String> = inspection
        .imports
        .iter()
        .filter(|import| !import.members.is_empty() && !is_granted(import))
        .map(|import| import.name.clone())
        .collect();
    if !not_granted.is_empty() {
        return Err(LoadProblem::NotGranted(not_granted));
    }
    match seams {
        0 => Err(LoadProblem::NoSeam(inspection.exports.iter().map(|export| export.name.clone()).collect())),
        _ => Ok(()),
    }
}

fn check_version(item: &Item, version: Option<&semver::Version>) -> Result<(), LoadProblem> {
    match version {
        Some(version) if compatible(version, &contract::VERSION) => Ok(()),
        _ => Err(LoadProblem::Version { wanted: item.name.clone() }),
    }
}

/// Whether an import with functions is linked.
pub(crate) fn is_granted(import: &Item) -> bool {
    match import.interface() {
        Some((PACKAGE, interface, _)) => REACHES.iter().any(|reach| reach.name == interface),
        Some(_) => inert(import).is_some(),
        None => false,
    }
}

/// What an inert WASI import is, if it is one.
pub(crate) fn inert(import: &Item) -> Option<&'static str> {
    const WASI: semver::Version = semver::Version::new(0, 2, 0);
    let (package, interface, version) = import.interface()?;
    let known = INERT_WASI.iter().find(|(name, _)| name.split_once('/') == Some((package, interface)))?;
    compatible(&version?, &WASI).then_some(known.1)
}
