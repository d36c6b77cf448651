//! `seam trust`.

use anyhow::Result;

use crate::args::TrustArgs;
use crate::commands::run::plugins;
use crate::commands::run::start::Base;
use crate::exit::Exit;
use crate::terminal::grants;
use crate::terminal::output::Output;
use crate::trust::{self, Asked};

/// What is agreed to was told: without that nothing is.
pub(crate) fn trust(args: &TrustArgs) -> Result<Exit> {
    let Base { cwd, config } = Base::read(&args.place.cwd, args.place.config.as_deref())?;
    let folder = plugins::folder(args.place.plugins.as_deref(), &cwd)?;
    let asked = Asked::of(&config, folder.as_deref());
    let output = Output::default();
    if asked.plugins.is_empty() {
        output.print("nothing to agree to: the project grants nothing to the plugins that are there\n");
        return Ok(if output.has_failed() { Exit::RunFailed } else { Exit::Done });
    }
    for (name, (digest, granted)) in &asked.plugins {
        output.print(&grants::render(name, digest, granted));
    }
    if output.has_failed() {
        return Ok(Exit::RunFailed);
    }
    asked.agree()?;
    output.print(&format!(
        "\nagreed: these files get that from {} ({} has it)\n",
        config.origin.project.display(),
        trust::place()?.display()
    ));
    Ok(Exit::Done)
}
