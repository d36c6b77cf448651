use seam::testing::{call, json, long_result, result};
use seam::{Change, Content, Image, Outcome, ToolResult, ToolResultPatch};

use crate::RedactSecrets;
use crate::scan::redact;

const GITHUB: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
const JWT: &str = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

/// Cut in two so that nobody's scanner takes this file for a leak.
fn key(prefix: &str, rest: &str) -> String {
    format!("{prefix}{rest}")
}

fn read(text: &str) -> ToolResult {
    result(call("read", json!({ "path": "a" })), text)
}

fn review(result: &ToolResult) -> Outcome {
    RedactSecrets.review(result)
}

#[test]
fn each_kind_is_known_by_its_shape() {
    let table = [
        (key("sk-ant-", "api03-abcdefghij0123456789-_AB"), "anthropic-key"),
        (key("sk-", "proj-abcdefghij0123456789"), "api-key"),
        (key("sk_live_", "0123456789abcdef"), "stripe-key"),
        (key("AKIA", "IOSFODNN7EXAMPLE"), "aws-key"),
        (GITHUB.to_owned(), "github-token"),
        (key("github_pat_", "11ABCDEFG0123456789_abcdef"), "github-token"),
        (key("glpat-", "abcdefghij0123456789"), "gitlab-token"),
        (key("npm_", "0123456789abcdefghijABCDEFGHIJ012345"), "npm-token"),
        (key("xoxb-", "1234567890-abcdef"), "slack-token"),
        (key("AIza", "SyA0123456789abcdefghijABCDEFGHIJ01"), "google-key"),
        (JWT.to_owned(), "jwt"),
    ];
    for (secret, kind) in table {
        for (before, after) in [("", ""), ("key: ", "\n"), ("\"", "\","), ("(", ")."), ("é", "é"), ("x=", "; y=1")] {
            let redacted = redact(&format!("{before}{secret}{after}"));
            assert_eq!(redacted, Some(format!("{before}[redacted: {kind}]{after}")), "{secret}");
        }
    }
}

#[test]
fn what_only_starts_like_a_secret_stays() {
    for text in [
        "",
        "sk-learn and sk-short",
        "task-force-abcdefghij0123456789",
        "AKIA is a prefix",
        "AKIAlowercase0123456789",
        "ghp_tooshort",
        "eyJhbGciOiJIUzI1NiJ9 alone",
        "the bearer of this letter",
        "Bearer short",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
        "https://example.com:8080/a@b",
        "let token = lexer.next();",
        "token: String,",
        "secret: Vec<u8>,",
        "fn f(password: &str)",
        "f(token=token, password=self.password, secret=None)",
        "password=$PASSWORD",
        "password = os.environ[\"X\"]",
        "max_tokens=4096 tokens: 12345678",
        "the password: please ask",
        "if token == expected123456",
        "naïve café 日本語 🦀",
    ] {
        assert_eq!(redact(text), None, "{text}");
    }
}

#[test]
fn values_under_a_secret_name_are_redacted() {
    let table = [
        ("password=hunter2", "password=[redacted: password]"),
        ("DB_PASSWORD=correcthorse", "DB_PASSWORD=[redacted: password]"),
        ("--password=hunter22 next", "--password=[redacted: password] next"),
        ("api_key: abc123def456", "api_key: [redacted: api-key]"),
        ("X-Api-Key: abc123def456", "X-Api-Key: [redacted: api-key]"),
        ("{\"password\": \"a b c d\"}", "{\"password\": \"[redacted: password]\"}"),
        ("{\\\"token\\\":\\\"abcdef\\\"}", "{\\\"token\\\":\\\"[redacted: token]\\\"}"),
        ("clientSecret = 'pässwort'", "clientSecret = '[redacted: secret]'"),
        ("AWS_SECRET_ACCESS_KEY=abc/def+123", "AWS_SECRET_ACCESS_KEY=[redacted: secret]"),
        ("secret = \"a\\\"bc\" # x", "secret = \"[redacted: secret]\" # x"),
        ("a password=hunter2; token: t0k3nt0k3n!", "a password=[redacted: password]; token: [redacted: token]"),
    ];
    for (text, redacted) in table {
        assert_eq!(redact(text).as_deref(), Some(redacted), "{text}");
    }
}

#[test]
fn bearer_tokens_and_passwords_in_urls_are_redacted() {
    let table = [
        ("Authorization: Bearer abcdefgh.ijklmnop-123", "Authorization: Bearer [redacted: bearer-token]"),
        ("postgres://me:s3cret@db/x", "postgres://me:[redacted: url-password]@db/x"),
    ];
    for (text, redacted) in table {
        assert_eq!(redact(text).as_deref(), Some(redacted), "{text}");
    }
}

#[test]
fn a_private_key_goes_whole() {
    let block = |name: &str| format!("-----BEGIN {name}-----\nMIIEvQ\nabc==\n-----END {name}-----");
    for name in ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"] {
        let text = format!("a\n{}\nb", block(name));
        assert_eq!(redact(&text).as_deref(), Some("a\n[redacted: private-key]\nb"), "{name}");
    }
    let cut = "a\n-----BEGIN PRIVATE KEY-----\nMIIEvQ é";
    assert_eq!(redact(cut).as_deref(), Some("a\n[redacted: private-key]"));
}

const LINE: &str = "abcdefghijklmnopqrstuvwxyz0123456789+/ABCDEFGHIJKLMNOPQRSTUVWXYZ";

#[test]
fn a_private_key_without_its_first_line_goes_from_the_start_of_its_base64() {
    let end = "-----END RSA PRIVATE KEY-----";
    let table = [
        (format!("{LINE}\n{LINE}\nab==\n{end}\nb"), "[redacted: private-key]\nb"),
        (format!("some words\n{LINE}\r\nab==\r\n{end}\r\n"), "some words\n[redacted: private-key]\r\n"),
        (format!("ab==\n{end}"), "[redacted: private-key]"),
        (format!("\n 2\t{LINE}\n 3\tab==\n 4\t{end}"), "\n 2\t[redacted: private-key]"),
        (format!("@@ -2 @@\n-{LINE}\n-ab==\n-{end}\n"), "@@ -2 @@\n-[redacted: private-key]\n"),
        (format!("\"{LINE}\\n{LINE}\\nab==\\n{end}\\n\""), "\"[redacted: private-key]\\n\""),
        (format!("password=hunter2\n{LINE}\n{end}"), "password=[redacted: password]\n[redacted: private-key]"),
        (format!("{LINE}\n{end}\n{LINE}\n{end}"), "[redacted: private-key]\n[redacted: private-key]"),
    ];
    for (text, redacted) in table {
        assert_eq!(redact(&text).as_deref(), Some(redacted), "{text}");
    }
    for text in [format!("let end = \"{end}\";"), format!("{LINE}\n-----END CERTIFICATE-----")] {
        assert_eq!(redact(&text), None, "{text}");
    }
}

#[test]
fn a_private_key_is_known_by_how_its_base64_starts() {
    for start in [
        "MIIEpAIBAAKCAQEA",
        "MIICXAIBAAKBgQ",
        "MIIJKQIBAAKCAgEA",
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
        "MIIFHDBOBgkqhkiG9w0BBQ0w",
        "MIIE6TAbBgkqhkiG9w0BBQMw",
        "MIGHAgEAMBMGByqGSM49",
        "MIG2AgEAMBAGByqGSM49",
        "MIHuAgEAMBAGByqGSM49",
        "MHcCAQEEI",
        "MIGkAgEBBDA",
        "MIHcAgEBBEI",
        "MC4CAQAwBQYDK2VwBCIEI",
        "b3BlbnNzaC1rZXktdjEAAAAA",
    ] {
        let text = format!("k.pem:{start}{LINE}\n{LINE}\nother\n");
        assert_eq!(redact(&text).as_deref(), Some("k.pem:[redacted: private-key]\nother\n"), "{start}");
        assert_eq!(redact(&format!("{start} short")), None, "{start}");
    }
    for public in ["MIIDdzCCAl+gAwIBAgIE", "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A", "MFkwEwYHKoZIzj0CAQYI"] {
        assert_eq!(redact(&format!("{public}{LINE}\n{LINE}")), None, "{public}");
    }
}

#[test]
fn colour_codes_do_not_split_a_secret() {
    let (head, tail) = GITHUB.split_at(10);
    let table = [
        (format!("a \x1b[31m{head}\x1b[m\x1b[K{tail}\x1b[0m é"), "a \x1b[31m[redacted: github-token]\x1b[0m é"),
        (format!("\x1b[1;31mghp\x1b[0m{}", &GITHUB[3..]), "\x1b[1;31m[redacted: github-token]"),
        (format!("key\x1b[m{GITHUB}"), "key\x1b[m[redacted: github-token]"),
        (format!("é_\x1b[m{JWT}é\x1b[m"), "é_\x1b[m[redacted: jwt]é\x1b[m"),
        (
            "\x1b[32mpassword\x1b[m=\x1b[1mhunter2\x1b[m".to_owned(),
            "\x1b[32mpassword\x1b[m=\x1b[1m[redacted: password]\x1b[m",
        ),
        ("-----BEGIN \x1b[1mPRIVATE KEY-----\nMII é\x1b[m".to_owned(), "[redacted: private-key]\x1b[m"),
        (format!("\x1b[ \x1b {GITHUB}"), "\x1b[ \x1b [redacted: github-token]"),
    ];
    for (text, redacted) in table {
        assert_eq!(redact(&text).as_deref(), Some(redacted), "{text:?}");
    }
    assert_eq!(redact("\x1b[31mplain é\x1b[m\x1b["), None);
}

#[test]
fn what_lost_its_mark_passes_and_the_readme_says_so() {
    let pieces = GITHUB.chars().map(|c| format!("{c} ")).collect::<String>();
    for text in [&GITHUB[3..], &pieces, &GITHUB.replace("ghp_", "ghp - "), "-X=hunter2\n+Y=hunter2", LINE] {
        assert_eq!(redact(text), None, "{text}");
    }
    let diff = "-PASSWORD=hunter2\n+X=hunter2";
    assert_eq!(redact(diff).as_deref(), Some("-PASSWORD=[redacted: password]\n+X=hunter2"));
}

#[test]
fn several_secrets_of_one_line_are_all_redacted() {
    let text = format!("{GITHUB},{GITHUB} {JWT}");
    let redacted = "[redacted: github-token],[redacted: github-token] [redacted: jwt]";
    assert_eq!(redact(&text).as_deref(), Some(redacted));
}

#[test]
fn a_result_without_secrets_is_kept() {
    assert_eq!(review(&read("fn main() {}")), Outcome::Keep);
    let details = ToolResult { details: Some("{\"lines\":3}".to_owned()), ..read("") };
    assert_eq!(review(&details), Outcome::Keep);
}

#[test]
fn other_content_stays_where_it_is() {
    let image = Content::Image(Image { mime_type: "image/png".to_owned(), data: vec![1, 2] });
    let text = |text: &str| Content::Text(text.to_owned());
    let content = vec![text("plain"), image.clone(), text(GITHUB)];
    let wanted = vec![text("plain"), image, text("[redacted: github-token]")];
    assert_eq!(review(&ToolResult { content, ..read("") }), Outcome::content(wanted));
}

#[test]
fn details_are_redacted_inside_their_strings() {
    let details = json!({ "output": format!("x {GITHUB}"), "env": [{ "password": "x" }], "n": 1 }).to_string();
    let wanted =
        json!({ "output": "x [redacted: github-token]", "env": [{ "password": "[redacted: password]" }], "n": 1 });
    let outcome = review(&ToolResult { details: Some(details), ..read("plain") });
    assert_eq!(outcome, Outcome::Change(vec![Change::Details(wanted.to_string())]));
}

#[test]
fn details_that_are_no_json_withhold_the_result() {
    let outcome = review(&ToolResult { details: Some("{".to_owned()), ..read("plain") });
    assert!(matches!(outcome, Outcome::Withhold(_)));
}

#[test]
fn a_secret_behind_the_cut_is_found() {
    let text = format!("{}\n{GITHUB}\nend", "é".repeat(40_000));
    let wanted = text.replace(GITHUB, "[redacted: github-token]");
    assert_eq!(review(&long_result(call("read", json!({})), &text)), Outcome::text(wanted));
}

#[test]
fn a_result_of_megabytes_comes_back_whole() {
    let text = format!("{GITHUB}{}", " é".repeat(1_000_000));
    let wanted = text.replace(GITHUB, "[redacted: github-token]");
    assert_eq!(review(&long_result(call("read", json!({})), &text)), Outcome::text(wanted));
}

#[test]
fn a_redactor_catches_what_a_gate_on_command_text_lets_through() {
    for command in ["cat $HOME/.ssh/k", "cat .en\"\"v", "F=.env; cat $F", "cd d && cat .env", "cat $(echo .env)"] {
        let result = result(call("bash", json!({ "command": command })), "API_KEY=abcd1234\n");
        assert_eq!(review(&result), Outcome::text("API_KEY=[redacted: api-key]\n"), "{command}");
    }
}

#[test]
fn hostile_text_of_a_megabyte_is_read_in_one_pass() {
    for piece in [
        "sk-",
        "eyJ",
        "eyJaaaaaaaaa.",
        "-",
        "-----BEGIN ",
        "password=\"",
        "password=\"'",
        "token:",
        "=",
        "://a:",
        "://",
        "bearer ",
        "password        ",
        "-----BEGIN PRIVATE KEY",
        "-----END PRIVATE KEY-----",
        "a\n-----END PRIVATE KEY-----",
        "-----END PRIVATE KEY ",
        "MIIEpAIBA ",
        "MIIEpAIBA\n",
        "\x1b",
        "\x1b[",
        "\x1b[m",
    ] {
        redact(&piece.repeat((1 << 20) / piece.len()));
    }
}
