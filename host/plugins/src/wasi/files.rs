//! Granted folders. Paths are resolved below them, part by part: what leads out is not there.

use std::io;
use std::path::{Component, Path, PathBuf};

use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, Resource};
use wasmtime::error::Context as _;
use wasmtime_wasi::filesystem::{Descriptor, WasiFilesystemView as _};
use wasmtime_wasi::p2::FsResult;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorFlags, DescriptorType, ErrorCode, HostDescriptor as _, OpenFlags, PathFlags,
};
use wasmtime_wasi::{FsPerms, WasiCtxBuilder};

use crate::grants::{Folder, FolderMode, Grant};
use crate::state::State;

/// The interface, as it is linked.
const TYPES: &str = "wasi:filesystem/types@0.2.12";

/// Opens the folders for one instance, each under the name that it has in the grant.
pub(super) fn open(builder: &mut WasiCtxBuilder, folders: &[Folder]) -> wasmtime::Result<()> {
    for folder in folders {
        let permissions = match folder.mode {
            FolderMode::Ro => FsPerms::ReadOnly,
            FolderMode::Rw => FsPerms::ReadWrite,
        };
        let (name, place) = (name(&folder.path), folder.place());
        let opened =
            is_itself(place).map_err(Into::into).and_then(|()| builder.preopened_dir(place, name, permissions));
        opened.with_context(|| format!("the folder {} that is granted to it cannot be opened", place.display()))?;
    }
    Ok(())
}

/// What a guest asks for: the path without a `./` before it.
fn name(path: &Path) -> String {
    let parts: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
    if parts.as_os_str().is_empty() { ".".to_owned() } else { parts.to_string_lossy().into_owned() }
}

/// A link that somebody put in its place since it was granted leads to what was not granted.
fn is_itself(place: &Path) -> io::Result<()> {
    let leads_to = place.canonicalize()?;
    if leads_to == place { Ok(()) } else { Err(io::Error::other(format!("it leads to {} now", leads_to.display()))) }
}

/// Puts a look before every opening: only files and folders are opened. Opening a pipe waits for its other end, in a
/// thread of the host that nobody could take back.
pub(super) fn link(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    type Arguments = (Resource<Descriptor>, PathFlags, String, OpenFlags, DescriptorFlags);
    let mut types = linker.instance(TYPES)?;
    types.func_wrap_async(
        "[method]descriptor.open-at",
        |mut store: StoreContextMut<'_, State>, (folder, follow, path, how, flags): Arguments| {
            Box::new(async move {
                let opened = open_at(store.data_mut(), folder, follow, path, how, flags).await;
                Ok((match opened {
                    Ok(opened) => Ok(opened),
                    Err(error) => Err(error.downcast()?),
                },))
            })
        },
    )
}

async fn open_at(
    state: &mut State,
    folder: Resource<Descriptor>,
    follow: PathFlags,
    path: String,
    how: OpenFlags,
    flags: DescriptorFlags,
) -> FsResult<Resource<Descriptor>> {
    let mut files = state.reaching(Grant::Fs).filesystem();
    let same = Resource::new_borrow(folder.rep());
    match files.stat_at(same, follow, path.clone()).await {
        Ok(found) if is_special(found.type_) => Err(ErrorCode::NotPermitted.into()),
        // What is not there may be made, and what cannot be looked at cannot be opened either.
        _ => files.open_at(folder, follow, path, how, flags).await,
    }
}

fn is_special(kind: DescriptorType) -> bool {
    !matches!(kind, DescriptorType::RegularFile | DescriptorType::Directory | DescriptorType::SymbolicLink)
}
