//! What a plugin exports and imports, held against what there is and what is granted.

use super::{LoadProblem, NeededGrants};
use crate::contract::{self, GRANTED_WASI, INERT_WASI, LIVE_WASI, PACKAGE, REACHES, compatible};
use crate::grants::{Grant, Grants};
use crate::inspect::{Inspection, Item, interface};

/// Whether everything it exports and imports is known and granted.
pub(crate) fn check(plugin: &str, inspection: &Inspection, grants: &Grants) -> Result<(), LoadProblem> {
    let mut seams = 0;
    for export in &inspection.exports {
        seams += usize::from(is_seam(export)?);
    }
    for import in &inspection.imports {
        check_import(import)?;
    }
    let unknown: Vec<String> = used(inspection).filter(|it| !is_known(it)).map(|it| it.name.clone()).collect();
    if !unknown.is_empty() {
        return Err(LoadProblem::NotGranted(unknown));
    }
    if seams == 0 {
        return Err(LoadProblem::NoSeam(inspection.exports.iter().map(|export| export.name.clone()).collect()));
    }
    check_grants(plugin, inspection, grants)
}

/// What it imports that is more than types.
fn used(inspection: &Inspection) -> impl Iterator<Item = &Item> {
    inspection.imports.iter().filter(|import| !import.members.is_empty())
}

/// Whether an export is a seam. An error when it only looks like one: it would never be called.
fn is_seam(export: &Item) -> Result<bool, LoadProblem> {
    if let Some(seam) = export.inner.iter().find(|inner| is_of_contract(inner)) {
        return Err(LoadProblem::InnerSeam { export: export.name.clone(), seam: seam.clone() });
    }
    let Some((PACKAGE, interface, version)) = export.interface() else { return Ok(false) };
    check_version(export, version.as_ref())?;
    let seam = contract::seam(interface).ok_or_else(|| LoadProblem::UnknownSeam(export.name.clone()))?;
    match export.is_instance {
        true => Ok(true),
        false => {
            Err(LoadProblem::WrongType { seam: seam.name, reason: "it is not exported as an interface".to_owned() })
        }
    }
}

/// Whether an import of the contract or of WASI is of a version that is there.
fn check_import(import: &Item) -> Result<(), LoadProblem> {
    match import.interface() {
        Some((PACKAGE, _, version)) => check_version(import, version.as_ref()),
        Some((package, interface, Some(version))) if is_wasi(package, interface) && !compatible(&version, &WASI) => {
            Err(LoadProblem::WasiVersion { wanted: import.name.clone() })
        }
        _ => Ok(()),
    }
}

fn check_grants(plugin: &str, inspection: &Inspection, grants: &Grants) -> Result<(), LoadProblem> {
    let needed = used(inspection).filter_map(|import| Some((import.name.clone(), needed(import)?)));
    let imports: Vec<(String, Grant)> = needed.filter(|(_, grant)| !holds(grants, inspection, *grant)).collect();
    if imports.is_empty() {
        return Ok(());
    }
    let bound = grants.digest.clone().filter(|wanted| !is(wanted, inspection));
    let bound = bound.map(|wanted| Box::new((wanted, inspection.digest)));
    Err(LoadProblem::NeedsGrants(NeededGrants { plugin: plugin.to_owned(), imports, bound }))
}

fn check_version(item: &Item, version: Option<&semver::Version>) -> Result<(), LoadProblem> {
    match version {
        Some(version) if compatible(version, &contract::VERSION) => Ok(()),
        _ => Err(LoadProblem::Version { wanted: item.name.clone() }),
    }
}

/// Whether this is an interface of WASI that can be there.
fn is_wasi(package: &str, interface: &str) -> bool {
    let names = INERT_WASI.iter().map(|(name, _)| *name).chain(GRANTED_WASI.iter().map(|(name, ..)| *name));
    names.into_iter().any(|name| name.split_once('/') == Some((package, interface)))
}

/// Whether a name is one of our package.
fn is_of_contract(name: &str) -> bool {
    matches!(interface(name), Some((PACKAGE, ..)))
}

/// Whether an import with functions is one that can be there.
pub(crate) fn is_known(import: &Item) -> bool {
    match import.interface().filter(|_| import.is_interface()) {
        Some((PACKAGE, interface, version)) => {
            check_version(import, version.as_ref()).is_ok() && REACHES.iter().any(|reach| reach.name == interface)
        }
        Some(_) => inert(import).is_some() || needed(import).is_some(),
        None => false,
    }
}

/// What has to be granted for an import to be there.
pub(crate) fn needed(import: &Item) -> Option<Grant> {
    match import.interface()? {
        (PACKAGE, interface, _) => REACHES.iter().find(|reach| reach.name == interface)?.grant,
        (package, interface, version) => {
            let mut granted = GRANTED_WASI.iter();
            let (_, grant, _) = granted.find(|(name, ..)| name.split_once('/') == Some((package, interface)))?;
            compatible(&version?, &WASI).then_some(*grant)
        }
    }
}

/// Whether something is granted to this very file.
pub(crate) fn holds(grants: &Grants, inspection: &Inspection, grant: Grant) -> bool {
    grants.has(grant) && grants.digest.as_ref().is_none_or(|wanted| is(wanted, inspection))
}

/// Whether a digest, as it stands in the settings, is that of this file.
fn is(wanted: &str, inspection: &Inspection) -> bool {
    wanted.eq_ignore_ascii_case(&inspection.digest.to_string())
}

/// What has to be granted for a WASI import that is always there to reach something.
pub(crate) fn live(import: &Item) -> Option<Grant> {
    let (package, interface, version) = import.interface()?;
    let (_, grant, _) = LIVE_WASI.iter().find(|(name, ..)| name.split_once('/') == Some((package, interface)))?;
    compatible(&version?, &WASI).then_some(*grant)
}

/// The version of WASI that is there.
pub(super) const WASI: semver::Version = semver::Version::new(0, 2, 0);

/// What an inert WASI import is, if it is one.
pub(crate) fn inert(import: &Item) -> Option<&'static str> {
    let (package, interface, version) = import.interface()?;
    let known = INERT_WASI.iter().find(|(name, _)| name.split_once('/') == Some((package, interface)))?;
    compatible(&version?, &WASI).then_some(known.1)
}
