//! Grants that cannot be what was meant. The settings are refused with them.

use std::path::{Component, Path};

use crate::grants::site::Site;
use crate::grants::{Folder, Grants};
use crate::reach::exec::is_program;

/// How long the digest of a file is, in hexadecimal digits.
const DIGEST: usize = 64;

impl Grants {
    /// What is wrong with them, if anything is: the key, the value, and what to write instead.
    pub fn fault(&self) -> Option<String> {
        let http = || self.http.iter().find_map(|entry| Some(told("http", entry, Site::parse(entry).err()?)));
        let env = || self.env.iter().find_map(|name| Some(told("env", name, variable(name)?)));
        let fs = || self.folders();
        let tools = || self.tools.iter().find_map(|name| Some(told("tools", name, tool(name)?)));
        let exec = || self.exec.iter().find_map(|name| Some(told("exec", name, program(name)?)));
        let digest = || self.digest.as_ref().and_then(|digest| Some(told("digest", digest, hexadecimal(digest)?)));
        http().or_else(env).or_else(fs).or_else(tools).or_else(exec).or_else(digest)
    }

    fn folders(&self) -> Option<String> {
        self.fs.iter().enumerate().find_map(|(place, Folder { path, .. })| {
            let same = |other: &Folder| parts(&other.path).eq(parts(path));
            let reason = if path.as_os_str().is_empty() {
                "name a folder"
            } else if path.starts_with("~") {
                "`~` has no meaning here; write the whole path"
            } else if path.components().any(|part| part == Component::ParentDir) {
                "a plugin cannot ask for a path with `..`; write the whole path"
            } else if self.fs.iter().take(place).any(same) {
                "it is there twice; leave one out"
            } else {
                return None;
            };
            Some(told("fs", &path.display().to_string(), reason))
        })
    }
}

fn parts(path: &Path) -> impl Iterator<Item = Component<'_>> {
    path.components().filter(|part| *part != Component::CurDir)
}

fn told(key: &str, value: &str, reason: &str) -> String {
    format!("`{key}` has `{value}`: {reason}")
}

fn variable(name: &str) -> Option<&'static str> {
    if name.contains(['*', '?', '[', '{', '$', '%']) {
        return Some("patterns are not taken; name each variable");
    }
    let is_none = name.is_empty() || name.contains('=') || name.chars().any(|char| char.is_control() || char == ' ');
    is_none.then_some("that is no name of a variable")
}

fn tool(name: &str) -> Option<&'static str> {
    if name.contains(['*', '?']) {
        return Some("patterns are not taken; name each tool");
    }
    let is_none = name.is_empty() || name.chars().any(|char| char.is_control() || char.is_whitespace());
    is_none.then_some("that is no name of a tool")
}

fn program(name: &str) -> Option<&'static str> {
    match name.contains(['*', '?']) {
        true => Some("patterns are not taken; name each program"),
        false => (!is_program(name)).then_some("write the plain name of a program, without a path or arguments"),
    }
}

fn hexadecimal(digest: &str) -> Option<&'static str> {
    let fits = digest.len() == DIGEST && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    (!fits).then_some("a digest is the SHA-256 of the file, 64 hexadecimal digits; `seam audit` shows it")
}

#[cfg(test)]
mod tests {
    use crate::grants::{Folder, FolderMode, Grants};

    fn folder(path: &str) -> Folder {
        Folder::new(path, FolderMode::Ro)
    }

    #[test]
    fn what_is_meant_is_taken() {
        let grants = Grants {
            digest: Some("0123456789abcdefABCDEF".repeat(3)[..64].to_owned()),
            http: vec!["api.example.com".to_owned(), "http://localhost:80".to_owned()],
            fs: vec![folder("data"), folder("/srv/data"), folder("./more")],
            env: vec!["HOME".to_owned(), "npm_config_x-y".to_owned()],
            tools: vec!["read".to_owned(), "mcp__a.b-c".to_owned()],
            exec: vec!["git".to_owned(), "c++filt".to_owned(), "[".to_owned()],
            ..Grants::default()
        };
        assert_eq!(grants.fault(), None);
    }

    #[test]
    fn what_cannot_be_meant_is_named() {
        let http = |entry: &str| Grants { http: vec!["a.b".to_owned(), entry.to_owned()], ..Grants::default() };
        let env = |name: &str| Grants { env: vec![name.to_owned()], ..Grants::default() };
        let fs = |path: &str| Grants { fs: vec![folder("data"), folder(path)], ..Grants::default() };
        let tools = |tool: &str| Grants { tools: vec!["read".to_owned(), tool.to_owned()], ..Grants::default() };
        let exec = |program: &str| Grants { exec: vec![program.to_owned()], ..Grants::default() };
        let digest = |digest: &str| Grants { digest: Some(digest.to_owned()), ..Grants::default() };
        for (grants, fault) in [
            (http("*.c"), "`http` has `*.c`: patterns are not taken; name each host"),
            (env("*"), "`env` has `*`: patterns are not taken; name each variable"),
            (env("AWS_*"), "`env` has `AWS_*`: patterns are not taken; name each variable"),
            (env("$HOME"), "`env` has `$HOME`: patterns are not taken; name each variable"),
            (env(""), "`env` has ``: that is no name of a variable"),
            (env("A=B"), "`env` has `A=B`: that is no name of a variable"),
            (fs(""), "`fs` has ``: name a folder"),
            (fs("~/x"), "`fs` has `~/x`: `~` has no meaning here; write the whole path"),
            (fs("../x"), "`fs` has `../x`: a plugin cannot ask for a path with `..`; write the whole path"),
            (tools("*"), "`tools` has `*`: patterns are not taken; name each tool"),
            (tools(" read"), "`tools` has ` read`: that is no name of a tool"),
            (exec("git*"), "`exec` has `git*`: patterns are not taken; name each program"),
            (exec("/bin/sh"), "`exec` has `/bin/sh`: write the plain name of a program, without a path or arguments"),
            (exec("git log"), "`exec` has `git log`: write the plain name of a program, without a path or arguments"),
            (fs("./data/"), "`fs` has `./data/`: it is there twice; leave one out"),
        ] {
            assert_eq!(grants.fault().as_deref(), Some(fault));
        }
        assert!(digest("abc").fault().unwrap().contains("64 hexadecimal digits"));
    }
}
