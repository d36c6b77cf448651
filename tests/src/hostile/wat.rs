//! Guests written by hand: from the fields of a core module to a component.

use std::fs;
use std::path::PathBuf;

use wasm_encoder::{
    ComponentBuilder, ComponentExportKind, ComponentSection as _, InstanceSection, MemorySection, MemoryType, Module,
    ModuleArg, ModuleSection,
};
use wasmparser::{Parser, Payload};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

use crate::files;

/// What every module here needs: memory that the host can read, and room in it for what the host hands over.
const MEMORY: &str = r#"(memory $memory (export "memory") 2)"#;
const ALLOCATOR: &str = r#"
    (global $free (mut i32) (i32.const 65536))
    (func (export "cabi_realloc") (param $old i32) (param $old-size i32) (param $align i32) (param $size i32)
        (result i32) (local $at i32)
      (local.set $at (i32.and (i32.add (global.get $free) (i32.const 15)) (i32.const -16)))
      (global.set $free (i32.add (local.get $at) (local.get $size)))
      (block $fits
        (br_if $fits (i32.le_u (global.get $free) (i32.mul (memory.size) (i32.const 65536))))
        (drop (memory.grow (i32.add (i32.const 1) (i32.div_u (local.get $size) (i32.const 65536))))))
      (local.get $at))"#;

/// The guest of this name in `tests/guests/hostile/wat`, as a component.
pub fn component(name: &str) -> Vec<u8> {
    encode(&text(name), &contract())
}

/// The same, made for a contract in which some things read otherwise: each pair is how it reads in ours, and there.
pub fn component_of_another_contract(name: &str, changes: &[(&str, &str)]) -> Vec<u8> {
    let other = changes.iter().fold(contract(), |contract, (ours, theirs)| {
        assert!(contract.contains(ours), "the contract does not have `{ours}`");
        contract.replacen(ours, theirs, 1)
    });
    encode(&text(name), &other)
}

/// One component of three: the owner of things, one that lends them, and one that keeps what it is lent.
pub fn lent_and_kept() -> Vec<u8> {
    const THINGS: &str = "test:part/things@0.1.0";
    const KEEPER: &str = "test:part/keeper@0.1.0";
    const SEAM: &str = "seam:harness/get-api-key@0.1.0";
    let instance = ComponentExportKind::Instance;
    let mut whole = ComponentBuilder::default();
    let mut part = |name: &str, given: &[(&str, u32)], gives: &str| {
        let part = whole.component_raw(None, &component(name));
        let given: Vec<_> = given.iter().map(|(name, index)| ((*name).to_owned(), instance, *index)).collect();
        let made = whole.instantiate(None, part, given);
        whole.alias_export(made, gives, instance)
    };
    let things = part("borrow-owner", &[], THINGS);
    let keeper = part("borrow-keeper", &[(THINGS, things)], KEEPER);
    let seam = part("borrow-lender", &[(THINGS, things), (KEEPER, keeper)], SEAM);
    whole.export(SEAM, instance, seam, None);
    whole.finish()
}

/// A guest that computes for a while, with 14 memories, each of a module of its own.
pub fn with_many_memories() -> Vec<u8> {
    let mut memories = MemorySection::new();
    memories.memory(MemoryType { minimum: 1, maximum: None, memory64: false, shared: false, page_size_log2: None });
    let mut module = Module::new();
    module.section(&memories);
    let mut whole = component("computes");
    let is_module = |payload: &Payload<'_>| matches!(payload, Payload::ModuleSection { .. });
    let modules = Parser::new(0).parse_all(&whole).filter(|payload| payload.as_ref().is_ok_and(is_module)).count();
    let mut instances = InstanceSection::new();
    for _ in 1..14 {
        let none: [(&str, ModuleArg); 0] = [];
        instances.instantiate(u32::try_from(modules).expect("there are few"), none);
    }
    ModuleSection(&module).append_to_component(&mut whole);
    instances.append_to_component(&mut whole);
    whole
}

fn folder() -> PathBuf {
    files::root().join("tests/guests/hostile/wat")
}

fn text(name: &str) -> String {
    let file = folder().join(format!("{name}.wat"));
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The contract as one file.
fn contract() -> String {
    const PACKAGE: &str = "package seam:harness@0.1.0;";
    let files = fs::read_dir(files::root().join("wit")).expect("the contract is there");
    let files = files.map(|file| file.expect("its folder is read").path());
    let wit = files.filter(|file| file.extension().is_some_and(|extension| extension == "wit"));
    let rest: String = wit.map(|file| fs::read_to_string(file).expect("it is read").replacen(PACKAGE, "", 1)).collect();
    format!("{PACKAGE}\n{rest}")
}

/// Fields of a core module, the first line of which says what the component imports and exports.
fn encode(fields: &str, contract: &str) -> Vec<u8> {
    let own = ["memory", "cabi_realloc"].map(|export| fields.contains(&format!("(export \"{export}\")")));
    let missing = [MEMORY, ALLOCATOR].iter().zip(own).filter(|(_, own)| !own).map(|(field, _)| *field);
    let module = format!("(module {fields} {})", missing.collect::<String>());
    let mut module = wat::parse_str(module).expect("it is WebAssembly text");
    let world = fields.lines().next().and_then(|line| line.strip_prefix(";;")).expect("it says what it is");
    let mut resolve = Resolve::default();
    resolve.push_str("contract.wit", contract).expect("it is WIT");
    let wasi = fs::read_to_string(folder().join("wasi.wit")).expect("it is read");
    resolve.push_str("wasi.wit", &wasi).expect("it is WIT");
    let package = resolve.push_str("world.wit", &format!("package test:guest; world guest {{ {world} }}"));
    let package = package.expect("its first line is WIT");
    let world = resolve.select_world(&[package], Some("guest")).expect("it has this world");
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).expect("it has room for its types");
    let mut encoder = ComponentEncoder::default().module(&module).expect("its types are found").validate(false);
    encoder.encode().expect("it is a component")
}
