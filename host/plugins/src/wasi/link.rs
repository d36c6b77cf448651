//! Links WASI. Each function that may be granted says on its way that it was called.

use wasmtime::component::Linker;
use wasmtime_wasi::cli::{WasiCli, WasiCliView as _};
use wasmtime_wasi::clocks::{WasiClocks, WasiClocksView as _};
use wasmtime_wasi::filesystem::{WasiFilesystem, WasiFilesystemView as _};
use wasmtime_wasi::p2::bindings::{cli, clocks, filesystem, random};
use wasmtime_wasi::random::WasiRandom;
use wasmtime_wasi::{WasiView as _, p2};

use crate::grants::Grant;
use crate::state::State;
use crate::wasi::clocks::timers;
use crate::wasi::files;

/// Links all of it that there is without a grant, and `wasi:http` when it is imported: the loader has checked that it
/// is granted. What the functions reach is up to the [`crate::wasi::Wasi`] of the store.
pub(crate) fn link(linker: &mut Linker<State>, http: bool) -> wasmtime::Result<()> {
    p2::add_to_linker_async(linker)?;
    linker.allow_shadowing(true);
    cli::environment::add_to_linker::<_, WasiCli>(linker, |state: &mut State| state.reaching(Grant::Env).cli())?;
    clocks::wall_clock::add_to_linker::<_, WasiClocks>(linker, |state: &mut State| {
        state.reaching(Grant::Clock).clocks()
    })?;
    clocks::monotonic_clock::add_to_linker::<_, WasiClocks>(linker, |state: &mut State| {
        state.reaching(Grant::Clock).clocks()
    })?;
    random::random::add_to_linker::<_, WasiRandom>(linker, |state: &mut State| {
        state.reaching(Grant::Random).ctx().ctx.random()
    })?;
    random::insecure::add_to_linker::<_, WasiRandom>(linker, |state: &mut State| {
        state.reaching(Grant::Random).ctx().ctx.random()
    })?;
    random::insecure_seed::add_to_linker::<_, WasiRandom>(linker, |state: &mut State| {
        state.reaching(Grant::Random).ctx().ctx.random()
    })?;
    filesystem::types::add_to_linker::<_, WasiFilesystem>(linker, |state: &mut State| {
        state.reaching(Grant::Fs).filesystem()
    })?;
    files::link(linker)?;
    timers(linker)?;
    linker.allow_shadowing(false);
    if http {
        wasmtime_wasi_http::p2::add_only_http_to_linker_async(linker)?;
    }
    Ok(())
}
