//! Types that only look like ours.

use seam_tests::hostile::wat;

use super::assert_all_end;

#[tokio::test]
async fn what_only_looks_like_ours_is_not_loaded() {
    assert_all_end(&[
        "a gate whose cases are swapped",
        "a refusal without its end",
        "a call whose arguments are bytes",
        "a gate that is told more",
        "a log of another type",
    ])
    .await;
}

/// The same gate made for our contract is loaded: it is the types that are refused.
#[tokio::test]
async fn the_same_gate_of_our_types_is_loaded() {
    let folder = tempfile::TempDir::new().unwrap();
    std::fs::write(folder.path().join("ours.wasm"), wat::component("proceeds")).unwrap();
    let settings = |_: &str| seam_plugins::Settings::default();
    let (plugins, errors) = seam_tests::bed::engine().load_folder(folder.path(), settings).await.unwrap();
    assert_eq!((plugins.len(), errors.len()), (1, 0), "{errors:?}");
}
