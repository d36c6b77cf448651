//! Imports and exports: their names, and everything in them, however deep.

use wasmparser::component_types::{ComponentAnyTypeId, ComponentEntityType, ComponentInstanceTypeId, ComponentItem};
use wasmparser::types::Types;

use super::InspectError;

/// How many instances may stand within each other.
const DEEPEST: usize = 8;
/// How many members all imports and exports may have.
const MOST_MEMBERS: usize = 100_000;
/// How long their names may be together, in bytes.
const MOST_BYTES: usize = 8 << 20;

/// An import or export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its full name, such as `seam:harness/tool-call@0.1.0`.
    pub name: String,
    /// Whether it is an instance, as an interface is; else it is a function, a module or another thing by itself.
    pub is_instance: bool,
    /// Its functions and resources, those of instances within it as `INSTANCE/FUNCTION`; none when it only names types.
    pub members: Vec<String>,
    /// The names of the instances within it.
    pub inner: Vec<String>,
}

impl Item {
    /// The package and the interface, such as `seam:harness` and `tool-call`, and the version if it has one.
    pub fn interface(&self) -> Option<(&str, &str, Option<semver::Version>)> {
        interface(&self.name)
    }

    /// Whether it is an interface as WIT has them: an instance with no instance within it.
    pub fn is_interface(&self) -> bool {
        self.is_instance && self.inner.is_empty()
    }
}

/// The package, the interface and the version of a name that has them.
pub(crate) fn interface(name: &str) -> Option<(&str, &str, Option<semver::Version>)> {
    let (path, version) = match name.split_once('@') {
        Some((path, version)) => (path, version.parse().ok()),
        None => (name, None),
    };
    let (package, interface) = path.split_once('/')?;
    Some((package, interface, version))
}

/// Reads items. What is read of one component is bounded: a small file can say that it has very many.
pub(super) struct Reader<'a> {
    types: &'a Types,
    members: usize,
    bytes: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(types: &'a Types) -> Self {
        Self { types, members: MOST_MEMBERS, bytes: MOST_BYTES }
    }

    /// The items of these names, sorted.
    pub(super) fn items(
        &mut self,
        names: &[String],
        look_up: impl Fn(&'a Types, &str) -> Option<&'a ComponentItem>,
    ) -> Result<Vec<Item>, InspectError> {
        let types = self.types;
        let named = names.iter().filter_map(|name| Some((name, look_up(types, name)?)));
        let items: Result<Vec<Item>, InspectError> = named.map(|(name, item)| self.item(name, item)).collect();
        let mut items = items?;
        items.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(items)
    }

    fn item(&mut self, name: &str, found: &ComponentItem) -> Result<Item, InspectError> {
        let is_instance = matches!(found.ty, ComponentEntityType::Instance(_));
        let mut item = Item { name: name.to_owned(), is_instance, members: vec![], inner: vec![] };
        match found.ty {
            ComponentEntityType::Instance(id) => self.walk(id, "", DEEPEST, &mut item)?,
            ref other if is_used(other) => item.members.push(name.to_owned()),
            _ => {}
        }
        Ok(item)
    }

    /// Everything in an instance.
    #[allow(clippy::indexing_slicing, reason = "an id of these very types is always in them")]
    fn walk(
        &mut self,
        id: ComponentInstanceTypeId,
        place: &str,
        depth: usize,
        item: &mut Item,
    ) -> Result<(), InspectError> {
        let types = self.types.as_ref();
        for (name, export) in types[id].exports.iter().filter(|(_, export)| is_used(&export.ty)) {
            let path = format!("{place}{name}");
            self.take(&path, depth, item)?;
            if let ComponentEntityType::Instance(inner) = export.ty {
                item.inner.push(name.clone());
                self.walk(inner, &format!("{path}/"), depth - 1, item)?;
            }
            item.members.push(path);
        }
        Ok(())
    }

    fn take(&mut self, path: &str, depth: usize, item: &Item) -> Result<(), InspectError> {
        let left = self.members.checked_sub(1).zip(self.bytes.checked_sub(path.len())).filter(|_| depth > 0);
        let Some((members, bytes)) = left else { return Err(InspectError::TooMuch(item.name.clone())) };
        (self.members, self.bytes) = (members, bytes);
        Ok(())
    }
}

/// Whether it is more than the name of a type.
fn is_used(entity: &ComponentEntityType) -> bool {
    match entity {
        ComponentEntityType::Type { created, .. } => matches!(created, ComponentAnyTypeId::Resource(_)),
        _ => true,
    }
}
