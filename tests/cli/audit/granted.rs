//! An audit under the settings of a workspace: what is granted, to whom, and what it comes to.

use std::fs;
use std::path::PathBuf;

use seam_tests::files;
use tempfile::TempDir;

use super::{gate, seam};

/// A project with one plugin that imports these, and these settings.
struct Project(TempDir);

impl Project {
    fn new(imports: &[&str], settings: &str) -> Self {
        let project = Self(TempDir::new().unwrap());
        let import = |name: &&str| format!(r#"(import "{name}" (instance (export "f" (func))))"#);
        fs::write(project.plugin(), gate(&imports.iter().map(import).collect::<String>())).unwrap();
        fs::write(project.0.path().join("seam.toml"), settings).unwrap();
        for name in ["data", "out"] {
            fs::create_dir(project.0.path().join(name)).unwrap();
        }
        project
    }

    fn plugin(&self) -> PathBuf {
        self.0.path().join("helper.wasm")
    }

    /// What is printed, so many columns wide, under the project's settings.
    fn audit(&self, columns: &str) -> String {
        self.audit_with(columns, &["--cwd".as_ref(), self.0.path().as_os_str()])
    }

    fn audit_with(&self, columns: &str, arguments: &[&std::ffi::OsStr]) -> String {
        let mut seam = seam();
        let config = self.0.path().join("no-settings-of-a-user");
        let seam = seam.env("COLUMNS", columns).env("XDG_CONFIG_HOME", config);
        let output = seam.arg("audit").arg(self.plugin()).args(arguments).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        let text = String::from_utf8(output.stdout).unwrap();
        let place = self.0.path().canonicalize().unwrap();
        let (_, text) = text.split_once('\n').unwrap();
        let (_, text) = text.split_once('\n').unwrap();
        text.replace(&format!("{}/", place.display()), "").replace(&format!("{}/", self.0.path().display()), "")
    }
}

const REACH: [&str; 9] = [
    "seam:harness/call-tool@0.1.0",
    "seam:harness/complete@0.1.0",
    "seam:harness/config@0.1.0",
    "seam:harness/conversation@0.1.0",
    "seam:harness/exec@0.1.0",
    "seam:harness/ui@0.1.0",
    "wasi:cli/environment@0.2.6",
    "wasi:filesystem/types@0.2.6",
    "wasi:http/outgoing-handler@0.2.6",
];

const GRANTS: &str = r#"
[plugins.helper.grants]
tools = ["read", "write"]
complete = 10000
exec = ["git", "cargo"]
ui = true
env = ["HOME"]
fs = [{ path = "data" }, { path = "out", mode = "rw" }]
http = ["api.example.com"]
"#;

#[test]
fn everything_granted_is_told_exactly() {
    let project = Project::new(&REACH, GRANTS);
    insta::assert_snapshot!(project.audit("100"), @r#"
      can leak    yes: every message of the conversation, files of the workspace (by `read`), what `git`
                  and `cargo` can read, and more, to `api.example.com`; to `git` and `cargo` with any
                  arguments (every gate sees the call); into files of the workspace (by `write`; every
                  gate sees the call); into files in `out`; to the provider of the
                  session's model
      can decide  tool-call  before the effect: refuse the call, or ask you; if it fails, the call is
                             refused
      can see     conversation          every message of the conversation
                  call-tool             files of the workspace (by `read`)
                  exec                  what `git` and `cargo` can read
                  wasi:cli/environment  the variable `HOME`
                  wasi:filesystem       files in `data` and `out`
                  tool-call             tool calls
                  ui                    what you answer it
                  complete              what the model answers it
                  config                its own settings
                  wasi:http             what `api.example.com` may answer
      can send    wasi:http        any request to `api.example.com`
                  exec             any arguments to `git` and `cargo`, which may change files, use the
                                   network and run other programs; every gate sees the call
                  call-tool        any text into files of the workspace, by `write`; every gate sees the
                                   call
                  wasi:filesystem  any files into `out`: it can make, change and remove
                                   them, and no gate sees it
                  complete         any question to the session's model, so to its provider, within 10000
                                   tokens a session
                  call-tool        any arguments to `read`, to look and nothing else; every gate sees
                                   the call
                  tool-call        words to the model, which may act on them
                  ui               notices and questions to you, under its name
      imports     granted       call-tool (`tools`), complete, exec, ui, wasi:cli/environment@0.2.6
                                (`env`), wasi:filesystem/types@0.2.6 (`fs`),
                                wasi:http/outgoing-handler@0.2.6 (`http`)
                  always there  config, conversation

    Grants are those of seam.toml.
    "#);
    let narrow = project.audit("80");
    assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
    assert!(project.audit("120").lines().all(|line| line.chars().count() <= 120));
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(&narrow), words(&project.audit("120")), "the width changes no word");
}

#[test]
fn without_settings_the_lines_to_add_are_told() {
    let project = Project::new(&REACH, "");
    insta::assert_snapshot!(project.audit("100"), @r#"
    will not load: it imports `seam:harness/call-tool@0.1.0`, `seam:harness/complete@0.1.0`,
        `seam:harness/exec@0.1.0`, `seam:harness/ui@0.1.0`, `wasi:http/outgoing-handler@0.2.6`, which
        are not granted to it; to grant that, add to `seam.toml`:
          [plugins.helper.grants]
          ui = true
          tools = ["read"]  # the tools it may call
          exec = ["git"]  # the programs it may run
          complete = 10000  # tokens in a session
          http = ["api.example.com"]  # the hosts it may send to
    can leak    yes, if granted: every message of the conversation, what tools you name may give, what
                programs you name can read, and more, to hosts you name; to programs you name with any
                arguments (every gate sees the call); to tools you name with any arguments (every gate
                sees the call); to the provider of the session's model
    can decide  tool-call  before the effect: refuse the call, or ask you; if it fails, the call is
                           refused
    can see     conversation  every message of the conversation
                call-tool     IF GRANTED: what tools you name may give
                exec          IF GRANTED: what programs you name can read
                tool-call     tool calls
                ui            IF GRANTED: what you answer it
                complete      IF GRANTED: what the model answers it
                config        its own settings
                wasi:http     IF GRANTED: what hosts you name may answer
    can send    wasi:http  IF GRANTED: any request to hosts you name
                exec       IF GRANTED: any arguments to programs you name, which may change files, use
                           the network and run other programs; every gate sees the call
                call-tool  IF GRANTED: any arguments to tools you name, with all that comes of it;
                           every gate sees the call
                complete   IF GRANTED: any question to the session's model, so to its provider, within
                           a budget you set
                tool-call  words to the model, which may act on them
                ui         IF GRANTED: notices and questions to you, under its name
    imports     NOT GRANTED      call-tool (`tools`), complete, exec, ui,
                                 wasi:http/outgoing-handler@0.2.6 (`http`)
                always there     config, conversation
                reaches nothing  wasi:cli (environment), wasi:filesystem (types)
    "#);
}

#[test]
fn a_modest_plugin_is_told_in_few_lines() {
    let project = Project::new(&["seam:harness/log@0.1.0"], "");
    insta::assert_snapshot!(project.audit("80"), @r#"
    can leak    no: it sees tool calls, but has no way out of its own; the model
                reads its words and may act on them
    can decide  tool-call  before the effect: refuse the call, or ask you; if it
                           fails, the call is refused
    can see     tool-call  tool calls
    can send    tool-call  words to the model, which may act on them
                log        notes to you, bounded
    imports     always there  log
    "#);
}

#[test]
fn grants_are_those_of_the_plugins_name_in_the_settings_that_are_named() {
    let project = Project::new(&["seam:harness/exec@0.1.0"], "[plugins.other.grants]\nexec = [\"git\"]\n");
    assert!(project.audit("100").contains("yes, if granted:"));
    let named = project.0.path().join("named.toml");
    fs::write(&named, "[plugins.helper.grants]\nexec = [\"git\"]\n").unwrap();
    let text = project.audit_with("100", &["--config".as_ref(), named.as_os_str()]);
    assert!(text.contains("  can leak    yes: ") && text.contains("`git`"), "{text}");
}

#[test]
fn grants_for_another_file_and_grants_for_nothing_are_told() {
    let digest = "ab".repeat(32);
    let settings = format!("[plugins.helper.grants]\nexec = [\"git\"]\nclock = true\ndigest = \"{digest}\"\n");
    let project = Project::new(&["seam:harness/exec@0.1.0"], &settings);
    let text = project.audit("120");
    let told: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("  imports")).collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
      imports     NOT GRANTED        exec
                  granted, not used  `clock`: it imports nothing for it
                  another file       its grants in the settings are for a file with the SHA-256
                                     abababababababababababababababababababababababababababababababab

    Grants are those of seam.toml.
    "#);
}

#[test]
fn the_whole_digest_is_told_since_grants_are_written_with_it() {
    let file = files::guest("gate");
    let digest = seam_plugins::Digest::of(&fs::read(&file).unwrap());
    for columns in ["60", "80", "120"] {
        let output = seam().arg("audit").arg(&file).env("COLUMNS", columns).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.lines().nth(1), Some(format!("  sha256      {digest}").as_str()), "{text}");
    }
}

#[test]
fn folders_outside_the_workspace_that_its_tools_may_use_are_told() {
    let settings = "[workspace]\noutside = [\"out\"]\n[plugins.helper.grants]\ntools = [\"read\", \"write\"]\n";
    let text = Project::new(&["seam:harness/call-tool@0.1.0"], settings).audit("120");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for told in [
        "can leak yes: files of the workspace, and of `out` outside it (by `read`), tool calls, into files of the \
         workspace, and of `out` outside it (by `write`; every gate sees the call)",
        "call-tool files of the workspace, and of `out` outside it (by `read`)",
        "call-tool any text into files of the workspace, and of `out` outside it, by `write`; every gate sees the call",
    ] {
        assert!(words.contains(told), "{text}");
    }
}

/// The exit code, and what is said of a grant to write in this folder.
fn refused(folder: &str, digest: &str, whole: bool) -> (Option<i32>, String) {
    let settings = format!("[plugins.helper.grants]\nfs = [{{ path = \"{folder}\", mode = \"rw\" }}]\n{digest}");
    let project = Project::new(&["wasi:filesystem/types@0.2.6"], "");
    fs::create_dir_all(project.0.path().join(".seam/plugins/data")).unwrap();
    fs::write(project.0.path().join("seam.toml"), settings).unwrap();
    let place = project.0.path().canonicalize().unwrap();
    let path = if whole { place.clone() } else { project.plugin() };
    let mut seam = seam();
    let seam = seam.env("XDG_CONFIG_HOME", place.join("none")).env("COLUMNS", "120");
    let output = seam.arg("audit").arg(path).arg("--cwd").arg(&place).arg("--json").output().unwrap();
    let audits: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let problem = audits[0]["problem"].as_str().unwrap_or_default().replace(&*place.to_string_lossy(), "PROJECT");
    (output.status.code(), problem)
}

#[test]
fn a_grant_that_no_run_takes_is_a_problem() {
    insta::assert_snapshot!(refused(".", "", false).1, @r#"it is granted to write in ., which holds PROJECT/.seam: who writes there changes what is in force; grant it another folder, or this one with `mode = "ro"`"#);
    insta::assert_snapshot!(refused(".seam/plugins/data", "", false).1, @r#"it is granted to write in .seam/plugins/data, which lies in PROJECT/.seam: who writes there changes what is in force; grant it another folder, or this one with `mode = "ro"`"#);
    insta::assert_snapshot!(refused(".seam", "", false).1, @r#"it is granted to write in .seam, which is PROJECT/.seam: who writes there changes what is in force; grant it another folder, or this one with `mode = "ro"`"#);
    assert_eq!(refused(".", "", false).0, Some(3));
    assert_eq!(refused("data", "", false), (Some(0), String::new()));
    // In a folder of plugins that is audited nobody may write either.
    assert_eq!(refused("data", "", true).0, Some(3));
    // What is for another file gives this one nothing.
    let other = format!("digest = \"{}\"\n", "ab".repeat(32));
    assert_eq!(refused(".", &other, false), (Some(0), String::new()));
}

#[test]
fn settings_that_cannot_be_used_are_told_and_nothing_is_audited() {
    let project = Project::new(&[], "[plugins.helper.grants]\nexce = [\"git\"]\n");
    let mut seam = seam();
    let output = seam.arg("audit").arg(project.plugin()).arg("--cwd").arg(project.0.path()).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert!(String::from_utf8_lossy(&output.stderr).contains("exce"));
}

#[test]
fn a_link_is_told_with_the_file_behind_it() {
    let folder = TempDir::new().unwrap();
    let link = folder.path().join("linked.wasm");
    std::os::unix::fs::symlink(files::guest("gate"), &link).unwrap();
    let stdout = seam().arg("audit").arg(&link).env("COLUMNS", "60").assert().success().get_output().stdout.clone();
    let text = String::from_utf8(stdout).unwrap();
    let real = files::guest("gate").canonicalize().unwrap();
    assert!(text.contains(&format!("\n  link to     {}\n", real.display())), "{text}");
}
