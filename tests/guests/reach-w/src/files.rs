//! Files.

use std::io::{Error, Read as _, Write as _};
use std::{fs, io};

/// Does what the words say.
pub(crate) fn obey(words: &[&str]) -> String {
    match done(words) {
        Ok(said) => said,
        Err(error) => format!("{:?}", error.kind()),
    }
}

fn done(words: &[&str]) -> io::Result<String> {
    let ok = |()| "ok".to_owned();
    match *words {
        ["read", path] => fs::read_to_string(path),
        ["first", path] => {
            let mut byte = [0];
            fs::File::open(path)?.read_exact(&mut byte)?;
            Ok(format!("{byte:?}"))
        }
        ["write", path, text] => fs::write(path, text).map(ok),
        ["append", path, text] => fs::OpenOptions::new().append(true).open(path)?.write_all(text.as_bytes()).map(ok),
        ["list", path] => {
            let names = fs::read_dir(path)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
            let mut names = names.collect::<io::Result<Vec<String>>>()?;
            names.sort();
            Ok(names.join(","))
        }
        ["size", path] => Ok(fs::metadata(path)?.len().to_string()),
        ["mkdir", path] => fs::create_dir(path).map(ok),
        ["rmdir", path] => fs::remove_dir(path).map(ok),
        ["rm", path] => fs::remove_file(path).map(ok),
        ["rename", from, to] => fs::rename(from, to).map(ok),
        ["hard", from, to] => fs::hard_link(from, to).map(ok),
        #[allow(deprecated, reason = "the only one that WASI has")]
        ["soft", from, to] => fs::soft_link(from, to).map(ok),
        ["cut", path] => fs::OpenOptions::new().write(true).open(path)?.set_len(0).map(ok),
        // Handles that are never given back.
        ["open", path, times] => {
            for _ in 0..times.parse().unwrap_or(0) {
                std::mem::forget(fs::File::open(path)?);
            }
            Ok("open".to_owned())
        }
        _ => Err(Error::other("no such order")),
    }
}
