//! `wit/README.md` says what the host does.

use seam_tests::files;
use seam_tests::reference::renewed;

#[test]
fn the_reference_is_the_hosts_table() {
    let page = std::fs::read_to_string(files::root().join("wit/README.md")).unwrap();
    let renewed = renewed(&page).expect("wit/README.md has the marks of its generated part");
    let differs = page.lines().zip(renewed.lines()).find(|(is, should)| is != should);
    let (is, should) = differs.unwrap_or_default();
    assert!(
        page == renewed,
        "wit/README.md is not what the contract says:\n  is      {is}\n  should  {should}\nWrite it anew with `cargo run \
         -q -p seam-tests --bin reference`."
    );
}
