//! Folders as `seam.toml` grants them.

use crate::reach::child::{Child, told};

/// A child whose project holds these folders.
fn child(grants: &str, folders: &[&str]) -> Child {
    let child = Child::new("reach-w", grants);
    for folder in folders {
        std::fs::create_dir_all(child.project().join(folder)).unwrap();
    }
    child
}

#[test]
fn a_path_is_relative_to_the_settings_and_names_the_folder() {
    let child = child(r#"fs = [{ path = "data/in" }, { path = "out", mode = "rw" }]"#, &["data/in", "out"]);
    std::fs::write(child.project().join("data/in/a"), "inside").unwrap();
    let said = child.refused("read data/in/a; write data/in/b x; write out/b x; read seam.toml", &[]);
    assert_eq!(said, "inside; PermissionDenied; ok; NotFound");
    assert_eq!(std::fs::read_to_string(child.project().join("out/b")).unwrap(), "x");
}

/// Who could write there could change what is in force.
#[test]
fn a_folder_that_holds_or_lies_in_what_is_in_force_is_not_granted_for_writing() {
    for (path, relation, place) in [
        (".", "holds", ".seam"),
        (".seam", "is", ".seam"),
        (".seam/data", "lies in", ".seam"),
        ("../plugins", "", "plugins"),
        ("../sessions", "", "sessions"),
    ] {
        // Not with `..`: a plugin cannot ask for that.
        let absolute = path.starts_with("..");
        let child = child("", &[".seam/data"]);
        std::fs::create_dir_all(child.path().join("sessions")).unwrap();
        let path = if absolute { child.path().join(&path[3..]).display().to_string() } else { path.to_owned() };
        let grants = |mode: &str| format!("[plugins.p.grants]\nfs = [{{ path = \"{path}\", mode = \"{mode}\" }}]\n");
        std::fs::write(child.project().join("seam.toml"), grants("rw")).unwrap();
        let (code, said) = child.run("nothing", &[]);
        assert!(
            code == 3 && said.contains(&format!(", which {relation}")) && said.contains(place),
            "{path}: {code} {said}"
        );
        assert!(said.contains("nothing was run; grant it another folder"), "{said}");
        std::fs::write(child.project().join("seam.toml"), grants("ro")).unwrap();
        assert_eq!(child.refused("nothing", &[]), "nothing", "{path}");
    }
}

#[test]
fn a_grant_that_cannot_be_meant_is_an_error_of_the_settings() {
    for (grants, fault) in [
        (r#"http = ["*.example.com"]"#, "`http` has `*.example.com`: patterns are not taken; name each host"),
        (r#"env = ["*"]"#, "`env` has `*`: patterns are not taken; name each variable"),
        (r#"fs = [{ path = "~/x" }]"#, "`~` has no meaning here; write the whole path"),
        (r#"fs = [{ path = "nowhere" }]"#, "nowhere"),
    ] {
        let (code, said) = child(grants, &[]).run("nothing", &[]);
        assert!(code == 2 && said.contains(fault), "{code} {said}");
    }
}

/// What a plugin reads in a replay, it does not read.
#[test]
fn a_replay_reads_nothing_and_says_which_calls_it_cannot_compare() {
    let child = child(r#"fs = [{ path = "data" }]"#, &["data"]);
    std::fs::write(child.project().join("data/a"), "inside").unwrap();
    assert_eq!(child.refused("read data/a", &[]), "inside");
    std::fs::remove_dir_all(child.project().join("data")).unwrap();
    std::fs::write(child.project().join("seam.toml"), "[plugins.p.grants]\nfs = [{ path = \".\" }]\n").unwrap();
    let (_, said) = told(child.with_plugin("replay", &[]).arg(child.session()));
    assert!(said.contains("it reached `wasi:filesystem` then, and a replay reaches nothing"), "{said}");
}
