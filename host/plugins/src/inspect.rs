//! Reads from a binary what it exports, imports and was made with. Compiles and runs nothing.

use std::fmt;

use sha2::{Digest as _, Sha256};
use wasmparser::component_types::{ComponentEntityType, ComponentItem};
use wasmparser::{
    Encoding, KnownCustom, Parser, Payload, ProducersSectionReader, ValidPayload, Validator, types::Types,
};

/// The SHA-256 of a component's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// What a binary says about itself.
#[derive(Debug, Clone)]
pub struct Inspection {
    /// Its digest.
    pub digest: Digest,
    /// Its size in bytes.
    pub size: usize,
    /// What it exports, sorted by name.
    pub exports: Vec<Item>,
    /// What it imports, sorted by name.
    pub imports: Vec<Item>,
    /// Source languages and tools, with versions, as it was built with. Its own word.
    pub producers: Vec<Producer>,
}

/// An import or export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its full name, such as `seam:harness/tool-call@0.1.0`.
    pub name: String,
    /// Its functions and resources; none when it only names types.
    pub members: Vec<String>,
}

/// A language or tool a binary was made with.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Producer {
    /// `language`, `processed-by` or `sdk`.
    pub field: String,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// Why a file cannot be a plugin, whatever it exports.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InspectError {
    /// There is nothing in it.
    #[error("the file is empty; copy it again")]
    Empty,
    /// It is something else.
    #[error("the file is not WebAssembly ({0}); only components belong into the plugin folder")]
    NotWasm(&'static str),
    /// Its end is missing.
    #[error("the file ends too early, at byte {0}: it is only partly there; copy it again")]
    CutOff(usize),
    /// It is a module, which has no typed interface.
    #[error(
        "the file is a core module, not a component; build it for the target `wasm32-wasip2`, or turn it into a \
         component with `wasm-tools component new`"
    )]
    CoreModule,
    /// It is broken.
    #[error("the file is not a valid component: {0}; build it again")]
    Invalid(String),
}

impl Item {
    /// The package and the interface, such as `seam:harness` and `tool-call`, and the version if it has one.
    pub fn interface(&self) -> Option<(&str, &str, Option<semver::Version>)> {
        let (path, version) = match self.name.split_once('@') {
            Some((path, version)) => (path, version.parse().ok()),
            None => (&*self.name, None),
        };
        let (package, interface) = path.split_once('/')?;
        Some((package, interface, version))
    }
}

/// Reads a binary.
///
/// # Errors
/// When it is not a whole, valid component.
pub fn inspect(bytes: &[u8]) -> Result<Inspection, InspectError> {
    check_start(bytes)?;
    let mut validator = Validator::new();
    let mut inspection = Inspection {
        digest: Digest::of(bytes),
        size: bytes.len(),
        exports: vec![],
        imports: vec![],
        producers: vec![],
    };
    let (mut imports, mut exports) = (Vec::new(), Vec::new());
    let mut depth = 0_usize;
    let invalid = |error: wasmparser::Error| fault(&error, bytes.len());
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload.map_err(invalid)?;
        match &payload {
            Payload::Version { encoding: Encoding::Module, .. } if depth == 0 => return Err(InspectError::CoreModule),
            Payload::Version { .. } => depth += 1,
            Payload::ComponentImportSection(section) if depth == 1 => {
                for import in section.clone() {
                    imports.push(import.map_err(invalid)?.name.name.to_owned());
                }
            }
            Payload::ComponentExportSection(section) if depth == 1 => {
                for export in section.clone() {
                    exports.push(export.map_err(invalid)?.name.name.to_owned());
                }
            }
            Payload::CustomSection(section) => {
                if let KnownCustom::Producers(section) = section.as_known() {
                    inspection.producers.extend(producers(section));
                }
            }
            Payload::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        // Function bodies are left to the compiler; what matters here are the types.
        let valid = validator.payload(&payload).map_err(invalid)?;
        if let (ValidPayload::End(types), 0) = (valid, depth) {
            inspection.imports = items(&types, &imports, |types, name| types.component_item_for_import(name));
            inspection.exports = items(&types, &exports, |types, name| types.component_item_for_export(name));
        }
    }
    inspection.producers.sort();
    inspection.producers.dedup();
    Ok(inspection)
}

/// Tells apart what is often dropped into a folder by mistake.
fn check_start(bytes: &[u8]) -> Result<(), InspectError> {
    const MAGIC: &[u8] = b"\0asm";
    if bytes.is_empty() {
        return Err(InspectError::Empty);
    }
    if !bytes.starts_with(MAGIC) && !MAGIC.starts_with(bytes) {
        let text = std::str::from_utf8(bytes.get(..bytes.len().min(64)).unwrap_or_default()).is_ok();
        return Err(InspectError::NotWasm(if text { "it looks like text" } else { "it starts with other bytes" }));
    }
    if bytes.len() < 8 { Err(InspectError::CutOff(bytes.len())) } else { Ok(()) }
}

fn fault(error: &wasmparser::Error, size: usize) -> InspectError {
    match error.message().contains("unexpected end") {
        true => InspectError::CutOff(size),
        false => InspectError::Invalid(error.to_string()),
    }
}

fn items<'a>(
    types: &'a Types,
    names: &[String],
    look_up: impl Fn(&'a Types, &str) -> Option<&'a ComponentItem>,
) -> Vec<Item> {
    let mut items: Vec<Item> = names
        .iter()
        .filter_map(|name| Some(Item { name: name.clone(), members: members(types, name, look_up(types, name)?) }))
        .collect();
    items.sort_by(|a, b| a.name.cmp(&b.name));
    items
}

#[allow(clippy::indexing_slicing, reason = "an id of these very types is always in them")]
fn members(types: &Types, name: &str, item: &ComponentItem) -> Vec<String> {
    match item.ty {
        ComponentEntityType::Instance(id) => {
            let types = types.as_ref();
            let used = types[id].exports.iter().filter(|(_, item)| match item.ty {
                ComponentEntityType::Func(_) => true,
                ComponentEntityType::Type { created, .. } => {
                    matches!(created, wasmparser::component_types::ComponentAnyTypeId::Resource(_))
                }
                _ => false,
            });
            used.map(|(name, _)| name.clone()).collect()
        }
        ComponentEntityType::Type { .. } => Vec::new(),
        _ => vec![name.to_owned()],
    }
}

fn producers(section: ProducersSectionReader<'_>) -> Vec<Producer> {
    let fields = section.into_iter().flatten();
    let values = fields.flat_map(|field| field.values.into_iter().flatten().map(move |value| (field.name, value)));
    values
        .map(|(field, value)| Producer {
            field: field.to_owned(),
            name: value.name.to_owned(),
            version: value.version.to_owned(),
        })
        .collect()
}
