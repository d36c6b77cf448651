//! `plugin-order`.

use std::fs;

use super::{Place, gate};

fn three() -> Place {
    Place::new().plugin("a", &gate()).plugin("b", &gate()).plugin("c", &gate())
}

#[test]
fn those_that_are_named_come_first_and_the_rest_as_their_names_are() {
    assert_eq!(three().loaded(), "a, b, c");
    assert_eq!(three().project("plugin-order = [\"c\"]").loaded(), "c, a, b");
    assert_eq!(three().project("plugin-order = [\"b\", \"a\"]").loaded(), "b, a, c");
    assert_eq!(three().user("plugin-order = [\"z\", \"b\"]").loaded(), "b, a, c");
    let both = three().user("plugin-order = [\"b\"]").project("plugin-order = [\"c\"]");
    assert_eq!(both.seam(&["trust", "--yes"]).code, 0);
    assert_eq!(both.loaded(), "c, a, b");
}

#[test]
fn a_name_that_nobody_has_is_an_error_in_the_project() {
    let place = three().project("plugin-order = [\"a\", \"d\"]");
    let said = place.run(&[]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("has settings for plugin `d`, which is not loaded (loaded: a, b, c)"), "{}", said.err);
}

#[test]
fn one_that_was_left_out_may_have_a_place() {
    let place = three().project("plugin-order = [\"c\", \"b\"]\n[plugins.b]\non-failure = \"skip\"\n");
    fs::write(place.plugin_file("b"), "").unwrap();
    assert_eq!(place.loaded(), "c, a");
}
