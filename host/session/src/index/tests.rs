use super::Index;
use crate::line::Reader;
use crate::lines::Place;

/// The tree of some lines: type, id, parent, further fields. The error names the first that does not fit.
fn index(lines: &[(&str, &str, &str, &str)]) -> Result<Index, String> {
    let (mut index, mut reader) = (Index::default(), Reader::new(3));
    for (line, (name, id, parent, fields)) in (2..).zip(lines) {
        let parent = if *parent == "null" { "null".to_owned() } else { format!("\"{parent}\"") };
        let text = format!(r#"{{"type":"{name}","id":"{id}","parentId":{parent},"timestamp":"t"{fields}}}"#);
        let ready = index.prepare(reader.read(&text)?, Place { line, offset: 0, bytes: 0 })?;
        index.commit(ready);
    }
    Ok(index)
}

#[test]
fn the_leaf_is_the_last_entry_or_where_the_last_move_went() {
    let lines = [
        ("custom", "a", "null", ""),
        ("custom", "b", "a", ""),
        ("leaf", "c", "b", r#","targetId":"a""#),
        ("custom", "d", "a", ""),
        ("leaf", "e", "d", r#","targetId":null"#),
    ];
    let leaves = (1..=5).map(|count| index(&lines[..count]).unwrap().leaf());
    assert_eq!(leaves.collect::<Vec<_>>(), [Some(0), Some(1), Some(0), Some(3), None]);
    let all = index(&lines).unwrap();
    assert_eq!(all.path(all.find("d")), [0, 3]);
    assert!(all.path(None).is_empty());
}

#[test]
fn the_last_label_and_the_last_name_count() {
    let all = index(&[
        ("custom", "a", "null", ""),
        ("label", "b", "a", r#","targetId":"a","label":" one ""#),
        ("label", "c", "b", r#","targetId":"b","label":"two""#),
        ("label", "d", "c", r#","targetId":"b""#),
        ("session_info", "e", "d", r#","name":" first ""#),
    ])
    .unwrap();
    assert_eq!(all.labels().iter().map(|(id, label)| (&**id, &**label)).collect::<Vec<_>>(), [("a", "one")]);
    assert_eq!(all.name(), Some("first"));
    let cleared =
        index(&[("session_info", "a", "null", r#","name":"first""#), ("session_info", "b", "a", r#","name":"  ""#)]);
    assert_eq!(cleared.unwrap().name(), None);
}

#[test]
fn what_does_not_fit_says_why() {
    let twice = index(&[("custom", "a", "null", ""), ("custom", "a", "null", "")]);
    assert_eq!(twice.unwrap_err(), "has the id `a` of line 2");
    let nowhere = index(&[("leaf", "a", "null", r#","targetId":"z""#)]);
    assert_eq!(nowhere.unwrap_err(), "moves the leaf to `z`, which is not in the file before it");
}

#[test]
fn the_path_of_an_entry_without_its_parent_begins_with_it() {
    let all = index(&[("custom", "a", "null", ""), ("custom", "b", "lost", ""), ("custom", "c", "b", "")]).unwrap();
    assert_eq!(all.path(all.leaf()), [1, 2]);
}
