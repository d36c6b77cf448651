use std::collections::HashSet;

use super::{allowed, entry, session};

#[test]
fn ids_have_the_form_of_the_reference_and_differ() {
    let mut seen = HashSet::new();
    for _ in 0..10_000 {
        let id = entry(|id| seen.contains(id));
        assert!(id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
        assert!(seen.insert(id));
    }
    let id = session();
    let parts: Vec<&str> = id.split('-').collect();
    assert_eq!(parts.iter().map(|part| part.len()).collect::<Vec<_>>(), [8, 4, 4, 4, 12], "{id}");
    assert!(parts[2].starts_with('7') && parts[3].starts_with(['8', '9', 'a', 'b']), "{id}");
    assert!(allowed(&id));
}

#[test]
fn where_every_short_id_is_taken_a_long_one_is_made() {
    assert_eq!(entry(|id| id.len() == 8).len(), 36);
}

#[test]
fn a_session_id_is_a_name_for_a_file() {
    for id in ["a", "session-1", "2026.11_x"] {
        assert!(allowed(id), "{id}");
    }
    for id in ["", "-a", "a.", "a/b", "a b", "ä"] {
        assert!(!allowed(id), "{id}");
    }
}
