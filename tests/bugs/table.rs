//! The table in `bugs.md`: each of its rows names tests that exist, or says why the fault cannot occur.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use seam_tests::files;

/// The rows of areas 1 to 5, 9 and 10 of the list of faults, and those of area 6 that begin in a model's stream. What is
/// missing was double there.
const ROWS: [u32; 111] = [
    1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 14, 15, 16, 17, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 36,
    38, 39, 40, 41, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 56, 57, 58, 59, 60, 61, 63, 64, 65, 66, 67, 68, 69, 71,
    72, 73, 74, 75, 76, 77, 78, 79, 80, 82, 84, 85, 86, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 100, 106, 107, 109,
    110, 111, 112, 141, 142, 143, 145, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 159, 161, 162, 163, 164,
];

/// The last column of each row.
fn rows() -> BTreeMap<u32, String> {
    let text = fs::read_to_string(files::root().join("tests/bugs.md")).unwrap();
    let mut rows = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let Ok(row) = cells[0].parse() else { continue };
        assert_eq!(cells.len(), 4, "row {row}");
        assert_eq!(rows.insert(row, cells[3].to_owned()), None, "row {row} is there twice");
    }
    rows
}

/// What stands between backticks and names a test: `bugs::links::NAME` or `host/tools/src/path/tests.rs::NAME`.
fn tests_of(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).filter(|quoted| quoted.contains("::")).collect()
}

/// The file of a test, and its name.
pub(crate) fn file_of(test: &str) -> (PathBuf, &str) {
    let (place, name) = test.rsplit_once("::").unwrap();
    let file = match place.ends_with(".rs") {
        true => place.to_owned(),
        false => format!("tests/{}.rs", place.replace("::", "/")),
    };
    (files::root().join(file), name)
}

/// Whether the source has this function, marked as a test.
pub(crate) fn holds(source: &str, name: &str) -> bool {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let is_it = |line: &str| {
        let rest = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ");
        rest.is_some_and(|rest| rest.strip_prefix(name).is_some_and(|rest| rest.starts_with('(')))
    };
    let Some(at) = lines.iter().position(|line| is_it(line)) else { return false };
    let mut marks = lines[..at].iter().rev().take_while(|line| line.starts_with("#["));
    marks.any(|mark| mark.starts_with("#[test]") || mark.starts_with("#[tokio::test"))
}

#[test]
fn every_row_names_tests_that_exist() {
    let rows = rows();
    assert_eq!(rows.keys().copied().collect::<Vec<_>>(), ROWS);
    let mut faults = Vec::new();
    for (row, cell) in &rows {
        let tests = tests_of(cell);
        if tests.is_empty() && !cell.starts_with("Cannot occur: ") {
            faults.push(format!("row {row} names no test and gives no reason"));
        }
        for test in tests {
            let (file, name) = file_of(test);
            if !fs::read_to_string(file).is_ok_and(|source| holds(&source, name)) {
                faults.push(format!("row {row}: there is no test `{test}`"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_test_is_known_by_its_mark() {
    let source = "#[test]\nfn a() {}\nfn b() {}\n#[tokio::test]\n#[cfg(unix)]\n    async fn c() {}\n";
    assert_eq!(["a", "b", "c", "d"].map(|name| holds(source, name)), [true, false, true, false]);
}
