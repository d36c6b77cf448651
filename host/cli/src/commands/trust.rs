//! `seam trust`.

use anyhow::{Result, ensure};

use crate::args::TrustArgs;
use crate::commands::run::granted;
use crate::commands::run::plugins;
use crate::commands::run::start::Base;
use crate::exit::Exit;
use crate::terminal::asked::is_yes;
use crate::terminal::input::Input;
use crate::terminal::output::{Output, complain};
use crate::terminal::{grants, user};
use crate::trust::{self, Asked};

/// What is agreed to was told, and who agrees is no model: without that nothing is.
pub(crate) async fn trust(args: TrustArgs) -> Result<Exit> {
    ensure!(
        !plugins::is_within_a_run(),
        "a run of Seam started this, so it may be its model that agrees; run `seam trust` yourself, in another shell"
    );
    let Base { cwd, config, .. } = Base::read(&args.place.cwd, args.place.config.as_deref())?;
    let folder = plugins::folder(args.place.plugins.as_deref(), &cwd)?;
    let asked = Asked::of(&config, folder.as_deref());
    let output = Output::default();
    if asked.is_nothing() {
        output.print("nothing to agree to: the settings ask for nothing that needs it\n");
        return Ok(if output.has_failed() { Exit::RunFailed } else { Exit::Done });
    }
    output.print(&grants::asked(&asked, &config));
    let places = granted::places(&cwd, &config, folder.as_deref());
    let refused = asked.plugins.iter().filter_map(|(name, plugin)| granted::told(name, &plugin.grants, &places));
    refused.for_each(|refused| complain(&format!("nothing will run: {refused}; {}", granted::REMEDY)));
    if output.has_failed() {
        return Ok(Exit::RunFailed);
    }
    if !agrees(args.yes).await {
        return Ok(Exit::PluginFault);
    }
    asked.agree()?;
    output.print(&format!("\nagreed ({} has it)\n", trust::place()?.display()));
    Ok(Exit::Done)
}

/// Whether the user agrees. That he does not is told.
async fn agrees(yes: bool) -> bool {
    if yes {
        return true;
    }
    if !user::is_there() {
        complain("nothing was agreed to: nobody can be asked here; to agree to all of it, add `--yes`");
        return false;
    }
    let answer = Input::default().answer("\nAgree? [y/N] ").await;
    let agrees = answer.and_then(|line| line.text()).is_some_and(|answer| is_yes(&answer));
    if !agrees {
        complain("nothing was agreed to");
    }
    agrees
}
