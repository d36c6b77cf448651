//! The contract: what a machine can check of its comments, its shape and the host's table of it.

use std::collections::BTreeSet;

use seam_plugins::contract::{REACHES, SEAMS, VERSION};
use seam_tests::files;
use wit_parser::{Resolve, Type, TypeDefKind, WorldItem};

pub(crate) fn contract() -> (Resolve, wit_parser::PackageId) {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(files::root().join("wit")).unwrap();
    (resolve, package)
}

#[test]
fn every_item_of_the_contract_has_a_comment() {
    let (resolve, package) = contract();
    let mut silent = Vec::new();
    let mut check = |what: String, docs: &wit_parser::Docs| {
        if docs.contents.as_deref().unwrap_or_default().trim().is_empty() {
            silent.push(what);
        }
    };
    for (name, id) in &resolve.packages[package].worlds {
        check(format!("world {name}"), &resolve.worlds[*id].docs);
    }
    for (interface, id) in &resolve.packages[package].interfaces {
        let content = &resolve.interfaces[*id];
        check(interface.clone(), &content.docs);
        for (name, function) in &content.functions {
            check(format!("{interface}.{name}"), &function.docs);
        }
        for (name, id) in &content.types {
            let definition = &resolve.types[*id];
            if matches!(definition.kind, TypeDefKind::Type(_)) {
                continue;
            }
            check(format!("{interface}.{name}"), &definition.docs);
            match &definition.kind {
                TypeDefKind::Record(record) => {
                    record
                        .fields
                        .iter()
                        .for_each(|field| check(format!("{interface}.{name}.{}", field.name), &field.docs));
                }
                TypeDefKind::Variant(variant) => {
                    variant
                        .cases
                        .iter()
                        .for_each(|case| check(format!("{interface}.{name}.{}", case.name), &case.docs));
                }
                TypeDefKind::Enum(cases) => {
                    cases.cases.iter().for_each(|case| check(format!("{interface}.{name}.{}", case.name), &case.docs));
                }
                other => panic!("{interface}.{name} is a {}", other.as_str()),
            }
        }
    }
    assert_eq!(silent, Vec::<String>::new());
}

/// The rules of `wit/VERSIONING.md` that a machine can check.
#[test]
fn the_contract_keeps_its_shape() {
    let (resolve, package) = contract();
    let interfaces = &resolve.packages[package].interfaces;
    for (_, definition) in &resolve.types {
        assert!(
            !matches!(definition.kind, TypeDefKind::Resource | TypeDefKind::Handle(_)),
            "a resource: {definition:?}"
        );
        let name = definition.name.as_deref().unwrap_or_default();
        assert!(!interfaces.contains_key(name), "the type `{name}` has the name of an interface");
        let wide = |ty: &Type| matches!(ty, Type::U64 | Type::S64);
        let fields: Vec<Type> = match &definition.kind {
            TypeDefKind::Record(record) => record.fields.iter().map(|field| field.ty).collect(),
            TypeDefKind::Variant(variant) => variant.cases.iter().filter_map(|case| case.ty).collect(),
            TypeDefKind::List(ty) | TypeDefKind::Option(ty) => vec![*ty],
            _ => Vec::new(),
        };
        assert!(!fields.iter().any(wide), "a 64-bit integer in `{name}`");
    }
    for seam in SEAMS {
        let event = resolve.interfaces[interfaces[seam.name]].types["event"];
        assert!(holds_text(&resolve, &Type::Id(event)), "the event of `{}` is no record with a string", seam.name);
    }
}

/// Whether a record has a string for certain. Some guests free what imports gave them only after such an event.
fn holds_text(resolve: &Resolve, ty: &Type) -> bool {
    let Type::Id(id) = ty else { return *ty == Type::String };
    match &resolve.types[*id].kind {
        TypeDefKind::Record(record) => record.fields.iter().any(|field| holds_text(resolve, &field.ty)),
        TypeDefKind::Type(other) => holds_text(resolve, other),
        _ => false,
    }
}

/// The host's table of seams and reaches is the contract's.
#[test]
fn the_host_knows_the_whole_contract() {
    let (resolve, package) = contract();
    let version = resolve.packages[package].name.version.clone().unwrap();
    assert_eq!(version, VERSION);
    let names = |items: &mut dyn Iterator<Item = &WorldItem>| -> BTreeSet<String> {
        items
            .filter_map(|item| match item {
                WorldItem::Interface { id, .. } => resolve.interfaces[*id].name.clone(),
                _ => None,
            })
            .collect()
    };
    let worlds = &resolve.packages[package].worlds;
    let host = &resolve.worlds[worlds["host"]];
    let seams: BTreeSet<String> = SEAMS.iter().map(|seam| seam.name.to_owned()).collect();
    let mut reaches: BTreeSet<String> = REACHES.iter().map(|reach| reach.name.to_owned()).collect();
    assert_eq!(names(&mut host.exports.values()), seams);
    reaches.insert("types".to_owned());
    assert_eq!(names(&mut host.imports.values()), reaches);
    for seam in seams {
        let world = &resolve.worlds[worlds[&format!("for-{seam}")]];
        assert_eq!(names(&mut world.exports.values()), BTreeSet::from([seam]));
    }
}
