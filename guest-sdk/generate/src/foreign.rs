//! What a plugin in a language without an SDK needs: bindings in C or Go, and a component made of a core module.
//!
//! `WIT` is the author's own folder: a world that includes the worlds of its seams, and the contract under `deps/`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use wit_bindgen_core::wit_parser::{Resolve, WorldId};
use wit_bindgen_core::{Files, WorldGenerator};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};

/// What C's files and its string type are named after, whatever the world is called.
const C_NAME: &str = "seam";
/// The module that a core module of preview 1 imports its system from.
const PREVIEW_1: &str = "wasi_snapshot_preview1";

/// A world of an author.
pub(crate) struct World {
    resolve: Resolve,
    id: WorldId,
}

impl World {
    /// Reads the world `name` from the WIT files in `folder`.
    pub(crate) fn read(folder: &str, name: &str) -> Result<Self> {
        let mut resolve = Resolve::default();
        let (package, _) = resolve.push_dir(folder)?;
        let id = resolve.select_world(&[package], Some(name))?;
        Ok(Self { resolve, id })
    }

    /// Writes `seam.h`, `seam.c` and an object that the linker wants.
    pub(crate) fn c(self, out: &str) -> Result<()> {
        let options = wit_bindgen_c::Opts { rename_world: Some(C_NAME.to_owned()), ..Default::default() };
        self.bindings(options.build().as_mut(), out)?;
        let source = Path::new(out).join(format!("{C_NAME}.c"));
        let text = fs::read_to_string(&source)?;
        write(&source, poisoned(&text)?.as_bytes())
    }

    /// Writes a Go module; the author adds one package file for each seam.
    pub(crate) fn go(self, out: &str) -> Result<()> {
        let options = wit_bindgen_go::Opts { format: wit_bindgen_go::Format::False, ..Default::default() };
        self.bindings(options.build().as_mut(), out)
    }

    fn bindings(mut self, generator: &mut dyn WorldGenerator, out: &str) -> Result<()> {
        let mut files = Files::default();
        generator.generate(&mut self.resolve, self.id, &mut files)?;
        for (name, bytes) in files.iter() {
            write(&Path::new(out).join(name), bytes)?;
        }
        Ok(())
    }

    /// Makes a component of this world from a core module. `system` is a module, as text or binary, that answers what
    /// the core module asks of its system.
    pub(crate) fn componentize(self, core: &str, out: &str, system: Option<&str>) -> Result<()> {
        let mut module = fs::read(core).with_context(|| core.to_owned())?;
        embed_component_metadata(&mut module, &self.resolve, self.id, StringEncoding::UTF8)?;
        let mut encoder = ComponentEncoder::default().validate(true).module(&module)?;
        if let Some(system) = system {
            encoder = encoder.adapter(PREVIEW_1, &wat::parse_file(system)?)?;
        }
        write(Path::new(out), &encoder.encode()?)
    }
}

/// C bindings in which an answer that was not given is no answer.
///
/// As generated, an export returns what the author's function left in a local variable that nothing set, and an unknown
/// case returns what the export before it returned: a gate that makes a mistake would let a call pass. Filled with ones
/// first, both are values that the host refuses, which is a failure.
fn poisoned(source: &str) -> Result<String> {
    let answer = |line: &str| line.starts_with("  exports_") && line.ends_with("_t ret;");
    let area = |line: &str| line.trim() == "uint8_t *ptr = (uint8_t *) &RET_AREA;";
    let mut poisoned = String::with_capacity(source.len());
    let (mut answers, mut areas) = (0, 0);
    for line in source.lines() {
        poisoned.push_str(line);
        poisoned.push('\n');
        if answer(line) {
            answers += 1;
            poisoned.push_str("  memset(&ret, 0xff, sizeof(ret));\n");
        } else if area(line) {
            areas += 1;
            poisoned.push_str("  memset(RET_AREA, 0xff, sizeof(RET_AREA));\n");
        }
    }
    // Each export that answers by memory has both, or the generator writes other code than this knows.
    ensure!(
        answers == areas && areas == source.matches("&RET_AREA").count(),
        "the C generator has changed: {answers}, {areas}"
    );
    Ok(poisoned)
}

fn write(file: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, bytes).with_context(|| file.display().to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{World, poisoned};

    /// Every seam of the contract: each answer that goes by memory is poisoned, or this fails.
    #[test]
    fn c_bindings_of_the_whole_contract_are_poisoned() {
        let out = std::env::temp_dir().join(format!("seam-guest-generate-{}", std::process::id()));
        let wit = concat!(env!("CARGO_MANIFEST_DIR"), "/../../wit");
        World::read(wit, "host").unwrap().c(out.to_str().unwrap()).unwrap();
        let source = std::fs::read_to_string(out.join("seam.c")).unwrap();
        std::fs::remove_dir_all(out).unwrap();
        let (answers, areas) =
            (source.matches("memset(&ret, 0xff").count(), source.matches("memset(RET_AREA, 0xff").count());
        assert!(answers > 20 && answers == areas, "{answers}, {areas}");
    }

    #[test]
    fn other_code_than_is_known_is_an_error() {
        let known = "  exports_a_t ret;\n  a(&ret);\n  uint8_t *ptr = (uint8_t *) &RET_AREA;\n";
        assert!(poisoned(known).is_ok());
        assert!(poisoned(&known.replace("  uint8_t *ptr", "  uint8_t *area")).is_err());
        assert!(poisoned(&known.replace("exports_a_t ret;", "exports_a_t answer;")).is_err());
    }
}
