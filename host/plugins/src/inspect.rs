//! Reads from a binary what it exports, imports and was made with. Compiles and runs nothing.

mod item;

use std::collections::BTreeSet;
use std::fmt;

use sha2::{Digest as _, Sha256};
use wasmparser::{Encoding, KnownCustom, Parser, Payload, ProducersSectionReader, ValidPayload, Validator};

pub use self::item::Item;
use self::item::Reader;
pub(crate) use self::item::interface;

/// The SHA-256 of a component's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest that is written so, if it is one.
    pub fn from_hex(text: &str) -> Option<Self> {
        let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let pair = |pair: &[u8]| if let [high, low] = pair { Some(digit(high)? << 4 | digit(low)?) } else { None };
        let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(pair).collect();
        Some(Self(bytes?.try_into().ok()?))
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
    /// Source languages and tools, with versions, as it was built with. Its own word, up to a bound.
    pub producers: Vec<Producer>,
}

/// How many languages and tools are told of: a file can say of itself whatever it wants.
const PRODUCERS: usize = 64;

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
    /// An import or export has more in it than any interface.
    #[error("its import or export `{0}` has too much in it, or too deep; no interface is like that: build it again")]
    TooMuch(String),
    /// It is broken.
    #[error("the file is not a valid component: {0}; build it again")]
    Invalid(String),
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
    let (mut imports, mut exports, mut producers) = (Vec::new(), Vec::new(), BTreeSet::new());
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
            // The reader takes what ends right behind the head of a part for an empty part.
            Payload::ModuleSection { unchecked_range, .. } | Payload::ComponentSection { unchecked_range, .. }
                if unchecked_range.end > bytes.len() =>
            {
                return Err(InspectError::CutOff(bytes.len()));
            }
            Payload::CustomSection(section) => {
                if let KnownCustom::Producers(section) = section.as_known() {
                    made_with(section, &mut producers);
                }
            }
            Payload::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        // Function bodies are left to the compiler; what matters here are the types.
        let valid = validator.payload(&payload).map_err(invalid)?;
        if let (ValidPayload::End(types), 0) = (valid, depth) {
            let mut reader = Reader::new(&types);
            inspection.imports = reader.items(&imports, |types, name| types.component_item_for_import(name))?;
            inspection.exports = reader.items(&exports, |types, name| types.component_item_for_export(name))?;
        }
    }
    inspection.producers = producers.into_iter().collect();
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

/// Adds what a section says, as far as there is room.
fn made_with(section: ProducersSectionReader<'_>, producers: &mut BTreeSet<Producer>) {
    let fields = section.into_iter().flatten();
    let values = fields.flat_map(|field| field.values.into_iter().flatten().map(move |value| (field.name, value)));
    for (field, value) in values {
        if producers.len() == PRODUCERS {
            return;
        }
        let (field, name, version) = (field.to_owned(), value.name.to_owned(), value.version.to_owned());
        producers.insert(Producer { field, name, version });
    }
}
