//! Services over TLS: whose certificates are trusted, and what is told of others.

use std::path::PathBuf;

use insta::assert_snapshot;
use seam_providers::ProviderSettings;
use seam_tests::models::Said;

use super::super::{Settings, failed, run};
use super::proxies::Front;
use super::*;

fn settings(front: &Front, host: &str, ca_file: Option<PathBuf>) -> Settings {
    let settings = ProviderSettings {
        protocol: Some(serde_json::from_value(json!("openai-chat")).unwrap()),
        base_url: Some(format!("https://{host}:{}/v1", front.port())),
        ca_file,
        ..ProviderSettings::default()
    };
    [("openai-chat".to_owned(), settings)].into()
}

async fn asks(settings: &Settings) -> Talk {
    talk(Bed::new().upkeep(again(2)), settings, Protocol::Chat).await
}

#[tokio::test]
async fn a_certificate_of_the_ca_file_is_trusted() {
    let front = Front::secure(Protocol::Chat, &Said::text("Here."));
    let mut talk = asks(&settings(&front, "localhost", Some(front.certificate()))).await;
    assert_eq!(run(&mut talk, "go").await.error, None);
    assert_eq!(talk.transcript(), ["user: go", "assistant: Here."]);
    assert!(front.heads()[0].starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{:?}", front.heads());
}

/// What would be the same again is not asked again.
#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_told_with_what_to_do() {
    let front = Front::secure(Protocol::Chat, &Said::text("no"));
    let mut talk = asks(&settings(&front, "localhost", None)).await;
    assert_snapshot!(failed(&mut talk, "go").await, @"openai-chat: invalid peer certificate: UnknownIssuer. If an authority of your own vouches for it, give the PEM file of that authority as `ca-file` under `[providers.openai-chat]`");
    assert_eq!((front.heads().len(), retries(&talk).len()), (0, 0));
    // One for another name.
    let mut talk = asks(&settings(&front, "127.0.0.1", Some(front.certificate()))).await;
    let error = failed(&mut talk, "go").await;
    assert!(error.contains("certificate not valid for name"), "{error}");
}

#[tokio::test]
async fn a_ca_file_that_cannot_be_used_is_told() {
    let front = Front::secure(Protocol::Chat, &Said::text("no"));
    let folder = tempfile::tempdir().unwrap();
    let (missing, empty) = (folder.path().join("missing.pem"), folder.path().join("empty.pem"));
    std::fs::write(&empty, "no certificate").unwrap();
    let mut lines = Vec::new();
    for file in [missing, empty] {
        let mut talk = asks(&settings(&front, "localhost", Some(file))).await;
        lines.push(failed(&mut talk, "go").await.replace(&*folder.path().to_string_lossy(), "FOLDER"));
    }
    assert_snapshot!(lines.join("\n"), @r#"
    openai-chat: the `ca-file` FOLDER/missing.pem cannot be used: I/O error: No such file or directory (os error 2); give a file of certificates in PEM form
    openai-chat: the `ca-file` FOLDER/empty.pem cannot be used: it holds no certificate; give a file of certificates in PEM form
    "#);
}
