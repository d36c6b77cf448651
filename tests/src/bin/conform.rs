//! `conform SCENARIO.json`: prints the recording of one scenario.

use std::process::ExitCode;

use seam_tests::conform::{print, record};

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("Usage: conform SCENARIO.json");
        return ExitCode::from(2);
    };
    let text = std::fs::read_to_string(&path).map_err(|error| error.to_string());
    let scenario = text.and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()));
    match scenario.and_then(|scenario| record(&scenario)) {
        Ok(recording) => {
            print!("{}", print(&recording));
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{}: {problem}", path.display());
            ExitCode::FAILURE
        }
    }
}
