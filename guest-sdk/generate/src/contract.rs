//! The contract as WIT, and the Rust bindings of its parts.

#![allow(clippy::indexing_slicing, reason = "an id indexes the arena it comes from")]

use std::path::Path;

use anyhow::{Context, Result};
use wit_bindgen_core::Files;
use wit_bindgen_core::wit_parser::{PackageId, Resolve, WorldId, WorldItem};
use wit_bindgen_rust::{Opts, WithOption};

/// Worlds with this prefix hold the export of one seam and nothing else.
const SEAM_WORLD: &str = "for-";
/// The world that imports everything the host grants.
const HOST_WORLD: &str = "host";
/// The module that holds the import interfaces and the shared types.
const REACH: &str = "reach";

/// The package `seam:harness`.
pub(crate) struct Contract {
    resolve: Resolve,
    package: PackageId,
}

/// One file of bindings.
pub(crate) struct Bindings {
    /// The file's name.
    pub(crate) name: String,
    /// What it holds.
    pub(crate) text: String,
}

impl Contract {
    /// Reads the WIT files in `folder`. Fails on what is not valid WIT.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let mut resolve = Resolve::default();
        let (package, _) = resolve.push_dir(folder)?;
        Ok(Self { resolve, package })
    }

    /// All bindings: `reach.rs` first, then one file per seam in the order of `worlds.wit`.
    pub(crate) fn bindings(mut self) -> Result<Vec<Bindings>> {
        let worlds = self.resolve.packages[self.package].worlds.clone();
        let host = *worlds.get(HOST_WORLD).context("the contract has no world `host`")?;
        self.resolve.worlds[host].exports.clear();
        let mut files = vec![self.generate(host, REACH, vec![])?];
        for (name, id) in worlds {
            if let Some(seam) = name.strip_prefix(SEAM_WORLD) {
                files.push(self.generate(id, &seam.replace('-', "_"), self.shared_types(id)?)?);
            }
        }
        Ok(files)
    }

    /// Each interface that a seam's world imports, mapped to its one copy in `reach`. The generator refuses a mapping
    /// that is not used, so these are exactly the imported ones.
    fn shared_types(&self, world: WorldId) -> Result<Vec<(String, WithOption)>> {
        let imports = &self.resolve.worlds[world].imports;
        let interfaces = imports.values().filter_map(|item| match item {
            WorldItem::Interface { id, .. } => Some(*id),
            _ => None,
        });
        interfaces
            .map(|id| {
                let name =
                    self.resolve.interfaces[id].name.as_deref().context("a seam imports a nameless interface")?;
                let full = self.resolve.id_of(id).context("a seam imports an interface of no package")?;
                let module = format!("crate::bindings::{REACH}::seam::harness::{}", name.replace('-', "_"));
                Ok((full, WithOption::Path(module)))
            })
            .collect()
    }

    fn generate(&self, world: WorldId, module: &str, with: Vec<(String, WithOption)>) -> Result<Bindings> {
        let mut files = Files::default();
        let mut generator = options(with).build();
        wit_bindgen_core::WorldGenerator::generate(&mut generator, &mut self.resolve.clone(), world, &mut files)?;
        let (_, bytes) = files.iter().next().with_context(|| format!("nothing was generated for `{module}`"))?;
        Ok(Bindings { name: format!("{module}.rs"), text: String::from_utf8(bytes.to_vec())? })
    }
}

fn options(with: Vec<(String, WithOption)>) -> Opts {
    Opts {
        format: true,
        generate_all: true,
        generate_unused_types: true,
        pub_export_macro: true,
        runtime_path: Some("::wit_bindgen::rt".to_owned()),
        type_section_suffix: Some(":seam-guest".to_owned()),
        additional_derive_attributes: vec!["Clone".to_owned(), "PartialEq".to_owned()],
        with,
        ..Opts::default()
    }
}
