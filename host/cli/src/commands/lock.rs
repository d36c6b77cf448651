//! `seam lock`.

use anyhow::Result;
use seam_plugins::audit::Pair;
use seam_plugins::{Audit, LoadError};

use crate::args::LockArgs;
use crate::commands::run::granted;
use crate::commands::run::plugins::{self, Wanted};
use crate::commands::run::start::Base;
use crate::exit::Exit;
use crate::faults;
use crate::lock::Lock;
use crate::terminal::lock as words;
use crate::terminal::output::{Output, complain};

pub(crate) async fn lock(args: LockArgs) -> Result<Exit> {
    let Base { cwd, mut config, .. } = Base::read(&args.place.cwd, args.place.config.as_deref())?;
    config.locked = false;
    let folder = plugins::folder(args.place.plugins.as_deref(), &cwd)?;
    let wanted = Wanted { around: &[], folder: folder.as_deref(), config: &config, lock: None, in_force: &[] };
    let loaded = match plugins::load_inert(&wanted).await? {
        Ok(loaded) => loaded,
        Err(not_loaded) => {
            not_loaded.tell("written");
            return Ok(Exit::PluginFault);
        }
    };
    config.check_names(&loaded.names())?;
    let places = granted::places(&cwd, &config, folder.as_deref());
    if let Some(refused) = loaded.own.iter().find_map(|plugin| granted::refused_of(plugin, &places)) {
        complain(&refused);
        complain("nothing was written: nothing would run with it");
        return Ok(Exit::PluginFault);
    }
    loaded.tell();
    let old = Lock::read(&config).unwrap_or_else(|error| {
        complain(&format!("what was locked is not known: {}", faults::told(&error)));
        None
    });
    let (file, old, new) = (Lock::file(&config), old.unwrap_or_default(), Lock::of(&loaded.own, &config));
    let then = old.plugins.iter().filter_map(|(name, locked)| locked.audit(name)).map(Ok::<_, LoadError>);
    let now = loaded.own.iter().map(|plugin| Audit::of(plugin.name().to_owned(), plugin.inspection(), plugin.grants()));
    let pairs = Pair::by_name(then.collect(), now.map(Ok).collect());
    let output = Output::default();
    output.print(&words::render(&pairs, &old, &new));
    new.write(&file)?;
    let count = match new.plugins.len() {
        1 => "1 plugin".to_owned(),
        count => format!("{count} plugins"),
    };
    let as_before = if old == new { ", as before" } else { "" };
    output.print(&format!("{}: {count}{as_before}\n", file.display()));
    Ok(if output.has_failed() { Exit::RunFailed } else { Exit::Done })
}
