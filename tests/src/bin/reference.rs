//! `reference`: writes the generated part of `wit/README.md` anew.

use std::process::ExitCode;

use seam_tests::files;
use seam_tests::reference::renewed;

fn main() -> ExitCode {
    let file = files::root().join("wit/README.md");
    let page = std::fs::read_to_string(&file).map_err(|error| error.to_string());
    let page =
        page.and_then(|page| renewed(&page).ok_or_else(|| "the marks of the generated part are gone".to_owned()));
    match page.and_then(|page| std::fs::write(&file, page).map_err(|error| error.to_string())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{}: {problem}", file.display());
            ExitCode::FAILURE
        }
    }
}
