//! From a folder to plugins: which files are read, and which are refused and why.

mod check;
mod needed;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use seam_harness::Failure;

use self::check::WASI;
pub(crate) use self::check::{check, holds, inert, is_known, live, needed};
pub use self::needed::NeededGrants;
use crate::contract;
use crate::engine::PluginEngine;
use crate::inspect::{InspectError, inspect};
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
    /// It is a link that leads to nothing that can be read.
    #[error("it is a link to {}, which cannot be read ({error}); mend the link or remove it", to.display())]
    BadLink {
        /// Where it leads.
        to: PathBuf,
        /// What is wrong there.
        error: io::Error,
    },
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
    /// It exports a seam inside something else.
    #[error("it exports `{seam}` inside `{export}`, where it is never called; export it by itself")]
    InnerSeam {
        /// What it stands in.
        export: String,
        /// The seam, by its full name.
        seam: String,
    },
    /// It exports no seam at all.
    #[error(
        "it exports no seam, so it could decide nothing (it exports: {}); a Rust plugin needs a `seam::plugin!` line",
        if .0.is_empty() { "nothing".to_owned() } else { .0.join(", ") }
    )]
    NoSeam(Vec<String>),
    /// It needs what is not granted to it.
    #[error("{0}")]
    NeedsGrants(NeededGrants),
    /// It imports something that does not exist here.
    #[error("it imports {}, which {} not granted and this host cannot grant; build the plugin without {}",
        .0.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        if .0.len() == 1 { "is" } else { "are" }, if .0.len() == 1 { "it" } else { "them" })]
    NotGranted(Vec<String>),
    /// It imports an interface of WASI in a version that is not there.
    #[error("it imports `{wanted}`, this host has WASI {}.{}; build the plugin for the target `wasm32-wasip2`", WASI.major, WASI.minor)]
    WasiVersion {
        /// The full name it wants.
        wanted: String,
    },
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
    /// The types of its imports are not those of this host.
    #[error(
        "its imports are not those of this host, which has version {} of the contract: {reason}; build it again with \
         the SDK of this version",
        contract::VERSION
    )]
    WrongImport {
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

impl LoadProblem {
    /// Whether it may be gone once somebody has written the rest of the file. A file that ends between two of its sections
    /// is whole in itself: it only lacks what it would export.
    pub fn may_be_partial(&self) -> bool {
        matches!(self, Self::NoSeam(_) | Self::Inspect(InspectError::Empty | InspectError::CutOff(_)))
    }
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
        check(&plugin_name(file), &inspection, &settings.grants)?;
        let component = self
            .cache
            .component(&self.engine, &bytes, &inspection.digest)
            .map_err(|error| LoadProblem::Compile(format!("{error:#}")))?;
        Plugin::link(self, file, &inspection, &component, settings).await
    }
}

/// The files of a folder whose names end in `.wasm`, in any case, in byte order. Also hidden ones: none that may be a gate
/// is passed over in silence.
///
/// # Errors
/// When the folder cannot be read.
pub fn wasm_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| encoded(name).to_ascii_lowercase().ends_with(b".wasm")) {
            files.push(path);
        }
    }
    files.sort_by(|a, b| a.file_name().map(encoded).cmp(&b.file_name().map(encoded)));
    Ok(files)
}

fn encoded(name: &std::ffi::OsStr) -> &[u8] {
    name.as_encoded_bytes()
}

/// The plugin's name: the file's, without `.wasm`, or that where there is nothing else.
pub fn plugin_name(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Reads a plugin file. Links are followed.
///
/// # Errors
/// When it is no file, too large, or cannot be read.
pub fn read(file: &Path) -> Result<Vec<u8>, LoadProblem> {
    let unreadable = |error| match fs::read_link(file) {
        Ok(to) => LoadProblem::BadLink { to, error },
        Err(_) => LoadProblem::Unreadable(error),
    };
    if !fs::metadata(file).map_err(unreadable)?.is_file() {
        return Err(LoadProblem::NotAFile);
    }
    let mut bytes = Vec::new();
    let opened = fs::File::open(file).map_err(unreadable)?;
    opened.take(LARGEST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST { Err(LoadProblem::TooLarge) } else { Ok(bytes) }
}
