//! What a plugin imports, answered from what was recorded.

use wasmtime::component::types::{ComponentFunc, ComponentItem};
use wasmtime::component::{Component, InstancePre, Linker, LinkerInstance, Val};
use wasmtime::{Engine, StoreContextMut};

use crate::contract::PACKAGE;
use crate::link::Imports;
use crate::replay::value;
use crate::state::{Misuse, State, TooMuch};
use crate::wasi;

/// The guest asked for what was not recorded.
#[derive(Debug, thiserror::Error)]
#[error("it asked `{0}`, and what the host would answer is not recorded")]
pub(super) struct NotOnTape(pub(super) String);

/// Links a component to the tape of the running call. WASI is inert, whatever is granted.
pub(super) fn linked(
    engine: &Engine,
    component: &Component,
    imports: &Imports,
) -> wasmtime::Result<InstancePre<State>> {
    let mut linker = Linker::new(engine);
    for (name, import) in component.component_type().imports(engine) {
        let ComponentItem::ComponentInstance(interface) = import.ty else { continue };
        let Some(short) = interface_name(name) else { continue };
        let mut instance = linker.instance(name)?;
        for (function, item) in interface.exports(engine) {
            if matches!(item.ty, ComponentItem::ComponentFunc(_)) {
                answer(&mut instance, short, function)?;
            }
        }
    }
    if imports.wasi {
        wasi::link(&mut linker, imports.http)?;
    }
    linker.instantiate_pre(component)
}

/// `tool-call` of `seam:harness/tool-call@0.1.0`.
pub(super) fn interface_name(name: &str) -> Option<&str> {
    let rest = name.strip_prefix(PACKAGE)?.strip_prefix('/')?;
    Some(rest.split_once('@').map_or(rest, |(interface, _)| interface))
}

fn answer(instance: &mut LinkerInstance<'_, State>, interface: &str, function: &str) -> wasmtime::Result<()> {
    let import = format!("{interface}.{function}");
    instance.func_new(function, move |mut store: StoreContextMut<'_, State>, ty, arguments, results| {
        store.data_mut().timed(|state| {
            let returned = arguments.iter().map(value::size).sum::<usize>();
            if returned > state.returned {
                return Err(TooMuch.into());
            }
            let value = answered(state, &import, &ty, arguments)?;
            if let (Some(slot), Some(value)) = (results.first_mut(), value) {
                *slot = value;
            }
            Ok(())
        })
    })
}

fn answered(state: &mut State, import: &str, ty: &ComponentFunc, arguments: &[Val]) -> wasmtime::Result<Option<Val>> {
    match import {
        "log.write" | "ui.notify" | "ui.status" => return Ok(None),
        "config.get" => return Ok(Some(Val::String(state.shared.config.clone()))),
        _ => {}
    }
    let Some(tape) = &mut state.view.tape else { return Err(Misuse("it used an import outside a call").into()) };
    let is_update = import == "tool-updates.send";
    if import.starts_with("full-result.") && !tape.is_at("tool-result", "review") {
        return Err(Misuse("it read `full-result` outside `tool-result`").into());
    }
    if is_update && !tape.is_at("tools", "execute") {
        return Err(Misuse("it sent an update outside `tools.execute`").into());
    }
    let misused = tape.misused();
    let answer = if is_update { tape.update(import) } else { tape.answer(import, &value::array(ty, arguments)) };
    match (answer, ty.results().next()) {
        (Some(answer), Some(result)) => Ok(Some(value::read(&result, answer)?)),
        // Nobody has stopped a call whose updates were not answered.
        (None, _) if is_update && !misused => Ok(Some(Val::Bool(true))),
        (None, _) if misused => Err(Misuse("it used an import as it may not").into()),
        _ => Err(NotOnTape(import.to_owned()).into()),
    }
}
