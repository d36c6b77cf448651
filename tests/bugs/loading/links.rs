//! The rule of links in the plugin folder: they are followed, wherever they lead; the plugin has the name of the link,
//! and the audit tells where the file really is. One that leads nowhere is an error that says where it leads.

use std::fs;
use std::os::unix::fs::symlink;

use seam_plugins::{Audit, Grants};
use seam_tests::files;
use tempfile::TempDir;

use super::load;

#[tokio::test]
async fn a_link_is_followed_also_out_of_the_folder_and_the_audit_tells_where() {
    let (folder, outside) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let real = outside.path().canonicalize().unwrap().join("real.wasm");
    fs::copy(files::stress(), &real).unwrap();
    fs::copy(files::stress(), folder.path().join("kept-aside")).unwrap();
    symlink(&real, folder.path().join("out.wasm")).unwrap();
    symlink("kept-aside", folder.path().join("within.wasm")).unwrap();
    symlink("out.wasm", folder.path().join("chain.wasm")).unwrap();
    assert_eq!(load(folder.path()).await, (vec![], ["chain", "out", "within"].map(str::to_owned).to_vec()));
    let behind = |name: &str| Audit::of_file(&folder.path().join(name), &Grants::default()).unwrap().link_to.unwrap();
    assert_eq!([behind("out.wasm"), behind("chain.wasm")], [real.clone(), real]);
    assert_eq!(behind("within.wasm"), folder.path().canonicalize().unwrap().join("kept-aside"));
}

#[tokio::test]
async fn a_link_that_leads_nowhere_is_an_error_that_says_where_and_the_others_load() {
    let folder = TempDir::new().unwrap();
    let link = |to: &str, name: &str| symlink(to, folder.path().join(name)).unwrap();
    link("gone/guard.wasm", "dangling.wasm");
    link("loop-b.wasm", "loop-a.wasm");
    link("loop-a.wasm", "loop-b.wasm");
    link("/dev", "to-a-folder.wasm");
    // A file whose reading fails, for every user.
    link("/proc/self/mem", "unreadable.wasm");
    fs::copy(files::stress(), folder.path().join("stress.wasm")).unwrap();
    let (problems, loaded) = load(folder.path()).await;
    assert_eq!(loaded, ["stress"]);
    insta::assert_snapshot!(problems.join("\n"), @r#"
    dangling: it is a link to gone/guard.wasm, which cannot be read (No such file or directory (os error 2)); mend the link or remove it
    loop-a: it is a link to loop-b.wasm, which cannot be read (Too many levels of symbolic links (os error 40)); mend the link or remove it
    loop-b: it is a link to loop-a.wasm, which cannot be read (Too many levels of symbolic links (os error 40)); mend the link or remove it
    to-a-folder: it is not a file; remove it or rename it so that it does not end in `.wasm`
    unreadable: it is a link to /proc/self/mem, which cannot be read (Input/output error (os error 5)); mend the link or remove it
    "#);
}
