//! Of a link, the audit tells where the file really is.

use std::fs;
use std::os::unix::fs::symlink;

use seam_plugins::{Audit, Grants};
use seam_tests::files;
use tempfile::TempDir;

#[test]
fn the_file_behind_all_links_is_told() {
    let (folder, outside) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let real = outside.path().canonicalize().unwrap().join("real.wasm");
    fs::copy(files::guest("gate"), &real).unwrap();
    symlink(&real, folder.path().join("second.wasm")).unwrap();
    symlink("second.wasm", folder.path().join("first.wasm")).unwrap();
    let audit = |name: &str| Audit::of_file(&folder.path().join(name), &Grants::default()).unwrap();
    assert_eq!((audit("first.wasm").name.as_str(), audit("first.wasm").link_to), ("first", Some(real.clone())));
    assert_eq!(Audit::of_file(&real, &Grants::default()).unwrap().link_to, None);
}
